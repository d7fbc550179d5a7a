// SPDX-License-Identifier: Apache-2.0
// The PTX parser: recursive descent over tokens, one function a construct. Errors inside a
// statement skip to its end, so that one run reports several.
#include <stdlib.h>
#include <string.h>
#include "ptx.h"
#include "ptx_lex.h"

enum {
  MAX_DEPTH = 64,         // nested scopes, braces of initialisers, operand lists
  MAX_REGS = 1 << 20,     // registers that a function may use
  MAX_ITEMS = 4096,       // operands of a call, targets of a branch table
  MAX_INIT = 64 << 20,    // bytes of an initialised variable
  MAX_ERRORS = 50
};

typedef enum sym_kind { SYM_REG, SYM_VAR, SYM_LABEL, SYM_FUNC, SYM_TARGETS } sym_kind;

typedef struct symbol {
  struct symbol *next;
  const char *name;
  sym_kind kind;
  uint32_t index;  // register or label
  void *pointer;   // ptx_var, ptx_function
} symbol;

typedef struct reg_range {
  struct reg_range *next;
  const char *prefix;
  size_t length;
  uint64_t count;
  ptx_type type;
} reg_range;

enum { BUCKETS = 256 };
typedef struct scope {
  struct scope *parent;
  symbol *buckets[BUCKETS];
  reg_range *ranges;
} scope;

typedef struct parser {
  ptx_module *m;
  diag *d;
  lexer lex;
  token t, next;  // current and following token
  scope *module_scope, *scope;
  ptx_function *f;
  uint32_t cuda_file, cuda_line;
  unsigned depth;
  size_t init_bytes;
} parser;

// ---- tokens

static void advance(parser *p) {
  p->t = p->next;
  p->next = lex_next(&p->lex);
}

static bool error_at(parser *p, const token *t, const char *what) {
  if (t->kind == LEX_END)
    return diag_error(p->d, t->line, t->col, "%s before the end of the file", what);
  return diag_error(p->d, t->line, t->col, "%s, not '%.*s'", what,
                    (int)(t->length > 40 ? 40 : t->length), t->text);
}

static bool is_punct(const parser *p, char c) {
  return p->t.kind == LEX_PUNCT && p->t.punct == c;
}

static bool accept(parser *p, char c) {
  if (!is_punct(p, c))
    return false;
  advance(p);
  return true;
}

static bool expect(parser *p, char c) {
  if (accept(p, c))
    return true;
  char what[] = "expected 'x'";
  what[10] = c;
  return error_at(p, &p->t, what);
}

static bool is_dot(const parser *p, const char *name) {
  return p->t.kind == LEX_DOT && p->t.length == strlen(name) &&
         memcmp(p->t.text, name, p->t.length) == 0;
}

static bool is_word(const token *t, const char *name) {
  return t->kind == LEX_WORD && t->length == strlen(name) && memcmp(t->text, name, t->length) == 0;
}

static char *token_text(parser *p) { return ptx_strdup(p->m, p->t.text, p->t.length); }

// After an error: to behind the next `;`, or before a brace.
static void skip_statement(parser *p) {
  while (p->t.kind != LEX_END && !is_punct(p, ';') && !is_punct(p, '{') && !is_punct(p, '}'))
    advance(p);
  accept(p, ';');
}

// ---- names

static unsigned hash(const char *name, size_t length) {
  unsigned h = 2166136261u;
  for (size_t n = 0; n < length; n++)
    h = (h ^ (unsigned char)name[n]) * 16777619u;
  return h % BUCKETS;
}

static symbol *scope_find(scope *s, const char *name, size_t length) {
  for (symbol *y = s->buckets[hash(name, length)]; y; y = y->next)
    if (strlen(y->name) == length && memcmp(y->name, name, length) == 0)
      return y;
  return NULL;
}

static symbol *scope_add(parser *p, scope *s, const char *name, sym_kind kind, uint32_t index,
                         void *pointer) {
  symbol *y = ptx_alloc(p->m, sizeof *y);
  unsigned h = hash(name, strlen(name));
  *y = (symbol){s->buckets[h], name, kind, index, pointer};
  s->buckets[h] = y;
  return y;
}

static bool declare(parser *p, const token *at, const char *name, sym_kind kind, uint32_t index,
                    void *pointer) {
  if (scope_find(p->scope, name, strlen(name)))
    return diag_error(p->d, at->line, at->col, "'%s' is already declared here", name);
  scope_add(p, p->scope, name, kind, index, pointer);
  return true;
}

// A register of a range becomes a register when it is first named.
static symbol *range_find(parser *p, scope *s, const char *name, size_t length) {
  for (reg_range *r = s->ranges; r; r = r->next) {
    if (length <= r->length || length > r->length + 9 || memcmp(name, r->prefix, r->length) != 0 ||
        (name[r->length] == '0' && length > r->length + 1))
      continue;
    uint64_t index = 0;
    size_t n = r->length;
    while (n < length && name[n] >= '0' && name[n] <= '9')
      index = index * 10 + (uint64_t)(name[n++] - '0');
    if (n < length || index >= r->count || !p->f || p->f->reg_count >= MAX_REGS)
      continue;
    char *copy = ptx_strdup(p->m, name, length);
    return scope_add(p, s, copy, SYM_REG, ptx_reg_add(p->m, p->f, copy, r->type), NULL);
  }
  return NULL;
}

static symbol *lookup(parser *p, scope *from, const char *name, size_t length) {
  for (scope *s = from; s; s = s->parent) {
    symbol *y = scope_find(s, name, length);
    if (!y)
      y = range_find(p, s, name, length);
    if (y)
      return y;
  }
  return NULL;
}

static scope *scope_new(parser *p, scope *parent) {
  scope *s = ptx_alloc(p->m, sizeof *s);
  s->parent = parent;
  return s;
}

// ---- numbers

static bool parse_int(parser *p, int64_t *value) {
  bool negative = false;
  while (is_punct(p, '-') || is_punct(p, '+')) {
    negative ^= is_punct(p, '-');
    advance(p);
  }
  if (is_word(&p->t, "WARP_SZ")) {
    *value = 32;
    advance(p);
    return true;
  }
  if (p->t.kind != LEX_INT)
    return error_at(p, &p->t, "expected a whole number");
  if (p->t.huge)
    return error_at(p, &p->t, "expected a number of at most 64 bits");
  uint64_t v = p->t.value;
  *value = (int64_t)(negative ? 0 - v : v);
  advance(p);
  return true;
}

static bool parse_u32(parser *p, uint32_t *value) {
  int64_t v;
  token at = p->t;
  if (!parse_int(p, &v))
    return false;
  if (v < 0 || v > UINT32_MAX)
    return error_at(p, &at, "expected a number from 0 to 4294967295");
  *value = (uint32_t)v;
  return true;
}

// ---- operands

static bool parse_operand(parser *p, ptx_operand *o);

static bool parse_items(parser *p, ptx_operand *o, char close) {
  uint32_t capacity = 4;
  o->items = ptx_alloc(p->m, capacity * sizeof *o->items);
  if (accept(p, close))
    return true;
  if (++p->depth > MAX_DEPTH)
    return error_at(p, &p->t, "nested too deeply");
  do {
    if (o->count == MAX_ITEMS)
      return error_at(p, &p->t, "too many operands");
    if (o->count == capacity) {
      ptx_operand *more = ptx_alloc(p->m, 2 * capacity * sizeof *more);
      memcpy(more, o->items, capacity * sizeof *more);
      o->items = more;
      capacity *= 2;
    }
    if (!parse_operand(p, &o->items[o->count]))
      return false;
    o->count++;
  } while (accept(p, ','));
  p->depth--;
  return expect(p, close);
}

static bool parse_float(parser *p, ptx_operand *o, bool negative) {
  o->kind = PTX_FLOAT;
  o->bits = p->t.bits;
  o->width = p->t.width;
  if (negative)
    o->bits ^= o->width == 32 ? 1ull << 31 : 1ull << 63;
  advance(p);
  return true;
}

// `name` is the word just passed. Registers may be followed by a glued `.x`: special registers.
static bool parse_name(parser *p, ptx_operand *o) {
  const char *name = p->t.text;
  size_t length = p->t.length;
  symbol *y = lookup(p, p->scope, name, length);
  if (length == 1 && *name == '_') {
    o->kind = PTX_SINK;
    advance(p);
    return true;
  }
  if (is_word(&p->t, "WARP_SZ")) {
    o->kind = PTX_INT;
    return parse_int(p, &o->value);
  }
  o->name = y ? y->name : ptx_strdup(p->m, name, length);
  advance(p);
  if (!y && *name == '%') {
    o->kind = PTX_SREG;
    o->name++;
    if (p->t.kind == LEX_DOT && p->t.glued) {
      size_t head = length - 1;
      char *joined = ptx_alloc(p->m, head + p->t.length + 2);
      memcpy(joined, o->name, head);
      joined[head] = '.';
      memcpy(joined + head + 1, p->t.text, p->t.length);
      o->name = joined;
      advance(p);
    }
    return true;
  }
  if (!y) {
    o->kind = PTX_NAME;  // a label further down, resolved at the end of the function
    o->func = (ptx_function *)(void *)p->scope;
    return true;
  }
  switch (y->kind) {
    case SYM_REG:
      o->kind = PTX_REG;
      o->reg = y->index;
      return true;
    case SYM_LABEL:
      o->kind = PTX_LABEL;
      o->value = y->index;
      return true;
    case SYM_FUNC:
      o->kind = PTX_FUNC;
      o->func = y->pointer;
      return true;
    case SYM_TARGETS: o->kind = PTX_NAME; return true;
    default: break;
  }
  o->kind = PTX_VAR;
  o->var = y->pointer;
  if (is_punct(p, '+') || is_punct(p, '-'))
    return parse_int(p, &o->value);
  return true;
}

static bool parse_address(parser *p, ptx_operand *o) {
  o->kind = PTX_ADDR;
  if (p->t.kind == LEX_WORD && !is_word(&p->t, "WARP_SZ")) {
    ptx_operand base = {.line = p->t.line, .col = p->t.col};
    token at = p->t;
    if (!parse_name(p, &base))
      return false;
    if (base.kind == PTX_REG) {
      o->reg = base.reg;
      o->has_reg = true;
    } else if (base.kind == PTX_VAR) {
      o->var = base.var;
      o->value = base.value;
    } else {
      return diag_error(p->d, at.line, at.col, "'%s' is not a register or variable", base.name);
    }
    if ((is_punct(p, '+') || is_punct(p, '-')) && !parse_int(p, &o->value))
      return false;
  } else if (!parse_int(p, &o->value)) {
    return false;
  }
  if (accept(p, ',')) {  // coordinates of a texture: kept as items
    o->items = ptx_alloc(p->m, sizeof *o->items);
    o->count = 1;
    if (!parse_operand(p, o->items))
      return false;
  }
  return expect(p, ']');
}

static bool parse_operand(parser *p, ptx_operand *o) {
  *o = (ptx_operand){.line = p->t.line, .col = p->t.col};
  if (accept(p, '!'))
    o->negated = true;
  if (accept(p, '[')) {
    return parse_address(p, o);
  } else if (accept(p, '{')) {
    o->kind = PTX_VEC;
    return parse_items(p, o, '}');
  } else if (accept(p, '(')) {
    o->kind = PTX_LIST;
    return parse_items(p, o, ')');
  } else if (is_punct(p, '-') && p->next.kind == LEX_FLOAT) {
    advance(p);
    return parse_float(p, o, true);
  } else if (p->t.kind == LEX_FLOAT) {
    return parse_float(p, o, false);
  } else if (p->t.kind == LEX_WORD) {
    return parse_name(p, o);
  } else if (p->t.kind == LEX_INT || is_punct(p, '-') || is_punct(p, '+')) {
    o->kind = PTX_INT;
    return parse_int(p, &o->value);
  }
  return error_at(p, &p->t, "expected an operand");
}

// ---- instructions

static bool parse_guard(parser *p, ptx_stmt *s) {
  if (!accept(p, '@'))
    return true;
  s->guarded = true;
  s->guard_neg = accept(p, '!');
  symbol *y = p->t.kind == LEX_WORD ? lookup(p, p->scope, p->t.text, p->t.length) : NULL;
  if (!y || y->kind != SYM_REG || p->f->regs[y->index].type != PTX_PRED)
    return error_at(p, &p->t, "expected a predicate register");
  s->guard = y->index;
  advance(p);
  return true;
}

static bool parse_inst(parser *p) {
  ptx_stmt s = {.pair = UINT32_MAX, .cuda_file = p->cuda_file, .cuda_line = p->cuda_line};
  s.line = p->t.line;
  s.col = p->t.col;
  if (!parse_guard(p, &s))
    return false;
  if (p->t.kind != LEX_WORD)
    return error_at(p, &p->t, "expected an instruction");
  s.line = p->t.line;
  s.col = p->t.col;
  s.op = token_text(p);
  advance(p);
  while (p->t.kind == LEX_DOT) {
    if (s.mod_count == PTX_MODS)
      return error_at(p, &p->t, "too many modifiers");
    s.mods[s.mod_count++] = token_text(p);
    advance(p);
  }
  while (!is_punct(p, ';')) {
    if (s.operand_count == PTX_OPERANDS)
      return error_at(p, &p->t, "too many operands");
    if (!parse_operand(p, &s.operands[s.operand_count]))
      return false;
    s.operand_count++;
    if (accept(p, '|')) {
      ptx_operand q;
      if (!parse_operand(p, &q))
        return false;
      if (s.operand_count != 1 || (q.kind != PTX_REG && q.kind != PTX_SINK))
        return diag_error(p->d, q.line, q.col, "expected a second predicate of the destination");
      if (q.kind == PTX_REG)
        s.pair = q.reg;
    }
    if (!accept(p, ',') && !is_punct(p, ';'))
      return error_at(p, &p->t, "expected ',' or ';'");
  }
  advance(p);
  *ptx_stmt_add(p->m, p->f) = s;
  return true;
}

// ---- declarations

static bool parse_type(parser *p, ptx_type *type) {
  char name[16];
  if (p->t.kind == LEX_DOT && p->t.length < sizeof name) {
    memcpy(name, p->t.text, p->t.length);
    name[p->t.length] = 0;
    if (ptx_type_find(name, type)) {
      advance(p);
      return true;
    }
  }
  return error_at(p, &p->t, "expected a type");
}

static bool parse_regs(parser *p) {
  ptx_type type;
  unsigned vector = 1;
  advance(p);
  if (is_dot(p, "v2") || is_dot(p, "v4")) {
    vector = is_dot(p, "v2") ? 2 : 4;
    advance(p);
  }
  if (!parse_type(p, &type))
    return false;
  if (vector != 1)
    return error_at(p, &p->t, "vector registers are not supported: expected a scalar type");
  do {
    if (p->t.kind != LEX_WORD)
      return error_at(p, &p->t, "expected a register name");
    token at = p->t;
    char *name = token_text(p);
    advance(p);
    if (accept(p, '<')) {
      uint32_t count;
      if (!parse_u32(p, &count) || !expect(p, '>'))
        return false;
      reg_range *r = ptx_alloc(p->m, sizeof *r);
      *r = (reg_range){p->scope->ranges, name, strlen(name), count, type};
      p->scope->ranges = r;
    } else {
      if (p->f->reg_count >= MAX_REGS)
        return error_at(p, &at, "too many registers");
      if (!declare(p, &at, name, SYM_REG, ptx_reg_add(p->m, p->f, name, type), NULL))
        return false;
    }
  } while (accept(p, ','));
  return expect(p, ';');
}

static void init_store(parser *p, ptx_var *v, uint64_t at, uint64_t bits) {
  (void)p;
  unsigned bytes = ptx_type_bytes(v->type);
  for (unsigned n = 0; n < bytes && n < 8; n++)
    v->init[at + n] = (uint8_t)(bits >> 8 * n);
}

static bool init_address(parser *p, ptx_var *v, uint64_t at, bool generic) {
  symbol *y = p->t.kind == LEX_WORD ? lookup(p, p->scope, p->t.text, p->t.length) : NULL;
  if (!y || (y->kind != SYM_VAR))
    return error_at(p, &p->t, "expected a variable whose address is known");
  ptx_init *r = ptx_alloc(p->m, sizeof *r);
  *r = (ptx_init){at, y->pointer, 0, generic, NULL};
  advance(p);
  if ((is_punct(p, '+') || is_punct(p, '-')) && !parse_int(p, &r->addend))
    return false;
  if (ptx_type_bytes(v->type) != 8)
    return error_at(p, &p->t, "an address needs a 64-bit element");
  r->next = v->relocs;
  v->relocs = r;
  return true;
}

static bool init_float(parser *p, ptx_var *v, uint64_t at, bool negative) {
  ptx_operand o;
  parse_float(p, &o, negative);
  if (v->type == PTX_F32 && o.width == 0) {
    double value;
    float single;
    memcpy(&value, &o.bits, sizeof value);
    single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    o.bits = bits;
  }
  init_store(p, v, at, o.bits);
  return true;
}

// One value, or a brace list of them; *at is the next free byte.
static bool parse_init(parser *p, ptx_var *v, uint64_t *at) {
  if (accept(p, '{')) {
    if (++p->depth > MAX_DEPTH)
      return error_at(p, &p->t, "nested too deeply");
    if (!is_punct(p, '}'))
      do
        if (!parse_init(p, v, at))
          return false;
      while (accept(p, ','));
    p->depth--;
    return expect(p, '}');
  }
  unsigned bytes = ptx_type_bytes(v->type);
  uint64_t here = *at;
  if (here + bytes > v->bytes)
    return error_at(p, &p->t, "more initial values than elements: expected '}'");
  *at += bytes;
  bool negative = is_punct(p, '-');
  if (negative && p->next.kind == LEX_FLOAT) {
    advance(p);
    return init_float(p, v, here, true);
  }
  if (p->t.kind == LEX_FLOAT)
    return init_float(p, v, here, false);
  if (is_word(&p->t, "generic")) {
    advance(p);
    return expect(p, '(') && init_address(p, v, here, true) && expect(p, ')');
  }
  if (p->t.kind == LEX_WORD && !is_word(&p->t, "WARP_SZ"))
    return init_address(p, v, here, false);
  int64_t value;
  if (!parse_int(p, &value))
    return false;
  init_store(p, v, here, (uint64_t)value);
  return true;
}

static bool parse_array(parser *p, ptx_var *v, uint64_t element) {
  uint64_t elements = 1;
  bool open = false;
  while (accept(p, '[')) {
    int64_t n = 0;
    v->is_array = true;
    if (is_punct(p, ']')) {
      open = true;
    } else if (!parse_int(p, &n)) {
      return false;
    } else if (n < 0 || (n && elements > (1ull << 40) / (uint64_t)n)) {
      return error_at(p, &p->t, "the array is too large");
    }
    elements *= (uint64_t)n;
    if (!expect(p, ']'))
      return false;
  }
  v->bytes = open ? 0 : elements * element;
  return true;
}

static bool parse_align(parser *p, uint32_t *align) {
  advance(p);
  token at = p->t;
  if (!parse_u32(p, align))
    return false;
  if (*align == 0 || (*align & (*align - 1)) || *align > 4096)
    return error_at(p, &at, "the alignment must be a power of two up to 4096");
  return true;
}

// Behind the space word: [.align n] [.v2|.v4] .type [.ptr ...] name[...]... [= init]. `one`: a
// parameter, which ends after its array bounds.
static bool parse_var(parser *p, ptx_space space, const char *linkage, bool one, ptx_var **made) {
  uint32_t align = 0, vector = 1;
  ptx_type type;
  for (;; ) {
    if (is_dot(p, "align")) {
      if (!parse_align(p, &align))
        return false;
    } else if (is_dot(p, "v2") || is_dot(p, "v4")) {
      vector = is_dot(p, "v2") ? 2 : 4;
      advance(p);
    } else if (is_dot(p, "attribute")) {
      while (p->t.kind != LEX_END && !is_punct(p, ')'))
        advance(p);
      accept(p, ')');
    } else {
      break;
    }
  }
  if (is_dot(p, "texref") || is_dot(p, "samplerref") || is_dot(p, "surfref"))
    return error_at(p, &p->t, "textures and surfaces are not supported: expected a type");
  if (!parse_type(p, &type))
    return false;
  while (is_dot(p, "ptr") || is_dot(p, "global") || is_dot(p, "shared") || is_dot(p, "const") ||
         is_dot(p, "local") || is_dot(p, "align")) {  // attributes of a pointer parameter
    uint32_t ignored;
    if (is_dot(p, "align")) {
      if (!parse_align(p, &ignored))
        return false;
    } else {
      advance(p);
    }
  }
  do {
    if (p->t.kind != LEX_WORD)
      return error_at(p, &p->t, "expected a name");
    ptx_var *v = ptx_alloc(p->m, sizeof *v);
    token at = p->t;
    *v = (ptx_var){.name = token_text(p), .space = space, .type = type, .linkage = linkage,
                   .line = at.line, .col = at.col};
    v->is_extern = strcmp(linkage, ".extern") == 0;
    v->align = align ? align : ptx_type_bytes(type) * vector;
    advance(p);
    if (accept(p, '<')) {  // name<n>: n variables, as for registers
      return error_at(p, &at, "ranges of variables are not supported: expected one name");
    }
    if (!parse_array(p, v, (uint64_t)ptx_type_bytes(type) * vector))
      return false;
    if (!one && accept(p, '=')) {
      uint64_t filled = 0;
      if (v->bytes > MAX_INIT || p->init_bytes + v->bytes > MAX_INIT)
        return error_at(p, &at, "the initialised variable is too large");
      p->init_bytes += v->bytes;
      v->init = ptx_alloc(p->m, (size_t)v->bytes);
      if (!parse_init(p, v, &filled))
        return false;
    }
    symbol *before = scope_find(p->scope, v->name, strlen(v->name));
    if (before && before->kind == SYM_VAR && ((ptx_var *)before->pointer)->is_extern) {
      before->pointer = v;  // the definition follows its declaration
    } else if (before && before->kind == SYM_VAR && v->is_extern) {
      *made = before->pointer;
      continue;
    } else if (!declare(p, &at, v->name, SYM_VAR, 0, v)) {
      return false;
    }
    if (!one)
      ptx_var_add(p->m, p->f, v);
    *made = v;
  } while (!one && accept(p, ','));
  return one || expect(p, ';');
}

static bool find_space(const parser *p, ptx_space *space) {
  for (int n = PTX_GLOBAL; n < PTX_SPACES; n++)
    if (is_dot(p, ptx_space_name((ptx_space)n))) {
      *space = (ptx_space)n;
      return true;
    }
  return false;
}

// ---- functions

static void skip_loc_tail(parser *p) {
  while (is_punct(p, ',') && (is_word(&p->next, "function_name") || is_word(&p->next, "inlined_at"))) {
    advance(p);
    advance(p);
    while (p->t.kind == LEX_INT || is_punct(p, '+') || p->t.kind == LEX_DOT ||
           (p->t.kind == LEX_WORD && p->t.length && *p->t.text == '$' &&
            !(p->next.kind == LEX_PUNCT && p->next.punct == ':')))
      advance(p);
  }
}

static bool parse_loc(parser *p) {
  uint32_t file, line, col;
  advance(p);
  if (!parse_u32(p, &file) || !parse_u32(p, &line) || !parse_u32(p, &col))
    return false;
  if (line) {  // line 0: made by the compiler, belongs to what is around it
    p->cuda_file = file;
    p->cuda_line = line;
  }
  skip_loc_tail(p);
  return true;
}

static bool parse_targets(parser *p, const char *name, const token *at) {
  ptx_operand list = {0};
  advance(p);
  do {
    if (list.count >= MAX_ITEMS)
      return error_at(p, &p->t, "too many targets");
    ptx_operand *more = ptx_alloc(p->m, (list.count + 1) * sizeof *more);
    if (list.count)
      memcpy(more, list.items, list.count * sizeof *more);
    list.items = more;
    if (!parse_operand(p, &list.items[list.count++]))
      return false;
  } while (accept(p, ','));
  // Kept as a pseudo instruction until labels are resolved.
  ptx_stmt *s = ptx_stmt_add(p->m, p->f);
  s->op = ".branchtargets";
  s->line = at->line;
  s->col = at->col;
  s->operand_count = 1;
  s->operands[0] = list;
  s->operands[0].kind = PTX_LIST;
  s->operands[0].name = name;
  return declare(p, at, name, SYM_TARGETS, 0, NULL) && expect(p, ';');
}

static bool parse_label(parser *p) {
  token at = p->t;
  char *name = token_text(p);
  advance(p);
  advance(p);
  if (is_dot(p, "branchtargets"))
    return parse_targets(p, name, &at);
  if (is_dot(p, "callprototype")) {
    skip_statement(p);
    return declare(p, &at, name, SYM_TARGETS, 0, NULL);
  }
  if (is_dot(p, "calltargets")) {
    skip_statement(p);
    return declare(p, &at, name, SYM_TARGETS, 0, NULL);
  }
  uint32_t label = ptx_label_add(p->m, p->f, name);
  if (!declare(p, &at, name, SYM_LABEL, label, NULL))
    return false;
  ptx_stmt *s = ptx_stmt_add(p->m, p->f);
  s->is_label = true;
  s->label = label;
  s->line = at.line;
  s->col = at.col;
  return true;
}

static bool parse_statement(parser *p) {
  ptx_space space;
  ptx_var *v;
  if (is_dot(p, "reg"))
    return parse_regs(p);
  if (is_dot(p, "loc"))
    return parse_loc(p);
  if (is_dot(p, "pragma")) {
    skip_statement(p);
    return true;
  }
  const char *linkage = "";
  if (is_dot(p, "extern")) {
    linkage = ".extern";
    advance(p);
  }
  if (find_space(p, &space)) {
    advance(p);
    return parse_var(p, space, linkage, false, &v);
  }
  if (p->t.kind == LEX_WORD && p->next.kind == LEX_PUNCT && p->next.punct == ':')
    return parse_label(p);
  return parse_inst(p);
}

static void parse_body(parser *p) {
  unsigned depth = 1;
  p->scope = scope_new(p, p->scope);
  advance(p);
  while (p->t.kind != LEX_END && depth && diag_errors(p->d) < MAX_ERRORS) {
    p->depth = 0;
    if (is_punct(p, '{')) {
      if (++depth > MAX_DEPTH) {
        error_at(p, &p->t, "scopes are nested too deeply");
        return;
      }
      p->scope = scope_new(p, p->scope);
      advance(p);
    } else if (is_punct(p, '}')) {
      depth--;
      p->scope = p->scope->parent;
      advance(p);
    } else if (accept(p, ';')) {
    } else if (!parse_statement(p)) {
      uint32_t line = p->t.line, col = p->t.col;
      skip_statement(p);
      if (p->t.line == line && p->t.col == col && !is_punct(p, '}'))
        advance(p);
    }
  }
  if (depth)
    error_at(p, &p->t, "expected '}'");
}

// Names that were not yet declared when they were used: labels, and functions of calls.
static void resolve_operand(parser *p, ptx_stmt *s, ptx_operand *o) {
  for (uint32_t n = 0; n < o->count; n++)
    resolve_operand(p, s, &o->items[n]);
  if (o->kind != PTX_NAME || !o->func)
    return;
  symbol *y = lookup(p, (scope *)(void *)o->func, o->name, strlen(o->name));
  o->func = NULL;
  if (y && y->kind == SYM_LABEL) {
    o->kind = PTX_LABEL;
    o->value = y->index;
  } else if (y && y->kind == SYM_FUNC) {
    o->kind = PTX_FUNC;
    o->func = y->pointer;
  } else if (!(y && y->kind == SYM_TARGETS) && strcmp(s->op, "call") != 0) {
    diag_error(p->d, o->line, o->col, "'%s' is not declared", o->name);
  }
}

static void resolve(parser *p, ptx_function *f) {
  uint32_t kept = 0;
  for (uint32_t n = 0; n < f->stmt_count; n++) {
    ptx_stmt *s = &f->stmts[n];
    for (uint32_t o = 0; o < s->operand_count; o++)
      resolve_operand(p, s, &s->operands[o]);
    if (s->is_label || s->op[0] != '.') {
      f->stmts[kept++] = *s;
      continue;
    }
    ptx_operand *list = &s->operands[0];
    uint32_t *labels = ptx_alloc(p->m, list->count * sizeof *labels);
    for (uint32_t k = 0; k < list->count; k++) {
      if (list->items[k].kind != PTX_LABEL)
        diag_error(p->d, list->items[k].line, list->items[k].col, "expected a label");
      labels[k] = (uint32_t)list->items[k].value;
    }
    ptx_targets *all = ptx_alloc(p->m, (f->target_count + 1) * sizeof *all);
    if (f->target_count)
      memcpy(all, f->targets, f->target_count * sizeof *all);
    all[f->target_count++] = (ptx_targets){list->name, labels, list->count};
    f->targets = all;
  }
  f->stmt_count = kept;
}

static bool parse_params(parser *p, ptx_var ***list, uint32_t *count) {
  if (!accept(p, '('))
    return true;
  if (accept(p, ')'))
    return true;
  uint32_t capacity = 8;
  *list = ptx_alloc(p->m, capacity * sizeof **list);
  do {
    if (is_dot(p, "reg"))
      return error_at(p, &p->t, "register parameters are not supported: expected .param");
    if (!is_dot(p, "param"))
      return error_at(p, &p->t, "expected .param");
    advance(p);
    if (*count == capacity) {
      ptx_var **more = ptx_alloc(p->m, 2 * capacity * sizeof *more);
      memcpy(more, *list, capacity * sizeof *more);
      *list = more;
      capacity *= 2;
    }
    if (!parse_var(p, PTX_PARAM, "", true, &(*list)[*count]))
      return false;
    ++*count;
  } while (accept(p, ','));
  return expect(p, ')');
}

static bool parse_triple(parser *p, uint32_t v[3]) {
  advance(p);
  v[0] = v[1] = v[2] = 1;
  for (int n = 0; n < 3; n++) {
    if (!parse_u32(p, &v[n]))
      return false;
    if (!accept(p, ','))
      break;
  }
  return true;
}

static bool parse_performance(parser *p, ptx_function *f) {
  uint32_t ignored[3];
  for (;;) {
    if (is_dot(p, "maxntid")) {
      if (!parse_triple(p, f->maxntid))
        return false;
    } else if (is_dot(p, "reqntid")) {
      if (!parse_triple(p, f->reqntid))
        return false;
    } else if (is_dot(p, "maxnreg") || is_dot(p, "minnctapersm") || is_dot(p, "maxnctapersm")) {
      bool regs = is_dot(p, "maxnreg"), min = is_dot(p, "minnctapersm");
      if (!parse_triple(p, ignored))
        return false;
      if (regs)
        f->maxnreg = ignored[0];
      else if (min)
        f->minnctapersm = ignored[0];
    } else if (is_dot(p, "noreturn")) {
      advance(p);
    } else if (is_dot(p, "pragma")) {
      skip_statement(p);
    } else {
      return true;
    }
  }
}

static bool parse_function(parser *p, const char *linkage) {
  ptx_module *m = p->m;
  ptx_function *f = ptx_alloc(m, sizeof *f);
  f->is_entry = is_dot(p, "entry");
  f->linkage = linkage;
  advance(p);
  p->scope = scope_new(p, p->module_scope);
  p->f = f;
  if (!parse_params(p, &f->rets, &f->ret_count))
    return false;
  if (p->t.kind != LEX_WORD)
    return error_at(p, &p->t, "expected a function name");
  token at = p->t;
  f->name = token_text(p);
  f->line = at.line;
  f->col = at.col;
  advance(p);
  if (!parse_params(p, &f->params, &f->param_count) || !parse_performance(p, f))
    return false;
  symbol *before = scope_find(p->module_scope, f->name, strlen(f->name));
  ptx_function *declared = before && before->kind == SYM_FUNC ? before->pointer : NULL;
  if (before && (!declared || (declared->has_body && is_punct(p, '{'))))
    return diag_error(p->d, at.line, at.col, "'%s' is already declared", f->name);
  if (declared) {
    if (is_punct(p, ';')) {
      advance(p);
      return true;
    }
    *declared = *f;  // uses of the prototype mean the body
    f = declared;
    p->f = f;
  } else {
    scope_add(p, p->module_scope, f->name, SYM_FUNC, 0, f);
    if (m->function_count == m->function_capacity) {
      m->function_capacity = m->function_capacity ? 2 * m->function_capacity : 16;
      ptx_function **more = ptx_alloc(m, m->function_capacity * sizeof *more);
      if (m->function_count)
        memcpy(more, m->functions, m->function_count * sizeof *more);
      m->functions = more;
    }
    m->functions[m->function_count++] = f;
  }
  if (accept(p, ';'))
    return true;
  if (!is_punct(p, '{'))
    return error_at(p, &p->t, "expected '{' or ';'");
  f->has_body = true;
  p->cuda_file = p->cuda_line = 0;
  parse_body(p);
  resolve(p, f);
  return true;
}

// ---- the module

static bool parse_file(parser *p) {
  ptx_module *m = p->m;
  uint32_t number;
  advance(p);
  if (!parse_u32(p, &number))
    return false;
  if (p->t.kind != LEX_STRING)
    return error_at(p, &p->t, "expected a file name");
  if (m->file_count == m->file_capacity) {
    m->file_capacity = m->file_capacity ? 2 * m->file_capacity : 8;
    ptx_file *more = ptx_alloc(m, m->file_capacity * sizeof *more);
    if (m->file_count)
      memcpy(more, m->files, m->file_count * sizeof *more);
    m->files = more;
  }
  m->files[m->file_count++] = (ptx_file){number, token_text(p)};
  advance(p);
  while (accept(p, ',')) {
    int64_t ignored;
    if (!parse_int(p, &ignored))
      return false;
  }
  return true;
}

static void skip_section(parser *p) {
  while (p->t.kind != LEX_END && !is_punct(p, '{'))
    advance(p);
  while (p->t.kind != LEX_END && !is_punct(p, '}'))
    advance(p);
  accept(p, '}');
}

static bool parse_header(parser *p) {
  if (is_dot(p, "version")) {
    advance(p);
    char text[16] = "";
    size_t n = p->t.length < sizeof text - 1 ? p->t.length : sizeof text - 1;
    memcpy(text, p->t.text, n);
    char *rest;
    p->m->version_major = (uint32_t)strtoul(text, &rest, 10);
    p->m->version_minor = *rest == '.' ? (uint32_t)strtoul(rest + 1, NULL, 10) : 0;
    if (p->t.kind != LEX_FLOAT || p->m->version_major == 0)
      return error_at(p, &p->t, "expected a version such as 6.3");
    advance(p);
    return true;
  }
  if (is_dot(p, "target")) {
    advance(p);
    p->m->target = p->t.kind == LEX_WORD ? token_text(p) : NULL;
    do {
      if (p->t.kind != LEX_WORD)
        return error_at(p, &p->t, "expected a target such as sm_70");
      advance(p);
    } while (accept(p, ','));
    return true;
  }
  token at = p->t;
  advance(p);
  if (!parse_u32(p, &p->m->address_size))
    return false;
  if (p->m->address_size != 64)
    return error_at(p, &at, "only 64-bit addresses are supported: expected .address_size 64");
  return true;
}

static bool parse_top(parser *p) {
  const char *linkage = "";
  ptx_space space;
  ptx_var *v;
  if (is_dot(p, "version") || is_dot(p, "target") || is_dot(p, "address_size"))
    return parse_header(p);
  if (is_dot(p, "file"))
    return parse_file(p);
  if (is_dot(p, "section")) {
    skip_section(p);
    return true;
  }
  if (is_dot(p, "pragma")) {
    skip_statement(p);
    return true;
  }
  if (is_dot(p, "loc"))
    return parse_loc(p);
  while (is_dot(p, "visible") || is_dot(p, "extern") || is_dot(p, "weak") || is_dot(p, "common")) {
    linkage = is_dot(p, "visible")  ? ".visible"
              : is_dot(p, "extern") ? ".extern"
              : is_dot(p, "weak")   ? ".weak"
                                    : ".common";
    advance(p);
  }
  if (is_dot(p, "entry") || is_dot(p, "func"))
    return parse_function(p, linkage);
  if (find_space(p, &space) && space != PTX_PARAM && space != PTX_LOCAL) {
    advance(p);
    return parse_var(p, space, linkage, false, &v);
  }
  return error_at(p, &p->t, "expected a declaration");
}

ptx_module *ptx_parse(const char *text, size_t bytes, const char *filename, diag *d) {
  (void)filename;
  ptx_module *m = calloc(1, sizeof *m);
  if (!m)
    abort();
  parser p = {.m = m, .d = d};
  p.module_scope = p.scope = scope_new(&p, NULL);
  lex_start(&p.lex, text, bytes);
  advance(&p);
  advance(&p);
  while (p.t.kind != LEX_END && diag_errors(d) < MAX_ERRORS) {
    p.scope = p.module_scope;
    p.f = NULL;
    p.depth = 0;
    if (accept(&p, ';'))
      continue;
    if (!parse_top(&p)) {
      uint32_t line = p.t.line, col = p.t.col;
      skip_statement(&p);
      if (p.t.line == line && p.t.col == col)
        advance(&p);
    }
  }
  if (!diag_errors(d) && m->version_major == 0)
    diag_error(d, 1, 1, "not a PTX file: .version is missing");
  if (diag_errors(d)) {
    ptx_free(m);
    return NULL;
  }
  return m;
}

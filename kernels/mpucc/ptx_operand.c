// SPDX-License-Identifier: Apache-2.0
// The PTX parser: tokens, numbers, operands.
#include <string.h>
#include "ptx_parse.h"

enum { MAX_ITEMS = 4096 };  // operands of a call, elements of a vector

// ---- tokens

void parse_advance(parser *p) {
  p->t = p->next;
  p->next = lex_next(&p->lex);
}

bool parse_error(parser *p, const token *t, const char *what) {
  if (t->kind == LEX_END)
    return diag_error(p->d, t->line, t->col, "%s before the end of the file", what);
  return diag_error(p->d, t->line, t->col, "%s, not '%s%.*s'", what, t->kind == LEX_DOT ? "." : "",
                    (int)(t->length > 40 ? 40 : t->length), t->text);
}

bool parse_is(const parser *p, char punct) {
  return p->t.kind == LEX_PUNCT && p->t.punct == punct;
}

bool parse_is_dot(const parser *p, const char *name) {
  return p->t.kind == LEX_DOT && p->t.length == strlen(name) &&
         memcmp(p->t.text, name, p->t.length) == 0;
}

bool parse_is_word(const token *t, const char *name) {
  return t->kind == LEX_WORD && t->length == strlen(name) && memcmp(t->text, name, t->length) == 0;
}

bool parse_accept(parser *p, char punct) {
  if (!parse_is(p, punct))
    return false;
  parse_advance(p);
  return true;
}

bool parse_expect(parser *p, char punct) {
  char what[] = "expected 'x'";
  what[10] = punct;
  return parse_accept(p, punct) || parse_error(p, &p->t, what);
}

const char *parse_text(parser *p) {
  return name_intern(p, p->t.text, p->t.length);
}

void parse_skip(parser *p) {
  while (p->t.kind != LEX_END && !parse_is(p, ';') &&
         !(p->t.first && (parse_is(p, '{') || parse_is(p, '}'))))
    parse_advance(p);
  parse_accept(p, ';');
}

bool parse_memory(parser *p) {
  if (p->m->arena_bytes <= PTX_MAX_MEMORY)
    return true;
  if (!p->full)
    diag_error(p->d, p->t.line, p->t.col, "the program is too large");
  p->full = true;
  return false;
}

// ---- numbers

bool parse_int(parser *p, int64_t *value) {
  bool negative = false;
  token at = p->t;
  while (parse_is(p, '-') || parse_is(p, '+')) {
    negative ^= parse_is(p, '-');
    parse_advance(p);
  }
  if (parse_is_word(&p->t, "WARP_SZ")) {
    *value = negative ? -32 : 32;
    parse_advance(p);
    return true;
  }
  if (p->t.kind != LEX_INT)
    return parse_error(p, &p->t, "expected a whole number");
  uint64_t v = p->t.value;
  if (p->t.huge || (negative && v > 1ull << 63))
    return diag_error(p->d, at.line, at.col, "the number needs more than 64 bits");
  *value = (int64_t)(negative ? 0 - v : v);
  parse_advance(p);
  return true;
}

bool parse_u32(parser *p, uint32_t *value) {
  int64_t v;
  token at = p->t;
  if (!parse_int(p, &v))
    return false;
  if (v < 0 || v > UINT32_MAX)
    return parse_error(p, &at, "expected a number from 0 to 4294967295");
  *value = (uint32_t)v;
  return true;
}

bool parse_float(parser *p, ptx_operand *o, bool negative) {
  if (p->t.huge)
    return parse_error(p, &p->t, "expected a number in the range of double");
  o->kind = PTX_FLOAT;
  o->bits = p->t.bits;
  o->width = p->t.width;
  if (negative)
    o->bits ^= o->width == 32 ? 1ull << 31 : 1ull << 63;
  parse_advance(p);
  return true;
}

// ---- operands

static bool parse_items(parser *p, ptx_operand *o, char close) {
  uint32_t capacity = 0;
  if (parse_accept(p, close))
    return true;
  if (++p->depth > PARSE_MAX_DEPTH)
    return parse_error(p, &p->t, "nested too deeply");
  do {
    ptx_operand item;
    if (o->count == MAX_ITEMS)
      return parse_error(p, &p->t, "too many operands");
    if (!parse_memory(p) || !parse_operand(p, &item))
      return false;
    o->items = ptx_grow(p->m, o->items, o->count, &capacity, sizeof *o->items);
    o->items[o->count++] = item;
  } while (parse_accept(p, ','));
  p->depth--;
  return parse_expect(p, close);
}

// Special registers: with components .x .y .z .w, with a number below `count` behind the name, or
// plain ones.
static const struct {
  const char *name;
  bool vector;
  unsigned count;
} special[] = {{"tid", true, 0},
               {"ntid", true, 0},
               {"ctaid", true, 0},
               {"nctaid", true, 0},
               {"clusterid", true, 0},
               {"nclusterid", true, 0},
               {"cluster_ctaid", true, 0},
               {"cluster_nctaid", true, 0},
               {"laneid", false, 0},
               {"warpid", false, 0},
               {"nwarpid", false, 0},
               {"smid", false, 0},
               {"nsmid", false, 0},
               {"gridid", false, 0},
               {"lanemask_eq", false, 0},
               {"lanemask_le", false, 0},
               {"lanemask_lt", false, 0},
               {"lanemask_ge", false, 0},
               {"lanemask_gt", false, 0},
               {"clock", false, 0},
               {"clock_hi", false, 0},
               {"clock64", false, 0},
               {"globaltimer", false, 0},
               {"globaltimer_lo", false, 0},
               {"globaltimer_hi", false, 0},
               {"total_smem_size", false, 0},
               {"aggr_smem_size", false, 0},
               {"dynamic_smem_size", false, 0},
               {"cluster_ctarank", false, 0},
               {"cluster_nctarank", false, 0},
               {"is_explicit_cluster", false, 0},
               {"stack_base", false, 0},  // not of PTX: where ptx_stack.c begins
               {"current_graph_exec", false, 0},
               {"reserved_smem_offset_begin", false, 0},
               {"reserved_smem_offset_end", false, 0},
               {"reserved_smem_offset_cap", false, 0},
               {"reserved_smem_offset_", false, 2},
               {"pm", false, 8},
               {"envreg", false, 32}};

static bool matches(unsigned k, const char *name, size_t length) {
  size_t head = strlen(special[k].name);
  if (length < head || memcmp(name, special[k].name, head) != 0)
    return false;
  if (special[k].count == 0)
    return length == head;
  unsigned index = 0;
  size_t n = head;
  while (n < length && n < head + 2 && name[n] >= '0' && name[n] <= '9')
    index = index * 10 + (unsigned)(name[n++] - '0');
  return n > head && index < special[k].count &&
         (n == length || (length == n + 3 && memcmp(name + n, "_64", 3) == 0));
}

// The current token is a name with % that was not declared.
static bool parse_special(parser *p, ptx_operand *o) {
  token at = p->t;
  const char *name = at.text + 1;
  size_t length = at.length - 1, k = 0, count = sizeof special / sizeof *special;
  while (k < count && !matches((unsigned)k, name, length))
    k++;
  if (k == count)
    return diag_error(p->d, at.line, at.col, "'%.*s' is not declared",
                      (int)(at.length > 40 ? 40 : at.length), at.text);
  o->kind = PTX_SREG;
  parse_advance(p);
  if (!special[k].vector) {
    o->name = name_intern(p, name, length);
    return true;
  }
  if (p->t.kind != LEX_DOT || !p->t.glued || p->t.length != 1 || !strchr("xyzw", *p->t.text))
    return parse_error(p, &p->t, "expected .x, .y, .z or .w");
  o->name = name_intern(p, name, length + 2);
  parse_advance(p);
  return true;
}

static bool parse_name(parser *p, ptx_operand *o) {
  if (p->t.length == 1 && *p->t.text == '_') {
    o->kind = PTX_SINK;
    parse_advance(p);
    return true;
  }
  if (parse_is_word(&p->t, "WARP_SZ")) {
    o->kind = PTX_INT;
    return parse_int(p, &o->value);
  }
  symbol *y = name_lookup(p, p->scope, p->t.text, p->t.length);
  if (y && y->kind == SYM_STRING)
    y = NULL;
  if (!y && *p->t.text == '%')
    return parse_special(p, o);
  o->name = y ? y->name : parse_text(p);
  parse_advance(p);
  if (!y) {
    // A label or function further down: looked up from here at the end of the function.
    o->kind = PTX_NAME;
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
    case SYM_TABLE:
      o->kind = PTX_NAME;
      o->name = y->pointer;
      return true;
    default:
      break;
  }
  o->kind = PTX_VAR;
  o->var = y->pointer;
  if (parse_is(p, '+') || parse_is(p, '-'))
    return parse_int(p, &o->value);
  return true;
}

static bool parse_address(parser *p, ptx_operand *o) {
  o->kind = PTX_ADDR;
  if (p->t.kind == LEX_WORD && !parse_is_word(&p->t, "WARP_SZ")) {
    ptx_operand base = {0};
    token at = p->t;
    if (!parse_name(p, &base))
      return false;
    o->value = base.value;
    o->name = base.name;
    if (base.kind == PTX_REG) {
      o->reg = base.reg;
      o->has_reg = true;
      if ((parse_is(p, '+') || parse_is(p, '-')) && !parse_int(p, &o->value))
        return false;
    } else if (base.kind == PTX_VAR) {
      o->var = base.var;
    } else {
      return diag_error(p->d, at.line, at.col, "'%.*s' is not a register or variable",
                        (int)(at.length > 40 ? 40 : at.length), at.text);
    }
  } else if (!parse_int(p, &o->value)) {
    return false;
  }
  if (parse_accept(p, ',')) {  // coordinates of a texture: kept as an item
    if (++p->depth > PARSE_MAX_DEPTH)
      return parse_error(p, &p->t, "nested too deeply");
    o->items = ptx_alloc(p->m, sizeof *o->items);
    o->count = 1;
    if (!parse_operand(p, o->items))
      return false;
    p->depth--;
  }
  return parse_expect(p, ']');
}

bool parse_operand(parser *p, ptx_operand *o) {
  *o = (ptx_operand){.line = p->t.line, .col = p->t.col};
  if (parse_accept(p, '!')) {
    o->negated = true;
    if (p->t.kind != LEX_WORD)
      return parse_error(p, &p->t, "expected a predicate");
  }
  if (parse_accept(p, '['))
    return parse_address(p, o);
  if (parse_accept(p, '{')) {
    o->kind = PTX_VEC;
    return parse_items(p, o, '}');
  }
  if (parse_accept(p, '(')) {
    o->kind = PTX_LIST;
    return parse_items(p, o, ')');
  }
  if (parse_is(p, '-') && p->next.kind == LEX_FLOAT) {
    parse_advance(p);
    return parse_float(p, o, true);
  }
  if (p->t.kind == LEX_FLOAT)
    return parse_float(p, o, false);
  if (p->t.kind == LEX_WORD)
    return parse_name(p, o);
  if (p->t.kind == LEX_INT || parse_is(p, '-') || parse_is(p, '+')) {
    o->kind = PTX_INT;
    return parse_int(p, &o->value);
  }
  return parse_error(p, &p->t, "expected an operand");
}

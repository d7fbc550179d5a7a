// SPDX-License-Identifier: Apache-2.0
// The PTX parser: registers, variables, initial values.
#include <string.h>
#include "ptx_parse.h"

enum { MAX_INIT = 64 << 20, MAX_DIMS = 16 };
static const uint64_t max_bytes = 1ull << 40;

static bool parse_type(parser *p, ptx_type *type) {
  char name[16];
  if (p->t.kind == LEX_DOT && p->t.length < sizeof name) {
    memcpy(name, p->t.text, p->t.length);
    name[p->t.length] = 0;
    if (ptx_type_find(name, type)) {
      parse_advance(p);
      return true;
    }
  }
  return parse_error(p, &p->t, "expected a type");
}

bool parse_regs(parser *p) {
  ptx_type type;
  parse_advance(p);
  if (parse_is_dot(p, "v2") || parse_is_dot(p, "v4"))
    return parse_error(p, &p->t, "vector registers are not supported: expected a scalar type");
  if (!parse_type(p, &type))
    return false;
  do {
    if (p->t.kind != LEX_WORD)
      return parse_error(p, &p->t, "expected the name of a register");
    token at = p->t;
    const char *name = parse_text(p);
    uint32_t count;
    parse_advance(p);
    if (parse_accept(p, '<')) {
      if (!parse_u32(p, &count) || !parse_expect(p, '>') ||
          !name_declare_range(p, &at, name, count, type))
        return false;
    } else if (!parse_memory(p) || !name_declare(p, &at, name, SYM_REG, p->f->reg_count, NULL)) {
      return false;
    } else {
      ptx_reg_add(p->m, p->f, name, type);
    }
  } while (parse_accept(p, ','));
  return parse_expect(p, ';');
}

bool parse_space(const parser *p, ptx_space *space) {
  for (int n = PTX_GLOBAL; n < PTX_SPACES; n++)
    if (parse_is_dot(p, ptx_space_name((ptx_space)n))) {
      *space = (ptx_space)n;
      return true;
    }
  return false;
}

// ---- initial values

typedef struct filler {
  ptx_var *v;
  unsigned element;           // bytes
  uint64_t dims[MAX_DIMS];    // the first is 0 for `[]`
  uint64_t stride[MAX_DIMS];  // bytes of one element of the dimension
  unsigned dim_count;
  uint64_t capacity;  // of v->init
  ptx_init **tail;
} filler;

static bool fill_room(parser *p, filler *fl, uint64_t end) {
  ptx_var *v = fl->v;
  if (end <= fl->capacity)
    return true;
  uint64_t capacity = v->bytes ? v->bytes : 2 * end + 64;
  if (capacity > MAX_INIT || p->init_bytes + capacity > MAX_INIT)
    return diag_error(p->d, v->line, v->col, "the initialised variable is too large");
  p->init_bytes += capacity;
  uint8_t *made = ptx_alloc(p->m, (size_t)capacity);
  if (fl->capacity)
    memcpy(made, v->init, (size_t)fl->capacity);
  v->init = made;
  fl->capacity = capacity;
  return true;
}

static void store_bits(filler *fl, uint64_t at, uint64_t bits) {
  for (unsigned n = 0; n < fl->element && n < 8; n++)
    fl->v->init[at + n] = (uint8_t)(bits >> 8 * n);
}

static void store_number(filler *fl, uint64_t at, double value) {
  float single = (float)value;
  uint64_t bits = 0;
  if (fl->element == 4)
    memcpy(&bits, &single, sizeof single);
  else
    memcpy(&bits, &value, sizeof value);
  store_bits(fl, at, bits);
}

static bool fill_float(parser *p, filler *fl, uint64_t at, bool negative) {
  ptx_operand o;
  token t = p->t;
  if (!parse_float(p, &o, negative))
    return false;
  if (fl->element != 4 && fl->element != 8)
    return parse_error(p, &t, "expected a whole number");
  if (o.width == 8 * fl->element) {
    store_bits(fl, at, o.bits);
  } else if (o.width == 32) {
    float single;
    memcpy(&single, &o.bits, sizeof single);
    store_number(fl, at, (double)single);
  } else {
    double value;
    memcpy(&value, &o.bits, sizeof value);
    store_number(fl, at, value);
  }
  return true;
}

static bool fill_int(parser *p, filler *fl, uint64_t at) {
  int64_t value;
  token t = p->t;
  bool is_signed = parse_is(p, '-');
  if (!parse_int(p, &value))
    return false;
  if (fl->v->type == PTX_F32 || fl->v->type == PTX_F64) {
    store_number(fl, at, (double)value);
    return true;
  }
  unsigned bits = 8 * fl->element;
  if (bits < 64 && (value >= (int64_t)1 << bits || value < -((int64_t)1 << (bits - 1))))
    return diag_error(p->d, t.line, t.col, "the number does not fit .%s",
                      ptx_type_name(fl->v->type));
  store_bits(fl, at, (uint64_t)value);
  for (unsigned n = 8; n < fl->element; n++)
    fl->v->init[at + n] = is_signed && value < 0 ? 0xff : 0;
  return true;
}

// sym, sym+8, generic(sym), generic(sym)+8, generic(sym+8)
static bool parse_init_address(parser *p, ptx_init *r) {
  r->generic = parse_is_word(&p->t, "generic");
  if (r->generic) {
    parse_advance(p);
    if (!parse_expect(p, '('))
      return false;
  }
  symbol *y = p->t.kind == LEX_WORD ? name_find(p, p->module_scope, p->t.text, p->t.length) : NULL;
  if (p->f && p->t.kind == LEX_WORD)
    y = name_lookup(p, p->scope, p->t.text, p->t.length);
  if (!y || (y->kind != SYM_VAR && y->kind != SYM_FUNC))
    return parse_error(p, &p->t, "expected a number or a variable or function that was declared");
  if (y->kind == SYM_VAR)
    r->var = y->pointer;
  else
    r->func = y->pointer;
  parse_advance(p);
  if ((parse_is(p, '+') || parse_is(p, '-')) && !parse_int(p, &r->addend))
    return false;
  if (!r->generic)
    return true;
  if (!parse_expect(p, ')'))
    return false;
  int64_t more = 0;
  if ((parse_is(p, '+') || parse_is(p, '-')) && !parse_int(p, &more))
    return false;
  r->addend = (int64_t)((uint64_t)r->addend + (uint64_t)more);
  return true;
}

static bool fill_address(parser *p, filler *fl, uint64_t at) {
  token t = p->t;
  ptx_init *r = ptx_alloc(p->m, sizeof *r);
  if (!parse_init_address(p, r))
    return false;
  if (fl->element != 8)
    return diag_error(p->d, t.line, t.col, "an address needs an element of 64 bits");
  r->offset = at;
  *fl->tail = r;
  fl->tail = &r->next;
  return true;
}

// Bytes of an address in packed structures: 0xFF(sym), 0xFF00(sym), ... make up eight elements.
static bool fill_masked(parser *p, filler *fl, uint64_t at, ptx_init **open) {
  token t = p->t;
  uint64_t mask = p->t.value;
  ptx_init *r = ptx_alloc(p->m, sizeof *r);
  parse_advance(p);
  parse_advance(p);
  if (!parse_init_address(p, r) || !parse_expect(p, ')'))
    return false;
  if (mask == 0xff && fl->element == 1) {
    r->offset = at;
    *fl->tail = *open = r;
    fl->tail = &r->next;
    return true;
  }
  const ptx_init *o = *open;
  uint64_t n = o ? at - o->offset : 8;
  if (fl->element != 1 || n == 0 || n > 7 || mask != 0xffull << 8 * n || o->var != r->var ||
      o->func != r->func || o->addend != r->addend || o->generic != r->generic)
    return diag_error(p->d, t.line, t.col, "expected the bytes of an address one after the other");
  return true;
}

static bool fill_value(parser *p, filler *fl, uint64_t at, ptx_init **open) {
  if (p->t.kind == LEX_INT && p->next.kind == LEX_PUNCT && p->next.punct == '(')
    return fill_masked(p, fl, at, open);
  if (parse_is(p, '-') && p->next.kind == LEX_FLOAT) {
    parse_advance(p);
    return fill_float(p, fl, at, true);
  }
  if (p->t.kind == LEX_FLOAT)
    return fill_float(p, fl, at, false);
  if (p->t.kind == LEX_WORD && !parse_is_word(&p->t, "WARP_SZ"))
    return fill_address(p, fl, at);
  return fill_int(p, fl, at);
}

// The values of one element of dimension level - 1, from byte `at` on. *end: behind the last one.
static bool fill_list(parser *p, filler *fl, unsigned level, uint64_t at, uint64_t *end) {
  uint64_t stride = fl->stride[level], start = at;
  uint64_t limit = fl->dims[level] ? at + fl->dims[level] * stride : max_bytes;
  ptx_init *open = NULL;
  if (!parse_expect(p, '{'))
    return false;
  if (!parse_is(p, '}'))
    do {
      bool nested = parse_is(p, '{');
      if (nested && level + 1 == fl->dim_count)
        return parse_error(p, &p->t, "expected a value");
      if (nested)  // a row begins
        at = start + (at - start + stride - 1) / stride * stride;
      uint64_t next = at + (nested ? stride : fl->element);
      if (next > limit)
        return parse_error(p, &p->t, "more initial values than elements: expected '}'");
      uint64_t inner = at;
      if (!fill_room(p, fl, next) || !parse_memory(p) ||
          !(nested ? fill_list(p, fl, level + 1, at, &inner) : fill_value(p, fl, at, &open)))
        return false;
      at = next;
    } while (parse_accept(p, ','));
  *end = at;
  return parse_expect(p, '}');
}

static bool parse_init(parser *p, filler *fl) {
  ptx_var *v = fl->v;
  uint64_t end = 0, stride = fl->element;
  ptx_init *open = NULL;
  fl->tail = &v->relocs;
  for (unsigned n = fl->dim_count; n-- > 0; stride *= fl->dims[n])
    fl->stride[n] = stride;
  if (fl->dim_count == 0) {
    bool braced = parse_accept(p, '{');
    return fill_room(p, fl, fl->element) && fill_value(p, fl, 0, &open) &&
           (!braced || parse_expect(p, '}'));
  }
  token at = p->t;
  if (!fill_list(p, fl, 0, 0, &end))
    return false;
  if (fl->dims[0] == 0) {
    v->bytes = (end + fl->stride[0] - 1) / fl->stride[0] * fl->stride[0];
    if (v->bytes == 0)
      return parse_error(p, &at, "expected values for an array without a size");
  }
  return fill_room(p, fl, v->bytes);
}

// ---- variables

static bool parse_dims(parser *p, filler *fl, unsigned vector) {
  uint64_t elements = 1;
  while (parse_is(p, '[')) {
    int64_t n = 0;
    parse_advance(p);
    token at = p->t;
    if (fl->dim_count + 1 == MAX_DIMS)
      return parse_error(p, &at, "too many dimensions");
    if (parse_is(p, ']') && fl->dim_count)
      return parse_error(p, &at, "expected a size: only the first one may be missing");
    if (!parse_is(p, ']')) {
      if (!parse_int(p, &n))
        return false;
      if (n < 0)
        return parse_error(p, &at, "expected a size");
      if (n == 0 && fl->dim_count)
        return parse_error(p, &at, "expected a size above 0");
      if (n && elements > max_bytes / (uint64_t)n / 64)
        return diag_error(p->d, at.line, at.col, "the array is too large");
    }
    if (!parse_expect(p, ']'))
      return false;
    if (n)
      elements *= (uint64_t)n;
    fl->dims[fl->dim_count++] = (uint64_t)n;
  }
  if (vector != 1)
    fl->dims[fl->dim_count++] = vector;
  fl->v->is_array = fl->dim_count != 0;
  fl->v->bytes = fl->dim_count && fl->dims[0] == 0 ? 0 : elements * vector * fl->element;
  return true;
}

static bool parse_align(parser *p, uint32_t *align) {
  parse_advance(p);
  token at = p->t;
  if (!parse_u32(p, align))
    return false;
  if (*align == 0 || (*align & (*align - 1)) || *align > 4096)
    return parse_error(p, &at, "the alignment must be a power of two up to 4096");
  return true;
}

// In front of the type and behind it.
static bool parse_attributes(parser *p, uint32_t *align, unsigned *vector) {
  for (;;) {
    if (parse_is_dot(p, "align")) {
      if (!parse_align(p, align))
        return false;
    } else if (parse_is_dot(p, "v2") || parse_is_dot(p, "v4")) {
      *vector = parse_is_dot(p, "v2") ? 2 : 4;
      parse_advance(p);
    } else if (parse_is_dot(p, "attribute")) {
      parse_advance(p);
      if (!parse_expect(p, '('))
        return false;
      while (p->t.kind != LEX_END && !parse_is(p, ')') && !parse_is(p, ';'))
        parse_advance(p);
      if (!parse_expect(p, ')'))
        return false;
    } else {
      return true;
    }
  }
}

static bool parse_pointer_attributes(parser *p) {
  uint32_t ignored;
  if (!parse_is_dot(p, "ptr"))
    return true;
  parse_advance(p);
  while (parse_is_dot(p, "global") || parse_is_dot(p, "shared") || parse_is_dot(p, "const") ||
         parse_is_dot(p, "local"))
    parse_advance(p);
  return !parse_is_dot(p, "align") || parse_align(p, &ignored);
}

// Makes the name mean the variable. A definition takes the place of its declaration, so that
// what has been parsed means it, too.
static bool declare_var(parser *p, const token *at, ptx_var *v, bool is_param, ptx_var **made) {
  symbol *before = name_find(p, p->scope, v->name, strlen(v->name));
  ptx_var *old = before && before->kind == SYM_VAR ? before->pointer : NULL;
  *made = old ? old : v;
  if (old && old->space == v->space && (old->is_extern || v->is_extern)) {
    if (!v->is_extern)
      *old = *v;
    return true;
  }
  if (!name_declare(p, at, v->name, SYM_VAR, 0, v))
    return false;
  *made = v;
  if (is_param)
    return true;
  bool hoist = p->f && (v->space == PTX_GLOBAL || v->space == PTX_CONST);
  if (hoist)
    v->name = name_unique(p, p->module_scope, v->name);
  ptx_var_add(p->m, hoist ? NULL : p->f, v);
  return true;
}

// A reference to a texture or surface: memory for what the runtime writes there, and kernels read
// with loads (docs/textures.md).
enum { REFERENCE_BYTES = 128, REFERENCE_ALIGN = 16 };
static bool parse_reference(parser *p) {
  const bool is = parse_is_dot(p, "texref") || parse_is_dot(p, "surfref");
  if (is)
    parse_advance(p);
  return is;
}

// What clang lists for its own linker when device code is relocatable: nothing reads it.
static bool is_list_of_clang(const parser *p, const ptx_var *v) {
  return !p->f && strcmp(v->name, "__clang_gpu_used_external") == 0;
}

bool parse_var(parser *p, ptx_space space, const char *linkage, bool is_param, ptx_var **made) {
  uint32_t align = 0;
  unsigned vector = 1;
  ptx_type type;
  if (!parse_attributes(p, &align, &vector))
    return false;
  const bool reference = space == PTX_GLOBAL && !is_param && parse_reference(p);
  if (reference)
    type = PTX_B8, align = REFERENCE_ALIGN;
  else if (!parse_type(p, &type))
    return false;
  if (type == PTX_PRED)
    return diag_error(p->d, p->t.line, p->t.col, "a predicate cannot be in memory");
  if (!parse_pointer_attributes(p))
    return false;
  do {
    if (p->t.kind != LEX_WORD)
      return parse_error(p, &p->t, "expected a name");
    token at = p->t;
    ptx_var *v = ptx_alloc(p->m, sizeof *v);
    filler fl = {.v = v, .element = ptx_type_bytes(type)};
    *v = (ptx_var){.name = parse_text(p),
                   .space = space,
                   .type = type,
                   .linkage = linkage,
                   .line = at.line,
                   .col = at.col};
    v->is_extern = strcmp(linkage, ".extern") == 0;
    v->align = align ? align : fl.element * vector;
    parse_advance(p);
    if (is_list_of_clang(p, v)) {
      parse_skip(p);
      return true;
    }
    if (parse_is(p, '<'))
      return parse_error(p, &p->t, "ranges of variables are not supported: expected one name");
    if (!parse_dims(p, &fl, vector))
      return false;
    if (reference)
      v->is_reference = v->is_array = true, v->bytes *= REFERENCE_BYTES;
    if (!parse_memory(p) || !declare_var(p, &at, v, is_param, made))
      return false;
    bool may =
        !is_param && !reference && !v->is_extern && (space == PTX_GLOBAL || space == PTX_CONST);
    fl.v = *made;
    if (may && parse_accept(p, '=') && !parse_init(p, &fl))
      return false;
  } while (!is_param && parse_accept(p, ','));
  return is_param || parse_expect(p, ';');
}

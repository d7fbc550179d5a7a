// SPDX-License-Identifier: Apache-2.0
#include "inst_text.h"

#include <ctype.h>
#include <string.h>

// ---- writing

void inst_print_reg(FILE *f, const void *context, isa_reg r) {
  (void)context;
  unsigned part = ISA_REG_PART(r);
  if (r == ISA_RZ)
    fputs("rz", f);
  else if (!ISA_REG_IS_VIRTUAL(r))
    fprintf(f, "r%u", r);
  else if (part == 0)
    fprintf(f, "v%u", ISA_REG_ID(r));
  else
    fprintf(f, "v%u.%c%u", ISA_REG_ID(r), part <= 4 ? 'w' : 'p', part <= 4 ? part - 1 : part - 5);
}

void inst_print_pred(FILE *f, const void *context, isa_reg p) {
  (void)context;
  if (p == ISA_PT)
    fputs("pt", f);
  else
    fprintf(f, "%c%u", ISA_REG_IS_VIRTUAL(p) ? 'q' : 'p', ISA_REG_ID(p));
}

static void print_dotted(FILE *f, const char *name) {
  if (name && *name)
    fprintf(f, ".%s", name);
}

static const char *fn_name(unsigned op, unsigned fn) {
  uint32_t flags = isa_ops[op].flags;
  return flags & ISA_F_RND   ? isa_rnd_name(fn)
         : flags & ISA_F_CMP ? isa_cmp_name(fn)
         : flags & ISA_F_SUB ? isa_sub_name(op, fn)
                             : NULL;
}

static const char *const bool_names[] = {"", "and", "or", "xor"};
static const char *const hint_names[] = {"", "near", "far"};

static void print_op(FILE *f, const isa_inst *i) {
  fputs(isa_ops[i->op].name, f);
  print_dotted(f, fn_name(i->op, i->fn));
  print_dotted(f, bool_names[i->boolop]);
  print_dotted(f, i->ftz ? "ftz" : NULL);
  print_dotted(f, i->sat ? "sat" : NULL);
  if (isa_ops[i->op].flags & ISA_F_SPACE)
    print_dotted(f, isa_space_name(i->space));
  print_dotted(f, isa_order_name(i->order));
  print_dotted(f, isa_scope_name(i->scope));
  print_dotted(f, isa_types[i->type].name);
  print_dotted(f, isa_types[i->type2].name);
  print_dotted(f, hint_names[i->hint]);
}

static void print_address(FILE *f, const isa_inst *i, const inst_names *n) {
  int32_t offset = (int32_t)i->imm;
  putc('[', f);
  n->reg(f, n->context, i->a);
  if (offset)
    fprintf(f, "%c%lld", offset < 0 ? '-' : '+', offset < 0 ? -(long long)offset : offset);
  putc(']', f);
}

void inst_print(FILE *f, const isa_inst *i, const inst_names *n) {
  uint32_t flags = isa_ops[i->op].flags;
  const isa_reg regs[4] = {i->d, i->a, i->b, i->c};
  const char *comma = " ";
  if (i->guard != ISA_PT || i->guard_neg) {
    fputs(i->guard_neg ? "@!" : "@", f);
    n->pred(f, n->context, i->guard);
    putc(' ', f);
  }
  print_op(f, i);
  for (unsigned o = 0; o < 4; o++) {
    if (isa_words(i, o)) {
      fputs(comma, f);
      comma = ", ";
      if (o == 1 && flags & ISA_F_OFFSET)
        print_address(f, i, n);
      else if (o && i->imm_at == o)
        fprintf(f, "0x%x", i->imm);
      else
        n->reg(f, n->context, regs[o]);
    }
    if (o == 0 && flags & (ISA_F_PD | ISA_F_PQ)) {
      fputs(comma, f);
      comma = ", ";
      n->pred(f, n->context, i->pd);
      if (flags & ISA_F_PQ && i->pq != ISA_PT) {
        putc('|', f);
        n->pred(f, n->context, i->pq);
      }
    }
  }
  if (flags & ISA_F_PS) {
    fprintf(f, "%s%s", comma, i->ps_neg ? "!" : "");
    comma = ", ";
    n->pred(f, n->context, i->ps);
  }
  if (flags & ISA_F_PS2) {
    fprintf(f, "%s%s", comma, i->ps2_neg ? "!" : "");
    n->pred(f, n->context, i->pq);
  }
  if (flags & ISA_F_LUT)
    fprintf(f, "%s0x%x", comma, i->imm);
  if (flags & ISA_F_TARGET) {
    fputs(comma, f);
    n->target(f, n->context, i->imm);
  }
}

// ---- reading

void inst_skip_blanks(inst_cursor *c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
    c->at++;
}

static bool fail(inst_cursor *c, const char *why) {
  c->why = why;
  return false;
}

static bool take(inst_cursor *c, char ch) {
  inst_skip_blanks(c);
  if (c->at == c->end || *c->at != ch)
    return false;
  c->at++;
  return true;
}

bool inst_read_number(inst_cursor *c, int64_t *value) {
  inst_skip_blanks(c);
  const char *was = c->at;
  bool negative = take(c, '-');
  unsigned base = 10, digits = 0;
  uint64_t v = 0;
  if (c->end - c->at > 2 && c->at[0] == '0' && c->at[1] == 'x') {
    base = 16;
    c->at += 2;
  }
  for (; c->at < c->end && isxdigit((unsigned char)*c->at); c->at++, digits++) {
    unsigned d = (unsigned)(*c->at <= '9' ? *c->at - '0' : (*c->at | 32) - 'a' + 10);
    if (d >= base || v > (UINT64_MAX >> 1) / base - base)
      break;
    v = v * base + d;
  }
  if (!digits) {
    c->at = was;
    return fail(c, "expected a number");
  }
  *value = negative ? -(int64_t)v : (int64_t)v;
  return true;
}

static bool is_name_end(const inst_cursor *c, const char *at) {
  return at == c->end || *at == '.' || *at == ' ' || *at == '\t';
}

// Takes `.name` when it stands here as a whole; an empty name is always here.
static bool take_dotted(inst_cursor *c, const char *name) {
  size_t n = strlen(name);
  if (n == 0)
    return true;
  if ((size_t)(c->end - c->at) < n + 1 || *c->at != '.' || memcmp(c->at + 1, name, n) != 0 ||
      !is_name_end(c, c->at + 1 + n))
    return false;
  c->at += n + 1;
  return true;
}

// The longest of the names 0, 1, ... below `count` that stands here; `missing` if none does.
static uint8_t take_longest(inst_cursor *c, const char *(*name)(unsigned op, unsigned n),
                            unsigned op, unsigned count, uint8_t missing) {
  const char *at = c->at, *best_at = NULL;
  uint8_t best = missing;
  for (unsigned n = 0; n < count; n++) {
    const char *s = name(op, n);
    c->at = at;
    if (s && take_dotted(c, s) && (!best_at || c->at > best_at)) {
      best_at = c->at;
      best = (uint8_t)n;
    }
  }
  c->at = best_at ? best_at : at;
  return best;
}

static const char *name_bool(unsigned op, unsigned n) {
  (void)op;
  return bool_names[n];
}
static const char *name_hint(unsigned op, unsigned n) {
  (void)op;
  return hint_names[n];
}
static const char *name_space(unsigned op, unsigned n) {
  (void)op;
  return isa_space_name(n);
}
static const char *name_order(unsigned op, unsigned n) {
  (void)op;
  return isa_order_name(n);
}
static const char *name_scope(unsigned op, unsigned n) {
  (void)op;
  return isa_scope_name(n);
}
static const char *name_type(unsigned op, unsigned n) {
  (void)op;
  return isa_types[n].name;
}

static bool read_op(inst_cursor *c, isa_inst *i) {
  unsigned op = 0;
  inst_skip_blanks(c);
  const char *start = c->at;
  while (!is_name_end(c, c->at))
    c->at++;
  size_t n = (size_t)(c->at - start);
  while (op < ISA_OPS && !(isa_ops[op].name && strlen(isa_ops[op].name) == n &&
                           memcmp(isa_ops[op].name, start, n) == 0))
    op++;
  if (op == ISA_OPS) {
    c->at = start;
    return fail(c, "unknown opcode");
  }
  *i = isa_inst_new(op, ISA_TYPE_NONE);
  uint32_t flags = isa_ops[op].flags;
  if (flags & (ISA_F_RND | ISA_F_CMP | ISA_F_SUB)) {
    i->fn = take_longest(c, fn_name, op, 32, 255);
    if (i->fn == 255)
      return fail(c, "expected a rounding, comparison or sub-operation");
  }
  if (flags & ISA_F_BOOL)
    i->boolop = take_longest(c, name_bool, op, 4, 0);
  i->ftz = take_dotted(c, "ftz");
  i->sat = take_dotted(c, "sat");
  if (flags & ISA_F_SPACE)
    i->space = take_longest(c, name_space, op, ISA_SPACES, 0);
  if (flags & ISA_F_ORDER) {
    i->order = take_longest(c, name_order, op, ISA_ORDERS, 0);
    i->scope = take_longest(c, name_scope, op, ISA_SCOPES, 0);
  }
  if (isa_ops[op].types)
    i->type = take_longest(c, name_type, op, ISA_TYPES, 0);
  if (isa_ops[op].types2)
    i->type2 = take_longest(c, name_type, op, ISA_TYPES, 0);
  i->hint = take_longest(c, name_hint, op, 3, 0);
  if (c->at < c->end && *c->at == '.')
    return fail(c, "the opcode has no such modifier");
  return true;
}

static bool read_reg(inst_cursor *c, isa_reg *r) {
  inst_cursor was = *c;
  int64_t id;
  if (take(c, 'r')) {
    if (c->at < c->end && *c->at == 'z') {
      c->at++;
      *r = ISA_RZ;
      return true;
    }
    if (c->at < c->end && isdigit((unsigned char)*c->at) && inst_read_number(c, &id) &&
        id < ISA_RZ) {
      *r = (isa_reg)id;
      return true;
    }
  } else if (take(c, 'v') && c->at < c->end && isdigit((unsigned char)*c->at) &&
             inst_read_number(c, &id) && id < 1 << 28) {
    *r = ISA_VREG(id);
    if (c->end - c->at < 3 || c->at[0] != '.')
      return true;
    char kind = c->at[1];
    unsigned n = (unsigned)(c->at[2] - '0');
    c->at += 3;
    if ((kind == 'w' && n < 4) || (kind == 'p' && n < 2)) {
      *r = kind == 'w' ? ISA_VREG_WORD(id, n) : ISA_VREG_PAIR(id, n);
      return true;
    }
  }
  *c = was;
  return fail(c, "expected a register");
}

static bool read_pred(inst_cursor *c, isa_reg *p) {
  inst_cursor was = *c;
  int64_t id;
  bool virtual = take(c, 'q');
  if (virtual || take(c, 'p')) {
    if (!virtual && c->at < c->end && *c->at == 't') {
      c->at++;
      *p = ISA_PT;
      return true;
    }
    if (c->at < c->end && isdigit((unsigned char)*c->at) && inst_read_number(c, &id) &&
        id < (virtual ? 1 << 28 : ISA_PT)) {
      *p = virtual ? ISA_VREG(id) : (isa_reg)id;
      return true;
    }
  }
  *c = was;
  return fail(c, "expected a predicate");
}

static bool read_immediate(inst_cursor *c, uint32_t *imm) {
  int64_t v;
  if (!inst_read_number(c, &v))
    return false;
  if (v < INT32_MIN || v > UINT32_MAX)
    return fail(c, "an immediate has 32 bits");
  *imm = (uint32_t)v;
  return true;
}

static bool read_address(inst_cursor *c, isa_inst *i) {
  if (!take(c, '['))
    return fail(c, "expected [");
  if (!read_reg(c, &i->a))
    return false;
  inst_skip_blanks(c);
  if (take(c, '+') || (c->at < c->end && *c->at == '-')) {
    if (!read_immediate(c, &i->imm))
      return false;
  }
  return take(c, ']') || fail(c, "expected ]");
}

static bool read_source(inst_cursor *c, isa_inst *i, unsigned o, isa_reg *r) {
  inst_skip_blanks(c);
  if (o && c->at < c->end && (*c->at == '-' || isdigit((unsigned char)*c->at))) {
    if (i->imm_at)
      return fail(c, "an instruction has one immediate");
    i->imm_at = (uint8_t)o;
    return read_immediate(c, &i->imm);
  }
  return read_reg(c, r);
}

static bool next_operand(inst_cursor *c, bool *first) {
  bool ok = *first || take(c, ',');
  *first = false;
  return ok || fail(c, "expected a comma and another operand");
}

static bool read_operands(inst_cursor *c, isa_inst *i, const char **target, size_t *target_bytes) {
  uint32_t flags = isa_ops[i->op].flags;
  isa_reg *regs[4] = {&i->d, &i->a, &i->b, &i->c};
  bool first = true;
  for (unsigned o = 0; o < 4; o++) {
    if (isa_words(i, o)) {
      if (!next_operand(c, &first) ||
          !(o == 1 && flags & ISA_F_OFFSET ? read_address(c, i) : read_source(c, i, o, regs[o])))
        return false;
    }
    if (o == 0 && flags & (ISA_F_PD | ISA_F_PQ)) {
      if (!next_operand(c, &first) || !read_pred(c, &i->pd) ||
          (flags & ISA_F_PQ && take(c, '|') && !read_pred(c, &i->pq)))
        return false;
    }
  }
  if (flags & ISA_F_PS) {
    if (!next_operand(c, &first))
      return false;
    i->ps_neg = take(c, '!');
    if (!read_pred(c, &i->ps))
      return false;
  }
  if (flags & ISA_F_PS2) {
    if (!next_operand(c, &first))
      return false;
    i->ps2_neg = take(c, '!');
    if (!read_pred(c, &i->pq))
      return false;
  }
  if (flags & ISA_F_LUT && (!next_operand(c, &first) || !read_immediate(c, &i->imm)))
    return false;
  if (flags & ISA_F_TARGET) {
    inst_skip_blanks(c);
    *target = c->at;
    while (c->at < c->end && *c->at != ' ' && *c->at != '\t' && *c->at != ';')
      c->at++;
    *target_bytes = (size_t)(c->at - *target);
    if (!*target_bytes)
      return fail(c, "expected a label");
  }
  return true;
}

bool inst_read(inst_cursor *c, isa_inst *i, const char **target, size_t *target_bytes) {
  isa_reg guard = ISA_PT;
  bool neg = false;
  *target = NULL;
  *target_bytes = 0;
  if (take(c, '@')) {
    neg = take(c, '!');
    if (!read_pred(c, &guard))
      return false;
  }
  if (!read_op(c, i))
    return false;
  i->guard = guard;
  i->guard_neg = neg;
  if (i->op != ISA_OP_NOP)
    return read_operands(c, i, target, target_bytes);
  return true;
}

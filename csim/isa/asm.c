// SPDX-License-Identifier: Apache-2.0
#include "asm.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- printing

typedef struct writer {
  char *to;
  size_t bytes, length;
  bool first;  // no operand yet
} writer;

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  bool room = w->length < w->bytes;
  int n = vsnprintf(room ? w->to + w->length : NULL, room ? w->bytes - w->length : 0, format, args);
  va_end(args);
  w->length += (size_t)n;
}

static void separate(writer *w) {
  put(w, w->first ? " " : ", ");
  w->first = false;
}

static void put_reg(writer *w, isa_reg r, unsigned words) {
  if (ISA_REG_IS_VIRTUAL(r)) {
    unsigned part = ISA_REG_PART(r);
    put(w, "%%v%u", ISA_REG_ID(r));
    if (part)
      put(w, part <= 4 ? ".w%u" : ".p%u", part <= 4 ? part - 1 : part - 5);
  } else if (r == ISA_RZ) {
    put(w, "rz");
  } else {
    put(w, "r%s%u", words == 4 ? "q" : words == 2 ? "d" : "", r);
  }
}

static void put_pred(writer *w, isa_reg p, bool negated) {
  if (negated)
    put(w, "!");
  if (ISA_REG_IS_VIRTUAL(p))
    put(w, "%%p%u", ISA_REG_ID(p));
  else if (p == ISA_PT)
    put(w, "pt");
  else
    put(w, "p%u", p);
}

static bool is_f32_operand(const isa_inst *i, unsigned operand) {
  unsigned width = isa_ops[i->op].width[operand];
  return (width == ISA_W_T && i->type == ISA_TYPE_F32) ||
         (width == ISA_W_T2 && i->type2 == ISA_TYPE_F32);
}

static void put_source(writer *w, const isa_inst *i, unsigned operand, isa_reg r) {
  separate(w);
  if (isa_ops[i->op].width[operand] == ISA_W_AD) {
    put(w, "[");
    put_reg(w, r, isa_words(i, operand));
    if (i->imm)
      put(w, "+%" PRId32, (int32_t)i->imm);
    put(w, "]");
  } else if (i->imm_at == operand) {
    if (is_f32_operand(i, operand))
      put(w, "0f%08" PRIx32, i->imm);
    else
      put(w, "%" PRId32, (int32_t)i->imm);
  } else {
    put_reg(w, r, isa_words(i, operand));
  }
}

static void put_target(writer *w, const asm_labels *labels, uint32_t target) {
  const char *name = labels && labels->name ? labels->name(labels->context, target) : NULL;
  separate(w);
  if (target == ISA_NO_RECONV)
    put(w, "none");
  else if (name)
    put(w, "%s", name);
  else
    put(w, "0x%" PRIx32, target);
}

static void dot(writer *w, const char *name) {
  if (name && *name)
    put(w, ".%s", name);
}

static void put_mnemonic(writer *w, const isa_inst *i, uint32_t flags) {
  static const char *const bools[] = {"", "and", "or", "xor"};
  put(w, "%s", isa_ops[i->op].name);
  if (flags & ISA_F_RND)
    dot(w, isa_rnd_name(i->fn));
  else if (flags & ISA_F_CMP)
    dot(w, isa_cmp_name(i->fn));
  else if ((flags & ISA_F_SUB) && i->op != ISA_OP_S2R)
    dot(w, isa_sub_name(i->op, i->fn));
  dot(w, bools[i->boolop & 3]);
  dot(w, isa_order_name(i->order));
  dot(w, isa_scope_name(i->scope));
  dot(w, isa_space_name(i->space));
  dot(w, i->ftz ? "ftz" : "");
  dot(w, i->sat ? "sat" : "");
  dot(w, isa_types[i->type].name);
  dot(w, isa_types[i->type2].name);
  static const char *const hints[ISA_HINTS] = {"", "N", "F", "FD"};
  dot(w, hints[i->hint]);
}

// Whether the predicate source is written: always where it is what the instruction is about.
static bool shows_ps(const isa_inst *i) {
  return i->op == ISA_OP_SELP || i->op == ISA_OP_PLOP || i->op == ISA_OP_VOTE || i->ps != ISA_PT ||
         i->ps_neg;
}

size_t asm_print(const isa_inst *i, const asm_labels *labels, char *to, size_t bytes) {
  writer w = {to, bytes, 0, true};
  const isa_op_info *o = &isa_ops[i->op];
  const isa_reg regs[4] = {i->d, i->a, i->b, i->c};
  if (bytes)
    to[0] = 0;
  if (!o->name) {
    put(&w, "?");
    return w.length;
  }
  if (i->guard != ISA_PT || i->guard_neg) {
    put(&w, "@");
    put_pred(&w, i->guard, i->guard_neg);
    put(&w, " ");
  }
  put_mnemonic(&w, i, o->flags);
  if (o->width[0] != ISA_W_NO) {
    separate(&w);
    put_reg(&w, i->d, isa_words(i, 0));
    if ((o->flags & ISA_F_PD) && i->pd != ISA_PT) {
      put(&w, "|");
      put_pred(&w, i->pd, false);
    }
  } else if (o->flags & ISA_F_PD) {
    separate(&w);
    put_pred(&w, i->pd, false);
    if ((o->flags & ISA_F_PQ) && i->pq != ISA_PT) {
      put(&w, "|");
      put_pred(&w, i->pq, false);
    }
  }
  for (unsigned operand = 1; operand < 4; operand++)
    if (isa_words(i, operand))
      put_source(&w, i, operand, regs[operand]);
  if (i->op == ISA_OP_S2R) {
    separate(&w);
    put(&w, "%s", isa_sub_name(i->op, i->fn));
  }
  if (o->flags & ISA_F_LUT) {
    separate(&w);
    put(&w, "0x%02" PRIx32, i->imm);
  }
  if ((o->flags & ISA_F_PS) && shows_ps(i)) {
    separate(&w);
    put_pred(&w, i->ps, i->ps_neg);
  }
  if (o->flags & ISA_F_PS2) {
    separate(&w);
    put_pred(&w, i->pq, i->ps2_neg);
  }
  if (o->flags & ISA_F_TARGET) {
    put_target(&w, labels, i->imm);
    put_target(&w, labels, i->reconv);
  }
  return w.length;
}

// ---- parsing

typedef struct reader {
  const char *start, *at, *end;
  const asm_labels *labels;
  char *why;
  size_t why_bytes;
} reader;

static bool fail(reader *r, const char *what) {
  snprintf(r->why, r->why_bytes, "%s", what);
  return false;
}

static void blank(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
    r->at++;
}

static bool accept(reader *r, char c) {
  blank(r);
  if (r->at == r->end || *r->at != c)
    return false;
  r->at++;
  return true;
}

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '%' || c == '$';
}

// A word of letters, digits and `dots` more characters; its length, 0 if there is none.
static size_t word(reader *r, const char **start, bool dots) {
  blank(r);
  *start = r->at;
  while (r->at < r->end && (is_word(*r->at) || (dots && *r->at == '.')))
    r->at++;
  return (size_t)(r->at - *start);
}

static bool is(const char *text, size_t length, const char *name) {
  return strlen(name) == length && memcmp(text, name, length) == 0;
}

static bool number(const char *text, size_t length, uint32_t *value) {
  uint64_t v = 0;
  if (length == 0 || length > 9)
    return false;
  for (size_t n = 0; n < length; n++) {
    if (text[n] < '0' || text[n] > '9')
      return false;
    v = v * 10 + (uint64_t)(text[n] - '0');
  }
  *value = (uint32_t)v;
  return true;
}

static bool parse_pred(reader *r, isa_reg *p, bool *negated) {
  const char *t;
  blank(r);
  const char *before = r->at;
  uint32_t n;
  *negated = accept(r, '!');
  size_t length = word(r, &t, false);
  if (is(t, length, "pt")) {
    *p = ISA_PT;
    return true;
  }
  if (length > 2 && t[0] == '%' && t[1] == 'p' && number(t + 2, length - 2, &n) && n <= 0xfffffff) {
    *p = ISA_VREG(n);
    return true;
  }
  if (length > 1 && t[0] == 'p' && number(t + 1, length - 1, &n) && n < ISA_PT) {
    *p = n;
    return true;
  }
  r->at = before;
  return fail(r, "expected a predicate");
}

static bool parse_reg(reader *r, isa_reg *reg, unsigned words) {
  blank(r);
  const char *t, *before = r->at;
  uint32_t n;
  size_t length = word(r, &t, true);
  if (is(t, length, "rz")) {
    *reg = ISA_RZ;
    return true;
  }
  if (length > 2 && t[0] == '%' && t[1] == 'v') {
    unsigned part = 0;
    if (length > 5 && t[length - 3] == '.' && (t[length - 2] == 'w' || t[length - 2] == 'p')) {
      unsigned max = t[length - 2] == 'w' ? 4 : 2;
      unsigned k = (unsigned)(t[length - 1] - '0');
      if (k >= max) {
        r->at = before;
        return fail(r, "a register has words w0 to w3 and pairs p0 and p1");
      }
      part = t[length - 2] == 'w' ? k + 1 : k + 5;
      length -= 3;
    }
    if (number(t + 2, length - 2, &n) && n <= 0xfffffff) {
      *reg = ISA_VIRTUAL | part << 28 | n;
      return true;
    }
  }
  const char *prefix = words == 4 ? "rq" : words == 2 ? "rd" : "r";
  size_t skip = strlen(prefix);
  if (length > skip && memcmp(t, prefix, skip) == 0 && number(t + skip, length - skip, &n) &&
      n < ISA_RZ) {
    *reg = n;
    return true;
  }
  r->at = before;
  return fail(r, words == 4   ? "expected a register of 128 bits (rq0)"
                 : words == 2 ? "expected a register of 64 bits (rd0)"
                              : "expected a register of 32 bits (r0)");
}

// A 32-bit number: decimal, hexadecimal, 0fXXXXXXXX, with a sign.
static bool parse_imm(reader *r, uint32_t *value) {
  blank(r);
  const char *before = r->at, *t;
  char copy[24], *rest;
  bool negative = accept(r, '-');
  size_t length = word(r, &t, false);
  if (length == 0 || length >= sizeof copy)
    goto bad;
  memcpy(copy, t, length);
  copy[length] = 0;
  if (copy[0] == '0' && (copy[1] == 'f' || copy[1] == 'F')) {
    if (length != 10 || negative)
      goto bad;
    *value = (uint32_t)strtoul(copy + 2, &rest, 16);
    if (*rest)
      goto bad;
    return true;
  }
  if (copy[0] < '0' || copy[0] > '9')
    goto bad;
  unsigned long long v = strtoull(copy, &rest, 0);
  if (*rest || v > (negative ? 0x80000000ull : 0xffffffffull))
    goto bad;
  *value = (uint32_t)(negative ? 0 - v : v);
  return true;
bad:
  r->at = before;
  return fail(r, "expected a number of 32 bits");
}

static bool parse_target(reader *r, uint32_t *target) {
  const char *before, *t;
  blank(r);
  before = r->at;
  if (r->at < r->end && *r->at >= '0' && *r->at <= '9')
    return parse_imm(r, target);
  size_t length = word(r, &t, true);
  if (is(t, length, "none")) {
    *target = ISA_NO_RECONV;
    return true;
  }
  if (length && r->labels && r->labels->find &&
      r->labels->find(r->labels->context, t, length, target))
    return true;
  r->at = before;
  return fail(r, "unknown label");
}

// ---- the mnemonic: name and modifiers in the order in which they are printed

typedef struct mods {
  const char *at, *end;  // ".rn.f32"
} mods;

// Takes `.name` off the front; the empty name is always there.
static bool take(mods *m, const char *name) {
  size_t length = strlen(name);
  if (length == 0)
    return true;
  if ((size_t)(m->end - m->at) < length + 1 || m->at[0] != '.' ||
      memcmp(m->at + 1, name, length) != 0 ||
      (m->at + 1 + length != m->end && m->at[1 + length] != '.'))
    return false;
  m->at += length + 1;
  return true;
}

// The longest name of `count` that fits. Names may be NULL; an empty one fits when no other does.
static bool take_of(mods *m, const char *(*name)(unsigned, unsigned), unsigned op, unsigned count,
                    uint8_t *value) {
  const mods before = *m;
  mods best = before;
  bool found = false;
  for (unsigned n = 0; n < count; n++) {
    const char *text = name(op, n);
    mods t = before;
    if (text && take(&t, text) && (!found || t.at > best.at)) {
      best = t;
      *value = (uint8_t)n;
      found = true;
    }
  }
  *m = best;
  return found;
}

static const char *rnd_name(unsigned op, unsigned n) {
  return (void)op, isa_rnd_name(n);
}
static const char *cmp_name(unsigned op, unsigned n) {
  return (void)op, isa_cmp_name(n);
}
static const char *order_name(unsigned op, unsigned n) {
  return (void)op, isa_order_name(n);
}
static const char *scope_name(unsigned op, unsigned n) {
  return (void)op, isa_scope_name(n);
}
static const char *space_name(unsigned op, unsigned n) {
  return (void)op, isa_space_name(n);
}
static const char *type_name(unsigned op, unsigned n) {
  return (void)op, isa_types[n].name;
}
static const char *bool_name(unsigned op, unsigned n) {
  static const char *const names[] = {"", "and", "or", "xor"};
  return (void)op, names[n];
}

static bool parse_mods(reader *r, mods m, isa_inst *i, uint32_t flags) {
  bool ok = true;
  if (flags & ISA_F_RND)
    ok = take_of(&m, rnd_name, 0, ISA_RNDS, &i->fn);
  else if (flags & ISA_F_CMP)
    ok = take_of(&m, cmp_name, 0, ISA_CMPS, &i->fn);
  else if ((flags & ISA_F_SUB) && i->op != ISA_OP_S2R)
    ok = take_of(&m, isa_sub_name, i->op, 32, &i->fn);
  if (ok && (flags & ISA_F_BOOL))
    take_of(&m, bool_name, 0, 4, &i->boolop);
  if (ok && (flags & ISA_F_ORDER)) {
    take_of(&m, order_name, 0, ISA_ORDERS, &i->order);
    take_of(&m, scope_name, 0, ISA_SCOPES, &i->scope);
  }
  if (ok && (flags & ISA_F_SPACE))
    take_of(&m, space_name, 0, ISA_SPACES, &i->space);
  if (ok) {
    i->ftz = take(&m, "ftz");
    i->sat = take(&m, "sat");
    take_of(&m, type_name, 0, ISA_TYPES, &i->type);
    if (isa_ops[i->op].types2)
      take_of(&m, type_name, 0, ISA_TYPES, &i->type2);
    if (take(&m, "N"))
      i->hint = ISA_HINT_NEAR;
    else if (take(&m, "F"))
      i->hint = ISA_HINT_FAR;
    else if (take(&m, "FD"))
      i->hint = ISA_HINT_FAR_DATA;
  }
  if (ok && m.at == m.end)
    return true;
  r->at = m.at;
  return fail(r, "unknown or misplaced modifier");
}

static bool parse_mnemonic(reader *r, isa_inst *i) {
  const char *t;
  size_t length = word(r, &t, true), name = 0;
  while (name < length && t[name] != '.')
    name++;
  for (unsigned op = 0; op < 256; op++) {
    if (!isa_ops[op].name || !is(t, name, isa_ops[op].name))
      continue;
    isa_reg guard = i->guard;
    bool neg = i->guard_neg;
    *i = isa_inst_new(op, ISA_TYPE_NONE);
    i->guard = guard;
    i->guard_neg = neg;
    const char *after = r->at;
    if (!parse_mods(r, (mods){t + name, t + length}, i, isa_ops[op].flags))
      return false;
    r->at = after;
    return true;
  }
  r->at = t;
  return fail(r, "unknown instruction");
}

static bool comma(reader *r, bool *first) {
  if (*first) {
    *first = false;
    return true;
  }
  return accept(r, ',') || fail(r, "expected ','");
}

static bool parse_source(reader *r, isa_inst *i, unsigned operand, isa_reg *reg) {
  unsigned words = isa_words(i, operand);
  blank(r);
  if (isa_ops[i->op].width[operand] == ISA_W_AD) {
    if (!accept(r, '['))
      return fail(r, "expected an address in brackets");
    if (!parse_reg(r, reg, words))
      return false;
    if (accept(r, '+') && !parse_imm(r, &i->imm))
      return false;
    return accept(r, ']') || fail(r, "expected ']'");
  }
  bool digit = r->at < r->end && ((*r->at >= '0' && *r->at <= '9') || *r->at == '-');
  if (!digit)
    return parse_reg(r, reg, words);
  if (!(isa_ops[i->op].flags & ISA_F_IMM) || i->imm_at)
    return fail(r, i->imm_at ? "an instruction has one immediate" : "no immediate here");
  i->imm_at = (uint8_t)operand;
  return parse_imm(r, &i->imm);
}

static bool parse_special(reader *r, isa_inst *i) {
  const char *t;
  size_t length = word(r, &t, true);
  for (unsigned n = 0; n < ISA_SREGS; n++)
    if (is(t, length, isa_sub_name(ISA_OP_S2R, n))) {
      i->fn = (uint8_t)n;
      return true;
    }
  r->at = t;
  return fail(r, "unknown special register");
}

static bool parse_operands(reader *r, isa_inst *i) {
  const isa_op_info *o = &isa_ops[i->op];
  isa_reg *regs[4] = {&i->d, &i->a, &i->b, &i->c};
  bool first = true, ignored;
  if (o->width[0] != ISA_W_NO) {
    if (!comma(r, &first) || !parse_reg(r, &i->d, isa_words(i, 0)))
      return false;
    if ((o->flags & ISA_F_PD) && accept(r, '|') && !parse_pred(r, &i->pd, &ignored))
      return false;
  } else if (o->flags & ISA_F_PD) {
    if (!comma(r, &first) || !parse_pred(r, &i->pd, &ignored))
      return false;
    if ((o->flags & ISA_F_PQ) && accept(r, '|') && !parse_pred(r, &i->pq, &ignored))
      return false;
  }
  for (unsigned operand = 1; operand < 4; operand++)
    if (isa_words(i, operand) && (!comma(r, &first) || !parse_source(r, i, operand, regs[operand])))
      return false;
  if (i->op == ISA_OP_S2R && (!comma(r, &first) || !parse_special(r, i)))
    return false;
  if ((o->flags & ISA_F_LUT) && (!comma(r, &first) || !parse_imm(r, &i->imm)))
    return false;
  blank(r);
  bool more = r->at < r->end && (*r->at == ',' || first);
  if ((o->flags & ISA_F_PS) && more && (!comma(r, &first) || !parse_pred(r, &i->ps, &i->ps_neg)))
    return false;
  if ((o->flags & ISA_F_PS2) && (!comma(r, &first) || !parse_pred(r, &i->pq, &i->ps2_neg)))
    return false;
  if ((o->flags & ISA_F_TARGET) && (!comma(r, &first) || !parse_target(r, &i->imm) ||
                                    !comma(r, &first) || !parse_target(r, &i->reconv)))
    return false;
  return true;
}

bool asm_parse(const char *text, size_t length, const asm_labels *labels, isa_inst *out, size_t *at,
               char *why, size_t why_bytes) {
  reader r = {text, text, text + length, labels, why, why_bytes};
  why[0] = 0;
  *out = isa_inst_new(ISA_OP_NOP, ISA_TYPE_NONE);
  bool ok = true;
  if (accept(&r, '@'))
    ok = parse_pred(&r, &out->guard, &out->guard_neg);
  const char *mnemonic = r.at;
  ok = ok && parse_mnemonic(&r, out) && parse_operands(&r, out);
  if (ok) {
    blank(&r);
    if (r.at != r.end)
      ok = fail(&r, "more text than an instruction");
  }
  isa_inst checked = *out;
  if (ok && labels && (isa_ops[out->op].flags & ISA_F_TARGET))
    checked.imm = checked.reconv = 0;  // what a label means is the caller's business
  const char *illegal = ok ? isa_check(&checked) : NULL;
  if (illegal) {
    r.at = mnemonic;
    ok = fail(&r, illegal);
  }
  *at = (size_t)(r.at - text);
  return ok;
}

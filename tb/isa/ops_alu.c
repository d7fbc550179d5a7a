// SPDX-License-Identifier: Apache-2.0
// Instructions on registers: each legal form, at special values and random ones, in several
// variants of its operands. A thread loads eight registers and five predicates, executes the
// instruction, and stores all of them again: what must change and what must not is checked.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ref.h"
#include "rig.h"

enum { FIRST = 8, REGS = 8, PREDS = 5, BLOCK = 128, MAX_LANES = 4096 };
enum { RANDOM = 1000, FEW = 64, BRIEF = BLOCK - FEW };
enum { P_GUARD, P_S, P_S2, P_D, P_Q };
enum { A = FIRST, B = FIRST + 2, C = FIRST + 4, D = FIRST + 6 };

typedef struct thread {
  uint32_t r[REGS];
  uint32_t preds, pad;
} thread;

typedef struct bed {
  bench *b;
  rig rig;
  uint64_t in, out;
  thread *before, *after;
  unsigned lanes;
  uint64_t forms;
} bed;

bool ops_alu_has(unsigned op) {
  return isa_ops[op].name && op > ISA_OP_NOP && op < ISA_OP_LD && op != ISA_OP_S2R;
}

static unsigned operand_type(const isa_inst *i, unsigned operand) {
  switch (isa_ops[i->op].width[operand]) {
    case ISA_W_T:
      return i->type;
    case ISA_W_T2:
      return i->type2;
    case ISA_W_W:
    case ISA_W_RR:
      return ISA_TYPE_B64;
    default:
      return ISA_TYPE_B32;
  }
}

static uint64_t window_base(unsigned space) {
  static const uint64_t base[ISA_SPACES] = {[ISA_SPACE_SHARED] = ISA_WINDOW_SHARED,
                                            [ISA_SPACE_LOCAL] = ISA_WINDOW_LOCAL,
                                            [ISA_SPACE_CONST] = ISA_WINDOW_CONST,
                                            [ISA_SPACE_PARAM] = ISA_WINDOW_PARAM};
  return base[space];
}

// An operand value with what matters to the opcode.
static uint64_t operand_value(dice *d, const isa_inst *i, unsigned operand) {
  unsigned type = operand_type(i, operand);
  if (i->op == ISA_OP_CVTA) {
    uint64_t offset =
        i->space == ISA_SPACE_GLOBAL ? dice_u64(d) >> 25 : dice_below(d, ISA_WINDOW_BYTES);
    return offset + (i->fn == ISA_CVTA_TO ? window_base(i->space) : 0);
  }
  if (i->op == ISA_OP_ISSPACEP) {  // in a window, or below them all
    uint64_t base = window_base(ISA_SPACE_SHARED + dice_below(d, 4));
    static const uint64_t offsets[] = {0, 1, 64, ISA_WINDOW_BYTES - 1};
    return dice_below(d, 2) ? base + offsets[dice_below(d, 4)]
                            : dice_u64(d) >> (24 + dice_below(d, 40));
  }
  bool field = (i->op == ISA_OP_BFE && operand == 2) || (i->op == ISA_OP_BFI && operand == 3);
  if (field && dice_below(d, 4)) {
    static const uint8_t edge[] = {0, 1, 8, 31, 32, 33, 63, 64, 65, 255};
    unsigned pos = dice_below(d, 2) ? edge[dice_below(d, 10)] : dice_below(d, 70);
    unsigned len = dice_below(d, 2) ? edge[dice_below(d, 10)] : dice_below(d, 70);
    return pos | len << 8 | (uint32_t)dice_u64(d) << 16;
  }
  bool shift = (i->op == ISA_OP_SHL || i->op == ISA_OP_SHR) ? operand == 2
                                                            : i->op == ISA_OP_SHF && operand == 3;
  if (shift && dice_below(d, 2)) {
    static const uint32_t edge[] = {0, 1, 31, 32, 33, 63, 64, 65, 255, 256, 0xffffffff};
    return edge[dice_below(d, 11)];
  }
  return dice_operand(d, type);
}

static void thread_set(thread *t, unsigned reg, uint64_t value) {
  t->r[reg - FIRST] = (uint32_t)value;
  t->r[reg - FIRST + 1] = (uint32_t)(value >> 32);
}

// Garbage in the upper word of a 32-bit operand, and everywhere else.
static void thread_random(dice *d, const isa_inst *i, thread *t) {
  static const unsigned reg[4] = {D, A, B, C};
  for (unsigned k = 0; k < REGS; k++)
    t->r[k] = (uint32_t)dice_u64(d);
  t->preds = (uint32_t)dice_u64(d) & ((1u << PREDS) - 1);
  t->pad = 0;
  uint64_t first = 0;
  for (unsigned k = 1; k < 4; k++) {
    unsigned words = isa_words(i, k);
    if (!words)
      continue;
    uint64_t x = operand_value(d, i, k);
    if (k == 1)
      first = x;
    else if (k == 2 && i->op < ISA_OP_CVTA && dice_below(d, 8) == 0 &&
             operand_type(i, 1) == operand_type(i, 2))
      x = first ^ (uint64_t[]) { 0, 1, 1ull << 31, 1ull << 63 }[dice_below(d, 4)];
    thread_set(t, reg[k], words == 2 ? x : (x & 0xffffffff) | (dice_u64(d) & ~0xffffffffull));
  }
}

// ---- the kernel around an instruction
static void code_around(code *c, const isa_inst *under_test) {
  c->count = 0;
  code_thread_address(c, 4, 0, sizeof(thread));
  code_indexed(c, 6, 8, sizeof(thread));
  for (unsigned k = 0; k < REGS; k += 2)
    code_load(c, ISA_SPACE_GLOBAL, ISA_TYPE_B64, FIRST + k, 4, (int32_t)(4 * k));
  code_load(c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, 0, 4, 4 * REGS);
  for (unsigned k = 0; k < PREDS; k++) {
    code_3i(c, ISA_OP_AND, ISA_TYPE_B32, 1, 0, 1u << k);
    code_setp(c, ISA_CMP_NE, ISA_TYPE_U32, k, 1, 0);
  }
  code_put(c, *under_test);
  for (unsigned k = 0; k < REGS; k += 2)
    code_store(c, ISA_SPACE_GLOBAL, ISA_TYPE_B64, 6, (int32_t)(4 * k), FIRST + k);
  code_predicates(c, 0, 1, PREDS);
  code_store(c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, 6, 4 * REGS, 0);
  code_exit(c);
}

static uint64_t value_in(const thread *t, const isa_inst *i, unsigned operand) {
  const isa_reg reg[4] = {i->d, i->a, i->b, i->c};
  unsigned words = isa_words(i, operand);
  if (i->imm_at == operand && operand)
    return ref_immediate(i, operand);
  if (!words || reg[operand] == ISA_RZ)
    return 0;
  uint64_t low = t->r[reg[operand] - FIRST];
  return words == 1 ? low : low | (uint64_t)t->r[reg[operand] - FIRST + 1] << 32;
}

static bool pred_in(const thread *t, isa_reg p) {
  return p == ISA_PT || (t->preds >> p & 1);
}

static void pred_out(thread *t, isa_reg p, bool value) {
  if (p != ISA_PT)
    t->preds = (t->preds & ~(1u << p)) | (uint32_t)value << p;
}

static void failure_print(bed *x, const isa_inst *i, unsigned lane, const thread *want) {
  const thread *was = &x->before[lane], *got = &x->after[lane];
  printf("thread %u: ", lane);
  inst_print(i);
  for (unsigned k = 1; k < 4; k++)
    if (isa_words(i, k))
      printf("  %c = 0x%llx", "dabc"[k], (unsigned long long)value_in(was, i, k));
  printf("  predicates 0x%x\n", was->preds);
  for (unsigned k = 0; k < REGS; k++)
    if (got->r[k] != want->r[k])
      printf("  r%u: want 0x%08x, got 0x%08x (was 0x%08x)\n", FIRST + k, want->r[k], got->r[k],
             was->r[k]);
  if (got->preds != want->preds)
    printf("  predicates: want 0x%x, got 0x%x\n", want->preds, got->preds);
  bench_hint(x->b);
}

// True when `got` agrees with the reference.
static bool thread_check(bed *x, const isa_inst *i, unsigned lane) {
  const thread *was = &x->before[lane], *got = &x->after[lane];
  thread want = *was;
  if (i->guard == ISA_PT || pred_in(was, i->guard) != i->guard_neg) {
    ref_in in = {value_in(was, i, 1), value_in(was, i, 2), value_in(was, i, 3), pred_in(was, i->ps),
                 pred_in(was, i->pq)};
    ref_out out;
    bool known = ref_execute(i, &in, &out);
    assert(known);
    (void)known;
    unsigned words = isa_words(i, 0);
    if (words && i->d != ISA_RZ) {
      unsigned at = i->d - FIRST;
      uint64_t d = got->r[at] | (words == 2 ? (uint64_t)got->r[at + 1] << 32 : 0);
      if (!ref_matches(i, &in, &out, d))
        d = out.how == REF_CLOSE ? ~d : out.d;
      want.r[at] = (uint32_t)d;
      if (words == 2)
        want.r[at + 1] = (uint32_t)(d >> 32);
    }
    if (isa_ops[i->op].flags & ISA_F_PD)
      pred_out(&want, i->pd, out.pd);
    if (isa_ops[i->op].flags & ISA_F_PQ)
      pred_out(&want, i->pq, out.pq);
  }
  x->b->checks++;
  if (memcmp(want.r, got->r, sizeof want.r) == 0 && want.preds == got->preds)
    return true;
  if (bench_fail(x->b))
    failure_print(x, i, lane, &want);
  return false;
}

static void bed_run(bed *x, const isa_inst *i) {
  rig_begin(&x->rig);
  enum { SHOWN = 2 };
  dice d = dice_new(x->b, x->lanes);
  while (x->lanes % BLOCK)
    thread_random(&d, i, &x->before[x->lanes++]);
  code c;
  code_around(&c, i);
  const uint64_t params[2] = {x->in, x->out};
  rig_setup setup = {.shape = {{x->lanes / BLOCK, 1, 1}, {BLOCK, 1, 1}, 0},
                     .params = params,
                     .param_bytes = sizeof params};
  rig_write(&x->rig, x->in, x->before, x->lanes * sizeof(thread));
  memset(x->after, 0xa5, x->lanes * sizeof(thread));
  rig_write(&x->rig, x->out, x->after, x->lanes * sizeof(thread));
  if (rig_run(x->b, &x->rig, &c, &setup, MACHINE_OK) != MACHINE_OK)
    return;
  rig_read(&x->rig, x->after, x->out, x->lanes * sizeof(thread));
  for (unsigned k = 0, shown = 0; k < x->lanes && shown < SHOWN; k++)
    shown += !thread_check(x, i, k);
  bench_cover(x->b, i);
}

// ---- lanes of a form
static void fill_random(bed *x, const isa_inst *i, unsigned n, uint64_t salt) {
  dice d = dice_new(x->b, salt);
  for (x->lanes = 0; x->lanes < n; x->lanes++)
    thread_random(&d, i, &x->before[x->lanes]);
}

// All pairs of special values (single values, a sample of the triples), then random ones; in
// brief a sample of the pairs.
static void fill_main(bed *x, const isa_inst *i, uint64_t salt) {
  static const unsigned reg[4] = {D, A, B, C};
  uint64_t list[4][64];
  unsigned n[4] = {1, 1, 1, 1}, operands = 0;
  dice d = dice_new(x->b, salt ^ 0x5eed);
  for (unsigned k = 1; k < 4; k++)
    if (isa_words(i, k)) {
      n[k] = specials(operand_type(i, k), list[k]);
      operands++;
    }
  fill_random(x, i, x->b->brief ? FEW : RANDOM, salt);
  if (i->op == ISA_OP_CVTA || i->op == ISA_OP_ISSPACEP || i->op == ISA_OP_PLOP)
    return;
  unsigned pairs = operands < 3 ? n[1] * n[2] : 2000;
  const bool sample = x->b->brief && pairs > BRIEF;
  for (unsigned n_pairs = 0; n_pairs < (sample ? BRIEF : pairs) && x->lanes < MAX_LANES;
       n_pairs++) {
    const unsigned p = sample ? dice_below(&d, pairs) : n_pairs;
    thread *t = &x->before[x->lanes++];
    thread_random(&d, i, t);
    unsigned pick[4] = {0, p % n[1], p / n[1], 0};
    for (unsigned k = 1; k < 4; k++)
      if (isa_words(i, k)) {
        unsigned at = operands < 3 ? pick[k] : dice_below(&d, n[k]);
        t->r[reg[k] - FIRST] = (uint32_t)list[k][at];
        if (isa_words(i, k) == 2)
          t->r[reg[k] - FIRST + 1] = (uint32_t)(list[k][at] >> 32);
      }
  }
}

// ---- variants of a form
static void variant(bed *x, isa_inst i, uint64_t *salt) {
  ++*salt;
  i.hint = (uint8_t)(*salt % 3);
  if (*salt % 2 && i.guard == ISA_PT) {
    i.guard = P_GUARD;
    i.guard_neg = *salt % 4 == 1;
  }
  if (isa_check(&i))
    return;  // the variant does not exist for this opcode
  fill_random(x, &i, FEW, *salt);
  bed_run(x, &i);
}

static void variant_immediates(bed *x, const isa_inst *form, uint64_t *salt) {
  dice d = dice_new(x->b, *salt);
  for (unsigned k = 1; k < 4 && (isa_ops[form->op].flags & ISA_F_IMM); k++)
    for (unsigned n = 0; n < (x->b->brief ? 1 : 4) && isa_words(form, k); n++) {
      isa_inst i = *form;
      uint64_t value = operand_value(&d, &i, k);
      i.imm_at = (uint8_t)k;
      *(k == 1 ? &i.a : k == 2 ? &i.b : &i.c) = ISA_RZ;
      i.imm = (uint32_t)(operand_type(&i, k) == ISA_TYPE_F64 ? value >> 32 : value);
      variant(x, i, salt);
    }
}

// Destination on top of a source, one register as several sources, rz, and lone predicates.
static void variant_registers(bed *x, const isa_inst *form, uint64_t *salt) {
  static const unsigned reg[4] = {D, A, B, C};
  bool to_space = form->op == ISA_OP_CVTA;
  for (unsigned k = 1; k < 4; k++) {
    if (!isa_words(form, k))
      continue;
    isa_inst i = *form;
    isa_reg *source = k == 1 ? &i.a : k == 2 ? &i.b : &i.c;
    if (isa_words(form, 0)) {
      i.d = reg[k];
      variant(x, i, salt);
      if (isa_words(form, 0) == 2 && isa_words(form, k) == 1) {
        *source = reg[k] + 1;
        variant(x, i, salt);
      }
    }
    i = *form;
    *source = ISA_RZ;
    if (!to_space)
      variant(x, i, salt);
  }
  isa_inst i = *form;
  if (isa_words(&i, 2)) {
    i.b = A;
    if (isa_words(&i, 3))
      i.c = A;
    variant(x, i, salt);
  }
  i = *form;
  if (isa_words(&i, 0)) {
    i.d = ISA_RZ;
    variant(x, i, salt);
  }
  i = *form;
  if (isa_ops[i.op].flags & ISA_F_PD) {
    i.pd = ISA_PT;
    variant(x, i, salt);
    i.pd = P_S;
    variant(x, i, salt);
    i = *form;
    i.pd = P_GUARD, i.guard = P_GUARD;
    variant(x, i, salt);
  }
  i = *form;
  if (isa_ops[i.op].flags & ISA_F_PQ) {
    i.pq = ISA_PT;
    variant(x, i, salt);
  }
  i = *form;
  if (isa_ops[i.op].flags & ISA_F_PS && i.ps != ISA_PT) {
    i.ps = ISA_PT;
    variant(x, i, salt);
  }
}

// In brief every other form that is `modified`, as by .ftz or .and, is run, without variants of its
// registers and without a guard: the plain one has them.
static void form_run(bed *x, isa_inst form, bool modified) {
  form.a = isa_words(&form, 1) ? A : ISA_RZ;
  form.b = isa_words(&form, 2) ? B : ISA_RZ;
  form.c = isa_words(&form, 3) ? C : ISA_RZ;
  form.d = isa_words(&form, 0) ? D : ISA_RZ;
  uint32_t flags = isa_ops[form.op].flags;
  if (flags & ISA_F_PD)
    form.pd = P_D;
  if (flags & ISA_F_PQ)
    form.pq = P_Q;
  if (flags & ISA_F_PS2)
    form.pq = P_S2;
  if (flags & ISA_F_PS && (form.op != ISA_OP_SETP || form.boolop))
    form.ps = P_S;
  if (isa_check(&form))
    return;
  uint64_t salt = (uint64_t)form.op << 40 | (uint64_t)form.type << 32 | (uint64_t)form.type2 << 24 |
                  (uint64_t)form.fn << 16 | x->forms % 256 << 8;
  x->forms++;
  if (x->b->brief && modified && x->forms % 2)
    return;
  if (form.op == ISA_OP_LOP3)
    fill_random(x, &form, FEW, salt);
  else
    fill_main(x, &form, salt);
  bed_run(x, &form);
  const bool repeated = form.op == ISA_OP_LOP3 && form.imm % 16;
  if (x->b->brief && (modified || repeated))
    return;
  isa_inst guarded = form;
  guarded.guard = P_GUARD;
  variant(x, guarded, &salt);
  guarded.guard_neg = true;
  variant(x, guarded, &salt);
  if (repeated)
    return;
  variant_immediates(x, &form, &salt);
  variant_registers(x, &form, &salt);
}

// Every modifier that the fields (op, type, type2, fn) leave open.
static void form_each(void *ctx, const isa_inst *proto) {
  bed *x = ctx;
  uint32_t flags = isa_ops[proto->op].flags;
  unsigned bools = flags & ISA_F_BOOL ? 4 : 1, spaces = flags & ISA_F_SPACE ? ISA_SPACES : 1;
  unsigned tables = flags & ISA_F_LUT ? 256 : 1;
  for (unsigned n = 0; n < 16 * bools * spaces * tables; n++) {
    isa_inst i = *proto;
    unsigned rest = n / 16;
    i.ftz = n & 1, i.sat = n >> 1 & 1, i.ps_neg = n >> 2 & 1, i.ps2_neg = n >> 3 & 1;
    i.boolop = (uint8_t)(rest % bools), rest /= bools;
    i.space = (uint8_t)(rest % spaces), rest /= spaces;
    i.imm = rest % tables;
    form_run(x, i, n % 16 || i.boolop);
  }
}

void ops_alu(bench *b, unsigned op) {
  bed x = {.b = b};
  rig_open(&x.rig);
  x.before = malloc((MAX_LANES + BLOCK) * sizeof(thread));
  x.after = malloc((MAX_LANES + BLOCK) * sizeof(thread));
  x.in = rig_buffer(&x.rig, (MAX_LANES + BLOCK) * sizeof(thread));
  x.out = rig_buffer(&x.rig, (MAX_LANES + BLOCK) * sizeof(thread));
  inst_each(op, form_each, &x);
  rig_close(&x.rig);
  free(x.before);
  free(x.after);
}

// SPDX-License-Identifier: Apache-2.0
// Special registers, branches, exits, traps and barriers.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rig.h"
#include "tb/cosim/timed.h"

enum { R_OUT = 4, MAX_OUT = 4096 };

// A launch whose threads each leave `words` words at the address in r4.
typedef struct run {
  bench *b;
  rig rig;
  uint64_t out;
  uint32_t *got;
  code c;
  unsigned words, threads;
} run;

static run *run_new(bench *b, unsigned words) {
  run *r = calloc(1, sizeof *r);
  r->b = b;
  rig_open(&r->rig);
  r->words = words;
  r->got = malloc(MAX_OUT * words * sizeof *r->got);
  r->out = rig_buffer(&r->rig, MAX_OUT * words * sizeof *r->got);
  return r;
}

static void run_free(run *r) {
  rig_close(&r->rig);
  free(r->got);
  free(r);
}

static void run_begin(run *r) {
  r->c.count = 0;
  code_thread_address(&r->c, R_OUT, 0, 4 * r->words);
}

// The instructions that are under test here; the others of a kernel are only its frame.
static void cover_control(bench *b, const isa_inst *i) {
  switch (i->op) {
    case ISA_OP_NOP:
    case ISA_OP_S2R:
    case ISA_OP_MEMBAR:
    case ISA_OP_BRA:
    case ISA_OP_EXIT:
    case ISA_OP_TRAP:
    case ISA_OP_BAR:
    case ISA_OP_BARW:
      bench_cover(b, i);
      break;
    default:
      break;
  }
}

static machine_error run_launch(run *r, launch_shape shape, uint32_t shared,
                                machine_error expected) {
  const uint64_t params[1] = {r->out};
  rig_setup setup = {
      .shape = shape, .shared_bytes = shared, .params = params, .param_bytes = sizeof params};
  rig_begin(&r->rig);
  r->threads = 1;
  for (unsigned k = 0; k < 3; k++)
    r->threads *= shape.grid[k] * shape.block[k];
  assert(r->threads <= MAX_OUT);
  memset(r->got, 0xee, MAX_OUT * r->words * sizeof *r->got);
  rig_write(&r->rig, r->out, r->got, MAX_OUT * r->words * sizeof *r->got);
  machine_error e = rig_run(r->b, &r->rig, &r->c, &setup, expected);
  for (unsigned k = 0; k < r->c.count && e == expected; k++)
    cover_control(r->b, &r->c.inst[k]);
  rig_read(&r->rig, r->got, r->out, MAX_OUT * r->words * sizeof *r->got);
  return e;
}

static void expect(run *r, const char *what, unsigned thread, uint64_t want, uint64_t got) {
  r->b->checks++;
  if (want == got || !bench_fail(r->b))
    return;
  printf("%s, thread %u: want 0x%llx, got 0x%llx\n", what, thread, (unsigned long long)want,
         (unsigned long long)got);
  bench_hint(r->b);
}

static isa_inst bra_to(uint32_t target, uint32_t reconv, unsigned guard, bool neg) {
  isa_inst i = isa_inst_new(ISA_OP_BRA, 0);
  i.imm = target, i.reconv = reconv, i.guard = guard, i.guard_neg = neg;
  return i;
}

// ---- special registers
static uint32_t sreg_want(const launch_shape *s, unsigned thread, unsigned reg) {
  machine_config cfg = machine_config_default();
  timed_config(&cfg);
  unsigned block = s->block[0] * s->block[1] * s->block[2];
  unsigned at = thread % block, cta = thread / block, lane = at % 32;
  switch (reg) {
    case ISA_SREG_TID_X:
      return at % s->block[0];
    case ISA_SREG_TID_Y:
      return at / s->block[0] % s->block[1];
    case ISA_SREG_TID_Z:
      return at / s->block[0] / s->block[1];
    case ISA_SREG_CTAID_X:
      return cta % s->grid[0];
    case ISA_SREG_CTAID_Y:
      return cta / s->grid[0] % s->grid[1];
    case ISA_SREG_CTAID_Z:
      return cta / s->grid[0] / s->grid[1];
    case ISA_SREG_NTID_X:
    case ISA_SREG_NTID_Y:
    case ISA_SREG_NTID_Z:
      return s->block[reg - ISA_SREG_NTID_X];
    case ISA_SREG_NCTAID_X:
    case ISA_SREG_NCTAID_Y:
    case ISA_SREG_NCTAID_Z:
      return s->grid[reg - ISA_SREG_NCTAID_X];
    case ISA_SREG_LANEID:
      return lane;
    case ISA_SREG_WARPID:
      return at / 32;
    case ISA_SREG_NWARPID:
      return cfg.warps_per_core;
    case ISA_SREG_NSMID:
      return cfg.cores;
    case ISA_SREG_LANEMASK_EQ:
      return 1u << lane;
    case ISA_SREG_LANEMASK_LE:
      return (2u << lane) - 1;
    case ISA_SREG_LANEMASK_LT:
      return (1u << lane) - 1;
    case ISA_SREG_LANEMASK_GE:
      return ~((1u << lane) - 1);
    case ISA_SREG_LANEMASK_GT:
      return ~((2u << lane) - 1);
    case ISA_SREG_DYN_SMEM:
      return s->dynamic_shared;
    default:
      return 0;
  }
}

static void sreg_check(run *r, const launch_shape *s, uint32_t *grid_id) {
  machine_config cfg = machine_config_default();
  timed_config(&cfg);
  unsigned block = s->block[0] * s->block[1] * s->block[2];
  for (unsigned t = 0; t < r->threads; t++) {
    const uint32_t *got = r->got + t * r->words;
    for (unsigned reg = 0; reg < ISA_SREGS; reg++) {
      const char *name = isa_sub_name(ISA_OP_S2R, reg);
      switch (reg) {
        case ISA_SREG_SMID:
          expect(r, name, t, 1, got[reg] < cfg.cores);
          expect(r, name, t, r->got[t / block * block * r->words + reg], got[reg]);
          break;
        case ISA_SREG_GRIDID:
          expect(r, name, t, r->got[reg], got[reg]);
          break;
        case ISA_SREG_CLOCK: {
          uint64_t first = got[reg] | (uint64_t)got[ISA_SREG_CLOCK_HI] << 32;
          uint64_t second = got[ISA_SREGS] | (uint64_t)got[ISA_SREGS + 1] << 32;
          expect(r, "clock goes on", t, 1, second > first);
          break;
        }
        case ISA_SREG_CLOCK_HI:
          break;
        case ISA_SREG_TOTAL_SMEM:
          expect(r, name, t, 1, got[reg] >= 80 + s->dynamic_shared);
          break;
        default:
          expect(r, name, t, sreg_want(s, t, reg), got[reg]);
      }
    }
  }
  expect(r, "gridid of two launches differs", 0, 1, r->got[ISA_SREG_GRIDID] != *grid_id);
  *grid_id = r->got[ISA_SREG_GRIDID];
}

void ops_sreg(bench *b) {
  static const launch_shape shapes[] = {{{1, 1, 1}, {1, 1, 1}, 0},    {{3, 2, 2}, {5, 7, 3}, 100},
                                        {{2, 1, 3}, {33, 1, 1}, 0},   {{1, 4, 1}, {7, 5, 2}, 16},
                                        {{2, 2, 1}, {1, 64, 1}, 0},   {{1, 1, 2}, {32, 4, 1}, 0},
                                        {{1, 1, 1}, {1024, 1, 1}, 0}, {{5, 1, 1}, {31, 3, 1}, 0}};
  run *r = run_new(b, ISA_SREGS + 2);
  uint32_t grid_id = 0xeeeeeeee;
  for (unsigned n = 0; n < sizeof shapes / sizeof *shapes; n++) {
    run_begin(r);
    for (unsigned reg = 0; reg < ISA_SREGS; reg++) {
      isa_inst s2r = isa_inst_new(ISA_OP_S2R, ISA_TYPE_B32);
      s2r.d = 8, s2r.fn = (uint8_t)reg;
      code_put(&r->c, s2r);
      code_store(&r->c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, R_OUT, (int32_t)(4 * reg), 8);
    }
    for (unsigned k = 0; k < 2; k++) {
      code_s2r(&r->c, 8, ISA_SREG_CLOCK + k);
      code_store(&r->c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, R_OUT, (int32_t)(4 * (ISA_SREGS + k)), 8);
    }
    code_exit(&r->c);
    if (run_launch(r, shapes[n], 80, MACHINE_OK) == MACHINE_OK)
      sreg_check(r, &shapes[n], &grid_id);
  }
  // Guarded: the lanes without the guard keep their register.
  for (unsigned reg = 0; reg < ISA_SREG_SMID; reg++) {
    const launch_shape s = {{2, 1, 1}, {9, 5, 1}, 0};
    run_begin(r);
    isa_inst s2r = isa_inst_new(ISA_OP_S2R, ISA_TYPE_B32);
    s2r.d = 8, s2r.fn = (uint8_t)reg, s2r.guard = 0;
    code_3i(&r->c, ISA_OP_ADD, ISA_TYPE_U32, 8, 0, 0x1000);
    code_3i(&r->c, ISA_OP_AND, ISA_TYPE_B32, 1, 0, 1);
    code_setp(&r->c, ISA_CMP_NE, ISA_TYPE_U32, 0, 1, 0);
    code_put(&r->c, s2r);
    code_store(&r->c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, R_OUT, 0, 8);
    code_exit(&r->c);
    run_launch(r, s, 0, MACHINE_OK);
    for (unsigned t = 0; t < r->threads; t++)
      expect(r, "guarded s2r", t, t % 2 ? sreg_want(&s, t, reg) : 0x1000 + t, r->got[t * r->words]);
  }
  run_free(r);
}

// ---- branches and exits
// A loop of (index * 5 % 13) rounds; inside, an if on the round's parity; threads whose index is
// 3 mod 8 leave the kernel in round 2.
static void branches(bench *b, unsigned block) {
  run *r = run_new(b, 1);
  const launch_shape s = {{3, 1, 1}, {block, 1, 1}, 0};
  run_begin(r);
  code *c = &r->c;
  code_3i(c, ISA_OP_MUL, ISA_TYPE_U32, 8, 0, 5);
  code_3i(c, ISA_OP_REM, ISA_TYPE_U32, 8, 8, 13);  // rounds
  code_3i(c, ISA_OP_AND, ISA_TYPE_B32, 9, 0, 7);
  code_setp(c, ISA_CMP_EQ, ISA_TYPE_U32, 1, 9, 3);  // leaves early
  code_3i(c, ISA_OP_ADD, ISA_TYPE_U32, 10, 0, 0);   // sum
  code_3i(c, ISA_OP_AND, ISA_TYPE_B32, 11, 0, 0);   // round
  code_store(c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, R_OUT, 0, 11);
  uint32_t head = code_here(c), end = head + 13 * ISA_BYTES;
  isa_inst setp = isa_inst_new(ISA_OP_SETP, ISA_TYPE_U32);
  setp.fn = ISA_CMP_GE, setp.pd = 2, setp.a = 11, setp.b = 8;
  code_put(c, setp);
  code_put(c, bra_to(end, end, 2, false));
  code_setp(c, ISA_CMP_EQ, ISA_TYPE_U32, 3, 11, 2);
  isa_inst both = isa_inst_new(ISA_OP_PLOP, ISA_TYPE_PRED);
  both.pd = 3, both.ps = 3, both.pq = 1, both.boolop = ISA_BOOL_AND;
  code_put(c, both);
  isa_inst leave = isa_inst_new(ISA_OP_EXIT, 0);
  leave.guard = 3;
  code_put(c, leave);
  code_3i(c, ISA_OP_AND, ISA_TYPE_B32, 12, 11, 1);
  code_setp(c, ISA_CMP_EQ, ISA_TYPE_U32, 4, 12, 0);
  uint32_t join = code_here(c) + 4 * ISA_BYTES;
  code_put(c, bra_to(join - ISA_BYTES, join, 4, false));
  code_3i(c, ISA_OP_MUL, ISA_TYPE_U32, 10, 10, 3);
  code_put(c, bra_to(join, join, ISA_PT, false));
  code_3i(c, ISA_OP_ADD, ISA_TYPE_U32, 10, 10, 7);
  assert(code_here(c) == join);
  code_3i(c, ISA_OP_ADD, ISA_TYPE_U32, 11, 11, 1);
  code_put(c, bra_to(head, ISA_NO_RECONV, ISA_PT, false));
  assert(code_here(c) == end);
  code_put(c, isa_inst_new(ISA_OP_NOP, 0));
  code_put(c, bra_to(code_here(c) + ISA_BYTES, code_here(c) + ISA_BYTES, 1, false));
  code_store(c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, R_OUT, 0, 10);
  code_exit(c);
  run_launch(r, s, 0, MACHINE_OK);
  for (unsigned t = 0; t < r->threads; t++) {
    uint32_t sum = t;
    bool left = false;
    for (unsigned k = 0; k < t * 5 % 13 && !left; k++) {
      left = k == 2 && t % 8 == 3;
      sum = k % 2 ? sum * 3 : sum + 7;
    }
    expect(r, "branches", t, left ? 0 : sum, r->got[t]);
  }
  run_free(r);
}

static void trap_and_exit(bench *b) {
  run *r = run_new(b, 1);
  const launch_shape s = {{1, 1, 1}, {40, 1, 1}, 0};
  for (unsigned n = 0; n < 3; n++) {  // guard false everywhere, true for one thread, unguarded
    run_begin(r);
    code_setp(&r->c, ISA_CMP_EQ, ISA_TYPE_U32, 0, 0, n ? 37 : 99);
    isa_inst trap = isa_inst_new(ISA_OP_TRAP, 0);
    trap.guard = n == 2 ? ISA_PT : 0;
    code_put(&r->c, trap);
    code_store(&r->c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, R_OUT, 0, 0);
    code_exit(&r->c);
    r->b->checks++;
    run_launch(r, s, 0, n ? MACHINE_FAULT_TRAP : MACHINE_OK);
    for (unsigned t = 0; t < r->threads && !n; t++)
      expect(r, "after trap", t, t, r->got[t]);
  }
  run_free(r);
}

void ops_control(bench *b) {
  static const unsigned blocks[] = {1, 31, 32, 33, 100, 256};
  for (unsigned k = 0; k < sizeof blocks / sizeof *blocks; k++)
    branches(b, blocks[k]);
  trap_and_exit(b);
}

// ---- barriers
static isa_inst bar(unsigned sub, unsigned number) {
  isa_inst i = isa_inst_new(ISA_OP_BAR, ISA_TYPE_B32);
  i.fn = (uint8_t)sub;
  if (number)
    i.imm_at = ISA_IMM_A, i.imm = number;
  return i;
}

// Each round a thread passes its value to the thread `step` further in the block.
static void bar_ring(bench *b, unsigned block, unsigned step, unsigned number) {
  enum { ROUNDS = 5 };
  run *r = run_new(b, 1);
  code *c = &r->c;
  const launch_shape s = {{2, 1, 1}, {block, 1, 1}, 0};
  run_begin(r);
  code_s2r(c, 8, ISA_SREG_TID_X);
  code_3i(c, ISA_OP_MUL, ISA_TYPE_U32, 9, 8, 4);
  code_3i(c, ISA_OP_ADD, ISA_TYPE_U32, 10, 8, step);
  code_3i(c, ISA_OP_REM, ISA_TYPE_U32, 10, 10, block);
  code_3i(c, ISA_OP_MUL, ISA_TYPE_U32, 10, 10, 4);
  for (unsigned k = 0; k < ROUNDS; k++) {
    code_store(c, ISA_SPACE_SHARED, ISA_TYPE_B32, 9, 0, 0);
    code_put(c, bar(ISA_BAR_SYNC, number));
    code_load(c, ISA_SPACE_SHARED, ISA_TYPE_B32, 0, 10, 0);
    code_put(c, bar(ISA_BAR_SYNC, number ? 15 - number : 0));
  }
  code_store(c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, R_OUT, 0, 0);
  code_exit(c);
  run_launch(r, s, 4 * block, MACHINE_OK);
  for (unsigned t = 0; t < r->threads; t++)
    expect(r, "barrier ring", t, t / block * block + (t % block + ROUNDS * step) % block,
           r->got[t]);
  run_free(r);
}

// Two pairs of warps, each with a barrier of its own (its number in a register) and a count.
static void bar_groups(bench *b, bool count_is_immediate) {
  run *r = run_new(b, 1);
  code *c = &r->c;
  const launch_shape s = {{2, 1, 1}, {128, 1, 1}, 0};
  run_begin(r);
  code_s2r(c, 8, ISA_SREG_TID_X);
  code_3i(c, ISA_OP_SHR, ISA_TYPE_U32, 9, 8, 6);
  code_3i(c, ISA_OP_ADD, ISA_TYPE_U32, 9, 9, 1);  // barrier 1 or 2
  code_3i(c, ISA_OP_MUL, ISA_TYPE_U32, 10, 8, 4);
  code_3i(c, ISA_OP_XOR, ISA_TYPE_B32, 11, 10, 4 * 63);
  code_3i(c, ISA_OP_AND, ISA_TYPE_B32, 12, 8, 0);
  code_3i(c, ISA_OP_ADD, ISA_TYPE_U32, 12, 12, 64);
  code_store(c, ISA_SPACE_SHARED, ISA_TYPE_B32, 10, 0, 0);
  isa_inst sync = bar(ISA_BAR_SYNC, 0);
  sync.a = 9;
  if (count_is_immediate)
    sync.imm_at = ISA_IMM_B, sync.imm = 64;
  else
    sync.b = 12;
  code_put(c, sync);
  code_load(c, ISA_SPACE_SHARED, ISA_TYPE_B32, 0, 11, 0);
  code_store(c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, R_OUT, 0, 0);
  code_exit(c);
  run_launch(r, s, 512, MACHINE_OK);
  for (unsigned t = 0; t < r->threads; t++)
    expect(r, "barrier groups", t, t ^ 63, r->got[t]);
  run_free(r);
}

// Warp 0 produces and does not wait; warp 1 waits for it.
static void bar_arrive(bench *b) {
  run *r = run_new(b, 1);
  code *c = &r->c;
  const launch_shape s = {{2, 1, 1}, {64, 1, 1}, 0};
  run_begin(r);
  code_s2r(c, 8, ISA_SREG_TID_X);
  code_3i(c, ISA_OP_MUL, ISA_TYPE_U32, 10, 8, 4);
  code_3i(c, ISA_OP_AND, ISA_TYPE_B32, 12, 8, 0);
  code_3i(c, ISA_OP_ADD, ISA_TYPE_U32, 12, 12, 64);
  code_setp(c, ISA_CMP_GE, ISA_TYPE_U32, 0, 8, 32);
  uint32_t consumer = code_here(c) + 5 * ISA_BYTES, end = consumer + 3 * ISA_BYTES;
  code_put(c, bra_to(consumer, end, 0, false));
  code_3i(c, ISA_OP_ADD, ISA_TYPE_U32, 13, 0, 1000);
  code_store(c, ISA_SPACE_SHARED, ISA_TYPE_B32, 10, 0, 13);
  isa_inst arrive = bar(ISA_BAR_ARRIVE, 3);
  arrive.b = 12;
  code_put(c, arrive);
  code_put(c, bra_to(end, end, ISA_PT, false));
  assert(code_here(c) == consumer);
  isa_inst sync = bar(ISA_BAR_SYNC, 3);
  sync.b = 12;
  code_put(c, sync);
  code_load(c, ISA_SPACE_SHARED, ISA_TYPE_B32, 0, 10, -128);
  code_put(c, isa_inst_new(ISA_OP_NOP, 0));
  code_store(c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, R_OUT, 0, 0);
  code_exit(c);
  run_launch(r, s, 256, MACHINE_OK);
  for (unsigned t = 0; t < r->threads; t++)
    expect(r, "barrier arrive", t, t % 64 < 32 ? t : t - 32 + 1000, r->got[t]);
  run_free(r);
}

// s is bit 0 of (index * 7 >> style); style 3: all, 4: none.
static void bar_reduce(bench *b, unsigned sub, unsigned block, unsigned style, bool neg) {
  run *r = run_new(b, 2);
  code *c = &r->c;
  const launch_shape s = {{3, 1, 1}, {block, 1, 1}, 0};
  run_begin(r);
  code_3i(c, ISA_OP_MUL, ISA_TYPE_U32, 8, 0, style == 4 ? 0 : 7);
  code_3i(c, ISA_OP_SHR, ISA_TYPE_U32, 8, 8, style < 3 ? style : 0);
  code_3i(c, ISA_OP_OR, ISA_TYPE_B32, 8, 8, style == 3);
  code_3i(c, ISA_OP_AND, ISA_TYPE_B32, 8, 8, 1);
  code_setp(c, ISA_CMP_NE, ISA_TYPE_U32, 0, 8, 0);
  code_setp(c, ISA_CMP_EQ, ISA_TYPE_U32, 1, 8, 2);
  isa_inst i = bar(sub, 5);
  i.ps = 0, i.ps_neg = neg;
  if (sub == ISA_BAR_RED_POPC)
    i.d = 9;
  else
    i.pd = 1;
  code_3i(c, ISA_OP_ADD, ISA_TYPE_U32, 9, 0, 0);
  code_put(c, i);
  code_predicates(c, 10, 11, 2);
  code_store(c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, R_OUT, 0, 9);
  code_store(c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, R_OUT, 4, 10);
  code_exit(c);
  run_launch(r, s, 0, MACHINE_OK);
  for (unsigned t = 0; t < r->threads; t++) {
    unsigned count = 0, own = 0;
    for (unsigned k = 0; k < block; k++) {
      unsigned index = t / block * block + k;
      unsigned bit = style == 3 ? 1 : style == 4 ? 0 : index * 7 >> style & 1;
      own = index == t ? bit : own;
      count += bit != neg;
    }
    unsigned p = sub == ISA_BAR_RED_AND ? count == block : count != 0;
    if (sub == ISA_BAR_RED_POPC)
      p = 0;
    expect(r, "barrier reduction d", t, sub == ISA_BAR_RED_POPC ? count : t, r->got[2 * t]);
    expect(r, "barrier reduction p", t, own | p << 1, r->got[2 * t + 1]);
  }
  run_free(r);
}

// Lanes take two ways and meet at barw; then each reads its neighbour's value.
static void barw(bench *b, unsigned mode) {
  run *r = run_new(b, 1);
  code *c = &r->c;
  const launch_shape s = {{2, 1, 1}, {64, 1, 1}, 0};
  run_begin(r);
  code_s2r(c, 8, ISA_SREG_TID_X);
  code_3i(c, ISA_OP_MUL, ISA_TYPE_U32, 10, 8, 4);
  code_3i(c, ISA_OP_XOR, ISA_TYPE_B32, 11, 10, 4 * 31);
  code_3i(c, ISA_OP_AND, ISA_TYPE_B32, 12, 8, 1);
  code_setp(c, ISA_CMP_EQ, ISA_TYPE_U32, 0, 12, 0);
  uint32_t join = code_here(c) + 2 * ISA_BYTES;
  code_put(c, bra_to(join, join, 0, false));
  code_3i(c, ISA_OP_ADD, ISA_TYPE_U32, 0, 0, 500);
  code_store(c, ISA_SPACE_SHARED, ISA_TYPE_B32, 10, 0, 0);
  isa_inst i = isa_inst_new(ISA_OP_BARW, ISA_TYPE_B32);
  code_3i(c, ISA_OP_OR, ISA_TYPE_B32, 13, 8, 0xffffffff);
  if (mode == 0)
    i.imm_at = ISA_IMM_A, i.imm = 0xffffffff;
  else
    i.a = 13;
  code_put(c, i);
  for (unsigned k = 0; k < 3; k++) {
    isa_inst fence = isa_inst_new(ISA_OP_MEMBAR, 0);
    fence.fn = (uint8_t)k;
    code_put(c, fence);
  }
  code_load(c, ISA_SPACE_SHARED, ISA_TYPE_B32, 0, 11, 0);
  code_store(c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, R_OUT, 0, 0);
  code_exit(c);
  run_launch(r, s, 256, MACHINE_OK);
  for (unsigned t = 0; t < r->threads; t++)
    expect(r, "barw", t, (t ^ 31) + ((t ^ 31) % 2 ? 500 : 0), r->got[t]);
  run_free(r);
}

// A block whose warps wait at different barriers for each other never ends.
static void deadlock(bench *b) {
  run *r = run_new(b, 1);
  const launch_shape s = {{1, 1, 1}, {64, 1, 1}, 0};
  run_begin(r);
  code_s2r(&r->c, 8, ISA_SREG_WARPID);
  isa_inst sync = bar(ISA_BAR_SYNC, 0);
  sync.a = 8;
  code_put(&r->c, sync);
  code_exit(&r->c);
  b->checks++;
  run_launch(r, s, 0, MACHINE_FAULT_DEADLOCK);
  run_free(r);
}

void ops_barrier(bench *b) {
  static const unsigned blocks[] = {1, 31, 32, 33, 100, 128, 512};
  for (unsigned k = 0; k < sizeof blocks / sizeof *blocks; k++) {
    for (unsigned number = 0; number < 16; number += 5)
      bar_ring(b, blocks[k], 37, number);
    for (unsigned n = 0; n < 10; n++)
      for (unsigned sub = ISA_BAR_RED_POPC; sub <= ISA_BAR_RED_OR; sub++)
        bar_reduce(b, sub, blocks[k], n / 2, n % 2);
  }
  bar_groups(b, false);
  bar_groups(b, true);
  bar_arrive(b);
  barw(b, 0);
  barw(b, 1);
  deadlock(b);
}

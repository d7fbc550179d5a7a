// SPDX-License-Identifier: Apache-2.0
// Atomics and reductions in memory: every operation, type and space, with lanes of a warp that
// collide. Lanes take effect from the lowest up, so that a run is the same every time.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ref.h"
#include "rig.h"

enum { BLOCK = 128, BLOCKS = 3, THREADS = BLOCK * BLOCKS };
enum { R_IN = 4, R_CELL = 6, R_OWN = 10, R_BASE = 12, R_B = 16, R_C = 18, R_D = 20, R_FLAG = 22 };

typedef struct record {
  uint64_t b, c, d;
  uint32_t slot, guard;  // slot: which of the warp's cells, in bytes
} record;

typedef struct bed {
  bench *b;
  rig rig;
  uint64_t in, cells;
  record before[THREADS], after[THREADS];
  uint64_t cell[THREADS], cell_after[THREADS];
} bed;

static void code_atomic(code *c, const isa_inst *i, unsigned home) {
  bool shared = home == ISA_SPACE_SHARED;
  c->count = 0;
  code_thread_address(c, R_IN, 0, sizeof(record));
  code_indexed(c, R_CELL, 8, 8);
  code_load(c, ISA_SPACE_GLOBAL, ISA_TYPE_B64, R_B, R_IN, offsetof(record, b));
  code_load(c, ISA_SPACE_GLOBAL, ISA_TYPE_B64, R_C, R_IN, offsetof(record, c));
  code_load(c, ISA_SPACE_GLOBAL, ISA_TYPE_B64, R_D, R_IN, offsetof(record, d));
  code_load(c, ISA_SPACE_GLOBAL, ISA_TYPE_B64, R_FLAG, R_IN, offsetof(record, slot));
  code_setp(c, ISA_CMP_NE, ISA_TYPE_U32, 0, R_FLAG + 1, 0);
  // The cells of the warp begin at the cell of its first lane.
  code_s2r(c, 1, ISA_SREG_LANEID);
  code_3i(c, ISA_OP_MUL, ISA_TYPE_U32, 1, 1, 8);
  if (shared) {
    code_s2r(c, 2, ISA_SREG_TID_X);
    code_3i(c, ISA_OP_MUL, ISA_TYPE_U32, R_OWN, 2, 8);
    code_load(c, ISA_SPACE_GLOBAL, ISA_TYPE_B64, R_BASE, R_CELL, 0);
    code_store(c, ISA_SPACE_SHARED, ISA_TYPE_B64, R_OWN, 0, R_BASE);
    code_put(c, isa_inst_new(ISA_OP_BAR, ISA_TYPE_B32));
    code_3(c, ISA_OP_SUB, ISA_TYPE_U32, R_BASE, R_OWN, 1);
    code_3(c, ISA_OP_ADD, ISA_TYPE_U32, R_BASE, R_BASE, R_FLAG);
    isa_inst high = isa_inst_new(ISA_OP_MOV, ISA_TYPE_B32);
    high.d = R_BASE + 1, high.imm_at = ISA_IMM_A, high.imm = ISA_WINDOW_SHARED >> 32;
    code_put(c, high);
  } else {
    isa_inst widen = isa_inst_new(ISA_OP_I2I, ISA_TYPE_S64);
    code_3(c, ISA_OP_SUB, ISA_TYPE_U32, 1, R_FLAG, 1);
    widen.type2 = ISA_TYPE_S32, widen.d = R_BASE, widen.a = 1;
    code_put(c, widen);
    code_3(c, ISA_OP_ADD, ISA_TYPE_U64, R_BASE, R_BASE, R_CELL);
  }
  isa_inst atomic = *i;
  atomic.a = R_BASE;
  atomic.b = R_B;
  if (isa_words(i, 3))
    atomic.c = R_C;
  if (i->op == ISA_OP_ATOM && i->d != ISA_RZ)
    atomic.d = R_D;
  code_put(c, atomic);
  code_store(c, ISA_SPACE_GLOBAL, ISA_TYPE_B64, R_IN, offsetof(record, d), R_D);
  if (shared) {
    code_put(c, isa_inst_new(ISA_OP_BAR, ISA_TYPE_B32));
    code_load(c, ISA_SPACE_SHARED, ISA_TYPE_B64, R_BASE, R_OWN, 0);
    code_store(c, ISA_SPACE_GLOBAL, ISA_TYPE_B64, R_CELL, 0, R_BASE);
  }
  code_exit(c);
}

// Replaces `bytes` of a cell.
static void cell_put(uint64_t *cell, uint64_t value, unsigned bits) {
  *cell = (*cell & ~ref_mask(bits)) | (value & ref_mask(bits));
}

static bool same_value(const isa_inst *i, uint64_t want, uint64_t got) {
  unsigned bits = isa_types[i->type].bits;
  if (isa_types[i->type].kind == 'F') {
    const ref_format *f = ref_format_of(i->type);
    if ((want ^ got) & ~ref_mask(bits))
      return false;
    if (ref_is_nan(f, want & ref_mask(bits)) && ref_is_nan(f, got & ref_mask(bits)))
      return true;
  }
  return want == got;
}

static void atomic_check(bed *x, const isa_inst *i, unsigned home) {
  unsigned bits = isa_types[i->type].bits, shown = 0;
  for (unsigned k = 0; k < THREADS && shown < 2; k++) {
    record *r = &x->before[k];
    uint64_t *cell = &x->cell[k / 32 * 32 + r->slot / 8], want = r->d;
    bool high = r->slot % 8 != 0;
    if (i->guard == ISA_PT || (r->guard != 0) != i->guard_neg) {
      uint64_t old = (high ? *cell >> 32 : *cell) & ref_mask(bits);
      uint64_t next = ref_atomic(i, old, r->b & ref_mask(bits), r->c & ref_mask(bits));
      if (high)
        *cell = (*cell & 0xffffffff) | next << 32;
      else
        cell_put(cell, next, bits);
      if (i->op == ISA_OP_ATOM && i->d != ISA_RZ)
        cell_put(&want, old, bits);
    }
    x->b->checks++;
    if (same_value(i, want, x->after[k].d) || !bench_fail(x->b))
      continue;
    shown++;
    printf("thread %u, %s memory: ", k, isa_space_name(home));
    inst_print(i);
    printf("  b = 0x%llx c = 0x%llx slot %u: want d = 0x%llx, got 0x%llx\n",
           (unsigned long long)r->b, (unsigned long long)r->c, r->slot, (unsigned long long)want,
           (unsigned long long)x->after[k].d);
    bench_hint(x->b);
  }
  for (unsigned k = 0; k < THREADS && shown < 2; k++) {
    uint64_t want = x->cell[k], got = x->cell_after[k];
    bool same = bits == 64 ? same_value(i, want, got)
                           : same_value(i, want & 0xffffffff, got & 0xffffffff) &&
                                 same_value(i, want >> 32, got >> 32);
    x->b->checks++;
    if (same || !bench_fail(x->b))
      continue;
    shown++;
    printf("%s cell %u: ", isa_space_name(home), k);
    inst_print(i);
    printf("  want 0x%llx, got 0x%llx\n", (unsigned long long)x->cell[k],
           (unsigned long long)x->cell_after[k]);
    bench_hint(x->b);
  }
}

static uint64_t atomic_operand(dice *d, const isa_inst *i, uint64_t cell) {
  bool counter = i->fn == ISA_ATOM_INC || i->fn == ISA_ATOM_DEC;
  if (counter && dice_below(d, 2))
    return dice_below(d, 6);
  if (i->fn == ISA_ATOM_CAS && dice_below(d, 3))
    return cell;
  return dice_operand(d, i->type);
}

static void atomic_run(bed *x, const isa_inst *i, unsigned home, unsigned slots, uint64_t salt) {
  rig_begin(&x->rig);
  code *c = malloc(sizeof *c);
  dice d = dice_new(x->b, salt);
  unsigned bytes = isa_types[i->type].bits / 8;
  for (unsigned k = 0; k < THREADS; k++) {
    x->cell[k] = bytes == 8 ? dice_operand(&d, i->type)
                            : dice_operand(&d, i->type) | dice_operand(&d, i->type) << 32;
    if (i->fn == ISA_ATOM_INC || i->fn == ISA_ATOM_DEC)
      x->cell[k] = (uint64_t)dice_below(&d, 8) << 32 | dice_below(&d, 8);
  }
  for (unsigned k = 0; k < THREADS; k++) {
    record *r = &x->before[k];
    r->slot = dice_below(&d, slots) * bytes;
    uint64_t cell = x->cell[k / 32 * 32 + r->slot / 8];
    cell = r->slot % 8 ? cell >> 32 : cell;
    r->b =
        (atomic_operand(&d, i, cell) & ref_mask(8 * bytes)) | (dice_u64(&d) & ~ref_mask(8 * bytes));
    r->c = dice_operand(&d, i->type);
    r->d = dice_u64(&d);
    r->guard = dice_below(&d, 4) != 0;
  }
  code_atomic(c, i, home);
  const uint64_t params[2] = {x->in, x->cells};
  rig_setup setup = {.shape = {{BLOCKS, 1, 1}, {BLOCK, 1, 1}, 0},
                     .shared_bytes = BLOCK * 8,
                     .params = params,
                     .param_bytes = sizeof params};
  rig_write(&x->rig, x->in, x->before, sizeof x->before);
  rig_write(&x->rig, x->cells, x->cell, sizeof x->cell);
  if (rig_run(x->b, &x->rig, c, &setup, MACHINE_OK) == MACHINE_OK) {
    rig_read(&x->rig, x->after, x->in, sizeof x->after);
    rig_read(&x->rig, x->cell_after, x->cells, sizeof x->cell_after);
    atomic_check(x, i, home);
    bench_cover(x->b, i);
  }
  free(c);
}

static void form_run(void *ctx, const isa_inst *proto) {
  bed *x = ctx;
  static const unsigned spaces[][2] = {{ISA_SPACE_GLOBAL, ISA_SPACE_GLOBAL},
                                       {ISA_SPACE_SHARED, ISA_SPACE_SHARED},
                                       {ISA_SPACE_GENERIC, ISA_SPACE_GLOBAL},
                                       {ISA_SPACE_GENERIC, ISA_SPACE_SHARED}};
  static const unsigned slots[] = {1, 2, 7, 32};
  for (unsigned s = 0; s < 4; s++)
    for (unsigned n = 0; n < 12; n++) {
      isa_inst i = *proto;
      if (x->b->brief && n % 3 != (s + i.fn) % 3)  // with each number of slots
        continue;
      i.space = (uint8_t)spaces[s][0];
      i.order = (uint8_t)(n % ISA_ORDERS), i.hint = (uint8_t)(n % 3);
      i.d = i.op == ISA_OP_ATOM && n != 11 ? 0 : ISA_RZ;  // 0 stands for "has a destination"
      if (n % 3 == 1) {
        i.guard = 0;
        i.guard_neg = n % 2;
      }
      if (!isa_check(&i))
        atomic_run(
            x, &i, spaces[s][1], slots[n % 4],
            (uint64_t)i.op << 32 | (uint64_t)i.type << 16 | (uint64_t)i.fn << 10 | s << 5 | n);
    }
}

void ops_atomics(bench *b) {
  bed *x = calloc(1, sizeof *x);
  x->b = b;
  rig_open(&x->rig);
  x->in = rig_buffer(&x->rig, sizeof x->before);
  x->cells = rig_buffer(&x->rig, sizeof x->cell);
  inst_each(ISA_OP_ATOM, form_run, x);
  inst_each(ISA_OP_RED, form_run, x);
  rig_close(&x->rig);
  free(x);
}

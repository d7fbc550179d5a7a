// SPDX-License-Identifier: Apache-2.0
// Loads and stores: every space, also through its generic window, every type, order and a sign of
// the offset, at random aligned places; and the faults of places that are none.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ref.h"
#include "rig.h"

enum { BLOCK = 96, BLOCKS = 2, THREADS = BLOCK * BLOCKS, AREA = 64, BANK = 1024, SHARED_AT = 64 };
enum { R_OUT = 6, R_SHARED = 8, R_ADDRESS = 12, R_DATA = 16, P_GUARD = 5 };

// What a thread gets: its own area, the data register before, and where to access.
typedef struct access {
  uint8_t area[AREA];
  uint32_t data[4];
  uint32_t address, guard;
  uint32_t pad[2];
} access;

typedef struct bed {
  bench *b;
  rig rig;
  uint64_t in, out;
  access before[THREADS], after[THREADS];  // after: data and area
  uint8_t bank[BANK];                      // constants, and parameters behind the first 16 bytes
} bed;

static unsigned bytes_of(const isa_inst *i) {
  return isa_types[i->type].bits / 8;
}
static bool read_only(unsigned home) {
  return home == ISA_SPACE_CONST || home == ISA_SPACE_PARAM;
}

// r12 = the place of the access, by the space in which it really is.
static void code_address(code *c, const isa_inst *i, unsigned home) {
  static const uint64_t window[ISA_SPACES] = {[ISA_SPACE_SHARED] = ISA_WINDOW_SHARED,
                                              [ISA_SPACE_LOCAL] = ISA_WINDOW_LOCAL,
                                              [ISA_SPACE_CONST] = ISA_WINDOW_CONST,
                                              [ISA_SPACE_PARAM] = ISA_WINDOW_PARAM};
  code_load(c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, R_ADDRESS, 4, offsetof(access, address));
  code_3i(c, ISA_OP_SUB, ISA_TYPE_U32, R_ADDRESS, R_ADDRESS, i->imm);
  if (home == ISA_SPACE_SHARED)
    code_3(c, ISA_OP_ADD, ISA_TYPE_U32, R_ADDRESS, R_ADDRESS, R_SHARED);
  if (home == ISA_SPACE_GLOBAL) {
    isa_inst extend = isa_inst_new(ISA_OP_I2I, ISA_TYPE_S64);
    extend.type2 = ISA_TYPE_S32, extend.d = R_ADDRESS, extend.a = R_ADDRESS;
    code_put(c, extend);
    code_3(c, ISA_OP_ADD, ISA_TYPE_U64, R_ADDRESS, R_ADDRESS, 4);
  } else if (i->space == ISA_SPACE_GENERIC) {
    isa_inst high = isa_inst_new(ISA_OP_MOV, ISA_TYPE_B32);
    high.d = R_ADDRESS + 1, high.imm_at = ISA_IMM_A, high.imm = (uint32_t)(window[home] >> 32);
    code_put(c, high);
  }
}

static void code_copy(code *c, unsigned to, unsigned to_reg, int32_t to_at, unsigned from,
                      unsigned from_reg, int32_t from_at) {
  for (int32_t w = 0; w < AREA; w += 4) {
    code_load(c, from, ISA_TYPE_B32, 0, from_reg, from_at + w);
    code_store(c, to, ISA_TYPE_B32, to_reg, to_at + w, 0);
  }
}

static void code_access(code *c, const isa_inst *i, unsigned home) {
  bool own = home == ISA_SPACE_SHARED || home == ISA_SPACE_LOCAL;
  unsigned reg = home == ISA_SPACE_SHARED ? R_SHARED : home == ISA_SPACE_LOCAL ? ISA_RZ : 4u;
  int32_t at = home == ISA_SPACE_LOCAL ? AREA : 0;
  c->count = 0;
  code_thread_address(c, 4, 0, sizeof(access));
  code_indexed(c, R_OUT, 8, sizeof(access));
  code_s2r(c, 1, ISA_SREG_TID_X);
  code_3i(c, ISA_OP_MUL, ISA_TYPE_U32, R_SHARED, 1, AREA);
  code_3i(c, ISA_OP_ADD, ISA_TYPE_U32, R_SHARED, R_SHARED, SHARED_AT);
  if (own)
    code_copy(c, home, reg, at, ISA_SPACE_GLOBAL, 4, 0);
  code_load(c, ISA_SPACE_GLOBAL, ISA_TYPE_B128, R_DATA, 4, offsetof(access, data));
  code_load(c, ISA_SPACE_GLOBAL, ISA_TYPE_B32, 0, 4, offsetof(access, guard));
  code_setp(c, ISA_CMP_NE, ISA_TYPE_U32, P_GUARD, 0, 0);
  code_address(c, i, home);
  isa_inst access_it = *i;
  access_it.a = R_ADDRESS;
  *(i->op == ISA_OP_LD ? &access_it.d : &access_it.b) = R_DATA;
  code_put(c, access_it);
  code_store(c, ISA_SPACE_GLOBAL, ISA_TYPE_B128, R_OUT, offsetof(access, data), R_DATA);
  if (!read_only(home))
    code_copy(c, ISA_SPACE_GLOBAL, R_OUT, 0, home, reg, at);
  code_exit(c);
}

// What the access does to a thread's area and data.
static void access_model(const bed *x, const isa_inst *i, unsigned home, access *t) {
  const uint8_t *bank = x->bank + t->address;
  unsigned bytes = bytes_of(i), at = home == ISA_SPACE_LOCAL ? t->address - AREA : t->address;
  if (i->guard != ISA_PT && (t->guard != 0) == i->guard_neg)
    return;
  if (i->op == ISA_OP_ST) {
    memcpy(t->area + at, t->data, bytes);
    return;
  }
  const uint8_t *from = read_only(home) ? bank : t->area + at;
  if (bytes >= 4) {
    memcpy(t->data, from, bytes);
    return;
  }
  uint64_t x0 = from[0] | (bytes == 2 ? (uint64_t)from[1] << 8 : 0);
  t->data[0] = isa_types[i->type].kind == 'S' ? (uint32_t)ref_sext(x0, 8 * bytes) : (uint32_t)x0;
}

static void access_check(bed *x, const isa_inst *i, unsigned home) {
  for (unsigned k = 0, shown = 0; k < THREADS && shown < 2; k++) {
    access want = x->before[k];
    const access *got = &x->after[k];
    access_model(x, i, home, &want);
    bool same = memcmp(want.data, got->data, sizeof want.data) == 0 &&
                (read_only(home) || memcmp(want.area, got->area, AREA) == 0);
    x->b->checks++;
    if (same || !bench_fail(x->b))
      continue;
    shown++;
    printf("thread %u, %s memory at 0x%x: ", k, isa_space_name(home), want.address);
    inst_print(i);
    for (unsigned w = 0; w < 4; w++)
      if (want.data[w] != got->data[w])
        printf("  data %u: want 0x%08x, got 0x%08x\n", w, want.data[w], got->data[w]);
    for (unsigned w = 0; w < AREA && !read_only(home); w++)
      if (want.area[w] != got->area[w])
        printf("  byte %u: want 0x%02x, got 0x%02x\n", w, want.area[w], got->area[w]);
    bench_hint(x->b);
  }
}

static void access_run(bed *x, const isa_inst *i, unsigned home, uint64_t salt) {
  rig_begin(&x->rig);
  uint8_t params[16 + BANK];
  code *c = malloc(sizeof *c);
  dice d = dice_new(x->b, salt);
  memset(x->before, 0, sizeof x->before);
  for (unsigned k = 0; k < THREADS; k++) {
    access *t = &x->before[k];
    unsigned bytes = bytes_of(i);
    for (unsigned n = 0; n < AREA; n++)
      t->area[n] = (uint8_t)dice_u64(&d);
    for (unsigned w = 0; w < 4; w++)
      t->data[w] = (uint32_t)dice_u64(&d);
    t->guard = dice_below(&d, 4) != 0;
    t->address = dice_below(&d, AREA / bytes) * bytes;
    if (home == ISA_SPACE_LOCAL)
      t->address += AREA;
    if (read_only(home))  // room for either sign of the offset, and past the two pointers
      t->address = 64 + dice_below(&d, (BANK - 128) / bytes) * bytes;
  }
  for (unsigned n = 0; n < BANK; n++)
    x->bank[n] = (uint8_t)dice_u64(&d);
  if (home == ISA_SPACE_PARAM) {
    memcpy(x->bank, &x->in, 8);
    memcpy(x->bank + 8, &x->out, 8);
  }
  memcpy(params, x->bank, BANK);
  memcpy(params, &x->in, 8);
  memcpy(params + 8, &x->out, 8);
  code_access(c, i, home);
  rig_setup setup = {.shape = {{BLOCKS, 1, 1}, {BLOCK, 1, 1}, 0},
                     .shared_bytes = SHARED_AT + BLOCK * AREA,
                     .local_bytes = 3 * AREA,
                     .constants = x->bank,
                     .constant_bytes = BANK,
                     .params = params,
                     .param_bytes = BANK};
  rig_write(&x->rig, x->in, x->before, sizeof x->before);
  if (rig_run(x->b, &x->rig, c, &setup, MACHINE_OK) == MACHINE_OK) {
    rig_read(&x->rig, x->after, x->out, sizeof x->after);
    access_check(x, i, home);
    bench_cover(x->b, i);
  }
  free(c);
}

static void form_run(void *ctx, const isa_inst *proto) {
  bed *x = ctx;
  static const int32_t offsets[] = {0, 16, -32};
  for (unsigned space = 0; space < ISA_SPACES; space++)
    for (unsigned home = ISA_SPACE_GLOBAL; home < ISA_SPACES; home++)
      for (unsigned n = 0; n < ISA_ORDERS * 6; n++) {
        isa_inst i = *proto;
        if (space != ISA_SPACE_GENERIC && space != home)
          continue;
        if (i.op == ISA_OP_ST && read_only(home))
          continue;
        if (x->b->brief && n % 6 != n / 6 % 6)  // one of each order, with another guard and hint
          continue;
        i.space = (uint8_t)space, i.order = (uint8_t)(n / 6);
        i.scope = i.order >= ISA_ORDER_RELAXED ? ISA_SCOPE_GPU : ISA_SCOPE_NONE;
        i.hint = (uint8_t)(n % 3), i.imm = (uint32_t)offsets[n % 3];
        if (i.hint == ISA_HINT_FAR && isa_may_have_far_data(&i))
          i.hint = ISA_HINT_FAR_DATA;
        if (n % 2) {
          i.guard = P_GUARD;
          i.guard_neg = n / 2 % 2;
        }
        if (!isa_check(&i))
          access_run(x, &i, home,
                     (uint64_t)i.op << 32 | (uint64_t)i.type << 16 | space << 12 | home << 8 | n);
      }
}

// One thread accesses a place that it must not; `guarded` keeps it from doing so.
static void fault_run(bed *x, unsigned op, unsigned type, unsigned space, uint64_t address,
                      machine_error expected, bool guarded) {
  rig_begin(&x->rig);
  code *c = calloc(1, sizeof *c);
  isa_inst i = isa_inst_new(op, type);
  i.space = (uint8_t)space, i.a = R_ADDRESS;
  *(op == ISA_OP_LD ? &i.d : &i.b) = R_DATA;
  if (op == ISA_OP_RED)
    i.fn = ISA_ATOM_ADD;
  i.guard = P_GUARD;
  code_s2r(c, 0, ISA_SREG_TID_X);
  code_setp(c, guarded ? ISA_CMP_GT : ISA_CMP_EQ, ISA_TYPE_U32, P_GUARD, 0, guarded ? 99 : 3);
  for (unsigned w = 0; w < 2; w++) {
    isa_inst half = isa_inst_new(ISA_OP_MOV, ISA_TYPE_B32);
    half.d = R_ADDRESS + w, half.imm_at = ISA_IMM_A, half.imm = (uint32_t)(address >> 32 * w);
    code_put(c, half);
  }
  code_put(c, i);
  code_exit(c);
  uint64_t params[2] = {0};
  rig_setup setup = {.shape = {{1, 1, 1}, {BLOCK, 1, 1}, 0},
                     .shared_bytes = 256,
                     .local_bytes = 64,
                     .constants = x->bank,
                     .constant_bytes = 64,
                     .params = params,
                     .param_bytes = sizeof params};
  x->b->checks++;
  rig_run(x->b, &x->rig, c, &setup, guarded ? MACHINE_OK : expected);
  free(c);
}

static void faults(bed *x) {
  static const unsigned types[] = {ISA_TYPE_U16, ISA_TYPE_B32, ISA_TYPE_B64, ISA_TYPE_B128};
  static const struct {
    unsigned space;
    uint64_t address;
  } outside[] = {{ISA_SPACE_GLOBAL, 0},
                 {ISA_SPACE_GENERIC, 0},
                 {ISA_SPACE_GLOBAL, 1ull << 36},
                 {ISA_SPACE_GLOBAL, 0xffffffffffffff00},
                 {ISA_SPACE_SHARED, 256},
                 {ISA_SPACE_SHARED, 0xffffff00},
                 {ISA_SPACE_LOCAL, 64},
                 {ISA_SPACE_GENERIC, ISA_WINDOW_SHARED + 256},
                 {ISA_SPACE_GENERIC, ISA_WINDOW_LOCAL + 64}};
  static const struct {
    unsigned space;
    uint64_t address;
  } read[] = {{ISA_SPACE_CONST, 64},
              {ISA_SPACE_PARAM, 16},
              {ISA_SPACE_GENERIC, ISA_WINDOW_CONST + 64},
              {ISA_SPACE_GENERIC, ISA_WINDOW_PARAM + 16}};
  for (unsigned guarded = 0; guarded < 2; guarded++) {
    for (unsigned k = 0; k < sizeof types / sizeof *types; k++)
      for (unsigned op = ISA_OP_LD; op <= ISA_OP_ST; op++) {
        uint64_t odd = isa_types[types[k]].bits / 16;
        fault_run(x, op, types[k], ISA_SPACE_GLOBAL, x->in + odd, MACHINE_FAULT_ALIGN, guarded);
        fault_run(x, op, types[k], ISA_SPACE_GENERIC, x->in + odd, MACHINE_FAULT_ALIGN, guarded);
        fault_run(x, op, types[k], ISA_SPACE_SHARED, odd, MACHINE_FAULT_ALIGN, guarded);
        fault_run(x, op, types[k], ISA_SPACE_LOCAL, odd, MACHINE_FAULT_ALIGN, guarded);
      }
    for (unsigned k = 0; k < sizeof outside / sizeof *outside; k++)
      for (unsigned op = ISA_OP_LD; op <= ISA_OP_RED; op++) {
        if (op == ISA_OP_ATOM ||
            (op == ISA_OP_RED && (outside[k].space == ISA_SPACE_LOCAL ||
                                  outside[k].address >> 40 == ISA_WINDOW_LOCAL >> 40)))
          continue;
        fault_run(x, op, op == ISA_OP_RED ? ISA_TYPE_U32 : ISA_TYPE_B32, outside[k].space,
                  outside[k].address, MACHINE_FAULT_ADDRESS, guarded);
      }
    for (unsigned k = 0; k < sizeof read / sizeof *read; k++)
      fault_run(x, ISA_OP_LD, ISA_TYPE_B32, read[k].space, read[k].address, MACHINE_FAULT_ADDRESS,
                guarded);
    for (unsigned op = ISA_OP_LD; op <= ISA_OP_ST; op++) {  // the first byte outside
      fault_run(x, op, ISA_TYPE_U8, ISA_SPACE_SHARED, 256, MACHINE_FAULT_ADDRESS, guarded);
      fault_run(x, op, ISA_TYPE_U8, ISA_SPACE_LOCAL, 64, MACHINE_FAULT_ADDRESS, guarded);
      fault_run(x, op, ISA_TYPE_U8, ISA_SPACE_GLOBAL, x->out + sizeof x->after,
                MACHINE_FAULT_ADDRESS, guarded);
    }
    fault_run(x, ISA_OP_LD, ISA_TYPE_U8, ISA_SPACE_CONST, 64, MACHINE_FAULT_ADDRESS, guarded);
    fault_run(x, ISA_OP_LD, ISA_TYPE_U8, ISA_SPACE_PARAM, 16, MACHINE_FAULT_ADDRESS, guarded);
    fault_run(x, ISA_OP_ST, ISA_TYPE_B32, ISA_SPACE_GENERIC, ISA_WINDOW_CONST,
              MACHINE_FAULT_ADDRESS, guarded);
    fault_run(x, ISA_OP_ST, ISA_TYPE_B32, ISA_SPACE_GENERIC, ISA_WINDOW_PARAM,
              MACHINE_FAULT_ADDRESS, guarded);
    fault_run(x, ISA_OP_LD, ISA_TYPE_B64, ISA_SPACE_SHARED, 252, MACHINE_FAULT_ALIGN, guarded);
  }
}

// Lanes at equal distances, as most programs access memory: side by side or with gaps, from any
// first element, in whole and in partial warps. Values go through 16-byte records.
static void dense_run(bed *x, const isa_inst *form, unsigned block, unsigned first, unsigned stride,
                      uint64_t salt) {
  enum { ARRAY = 16 * THREADS + 64 };
  uint8_t array[ARRAY], got[ARRAY];
  uint32_t records[THREADS][4], after[THREADS][4];
  isa_inst i = *form;
  unsigned bytes = bytes_of(&i), shown = 0;
  dice d = dice_new(x->b, salt);
  code *c = calloc(1, sizeof *c);
  rig_begin(&x->rig);
  for (unsigned k = 0; k < ARRAY; k++)
    array[k] = (uint8_t)dice_u64(&d);
  for (unsigned k = 0; k < THREADS; k++)
    for (unsigned w = 0; w < 4; w++)
      records[k][w] = (uint32_t)dice_u64(&d);
  code_thread_address(c, 4, 0, 16);
  code_indexed(c, R_ADDRESS, 8, stride);
  code_load(c, ISA_SPACE_GLOBAL, ISA_TYPE_B128, R_DATA, 4, 0);
  code_3i(c, ISA_OP_AND, ISA_TYPE_B32, 1, 0, 7);
  code_setp(c, ISA_CMP_NE, ISA_TYPE_U32, P_GUARD, 1, 5);
  i.a = R_ADDRESS, i.imm = first * bytes;
  *(i.op == ISA_OP_LD ? &i.d : &i.b) = R_DATA;
  code_put(c, i);
  code_store(c, ISA_SPACE_GLOBAL, ISA_TYPE_B128, 4, 0, R_DATA);
  code_exit(c);
  const uint64_t params[2] = {x->in, x->out};
  rig_setup setup = {.shape = {{THREADS / block, 1, 1}, {block, 1, 1}, 0},
                     .params = params,
                     .param_bytes = sizeof params};
  rig_write(&x->rig, x->in, records, sizeof records);
  rig_write(&x->rig, x->out, array, ARRAY);
  if (rig_run(x->b, &x->rig, c, &setup, MACHINE_OK) == MACHINE_OK) {
    rig_read(&x->rig, after, x->in, sizeof after);
    rig_read(&x->rig, got, x->out, ARRAY);
    for (unsigned k = 0; k < THREADS / block * block; k++) {
      access t = {.address = 0, .guard = k % 8 != 5};
      uint8_t *element = array + first * bytes + k * stride;
      memcpy(t.data, records[k], sizeof t.data);
      memcpy(t.area, element, bytes);
      access_model(x, &i, ISA_SPACE_GLOBAL, &t);
      memcpy(records[k], t.data, sizeof t.data);
      memcpy(element, t.area, bytes);
    }
    for (unsigned k = 0; k < THREADS && shown < 2; k++) {
      x->b->checks++;
      if (memcmp(records[k], after[k], sizeof after[k]) == 0 || !bench_fail(x->b))
        continue;
      shown++;
      printf("dense, thread %u of blocks of %u: ", k, block);
      inst_print(&i);
      printf("  data: want 0x%08x, got 0x%08x\n", records[k][0], after[k][0]);
      bench_hint(x->b);
    }
    if (memcmp(array, got, ARRAY) != 0 && bench_fail(x->b)) {
      printf("dense, blocks of %u, memory differs: ", block);
      inst_print(&i);
      bench_hint(x->b);
    }
  }
  free(c);
}

static void dense_form(void *ctx, const isa_inst *proto) {
  bed *x = ctx;
  static const unsigned blocks[] = {96, 32, 33, 13};
  for (unsigned n = 0; n < 24; n += x->b->brief ? 7 : 1) {  // 7: each block, guard, space, hint
    isa_inst i = *proto;
    i.space = n & 1 ? ISA_SPACE_GENERIC : ISA_SPACE_GLOBAL;
    i.hint = (uint8_t)(n % 3);
    if (i.hint == ISA_HINT_FAR && isa_may_have_far_data(&i))
      i.hint = ISA_HINT_FAR_DATA;
    if (n & 2)
      i.guard = P_GUARD;
    for (unsigned k = 0; k <= 4; k++) {
      const unsigned stride = 1 << k;
      if (stride >= bytes_of(&i) && !(x->b->brief && (k + n) % 2))
        dense_run(x, &i, blocks[n % 4], n % 5 == 0 ? 0 : n % 5 - 1, stride,
                  (uint64_t)i.op << 32 | (uint64_t)i.type << 16 | stride << 8 | n);
    }
  }
}

void ops_memory(bench *b) {
  bed *x = calloc(1, sizeof *x);
  x->b = b;
  rig_open(&x->rig);
  x->in = rig_buffer(&x->rig, sizeof x->before);
  x->out = rig_buffer(&x->rig, sizeof x->after);
  inst_each(ISA_OP_LD, form_run, x);
  inst_each(ISA_OP_ST, form_run, x);
  inst_each(ISA_OP_LD, dense_form, x);
  inst_each(ISA_OP_ST, dense_form, x);
  faults(x);
  rig_close(&x->rig);
  free(x);
}

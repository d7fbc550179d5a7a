// SPDX-License-Identifier: Apache-2.0
// check_addresses SEED OBJECT: launches each kernel of an object with random sizes and arguments on
// the functional machine. Wherever a thread accesses global memory, the sum that the compiler has
// found must be the address in its registers, or say that it is not known there. Prints how many
// were compared.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "csim/base/splitmix.h"
#include "csim/isa/machine.h"

enum { LAUNCHES = 12, STEPS = 20000, BUFFER = 1 << 20, LOOPS = 256, PARAMS = 4096 };

typedef struct checker {
  machine *m;
  const module *mod;
  const module_kernel *k;
  launch *l;
  launch_shape shape;
  uint8_t params[PARAMS];
  uint64_t seed;
  uint64_t variables[64];
  uint32_t last[1024];  // pc, of each thread of a block
  uint32_t loops[1024][LOOPS];
  uint64_t compared, unknown, not_affine, wrong;
} checker;

static uint32_t dice(checker *c, uint32_t n) {
  return (uint32_t)(splitmix(&c->seed) >> 33) % n;
}

// ---- a launch

static void random_shape(checker *c) {
  const uint32_t *required = c->k->reqntid;
  const uint32_t most = c->k->max_threads ? c->k->max_threads : 256;
  static const uint32_t x[] = {1, 7, 32, 33, 64, 128, 256}, y[] = {1, 1, 2, 3, 4};
  c->shape = (launch_shape){
      {1 + dice(c, 9), 1 + dice(c, 3), 1 + dice(c, 2)}, {x[dice(c, 7)], y[dice(c, 5)], 1}, 4096};
  if (required[0])
    memcpy(c->shape.block, required, sizeof c->shape.block);
  while (c->shape.block[0] * c->shape.block[1] * c->shape.block[2] > most)
    c->shape.block[c->shape.block[1] > 1] = 1;
}

// Mostly sizes that fit the buffers; sometimes what wraps.
static uint32_t random_number(checker *c) {
  static const uint32_t odd[] = {0, 0x7fffffff, 0x80000000, 0xffffffff, 0x40000001, 0xfffffff0};
  return dice(c, 6) ? 1 + dice(c, 300) : odd[dice(c, 6)];
}

static void random_params(checker *c, const uint64_t *buffers) {
  for (uint32_t p = 0; p < c->k->param_count; p++) {
    const module_param *x = &c->k->params[p];
    for (uint32_t at = 0; at < x->bytes; at += 4) {
      const uint32_t number = random_number(c);
      memcpy(c->params + x->offset + at, &number, x->bytes - at < 4 ? x->bytes - at : 4);
    }
    if (x->bytes == 8)
      memcpy(c->params + x->offset, &buffers[p % 8], 8);
  }
}

// ---- threads

static uint64_t lane_address(const checker *c, uint32_t block, uint32_t warp, uint32_t lane,
                             const isa_inst *i) {
  uint64_t base = 0;
  if (i->a != ISA_RZ)
    base = launch_reg(c->l, block, warp, lane, i->a) |
           (uint64_t)launch_reg(c->l, block, warp, lane, i->a + 1) << 32;
  return base + (uint64_t)(int64_t)(int32_t)i->imm;
}

static affine_point point_of(checker *c, uint32_t block, uint32_t thread) {
  const uint32_t *grid = c->shape.grid, *b = c->shape.block;
  affine_point p = {
      .params = c->params,
      .param_bytes = c->k->param_bytes,
      .tid = {thread % b[0], thread / b[0] % b[1], thread / b[0] / b[1]},
      .ctaid = {block % grid[0], block / grid[0] % grid[1], block / grid[0] / grid[1]},
      .loops = c->loops[thread],
      .variables = c->variables,
      .n_loops = LOOPS,
      .n_variables = c->mod->symbol_count};
  memcpy(p.ntid, b, sizeof p.ntid);
  memcpy(p.nctaid, grid, sizeof p.nctaid);
  return p;
}

static void compare(checker *c, const affine_access *a, const affine_point *p, uint64_t real,
                    uint32_t block, uint32_t thread) {
  uint64_t found;
  if (a->reason != AFFINE_IS) {
    c->not_affine++;
  } else if (!affine_address(&c->k->addresses, a, p, &found)) {
    c->unknown++;
  } else if (c->compared++, found != real) {
    c->wrong++;
    fprintf(stderr,
            "%s, pc 0x%x, block %u, thread %u: the sum is 0x%" PRIx64 ", the address 0x%" PRIx64
            "\n",
            c->k->name, a->pc, block, thread, found, real);
  }
}

static void count_loops(checker *c, uint32_t thread, uint32_t pc) {
  const affine_kernel *k = &c->k->addresses;
  for (uint32_t n = 0; n < k->n_loops && n < LOOPS; n++)
    if (k->loops[n].head == pc)
      c->loops[thread][n] = c->last[thread] == k->loops[n].back ? c->loops[thread][n] + 1 : 0;
  c->last[thread] = pc;
}

static void look(checker *c, uint32_t block, uint32_t warp) {
  uint32_t lanes;
  const uint32_t pc = launch_pc(c->l, block, warp, &lanes);
  const isa_inst *i = &c->k->insts[pc / ISA_BYTES];
  const affine_access *a = affine_at(&c->k->addresses, pc);
  for (uint32_t lane = 0; lane < ISA_LANES; lane++) {
    const uint32_t thread = warp * ISA_LANES + lane;
    if (!(lanes >> lane & 1))
      continue;
    count_loops(c, thread, pc);
    const bool guard = i->guard == ISA_PT || launch_pred(c->l, block, warp, lane, i->guard);
    if (!a || guard == i->guard_neg || c->wrong > 8)
      continue;
    const affine_point p = point_of(c, block, thread);
    compare(c, a, &p, lane_address(c, block, warp, lane, i), block, thread);
  }
}

// False: the launch is over, as an access was outside of all memory.
static bool run_block(checker *c, uint32_t block) {
  uint32_t steps = 0;
  bool any = true;
  memset(c->last, 0xff, sizeof c->last);
  if (launch_start_block(c->l, block))
    return false;
  while (any && steps < STEPS) {
    any = false;
    for (uint32_t w = 0; w < launch_warps(c->l); w++)
      while (launch_warp_state(c->l, block, w) == WARP_READY && steps++ < STEPS) {
        any = true;
        look(c, block, w);
        if (launch_step(c->l, block, w, NULL) == WARP_FAULT)
          return false;
      }
  }
  return true;
}

static bool run_launch(checker *c) {
  uint64_t buffers[8];
  static uint32_t numbers[BUFFER / 4];
  for (uint32_t n = 0; n < 8; n++) {
    for (uint32_t k = 0; k < BUFFER / 4; k++)
      numbers[k] = dice(c, 200);
    if (machine_malloc(c->m, BUFFER, &buffers[n]) ||
        machine_write(c->m, buffers[n], numbers, BUFFER))
      return false;
  }
  random_shape(c);
  random_params(c, buffers);
  if (!launch_new(c->m, (module *)c->mod, c->k, &c->shape, c->params, c->k->param_bytes, &c->l)) {
    const uint32_t blocks = launch_blocks(c->l), first = dice(c, blocks);
    if (run_block(c, first) && first + 1 < blocks)
      run_block(c, blocks - 1);
    launch_free(c->l);
  }
  for (uint32_t n = 0; n < 8; n++)
    machine_release(c->m, buffers[n]);
  return true;
}

// ---- an object

static module *load(const char *name) {
  static char image[1 << 24];
  char why[200] = "no such file";
  FILE *f = fopen(name, "rb");
  const size_t bytes = f ? fread(image, 1, sizeof image, f) : 0;
  module *mod = f ? module_load(image, bytes, why, sizeof why) : NULL;
  if (!mod)
    fprintf(stderr, "check_addresses: %s: %s\n", name, why);
  if (f)
    fclose(f);
  return mod;
}

int main(int argc, char **argv) {
  static checker c;
  if (argc != 3)
    return 2;
  machine_config config = machine_config_default();
  c.m = machine_new(&config);
  module *mod = load(argv[2]);
  if (!c.m || !mod || mod->symbol_count > 64 || machine_add_module(c.m, mod))
    return 2;
  c.mod = mod;
  c.seed = strtoull(argv[1], NULL, 0);
  for (uint32_t n = 0; n < mod->symbol_count; n++)
    c.variables[n] = machine_symbol_address(c.m, mod, &mod->symbols[n]);
  for (uint32_t k = 0; k < mod->kernel_count; k++)
    for (uint32_t n = 0; n < LAUNCHES; n++) {
      c.k = &mod->kernels[k];
      if (!run_launch(&c))
        return 2;
    }
  printf("compared %" PRIu64 ", not known %" PRIu64 ", not affine %" PRIu64 "\n", c.compared,
         c.unknown, c.not_affine);
  machine_free(c.m);
  return c.wrong != 0;
}

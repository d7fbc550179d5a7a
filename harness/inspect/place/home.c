// SPDX-License-Identifier: Apache-2.0
#include "home.h"

#include <stdlib.h>
#include <string.h>
#include "slice.h"

// Instructions of a warp; how often one of them accesses memory, until the loop is believed.
enum { LONGEST = 1024, TIMES = 12 };
// Sectors of other cores: of a block's, so many at least before it is given up; share.
enum { AWAY = 8 };
static const double AWAY_MOST = 0.02;

typedef struct home {
  launch *l;
  const place_find *f;
  const module_kernel *kernel;
  slice slice;
  uint32_t *times;         // that each instruction has accessed memory, in warp 0 of this block
  uint32_t seen, most;     // so many have; the most times
  uint32_t sectors, away;  // of this block; of other cores
  uint64_t instructions;
} home;

static void accessed(void *ctx, const machine_access *x) {
  home *h = ctx;
  h->sectors++;
  h->away += !place_find_at_home(h->f, x->address, x->block);
}

static bool mostly_home(const home *h) {
  return h->away <= AWAY_MOST * h->sectors;
}

static void note_access(home *h, uint32_t pc) {
  const uint32_t times = ++h->times[pc / ISA_BYTES];
  h->seen += times == 1;
  h->most = times > h->most ? times : h->most;
}

static bool step(home *h, uint32_t block, uint32_t warp) {
  uint32_t lanes;
  const uint32_t pc = launch_pc(h->l, block, warp, &lanes), before = h->sectors;
  h->instructions += h->slice.has[pc / ISA_BYTES] && (!warp || h->slice.waits);
  if (launch_step(h->l, block, warp, NULL) == WARP_FAULT)
    return false;
  if (!warp && h->sectors > before)
    note_access(h, pc);
  return h->away < AWAY || mostly_home(h);
}

// Warp 0 waits at a barrier. True: it goes on.
static bool help(home *h, uint32_t block) {
  for (uint32_t w = 1; w < launch_warps(h->l); w++)
    for (uint32_t n = 0; n < LONGEST && launch_warp_state(h->l, block, w) == WARP_READY &&
                         launch_warp_state(h->l, block, 0) == WARP_AT_BARRIER;
         n++)
      if (!step(h, block, w))
        return false;
  return launch_warp_state(h->l, block, 0) != WARP_AT_BARRIER;
}

// Warp 0 of a block has executed each of the kernel's instructions that access memory, or one of
// them many times, or all that it has.
static bool is_at_home(home *h, uint32_t block) {
  const uint32_t all = slice_accesses(h->kernel);
  if (launch_start_block(h->l, block))
    return false;
  memset(h->times, 0, h->kernel->inst_count * sizeof *h->times);
  h->seen = h->most = h->sectors = h->away = 0;
  for (uint32_t n = 0; n < LONGEST && h->seen < all && h->most < TIMES; n++) {
    const warp_state state = launch_warp_state(h->l, block, 0);
    if (state == WARP_DONE)
      return h->seen && mostly_home(h);
    if (state == WARP_AT_BARRIER ? !help(h, block) : !step(h, block, 0))
      return false;
  }
  return (h->seen == all || h->most == TIMES) && mostly_home(h);
}

// Two blocks far from each other, of different cores. False: the grid has none.
static bool choose_blocks(const launch *l, uint32_t block[2]) {
  const uint32_t blocks = launch_blocks(l);
  block[0] = (uint32_t)((uint64_t)blocks * 2 / 3);
  block[1] = blocks / 4 + 1;
  return block[0] != block[1] && block[1] < blocks;
}

static bool executed(machine *m, home *h, const uint32_t block[2]) {
  h->times = calloc(h->kernel->inst_count + 1, sizeof *h->times);
  const bool memory = slice_of(h->kernel, &h->slice) && h->times;
  machine_set_accessed(m, accessed, h);
  const bool found = memory && is_at_home(h, block[0]) && is_at_home(h, block[1]);
  machine_set_accessed(m, NULL, NULL);
  free(h->times);
  free(h->slice.has);
  return found;
}

bool home_launch(machine *m, launch *l, const sums_launch *sums, const place_find *f,
                 uint64_t *instructions, bool *by_sums) {
  home h = {.l = l, .f = f, .kernel = sums->kernel};
  uint32_t block[2];
  *instructions = 0;
  if (!choose_blocks(l, block))
    return false;
  *by_sums = sums_at_home(sums, f, block[0], AWAY_MOST, instructions) &&
             sums_at_home(sums, f, block[1], AWAY_MOST, instructions);
  if (*by_sums)
    return true;
  const bool found = executed(m, &h, block);
  *instructions += h.instructions;
  return found;
}

// SPDX-License-Identifier: Apache-2.0
// Where the words of shared memory go, for each kernel: by how many banks each row is turned, so
// that the lanes of an access meet in as few banks as possible. docs/mpucc.md.
#include "csim/isa/skew.h"
#include "chains.h"
#include "locate.h"

// WORTH: per cent of the passes without a skew that those with one must come below.
enum { LANES = 32, WORD = 4, WORTH = 95, WINDOW_ZEROS = 6, MIDDLE = 8192, WORDS = 16384 };

// Passes of shared memory for lanes `stride` bytes apart: the words that the fullest bank has.
static uint32_t passes(uint32_t base, int64_t stride, uint32_t skew) {
  uint32_t found[LANES], in_bank[SKEW_BANKS] = {0}, most = 0;
  for (uint32_t l = 0; l < LANES; l++) {
    const int64_t word = MIDDLE + ((int64_t)base + l * stride) / WORD;
    found[l] = skew_word((uint32_t)word % WORDS, skew);
    bool seen = false;
    for (uint32_t k = 0; k < l; k++)
      seen |= found[k] == found[l];
    const uint32_t n = seen ? 0 : ++in_bank[found[l] % SKEW_BANKS];
    most = n > most ? n : most;
  }
  return most;
}

// In 32nds, over all places in a row at which it may begin. A window begins at a multiple of 64
// bytes.
static int64_t passes_anywhere(const isa_inst *i, chain_stride at, uint32_t skew) {
  const uint32_t zeros = at.zeros < WINDOW_ZEROS ? at.zeros : WINDOW_ZEROS, row = LANES * WORD;
  const uint32_t step = 1u << (zeros < 2 ? 2 : zeros);
  int64_t all = 0;
  for (uint32_t base = 0; base < row; base += step)
    all += passes(base + (uint32_t)i->imm % row, at.x, skew);
  return all * LANES * step / row;
}

static bool follows_lanes(const chains *v, const isa_inst *i, chain_stride at) {
  return mir_is_memory(i) && i->space == ISA_SPACE_SHARED && ISA_REG_IS_VIRTUAL(i->a) &&
         v->varies[ISA_REG_ID(i->a)] && at.x != STRIDE_UNKNOWN && at.x != STRIDE_NONE;
}

static int64_t cost(const chains *v, uint32_t skew) {
  int64_t all = 0;
  for (uint32_t s = 0; s < v->site_count; s++) {
    const isa_inst *i = &v->sites[s].mi->i;
    if (!mir_is_memory(i))
      continue;
    const chain_stride at = stride_operand(v, s, 1);
    const int64_t words = isa_types[i->type].bits <= 32 ? 1 : isa_types[i->type].bits / 32;
    if (follows_lanes(v, i, at))
      all += v->sites[s].count * words * passes_anywhere(i, at, skew);
  }
  return all;
}

void mir_choose_skew(mir_module *m, const mir_profile *profile) {
  for (uint32_t n = 0; n < m->kernel_count; n++) {
    mir_kernel *k = &m->kernels[n];
    if (k->dies != ISA_DIES_HYBRID)
      continue;
    chains v;
    chains_build(&v, k, mir_profile_of(profile, k));
    const int64_t without = cost(&v, 0);
    int64_t least = without;
    for (uint32_t skew = 1; skew < SKEWS; skew++) {
      const int64_t with = cost(&v, skew);
      if (with < least && with * 100 < without * WORTH)
        least = with, k->skew = (uint8_t)skew;
    }
    chains_free(&v);
  }
}

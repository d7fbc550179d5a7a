// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel a core has room for. front.c places them: their warps go to the
// subcores in turn, and each takes a slot there and registers in pieces of both files.
#include "core.h"

#include "csim/isa/module.h"

static uint64_t pieces(uint64_t n, uint64_t piece) {
  return (n + piece - 1) / piece;
}

// Warps of a subcore whose registers fit in a file.
static uint64_t warps_in(uint32_t file_bytes, uint32_t registers) {
  const uint64_t piece = MACHINE_REGS * ISA_LANES * 4, each = pieces(registers, MACHINE_REGS);
  return each ? file_bytes / piece / each : UINT32_MAX;
}

uint32_t core_room(const core_config *c, const module_kernel *k, uint32_t threads,
                   uint64_t shared) {
  const uint64_t warps = pieces(threads, ISA_LANES);
  const uint64_t each = pieces(k->shared_bytes + shared, CORE_SHARED_UNIT);
  if (!warps)
    return 0;
  const uint64_t limits[] = {
      c->block_slots,
      (uint64_t)NEAR_NBUS * c->warp_slots / warps,
      NEAR_NBUS * warps_in(c->far_rf_bytes, (uint32_t)k->regs_both + k->regs_far) / warps,
      NEAR_NBUS * warps_in(c->near_rf_bytes, (uint32_t)k->regs_both + k->regs_near) / warps,
      each ? c->shared_bytes / CORE_SHARED_UNIT / each : UINT64_MAX,
  };
  uint64_t room = limits[0];
  for (unsigned n = 1; n < sizeof limits / sizeof *limits; n++)
    room = limits[n] < room ? limits[n] : room;
  return (uint32_t)room;
}

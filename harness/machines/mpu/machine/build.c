// SPDX-License-Identifier: Apache-2.0
#include "build.h"

#include <assert.h>

#include "harness/machines/common/channel_of.h"
#include "csim/mpu/regfile.h"
#include "harness/base/noc/noc_of.h"

isa_dies dies_of_config(const config *c) {
  static const isa_dies of_place[] = {[CONFIG_PLACE_NEAR] = ISA_DIES_HYBRID,
                                      [CONFIG_PLACE_FAR] = ISA_DIES_FAR_SHARED,
                                      [CONFIG_PLACE_BOTH] = ISA_DIES_BOTH_SHARED};
  return c->core.compute == CONFIG_COMPUTE_BASE_DIE ? ISA_DIES_BASE : of_place[c->shared.place];
}

// Rows of a bank of shared memory that hold so many bytes: a power of two.
static uint32_t shared_rows(uint32_t bytes) {
  uint32_t rows = 2;
  while (rows * SMEM_BANKS * 4 < bytes)
    rows *= 2;
  return rows;
}

// What nobody uses has its default size: for that no Verilog need be built.
static structure sizes_of(const config *c) {
  structure s = structure_default;
  s.queue = c->dram.queue;
  s.held = c->near.packets;
  s.forms = c->near.forms;
  s.patterns = c->near.patterns;
  s.skew = c->shared.skew && c->shared.place != CONFIG_PLACE_FAR;
  s.entries = c->near.lsu_entries, s.collectors = c->near.collectors;
  s.rows = c->dram.rows, s.cols = c->dram.row_bytes / DRAM_BYTES;
  s.subarrays = c->dram.subarrays;
  s.flits = c->tsv.flits_per_cycle;
  s.rx_depth = c->tsv.down_flits, s.up_credits = c->tsv.up_flits;
  if (c->core.compute != CONFIG_COMPUTE_BASE_DIE)
    s.rf_rows = c->core.near_rf_bytes / (REGFILE_BANKS * REGFILE_LANES * 4);
  if (c->shared.place != CONFIG_PLACE_FAR)
    s.smem_rows = shared_rows(c->shared.bytes);
  return s;
}

core_config core_of_config(const config *c) {
  return (core_config){
      .warp_slots = c->core.warp_slots,
      .block_slots = c->core.block_slots,
      .collectors = c->core.collectors,
      .lsu_queue = c->core.lsu_queue,
      .tsv_queue = c->tsv.queue,
      .far_rf_bytes = c->core.far_rf_bytes,
      .near_rf_bytes = c->core.near_rf_bytes,
      .shared_bytes = c->shared.bytes,
      .icache_bytes = c->core.icache_bytes,
      .icache_line = c->core.icache_line,
      .icache_miss = c->core.icache_miss,
      .constant_latency = c->core.constant_latency,
      .remote_lines = c->remote.lines,
      .cache_bytes = c->remote.cache_bytes,
      .cache_ways = c->remote.cache_ways,
      .fetch = c->remote.fetch == CONFIG_FETCH_WANTED   ? CORE_FETCH_WANTED
               : c->remote.fetch == CONFIG_FETCH_SECTOR ? CORE_FETCH_SECTOR
                                                        : CORE_FETCH_LINE,
      .trefi = c->dram.refresh ? c->dram.tREFI : 0,
      .stall_limit = c->core.stall_limit,
      .schedule = c->core.schedule == CONFIG_SCHEDULE_LRR ? CORE_LRR : CORE_GTO,
      .dies = dies_of_config(c),
      .sizes = sizes_of(c),
  };
}

map_config map_of_config(const config *c) {
  return (map_config){.processors = c->machine.processors,
                      .cores = c->machine.cores,
                      .column_below = c->map.column_below,
                      .row_below = c->map.row_below,
                      .columns = c->dram.row_bytes / DRAM_BYTES,
                      .rows = c->dram.rows,
                      .processor_first = c->map.first == CONFIG_FIRST_PROCESSOR};
}

sim_config sim_of_config(const config *c, near_mode mode) {
  sim_config k = {
      .core = core_of_config(c),
      .near = {.channel = channel_of_config(c)},
      .map = map_of_config(c),
      .noc = noc_of_config(c),
      .router_cycles = noc_steps_a_cycle(c),
      .interface = c->network.interface,
      .requests = c->network.requests,
      .schedule = c->machine.blocks == CONFIG_BLOCKS_CONTINUOUS ? SIM_CONTINUOUS : SIM_INTERLEAVED,
      .threads = 1,
  };
  for (uint32_t n = 0; n < SIM_CORES; n++)
    k.mode[n] = mode;
  return k;
}

sim_config sim_config_default(near_mode mode) {
  char why[CONFIG_WHY];
  config c;
  const bool ok = config_from_preset(&c, "small", why, sizeof why);
  assert(ok);
  (void)ok;
  return sim_of_config(&c, mode);
}

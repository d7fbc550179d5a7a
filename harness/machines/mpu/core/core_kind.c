// SPDX-License-Identifier: Apache-2.0
// What a core declares (harness/base/schedule/node.h): counters of stats.def, classes.def and
// csim/mpu/tsv.def, energies of energies.def, modules.
#include <assert.h>
#include <stddef.h>
#include "core.h"
#include "harness/base/schedule/counters.h"

// ---- counters of each level

#define COUNTER(level, name, unit, doc) COUNTER_##level(name, unit, doc)
#define ROW(name, unit, doc) {#name, unit ": " doc, NULL},
#define NONE(name, unit, doc)
#define COUNTER_RUN NONE
#define COUNTER_CORE ROW
#define COUNTER_SUB NONE
#define COUNTER_NBU NONE
#define COUNTER_BANK NONE
static const node_counter core_counters[] = {
#include "stats.def"
};
#undef COUNTER_CORE
#undef COUNTER_SUB
#define COUNTER_CORE NONE
#define COUNTER_SUB ROW
static const node_counter sub_counters[] = {
#include "stats.def"
};
#undef COUNTER_SUB
#undef COUNTER_NBU
#define COUNTER_SUB NONE
#define COUNTER_NBU ROW
static const node_counter nbu_counters[] = {
#include "stats.def"
};
#undef COUNTER_NBU
#undef COUNTER_BANK
#define COUNTER_NBU NONE
#define COUNTER_BANK ROW
static const node_counter bank_counters[] = {
#include "stats.def"
};

static const node_counter lane_counters[] = {
#define STATS_CLASS(name, doc) {#name, "lanes: " doc, NULL},
#include "classes.def"
};

// Packets by kind.
#define TSV_PACKET(dir, num, name, reply, body, doc) PACKET_##dir(name, doc)
#define PACKET_DN(name, doc) {#name, doc, NULL},
#define PACKET_UP(name, doc)
static const node_counter down_counters[] = {
#include "csim/mpu/tsv.def"
};
#undef PACKET_DN
#undef PACKET_UP
#define TSV_PACKET(dir, num, name, reply, body, doc) PACKET_##dir(name, doc)
#define PACKET_DN(name, doc)
#define PACKET_UP(name, doc) {#name, doc, NULL},
static const node_counter up_counters[] = {
#include "csim/mpu/tsv.def"
};
static_assert(sizeof down_counters / sizeof *down_counters == STATS_DOWN_KINDS, "csim/mpu/tsv.def");
static_assert(sizeof up_counters / sizeof *up_counters == STATS_UP_KINDS, "csim/mpu/tsv.def");

// ---- what is part of what

#define WORDS(bytes) ((bytes) / sizeof(uint64_t))
#define PART(type, member, counted) \
  .at = WORDS(offsetof(type, member)), NODE_LIST(counters, counted)
#define OBJECT(type, member, counted) \
  .words = WORDS(sizeof((type){0}.member)), PART(type, member, counted)
#define OBJECTS(n, type, member, counted) \
  .count = n, .words = WORDS(sizeof *(type){0}.member), PART(type, member, counted)

static const node_group sub_groups[] = {
    {"lanes_near", "that computed near the bank", OBJECT(subcore_stats, lanes_near, lane_counters)},
    {"lanes_far", "that computed on the base die", OBJECT(subcore_stats, lanes_far, lane_counters)},
};
static const node_group nbu_groups[] = {
    {"packets_down", "packets sent, those in a RUN too", OBJECT(nbu_stats, down, down_counters)},
    {"flits_down_by_kind", "flits by what they are: one of a RUN is not one of the packets in it",
     OBJECT(nbu_stats, down_flits, down_counters)},
    {"packets_up", "packets that came up", OBJECT(nbu_stats, up, up_counters)},
    {"flits_up_by_kind", "their flits", OBJECT(nbu_stats, up_flits, up_counters)},
    {"banks", "banks", OBJECTS(4, nbu_stats, bank, bank_counters)},
};
static const node_group core_groups[] = {
    {"subcores", "subcores", OBJECTS(4, core_stats, sub, sub_counters),
     NODE_LIST(groups, sub_groups)},
    {"nbus", "near-bank units", OBJECTS(4, core_stats, nbu, nbu_counters),
     NODE_LIST(groups, nbu_groups)},
};

// ---- the rest

static const node_energy energies[] = {
#define ENERGY_PART(group, name, constant, share, unit, events) \
  {group, #name, "energy." #constant, share, unit, events, NULL},
#include "energies.def"
};
static const node_standing standing[] = {
    {"banks", "banks in standby", "energy.dram_idle", 16, NULL},
    {"leakage_base", "leakage of SRAMs", "energy.leakage_base", 1, NULL},
    {"leakage_near", "leakage of SRAMs", "energy.leakage_near", 1, NULL},
};
static const node_area area[] = {{"die_slice", 1}, {"rtt", 4}};

const node_kind core_kind = {.name = "core",
                             .doc = "executes thread blocks",
                             NODE_LIST(counters, core_counters),
                             NODE_LIST(groups, core_groups),
                             NODE_LIST(energies, energies),
                             NODE_LIST(standing, standing),
                             NODE_LIST(area, area)};

static void latencies_json(const uint64_t counts[BUCKETS], const char *key, json_writer *j) {
  jw_list(j, key);
  for (uint32_t n = 0; n < BUCKETS; n++) {
    if (!counts[n])
      continue;
    jw_object(j, NULL);
    jw_count(j, "from", bucket_from(n));
    jw_count(j, "count", counts[n]);
    jw_end(j);
  }
  jw_end(j);
}

void stats_json(const core_stats *s, const char *key, json_writer *j) {
  jw_object(j, key);
  counters_json(&core_kind, (const uint64_t *)s, j);
  jw_object(j, "latencies");
#define LATENCY(name, NAME, doc) latencies_json(s->latencies[STATS_##NAME], #name, j);
#include "latencies.def"
  jw_end(j);
  jw_end(j);
}

// SPDX-License-Identifier: Apache-2.0
// One core, cycle by cycle: the base die in C (docs/core.md) on a near side
// (harness/machines/mpu/near).
#ifndef NEARBANK_CORE_H
#define NEARBANK_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "csim/isa/isa.h"
#include "csim/isa/machine.h"
#include "harness/machines/mpu/near/near.h"
#include "harness/base/schedule/node.h"
#include "arrays.h"
#include "event.h"
#include "harness/machines/mpu/machine/map.h"
#include "stats.h"

// What a request for a line brings.
typedef enum core_fetch { CORE_FETCH_WANTED, CORE_FETCH_SECTOR, CORE_FETCH_LINE } core_fetch;
typedef enum core_schedule { CORE_LRR, CORE_GTO } core_schedule;

// The parameters of docs/core.md; of a configuration: machine/build.h.
typedef struct core_config {
  uint32_t warp_slots, block_slots, collectors, lsu_queue, tsv_queue;
  uint32_t far_rf_bytes, near_rf_bytes, shared_bytes;
  uint32_t icache_bytes, icache_line, icache_miss, constant_latency;
  core_fetch fetch;
  bool remote_lines;                 // loads of other cores' memory ask for lines
  uint32_t cache_bytes, cache_ways;  // of what came, 0 bytes: nothing is kept
  uint32_t trefi;                    // cycles from refresh to refresh of a bank, 0: none
  uint64_t stall_limit;              // cycles without an instruction that ends: an error
  core_schedule schedule;
  isa_dies dies;
  structure sizes;  // of the near side
} core_config;

// Blocks of so many threads of a kernel, with so many bytes of shared memory beside its own, that a
// core holds at a time. 0: not even one.
enum { CORE_SHARED_UNIT = 64 };  // bytes: blocks get shared memory in pieces of so many
uint32_t core_room(const core_config *c, const module_kernel *k, uint32_t threads, uint64_t shared);

// The machines with which the cores of one machine are compared, when they are (core_begin).
typedef struct core_references core_references;
core_references *core_references_new(uint32_t cores);  // NULL: no memory
void core_references_free(core_references *r);

// A core of a machine: where it is, how memory is laid out, and what joins it to the others.
typedef struct core_place {
  uint32_t index;
  const address_map *map;       // the caller's
  uint32_t requests;            // to other cores that may be under way, 0: there are no others
  uint32_t serves;              // of other cores that LSU-Remote has at a time
  uint32_t sends;               // places of the network interface for packets, of each class
  core_references *references;  // the caller's, of all its cores; or NULL: there is no comparison
} core_place;

typedef struct core core;

// `n` and `map` stay the caller's.
core *core_new(const core_config *c, const core_place *place, near *n, char *why, size_t why_bytes);
void core_free(core *c);

// ---- a launch
// core_begin, core_advance until core_rests for all cores of the machine and nothing is in the
// network, core_end. A core begins as after reset, but for memory and what was counted.

// The blocks of a launch that a core runs, in order: first, first + step, ...; or, with a list, the
// entries of these numbers.
typedef struct core_share {
  const uint32_t *list;
  uint32_t first, step, count;
} core_share;

// The instructions of a launch as cores see them: made once, for all of them.
typedef struct core_uops core_uops;
core_uops *core_uops_new(const core_config *c, const launch *l);  // NULL: no memory
void core_uops_free(core_uops *p);

// All but the share is the caller's until core_end. `l` is a part of a launch (launch_split),
// `reference` the same on another machine, whose memory holds the same, or NULL. `local`: device
// address of local memory, of all cores.
bool core_begin(core *c, launch *l, launch *reference, const core_uops *uops,
                const core_share *share, uint64_t local, uint64_t cycle);

// `next`, or NULL, is the core that will be stepped next: what that will look at is taken into the
// caches of the host meanwhile, because the state of many cores does not fit in them.
// Steps up to cycle `until`, or stands still before it, when nothing happens until then but what
// may arrive: not before cycle core_wakes. Errors of the program are the launch's
// (CORE_FAULT); when the near side or the comparison finds a difference, or nothing ends any more,
// CORE_WRONG and core_message.
typedef enum core_result { CORE_OK, CORE_FAULT, CORE_WRONG } core_result;
core_result core_advance(core *c, uint64_t until, const core *next);
uint64_t core_wakes(const core *c);
core_result core_failed(const core *c);  // what it said last
bool core_rests(const core *c);  // its blocks have ended, nothing is under way: only what arrives
                                 // can change that
uint64_t core_cycle(const core *c);  // of a core at rest: when it began
uint64_t core_ended(const core *c);  // behind the cycle in which its last block ended
uint64_t core_moved(const core *c);  // the cycle in which an instruction ended last
void core_stalled(core *c);          // no core moves: that is CORE_WRONG, and what it waits for
// Looks for what is left over, if all went well, and counts: the last block of all cores ended
// before `ended`, all were at rest in cycle `at`.
// `whole`: they did.
core_result core_end(core *c, uint64_t begun, uint64_t ended, uint64_t at, bool whole);
bool core_is_stalled(const core *c);                     // that is what is wrong
const structure *core_sizes(const core *c);              // of what is below the TSVs
void core_where(const core *c, char *to, size_t bytes);  // its warps, a line each, the oldest ones

// ---- looking on

// Called in each cycle that the core steps, on the thread that steps it, when all of the base die
// has done its part of the cycle, and before the edge that ends it: the pins and queues are as they
// are in cycle core_cycle(), `events` are what happened in it. Cycles that are left out are those
// in which nothing changes.
typedef struct core_observer {
  void (*cycle)(void *ctx, const core *c, const core_event *events, uint32_t count);
  void *ctx;
} core_observer;
enum { CORE_OBSERVERS = 8 };
void core_observe(core *c, core_observer o);  // one more, CORE_OBSERVERS at most
void core_unobserve(core *c, void *ctx);      // those with this ctx no more
uint32_t core_index(const core *c);
const launch *core_launch(const core *c);  // the core's part of it, NULL: none is under way
near *core_near(const core *c);
const near_in *core_drives(const core *c);  // what the near side gets at the edge
const near_out *core_sees(const core *c);   // and what it showed before it

// What the scheduler sees of it.
extern const node_ops core_node_ops;
extern const node_kind core_kind;  // what it declares
node core_node(core *c);

// The NBU that has to do with what went wrong, as far as one has; -1: none more than others.
int core_suspect(const core *c);
// What is under way in an NBU, a line each, the oldest first; before it the instruction of packet
// `tag`, if that is not negative. Returns the bytes.
size_t core_under_way(const core *c, uint32_t nbu, int tag, char *to, size_t bytes);

// From the next launch on accesses are counted by array there, which stays the caller's.
void core_count_arrays(core *c, core_arrays *a);

// In a launch: the copies of arrays (machine/region.h) that it still reads, a bit each.
uint32_t core_copies(const core *c);

const char *core_message(const core *c);
const core_stats *core_statistics(const core *c);
void core_set_statistics(core *c, const core_stats *s);  // goes on counting from there

// What it has counted when all before cycle `at` has happened, what only the near side counts
// included: goes to *to, the caller's, when the core comes there. For this launch, one at a time;
// UINT64_MAX: none. Call it between windows, for a cycle that no core has come to.
void core_sample(core *c, uint64_t at, core_stats *to);
// All cores have come to `cycle`: a sample before or at it is there now.
void core_sampled(core *c, uint64_t cycle);

#endif

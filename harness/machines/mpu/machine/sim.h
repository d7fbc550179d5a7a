// SPDX-License-Identifier: Apache-2.0
// The whole machine, cycle by cycle: cores, the network between them, and launches on them. What a
// runtime calls instead of launch_run. Rules: docs/machine.md.
#ifndef NEARBANK_SIM_H
#define NEARBANK_SIM_H

#include "digits.h"
#include "harness/machines/mpu/core/core.h"
#include "transfer.h"

typedef enum sim_schedule { SIM_INTERLEAVED, SIM_CONTINUOUS, SIM_GIVEN } sim_schedule;

// Called now and then; true ends the run (MACHINE_STOPPED).
typedef bool sim_watch(void *ctx, uint64_t cycles, uint32_t blocks_done, uint32_t blocks);

enum { SIM_CORES = 128 };

typedef struct sim_config {
  core_config core;
  near_config near;           // but mode, name, memory and where its bytes are
  near_mode mode[SIM_CORES];  // of each core
  map_config map;
  noc_config noc;          // a chip is a processor
  uint32_t router_cycles;  // a core cycle
  uint32_t interface;      // core cycles of a packet in the network interfaces, both together
  uint32_t requests;       // of a core to others that may be under way
  sim_schedule schedule;
  const uint32_t *given;  // SIM_GIVEN: block i is core given[i % n_given]'s
  uint32_t n_given;
  uint32_t threads;
  uint64_t max_cycles;  // of a launch, 0: no limit
  bool marks;           // for sim_take_written
  sim_watch *watch;     // or NULL
  void *ctx;
} sim_config;

// An observer: begin and end of launches, windows; core_observe says what happens inside of a core.
// All of it, but for the observers of cores, on the thread that runs launches.
typedef struct sim sim;
typedef struct sim_observer {
  void *ctx;
  // A launch begins; cores have it, and observe what comes from now on.
  void (*begin)(void *ctx, sim *s, const launch *l);
  // All cores have done what there is to do before cycle `until`. True ends the run
  // (MACHINE_STOPPED).
  bool (*window)(void *ctx, sim *s, uint64_t until);
  // It has ended with `e`; cores still have it. When e is MACHINE_MODEL or a fault, core `core`
  // found it.
  void (*end)(void *ctx, sim *s, machine_error e, uint32_t core);
  // The next window may have so many cycles, NULL: as many as it likes.
  uint64_t (*cycles)(void *ctx);
} sim_observer;
enum { SIM_OBSERVERS = 8 };

// Of a configuration: build.h.

// A functional machine of these cores, as sim_new wants it: what launches may take of a core is
// checked there. False: `why`.
bool sim_machine(const sim_config *c, machine_config *m, char *why, size_t why_bytes);

// Placements (docs/placement.md). Digits by which the lines of memory, and the blocks of a grid,
// may go to the cores. False: `why`.
bool sim_may_place(const sim *s, const digits *lines, char *why, size_t why_bytes);
bool sim_may_place_blocks(const sim *s, const digits *blocks, char *why, size_t why_bytes);
// What an allocation of so many bytes then takes up.
uint64_t sim_room(const sim *s, const digits *lines, uint64_t bytes);
// Between launches. The lines of memory of so much room lie by these digits until sim_unplace.
// False: there are as many regions as a core's table has.
bool sim_place(sim *s, uint64_t address, uint64_t room, const digits *lines);
void sim_unplace(sim *s, uint64_t address);
// Between launches: what it costs to have its lines elsewhere, and to have that done. False: as
// sim_place, and then they are as the machine places them.
transfers sim_move_cost(const sim *s, uint64_t address, uint64_t bytes, const digits *lines);
bool sim_move(sim *s, uint64_t address, uint64_t bytes, uint64_t room, const digits *lines);
// Copies of an array that is only read, one in each core: what all of them take up, and that they
// lie from `copies` on, the caller's, a multiple of sim_copies_align, until sim_unplace. A store or
// an atomic ends them. False: as sim_place.
bool sim_may_copy(const sim *s, char *why, size_t why_bytes);
uint64_t sim_copies_align(const sim *s);
uint64_t sim_copies_room(const sim *s, uint64_t bytes);
bool sim_copy(sim *s, uint64_t address, uint64_t bytes, uint64_t copies);
// Between launches: the caller has written there, which ends copies; copies of what overlaps with
// these bytes are made again, where they have ended. Until then the array is where it is.
void sim_copies_stale(sim *s, uint64_t address, uint64_t bytes);
void sim_copies_renew(sim *s, uint64_t address, uint64_t bytes);
bool sim_has_transfers(const sim *s);   // there have been copies, or an array has moved
transfers sim_transfers(const sim *s);  // what that took, beside the cycles of launches
// The digits of a block's number say which core executes it in the launches from now on; NULL: as
// configured.
void sim_place_blocks(sim *s, const digits *blocks);

// launch_run of machine m from now on executes on the cores; m's memory is their DRAM. The results
// are launch_run's; MACHINE_MODEL: models differ; MACHINE_STOPPED: `watch` said so. NULL: `why`. To
// be freed before the machine.
sim *sim_new(const sim_config *c, machine *m, char *why, size_t why_bytes);
void sim_free(sim *s);

// launch_run in steps, for a caller that has other things to simulate meanwhile. `l` stays the
// caller's, and must live until sim_end. One launch at a time. max_cycles limits it, as does that
// of the configuration; 0: no limit of its own. On an error nothing has begun.
machine_error sim_start(sim *s, launch *l, uint64_t max_cycles);
// Simulates it up to `cycles` cycles after its begin, or slightly beyond. True: it has ended.
bool sim_advance(sim *s, uint64_t cycles);
void sim_stop(sim *s);  // ends it where it is, with MACHINE_STOPPED
// The result of a launch that has ended, as launch_run returns it, and its cycles.
machine_error sim_end(sim *s, uint64_t *cycles);
// To be called when the caller has written device memory during a launch.
void sim_wrote(sim *s, uint64_t address, uint64_t bytes);

// `o` observes from the next launch on; functions that are NULL are not called. A core has its
// observer until sim_unobserve.
void sim_observe(sim *s, const sim_observer *o);
void sim_observe_core(sim *s, uint32_t core, core_observer o);
void sim_unobserve_core(sim *s, uint32_t core, void *ctx);

// In a forked process: goes on by itself, without threads and without observers.
void sim_alone(sim *s);

uint32_t sim_cores(const sim *s);
uint64_t sim_cycles(const sim *s);  // of all launches
uint64_t sim_issued(const sim *s);  // warp instructions of all launches
uint64_t sim_cycle(const sim *s);   // that the cores have come to, all of them
// That the core that is furthest does next: a launch that is ended early ends there. Less than
// sim_cycle, when all have stood still.
uint64_t sim_reached(const sim *s);
const core *sim_core(const sim *s, uint32_t core);
core_stats sim_all(const sim *s);       // of all cores together, but cycles: those of launches
stats_bounds sim_bounds(const sim *s);  // of the core that needs the most
noc_stats sim_network(const sim *s);
// Counts by array (core/arrays.h) from the next launch on. False: no memory.
bool sim_count_arrays(sim *s);
// Between launches: which bytes are which arrays in the next ones, in ascending order; numbers are
// from ARRAY_FIRST on and below `arrays`, which never falls. Local memory comes by itself. The
// ranges are copied.
bool sim_set_arrays(sim *s, const array_range *ranges, uint32_t count, uint32_t arrays);
array_counts sim_array(const sim *s, uint32_t array);  // of all cores
uint64_t sim_local_bytes(const sim *s);                // that local memory of a launch had at most
void sim_links_json(const sim *s, json_writer *j);     // of the network, where there is one

// Counters in the middle of a launch, for one observer, in its begin or window. What core k has
// counted when all before cycle `at` has happened goes to each[k], the caller's; it is there when
// window or end of the observer is called at or behind that cycle. The network is further behind:
// False: it has not come there, and *to is what it has counted so far; it has in the next call.
// Cycles are those that nothing has come to; UINT64_MAX: none. They last until the launch ends.
void sim_sample_cores(sim *s, uint64_t at, core_stats *each);
void sim_sample_network(sim *s, uint64_t at);
bool sim_sampled_network(const sim *s, noc_stats *to);
uint64_t sim_commands(const sim *s, uint32_t core, uint32_t nbu, uint32_t bank, dram_cmd cmd);

// ---- to go on elsewhere: another sim of the same configuration, with the same device memory and
// this state set, does with the next launch what this one would (docs/checkpoint.md)

// Cycle and counters; those by array come last, as many as sim_set_arrays has named. Setting them
// may fail: no memory.
size_t sim_state_words(const sim *s);
void sim_get_state(const sim *s, uint64_t *to);
bool sim_set_state(sim *s, const uint64_t *from);

// Pages of allocations that launches wrote since the last call, in ascending order; to be freed.
// With sim_config.marks. False: no memory, and nothing is forgotten.
enum { SIM_PAGE = DRAM_PAGE };
typedef struct sim_run {
  uint64_t page, count;  // pages page, page + 1, ... of device memory
} sim_run;
bool sim_take_written(sim *s, sim_run **runs, size_t *count);
uint8_t *sim_page(sim *s, uint64_t page);  // their bytes
uint64_t sim_pages(const sim *s);          // that there are

#endif

// SPDX-License-Identifier: Apache-2.0
// Inside of a timeline.
//
// timeline.c         launches, windows, the file
// timeline_core.c    what a core says of itself: blocks, instructions, packets, requests
// timeline_pins.c    what is on its pins
// timeline_names.c   tracks of a core
// timeline_streams.c streams and engines of the runtime
//
// and, of any machine:
//
// timeline_nodes.c   events of nodes
// timeline_tracks.c  tracks, slices
// timeline_json.c    which are written as JSON
// timeline_packed.c  or packed
// timeline_file.c    the file
// timeline_out.c     the file as it is written
// timeline_text.c    bytes that grow
//
// A core's part is filled on the thread that steps the core, and written by the main thread in the
// order of the cores, after each window: the file is the same with any number of threads.
#ifndef NEARBANK_TIMELINE_PRIV_H
#define NEARBANK_TIMELINE_PRIV_H

#include "csim/isa/model.h"
#include "timeline.h"
#include "timeline_tracks.h"

enum {
  SUBCORES = NEAR_NBUS,
  TAGS = 256,
  PACKETS = 512,  // of an NBU, under way: those with a tag, and windows in its queue
  QUEUE = 512,
  BLOCKS = 16,
  REQUESTS = 256,  // of a core to others
  SERVES = 64,     // of others
  COMPLETERS = 3,  // of an NBU: valu, lsux, regmove
  SHARED = 4,      // requests of an NBU to shared memory: on offer, in the slot, under way, done
  ROW_BUFFERS = 4,
};

// ---- tracks: X(group, units, tracks of a unit, name in a list), in this order on the screen
#define TIMELINE_TRACKS(X)                                          \
  X(LAUNCHES, 1, 1, "launches")                                     \
  X(BLOCKS, 1, BLOCKS + 1, "blocks")                                \
  X(WARPS, SUBCORES *EVENT_SLOTS, EVENT_PLACES + 1, "instructions") \
  X(OFFLOAD, SUBCORES, 1, "offload")                                \
  X(REQUESTS, 1, REQUESTS + 1, "requests")                          \
  X(SERVES, 1, 2 * SERVES, "remote")                                \
  X(DOWN, 2, 1, "bus")                                              \
  X(UP, 2, 1, "bus")                                                \
  X(PACKETS, SUBCORES, PACKETS, "packets")                          \
  X(DONE, SUBCORES *COMPLETERS, 1, "completions")                   \
  X(SHARED, SUBCORES, SHARED, "shared")                             \
  X(BANKS, SUBCORES *DRAM_BANKS, 1, "commands")                     \
  X(ROWS, SUBCORES *DRAM_BANKS *ROW_BUFFERS, 1, "rows")

typedef enum track_group {
#define TRACK_GROUP(group, units, each, name) TRACKS_##group,
  TIMELINE_TRACKS(TRACK_GROUP)
#undef TRACK_GROUP
} track_group;

enum {  // number of the first track of a group
#define TRACK_FIRST(group, units, each, name) \
  TRACK_##group, TRACK_##group##_LAST = TRACK_##group + (units) * (each)-1,
  TIMELINE_TRACKS(TRACK_FIRST)
#undef TRACK_FIRST
      TRACKS,
};
// Bits among those of groups: "counters", and "streams" and "engines" of the runtime.
enum { TRACKS_STREAMS = 29, TRACKS_ENGINES, TRACKS_COUNTERS };
_Static_assert((int)TRACKS <= (int)TRACK_STRIDE, "tracks of a process do not fit");

enum { PID_MACHINE = 1, PID_CORES, PID_STREAMS = PID_CORES + SIM_CORES };  // core n: PID_CORES + n

// A process with them. False: no memory.
bool timeline_process(process *p, uint32_t pid, const timeline_config *c);
bool timeline_streams(process *p, const timeline_config *c);

// ---- a core

// An arrow from an instruction over what is done for it, back to it.
typedef struct flow {
  uint64_t id;
  struct {
    uint64_t cycle;
    uint32_t tid;
  } step[2];
} flow;

// Who sends packets: an instruction, or a request of another core.
typedef struct job {
  bool open;
  uint32_t track;
  core_event begun;  // EVENT_ISSUE or EVENT_SERVE
  bool near;
  uint32_t moves;
  uint64_t target, ready, unit, start, exec;  // cycles, 0: not yet
  flow *flows;
  uint32_t n_flows, room;
} job;

typedef struct packet {
  bool open;
  bool rides;  // in the flit of a RUN before it, and that is on the bus
  uint8_t kind, flits, tag;
  uint32_t track, down_track, done_track, seen;  // seen: flits on the bus
  uint64_t sent, first, last, done, up;
  job *job;             // whose it is, NULL: nobody's
  uint64_t id, number;  // number: of the instruction
} packet;

typedef struct down_packet {  // on the bus down
  uint32_t kind, got, flits;
} down_packet;

typedef struct up_packet {  // on the bus up
  uint32_t kind, got, flits;
  uint64_t cycle;  // of its last flit
  uint32_t track;
} up_packet;

typedef struct access {  // of shared memory
  uint64_t begin, taken;
  uint32_t op, mask, track;
  bool pins;  // those of the near side show it: when it was offered, and this
  uint32_t word;
} access;

typedef struct row {
  bool open;
  uint32_t row, reads, writes;
  uint64_t begin;
} row;

typedef struct unit {  // near-bank unit
  packet packets[PACKETS];
  uint16_t of_tag[TAGS];
  uint16_t queue[QUEUE];  // packets whose flits wait for the bus
  uint32_t head, count, flits, open;
  down_packet down;
  up_packet up;
  uint64_t offered;  // since when the request to shared memory is, NEVER: there is none
  access accesses[SHARED];
  uint32_t n_accesses;
  row rows[DRAM_BANKS][ROW_BUFFERS];
} unit;

typedef struct request {
  bool open;
  uint32_t track;
  core_event sent;
} request;

typedef struct running {
  bool open;
  uint32_t track, block;
  uint64_t begin;
} running;

typedef struct timeline_core {
  process p;
  timeline *t;
  uint32_t index;
  uint64_t cycle;
  job instructions[SUBCORES][EVENT_PLACES];
  job serves[SERVES];
  uint32_t under_way[SUBCORES];
  uint64_t asked[SUBCORES];  // the offload engine was free from this cycle on
  unit units[SUBCORES];
  request requests[REQUESTS];
  uint32_t serve_tid[REQUESTS];  // of these, at the other core, which fills it in
  running blocks[BLOCKS];
  uint64_t packets;             // so far
  uint32_t shown[3][SUBCORES];  // counters
} timeline_core;

// What is the same for each instruction of a place in the kernel.
typedef struct place {
  char *name, *cuda;  // cuda: FILE:LINE, NULL: not known
  uint32_t pc, ptx;   // ptx: line, 0: not known
  bool access;
} place;

struct timeline {
  timeline_config config;
  timeline_file file;
  bool done;    // nothing more comes into the file
  bool passed;  // the machine has stepped beyond the window
  process machine, streams;
  timeline_core *cores[SIM_CORES];
  // of the launch
  const launch *l;
  place *places;
  uint32_t n_places;
  uint64_t begun;
};

// core_observer
void timeline_core_cycle(void *ctx, const core *c, const core_event *events, uint32_t count);
void timeline_core_reset(timeline_core *k);  // a launch begins
// All that is open ends in this cycle.
void timeline_core_cut(timeline_core *k, uint64_t cycle, slice_cut cut);
void timeline_core_free(timeline_core *k);

extern const char *const timeline_packets[];  // names of those that go down

// What is on the pins in this cycle, before the events of the cycle.
void timeline_pins(timeline_core *k, const core *c);
void timeline_shared(timeline_core *k, const core_event *e);  // on the base die
void timeline_pins_cut(timeline_core *k, uint64_t cycle, slice_cut cut);
void timeline_packet_end(timeline_core *k, uint32_t nbu, packet *x, uint64_t end, slice_cut cut);

#endif

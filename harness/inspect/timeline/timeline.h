// SPDX-License-Identifier: Apache-2.0
// A file of trace events (chrome://tracing, ui.perfetto.dev) of what each unit of some cores does
// in a window of cycles: docs/timeline.md.
#ifndef NEARBANK_TIMELINE_H
#define NEARBANK_TIMELINE_H

#include "harness/machines/mpu/machine/sim.h"
#include "timeline_nodes.h"

typedef struct timeline_config {
  const char *file;  // stays the caller's
  uint64_t from, to;
  bool asked;             // for this window
  bool cores[SIM_CORES];  // that are looked at
  uint32_t hidden;        // what is not drawn (timeline_tracks_parse)
} timeline_config;

typedef struct timeline timeline;

// Of a list of names, "blocks,bus", what is hidden: all others. False: it has another name.
bool timeline_tracks_parse(const char *list, uint32_t *hidden);
void timeline_tracks_names(char *to, size_t bytes);  // all of them, with commas between

// Looks on from now on. NULL: `why` says what the file can't be. Without a machine it is a file
// without events.
timeline *timeline_new(const timeline_config *c, sim *s, char *why, size_t why_bytes);
// A part of what a stream was asked for, in simulated time (ps): one engine is busy with it; the
// part may end later.
enum { TIMELINE_ENGINES = 3 };  // copies to the device, machine, copies to the host
typedef struct timeline_part {
  const char *name;
  uint32_t stream, engine;  // stream 0: the default one
  uint64_t begin, busy, end;
  uint64_t cycles, bytes;  // of a kernel, of a copy
} timeline_part;
void timeline_stream_part(timeline *t, const timeline_part *x);
// The run has ended: the file is closed, and what is not in it is said on stderr.
// False: the file is not whole, which was said.
bool timeline_end(timeline *t, const sim *s);

#endif

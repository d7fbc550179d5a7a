// SPDX-License-Identifier: Apache-2.0
// What streams and engines do in simulated time (docs/cuda.md), of which a nanosecond is one here.
#include <stdio.h>
#include <stdlib.h>
#include "timeline_priv.h"

enum { STREAMS = 1024, SIDE_BY_SIDE = 4 };  // streams with tracks of their own; branches of a graph
enum { GROUP_STREAMS, GROUP_ENGINES, GROUPS };
enum { FIRST_ENGINE = STREAMS * SIDE_BY_SIDE };

static void name_of(const void *ctx, uint32_t group, uint32_t unit, char *to, size_t bytes) {
  static const char *const engines[TIMELINE_ENGINES] = {"copies to the device", "machine",
                                                        "copies to the host"};
  (void)ctx;
  if (group == GROUP_ENGINES)
    snprintf(to, bytes, "engine: %s", engines[unit]);
  else if (unit == STREAMS - 1)
    snprintf(to, bytes, "streams from %u on", unit);
  else if (unit)
    snprintf(to, bytes, "stream %u", unit);
  else
    snprintf(to, bytes, "default stream");
}

bool timeline_streams(process *p, const timeline_config *c) {
  static const track_row rows[GROUPS] = {{0, STREAMS, SIDE_BY_SIDE},
                                         {FIRST_ENGINE, TIMELINE_ENGINES, 1}};
  static const track_table table = {rows, GROUPS, FIRST_ENGINE + TIMELINE_ENGINES, name_of, NULL};
  const bool ok = process_init(p, PID_STREAMS, 0, NEVER, &table, timeline_format_of(c->file));
  p->clock = "ns";
  p->hidden = c->hidden >> TRACKS_STREAMS;
  return ok;
}

static void draw(process *p, const timeline_part *x, uint32_t track, uint64_t end) {
  if (!slice_begin(p, track, x->begin / 1000, end / 1000, x->name, CUT_NO))
    return;
  if (x->cycles)
    slice_number(p, "cycles", x->cycles);
  if (x->bytes)
    slice_number(p, "bytes", x->bytes);
  slice_number(p, track < FIRST_ENGINE ? "engine" : "stream",
               track < FIRST_ENGINE ? x->engine : x->stream);
  slice_end(p);
}

void timeline_stream_part(timeline *t, const timeline_part *x) {
  const uint32_t unit = x->stream < STREAMS ? x->stream : STREAMS - 1;
  const uint32_t track = track_take(&t->streams, GROUP_STREAMS, unit, x->begin / 1000);
  track_free(&t->streams, track, x->end / 1000);
  draw(&t->streams, x, track, x->end);
  draw(&t->streams, x, FIRST_ENGINE + x->engine, x->busy);
}

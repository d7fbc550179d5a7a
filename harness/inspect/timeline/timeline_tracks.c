// SPDX-License-Identifier: Apache-2.0
// Tracks, and what is drawn on them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "timeline_tracks.h"

bool process_init(process *p, uint32_t pid, uint64_t from, uint64_t to, const track_table *table,
                  const timeline_format *format) {
  *p = (process){
      .format = format, .pid = pid, .from = from, .to = to, .clock = "cycle", .table = table};
  p->until = calloc(table->tracks, sizeof *p->until);
  p->named = calloc(table->tracks, sizeof *p->named);
  return p->until && p->named && format->begin(p);
}

void process_free(process *p) {
  if (p->format)
    p->format->end(p);
  free(p->until);
  free(p->named);
  text_free(&p->text);
}

uint32_t track_take(process *p, uint32_t group, uint32_t unit, uint64_t cycle) {
  const track_row *g = &p->table->rows[group];
  const uint32_t first = g->first + unit * g->each;
  uint32_t n = 0;
  while (n + 1 < g->each && p->until[first + n] > cycle)
    n++;
  p->until[first + n] = NEVER;
  return first + n;
}

void track_free(process *p, uint32_t track, uint64_t cycle) {
  p->until[track] = cycle;
}

uint32_t track_tid(const process *p, uint32_t track) {
  return p->pid * TRACK_STRIDE + track;
}

static uint32_t group_of(const process *p, uint32_t track) {
  const track_table *t = p->table;
  uint32_t g = 0;
  while (g + 1 < t->n_rows && track >= t->rows[g + 1].first)
    g++;
  return g;
}

static bool is_hidden(const process *p, uint32_t track) {
  return p->hidden && p->hidden >> group_of(p, track) & 1;
}

// ---- names

static void name_of(const process *p, uint32_t track, char *to, size_t bytes) {
  const track_table *t = p->table;
  const uint32_t g = group_of(p, track);
  const uint32_t at = track - t->rows[g].first, n = at % t->rows[g].each;
  t->name(t->ctx, g, at / t->rows[g].each, to, bytes);
  const size_t k = strlen(to);
  if (n)
    snprintf(to + k, bytes - k, " (%u)", n + 1);
}

static void name_track(process *p, uint32_t track) {
  char name[64];
  p->named[track] = true;
  name_of(p, track, name, sizeof name);
  p->format->name_track(p, track, name);
}

// ---- slices

// Clips it. False: nothing is left, or its track is hidden.
static bool in_window(process *p, uint32_t track, uint64_t *begin, uint64_t *end) {
  *begin = *begin < p->from ? p->from : *begin;
  *end = *end > p->to ? p->to : *end;
  if (*begin >= *end || is_hidden(p, track))
    return false;
  if (!p->named[track])
    name_track(p, track);
  return true;
}

bool slice_begin(process *p, uint32_t track, uint64_t begin, uint64_t end, const char *name,
                 slice_cut cut) {
  static const char *const cuts[2][CUTS] = {{NULL, "end", "launch", "run"},
                                            {"start", "start, end", "start, launch", "start, run"}};
  const char *is = cuts[begin < p->from][cut];
  uint64_t from = begin;
  if (!in_window(p, track, &from, &end))
    return false;
  p->format->slice(p, track, from, end, name);
  p->format->number(p, p->clock, begin);
  if (is)
    p->format->string(p, "cut", is);
  return true;
}

void slice_number(process *p, const char *name, uint64_t value) {
  p->format->number(p, name, value);
}
void slice_text(process *p, const char *name, const char *value) {
  p->format->string(p, name, value);
}
void slice_hex(process *p, const char *name, uint64_t value, unsigned digits) {
  p->format->hex(p, name, value, digits);
}
void slice_end(process *p) {
  p->format->slice_end(p);
}

void slice_inner(process *p, uint32_t track, uint64_t begin, uint64_t end, const char *name) {
  if (in_window(p, track, &begin, &end))
    p->format->inner(p, track, begin, end, name);
}

// ---- arrows, counters

void flow_step(process *p, char phase, uint32_t tid, uint64_t cycle, uint64_t id) {
  if (!is_hidden(p, tid % TRACK_STRIDE))
    p->format->flow(p, phase, tid, cycle, id);
}

void track_counters(process *p, uint64_t cycle, const char *name, const char *const *names,
                    const uint32_t *values, uint32_t n) {
  p->format->counters(p, cycle, name, names, values, n);
}

// SPDX-License-Identifier: Apache-2.0
// Tracks, and what is drawn on them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "timeline_tracks.h"

bool process_init(process *p, uint32_t pid, uint64_t from, uint64_t to, const track_table *table) {
  *p = (process){.pid = pid, .from = from, .to = to, .table = table};
  p->until = calloc(table->tracks, sizeof *p->until);
  p->named = calloc(table->tracks, sizeof *p->named);
  return p->until && p->named;
}

void process_free(process *p) {
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

// ---- names

static void name_of(const process *p, uint32_t track, char *to, size_t bytes) {
  const track_table *t = p->table;
  uint32_t g = 0;
  while (g + 1 < t->n_rows && track >= t->rows[g + 1].first)
    g++;
  const uint32_t at = track - t->rows[g].first, n = at % t->rows[g].each;
  t->name(t->ctx, g, at / t->rows[g].each, to, bytes);
  const size_t k = strlen(to);
  if (n)
    snprintf(to + k, bytes - k, " (%u)", n + 1);
}

static void metadata(text *t, uint32_t pid, uint32_t tid, const char *what, const char *name) {
  text_event(t, 'M', pid, tid);
  TEXT(t, ",\"name\":\"");
  text_string(t, what);
  TEXT(t, "\",\"args\":{\"");
  text_string(t, name ? "name\":\"" : "sort_index\":");
}

static void name_track(process *p, uint32_t track) {
  char name[64];
  text *t = &p->text;
  p->named[track] = true;
  name_of(p, track, name, sizeof name);
  metadata(t, p->pid, track_tid(p, track), "thread_name", name);
  text_string(t, name);
  TEXT(t, "\"}}");
  metadata(t, p->pid, track_tid(p, track), "thread_sort_index", NULL);
  text_number(t, track);
  TEXT(t, "}}");
}

void process_name(text *t, uint32_t pid, const char *name) {
  metadata(t, pid, 0, "process_name", name);
  text_string(t, name);
  TEXT(t, "\"}}");
  metadata(t, pid, 0, "process_sort_index", NULL);
  text_number(t, pid);
  TEXT(t, "}}");
}

// ---- slices

static bool place_slice(process *p, uint32_t track, uint64_t begin, uint64_t end,
                        const char *name) {
  text *t = &p->text;
  begin = begin < p->from ? p->from : begin;
  end = end > p->to ? p->to : end;
  if (begin >= end)
    return false;
  if (!p->named[track])
    name_track(p, track);
  text_event(t, 'X', p->pid, track_tid(p, track));
  TEXT(t, ",\"ts\":");
  text_cycles(t, begin);
  TEXT(t, ",\"dur\":");
  text_cycles(t, end - begin);
  TEXT(t, ",\"name\":\"");
  text_string(t, name);
  TEXT(t, "\"");
  return true;
}

bool slice_begin(process *p, uint32_t track, uint64_t begin, uint64_t end, const char *name,
                 slice_cut cut) {
  static const char *const cuts[2][CUTS] = {{NULL, "end", "launch", "run"},
                                            {"start", "start, end", "start, launch", "start, run"}};
  const char *is = cuts[begin < p->from][cut];
  if (!place_slice(p, track, begin, end, name))
    return false;
  TEXT(&p->text, ",\"args\":{\"cycle\":");
  text_number(&p->text, begin);
  if (is)
    slice_text(p, "cut", is);
  return true;
}

static void name_value(process *p, const char *name) {
  TEXT(&p->text, ",\"");
  text_string(&p->text, name);
  TEXT(&p->text, "\":");
}

void slice_number(process *p, const char *name, uint64_t value) {
  name_value(p, name);
  text_number(&p->text, value);
}

void slice_text(process *p, const char *name, const char *value) {
  name_value(p, name);
  TEXT(&p->text, "\"");
  text_escaped(&p->text, value);
  TEXT(&p->text, "\"");
}

void slice_hex(process *p, const char *name, uint64_t value, unsigned digits) {
  name_value(p, name);
  TEXT(&p->text, "\"0x");
  text_hex(&p->text, value, digits);
  TEXT(&p->text, "\"");
}

void slice_end(process *p) {
  TEXT(&p->text, "}}");
}

void slice_inner(process *p, uint32_t track, uint64_t begin, uint64_t end, const char *name) {
  if (place_slice(p, track, begin, end, name))
    TEXT(&p->text, "}");
}

// ---- arrows, counters

void flow_step(process *p, char phase, uint32_t tid, uint64_t cycle, uint64_t id) {
  text *t = &p->text;
  text_event(t, phase, tid / TRACK_STRIDE, tid);
  TEXT(t, ",\"ts\":");
  text_cycles(t, cycle);
  TEXT(t, ",\"id\":");
  text_number(t, id);
  TEXT(t, ",\"cat\":\"packet\",\"name\":\"packet\"");
  if (phase == 'f')
    TEXT(t, ",\"bp\":\"e\"");
  TEXT(t, "}");
}

void track_counters(process *p, uint64_t cycle, const char *name, const char *const *names,
                    const uint32_t *values, uint32_t n) {
  text *t = &p->text;
  text_event(t, 'C', p->pid, 0);
  TEXT(t, ",\"ts\":");
  text_cycles(t, cycle);
  TEXT(t, ",\"name\":\"");
  text_string(t, name);
  TEXT(t, "\",\"args\":{");
  for (uint32_t k = 0; k < n; k++) {
    text_string(t, k ? ",\"" : "\"");
    text_string(t, names[k]);
    TEXT(t, "\":");
    text_number(t, values[k]);
  }
  TEXT(t, "}}");
}

// SPDX-License-Identifier: Apache-2.0
// Tracks, and what is drawn on them.
#include <assert.h>
#include <stdio.h>
#include "timeline_priv.h"

static const struct {
  uint32_t first, units, each;
} groups[] = {
#define TRACK_ROW(group, units, each) {TRACK_##group, units, each},
    TIMELINE_TRACKS(TRACK_ROW)
#undef TRACK_ROW
};

uint32_t track_take(process *p, track_group g, uint32_t unit, uint64_t cycle) {
  const uint32_t first = groups[g].first + unit * groups[g].each;
  uint32_t n = 0;
  while (n + 1 < groups[g].each && p->until[first + n] > cycle)
    n++;
  assert(p->until[first + n] <= cycle);
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

static void name_of(uint32_t track, char *to, size_t bytes) {
  track_group g = 0;
  while (g < TRACKS_ROWS && track >= groups[g + 1].first)
    g++;
  const uint32_t u = (track - groups[g].first) / groups[g].each;
  const uint32_t n = (track - groups[g].first) % groups[g].each;
  int k = 0;
  switch (g) {
    case TRACKS_LAUNCHES:
      k = snprintf(to, bytes, "launches");
      break;
    case TRACKS_BLOCKS:
      k = snprintf(to, bytes, "blocks");
      break;
    case TRACKS_WARPS:
      k = snprintf(to, bytes, "subcore %u, warp slot %u", u / EVENT_SLOTS, u % EVENT_SLOTS);
      break;
    case TRACKS_OFFLOAD:
      k = snprintf(to, bytes, "subcore %u, offload engine", u);
      break;
    case TRACKS_REQUESTS:
      k = snprintf(to, bytes, "requests to other cores");
      break;
    case TRACKS_SERVES:
      k = snprintf(to, bytes, "LSU-Remote");
      break;
    case TRACKS_DOWN:
      k = snprintf(to, bytes, "TSV bus down, place %u", u);
      break;
    case TRACKS_UP:
      k = snprintf(to, bytes, "TSV bus up, place %u", u);
      break;
    case TRACKS_PACKETS:
      k = snprintf(to, bytes, "NBU %u, packets", u);
      break;
    case TRACKS_DONE:
      k = snprintf(to, bytes, "NBU %u, completions", u);
      break;
    case TRACKS_SHARED:
      k = snprintf(to, bytes, "shared memory, port %u", u);
      break;
    case TRACKS_BANKS:
      k = snprintf(to, bytes, "NBU %u, bank %u, commands", u / DRAM_BANKS, u % DRAM_BANKS);
      break;
    case TRACKS_ROWS:
      k = snprintf(to, bytes, "NBU %u, bank %u, row buffer %u", u / ROW_BUFFERS / DRAM_BANKS,
                   u / ROW_BUFFERS % DRAM_BANKS, u % ROW_BUFFERS);
      break;
  }
  if (n)
    snprintf(to + k, bytes - (size_t)k, " (%u)", n + 1);
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
  name_of(track, name, sizeof name);
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
  static const char *const cuts[2][3] = {{NULL, "end", "launch"},
                                         {"start", "start, end", "start, launch"}};
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

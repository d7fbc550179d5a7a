// SPDX-License-Identifier: Apache-2.0
// Trace events as JSON, a line each (an arrow is one line). Each begins with ",\n".
#include <string.h>
#include "timeline_tracks.h"

// As microseconds, a nanosecond each.
static void put_cycles(text *t, uint64_t n) {
  const char rest[4] = {'.', (char)('0' + n / 100 % 10), (char)('0' + n / 10 % 10),
                        (char)('0' + n % 10)};
  text_number(t, n / 1000);
  text_put(t, rest, sizeof rest);
}

// "ph":PHASE, pid and tid, of an event that is still to be closed.
static void put_event(text *t, char phase, uint32_t pid, uint32_t tid) {
  if (phase == 't' || phase == 'f')  // on the line of its 's': never without it
    TEXT(t, ",{\"ph\":\"");
  else
    TEXT(t, ",\n{\"ph\":\"");
  text_put(t, &phase, 1);
  TEXT(t, "\",\"pid\":");
  text_number(t, pid);
  TEXT(t, ",\"tid\":");
  text_number(t, tid);
}

// ---- the file

static void head(text *to, uint64_t from, uint64_t until, const text *names) {
  TEXT(to, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"unit\":\"1 ns is a core cycle\"");
  TEXT(to, ",\"from\":");
  text_number(to, from);
  if (until != NEVER)
    TEXT(to, ",\"to\":"), text_number(to, until);
  TEXT(to, "},\"traceEvents\":[");
  if (names->used)
    text_put(to, names->at + 1, names->used - 1);  // without the comma
}

// Up to the last line that begins there.
static size_t whole(const text *t, size_t bytes) {
  size_t n = bytes;
  while (n && (t->at[n] != ',' || t->at[n + 1] != '\n'))
    n--;
  return n;
}

// ---- names

static void metadata(text *t, uint32_t pid, uint32_t tid, const char *what, const char *name) {
  put_event(t, 'M', pid, tid);
  TEXT(t, ",\"name\":\"");
  text_string(t, what);
  TEXT(t, "\",\"args\":{\"");
  text_string(t, name ? "name\":\"" : "sort_index\":");
}

static void name_process(text *t, uint32_t pid, const char *name) {
  metadata(t, pid, 0, "process_name", name);
  text_escaped(t, name);
  TEXT(t, "\"}}");
  metadata(t, pid, 0, "process_sort_index", NULL);
  text_number(t, pid);
  TEXT(t, "}}");
}

static void name_track(process *p, uint32_t track, const char *name) {
  text *t = &p->text;
  metadata(t, p->pid, track_tid(p, track), "thread_name", name);
  text_escaped(t, name);
  TEXT(t, "\"}}");
  metadata(t, p->pid, track_tid(p, track), "thread_sort_index", NULL);
  text_number(t, track);
  TEXT(t, "}}");
}

// ---- slices

static void place(process *p, uint32_t track, uint64_t begin, uint64_t end, const char *name) {
  text *t = &p->text;
  put_event(t, 'X', p->pid, track_tid(p, track));
  TEXT(t, ",\"ts\":");
  put_cycles(t, begin);
  TEXT(t, ",\"dur\":");
  put_cycles(t, end - begin);
  TEXT(t, ",\"name\":\"");
  text_escaped(t, name);
  TEXT(t, "\"");
}

// An argument is put behind a comma; the first one gets its brace instead when the slice ends.
static void slice(process *p, uint32_t track, uint64_t begin, uint64_t end, const char *name) {
  place(p, track, begin, end, name);
  p->args = p->text.used;
}

static void name_value(process *p, const char *name) {
  if (p->text.used == p->args)
    TEXT(&p->text, ",\"args\":{\"");
  else
    TEXT(&p->text, ",\"");
  text_string(&p->text, name);
  TEXT(&p->text, "\":");
}

static void number(process *p, const char *name, uint64_t value) {
  name_value(p, name);
  text_number(&p->text, value);
}

static void string(process *p, const char *name, const char *value) {
  name_value(p, name);
  TEXT(&p->text, "\"");
  text_escaped(&p->text, value);
  TEXT(&p->text, "\"");
}

static void hex(process *p, const char *name, uint64_t value, unsigned digits) {
  name_value(p, name);
  TEXT(&p->text, "\"0x");
  text_hex(&p->text, value, digits);
  TEXT(&p->text, "\"");
}

static void end_slice(process *p) {
  TEXT(&p->text, "}}");
}

static void inner(process *p, uint32_t track, uint64_t begin, uint64_t end, const char *name) {
  place(p, track, begin, end, name);
  TEXT(&p->text, "}");
}

// ---- arrows, counters

static void flow(process *p, char phase, uint32_t tid, uint64_t cycle, uint64_t id) {
  text *t = &p->text;
  put_event(t, phase, tid / TRACK_STRIDE, tid);
  TEXT(t, ",\"ts\":");
  put_cycles(t, cycle);
  TEXT(t, ",\"id\":");
  text_number(t, id);
  TEXT(t, ",\"cat\":\"packet\",\"name\":\"packet\"");
  if (phase == 'f')
    TEXT(t, ",\"bp\":\"e\"");
  TEXT(t, "}");
}

static void counters(process *p, uint64_t cycle, const char *name, const char *const *names,
                     const uint32_t *values, uint32_t n) {
  text *t = &p->text;
  put_event(t, 'C', p->pid, 0);
  TEXT(t, ",\"ts\":");
  put_cycles(t, cycle);
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

// ---- nothing is kept

static bool begin(process *p) {
  (void)p;
  return true;
}
static void end(process *p) {
  (void)p;
}

const timeline_format timeline_json = {
    .tail = "\n]}\n",
    .head = head,
    .whole = whole,
    .name_process = name_process,
    .name_track = name_track,
    .slice = slice,
    .number = number,
    .string = string,
    .hex = hex,
    .slice_end = end_slice,
    .inner = inner,
    .flow = flow,
    .counters = counters,
    .begin = begin,
    .end = end,
};

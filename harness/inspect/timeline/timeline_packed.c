// SPDX-License-Identifier: Apache-2.0
// Perfetto's own trace: a sequence of TracePackets, messages of the protocol buffers' wire format.
//
//   packet   [cycle] sequence [flags] [interned data] [event | track]
//
// A message is a row of fields: a number, 8 times which and the kind of what follows make a varint
// (groups of seven bits, the lowest first); then a varint, or bytes behind their number. Fields are
// those of Perfetto's protos/perfetto/trace; their numbers are below.
//
// A process is a sequence of its own, so that each can be filled on any thread: strings have a
// number from when they are first used on it. When there are too many they are forgotten, which a
// flag says, and get other numbers; no number stands for two strings.
//
// A slice is a packet at its beginning and one at its end. Packets are sorted by time when they are
// read, those of a time stay as they are, and an end is that of the slice which began last: so it
// does not matter which of two ends of a time and track comes first.
#include <stdlib.h>
#include <string.h>
#include "timeline_tracks.h"

enum { VARINT, BYTES = 2 };  // kinds of fields

enum {  // of Trace, TracePacket
  TRACE_PACKET = 1,
  PACKET_TIMESTAMP = 8,
  PACKET_SEQUENCE = 10,
  PACKET_EVENT = 11,
  PACKET_INTERNED = 12,
  PACKET_FLAGS = 13,
  PACKET_TRACK = 60,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS = 2 };  // strings are forgotten; strings are needed
enum {  // of TrackDescriptor, ProcessDescriptor, ThreadDescriptor, CounterDescriptor
  TRACK_UUID = 1,
  TRACK_NAME = 2,
  TRACK_PROCESS = 3,
  TRACK_THREAD = 4,
  TRACK_PARENT = 5,
  TRACK_COUNTER = 8,
  PROCESS_PID = 1,
  PROCESS_SORT = 3,
  PROCESS_NAME = 6,
  THREAD_PID = 1,
  THREAD_TID = 2,
  THREAD_SORT = 3,
  THREAD_NAME = 5,
  COUNTER_UNIT = 3,
  UNIT_COUNT = 2,
};
enum {  // of TrackEvent, its LegacyEvent, DebugAnnotation
  EVENT_ARGUMENT = 4,
  EVENT_LEGACY = 6,
  EVENT_TYPE = 9,
  EVENT_NAME = 10,
  EVENT_TRACK = 11,
  EVENT_VALUE = 30,
  TYPE_BEGIN = 1,
  TYPE_END = 2,
  TYPE_COUNTER = 4,
  LEGACY_PHASE = 2,
  LEGACY_ID = 6,
  LEGACY_ENCLOSING = 12,
  ARGUMENT_NAME = 1,
  ARGUMENT_NUMBER = 3,
  ARGUMENT_HEX = 7,
  ARGUMENT_STRING = 17,
};
// Of InternedData, by what a string is; each entry has a number and the string.
typedef enum use { EVENTS, ARGUMENTS, VALUES, USES } use;
static const uint32_t interned_as[USES] = {2, 3, 29};
enum { INTERNED_NUMBER = 1, INTERNED_STRING = 2 };

enum { ENTRIES = 1 << 12, MOST = ENTRIES / 2, SERIES = 16 };

typedef struct entry {  // of a string; number 0: none
  uint64_t hash;
  uint32_t number;
  uint32_t at;  // in `strings`
} entry;

typedef struct series {  // a counter track
  const char *name, *of;
  uint32_t value;
} series;

typedef struct packed {
  text event, interned, packet;  // that are being made
  uint64_t begin, until;         // of the slice that is
  uint32_t tid;
  bool begun;  // strings have numbers on the sequence, since the flag
  entry *entries;
  uint32_t count, last[USES];  // entries; numbers so far
  text strings;
  series series[SERIES];
  uint32_t n_series;
} packed;

// ---- the wire format

static void put_varint(text *t, uint64_t n) {
  if (!text_room(t, 10))
    return;
  char *to = t->at + t->used;
  for (; n > 127; n >>= 7)
    *to++ = (char)(n | 128);
  *to++ = (char)n;
  t->used = (size_t)(to - t->at);
}

static void put_number(text *t, uint32_t field, uint64_t n) {
  put_varint(t, field << 3 | VARINT);
  put_varint(t, n);
}

static void put_bytes(text *t, uint32_t field, const char *from, size_t bytes) {
  put_varint(t, field << 3 | BYTES);
  put_varint(t, bytes);
  text_put(t, from, bytes);
}
static void put_string(text *t, uint32_t field, const char *s) {
  put_bytes(t, field, s, strlen(s));
}
static void put_message(text *t, uint32_t field, const text *m) {
  t->lost |= m->lost;
  put_bytes(t, field, m->at, m->used);
}

// A varint at *at, before `end`. False: it goes on behind.
static bool get_varint(const char **at, const char *end, uint64_t *n) {
  *n = 0;
  for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
    const unsigned char c = (unsigned char)*(*at)++;
    *n |= (uint64_t)(c & 127) << shift;
    if (c < 128)
      return true;
  }
  return false;
}

static size_t whole(const text *t, size_t bytes) {
  const char *at = t->at, *const end = t->at + bytes;
  size_t done = 0;
  uint64_t field, n;
  while (get_varint(&at, end, &field) && get_varint(&at, end, &n) && n <= (uint64_t)(end - at)) {
    at += n;
    done = (size_t)(at - t->at);
  }
  return done;
}

// ---- packets

static void put_track(text *to, uint32_t sequence, const text *descriptor) {
  text packet = {0};
  put_number(&packet, PACKET_SEQUENCE, sequence);
  put_message(&packet, PACKET_TRACK, descriptor);
  put_message(to, TRACE_PACKET, &packet);
  text_free(&packet);
}

// The event; with its flags the strings that are new.
static void put_event(process *p, uint64_t cycle, uint32_t flags) {
  packed *k = p->packed;
  text *t = &k->packet;
  t->used = 0;
  put_number(t, PACKET_TIMESTAMP, cycle);
  put_number(t, PACKET_SEQUENCE, p->pid);
  if (flags)
    put_number(t, PACKET_FLAGS, flags | (k->begun ? 0 : FLAG_CLEARED));
  k->begun |= flags != 0;
  if (k->interned.used)
    put_message(t, PACKET_INTERNED, &k->interned);
  put_message(t, PACKET_EVENT, &k->event);
  put_message(&p->text, TRACE_PACKET, t);
  k->interned.used = 0;
}

// Strings are forgotten only here: what an event refers to is there until it is written.
static text *begin_event(packed *k) {
  if (k->count > MOST) {
    memset(k->entries, 0, ENTRIES * sizeof *k->entries);
    k->count = 0, k->strings.used = 0;
    k->begun = false;
  }
  k->event.used = 0;
  return &k->event;
}

static uint32_t interned(packed *k, use what, const char *s) {
  uint64_t hash = 0xcbf29ce484222325 + what;
  for (const char *c = s; *c; c++)
    hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
  uint32_t at = (uint32_t)(hash ^ hash >> 32) % ENTRIES;
  for (; k->entries[at].number; at = (at + 1) % ENTRIES)
    if (k->entries[at].hash == hash && strcmp(k->strings.at + k->entries[at].at, s) == 0)
      return k->entries[at].number;
  if (k->count == ENTRIES - 1) {  // no event has so many
    k->event.lost = true;
    return 0;
  }
  k->count++;
  k->entries[at] = (entry){hash, ++k->last[what], (uint32_t)k->strings.used};
  text_put(&k->strings, s, strlen(s) + 1);
  if (k->strings.lost) {
    k->event.lost = true;
    return 0;
  }
  text pair = {0};
  put_number(&pair, INTERNED_NUMBER, k->last[what]);
  put_string(&pair, INTERNED_STRING, s);
  put_message(&k->interned, interned_as[what], &pair);
  text_free(&pair);
  return k->last[what];
}

// ---- names

static void head(text *to, uint64_t from, uint64_t until, const text *names) {
  (void)from, (void)until;
  text_put(to, names->at, names->used);
}

static void name_process(text *to, uint32_t pid, const char *name) {
  text descriptor = {0}, process = {0};
  put_number(&process, PROCESS_PID, pid);
  put_number(&process, PROCESS_SORT, pid);
  put_string(&process, PROCESS_NAME, name);
  put_number(&descriptor, TRACK_UUID, pid);
  put_message(&descriptor, TRACK_PROCESS, &process);
  put_track(to, pid, &descriptor);
  text_free(&process);
  text_free(&descriptor);
}

static void name_track(process *p, uint32_t track, const char *name) {
  text descriptor = {0}, thread = {0};
  put_number(&thread, THREAD_PID, p->pid);
  put_number(&thread, THREAD_TID, track_tid(p, track));
  put_number(&thread, THREAD_SORT, track);
  put_string(&thread, THREAD_NAME, name);
  put_number(&descriptor, TRACK_UUID, track_tid(p, track));
  put_message(&descriptor, TRACK_THREAD, &thread);
  put_track(&p->text, p->pid, &descriptor);
  text_free(&thread);
  text_free(&descriptor);
}

// ---- slices

static void put_end(process *p, uint32_t tid, uint64_t cycle) {
  text *e = begin_event(p->packed);
  put_number(e, EVENT_TYPE, TYPE_END);
  put_number(e, EVENT_TRACK, tid);
  put_event(p, cycle, 0);
}

static void begin_slice(process *p, uint32_t tid, const char *name) {
  packed *k = p->packed;
  text *e = begin_event(k);
  put_number(e, EVENT_TYPE, TYPE_BEGIN);
  put_number(e, EVENT_TRACK, tid);
  put_number(e, EVENT_NAME, interned(k, EVENTS, name));
}

static void slice(process *p, uint32_t track, uint64_t begin, uint64_t end, const char *name) {
  packed *k = p->packed;
  k->tid = track_tid(p, track);
  k->begin = begin, k->until = end;
  begin_slice(p, k->tid, name);
}

// An argument of less than 128 bytes.
static void put_argument(process *p, const char *name, uint32_t field, uint64_t value) {
  packed *k = p->packed;
  text *e = &k->event;
  const uint32_t number = interned(k, ARGUMENTS, name);
  put_varint(e, EVENT_ARGUMENT << 3 | BYTES);
  const size_t at = e->used;
  put_varint(e, 0);
  put_number(e, ARGUMENT_NAME, number);
  put_number(e, field, value);
  if (!e->lost)
    e->at[at] = (char)(e->used - at - 1);
}

static void number(process *p, const char *name, uint64_t value) {
  put_argument(p, name, ARGUMENT_NUMBER, value);
}
static void string(process *p, const char *name, const char *value) {
  put_argument(p, name, ARGUMENT_STRING, interned(p->packed, VALUES, value));
}
static void hex(process *p, const char *name, uint64_t value, unsigned digits) {
  (void)digits;
  put_argument(p, name, ARGUMENT_HEX, value);
}

static void end_slice(process *p) {
  packed *k = p->packed;
  put_event(p, k->begin, FLAG_NEEDS);
  put_end(p, k->tid, k->until);
}

static void inner(process *p, uint32_t track, uint64_t begin, uint64_t end, const char *name) {
  begin_slice(p, track_tid(p, track), name);
  put_event(p, begin, FLAG_NEEDS);
  put_end(p, track_tid(p, track), end);
}

// ---- arrows, counters

static void flow(process *p, char phase, uint32_t tid, uint64_t cycle, uint64_t id) {
  packed *k = p->packed;
  text *e = begin_event(k), legacy = {0};
  put_number(&legacy, LEGACY_PHASE, (uint64_t)phase);
  put_number(&legacy, LEGACY_ID, id);
  if (phase == 'f')
    put_number(&legacy, LEGACY_ENCLOSING, 1);
  put_number(e, EVENT_TRACK, tid);
  put_number(e, EVENT_NAME, interned(k, EVENTS, "packet"));
  put_message(e, EVENT_LEGACY, &legacy);
  put_event(p, cycle, FLAG_NEEDS);
  text_free(&legacy);
}

// Counter tracks are behind the others of their process.
static uint32_t counter_uuid(const process *p, uint32_t n) {
  return p->pid * TRACK_STRIDE + TRACK_STRIDE - 1 - n;
}

static void name_counter(process *p, uint32_t n) {
  const series *s = &p->packed->series[n];
  text descriptor = {0}, counter = {0}, name = {0};
  text_string(&name, s->name);
  TEXT(&name, " ");
  text_string(&name, s->of);
  put_number(&counter, COUNTER_UNIT, UNIT_COUNT);
  put_number(&descriptor, TRACK_UUID, counter_uuid(p, n));
  put_message(&descriptor, TRACK_NAME, &name);
  put_number(&descriptor, TRACK_PARENT, p->pid);
  put_message(&descriptor, TRACK_COUNTER, &counter);
  put_track(&p->text, p->pid, &descriptor);
  text_free(&name);
  text_free(&counter);
  text_free(&descriptor);
}

// The number of a counter; *is_new: it had none.
static uint32_t series_of(packed *k, const char *name, const char *of, bool *is_new) {
  uint32_t n = 0;
  while (n < k->n_series && (strcmp(k->series[n].name, name) || strcmp(k->series[n].of, of)))
    n++;
  *is_new = n == k->n_series && n < SERIES;
  if (*is_new)
    k->series[k->n_series++] = (series){name, of, 0};
  return n;
}

// Those that have changed.
static void counters(process *p, uint64_t cycle, const char *name, const char *const *names,
                     const uint32_t *values, uint32_t n) {
  packed *k = p->packed;
  for (uint32_t i = 0; i < n; i++) {
    bool is_new;
    const uint32_t at = series_of(k, name, names[i], &is_new);
    if (at == SERIES || (!is_new && k->series[at].value == values[i])) {
      p->text.lost |= at == SERIES;
      continue;
    }
    if (is_new)
      name_counter(p, at);
    k->series[at].value = values[i];
    text *e = begin_event(k);
    put_number(e, EVENT_TYPE, TYPE_COUNTER);
    put_number(e, EVENT_TRACK, counter_uuid(p, at));
    put_number(e, EVENT_VALUE, values[i]);
    put_event(p, cycle, 0);
  }
}

// ---- what is kept of a process

static bool begin(process *p) {
  packed *k = p->packed = calloc(1, sizeof *k);
  return k && (k->entries = calloc(ENTRIES, sizeof *k->entries));
}

static void end(process *p) {
  packed *k = p->packed;
  if (!k)
    return;
  text_free(&k->event);
  text_free(&k->interned);
  text_free(&k->packet);
  text_free(&k->strings);
  free(k->entries);
  free(k);
}

const timeline_format timeline_packed = {
    .tail = "",
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

// SPDX-License-Identifier: Apache-2.0
// Does a packed timeline say what the JSON of the same run says?
//
//   check_packed FILE.json FILE.pftrace
//   check_packed FILE.pftrace               only whether it is one
//
// A decoder of its own reads the packets as Perfetto does: events sorted by time, those of a time
// as they are in the file; slices of a track on a stack; strings by number, for each sequence. Then
// processes, tracks, slices with all arguments, arrows and counters are compared. What Perfetto
// would drop or mend is an error.
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned failures;

__attribute__((format(printf, 1, 2))) static void fails(const char *format, ...) {
  va_list args;
  if (failures++ > 20)
    return;
  fputs("FAILED: ", stdout);
  va_start(args, format);
  vprintf(format, args);
  va_end(args);
  putchar('\n');
}

static void *checked(void *p) {
  if (!p)
    abort();
  return p;
}

// ---- what both files are read into: lines that are the same when what they say is

typedef struct line {
  long long track, at;  // at: for the order of a track
  size_t order;
  char *text;
} line;

typedef struct lines {
  line *all;
  size_t n, room;
} lines;

__attribute__((format(printf, 4, 5))) static void add(lines *l, long long track, long long at,
                                                      const char *format, ...) {
  va_list args;
  if (l->n == l->room) {
    l->room = 2 * l->room + 1024;
    l->all = checked(realloc(l->all, l->room * sizeof *l->all));
  }
  line *x = &l->all[l->n];
  *x = (line){track, at, l->n, NULL};
  va_start(args, format);
  if (vasprintf(&x->text, format, args) < 0)
    abort();
  va_end(args);
  l->n++;
}

static int by_track(const void *x, const void *y) {
  const line *a = x, *b = y;
  if (a->track != b->track)
    return a->track < b->track ? -1 : 1;
  if (a->at != b->at)
    return a->at < b->at ? -1 : 1;
  return a->order < b->order ? -1 : 1;
}

static void compare(const char *what, lines *a, lines *b) {
  qsort(a->all, a->n, sizeof *a->all, by_track);
  qsort(b->all, b->n, sizeof *b->all, by_track);
  for (size_t n = 0; n < a->n && n < b->n; n++)
    if (a->all[n].track != b->all[n].track || strcmp(a->all[n].text, b->all[n].text)) {
      fails("%s: track %lld: %s\n  packed: track %lld: %s", what, a->all[n].track, a->all[n].text,
            b->all[n].track, b->all[n].text);
      return;
    }
  if (a->n != b->n)
    fails("%s: %zu, packed %zu", what, a->n, b->n);
}

typedef struct timeline {
  lines processes, tracks, slices, arrows, counters;
} timeline;

// ---- JSON

static long long ns(const json_t *o, const char *key) {
  return llround(json_real_value(json_object_get(o, key)) * 1000);
}
static long long whole(const json_t *o, const char *key) {
  return json_integer_value(json_object_get(o, key));
}

static char *arguments_of(json_t *args) {
  char *text = NULL;
  size_t bytes;
  const char *key;
  json_t *v;
  FILE *f = checked(open_memstream(&text, &bytes));
  json_object_foreach(args, key, v) {
    const char *s = json_string_value(v);
    if (s && strncmp(s, "0x", 2) == 0)
      fprintf(f, " %s=0x%llx", key, strtoull(s, NULL, 16));
    else if (s)
      fprintf(f, " %s='%s'", key, s);
    else
      fprintf(f, " %s=%lld", key, (long long)json_integer_value(v));
  }
  fclose(f);
  return text;
}

// A value that a counter has already is not a change of it.
typedef struct value {
  char *name;
  long long pid, is;
} value;
static value *values;
static size_t n_values;

static bool changes(long long pid, const char *name, long long is) {
  for (size_t n = 0; n < n_values; n++)
    if (values[n].pid == pid && strcmp(values[n].name, name) == 0) {
      const bool other = values[n].is != is;
      values[n].is = is;
      return other;
    }
  values = checked(realloc(values, (n_values + 1) * sizeof *values));
  values[n_values++] = (value){checked(strdup(name)), pid, is};
  return true;
}

static void read_event(timeline *t, json_t *o) {
  const char phase = *json_string_value(json_object_get(o, "ph"));
  const char *name = json_string_value(json_object_get(o, "name"));
  const long long pid = whole(o, "pid"), tid = whole(o, "tid");
  json_t *args = json_object_get(o, "args");
  if (phase == 'M' && strcmp(name, "process_name") == 0) {
    add(&t->processes, pid, 0, "%s", json_string_value(json_object_get(args, "name")));
  } else if (phase == 'M' && strcmp(name, "process_sort_index") == 0) {
    add(&t->processes, pid, 1, "%lld", whole(args, "sort_index"));
  } else if (phase == 'M' && strcmp(name, "thread_name") == 0) {
    add(&t->tracks, tid, 0, "%lld %s", pid, json_string_value(json_object_get(args, "name")));
  } else if (phase == 'M') {
    add(&t->tracks, tid, 1, "%lld", whole(args, "sort_index"));
  } else if (phase == 'X') {
    char *text = arguments_of(args);
    add(&t->slices, tid, ns(o, "ts"), "%lld+%lld %s%s", ns(o, "ts"), ns(o, "dur"), name, text);
    free(text);
  } else if (phase == 'C') {
    const char *key;
    json_t *v;
    json_object_foreach(args, key, v) {
      char full[200];
      snprintf(full, sizeof full, "%s %s", name, key);
      if (changes(pid, full, json_integer_value(v)))
        add(&t->counters, pid, ns(o, "ts"), "%lld %s=%lld", ns(o, "ts"), full,
            (long long)json_integer_value(v));
    }
  } else {
    add(&t->arrows, whole(o, "id"), 0, "%c %lld tid %lld %s", phase, ns(o, "ts"), tid, name);
  }
}

// ---- the wire format

typedef struct bytes {
  const unsigned char *at, *end;
} bytes;

typedef struct field {
  uint64_t number, kind, n;  // n: the varint, or bytes of `of`
  bytes of;
} field;

static bool varint(bytes *b, uint64_t *n) {
  *n = 0;
  for (unsigned shift = 0; b->at < b->end && shift < 70; shift += 7) {
    const unsigned char c = *b->at++;
    *n |= (uint64_t)(c & 127) << shift;
    if (c < 128)
      return true;
  }
  return false;
}

// False: the end. A field that is none ends it, too.
static bool next(bytes *b, field *f) {
  uint64_t tag;
  if (b->at == b->end)
    return false;
  *f = (field){0};
  bool ok = varint(b, &tag) && varint(b, &f->n);
  f->number = tag >> 3, f->kind = tag & 7;
  ok = ok && f->number && (f->kind == 0 || (f->kind == 2 && f->n <= (uint64_t)(b->end - b->at)));
  if (!ok) {
    fails("a field is not whole, or of an unknown kind");
    b->at = b->end;
    return false;
  }
  if (f->kind == 2)
    f->of = (bytes){b->at, b->at + f->n}, b->at += f->n;
  return true;
}

static char *copy(bytes b) {
  char *s = checked(malloc((size_t)(b.end - b.at) + 1));
  memcpy(s, b.at, (size_t)(b.end - b.at));
  s[b.end - b.at] = 0;
  return s;
}

// ---- packets

enum { SEQUENCES = 256, STRINGS = 1 << 16 };
enum { EVENTS = 2, ARGUMENTS = 3, VALUES = 29, USES };

typedef struct sequence {
  bool valid;  // a packet has cleared it
  char *of[3][STRINGS];
  uint64_t from[3];  // numbers up to this one are forgotten
  uint64_t last[3];
} sequence;
static sequence *sequences[SEQUENCES];
static unsigned cleared;  // times that strings were forgotten

typedef struct event {
  uint64_t at, uuid, type, phase, id, enclosing;
  long long value;
  size_t order;
  char *name, *args;
} event;
static event *events;
static size_t n_events, room;

enum { UUIDS = 1 << 23 };
typedef struct track {
  char *name;  // NULL: none
  enum { PROCESS = 1, THREAD, COUNTER } kind;
  long long pid;
} track;
static track *uuids;
static uint64_t last_uuid;

static unsigned use_of(uint64_t field) {
  return field == EVENTS ? 0 : field == ARGUMENTS ? 1 : 2;
}

static void read_interned(sequence *s, bytes b) {
  for (field f, g; next(&b, &f);) {
    uint64_t iid = 0;
    char *text = NULL;
    if (f.number != EVENTS && f.number != ARGUMENTS && f.number != VALUES) {
      fails("strings of an unknown use %llu", (unsigned long long)f.number);
      continue;
    }
    const unsigned use = use_of(f.number);
    for (bytes in = f.of; next(&in, &g);)
      if (g.number == 1 && g.kind == 0)
        iid = g.n;
      else if (g.number == 2 && g.kind == 2)
        text = copy(g.of);
      else
        fails("field %llu of a string", (unsigned long long)g.number);
    if (iid != s->last[use] + 1 || iid >= STRINGS || !text) {
      fails("string %llu of use %u comes behind %llu", (unsigned long long)iid, use,
            (unsigned long long)s->last[use]);
      return;
    }
    s->last[use] = iid;
    s->of[use][iid] = text;
  }
}

static const char *string(sequence *s, uint64_t field, uint64_t iid) {
  const unsigned use = use_of(field);
  if (iid > s->from[use] && iid <= s->last[use])
    return s->of[use][iid];
  fails("string %llu of use %u is not known", (unsigned long long)iid, use);
  return "?";
}

static void read_argument(sequence *s, bytes b, FILE *to) {
  const char *name = NULL;
  for (field f; next(&b, &f);)
    if (f.kind)
      fails("an argument of the kind %llu", (unsigned long long)f.kind);
    else if (f.number == 1 && !name)
      name = string(s, ARGUMENTS, f.n);
    else if (f.number == 3 && name)
      fprintf(to, " %s=%llu", name, (unsigned long long)f.n);
    else if (f.number == 7 && name)
      fprintf(to, " %s=0x%llx", name, (unsigned long long)f.n);
    else if (f.number == 17 && name)
      fprintf(to, " %s='%s'", name, string(s, VALUES, f.n));
    else
      fails("field %llu of an argument", (unsigned long long)f.number);
}

// *needs: it uses strings of the sequence.
static event read_event_of(sequence *s, bytes b, bool *needs) {
  event e = {.order = n_events};
  size_t size;
  FILE *to = checked(open_memstream(&e.args, &size));
  for (field f, g; next(&b, &f);)
    if (f.number == 9 && f.kind == 0) {
      e.type = f.n;
    } else if (f.number == 11 && f.kind == 0) {
      e.uuid = f.n;
    } else if (f.number == 10 && f.kind == 0) {
      e.name = checked(strdup(string(s, EVENTS, f.n)));
      *needs = true;
    } else if (f.number == 30 && f.kind == 0) {
      e.value = (long long)f.n;
    } else if (f.number == 4 && f.kind == 2) {
      read_argument(s, f.of, to);
      *needs = true;
    } else if (f.number == 6 && f.kind == 2) {
      for (bytes in = f.of; next(&in, &g);)
        if (g.number == 2)
          e.phase = g.n;
        else if (g.number == 6)
          e.id = g.n;
        else if (g.number == 12)
          e.enclosing = g.n;
        else
          fails("field %llu of an arrow", (unsigned long long)g.number);
    } else {
      fails("field %llu of an event", (unsigned long long)f.number);
    }
  fclose(to);
  return e;
}

static void read_track(timeline *t, bytes b, uint64_t of) {
  track x = {0};
  uint64_t uuid = 0, parent = 0, sort = 0, tid = 0, pid = 0, unit = 0;
  for (field f, g; next(&b, &f);) {
    if (f.number == 1 && f.kind == 0)
      uuid = f.n;
    else if (f.number == 5 && f.kind == 0)
      parent = f.n;
    else if (f.number == 2 && f.kind == 2)
      x.name = copy(f.of);
    else if (f.kind == 2 && (f.number == 3 || f.number == 4 || f.number == 8))
      x.kind = f.number == 3 ? PROCESS : f.number == 4 ? THREAD : COUNTER;
    else
      fails("field %llu of a track", (unsigned long long)f.number);
    for (bytes in = f.of; f.kind == 2 && f.number != 2 && next(&in, &g);)
      if (x.kind == COUNTER)
        unit = g.number == 3 ? g.n : 99;
      else if (g.number == 1)
        pid = g.n;
      else if (g.number == 2 && x.kind == THREAD)
        tid = g.n;
      else if (g.number == 3)
        sort = g.n;
      else if (g.number == (x.kind == PROCESS ? 6 : 5) && g.kind == 2)
        x.name = copy(g.of);
      else
        fails("field %llu of a process or thread", (unsigned long long)g.number);
  }
  x.pid = (long long)(x.kind == COUNTER ? parent : pid);
  if (!uuid || uuid >= UUIDS || uuids[uuid].kind || !x.name || !x.kind || of != (uint64_t)x.pid) {
    fails("track %llu has no name, is there twice, or is of another sequence",
          (unsigned long long)uuid);
    return;
  }
  uuids[uuid] = x;
  last_uuid = uuid > last_uuid ? uuid : last_uuid;
  if (x.kind == PROCESS) {
    add(&t->processes, x.pid, 0, "%s", x.name);
    add(&t->processes, x.pid, 1, "%llu", (unsigned long long)sort);
  } else if (x.kind == THREAD) {
    add(&t->tracks, (long long)tid, 0, "%lld %s", x.pid, x.name);
    add(&t->tracks, (long long)tid, 1, "%llu", (unsigned long long)sort);
  }
  if (x.kind == THREAD ? tid != uuid : x.kind == COUNTER ? unit != 2 : uuid != pid)
    fails("track %llu is another one", (unsigned long long)uuid);
}

static void read_packet(timeline *t, bytes b) {
  uint64_t at = 0, of = 0, flags = 0;
  bytes interned = {0}, track = {0}, about = {0};
  bool timed = false, needs = false;
  for (field f; next(&b, &f);)
    if (f.number == 8 && f.kind == 0)
      at = f.n, timed = true;
    else if (f.number == 10 && f.kind == 0)
      of = f.n;
    else if (f.number == 13 && f.kind == 0)
      flags = f.n;
    else if (f.number == 12 && f.kind == 2)
      interned = f.of;
    else if (f.number == 60 && f.kind == 2)
      track = f.of;
    else if (f.number == 11 && f.kind == 2)
      about = f.of;
    else
      fails("field %llu of a packet", (unsigned long long)f.number);
  if (!of || of >= SEQUENCES || !track.at == !about.at || !about.at == timed || flags > 3) {
    fails("a packet without sequence, or which is not one thing");
    return;
  }
  if (!sequences[of])
    sequences[of] = checked(calloc(1, sizeof *sequences[of]));
  sequence *s = sequences[of];
  if (track.at) {
    read_track(t, track, of);
    return;
  }
  if (flags & 1) {
    memcpy(s->from, s->last, sizeof s->from);
    cleared += s->valid;
    s->valid = true;
  }
  read_interned(s, interned);
  event e = read_event_of(s, about, &needs);
  if (needs != (flags >> 1 & 1) || (needs && !s->valid))
    fails("a packet uses strings, but does not say so, or they are not valid");
  if (e.uuid >= UUIDS || !uuids[e.uuid].kind)
    fails("an event on track %llu, which is not described before it", (unsigned long long)e.uuid);
  e.at = at;
  if (n_events == room) {
    room = 2 * room + 1024;
    events = checked(realloc(events, room * sizeof *events));
  }
  events[n_events++] = e;
}

// ---- as Perfetto takes them

static int by_time(const void *x, const void *y) {
  const event *a = x, *b = y;
  if (a->at != b->at)
    return a->at < b->at ? -1 : 1;
  return a->order < b->order ? -1 : 1;
}

enum { DEPTH = 4 };
typedef struct stack {
  const event *of[DEPTH];
  unsigned depth;
} stack;

// Those that begin together are in the order in which they are opened: the outer one first.
static void put_slice(timeline *t, const event *b, uint64_t end) {
  add(&t->slices, (long long)b->uuid, (long long)b->at, "%llu+%llu %s%s", (unsigned long long)b->at,
      (unsigned long long)(end - b->at), b->name ? b->name : "", b->args);
  t->slices.all[t->slices.n - 1].order = b->order;
}

static void import(timeline *t) {
  stack *stacks = checked(calloc(UUIDS, sizeof *stacks));
  qsort(events, n_events, sizeof *events, by_time);
  for (size_t n = 0; n < n_events; n++) {
    const event *e = &events[n];
    const unsigned long long uuid = e->uuid;
    if (e->uuid >= UUIDS)
      continue;
    stack *s = &stacks[e->uuid];
    const track *x = &uuids[e->uuid];
    if (e->phase) {
      if (!s->depth)
        fails("an arrow at %llu without a slice on track %llu", (unsigned long long)e->at, uuid);
      add(&t->arrows, (long long)e->id, 0, "%c %llu tid %llu %s", (char)e->phase,
          (unsigned long long)e->at, uuid, e->name ? e->name : "");
      t->arrows.all[t->arrows.n - 1].order = e->order;
      if ((e->phase == 'f') != (e->enclosing == 1))
        fails("an arrow whose end does not take the slice around it");
    } else if (e->type == 1 && x->kind == THREAD && s->depth < DEPTH) {
      s->of[s->depth++] = e;
    } else if (e->type == 2 && x->kind == THREAD && s->depth && !e->name) {
      put_slice(t, s->of[--s->depth], e->at);
    } else if (e->type == 4 && x->kind == COUNTER) {
      add(&t->counters, x->pid, (long long)e->at, "%llu %s=%lld", (unsigned long long)e->at,
          x->name, e->value);
      t->counters.all[t->counters.n - 1].order = e->order;
    } else {
      fails("an event of type %llu at %llu on track %llu, where it does not fit",
            (unsigned long long)e->type, (unsigned long long)e->at, uuid);
    }
  }
  for (uint64_t k = 0; k <= last_uuid; k++)
    if (stacks[k].depth)
      fails("a slice on track %llu does not end", (unsigned long long)k);
  free(stacks);
}

static bytes read_all(const char *name) {
  FILE *f = fopen(name, "rb");
  char *text = NULL;
  size_t size;
  FILE *to = checked(open_memstream(&text, &size));
  char piece[1 << 16];
  for (size_t n; f && (n = fread(piece, 1, sizeof piece, f)) > 0;)
    fwrite(piece, 1, n, to);
  if (f)
    fclose(f);
  else
    fails("cannot read %s", name);
  fclose(to);
  return (bytes){(unsigned char *)text, (unsigned char *)text + size};
}

static void read_json(timeline *t, const char *file) {
  json_error_t error;
  size_t n;
  json_t *o, *all = json_load_file(file, JSON_REJECT_DUPLICATES, &error);
  if (!all)
    fails("%s:%d: %s", file, error.line, error.text);
  json_array_foreach(json_object_get(all, "traceEvents"), n, o) read_event(t, o);
}

static void read_packed(timeline *t, const char *file) {
  uuids = checked(calloc(UUIDS, sizeof *uuids));
  bytes b = read_all(file);
  for (field f; next(&b, &f);)
    if (f.number == 1 && f.kind == 2)
      read_packet(t, f.of);
    else
      fails("something else than a packet");
  import(t);
}

int main(int argc, char **argv) {
  timeline json = {0}, packed = {0};
  if (argc != 2 && argc != 3)
    return 2;
  read_packed(&packed, argv[argc - 1]);
  if (argc == 3) {
    read_json(&json, argv[1]);
    compare("processes", &json.processes, &packed.processes);
    compare("tracks", &json.tracks, &packed.tracks);
    compare("slices", &json.slices, &packed.slices);
    compare("arrows", &json.arrows, &packed.arrows);
    compare("counters", &json.counters, &packed.counters);
  }
  printf(
      "%zu processes, %zu tracks, %zu slices, %zu steps of arrows, %zu counts; strings forgotten "
      "%u times\n",
      packed.processes.n / 2, packed.tracks.n / 2, packed.slices.n, packed.arrows.n,
      packed.counters.n, cleared);
  return failures > 0;
}

// SPDX-License-Identifier: Apache-2.0
// Is a file of trace events what Perfetto and chrome://tracing take? And, with the statistics of
// the run, a timeline of all of it?
//
//   check_timeline FILE [STATISTICS]
//
// Strict JSON; the fields that each kind of event needs; slices of a track inside of one another or
// apart, in the order in which Perfetto reads them; arrows with a beginning, an end and slices
// under all of their steps; slices that are cut say so, at the edge where they are; phases of
// instructions add up; and the counters.
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct event {
  size_t order;
  char phase;
  long long pid, tid, ts, dur, id;
  const char *name;
  json_t *args;
  const char *track;  // its name
} event;

static event *all;
static size_t count;
static long long from, to;
static unsigned failures;

static void fails(const event *e, const char *format, ...) {
  va_list args;
  if (failures++ > 20)
    return;
  fputs("FAILED: ", stdout);
  if (e)
    printf("event %zu (%c, %s, tid %lld, ts %lld): ", e->order, e->phase, e->name, e->tid, e->ts);
  va_start(args, format);
  vprintf(format, args);
  va_end(args);
  putchar('\n');
}

// ---- reading

static bool whole(const event *e, const json_t *o, const char *key, long long *to_) {
  const json_t *v = json_object_get(o, key);
  if (!json_is_integer(v))
    return fails(e, "no integer '%s'", key), false;
  *to_ = json_integer_value(v);
  return true;
}

// Microseconds with three decimals: a whole number of nanoseconds.
static bool nanoseconds(const event *e, const json_t *o, const char *key, long long *ns) {
  const json_t *v = json_object_get(o, key);
  if (!json_is_real(v))
    return fails(e, "no decimal '%s'", key), false;
  const double n = json_real_value(v) * 1000;
  *ns = llround(n);
  if (*ns < 0 || fabs(n - (double)*ns) > 1e-3)
    fails(e, "'%s' is no number of nanoseconds", key);
  return true;
}

static const char *argument(const event *e, const char *key) {
  return json_string_value(json_object_get(e->args, key));
}
static long long number(const event *e, const char *key) {
  return json_integer_value(json_object_get(e->args, key));
}
static bool has(const event *e, const char *key) {
  return json_object_get(e->args, key) != NULL;
}

static void read_event(event *e, json_t *o) {
  const char *phase = json_string_value(json_object_get(o, "ph"));
  e->phase = phase && strlen(phase) == 1 ? *phase : '?';
  e->name = json_string_value(json_object_get(o, "name"));
  e->args = json_object_get(o, "args");
  if (!strchr("MXCstf", e->phase))
    fails(e, "unknown phase");
  if (!e->name || !*e->name)
    fails(e, "no name"), e->name = "?";
  whole(e, o, "pid", &e->pid);
  whole(e, o, "tid", &e->tid);
  if (e->args && !json_is_object(e->args))
    fails(e, "arguments are no object");
  if (e->phase != 'M')
    nanoseconds(e, o, "ts", &e->ts);
  if (e->phase == 'X' && (!nanoseconds(e, o, "dur", &e->dur) || e->dur < 1))
    fails(e, "no duration");
  if (strchr("stf", e->phase)) {
    whole(e, o, "id", &e->id);
    if (!json_is_string(json_object_get(o, "cat")))
      fails(e, "an arrow without category");
  }
  const char *bp = json_string_value(json_object_get(o, "bp"));
  if ((e->phase == 'f') != (bp && strcmp(bp, "e") == 0))
    fails(e, "bp");
}

static int by_track(const void *x, const void *y) {
  const event *a = x, *b = y;
  if (a->tid != b->tid)
    return a->tid < b->tid ? -1 : 1;
  if (a->ts != b->ts)
    return a->ts < b->ts ? -1 : 1;
  return a->order < b->order ? -1 : 1;
}

static int by_arrow(const void *x, const void *y) {
  const event *a = x, *b = y;
  const bool p = strchr("stf", a->phase) != NULL, q = strchr("stf", b->phase) != NULL;
  if (p != q)
    return p ? -1 : 1;
  if (a->id != b->id)
    return a->id < b->id ? -1 : 1;
  return a->order < b->order ? -1 : 1;
}

// ---- names of tracks and processes; sorted by track

static void check_names(void) {
  const char *name = NULL;
  long long tid = -1, sort = -1;
  for (size_t n = 0; n < count; n++) {
    event *e = &all[n];
    if (e->tid != tid)
      name = NULL, sort = -1, tid = e->tid;
    if (e->phase == 'M' && strcmp(e->name, "thread_name") == 0) {
      if (name)
        fails(e, "a second name");
      name = argument(e, "name");
    } else if (e->phase == 'M' && strcmp(e->name, "thread_sort_index") == 0) {
      sort = number(e, "sort_index");
    } else if (e->phase == 'M') {
      if (strcmp(e->name, "process_name") && strcmp(e->name, "process_sort_index"))
        fails(e, "unknown metadata");
    } else if (e->phase != 'C' && (!name || sort < 0)) {
      fails(e, "its track has no name or place");
    }
    e->track = name ? name : "";
  }
}

// Of a process, no two tracks have one name.
static int by_name(const void *x, const void *y) {
  const event *const *a = x, *const *b = y;
  const int order = strcmp(argument(*a, "name"), argument(*b, "name"));
  return order ? order : ((*a)->pid > (*b)->pid) - ((*a)->pid < (*b)->pid);
}

static void check_unique(void) {
  const event **names = calloc(count + 1, sizeof *names);
  size_t n = 0;
  if (!names)
    abort();
  for (size_t k = 0; k < count; k++)
    if (strcmp(all[k].name, "thread_name") == 0 && argument(&all[k], "name"))
      names[n++] = &all[k];
  qsort(names, n, sizeof *names, by_name);
  for (size_t k = 1; k < n; k++)
    if (by_name(&names[k - 1], &names[k]) == 0)
      fails(names[k], "another track has its name");
  free(names);
}

static void check_processes(void) {
  bool named[4096] = {false}, used[4096] = {false};
  for (size_t n = 0; n < count; n++) {
    const event *e = &all[n];
    const size_t pid = (size_t)e->pid % 4096;
    if (strcmp(e->name, "process_name") == 0 && argument(e, "name"))
      named[pid] = true;
    used[pid] = true;
  }
  for (size_t n = 0; n < 4096; n++)
    if (used[n] && !named[n])
      fails(NULL, "process %zu has no name", n);
}

// ---- slices

static long long end_of(const event *e) {
  return e->ts + e->dur;
}

static void check_cut(const event *e) {
  const char *cut = argument(e, "cut");
  const bool start = cut && strstr(cut, "start"), end = cut && strstr(cut, "end");
  if (has(e, "ns")) {  // of a stream: the window is one of cycles
    if (cut || number(e, "ns") != e->ts)
      fails(e, "its ns are %lld", number(e, "ns"));
    return;
  }
  if (e->ts < from || end_of(e) > to)
    fails(e, "outside of the window");
  if (start ? e->ts != from || number(e, "cycle") >= from : number(e, "cycle") != e->ts)
    fails(e, "its cycle is %lld", number(e, "cycle"));
  if (end && end_of(e) != to)
    fails(e, "cut, but not where the window ends");
}

static const char *const phases[] = {"offload", "moves", "collect", "LSU",
                                     "unit",    "send",  "packets"};

static void check_phases(const event *e) {
  long long sum = 0;
  if (!has(e, "lanes") || has(e, "cut"))
    return;
  for (size_t n = 0; n < sizeof phases / sizeof *phases; n++)
    sum += number(e, phases[n]);
  if (sum ? sum != e->dur : e->dur != 1)
    fails(e, "its phases take %lld cycles, it %lld", sum, e->dur);
}

static void check_inner(const event *e, const event *outer) {
  if (!outer)
    fails(e, "a part of nothing");
  else if (has(outer, "lanes") && !has(outer, "cut") && number(outer, e->name) != e->dur)
    fails(e, "it takes %lld cycles, the instruction says %lld", e->dur, number(outer, e->name));
}

// The slices of a track that are open, as Perfetto puts them on a stack. What is inside of one
// covers it from its beginning to its end, without gaps.
enum { DEPTH = 3 };
typedef struct level {
  const event *e;
  long long covered;  // until
} level;

static void close_slice(const level *l) {
  if (l->covered != l->e->ts && l->covered != end_of(l->e))
    fails(l->e, "its parts end at %lld", l->covered);
}

static void check_tracks(void) {
  level stack[DEPTH];
  size_t depth = 0;
  for (size_t n = 0; n < count; n++) {
    const event *e = &all[n];
    while (depth && (e->tid != all[n - 1].tid || end_of(stack[depth - 1].e) <= e->ts))
      close_slice(&stack[--depth]);
    if (e->phase == 'M' || e->phase == 'C')
      continue;
    level *outer = depth ? &stack[depth - 1] : NULL;
    if (e->phase != 'X') {
      if (!outer)
        fails(e, "an arrow without a slice");
      continue;
    }
    if (outer && end_of(e) > end_of(outer->e))
      fails(e, "goes on behind '%s', in which it begins", outer->e->name);
    if (depth == DEPTH || (outer && e->args)) {
      fails(e, "inside of '%s'", outer->e->name);
      continue;
    }
    if (e->args)
      check_cut(e), check_phases(e);
    else
      check_inner(e, outer ? outer->e : NULL);
    if (outer && e->ts != outer->covered)
      fails(e, "the part before it ended at %lld", outer->covered);
    if (outer)
      outer->covered = end_of(e);
    stack[depth++] = (level){e, e->ts};
  }
  while (depth)
    close_slice(&stack[--depth]);
}

static void check_counters(void) {
  for (size_t n = 0; n < count; n++) {
    const event *e = &all[n];
    const char *key;
    json_t *v;
    if (e->phase != 'C')
      continue;
    if (e->ts < from || e->ts >= to || !json_object_size(e->args))
      fails(e, "outside of the window, or empty");
    json_object_foreach(e->args, key, v) if (!json_is_integer(v) || json_integer_value(v) < 0)
        fails(e, "'%s' is no count", key);
  }
}

// ---- packets: their parts begin where the pins show it

// What is on the pins in a cycle: first and last flits of packets down, first ones of packets up,
// completions.
enum { PIN_FIRST, PIN_LAST, PIN_UP, PIN_DONE };
typedef struct pin {
  long long what, pid, nbu, tag, cycle;
} pin;

static int by_pin(const void *x, const void *y) {
  return memcmp(x, y, sizeof(pin));
}

static bool on_pins(const pin *pins, size_t n, pin p) {
  return bsearch(&p, pins, n, sizeof p, by_pin) != NULL;
}

static size_t find_pins(pin *to) {
  size_t n = 0;
  for (size_t k = 0; k < count; k++) {
    const event *e = &all[k];
    if (e->phase != 'X' || !e->args)
      continue;
    pin p = {PIN_FIRST, e->pid, number(e, "nbu"), 0, number(e, "cycle")};
    const bool first = number(e, "flit") == 1, last = number(e, "flit") == number(e, "of");
    if (has(e, "dn") && first)
      to[n++] = p;
    p.what = PIN_LAST;
    if (has(e, "dn") && last)
      to[n++] = p;
    p.what = PIN_UP;
    if (has(e, "up") && first)
      to[n++] = p;
    p.what = PIN_DONE, p.tag = number(e, "tag");
    if (strstr(e->track, ", completions of "))
      to[n++] = p;
  }
  qsort(to, n, sizeof *to, by_pin);
  return n;
}

// Those that are not answered end when they are complete.
static bool answered(const event *packet) {
  static const char *const silent[] = {"EXEC", "SHM", "LINE", "SECT", "REGWR"};
  for (size_t k = 0; k < sizeof silent / sizeof *silent; k++)
    if (strcmp(packet->name, silent[k]) == 0)
      return false;
  return true;
}

static void check_packets(void) {
  pin *pins = calloc(2 * count + 2, sizeof *pins);
  const event *packet = NULL;
  if (!pins)
    abort();
  const size_t n = find_pins(pins);
  for (size_t k = 0; k < count; k++) {
    const event *e = &all[k];
    if (e->phase != 'X' || !strstr(e->track, ", packets"))
      continue;
    if (e->args) {
      packet = e;
      continue;
    }
    if (!packet || has(packet, "cut"))
      continue;
    pin p = {PIN_FIRST, e->pid, number(packet, "nbu"), 0, e->ts};
    bool ok = true;
    if (strcmp(e->name, "bus") == 0)
      ok = on_pins(pins, n, p);
    if (strcmp(e->name, "NBU") == 0)
      p.what = PIN_LAST, p.cycle--, ok = on_pins(pins, n, p);
    if (strcmp(e->name, "answer") == 0) {
      p.what = PIN_UP, ok = on_pins(pins, n, p);
      p.what = PIN_DONE, p.tag = number(packet, "tag");
      ok = answered(packet) && (ok || on_pins(pins, n, p));
    }
    if (!ok)
      fails(e, "nothing on the pins when it begins");
    p = (pin){PIN_DONE, e->pid, p.nbu, number(packet, "tag"), end_of(e) - 1};
    if (strcmp(e->name, "NBU") == 0 && !answered(packet) &&
        (end_of(e) != end_of(packet) || !on_pins(pins, n, p)))
      fails(e, "nothing on the pins when it is complete");
  }
  free(pins);
}

// ---- arrows

static size_t check_arrows(void) {
  size_t n = 0, arrows = 0;
  qsort(all, count, sizeof *all, by_arrow);
  while (n < count && strchr("stf", all[n].phase)) {
    const size_t first = n;
    arrows++;
    if (all[n].phase != 's')
      fails(&all[n], "arrow %lld does not begin", all[n].id);
    for (n++; n < count && strchr("stf", all[n].phase) && all[n].id == all[first].id; n++) {
      if (all[n].phase == 's')
        fails(&all[n], "arrow %lld begins again", all[n].id);
      if (all[n].ts < all[n - 1].ts)
        fails(&all[n], "arrow %lld goes back", all[n].id);
      if (all[n - 1].phase == 'f')
        fails(&all[n], "arrow %lld goes on behind its end", all[n].id);
    }
    if (all[n - 1].phase != 'f')
      fails(&all[n - 1], "arrow %lld does not end", all[n - 1].id);
  }
  return arrows;
}

// ---- the statistics

static unsigned compared;

static void same(const char *what, long long core, long long have, long long want) {
  compared++;
  if (have != want)
    fails(NULL, "core %lld: %lld %s, the statistics have %lld", core, have, what, want);
}

// Slices of a core on tracks whose names begin so, of this name if there is one.
static long long slices(long long core, const char *track, const char *name) {
  long long n = 0;
  for (size_t k = 0; k < count; k++) {
    const event *e = &all[k];
    n += e->phase == 'X' && e->args && e->pid == core + 2 &&
         strncmp(e->track, track, strlen(track)) == 0 && (!name || strcmp(e->name, name) == 0);
  }
  return n;
}

static long long near_instructions(long long core) {
  long long n = 0;
  for (size_t k = 0; k < count; k++)
    if (all[k].pid == core + 2 && has(&all[k], "lanes"))
      n += strcmp(argument(&all[k], "at"), "near") == 0;
  return n;
}

static long long flits(long long core, const char *track, long long nbu, const char *name) {
  long long n = 0;
  for (size_t k = 0; k < count; k++) {
    const event *e = &all[k];
    n += e->phase == 'X' && e->args && e->pid == core + 2 && number(e, "nbu") == nbu &&
         strncmp(e->track, track, strlen(track)) == 0 && (!name || strcmp(e->name, name) == 0);
  }
  return n;
}

static long long at(const json_t *o, const char *key) {
  return json_integer_value(json_object_get(o, key));
}

static void compare_bank(long long core, long long nbu, size_t n, const json_t *b) {
  static const char *const commands[][2] = {{"ACT", "act"}, {"PRE", "pre"}, {"SASEL", "sasel"},
                                            {"RD", "rd"},   {"WR", "wr"},   {"REF", "ref"}};
  char track[64];
  snprintf(track, sizeof track, "NBU %lld, bank %zu, commands", nbu, n);
  for (size_t k = 0; k < 6; k++)
    same(commands[k][0], core, slices(core, track, commands[k][0]), at(b, commands[k][1]));
  snprintf(track, sizeof track, "NBU %lld, bank %zu, row", nbu, n);
  same("open rows", core, slices(core, track, NULL), at(b, "act"));
  long long reads = 0, writes = 0;
  for (size_t k = 0; k < count; k++)
    if (all[k].pid == core + 2 && strncmp(all[k].track, track, strlen(track)) == 0)
      reads += number(&all[k], "reads"), writes += number(&all[k], "writes");
  same("reads of open rows", core, reads, at(b, "rd"));
  same("writes of open rows", core, writes, at(b, "wr"));
}

// `well`: the run ended so; else packets and requests are under way, some of which count at their
// beginning and some at their end.
static void compare_unit(long long core, long long nbu, const json_t *u, bool well) {
  char track[64];
  const char *kind;
  json_t *v;
  same("flits down", core, flits(core, "TSV bus down", nbu, NULL), at(u, "flits_down"));
  same("flits up", core, flits(core, "TSV bus up", nbu, NULL), at(u, "flits_up"));
  if (well) {
    json_object_foreach(json_object_get(u, "flits_down_by_kind"), kind, v)
        same(kind, core, flits(core, "TSV bus down", nbu, kind), json_integer_value(v));
    json_object_foreach(json_object_get(u, "flits_up_by_kind"), kind, v)
        same(kind, core, flits(core, "TSV bus up", nbu, kind), json_integer_value(v));
    // all but those that are answered otherwise; atomics are, when they return something
    static const char *const done[] = {"EXEC", "SHM", "LINE", "SECT", "WR", "REGWR"};
    long long want = 0, have;
    for (size_t n = 0; n < sizeof done / sizeof *done; n++)
      want += at(json_object_get(u, "packets_down"), done[n]);
    snprintf(track, sizeof track, "NBU %lld, completions", nbu);
    have = slices(core, track, NULL) - slices(core, track, "ATM");
    same("completions", core, have, want);
    snprintf(track, sizeof track, "shared memory, port %lld", nbu);
    same("requests to shared memory", core, slices(core, track, NULL), at(u, "smem_requests"));
  }
  snprintf(track, sizeof track, "NBU %lld, packets", nbu);
  json_object_foreach(json_object_get(u, "packets_down"), kind, v) {
    // what goes with others is no packet of its own
    const bool carries = !strcmp(kind, "KEEP") || !strcmp(kind, "RUN") || !strcmp(kind, "SLOT");
    same(kind, core, slices(core, track, kind), carries ? 0 : json_integer_value(v));
  }
  const json_t *banks = json_object_get(u, "banks");
  for (size_t n = 0; n < json_array_size(banks); n++)
    compare_bank(core, nbu, n, json_array_get(banks, n));
}

static void compare_core(long long core, const json_t *c, bool well) {
  char track[64];
  long long near = 0;
  const json_t *subcores = json_object_get(c, "subcores"), *nbus = json_object_get(c, "nbus");
  for (size_t n = 0; n < json_array_size(subcores); n++) {
    const json_t *s = json_array_get(subcores, n);
    snprintf(track, sizeof track, "subcore %zu, warp", n);
    same("instructions", core, slices(core, track, NULL), at(s, "issued"));
    near += at(s, "near");
  }
  same("near instructions", core, near_instructions(core), near);
  same("blocks", core, slices(core, "blocks", NULL), at(c, "blocks"));
  if (well) {
    same("requests answered", core, slices(core, "requests to", NULL), at(c, "remote_answers"));
    same("requests served", core, slices(core, "LSU-Remote", NULL), at(c, "served"));
  }
  for (size_t n = 0; n < json_array_size(nbus); n++)
    compare_unit(core, (long long)n, json_array_get(nbus, n), well);
}

static json_t *load(const char *file) {
  json_error_t e;
  json_t *j = json_load_file(file, JSON_REJECT_DUPLICATES, &e);
  if (!j) {
    printf("FAILED: %s:%d:%d: %s\n", file, e.line, e.column, e.text);
    exit(1);
  }
  return j;
}

static void compare(const char *file) {
  json_t *s = load(file), *each = json_object_get(s, "each");
  const char *end = json_string_value(json_object_get(s, "end"));
  const bool well = end && strcmp(end, "done") == 0;
  for (size_t n = 0; each && n < json_array_size(each); n++)
    compare_core((long long)n, json_array_get(each, n), well);
  if (!each)
    compare_core(0, json_object_get(s, "core"), well);
  same("launches", -1, slices(-1, "launches", NULL), at(s, "launches"));
  json_decref(s);
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3)
    return fputs("usage: check_timeline FILE [STATISTICS]\n", stderr), 2;
  json_t *j = load(argv[1]), *events = json_object_get(j, "traceEvents");
  const json_t *other = json_object_get(j, "otherData");
  const char *unit = json_string_value(json_object_get(j, "displayTimeUnit"));
  if (!unit || strcmp(unit, "ns") || !json_is_array(events) || !json_is_object(other))
    return puts("FAILED: displayTimeUnit, otherData, traceEvents"), 1;
  from = at(other, "from");
  to = json_object_get(other, "to") ? at(other, "to") : (long long)1 << 62;
  count = json_array_size(events);
  all = calloc(count + 1, sizeof *all);
  if (!all)
    abort();
  long long slices_cut = 0, instructions = 0;
  for (size_t n = 0; n < count; n++) {
    all[n].order = n;
    read_event(&all[n], json_array_get(events, n));
    slices_cut += has(&all[n], "cut");
    instructions += has(&all[n], "lanes");
  }
  qsort(all, count, sizeof *all, by_track);
  check_names();
  check_unique();
  check_processes();
  check_tracks();
  check_counters();
  check_packets();
  if (argc == 3)
    compare(argv[2]);
  const size_t arrows = check_arrows();
  printf("%zu events, %lld instructions, %zu arrows, %lld cut; %u counters compared\n", count,
         instructions, arrows, slices_cut, compared);
  free(all);
  json_decref(j);
  return failures != 0;
}

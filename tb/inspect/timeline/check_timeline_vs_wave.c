// SPDX-License-Identifier: Apache-2.0
// Do the timeline and the waves of a run tell the same story?
//
//   check_timeline_vs_wave TIMELINE.json WAVES.vcd SEED COUNT
//
// COUNT events of the timeline, chosen at random but some of each kind, are looked for in the waves
// (of fst2vcd), which are made elsewhere: the signals of the Verilog and of the base die that
// belong to them must have their values in their cycle.
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 200, CHECKS = 6, PS = 1000, KINDS = 8, LINE = 70000, TRACKS = 1 << 16 };

typedef struct signal {
  char path[PATH], code[12];
  char *value;  // digits; NULL: none yet
  bool found;
} signal;

typedef enum how {
  IS,
  HAS,   // one of the two flits in a word of 128 bits
  PART,  // its bits of `mask`
} how;

typedef struct check {
  size_t signal;
  how how;
  uint64_t want, mask;
} check;

typedef struct query {
  uint64_t cycle;
  unsigned kind, n;
  check checks[CHECKS];
  const char *name;
} query;

static const char *const kinds[KINDS] = {"issue",   "flit down",     "flit up", "completion",
                                         "command", "shared memory", "row",     "block"};
static signal *signals;
static size_t n_signals, room_signals;
static query *queries;
static size_t n_queries, room_queries;
static struct {
  long long pid, tid;
  const char *name;
} tracks[TRACKS];
static size_t n_tracks;
static unsigned cores[256];  // by process

__attribute__((noreturn)) static void fatal(const char *what, const char *of) {
  fprintf(stderr, "check_timeline_vs_wave: %s %s\n", what, of);
  exit(2);
}

static void *need(void *p) {
  if (!p)
    fatal("out of", "memory");
  return p;
}

static size_t signal_at(const char *path) {
  for (size_t n = 0; n < n_signals; n++)
    if (!strcmp(signals[n].path, path))
      return n;
  if (n_signals == room_signals)
    signals = need(realloc(signals, (room_signals = 2 * room_signals + 64) * sizeof *signals));
  signals[n_signals] = (signal){.found = false};
  snprintf(signals[n_signals].path, PATH, "%s", path);
  return n_signals++;
}

static void expect(query *q, how h, uint64_t want, const char *format, unsigned core, unsigned a,
                   unsigned b) {
  char path[PATH];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(path, sizeof path, format, core, a, b);
#pragma GCC diagnostic pop
  if (q->n == CHECKS)
    fatal("too many checks of", q->name);
  q->checks[q->n++] = (check){signal_at(path), h, want, ~0ull};
}

// Bits of the signal that was asked for last.
static void part(query *q, unsigned lowest, unsigned bits) {
  check *c = &q->checks[q->n - 1];
  c->how = PART;
  c->mask = ((1ull << bits) - 1) << lowest;
  c->want <<= lowest;
}

static unsigned completer(const char *name) {
  static const char *const names[] = {"valu", "lsux", "regmove"};
  for (unsigned k = 0; k < 3; k++)
    if (!strcmp(name, names[k]))
      return k;
  fatal("what completes is", name);
}

static query *add(const char *name, unsigned kind, uint64_t cycle) {
  if (n_queries == room_queries)
    queries = need(realloc(queries, (room_queries = 2 * room_queries + 1024) * sizeof *queries));
  queries[n_queries] = (query){.cycle = cycle, .kind = kind, .name = name};
  return &queries[n_queries++];
}

static uint64_t number(const json_t *args, const char *key) {
  const json_t *v = json_object_get(args, key);
  return json_is_string(v) ? strtoull(json_string_value(v), NULL, 16)
                           : (uint64_t)json_integer_value(v);
}

static uint64_t command_of(const json_t *args) {
  static const char *const names[] = {"", "ACT", "PRE", "SASEL", "RD", "WR", "REF"};
  const char *name = json_string_value(json_object_get(args, "cmd"));
  for (uint64_t k = 1; name && k < 7; k++)
    if (!strcmp(name, names[k]))
      return k;
  fatal("what command is", name ? name : "(none)");
}

// What the waves must have of a slice. Slices of other tracks, or cut ones, are not looked for.
static void ask(const char *name, const char *track, unsigned core, const json_t *args) {
  unsigned s, w, end = 0;
  const uint64_t cycle = number(args, "cycle");
  query *q;
  if (json_object_get(args, "cut"))
    return;
  if (sscanf(track, "subcore %u, warp slot %u%n", &s, &w, &end) == 2 && !track[end] &&
      json_object_get(args, "pc")) {
    q = add(name, 0, cycle);
    expect(q, IS, 1, "core%u.base.sub%u.issue", core, s, 0);
    expect(q, IS, w, "core%u.base.sub%u.issue_slot", core, s, 0);
    expect(q, IS, number(args, "pc"), "core%u.base.sub%u.issue_pc", core, s, 0);
    expect(q, IS, number(args, "lanes"), "core%u.base.sub%u.issue_lanes", core, s, 0);
  } else if (sscanf(track, "TSV bus down, place %u", &s) == 1) {
    q = add(name, 1, cycle);
    expect(q, IS, 1, "core%u.base.bus_dn%u_valid", core, s, 0);
    expect(q, IS, number(args, "data"), "core%u.base.bus_dn%u_data", core, s, 0);
    expect(q, HAS, number(args, "data"), "core%u.nbu%u.dn_data_i", core,
           (unsigned)number(args, "nbu"), 0);
  } else if (sscanf(track, "TSV bus up, place %u", &s) == 1) {
    q = add(name, 2, cycle);
    expect(q, IS, 1, "core%u.base.bus_up%u_valid", core, s, 0);
    expect(q, IS, number(args, "data"), "core%u.base.bus_up%u_data", core, s, 0);
    expect(q, IS, number(args, "nbu"), "core%u.base.bus_up%u_nbu", core, s, 0);
  } else if (sscanf(track, "NBU %u, completions of %n", &s, &end) == 1 && end) {
    w = completer(track + end);
    q = add(name, 3, cycle);
    expect(q, IS, 1, "core%u.nbu%u.ret_valid_o", core, s, 0);
    part(q, w, 1);
    expect(q, IS, number(args, "tag"), "core%u.nbu%u.ret_tag_o", core, s, 0);
    part(q, 8 * w, 8);
  } else if (json_object_get(args, "cmd") && sscanf(track, "NBU %u, bank %u", &s, &w) == 2) {
    const uint64_t command = command_of(args);
    q = add(name, 4, cycle);
    expect(q, IS, command, "core%u.nbu%u.cmd_o", core, s, 0);
    expect(q, IS, w, "core%u.nbu%u.cmd_bank_o", core, s, 0);
    if (command == 1)
      expect(q, IS, number(args, "row"), "core%u.nbu%u.cmd_row_o", core, s, 0);
    if (command == 4 || command == 5)
      expect(q, IS, number(args, "col"), "core%u.nbu%u.cmd_col_o", core, s, 0);
  } else if (sscanf(track, "shared memory, port %u", &s) == 1) {
    q = add(name, 5, cycle);
    expect(q, IS, 1, "core%u.smem.q%u_valid_i", core, s, 0);
    expect(q, IS, 1, "core%u.smem.q%u_ready_o", core, s, 0);
    expect(q, IS, number(args, "mask"), "core%u.smem.q%u_mask_i", core, s, 0);
  } else if (json_object_get(args, "reads") && sscanf(track, "NBU %u, bank %u", &s, &w) == 2) {
    // in which of the four it is does not matter here: its command is what opened it
    q = add(name, 6, cycle);
    expect(q, IS, 1, "core%u.base.nbu%u.bank%u.command", core, s, w);
    expect(q, IS, number(args, "row"), "core%u.nbu%u.cmd_row_o", core, s, 0);
  } else if (!strncmp(track, "blocks", 6)) {
    q = add(name, 7, cycle);
    expect(q, IS, 1, "core%u.base.block_starts", core, 0, 0);
  }
}

static const char *track_of(long long pid, long long tid) {
  for (size_t n = 0; n < n_tracks; n++)
    if (tracks[n].pid == pid && tracks[n].tid == tid)
      return tracks[n].name;
  return "";
}

static void read_timeline(const char *file) {
  json_error_t why;
  const json_t *root = json_load_file(file, 0, &why);
  if (!root)
    fatal(file, why.text);
  const json_t *events = json_object_get(root, "traceEvents");
  const json_t *other = json_object_get(root, "otherData");
  const uint64_t from = number(other, "from"), to = number(other, "to");
  size_t k;
  json_t *e;
  json_array_foreach(events, k, e) {
    const char *name = json_string_value(json_object_get(e, "name"));
    const char *phase = json_string_value(json_object_get(e, "ph"));
    const long long pid = json_integer_value(json_object_get(e, "pid"));
    const long long tid = json_integer_value(json_object_get(e, "tid"));
    const json_t *args = json_object_get(e, "args");
    if (phase && *phase == 'M' && !strcmp(name, "process_name"))
      sscanf(json_string_value(json_object_get(args, "name")), "core %u", &cores[pid % 256]);
    if (phase && *phase == 'M' && !strcmp(name, "thread_name") && n_tracks < TRACKS) {
      tracks[n_tracks].pid = pid, tracks[n_tracks].tid = tid;
      tracks[n_tracks++].name = json_string_value(json_object_get(args, "name"));
    }
  }
  json_array_foreach(events, k, e) {
    const char *phase = json_string_value(json_object_get(e, "ph"));
    const json_t *args = json_object_get(e, "args");
    const uint64_t cycle = number(args, "cycle");
    const long long pid = json_integer_value(json_object_get(e, "pid"));
    if (phase && *phase == 'X' && json_object_get(args, "cycle") && cycle >= from && cycle < to)
      ask(json_string_value(json_object_get(e, "name")),
          track_of(pid, json_integer_value(json_object_get(e, "tid"))), cores[pid % 256], args);
  }
}

// ---- some of them

static uint64_t random_state;
static uint64_t random_below(uint64_t n) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (random_state >> 33) % n;
}

static void choose(size_t most) {
  size_t of[KINDS] = {0}, taken[KINDS] = {0}, n = 0;
  for (size_t k = n_queries; k > 1; k--) {
    const size_t other = random_below(k);
    const query q = queries[k - 1];
    queries[k - 1] = queries[other], queries[other] = q;
  }
  for (size_t k = 0; k < n_queries; k++)
    of[queries[k].kind]++;
  // a twentieth of each kind first, then whatever comes
  for (size_t k = 0; k < n_queries && n < most; k++)
    if (taken[queries[k].kind] < most / 20) {
      const query q = queries[n];
      taken[queries[k].kind]++;
      queries[n++] = queries[k], queries[k] = q;
    }
  for (; n < n_queries && n < most; n++)
    taken[queries[n].kind]++;
  n_queries = n;
  for (unsigned k = 0; k < KINDS; k++)
    printf("%-14s %6zu of %zu\n", kinds[k], taken[k], of[k]);
}

static int by_cycle(const void *a, const void *b) {
  const query *x = a, *y = b;
  return x->cycle < y->cycle ? -1 : x->cycle > y->cycle;
}

// ---- the waves

// 64 digits that end `behind` digits before the end.
static uint64_t digits(const char *value, size_t behind) {
  const size_t n = strlen(value);
  uint64_t x = 0;
  for (size_t k = n > behind + 64 ? n - behind - 64 : 0; k + behind < n; k++)
    x = x << 1 | (value[k] == '1');
  return x;
}

static unsigned look(const query *q) {
  for (unsigned n = 0; n < q->n; n++) {
    const check *c = &q->checks[n];
    const signal *s = &signals[c->signal];
    const uint64_t low = s->value ? digits(s->value, 0) : 0;
    const bool ok = s->value && ((low & c->mask) == c->want ||
                                 (c->how == HAS && digits(s->value, 64) == c->want));
    if (ok)
      continue;
    printf("FAILED: cycle %llu, %s '%s': %s is %llx (%s), not %llx\n", (unsigned long long)q->cycle,
           kinds[q->kind], q->name, s->path, (unsigned long long)low,
           s->found ? s->value ? "there" : "no value yet" : "not in the file",
           (unsigned long long)c->want);
    return 1;
  }
  return 0;
}

static void declare(const char *scope, const char *line) {
  char code[12], name[PATH], path[2 * PATH];
  if (sscanf(line, "$var %*s %*u %11s %199s", code, name) != 2)
    return;
  snprintf(path, sizeof path, "%s.%s", scope, name);
  for (size_t n = 0; n < n_signals; n++)
    if (!strcmp(signals[n].path, path)) {
      signals[n].found = true;
      snprintf(signals[n].code, sizeof signals[n].code, "%s", code);
    }
}

static void change(const char *code, const char *value, size_t n) {
  for (size_t k = 0; k < n_signals; k++)
    if (signals[k].found && !strcmp(signals[k].code, code)) {
      signals[k].value = need(realloc(signals[k].value, n + 1));
      memcpy(signals[k].value, value, n);
      signals[k].value[n] = 0;
    }
}

static unsigned read_waves(const char *file) {
  static char line[LINE];
  char scope[4 * PATH] = "", name[PATH];
  size_t next = 0;
  unsigned failures = 0;
  FILE *f = fopen(file, "r");
  if (!f)
    fatal("cannot read", file);
  while (fgets(line, sizeof line, f)) {
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "$scope %*s %199s", name) == 1) {
      snprintf(scope + strlen(scope), sizeof scope - strlen(scope), "%s%s", *scope ? "." : "",
               name);
    } else if (!strncmp(line, "$upscope", 8)) {
      char *dot = strrchr(scope, '.');
      *(dot ? dot : scope) = 0;
    } else if (!strncmp(line, "$var", 4)) {
      declare(scope, line);
    } else if (*line == '#') {
      const uint64_t now = strtoull(line + 1, NULL, 10);
      for (; next < n_queries && PS * queries[next].cycle < now; next++)
        failures += look(&queries[next]);
    } else if (*line == 'b') {
      char *space = strchr(line, ' ');
      *space = 0;
      change(space + 1, line + 1, (size_t)(space - line) - 1);
    } else if (*line == '0' || *line == '1') {
      change(line + 1, line, 1);
    }
  }
  fclose(f);
  for (; next < n_queries; next++)
    failures += look(&queries[next]);
  return failures;
}

int main(int argc, char **argv) {
  if (argc != 5)
    fatal("usage: check_timeline_vs_wave TIMELINE.json WAVES.vcd SEED", "COUNT");
  const size_t most = strtoull(argv[4], NULL, 10);
  random_state = strtoull(argv[3], NULL, 10);
  read_timeline(argv[1]);
  choose(most);
  if (n_queries < most) {
    printf("FAILED: only %zu events to look for\n", n_queries);
    return 1;
  }
  qsort(queries, n_queries, sizeof *queries, by_cycle);
  const unsigned failures = read_waves(argv[2]);
  printf("%zu events, %u not found\n", n_queries, failures);
  return failures != 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "stats_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>
#include "harness/base/schedule/counters.h"
#include "harness/machines/mpu/core/core.h"

enum { DEEP = 8, WORD = 64, PATH = DEEP * (WORD + 4) };

// ---- what is in a file: names by path, and where each counter goes

typedef struct field {
  const char *name;
  size_t offset;
} field;

#define COUNTER(level, name, unit, doc) AT_##level(name)
#define AT_RUN(name) {#name, offsetof(run_stats, name)},
#define AT_CORE(name)
#define AT_SUB(name)
#define AT_NBU(name)
#define AT_BANK(name)
static const field of_run[] = {
#include "harness/machines/mpu/core/stats.def"
};
enum { RUN_FIELDS = sizeof of_run / sizeof *of_run };

static uint64_t *run_field(stats_file *f, const char *name) {
  for (size_t k = 0; k < RUN_FIELDS; k++)
    if (strcmp(of_run[k].name, name) == 0)
      return (uint64_t *)(void *)((char *)&f->run + of_run[k].offset);
  return NULL;
}

static uint64_t *sums(stats_file *s, uint32_t kind) {
  return s->machine ? s->sums[kind] : (uint64_t *)&s->core;
}
const uint64_t *stats_sums(const stats_file *s, uint32_t kind) {
  return s->machine ? s->sums[kind] : (const uint64_t *)&s->core;
}

void stats_free(stats_file *s) {
  for (uint32_t k = 0; k < s->n_kinds; k++)
    free(s->sums[k]);
  s->n_kinds = 0;
}

// ---- the walk

typedef struct frame {
  bool map, has_key;
  char key[WORD];
  unsigned n;  // of a list: elements before this one
} frame;

typedef struct reader {
  const char *name;
  const machine_ops *const *machines;
  stats_file *to;
  frame stack[DEEP];
  unsigned depth;
  char *why;
  size_t why_bytes;
} reader;

static bool wrong(const reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(const reader *r, const char *format, ...) {
  va_list args;
  const int n = snprintf(r->why, r->why_bytes, "'%s' ", r->name);
  va_start(args, format);
  if (n >= 0 && (size_t)n < r->why_bytes)
    vsnprintf(r->why + n, r->why_bytes - (size_t)n, format, args);
  va_end(args);
  return false;
}

static bool no_statistics(const reader *r) {
  return wrong(r, "is not what mpu run --stats writes");
}

// Where we are: "core.subcores.", the key, and the numbers of the elements that lead there. `show`
// has "core.subcores[].".
typedef struct spot {
  char path[PATH], show[PATH];
  uint32_t at[DEEP], lists;
  const char *key;
} spot;

static spot spot_of(const reader *r) {
  spot s = {.key = ""};
  size_t n = 0, m = 0;
  for (unsigned d = 0; d < r->depth; d++) {
    const frame *x = &r->stack[d];
    const bool last = d + 1 == r->depth;
    if (!x->map) {
      s.at[s.lists++] = x->n;
      n += (size_t)snprintf(s.path + n, PATH - n, "%s", last ? "" : ".");
      m += (size_t)snprintf(s.show + m, PATH - m, "[]%s", last ? "" : ".");
    } else if (!last) {
      const char *end = x[1].map ? "." : "";
      n += (size_t)snprintf(s.path + n, PATH - n, "%s%s", x->key, end);
      m += (size_t)snprintf(s.show + m, PATH - m, "%s%s", x->key, end);
    }
  }
  if (r->stack[r->depth - 1].map)
    s.key = r->stack[r->depth - 1].key;
  return s;
}

static bool to_count(const char *text, bool quoted, uint64_t *v) {
  char *end;
  errno = 0;
  *v = strtoull(text, &end, 10);
  return !quoted && *text >= '0' && *text <= '9' && !*end && !errno && *v != UINT64_MAX;
}

static bool not_a_count(const reader *r, const spot *s, const char *text) {
  return wrong(r, "is damaged: %s%s is '%.40s', which is not a count", s->show, s->key, text);
}

// Of the run: what is not a count there (text, truth, seconds) is not looked at, but for two.
static bool take_run(const reader *r, const spot *s, const char *text, bool quoted) {
  uint64_t v, *to = run_field(r->to, s->key);
  if (!to)
    return true;
  if (to_count(text, quoted, &v))
    *to = v;
  else if (!strcmp(s->key, "cycles") || !strcmp(s->key, "schema"))
    return not_a_count(r, s, text);
  return true;
}

// `path`: from the node on.
static bool take_counter(const reader *r, uint32_t kind, const spot *s, const char *path,
                         const char *text, bool quoted) {
  char whole[PATH + WORD];
  uint32_t word;
  uint64_t v;
  snprintf(whole, sizeof whole, "%s%s", path, s->key);
  const counters_place is = counters_word(r->to->kinds[kind], whole, s->at, s->lists, &word);
  if (is == COUNTERS_NONE)
    return true;
  if (is == COUNTERS_BEYOND || !to_count(text, quoted, &v))
    return not_a_count(r, s, text);
  sums(r->to, kind)[word] = v;
  return true;
}

// The file is of another machine than MPU.
static bool take_machine(const reader *r, const char *name) {
  stats_file *to = r->to;
  for (const machine_ops *const *m = r->machines; m && *m; m++)
    if (!strcmp((*m)->name, name))
      to->machine = *m;
  if (!to->machine)
    return wrong(r, "is of the machine '%.40s', which this mpu does not know", name);
  to->n_kinds = 0;
  for (uint32_t p = 0; p < to->machine->n_parts && p < STATS_KINDS; p++) {
    const node_kind *kind = to->machine->parts[p].ops->declares;
    if (!kind)
      continue;
    const size_t bytes = (counters_words(kind) + 1) * sizeof(uint64_t);
    uint64_t *words = malloc(bytes);
    if (!words)
      return wrong(r, "cannot be read: out of host memory");
    memset(words, 0xff, bytes);
    to->nodes[to->n_kinds] = 0;
    to->sums[to->n_kinds] = words, to->kinds[to->n_kinds++] = kind;
  }
  snprintf(to->program, sizeof to->program, "%s", name);
  return true;
}

static bool take_of_machine(const reader *r, const spot *s, const char *text, bool quoted) {
  stats_file *to = r->to;
  if (!strcmp(s->path, "network."))
    return take_run(r, s, text, quoted);
  for (uint32_t k = 0; k < to->n_kinds; k++) {
    char before[WORD + 8];
    const int n = snprintf(before, sizeof before, "sums.%s.", to->kinds[k]->name);
    if (!strcmp(s->path, "nodes.") && !strcmp(s->key, "kind") && !strcmp(text, to->kinds[k]->name))
      to->nodes[k]++;
    if (!strncmp(s->path, before, (size_t)n))
      return take_counter(r, k, s, s->path + n, text, quoted);
  }
  return true;
}

static bool take(const reader *r, const char *text, bool quoted) {
  if (r->depth == 0 || strcmp(r->stack[0].key, "each") == 0)
    return r->depth > 0 || no_statistics(r);
  const spot s = spot_of(r);
  stats_file *to = r->to;
  if (*s.path)
    return to->machine                        ? take_of_machine(r, &s, text, quoted)
           : strncmp(s.path, "core.", 5) == 0 ? take_counter(r, 0, &s, s.path + 5, text, quoted)
                                              : true;
  if (strcmp(s.key, "machine") == 0)
    return take_machine(r, text);
  if (strcmp(s.key, "program") == 0)
    snprintf(to->program, sizeof to->program, "%s", text);
  if (strcmp(s.key, "end") == 0)
    snprintf(to->end, sizeof to->end, "%s", text);
  if (strcmp(s.key, "host_seconds") == 0)
    to->host_seconds = strtod(text, NULL);
  if (strcmp(s.key, "cpu_seconds") == 0)
    to->cpu_seconds = strtod(text, NULL);
  return take_run(r, &s, text, quoted);
}

// Behind a value: the next key, or the next element.
static void next(reader *r) {
  if (!r->depth)
    return;
  frame *x = &r->stack[r->depth - 1];
  x->has_key = false;
  x->n += !x->map;
}

static bool scalar(reader *r, const yaml_event_t *e) {
  frame *x = r->depth ? &r->stack[r->depth - 1] : NULL;
  const char *text = (const char *)e->data.scalar.value;
  if (x && x->map && !x->has_key) {
    snprintf(x->key, sizeof x->key, "%s", text);
    return x->has_key = true;
  }
  if (!take(r, text, e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE))
    return false;
  next(r);
  return true;
}

static bool event(reader *r, const yaml_event_t *e) {
  switch (e->type) {
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT:
      if (r->depth == DEEP || (!r->depth && e->type != YAML_MAPPING_START_EVENT) ||
          (r->depth && r->stack[r->depth - 1].map && !r->stack[r->depth - 1].has_key))
        return no_statistics(r);
      r->stack[r->depth++] = (frame){.map = e->type == YAML_MAPPING_START_EVENT};
      return true;
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
      r->depth--;
      next(r);
      return true;
    case YAML_SCALAR_EVENT:
      return scalar(r, e);
    case YAML_ALIAS_EVENT:
      return no_statistics(r);
    default:
      return true;
  }
}

static bool walk(reader *r, FILE *f) {
  yaml_parser_t p;
  yaml_event_t e;
  if (!yaml_parser_initialize(&p))
    return wrong(r, "cannot be read: out of host memory");
  yaml_parser_set_input_file(&p, f);
  bool ok = true, more = true;
  while (ok && more) {
    if (!yaml_parser_parse(&p, &e)) {
      ok = ferror(f) ? wrong(r, "cannot be read: %s", strerror(errno))
                     : wrong(r, "is not JSON, or is truncated: line %zu, column %zu: %s",
                             p.problem_mark.line + 1, p.problem_mark.column + 1,
                             p.problem ? p.problem : "wrong characters");
      break;
    }
    more = e.type != YAML_STREAM_END_EVENT;
    ok = event(r, &e);
    yaml_event_delete(&e);
  }
  yaml_parser_delete(&p);
  return ok;
}

// ---- what must be there

static bool is_a_run(const reader *r) {
  if (r->to->machine)
    return true;
  const uint64_t schema = r->to->run.schema;
  if (schema == UINT64_MAX)
    return no_statistics(r);
  return schema == STATS_SCHEMA ||
         wrong(r, "is of schema %" PRIu64 "; this mpu reads %d", schema, STATS_SCHEMA);
}

typedef struct missing {
  const reader *r;
  uint32_t kind;
  bool any;
} missing;

static bool look_for_missing(void *ctx, const char *path, const node_counter *c, uint32_t instance,
                             uint32_t word) {
  missing *m = ctx;
  const stats_file *s = m->r->to;
  (void)c, (void)instance;
  if (stats_sums(s, m->kind)[word] != UINT64_MAX)
    return true;
  m->any = true;
  return wrong(m->r, "has no %s%s.%s: an older mpu wrote it, or it is damaged; run again",
               s->machine ? "sums." : "", s->kinds[m->kind]->name, path);
}

static bool complete(const reader *r) {
  stats_file *s = r->to;
  if (!is_a_run(r))
    return false;
  if (s->run.cycles == UINT64_MAX)
    return wrong(r, "comes from the functional machine, which has no cycles; use mpu run --near=c");
  for (uint32_t k = 0; k < s->n_kinds; k++) {
    missing m = {r, k, false};
    counters_each(s->kinds[k], look_for_missing, &m);
    if (m.any)
      return false;
  }
  if (s->machine)
    s->run.cores = s->run.processors = 1;
  const uint64_t needed[] = {s->run.cores,         s->run.processors,    s->run.on_chip_bits,
                             s->run.off_chip_bits, s->run.on_chip_flits, s->run.off_chip_flits};
  for (size_t k = 0; k < sizeof needed / sizeof *needed; k++)
    if (needed[k] == UINT64_MAX)
      return wrong(r, "has no processors, cores or network: an older mpu wrote it; run again");
  if (!s->run.cores || !s->run.processors)
    return wrong(r, "is damaged: it has no cores");
  return true;
}

// Closes `f`, which is NULL when it could not be opened.
static bool read_stream(FILE *f, const char *name, const machine_ops *const *machines, bool whole,
                        stats_file *to, char *why, size_t why_bytes) {
  reader r = {.name = name, .machines = machines, .to = to, .why = why, .why_bytes = why_bytes};
  memset(to, 0xff, sizeof *to);  // what is not there
  *to->program = *to->end = 0;
  to->machine = NULL, to->kinds[0] = &core_kind, to->n_kinds = 1, to->sums[0] = NULL;
  to->host_seconds = to->cpu_seconds = 0;
  if (!f) {
    snprintf(why, why_bytes, "cannot read '%s': %s", name, strerror(errno));
    return false;
  }
  const bool ok = walk(&r, f) && (whole ? complete(&r) : is_a_run(&r));
  fclose(f);
  if (!ok)
    stats_free(to);
  return ok;
}

bool stats_read(const char *name, const machine_ops *const *machines, stats_file *to, char *why,
                size_t why_bytes) {
  return read_stream(fopen(name, "rb"), name, machines, true, to, why, why_bytes);
}
bool stats_read_text(const char *name, const char *text, size_t length,
                     const machine_ops *const *machines, stats_file *to, char *why,
                     size_t why_bytes) {
  return read_stream(fmemopen((char *)text, length, "rb"), name, machines, true, to, why,
                     why_bytes);
}
bool stats_read_run(const char *name, stats_file *to, char *why, size_t why_bytes) {
  return read_stream(fopen(name, "rb"), name, NULL, false, to, why, why_bytes);
}

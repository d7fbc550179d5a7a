// SPDX-License-Identifier: Apache-2.0
#include "stats_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

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
#undef AT_RUN
#undef AT_CORE
#define AT_RUN(name)
#define AT_CORE(name) {#name, offsetof(core_stats, name)},
static const field of_core[] = {
#include "harness/machines/mpu/core/stats.def"
};
#undef AT_CORE
#undef AT_SUB
#define AT_CORE(name)
#define AT_SUB(name) {#name, offsetof(subcore_stats, name)},
static const field of_sub[] = {
#include "harness/machines/mpu/core/stats.def"
};
#undef AT_SUB
#undef AT_NBU
#define AT_SUB(name)
#define AT_NBU(name) {#name, offsetof(nbu_stats, name)},
static const field of_nbu[] = {
#include "harness/machines/mpu/core/stats.def"
};
#undef AT_NBU
#undef AT_BANK
#define AT_NBU(name)
#define AT_BANK(name) {#name, offsetof(bank_stats, name)},
static const field of_bank[] = {
#include "harness/machines/mpu/core/stats.def"
};

#define STATS_CLASS(name, doc) \
  {#name, offsetof(subcore_stats, lanes_near) + sizeof(uint64_t) * STATS_##name},
static const field of_lanes_near[] = {
#include "harness/machines/mpu/core/classes.def"
};
#undef STATS_CLASS
#define STATS_CLASS(name, doc) \
  {#name, offsetof(subcore_stats, lanes_far) + sizeof(uint64_t) * STATS_##name},
static const field of_lanes_far[] = {
#include "harness/machines/mpu/core/classes.def"
};

// Packets by kind and their flits, down and up.
#define PACKET(list, dir, num, name) PACKET_##dir(list, num, name)
#define TSV_PACKET(dir, num, name, reply, body, doc) PACKET(down, dir, num, name)
#define PACKET_UP(list, num, name)
#define PACKET_DN(list, num, name) {#name, offsetof(nbu_stats, list) + sizeof(uint64_t) * num},
static const field of_down[] = {
#include "csim/mpu/tsv.def"
};
#define TSV_PACKET(dir, num, name, reply, body, doc) PACKET(down_flits, dir, num, name)
static const field of_down_flits[] = {
#include "csim/mpu/tsv.def"
};
#undef PACKET_UP
#undef PACKET_DN
#define PACKET_DN(list, num, name)
#define PACKET_UP(list, num, name) {#name, offsetof(nbu_stats, list) + sizeof(uint64_t) * num},
#define TSV_PACKET(dir, num, name, reply, body, doc) PACKET(up, dir, num, name)
static const field of_up[] = {
#include "csim/mpu/tsv.def"
};
#define TSV_PACKET(dir, num, name, reply, body, doc) PACKET(up_flits, dir, num, name)
static const field of_up_flits[] = {
#include "csim/mpu/tsv.def"
};

typedef enum owner { RUN, CORE, SUB, NBU, BANK } owner;

static const struct level {
  const char *path;
  owner owner;
  const field *fields;
  size_t count;
} levels[] = {
#define LEVEL(path, owner, fields) \
  { path, owner, fields, sizeof fields / sizeof *fields }
    LEVEL("", RUN, of_run),
    LEVEL("core.", CORE, of_core),
    LEVEL("core.subcores[].", SUB, of_sub),
    LEVEL("core.subcores[].lanes_near.", SUB, of_lanes_near),
    LEVEL("core.subcores[].lanes_far.", SUB, of_lanes_far),
    LEVEL("core.nbus[].", NBU, of_nbu),
    LEVEL("core.nbus[].packets_down.", NBU, of_down),
    LEVEL("core.nbus[].flits_down_by_kind.", NBU, of_down_flits),
    LEVEL("core.nbus[].packets_up.", NBU, of_up),
    LEVEL("core.nbus[].flits_up_by_kind.", NBU, of_up_flits),
    LEVEL("core.nbus[].banks[].", BANK, of_bank),
};
enum { LEVELS = sizeof levels / sizeof *levels };

// Instance n of a level: n counts the parts of the core, banks of one unit after those of another.
static uint64_t *place(stats_file *f, const struct level *l, const field *x, unsigned n) {
  char *const bases[] = {[RUN] = (char *)&f->run,
                         [CORE] = (char *)&f->core,
                         [SUB] = (char *)&f->core.sub[n % 4],
                         [NBU] = (char *)&f->core.nbu[n % 4],
                         [BANK] = (char *)&f->core.nbu[n / 4 % 4].bank[n % 4]};
  return (uint64_t *)(void *)(bases[l->owner] + x->offset);
}

static unsigned instances(owner o) {
  return o == BANK ? 16 : o == SUB || o == NBU ? 4 : 1;
}

// ---- the walk

typedef struct frame {
  bool map, has_key;
  char key[WORD];
  unsigned n;  // of a list: elements before this one
} frame;

typedef struct reader {
  const char *name;
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

// Where we are: "core.subcores[].", the key, and the numbers of the elements that lead there.
static const char *path_of(const reader *r, char path[PATH], unsigned *n) {
  size_t at = 0;
  *n = 0;
  for (unsigned d = 0; d < r->depth; d++) {
    const frame *x = &r->stack[d];
    const bool last = d + 1 == r->depth;
    if (!x->map) {
      *n = *n * 4 + x->n;
      at += (size_t)snprintf(path + at, PATH - at, "[]%s", last ? "" : ".");
    } else if (!last) {
      const bool list = !x[1].map;
      at += (size_t)snprintf(path + at, PATH - at, "%s%s", x->key, list ? "" : ".");
    }
  }
  path[at] = 0;
  return r->stack[r->depth - 1].map ? r->stack[r->depth - 1].key : "";
}

// The elements of a list that nobody has are too many.
static bool in_bounds(const reader *r) {
  for (unsigned d = 0; d < r->depth; d++)
    if (!r->stack[d].map && r->stack[d].n >= 4)
      return false;
  return true;
}

static bool take(const reader *r, const char *text, bool quoted) {
  char path[PATH];
  unsigned n;
  if (r->depth == 0 || strcmp(r->stack[0].key, "each") == 0)
    return r->depth > 0 || no_statistics(r);
  const char *key = path_of(r, path, &n);
  if (!*path && strcmp(key, "program") == 0)
    snprintf(r->to->program, sizeof r->to->program, "%s", text);
  if (!*path && strcmp(key, "end") == 0)
    snprintf(r->to->end, sizeof r->to->end, "%s", text);
  if (!*path && strcmp(key, "host_seconds") == 0)
    r->to->host_seconds = strtod(text, NULL);
  if (!*path && strcmp(key, "cpu_seconds") == 0)
    r->to->cpu_seconds = strtod(text, NULL);
  for (unsigned l = 0; l < LEVELS; l++) {
    if (strcmp(levels[l].path, path) != 0)
      continue;
    for (size_t k = 0; k < levels[l].count; k++) {
      const field *x = &levels[l].fields[k];
      char *end;
      if (strcmp(x->name, key) != 0)
        continue;
      errno = 0;
      const unsigned long long v = strtoull(text, &end, 10);
      const bool whole = *text >= '0' && *text <= '9' && !*end && !errno && v != UINT64_MAX;
      if (levels[l].owner == RUN && (quoted || !whole)) {
        if (strcmp(key, "cycles") != 0 && strcmp(key, "schema") != 0)
          return true;  // text, truth, seconds
      }
      if (quoted || !whole || !in_bounds(r))
        return wrong(r, "is damaged: %s%s is '%.40s', which is not a count", path, key, text);
      *place(r->to, &levels[l], x, n) = v;
      return true;
    }
  }
  return true;
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
  const uint64_t schema = r->to->run.schema;
  if (schema == UINT64_MAX)
    return no_statistics(r);
  return schema == STATS_SCHEMA ||
         wrong(r, "is of schema %" PRIu64 "; this mpu reads %d", schema, STATS_SCHEMA);
}

static bool complete(const reader *r) {
  stats_file *s = r->to;
  if (!is_a_run(r))
    return false;
  if (s->run.cycles == UINT64_MAX)
    return wrong(r, "comes from the functional machine, which has no cycles; use mpu run --near=c");
  for (unsigned l = 1; l < LEVELS; l++)
    for (size_t k = 0; k < levels[l].count; k++)
      for (unsigned n = 0; n < instances(levels[l].owner); n++)
        if (*place(s, &levels[l], &levels[l].fields[k], n) == UINT64_MAX)
          return wrong(r, "has no %s%s: an older mpu wrote it, or it is damaged; run again",
                       levels[l].path, levels[l].fields[k].name);
  const uint64_t needed[] = {s->run.cores,         s->run.processors,    s->run.on_chip_bits,
                             s->run.off_chip_bits, s->run.on_chip_flits, s->run.off_chip_flits};
  for (size_t k = 0; k < sizeof needed / sizeof *needed; k++)
    if (needed[k] == UINT64_MAX)
      return wrong(r, "has no processors, cores or network: an older mpu wrote it; run again");
  if (!s->run.cores || !s->run.processors)
    return wrong(r, "is damaged: there are no cores");
  return true;
}

static bool read_file(const char *name, bool whole, stats_file *to, char *why, size_t why_bytes) {
  reader r = {.name = name, .to = to, .why = why, .why_bytes = why_bytes};
  memset(to, 0xff, sizeof *to);  // what is not there
  *to->program = *to->end = 0;
  to->host_seconds = to->cpu_seconds = 0;
  FILE *f = fopen(name, "rb");
  if (!f) {
    snprintf(why, why_bytes, "cannot read '%s': %s", name, strerror(errno));
    return false;
  }
  const bool ok = walk(&r, f) && (whole ? complete(&r) : is_a_run(&r));
  fclose(f);
  return ok;
}

bool stats_read(const char *name, stats_file *to, char *why, size_t why_bytes) {
  return read_file(name, true, to, why, why_bytes);
}
bool stats_read_run(const char *name, stats_file *to, char *why, size_t why_bytes) {
  return read_file(name, false, to, why, why_bytes);
}

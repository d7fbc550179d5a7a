// SPDX-License-Identifier: Apache-2.0
#include "stats.h"

static void list(FILE *f, const char *const *names, const uint64_t *values, unsigned n) {
  for (unsigned k = 0; k < n; k++)
    fprintf(f, "%s\"%s\": %llu", k ? ", " : "", names[k], (unsigned long long)values[k]);
}

void stats_json(const core_stats *s, FILE *f) {
  static const char *const down[] = {"EXEC", "SHM", "LINE",  "SECT",  "RD",
                                     "WR",   "ATM", "REGWR", "REGRD", "WIN"};
  static const char *const up[] = {"DONE", "DATA", "WORD", "REGD", "FAULT"};
  fputs("{", f);
#define PRINT(at, name)                                                                  \
  fprintf(f, "%s\"%s\": %llu", first ? "" : ", ", #name, (unsigned long long)(at).name), \
      first = false;
#define COUNTER_SUB(name)
#define COUNTER_NBU(name)
#define COUNTER_CORE(name) PRINT(*s, name)
#define COUNTER(level, name, unit, doc) COUNTER_##level(name)
  bool first = true;
#include "stats.def"
#undef COUNTER_SUB
#undef COUNTER_CORE
#define COUNTER_SUB(name) PRINT(s->sub[k], name)
#define COUNTER_CORE(name)
  fputs(", \"subcores\": [", f);
  for (unsigned k = 0; k < 4; k++) {
    first = true;
    fputs(k ? ", {" : "{", f);
#include "stats.def"
    fputs("}", f);
  }
#undef COUNTER_SUB
#undef COUNTER_NBU
#define COUNTER_SUB(name)
#define COUNTER_NBU(name) PRINT(s->nbu[k], name)
  fputs("], \"nbus\": [", f);
  for (unsigned k = 0; k < 4; k++) {
    first = true;
    fputs(k ? ", {" : "{", f);
#include "stats.def"
    fputs(", \"packets_down\": {", f);
    list(f, down, s->nbu[k].down, STATS_DOWN_KINDS);
    fputs("}, \"flits_down_by_kind\": {", f);
    list(f, down, s->nbu[k].down_flits, STATS_DOWN_KINDS);
    fputs("}, \"packets_up\": {", f);
    list(f, up, s->nbu[k].up, STATS_UP_KINDS);
    fputs("}, \"flits_up_by_kind\": {", f);
    list(f, up, s->nbu[k].up_flits, STATS_UP_KINDS);
    fputs("}}", f);
  }
  fputs("]}", f);
#undef COUNTER
}

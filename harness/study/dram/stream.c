// SPDX-License-Identifier: Apache-2.0
#include "stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/splitmix.h"
#include "harness/base/out_file.h"

static uint32_t draw_below(uint64_t *state, uint32_t n) {
  return (uint32_t)((splitmix(state) >> 32) * n >> 32);
}

static bool happens(uint64_t *state, double share) {
  return (double)(splitmix(state) >> 11) < share * 0x1p53;
}

static void place(stream_access *a, const stream_config *c, const dram_geometry *g, uint64_t k,
                  uint64_t *addresses) {
  if (c->pattern == STREAM_RANDOM) {
    a->bank = draw_below(addresses, c->banks);
    a->row = draw_below(addresses, g->rows);
    a->col = draw_below(addresses, g->cols);
    return;
  }
  const uint64_t turn = k / c->turn, of_bank = turn / c->banks;
  const uint64_t nth = of_bank / c->streams * c->turn + k % c->turn;  // of its stream
  a->bank = (uint32_t)(turn % c->banks);
  a->row = (uint32_t)(of_bank % c->streams);
  a->col = (uint32_t)(nth % c->visit % g->cols);
  if (c->pattern == STREAM_STREAMS)
    a->row = (uint32_t)((a->row + nth / c->visit * c->streams) % g->rows);
}

stream_access *stream_generate(const stream_config *c, const dram_geometry *g) {
  stream_access *all = calloc(c->count ? c->count : 1, sizeof *all);
  // one sequence of numbers each, so that one thing can be changed at a time
  uint64_t seed = c->seed, addresses = splitmix(&seed), times = splitmix(&seed),
           directions = splitmix(&seed);
  uint64_t cycle = 0;
  for (uint64_t k = 0; all && k < c->count; k++) {
    stream_access *a = &all[k];
    place(a, c, g, k, &addresses);
    a->we = !happens(&directions, c->reads);
    a->follows = c->rate <= 0;
    if (a->follows)
      continue;
    while (!happens(&times, c->rate))
      cycle++;
    a->arrival = cycle++;
  }
  return all;
}

// ---- traces

enum { LINE = 256, WRONG = 80 };

// A number at `*at`, and what stands before it; `*at` moves behind it.
static bool number(const char **at, uint64_t limit, uint64_t *value) {
  char *end;
  *at += strspn(*at, " \t");
  if (**at < '0' || **at > '9')
    return false;
  errno = 0;
  *value = strtoull(*at, &end, 10);
  *at = end;
  return !errno && *value < limit && strchr(" \t", *end);
}

// What is wrong with a line, perhaps in `why`, or NULL.
static const char *parse(const char *at, uint64_t last, const dram_geometry *g, stream_access *a,
                         char why[WRONG]) {
  const struct {
    const char *name;
    uint32_t below, *to;
  } places[] = {{"second word is a bank", g->banks, &a->bank},
                {"third word is a row", g->rows, &a->row},
                {"fourth word is a column", g->cols, &a->col}};
  uint64_t value;
  *a = (stream_access){.arrival = last};
  at += strspn(at, " \t");
  a->follows = *at == '-' && strchr(" \t", at[1]);
  if (a->follows)
    at++;
  else if (!number(&at, UINT64_C(1) << 48, &a->arrival))
    return "a line begins with a cycle, or with -";
  if (a->arrival < last)
    return "cycles must not descend";
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    if (!number(&at, places[k].below, &value)) {
      snprintf(why, WRONG, "the %s, 0 to %u", places[k].name, places[k].below - 1);
      return why;
    }
    *places[k].to = (uint32_t)value;
  }
  at += strspn(at, " \t");
  a->we = *at == 'W';
  if (*at != 'R' && *at != 'W')
    return "the fifth word is R or W";
  at++;
  return at[strspn(at, " \t\r")] ? "a line has five words: CYCLE BANK ROW COLUMN R|W" : NULL;
}

stream_access *stream_read(const char *file, const dram_geometry *g, size_t *count, char *why,
                           size_t why_bytes) {
  FILE *f = fopen(file, "r");
  stream_access *all = NULL;
  char line[LINE], text[WRONG];
  const char *wrong = NULL;
  size_t room = 0, n = 0;
  uint64_t number = 0, last = 0;
  if (!f) {
    snprintf(why, why_bytes, "cannot read '%s': %s", file, strerror(errno));
    return NULL;
  }
  while (!wrong && fgets(line, sizeof line, f)) {
    number++;
    if (!strchr(line, '\n') && !feof(f)) {
      wrong = "this is not a line of text of up to 254 characters";
      break;
    }
    line[strcspn(line, "#\n")] = 0;
    if (!line[strspn(line, " \t\r")])
      continue;
    if (n == STREAM_MAX_COUNT) {
      wrong = "a trace has 10000000 accesses at most";
      break;
    }
    if (n == room) {
      room = room ? 2 * room : 1024;
      stream_access *more = realloc(all, room * sizeof *all);
      if (!more) {
        wrong = "out of memory";
        break;
      }
      all = more;
    }
    wrong = parse(line, last, g, &all[n], text);
    if (!wrong)
      last = all[n++].arrival;
  }
  if (wrong)
    snprintf(why, why_bytes, "%s:%" PRIu64 ": %s", file, number, wrong);
  else if (ferror(f))
    snprintf(why, why_bytes, "cannot read '%s': %s", file, strerror(errno)), wrong = why;
  else if (!n)
    snprintf(why, why_bytes, "%s: it has no accesses", file), wrong = why;
  fclose(f);
  *count = n;
  if (!wrong)
    return all;
  free(all);
  return NULL;
}

bool stream_write(const char *file, const stream_access *all, size_t count) {
  out_file *o = out_open(file);
  if (!o)
    return false;
  FILE *f = out_stream(o);
  fputs("# cycle bank row column direction\n", f);
  for (size_t k = 0; k < count; k++) {
    const stream_access *a = &all[k];
    if (a->follows)
      fputs("-", f);
    else
      fprintf(f, "%" PRIu64, a->arrival);
    fprintf(f, " %u %u %u %c\n", a->bank, a->row, a->col, a->we ? 'W' : 'R');
  }
  return out_close(o);
}

// SPDX-License-Identifier: Apache-2.0
#include "activity.h"

#include <dlfcn.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fst_reader.h"

enum { CYCLE = 1000 };  // ps

typedef struct reader {
  activity *a;
  const fst_reader_ops *ops;
  void *file;
  char **patterns;
  size_t n_patterns, room;
  activity_bit **counts;  // by number
  uint32_t *bits;
  uint32_t n_numbers;
  uint64_t unit, from, until;  // ps a unit of the file; the window in ps
  uint32_t turn;               // the next time at which values begin or end
  const activity_follower *follower;
  void *ctx;
  bool no_memory, gap;
} reader;

// ---- names
// A pattern for fnmatch: dots are slashes, brackets are themselves, an i_ before a scope is left
// out.
static char *pattern_of(const char *text, size_t bytes) {
  char *p = malloc(2 * bytes + 1), *to = p;
  for (size_t k = 0; p && k < bytes; k++) {
    if ((k == 0 || text[k - 1] == '.') && k + 2 < bytes && text[k] == 'i' && text[k + 1] == '_')
      k += 2;
    if (text[k] == '[' || text[k] == ']' || text[k] == '\\')
      *to++ = '\\';
    *to++ = text[k] == '.' ? '/' : text[k];
  }
  if (p)
    *to = 0;
  return p;
}

static bool take_patterns(reader *r, const char *scopes) {
  r->patterns = calloc(strlen(scopes) + 1, sizeof *r->patterns);
  for (const char *at = scopes; r->patterns; at++) {
    const size_t bytes = strcspn(at, ",");
    if (!(r->patterns[r->n_patterns++] = pattern_of(at, bytes)))
      return false;
    at += bytes;
    if (!*at)
      break;
  }
  return r->patterns;
}

// Bytes of the part of a scope's name that a pattern fits, 0: none does.
static size_t fits(const reader *r, const char *scope) {
  char part[1024];
  const size_t bytes = strlen(scope);
  for (size_t n = 1; n <= bytes && n < sizeof part; n++) {
    part[n - 1] = scope[n - 1] == '.' ? '/' : scope[n - 1];
    if (scope[n] && scope[n] != '.')
      continue;
    part[n] = 0;
    for (size_t k = 0; k < r->n_patterns; k++)
      if (fnmatch(r->patterns[k], part, FNM_PATHNAME) == 0)
        return n;
  }
  return 0;
}

static void take_name(void *ctx, const char *scope, const char *name, uint32_t bits,
                      uint32_t number) {
  reader *r = ctx;
  activity *a = r->a;
  const size_t below = r->patterns ? fits(r, scope) : 0, bytes = strcspn(name, " ");
  const char *range = strchr(name, ' ');
  unsigned high, low;
  if (r->no_memory || (r->patterns && !below) || !bits || number >= r->n_numbers)
    return;
  if (a->n == r->room) {
    r->room = 2 * r->room + 256;
    activity_signal *more = realloc(a->signals, r->room * sizeof *more);
    if (!more) {
      r->no_memory = true;
      return;
    }
    a->signals = more;
  }
  activity_signal *s = &a->signals[a->n++];
  *s = (activity_signal){.scope = strdup(scope),
                         .name = strndup(name, bytes),
                         .below = below,
                         .bits = bits,
                         .number = number};
  s->vector = range && sscanf(range, " [%u:%u]", &high, &low) == 2;
  s->lowest = s->vector ? low : 0;
  s->vector |= bits > 1;
  if (!r->counts[number]) {
    r->counts[number] = calloc(bits, sizeof **r->counts);
    r->bits[number] = bits;
    r->ops->keep(r->file, number);
  }
  r->no_memory |= !s->scope || !s->name || !r->counts[number];
  for (uint32_t k = 0; r->counts[number] && k < bits; k++)
    r->counts[number][k].now = 'x', r->counts[number][k].since = r->from;
  s->counts = r->counts[number];
}

// ---- values
static void spend(activity_bit *b, uint64_t until) {
  if (until <= b->since)
    return;
  if (b->now == '0')
    b->low += until - b->since;
  else if (b->now == '1')
    b->high += until - b->since;
  b->since = until;
}

static bool known(char digit) {
  return digit == '0' || digit == '1';
}

// All signals are unknown from a time on.
static void forget(reader *r, uint64_t ps) {
  for (uint32_t n = 0; n < r->n_numbers; n++)
    for (uint32_t k = 0; r->counts[n] && k < r->bits[n]; k++) {
      spend(&r->counts[n][k], ps);
      r->counts[n][k].now = 'x';
    }
}

static void take_turns(reader *r, uint64_t ps) {
  uint64_t time;
  bool on;
  for (; r->ops->turn(r->file, r->turn, &time, &on) && time * r->unit <= ps; r->turn++)
    if (!on) {
      r->gap |= time * r->unit < r->until && time * r->unit > r->from;
      forget(r, time * r->unit < r->until ? time * r->unit : r->until);
    }
}

static void take_value(void *ctx, uint64_t time, uint32_t number, const unsigned char *digits) {
  reader *r = ctx;
  const uint64_t ps = time * r->unit;
  if (ps >= r->until || !r->counts[number])
    return;
  take_turns(r, ps);
  if (r->follower)
    r->follower->change(r->ctx, ps < r->from ? r->from / CYCLE : ps / CYCLE, number, digits,
                        r->bits[number]);
  for (uint32_t k = 0; k < r->bits[number]; k++) {
    activity_bit *b = &r->counts[number][k];
    const char digit = (char)digits[r->bits[number] - 1 - k];
    if (digit == b->now)
      continue;
    spend(b, ps);
    b->toggles += ps >= r->from && known(digit) && known(b->now);
    b->now = digit;
  }
}

// ---- the whole
// Cycles of the window, which the wave has.
static bool take_window(reader *r, uint64_t from, uint64_t until, char *why, size_t why_bytes) {
  const uint64_t first = r->ops->first(r->file) * r->unit / CYCLE;
  const uint64_t end = (r->ops->last(r->file) * r->unit + CYCLE - 1) / CYCLE;
  activity *a = r->a;
  a->from = from ? from : first;
  a->until = until != UINT64_MAX ? until : end;
  if (a->from < first || a->until > end || a->from >= a->until) {
    snprintf(why, why_bytes, "the wave has cycles %" PRIu64 ":%" PRIu64, first, end);
    return false;
  }
  r->from = a->from * CYCLE;
  r->until = a->until * CYCLE;
  a->ps = r->until - r->from;
  return true;
}

static int in_tree(const void *x, const void *y) {
  const activity_signal *a = x, *b = y;
  const unsigned char *p = (const unsigned char *)a->scope, *q = (const unsigned char *)b->scope;
  for (; *p && *p == *q; p++, q++)
    ;
  if (*p != *q)  // what is below a scope comes before its neighbours
    return (*p == '.' ? 1 : *p) - (*q == '.' ? 1 : *q);
  return strcmp(a->name, b->name);
}

bool activity_other_scope(const activity_signal *a, const activity_signal *b) {
  return a->below != b->below || strncmp(a->scope, b->scope, b->below) != 0;
}

static void put_in_order(activity *a) {
  qsort(a->signals, a->n, sizeof *a->signals, in_tree);
  for (size_t k = 0; k < a->n; k++)
    a->scopes += !k || activity_other_scope(&a->signals[k - 1], &a->signals[k]);
}

static bool read_file(reader *r, const char *name, uint64_t from, uint64_t until, char *why,
                      size_t why_bytes) {
  static const char library[] = NEARBANK_BUILD "/libnearwave.so";
  void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  r->ops = loaded ? dlsym(loaded, "wave_fst_reader") : NULL;
  if (!r->ops) {
    snprintf(why, why_bytes, "waves need %s; build it with: cmake --build %s --target nearwave",
             library, NEARBANK_BUILD);
    return false;
  }
  FILE *f = fopen(name, "rb");  // the library does not say why
  if (!f) {
    snprintf(why, why_bytes, "cannot read '%s': %s", name, strerror(errno));
    return false;
  }
  fclose(f);
  r->file = r->ops->open(name);
  const int scale = r->file ? r->ops->scale(r->file) : 0;
  if (!r->file || scale > -9 || scale < -12) {
    snprintf(why, why_bytes, "'%s' is not a wave file (FST), or it is truncated", name);
    return false;
  }
  r->unit = scale == -12 ? 1 : scale == -11 ? 10 : scale == -10 ? 100 : 1000;
  if (!take_window(r, from, until, why, why_bytes))
    return false;
  r->n_numbers = r->ops->numbers(r->file);
  r->counts = calloc(r->n_numbers, sizeof *r->counts);
  r->bits = calloc(r->n_numbers, sizeof *r->bits);
  r->no_memory = !r->counts || !r->bits;
  if (!r->no_memory)
    r->ops->names(r->file, take_name, r);
  if (!r->no_memory && !r->a->n) {
    snprintf(why, why_bytes, "'%s' has no such scope", name);
    return false;
  }
  if (!r->no_memory) {
    put_in_order(r->a);
    r->a->counts = r->counts;
    r->a->n_counts = r->n_numbers;
    r->no_memory = r->follower && !r->follower->begin(r->ctx, r->a);
  }
  if (!r->no_memory && !r->ops->values(r->file, take_value, r)) {
    snprintf(why, why_bytes, "'%s' cannot be read to its end", name);
    return false;
  }
  if (!r->no_memory) {
    take_turns(r, r->until);
    forget(r, r->until);
  }
  if (r->follower && !r->no_memory) {
    if (r->gap)
      snprintf(why, why_bytes, "'%s' has a gap in this window", name);
    r->follower->end(r->ctx);
  }
  return !r->no_memory && !(r->follower && r->gap);
}

bool activity_read(activity *a, const char *file, const char *scopes, uint64_t from, uint64_t until,
                   const activity_follower *follower, void *ctx, char *why, size_t why_bytes) {
  reader r = {.a = a, .follower = follower, .ctx = ctx};
  *a = (activity){0};
  snprintf(why, why_bytes, "out of host memory");
  const bool ok =
      (!scopes || take_patterns(&r, scopes)) && read_file(&r, file, from, until, why, why_bytes);
  if (r.file)
    r.ops->close(r.file);
  for (size_t k = 0; k < r.n_patterns; k++)
    free(r.patterns[k]);
  free(r.patterns);
  free(r.bits);
  a->counts = r.counts;
  a->n_counts = r.n_numbers;
  if (!ok)
    activity_free(a);
  return ok;
}

void activity_free(activity *a) {
  for (size_t k = 0; k < a->n; k++) {
    free(a->signals[k].scope);
    free(a->signals[k].name);
  }
  for (size_t k = 0; a->counts && k < a->n_counts; k++)
    free(a->counts[k]);
  free(a->signals);
  free(a->counts);
  *a = (activity){0};
}

// SPDX-License-Identifier: Apache-2.0
#include "sample.h"

#include <stdlib.h>
#include <string.h>

// Instructions of a warp, of the first block and of others; digits; blocks.
enum { FIRST = 1024, OTHERS = 512, LEVELS = 8, PROBES = 200 };
enum { TOLD = 1 << 25 };                       // sectors, about
static const double SOME = 0.25, MOST = 0.75;  // shares of accesses
static const uint64_t NOWHERE = UINT64_MAX;

typedef struct record {  // an access of a warp instruction
  uint64_t exact, step;
  uint32_t warp, pc, at, sectors;  // at: in the list of sectors
  uint32_t like;  // the access of the same instruction and warp before it; or itself
  bool first;     // there is none before it
  bool writes;
} record;

typedef struct trace {
  record *of;
  uint64_t *sectors;
  uint32_t n, room, n_sectors, room_sectors;
  bool full;  // no memory
} trace;

typedef struct probe {
  uint32_t block;
  uint64_t *at;  // of each access of block 0; NOWHERE: this block has none like it
} probe;

// The number of a block in digits: a step of one of them moves each access by so many bytes.
typedef struct level {
  uint32_t unit, radix;
  int64_t *step;
} level;

typedef struct sampler {
  launch *l;
  trace now, base;
  uint64_t steps;
  probe probes[PROBES];
  uint32_t n_probes;
  level levels[LEVELS];
  uint32_t n_levels;
  bool *known;  // of each access: it follows the digits
  bool failed;
} sampler;

// ---- a block

static void *grown(void *list, uint32_t n, uint32_t *room, size_t bytes) {
  if (n < *room)
    return list;
  const uint32_t more = *room ? 2 * *room : 256;
  void *now = realloc(list, more * bytes);
  if (now)
    *room = more;
  return now;
}

// The last access of the same instruction and warp before access k; NULL: there is none.
static const record *before(const trace *t, uint32_t k) {
  for (uint32_t j = k; j-- > 0;)
    if (t->of[j].warp == t->of[k].warp && t->of[j].pc == t->of[k].pc)
      return &t->of[j];
  return NULL;
}

static void accessed(void *ctx, const machine_access *x) {
  sampler *s = ctx;
  trace *t = &s->now;
  if (!t->n || t->of[t->n - 1].step != s->steps) {
    record *more = grown(t->of, t->n, &t->room, sizeof *t->of);
    if ((t->full |= !more))
      return;
    t->of = more;
    t->of[t->n] = (record){.exact = x->exact,
                           .step = s->steps,
                           .warp = x->warp,
                           .pc = x->pc,
                           .at = t->n_sectors,
                           .writes = x->writes};
    t->of[t->n].first = !before(t, t->n);
    t->n++;
  }
  uint64_t *more = grown(t->sectors, t->n_sectors, &t->room_sectors, sizeof *more);
  if ((t->full |= !more))
    return;
  t->sectors = more;
  t->sectors[t->n_sectors++] = x->address;
  t->of[t->n - 1].sectors++;
}

static int by_warp(const void *a, const void *b) {
  const record *x = a, *y = b;
  if (x->warp != y->warp)
    return x->warp < y->warp ? -1 : 1;
  return x->step < y->step ? -1 : x->step > y->step;
}

// Instructions of a warp that access memory.
static uint32_t different(const trace *t, uint32_t warp) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < t->n; k++)
    n += t->of[k].first && t->of[k].warp == warp;
  return n;
}

typedef struct turn {    // of a warp
  uint32_t left, fresh;  // instructions that it may execute; that are still to access memory
} turn;

// The first instructions of each of its warps, to s->now; of other blocks than the first one until
// each instruction that accesses memory there has done so. False: no memory.
static bool execute(sampler *s, uint32_t block) {
  const uint32_t warps = launch_warps(s->l);
  turn *turns = calloc(warps + 1, sizeof *turns);
  bool any = true, ended = false;
  s->now = (trace){0};
  if (!turns || launch_start_block(s->l, block)) {
    free(turns);
    return false;
  }
  for (uint32_t w = 0; w < warps; w++)
    turns[w] = block ? (turn){OTHERS, different(&s->base, w)} : (turn){FIRST, UINT32_MAX};
  while (any && !ended) {
    any = false;
    for (uint32_t w = 0; w < warps && !ended; w++)
      while (!ended && turns[w].left && launch_warp_state(s->l, block, w) == WARP_READY) {
        const uint32_t n = s->now.n;
        s->steps++, turns[w].left--;
        any = true;
        ended = launch_step(s->l, block, w, NULL) == WARP_FAULT;
        if (s->now.n > n && s->now.of[n].first && !--turns[w].fresh)
          turns[w].left = 0;
      }
  }
  free(turns);
  if (s->now.n)
    qsort(s->now.of, s->now.n, sizeof *s->now.of, by_warp);
  return !s->now.full;
}

static void find_like(trace *t) {
  for (uint32_t k = 0; k < t->n; k++)
    t->of[k].like = t->of[k].first ? k : (uint32_t)(before(t, k) - t->of);
}

static void forget(trace *t) {
  free(t->of);
  free(t->sectors);
  *t = (trace){0};
}

// Each warp's accesses, as long as it takes the same way.
static void align(const trace *base, const trace *t, uint64_t *at) {
  for (uint32_t k = 0, j = 0; k < base->n; k++) {
    const bool first = !k || base->of[k - 1].warp != base->of[k].warp;
    while (first && j < t->n && t->of[j].warp < base->of[k].warp)
      j++;
    const bool same = j < t->n && t->of[j].warp == base->of[k].warp &&
                      t->of[j].pc == base->of[k].pc && (first || at[k - 1] != NOWHERE);
    at[k] = same ? t->of[j++].exact : NOWHERE;
  }
}

// NULL: no memory, or too many blocks are asked for.
static const uint64_t *probed(sampler *s, uint32_t block) {
  for (uint32_t k = 0; k < s->n_probes; k++)
    if (s->probes[k].block == block)
      return s->probes[k].at;
  uint64_t *at = s->n_probes < PROBES ? malloc((s->base.n + 1) * sizeof *at) : NULL;
  if (!at || !execute(s, block)) {
    free(at);
    s->failed = true;
    return NULL;
  }
  align(&s->base, &s->now, at);
  forget(&s->now);
  s->probes[s->n_probes++] = (probe){block, at};
  return at;
}

// ---- digits

static bool is_fit(const sampler *s, const level *v, const uint64_t *at, uint32_t q, uint32_t k) {
  return at[k] - s->base.of[k].exact == (uint64_t)(q * v->step[k]);
}

// Of the known accesses that the block q steps of a level from block 0 has, the share that are that
// far away.
static double fits(sampler *s, const level *v, uint32_t q) {
  const uint64_t *at = probed(s, q * v->unit);
  uint32_t good = 0, all = 0;
  for (uint32_t k = 0; at && k < s->base.n; k++) {
    const bool has = s->known[k] && at[k] != NOWHERE;
    all += has;
    good += has && is_fit(s, v, at, q, k);
  }
  return all ? (double)good / all : 0;
}

// From now on only those are known that are: at the border of an image a few are not, say.
static void keep_fitting(sampler *s, const level *v, uint32_t q) {
  const uint64_t *at = probed(s, q * v->unit);
  for (uint32_t k = 0; at && k < s->base.n; k++)
    s->known[k] &= at[k] != NOWHERE ? is_fit(s, v, at, q, k) : s->known[s->base.of[k].like];
}

// The largest q up to `most` with which it fits, as q = 1 does.
static uint32_t last_fit(sampler *s, const level *v, uint32_t most) {
  uint32_t low = 2, high = most + 1;
  if (most < 2 || fits(s, v, 2) < SOME)
    return 1;
  keep_fitting(s, v, 2);
  for (uint64_t q = 8; q < high && !s->failed; q *= 4)
    if (fits(s, v, (uint32_t)q) >= MOST)
      low = (uint32_t)q;
    else
      high = (uint32_t)q;
  if (high > most && low < most && fits(s, v, most) >= MOST)
    return most;
  while (high - low > 1 && !s->failed) {
    const uint32_t middle = low + (high - low) / 2;
    if (fits(s, v, middle) >= MOST)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// The digit above `unit` blocks. False: failed.
static bool find_level(sampler *s, uint32_t unit) {
  level *v = &s->levels[s->n_levels];
  const uint64_t *at = probed(s, unit);
  *v = (level){.unit = unit, .step = calloc(s->base.n + 1, sizeof *v->step)};
  s->n_levels++;
  if (!at || !v->step)
    return false;
  for (uint32_t k = 0; k < s->base.n; k++) {
    const uint32_t like = s->base.of[k].like;
    if (at[k] == NOWHERE)
      s->known[k] &= like < k && s->known[like];
    v->step[k] = at[k] != NOWHERE ? (int64_t)(at[k] - s->base.of[k].exact) : v->step[like];
  }
  v->radix = last_fit(s, v, (launch_blocks(s->l) - 1) / unit) + 1;
  return !s->failed;
}

// ---- what all do

static void tell(const sampler *s, place_find *f) {
  const uint32_t blocks = launch_blocks(s->l);
  const uint64_t all = (uint64_t)s->base.n_sectors * blocks;
  const uint32_t thin = (uint32_t)(all / TOLD) + 1;  // so many accesses are told as one
  for (uint32_t k = 0; k < s->base.n; k++) {
    const record *r = &s->base.of[k];
    if (!s->known[k])
      place_find_strange(f, r->exact, (uint64_t)r->sectors * blocks, r->writes);
    for (uint32_t b = 0; s->known[k] && k % thin == 0 && b < blocks; b++) {
      int64_t by = 0;
      for (uint32_t v = 0; v < s->n_levels; v++)
        by += b / s->levels[v].unit % s->levels[v].radix * s->levels[v].step[k];
      for (uint32_t n = 0; n < r->sectors; n++)
        place_find_access(f, s->base.sectors[r->at + n] + (uint64_t)by, b, r->warp, r->writes);
    }
  }
}

bool sample_launch(machine *m, launch *l, place_find *f, sample_cost *cost) {
  sampler s = {.l = l};
  uint64_t unit = 1;
  uint32_t known = 0;
  machine_set_accessed(m, accessed, &s);
  bool ok = execute(&s, 0);
  s.base = s.now;
  find_like(&s.base);
  ok = ok && (s.known = malloc(s.base.n + 1));
  for (uint32_t k = 0; ok && k < s.base.n; k++)
    s.known[k] = true;
  while (ok && unit < launch_blocks(l) && s.n_levels < LEVELS) {
    ok = find_level(&s, (uint32_t)unit);
    unit *= s.levels[s.n_levels - 1].radix;
  }
  for (uint32_t k = 0; ok && k < s.base.n; k++)
    known += s.known[k] &= unit >= launch_blocks(l);
  machine_set_accessed(m, NULL, NULL);
  if (ok)
    tell(&s, f);
  *cost = (sample_cost){.blocks = 1 + s.n_probes,
                        .instructions = s.steps,
                        .known = s.base.n ? (double)known / s.base.n : 0};
  for (uint32_t k = 0; k < s.n_probes; k++)
    free(s.probes[k].at);
  for (uint32_t k = 0; k < s.n_levels; k++)
    free(s.levels[k].step);
  forget(&s.base);
  free(s.known);
  return ok;
}

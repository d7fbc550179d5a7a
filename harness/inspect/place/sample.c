// SPDX-License-Identifier: Apache-2.0
#include "sample.h"

#include <stdlib.h>
#include <string.h>
#include "slice.h"

// Instructions of warp 0 of the base, in any case, at most, and of a piece of these; of other
// warps, beyond as many; digits; what a block accesses that is not looked at far, or fewer
// of its warp's first instructions; blocks.
enum { FIRST = 1024, LONGEST = 8192, PIECE = 512, OTHERS = 512 };
enum { LEVELS = 8, NEAR = 4, SOON = 256, PROBES = 200, SKIPPED = 16 };
enum { TOLD = 1 << 25, SECTOR = 32 };         // sectors, about; bytes
static const double SOME = 0.5, MOST = 0.75;  // shares of accesses
static const uint64_t NOWHERE = UINT64_MAX;

// Of the first and the last sector of an access: the first lane that accesses it, to the byte. At
// the border of an image one of them is elsewhere.
typedef struct ends {
  uint64_t first, last;
} ends;

typedef struct record {  // an access of a warp instruction
  ends ends;
  uint64_t step;
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

typedef struct turn {           // of a warp
  uint32_t left, seen, wanted;  // instructions that it may execute; that accessed memory; to do so
} turn;

typedef struct probe {
  uint32_t block;
  bool far;
  trace t;
  turn *turns;
  ends *at;  // of each access of the base; NOWHERE: this block has none like it
} probe;

// The number of a block in digits: a step of one of them moves each access by so many bytes.
typedef struct level {
  uint32_t unit, radix;
  int64_t *step;
} level;

// A warp that accesses memory as warp 0 does, at a distance.
typedef struct follower {
  uint32_t warp, pc;
  int64_t by;
} follower;

// The base is a block from within the grid: the first and the last are those with borders.
typedef struct sampler {
  launch *l;
  uint32_t base_block, blocks;  // blocks: beyond them there are only idle ones
  uint32_t accesses;            // instructions of the kernel that access memory
  uint32_t longest;             // instructions of a warp other than warp 0 of the base
  trace *now, base;
  uint64_t steps;
  slice slice;
  uint64_t instructions;  // of these that a host executes: of the slice
  follower *followers;
  uint32_t n_followers;
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
  trace *t = s->now;
  if (!t->n || t->of[t->n - 1].step != s->steps) {
    record *more = grown(t->of, t->n, &t->room, sizeof *t->of);
    if ((t->full |= !more))
      return;
    t->of = more;
    t->of[t->n] = (record){.ends = {x->exact, x->exact},
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
  t->of[t->n - 1].ends.last = x->exact;
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

// True: there are instructions that it may execute, and that it needs to.
static bool wants(const sampler *s, const turn *t, bool far) {
  const bool enough = t->seen >= NEAR || (t->seen > 1 && s->longest - t->left > SOON);
  return t->left && t->seen < t->wanted && (far || !enough);
}

static void step(sampler *s, uint32_t block, uint32_t w, turn *t, bool counts, bool *fault) {
  const uint32_t n = s->now->n;
  uint32_t lanes;
  s->instructions += counts && s->slice.has[launch_pc(s->l, block, w, &lanes) / ISA_BYTES];
  s->steps++, t->left--;
  *fault = launch_step(s->l, block, w, NULL) == WARP_FAULT;
  t->seen += s->now->n > n && s->now->of[n].first;
}

static bool is(const sampler *s, uint32_t block, uint32_t w, warp_state state) {
  return launch_warp_state(s->l, block, w) == state;
}

// Others go to the barrier at which a warp waits; a host need not, unless it needs what they write.
// True: it waits no more.
static bool help(sampler *s, uint32_t block, uint32_t waits, turn *turns, bool *fault) {
  for (uint32_t w = 0; w < launch_warps(s->l); w++)
    while (!*fault && turns[w].left && is(s, block, w, WARP_READY) &&
           is(s, block, waits, WARP_AT_BARRIER))
      step(s, block, w, &turns[w], s->slice.waits, fault);
  return !is(s, block, waits, WARP_AT_BARRIER);
}

// All go as far as they want. Where one waits at a barrier, the others go there, unless it has
// accessed memory and need not go `far`; then a few accesses are enough as well.
static void run_warps(sampler *s, uint32_t block, bool far, turn *turns) {
  bool any = true, fault = false;
  while (any && !fault) {
    uint32_t waits = UINT32_MAX;
    any = false;
    for (uint32_t w = 0; w < launch_warps(s->l); w++) {
      for (; !fault && wants(s, &turns[w], far) && is(s, block, w, WARP_READY); any = true)
        step(s, block, w, &turns[w], true, &fault);
      if (wants(s, &turns[w], far) && is(s, block, w, WARP_AT_BARRIER))
        waits = w;
    }
    if (!any && waits != UINT32_MAX && (far || !s->now->n))
      any = help(s, block, waits, turns, &fault);
  }
}

// Begins a block. NULL: no memory.
static turn *begin(sampler *s, uint32_t block, trace *t) {
  const uint32_t warps = launch_warps(s->l);
  turn *turns = calloc(warps + 1, sizeof *turns);
  *t = (trace){0};
  if (!turns || launch_start_block(s->l, block)) {
    free(turns);
    return NULL;
  }
  for (uint32_t w = 0; w < warps; w++)
    turns[w].left = s->longest;
  return turns;
}

// False: no memory.
static bool go_on(sampler *s, uint32_t block, bool far, turn *turns, trace *t) {
  s->now = t;
  run_warps(s, block, far, turns);
  if (t->n)
    qsort(t->of, t->n, sizeof *t->of, by_warp);
  return !t->full;
}

// Warp 0 of the base: its beginning, and further as long as it accesses no memory; what follows
// that shows what it accesses then. Then the others until they have accessed memory as it did.
// False: no memory.
static bool execute_base(sampler *s) {
  s->longest = LONGEST;
  turn *turns = begin(s, s->base_block, &s->base);
  if (!turns)
    return false;
  uint32_t used = 0, before = 0;
  bool ok = true, quiet = true;
  turns[0].wanted = UINT32_MAX, turns[0].left = 0;
  while (ok && !turns[0].left && used < LONGEST && (used < FIRST || quiet)) {
    before = s->base.n;
    turns[0].left = PIECE;
    ok = go_on(s, s->base_block, true, turns, &s->base);
    used += PIECE - turns[0].left;
    quiet = s->base.n == before && turns[0].seen < s->accesses;
  }
  if (ok && used > FIRST && !turns[0].left) {
    turns[0].left = FIRST;
    ok = go_on(s, s->base_block, true, turns, &s->base);
  }
  s->longest = used + OTHERS;
  for (uint32_t w = 1; w < launch_warps(s->l); w++)
    turns[w].wanted = turns[0].seen;
  ok = ok && go_on(s, s->base_block, true, turns, &s->base);
  free(turns);
  return ok;
}

// ---- warps

// The access of an instruction that a warp has first; NULL: it has none.
static const record *first_of(const trace *t, uint32_t warp, uint32_t pc) {
  for (uint32_t k = 0; k < t->n; k++)
    if (t->of[k].warp == warp && t->of[k].pc == pc && t->of[k].first)
      return &t->of[k];
  return NULL;
}

static bool follows_first(const trace *t, uint32_t warp) {
  for (uint32_t k = 0; k < t->n; k++)
    if (t->of[k].warp == warp && t->of[k].first && !first_of(t, 0, t->of[k].pc))
      return false;
  return true;
}

// Warps all of whose instructions warp 0 has follow it, a distance apart that is each instruction's
// own; the base keeps the accesses of the others, which lead. False: no memory.
static bool find_followers(sampler *s) {
  const uint32_t warps = launch_warps(s->l);
  uint32_t n = 0;
  bool *leads = malloc(warps);
  s->followers = malloc((s->base.n + 1) * sizeof *s->followers);
  for (uint32_t w = 0; leads && w < warps; w++)
    leads[w] = !w || !follows_first(&s->base, w);
  for (uint32_t k = 0; leads && s->followers && k < s->base.n; k++) {
    const record *r = &s->base.of[k];
    const record *of = leads[r->warp] || !r->first ? NULL : first_of(&s->base, 0, r->pc);
    if (of)
      s->followers[s->n_followers++] =
          (follower){r->warp, r->pc, (int64_t)(r->ends.first - of->ends.first)};
  }
  for (uint32_t k = 0; leads && k < s->base.n; k++)
    if (leads[s->base.of[k].warp])
      s->base.of[n++] = s->base.of[k];
  s->base.n = leads ? n : s->base.n;
  free(leads);
  return leads && s->followers;
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

static bool is_like(const trace *a, uint32_t k, const trace *b, uint32_t j) {
  return k < a->n && j < b->n && a->of[k].warp == b->of[j].warp && a->of[k].pc == b->of[j].pc;
}

// Which of a trace's accesses is like one of the base, in their order; one that has none like it is
// left out, as at the border of an image.
static void align(const trace *base, const trace *t, ends *at) {
  for (uint32_t k = 0, j = 0; k < base->n; k++) {
    uint32_t skip = 0, of_base = 1;
    while (j < t->n && t->of[j].warp < base->of[k].warp)
      j++;
    while (skip < SKIPPED && !is_like(base, k, t, j + skip))
      skip++;
    while (of_base < skip && !is_like(base, k + of_base, t, j))
      of_base++;
    const bool same = skip < SKIPPED && skip <= of_base;
    j += same ? skip : 0;
    at[k] = same ? t->of[j++].ends : (ends){NOWHERE, NOWHERE};
  }
}

static bool begin_probe(sampler *s, probe *p, uint32_t block) {
  *p = (probe){.block = block, .at = malloc((s->base.n + 1) * sizeof *p->at)};
  p->turns = p->at ? begin(s, block, &p->t) : NULL;
  for (uint32_t w = 0; p->turns && w < launch_warps(s->l); w++)
    p->turns[w].wanted = different(&s->base, w);
  return p->turns;
}

static bool accesses_none(const sampler *s, uint32_t block) {
  for (uint32_t k = 0; k < s->n_probes; k++)
    if (s->probes[k].block == block)
      return !s->probes[k].t.n;
  return false;
}

static void end_probe(probe *p) {
  forget(&p->t);
  free(p->turns);
  free(p->at);
}

// The leaders of a block, until each of their instructions that access memory in the base has done
// so, or, unless `far`, a few, or those before the next barrier. NULL: no memory, or too many
// blocks are asked for.
static const ends *probe_block(sampler *s, uint32_t block, bool far) {
  uint32_t k = 0;
  while (k < s->n_probes && s->probes[k].block != block)
    k++;
  probe *p = &s->probes[k];
  if (k < s->n_probes && p->far >= far)
    return p->at;
  if (k == PROBES || (k == s->n_probes && (s->n_probes++, !begin_probe(s, p, block))) ||
      !go_on(s, block, far, p->turns, &p->t)) {
    s->failed = true;
    return NULL;
  }
  p->far = far;
  align(&s->base, &p->t, p->at);
  return p->at;
}

// ---- digits

// The block so many steps of a level from the base.
static const ends *probed(sampler *s, const level *v, int64_t q, bool far) {
  return probe_block(s, (uint32_t)(s->base_block + q * v->unit), far);
}

static bool is_fit(const sampler *s, const level *v, const ends *at, int64_t q, uint32_t k) {
  const ends *from = &s->base.of[k].ends;
  const uint64_t by = (uint64_t)(q * v->step[k]);
  return at[k].first - from->first == by || at[k].last - from->last == by;
}

static bool moves(const sampler *s, const level *v) {
  for (uint32_t k = 0; k < s->base.n; k++)
    if (s->known[k] && v->step[k])
      return true;
  return false;
}

// Of the known accesses that move with a level, if any do, and that a block has, the share that are
// so many steps away from the base. Negative: it has none.
static double share(const sampler *s, const level *v, const ends *at, int64_t q) {
  const bool some = moves(s, v);
  uint32_t good = 0, all = 0;
  for (uint32_t k = 0; at && k < s->base.n; k++) {
    const bool has = s->known[k] && at[k].first != NOWHERE && (v->step[k] || !some);
    all += has;
    good += has && is_fit(s, v, at, q, k);
  }
  return all ? (double)good / all : -1;
}

static double fits(sampler *s, const level *v, int64_t q) {
  const double fit = share(s, v, probed(s, v, q, false), q);
  return fit < 0 ? share(s, v, probed(s, v, q, true), q) : fit;
}

// From now on only those are known that are: at the border of an image a few are not, say.
static void keep_fitting(sampler *s, const level *v, int64_t q) {
  const ends *at = probed(s, v, q, false);
  for (uint32_t k = 0; at && k < s->base.n; k++)
    s->known[k] &= at[k].first != NOWHERE ? is_fit(s, v, at, q, k) : s->known[s->base.of[k].like];
}

// The most steps in a direction with which it fits, at most so many; one more fits less.
static uint32_t last_fit(sampler *s, const level *v, int direction, uint32_t most) {
  uint32_t low = 0, high = most + 1;
  for (uint64_t q = 1; q < high && !s->failed; q *= 4)
    if (fits(s, v, direction * (int64_t)q) >= MOST)
      low = (uint32_t)q;
    else
      high = (uint32_t)q;
  if (high > most && low < most && fits(s, v, direction * (int64_t)most) >= MOST)
    return most;
  while (high - low > 1 && !s->failed) {
    const uint32_t middle = low + (high - low) / 2;
    if (fits(s, v, direction * (int64_t)middle) >= MOST)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// The first and the last blocks of a grid may differ, as they are at its border.
static uint32_t up_to_border(uint32_t fit, uint32_t most) {
  return fit + (fit && fit + 1 == most);
}

// A digit, with the step that the next block in a direction shows. False: the base has another
// digit than that; the next block differs in a higher one, say.
static bool try_level(sampler *s, level *v, int direction) {
  const uint32_t below = s->base_block / v->unit,
                 above = (launch_blocks(s->l) - 1 - s->base_block) / v->unit;
  const ends *at = (direction > 0 ? above : below) ? probed(s, v, direction, true) : NULL;
  if (!at)
    return false;
  for (uint32_t k = 0; k < s->base.n; k++) {
    const uint32_t like = s->base.of[k].like;
    if (at[k].first == NOWHERE)
      s->known[k] &= like < k && s->known[like];
    v->step[k] = at[k].first != NOWHERE
                     ? direction * (int64_t)(at[k].first - s->base.of[k].ends.first)
                     : v->step[like];
  }
  if ((direction > 0 ? above : below) > 1 && fits(s, v, 2 * direction) >= SOME)
    keep_fitting(s, v, 2 * direction);
  const uint32_t down = up_to_border(last_fit(s, v, -1, below), below);
  v->radix = down + up_to_border(last_fit(s, v, 1, above), above) + 1;
  return !s->failed && v->radix > 1 && below % v->radix == down;
}

// The digit above `unit` blocks. False: there is none, or it failed.
static bool find_level(sampler *s, uint32_t unit) {
  level *v = &s->levels[s->n_levels];
  bool *known = malloc(s->base.n + 1);
  *v = (level){.unit = unit, .step = calloc(s->base.n + 1, sizeof *v->step)};
  s->n_levels++;
  bool ok = known && v->step;
  if (ok) {
    memcpy(known, s->known, s->base.n);
    ok = try_level(s, v, 1);
    if (!ok && !s->failed) {
      memcpy(s->known, known, s->base.n);
      ok = try_level(s, v, -1);
    }
  }
  free(known);
  return ok;
}

// ---- what all do

static uint32_t block_digit(const level *v, uint32_t block) {
  return block / v->unit % v->radix;
}

// An access of the base, by a warp a distance apart, of all blocks.
static void tell_access(const sampler *s, const record *r, uint32_t warp, int64_t by,
                        place_find *f) {
  for (uint32_t b = 0; b < s->blocks; b++) {
    int64_t at = by + SECTOR / 2;  // steps may be any bytes
    for (uint32_t v = 0; v < s->n_levels; v++)
      at += ((int64_t)block_digit(&s->levels[v], b) - block_digit(&s->levels[v], s->base_block)) *
            s->levels[v].step[r - s->base.of];
    for (uint32_t n = 0; n < r->sectors; n++)
      place_find_access(f, s->base.sectors[r->at + n] + (uint64_t)at, b, warp, r->writes);
  }
}

// Whether access k stands for so many; loops have periods, so it is not each of so many.
static bool stands(uint32_t k, uint32_t thin) {
  return (k * 2654435769u >> 8) % thin == 0;
}

// Of warp 0, with those of its followers.
static void tell(const sampler *s, place_find *f) {
  const uint32_t blocks = s->blocks, warps = launch_warps(s->l);
  const uint64_t all = (uint64_t)s->base.n_sectors * blocks * warps;
  const uint32_t thin = (uint32_t)(all / TOLD) + 1;  // so many accesses are told as one
  for (uint32_t k = 0; k < s->base.n; k++) {
    const record *r = &s->base.of[k];
    if (s->known[k] && stands(k, thin))
      tell_access(s, r, r->warp, 0, f);
    if (!s->known[k])
      place_find_strange(f, r->ends.first, (uint64_t)r->sectors * blocks, r->writes);
    for (uint32_t n = 0; n < s->n_followers && !r->warp; n++) {
      const follower *of = &s->followers[n];
      if (of->pc == r->pc && s->known[k] && stands(k, thin))
        tell_access(s, r, of->warp, of->by, f);
      if (of->pc == r->pc && !s->known[k])
        place_find_strange(f, r->ends.first + (uint64_t)of->by, (uint64_t)r->sectors * blocks,
                           r->writes);
    }
  }
}

// A block within the grid that accesses memory, or block 0. False: no memory.
static bool find_base(sampler *s) {
  s->base_block = (uint32_t)((uint64_t)s->blocks * 2 / 3);
  if (!execute_base(s))
    return false;
  if (s->base.n || !s->base_block)
    return true;
  forget(&s->base);
  s->base_block = 0;
  return execute_base(s);
}

// Above the digits that were found: only the first blocks have work, and the base is one of them.
static bool others_are_idle(sampler *s, uint32_t unit) {
  return !s->base_block && probe_block(s, unit, true) && probe_block(s, s->blocks - 1, true) &&
         accesses_none(s, unit) && accesses_none(s, s->blocks - 1);
}

bool sample_launch(machine *m, launch *l, const module_kernel *kernel, place_find *f,
                   sample_cost *cost) {
  sampler s = {.l = l, .blocks = launch_blocks(l), .accesses = slice_accesses(kernel)};
  uint64_t unit = 1;
  uint32_t known = 0;
  machine_set_accessed(m, accessed, &s);
  bool ok = slice_of(kernel, &s.slice) && find_base(&s) && find_followers(&s);
  find_like(&s.base);
  ok = ok && (s.known = malloc(s.base.n + 1));
  for (uint32_t k = 0; ok && k < s.base.n; k++)
    s.known[k] = true;
  while (ok && unit < s.blocks && s.n_levels < LEVELS) {
    if (others_are_idle(&s, (uint32_t)unit))
      s.blocks = (uint32_t)unit;
    else if (find_level(&s, (uint32_t)unit))
      unit *= s.levels[s.n_levels - 1].radix;
    else
      break;
  }
  ok = ok && !s.failed;
  for (uint32_t k = 0; ok && k < s.base.n; k++)
    known += s.known[k] &= unit >= s.blocks;
  machine_set_accessed(m, NULL, NULL);
  if (ok)
    tell(&s, f);
  *cost = (sample_cost){.blocks = 1 + s.n_probes,
                        .instructions = s.instructions,
                        .known = s.base.n ? (double)known / s.base.n : 0};
  for (uint32_t k = 0; k < s.n_probes; k++)
    end_probe(&s.probes[k]);
  for (uint32_t k = 0; k < s.n_levels; k++)
    free(s.levels[k].step);
  forget(&s.base);
  free(s.known);
  free(s.followers);
  free(s.slice.has);
  return ok;
}

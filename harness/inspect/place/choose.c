// SPDX-License-Identifier: Apache-2.0
#include "choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 8, SAMPLES = 8192 };
enum { SLACK = 512 };              // lines of a core
enum { SEEN_SECTORS = 4 };         // of a line
enum { OF_NBUS = 2 };              // digits that place_nbus adds at most
static const double WORTH = 0.01;  // share of sectors that must become local
static const double SOME = 0.002;  // share of sectors of an array that is worth a thought
static const double LESS = 0.999;  // of the least cost, for others to be better
// Cycles of a sector of another core that a block, a core or all together ask for
// (docs/placement.md).
static const double OF_BLOCK = 16, OF_CORE = 4, OF_ALL = 0.4;

// The number of a block falls into parts: part k counts steps of bound[k], up to bound[k + 1].
typedef struct parts {
  uint32_t n;
  uint32_t bound[PARTS + 1];
} parts;

// How many cores a part tells apart; whether the blocks of one core follow each other in it, or
// those of different cores.
typedef struct split {
  uint32_t cores;
  bool grouped;
} split;

typedef struct search {
  choose *c;
  parts parts;
  split now[PARTS], best[PARTS];
  double *known;  // sectors of each array whose blocks are
  double least;
} search;

// ---- parts

// Adds a bound if all still divide each other.
static bool add_bound(parts *p, uint32_t bound) {
  uint32_t at = 0;
  while (at <= p->n && p->bound[at] < bound)
    at++;
  if (at <= p->n && p->bound[at] == bound)
    return true;
  if (at == 0 || at > p->n || p->n == PARTS || bound % p->bound[at - 1] || p->bound[at] % bound)
    return false;
  memmove(&p->bound[at + 1], &p->bound[at], (p->n + 1 - at) * sizeof *p->bound);
  p->bound[at] = bound;
  p->n++;
  return true;
}

static double all_accesses(const search *s) {
  double all = 0;
  for (uint32_t a = 0; a < s->c->n; a++)
    all += (double)s->c->of[a].accesses;
  return all;
}

// Few lines that all blocks want: better each in a core of its own than four in one.
static void find_wanted(search *s) {
  const double all = all_accesses(s);
  for (uint32_t a = 0; a < s->c->n; a++) {
    choose_array *x = &s->c->of[a];
    x->wanted = !x->fixed && !x->copied && x->n > 1 && x->n <= (size_t)SEEN_NBUS * s->c->cores &&
                (double)x->accesses > all * SOME && s->known[a] < (double)x->accesses / 2;
  }
}

// An array whose steps do not fit those before it has no shape.
static void find_parts(search *s) {
  s->parts = (parts){.n = 1, .bound = {1, s->c->blocks}};
  for (uint32_t a = 0; a < s->c->n; a++) {
    choose_array *x = &s->c->of[a];
    const parts before = s->parts;
    x->shaped =
        !x->wanted && !x->copied &&
        shape_find(x->lines, x->n, x->pitch ? digits_group(x->pitch) : 1, s->c->blocks, &x->shape);
    for (uint32_t k = 0; x->shaped && k < x->shape.n; k++) {
      const shape_digit *d = &x->shape.digit[k];
      x->shaped = !d->step ||
                  (add_bound(&s->parts, d->step) && (uint64_t)d->step * d->radix <= s->c->blocks &&
                   add_bound(&s->parts, d->step * d->radix));
    }
    if (!x->shaped)
      s->parts = before;
  }
}

// ---- digits

// Beside one of its kind it is one with it.
static bool add_digit(digits *d, digit_of of, uint32_t radix) {
  if (d->n && d->digit[d->n - 1].of == of &&
      (uint64_t)d->digit[d->n - 1].radix * radix <= DIGITS_RADIX) {
    d->digit[d->n - 1].radix *= radix;
    return true;
  }
  if (radix == 1)
    return true;
  if (d->n == DIGITS_MOST)
    return false;
  d->digit[d->n].radix = radix, d->digit[d->n++].of = of;
  return true;
}

static bool add_part(digits *d, const split *s, uint32_t radix) {
  const uint32_t rest = radix / s->cores;
  return (!s->grouped || add_digit(d, DIGIT_REST, rest)) && add_digit(d, DIGIT_CORE, s->cores) &&
         (s->grouped || add_digit(d, DIGIT_REST, rest));
}

static void without_rest(digits *d) {
  while (d->n && d->digit[d->n - 1].of == DIGIT_REST)
    d->n--;
}

static digits of_blocks(const search *s, const split *by) {
  digits d = {0};
  for (uint32_t k = 0; k < s->parts.n; k++)
    add_part(&d, &by[k], s->parts.bound[k + 1] / s->parts.bound[k]);
  without_rest(&d);
  return d;
}

// False: the array does not tell cores apart in the order in which blocks do. Of parts that it does
// not tell apart, which must be the highest ones, it is all of the first cores.
static bool of_lines(const search *s, const split *by, const choose_array *x, digits *d) {
  uint32_t last = 0, cores = 1;
  bool told[PARTS] = {false};
  *d = (digits){.pitch = x->pitch};
  for (uint32_t k = 0; k < x->shape.n; k++) {
    const shape_digit *of = &x->shape.digit[k];
    if (!of->step && !add_digit(d, DIGIT_REST, of->radix))
      return false;
    for (uint32_t p = 0; of->step && p < s->parts.n; p++) {
      const uint32_t from = s->parts.bound[p];
      if (from < of->step || from >= of->step * of->radix)
        continue;
      if (!add_part(d, &by[p], s->parts.bound[p + 1] / from) || (by[p].cores > 1 && p < last))
        return false;
      told[p] = true;
      cores *= by[p].cores;
      last = by[p].cores > 1 ? p : last;
    }
  }
  for (uint32_t p = 0; p < last; p++)
    if (by[p].cores > 1 && !told[p])
      return false;
  return cores > 1 && add_digit(d, DIGIT_CORE, s->c->cores / cores) &&
         d->n + OF_NBUS <= DIGITS_MOST;
}

// ---- costs

static uint32_t core_of(const digits *d, uint64_t number) {
  uint32_t to[DIGIT_KINDS];
  digits_split(d, number, to);
  return to[DIGIT_CORE];
}

// Of the number of a line of an array, whatever pitch the digits have.
static uint32_t home_of(const choose_array *x, const digits *lines, size_t number) {
  if (lines->pitch == x->pitch)
    return core_of(lines, number);
  const uint64_t line = x->pitch ? digits_line(x->pitch, number) : number;
  return core_of(lines, lines->pitch ? digits_number(lines->pitch, line) : line);
}

static size_t sample(const choose_array *x, uint32_t k) {
  return x->n <= SAMPLES ? k : (size_t)((k * 0x9e3779b97f4a7c15ull >> 20) % x->n);
}
static uint32_t samples(const choose_array *x) {
  return x->n < SAMPLES ? (uint32_t)x->n : SAMPLES;
}

typedef struct asked {   // sectors of other cores
  double *core, *block;  // by each core, by each block
} asked;

// Share of an array's sectors that other cores ask for; adds to `by`, unless NULL.
static double remote_by(const choose_array *x, const digits *lines, const digits *blocks,
                        const asked *by) {
  const double stands_for = (double)x->n / samples(x);
  double all = 0, remote = 0;
  for (uint32_t k = 0; k < samples(x); k++) {
    const size_t at = sample(x, k);
    const seen *s = &x->lines[at];
    const uint32_t home = home_of(x, lines, at);
    for (uint32_t b = 0; b < SEEN_BLOCKS; b++)
      if (s->block[b] != SEEN_NONE) {
        const uint32_t core = core_of(blocks, s->block[b]);
        all += s->count[b];
        remote += core != home ? s->count[b] : 0;
        if (by && core != home) {
          by->core[core] += stands_for * s->count[b];
          by->block[s->block[b]] += stands_for * s->count[b];
        }
      }
  }
  return all > 0 ? remote / all : 0;
}

static double remote_of(const choose_array *x, const digits *lines, const digits *blocks) {
  return remote_by(x, lines, blocks, NULL);
}

// The same, of accesses; those whose blocks nobody knows come from any core.
static double remote_accesses(const search *s, uint32_t a, const digits *lines,
                              const digits *blocks) {
  const choose_array *x = &s->c->of[a];
  const double others = (double)x->accesses - s->known[a];
  return remote_of(x, lines, blocks) * s->known[a] +
         (others > 0 ? others : 0) * (s->c->cores - 1) / s->c->cores;
}

static digits flat_lines(uint32_t cores) {
  return (digits){.n = 2, .digit = {{SEEN_NBUS, DIGIT_NBU}, {cores, DIGIT_CORE}}};
}
static digits flat_blocks(uint32_t cores) {
  return (digits){.n = 1, .digit = {{cores, DIGIT_CORE}}};
}

static const digits *now_of(const choose_array *x, const digits *flat) {
  return x->now.n ? &x->now : flat;
}

bool choose_at_home(const digits *now, uint64_t line, uint32_t block, uint32_t cores) {
  const digits flat = flat_lines(cores), blocks = flat_blocks(cores);
  const digits *lines = now->n ? now : &flat;
  return core_of(lines, lines->pitch ? digits_number(lines->pitch, line) : line) ==
         core_of(&blocks, block);
}

// Of all arrays with these splits, each where it is now if that is better.
static double cost(const search *s, const split *by) {
  const digits blocks = of_blocks(s, by), flat = flat_lines(s->c->cores);
  double all = 0;
  for (uint32_t a = 0; a < s->c->n; a++) {
    const choose_array *x = &s->c->of[a];
    digits lines;
    if (x->wanted || x->copied)
      continue;
    double least = remote_of(x, now_of(x, &flat), &blocks);
    if (!x->fixed && x->shaped && of_lines(s, by, x, &lines)) {
      const double placed = remote_of(x, &lines, &blocks);
      least = placed < least ? placed : least;
    }
    all += least * s->known[a];
  }
  return all;
}

static void try_parts(search *s, uint32_t part, uint32_t left) {
  if (part == s->parts.n) {
    const double now = left == 1 ? cost(s, s->now) : s->least;
    if (now < s->least * LESS) {  // of equals the first one, which is most like the machine's
      s->least = now;
      memcpy(s->best, s->now, sizeof s->best);
    }
    return;
  }
  const uint32_t radix = s->parts.bound[part + 1] / s->parts.bound[part];
  for (uint32_t cores = left < radix ? left : radix; cores > 0; cores--)
    for (int grouped = 0; grouped < (cores == 1 || cores == radix ? 1 : 2); grouped++)
      if (radix % cores == 0 && left % cores == 0) {
        s->now[part] = (split){cores, grouped};
        try_parts(s, part + 1, left / cores);
      }
}

// ---- NBUs

// The warps of a core go to its NBUs in turn, those of one block behind those of the one before it:
// how far the first warp of a block is beyond the first NBU.
static uint32_t first_nbu(const choose *c, uint32_t block) {
  uint32_t to[DIGIT_KINDS];
  digits_split(&c->by, block, to);
  return to[DIGIT_REST] * c->warps % SEEN_NBUS;
}

// Share of an array's sectors that are in the NBU of the warp that asks for them.
static double warps_at_home(const choose *c, const choose_array *x, const digits *d) {
  double all = 0, own = 0;
  for (uint32_t k = 0; k < samples(x); k++) {
    const size_t at = sample(x, k);
    uint32_t to[DIGIT_KINDS];
    digits_split(d, at, to);
    const uint32_t block = seen_first(&x->lines[at]),
                   from = block == SEEN_NONE ? 0 : first_nbu(c, block);
    for (uint32_t n = 0; n < SEEN_NBUS; n++) {
      all += x->lines[at].warp[n];
      own += (n + from) % SEEN_NBUS == to[DIGIT_NBU] ? x->lines[at].warp[n] : 0;
    }
  }
  return all > 0 ? own / all : 0;
}

// An NBU in the place of a fourth of digit k, above the `below` lowest values of it.
static digits with_nbu(const digits *d, uint32_t k, uint32_t below) {
  digits to = {.pitch = d->pitch};
  for (uint32_t j = 0; j < d->n; j++)
    if (j == k) {
      add_digit(&to, DIGIT_REST, below);
      add_digit(&to, DIGIT_NBU, SEEN_NBUS);
      add_digit(&to, DIGIT_REST, d->digit[j].radix / SEEN_NBUS / below);
    } else {
      add_digit(&to, d->digit[j].of, d->digit[j].radix);
    }
  return to;
}

static digits place_nbus(const choose *c, const choose_array *x, const digits *d) {
  digits best = *d;
  double most = -1;
  for (uint32_t k = 0; k < d->n; k++)
    for (uint32_t below = 1; d->digit[k].of == DIGIT_REST && below * SEEN_NBUS <= d->digit[k].radix;
         below *= 2)
      if (d->digit[k].radix % (below * SEEN_NBUS) == 0) {
        const digits now = with_nbu(d, k, below);
        const double own = warps_at_home(c, x, &now);
        if (own > most)
          most = own, best = now;
      }
  if (most < 0)
    add_digit(&best, DIGIT_NBU, SEEN_NBUS);
  without_rest(&best);
  return best;
}

// ----

// What an array takes up with digits must not be much more than it has.
static bool fits(const choose *c, const choose_array *x, const digits *d) {
  const uint64_t most = choose_lines(x->n, c->cores);
  uint64_t unit = 1;
  for (uint32_t k = 0; k < d->n; k++)
    if ((unit *= d->digit[k].radix) > most)
      return false;
  return (x->n + unit - 1) / unit * unit <= most;
}

uint64_t choose_lines(uint64_t lines, uint32_t cores) {
  return lines + lines / 4 + (uint64_t)SLACK * cores;
}

static double remote_now(const search *s, uint32_t a) {
  const choose_array *x = &s->c->of[a];
  const digits flat = flat_lines(s->c->cores);
  return x->copied ? 0 : remote_accesses(s, a, x->placed ? &x->by : now_of(x, &flat), &s->c->by);
}

static double most_of(const double *of, uint32_t n) {
  double most = 0;
  for (uint32_t k = 0; k < n; k++)
    most = of[k] > most ? of[k] : most;
  return most;
}

// Time for the sectors of other cores: of the network, or of the core or the block that asks for
// the most.
static double cycles_of(const search *s, bool as_now) {
  const digits flat = flat_lines(s->c->cores), flat_of_blocks = flat_blocks(s->c->cores);
  const digits *blocks = as_now ? &flat_of_blocks : &s->c->by;
  double all = 0, *counts = calloc(s->c->cores + s->c->blocks, sizeof *counts);
  if (!counts)
    return 0;
  const asked by = {counts, counts + s->c->cores};
  for (uint32_t a = 0; a < s->c->n; a++) {
    const choose_array *x = &s->c->of[a];
    const digits *lines = x->placed && !as_now ? &x->by : now_of(x, &flat);
    if (x->copied && !as_now)
      continue;
    remote_by(x, lines, blocks, &by);
    all += remote_accesses(s, a, lines, blocks);
  }
  const double core = OF_CORE * most_of(by.core, s->c->cores),
               block = OF_BLOCK * most_of(by.block, s->c->blocks);
  free(counts);
  return fmax(OF_ALL * all, fmax(core, block));
}

static void take_best(search *s) {
  choose *c = s->c;
  const digits flat = flat_lines(c->cores), flat_of_blocks = flat_blocks(c->cores);
  const double all = all_accesses(s);
  double remote = 0, before = 0;
  c->by = of_blocks(s, s->best);
  c->blocks_placed = !(c->by.n == 1 && c->by.digit[0].radix == c->cores);
  for (uint32_t a = 0; a < c->n; a++) {
    choose_array *x = &c->of[a];
    const digits *now = now_of(x, &flat);
    x->placed = false;
    if (x->copied) {
      c->spread = true;
    } else if (x->wanted) {
      x->by = (digits){
          .n = 2, .pitch = x->pitch, .digit = {{c->cores, DIGIT_CORE}, {SEEN_NBUS, DIGIT_NBU}}};
      x->placed = c->spread = true;
    } else if (!x->fixed && x->shaped && of_lines(s, s->best, x, &x->by)) {
      x->by = place_nbus(c, x, &x->by);
      x->placed =
          fits(c, x, &x->by) && remote_of(x, &x->by, &c->by) + WORTH < remote_of(x, now, &c->by);
    }
    remote += remote_now(s, a);
    before += remote_accesses(s, a, now, &flat_of_blocks);
  }
  c->remote = all > 0 ? remote / all : 0;
  c->remote_flat = all > 0 ? before / all : 0;
  c->cycles = cycles_of(s, false), c->cycles_flat = cycles_of(s, true);
}

static void look(search *s) {
  s->least = 1e300;
  s->c->spread = false;
  find_wanted(s);
  find_parts(s);
  try_parts(s, 0, s->c->cores);
  if (s->least < 1e300)
    take_best(s);
}

// What of other cores would be asked for more often, wherever its lines are, than copies have
// sectors. True: there is some.
static bool find_copies(search *s) {
  const double all = all_accesses(s);
  bool some = false;
  for (uint32_t a = 0; a < s->c->n; a++) {
    choose_array *x = &s->c->of[a];
    const double remote = remote_now(s, a);
    x->copied = x->may_copy && remote > all * SOME &&
                remote > (double)x->n * SEEN_SECTORS * (double)s->c->cores;
    some |= x->copied;
  }
  return some;
}

bool choose_placement(choose *c) {
  search s = {.c = c, .known = calloc(c->n + 1, sizeof *s.known)};
  if (!s.known)
    return false;
  for (uint32_t a = 0; a < c->n; a++)
    for (size_t k = 0; k < c->of[a].n; k++)
      for (uint32_t b = 0; b < SEEN_BLOCKS; b++)
        s.known[a] += c->of[a].lines[k].count[b];
  look(&s);
  if (s.least < 1e300 && find_copies(&s))
    look(&s);  // the others without them
  c->placed = s.least < 1e300 && (c->spread || c->remote + WORTH < c->remote_flat);
  free(s.known);
  return true;
}

// SPDX-License-Identifier: Apache-2.0
#include "sums.h"

#include <string.h>
#include "csim/isa/isa.h"
#include "mem.h"

sum sum_none(uint8_t reason, uint32_t site) {
  return (sum){.reason = reason, .site = site};
}

sum sum_number(int64_t number) {
  sum a = {.n = number != 0};
  a.terms[0].factor = number;
  return a;
}

sum sum_symbol(affine_symbol s) {
  sum a = {.n = 1};
  a.terms[0] = (affine_term){.factor = 1, .of = {s}};
  return a;
}

affine_symbol sum_unknown(uint32_t number) {
  return (affine_symbol){SUM_UNKNOWN, (uint8_t)(number >> 16), (uint16_t)number};
}

bool sum_is_number(const sum *a, int64_t *number) {
  *number = a->n ? a->terms[0].factor : 0;
  return a->reason == AFFINE_IS && (!a->n || (a->n == 1 && !a->terms[0].of[0].kind));
}

static bool same_terms(const affine_term *a, const affine_term *b, uint32_t n) {
  return memcmp(a, b, n * sizeof *a) == 0;
}

bool sum_same(const sum *a, const sum *b) {
  return a->reason == AFFINE_IS && b->reason == AFFINE_IS && a->n == b->n &&
         same_terms(a->terms, b->terms, a->n);
}

// ---- arithmetic

static int64_t product(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}

static void add_range(sum *a, uint32_t r, uint32_t site) {
  uint32_t k = 0;
  while (k < a->n_ranges && a->ranges[k] < r)
    k++;
  if (k < a->n_ranges && a->ranges[k] == r)
    return;
  if (a->n_ranges == SUM_RANGES) {
    *a = sum_none(AFFINE_LONG, site);
    return;
  }
  memmove(&a->ranges[k + 1], &a->ranges[k], (a->n_ranges - k) * sizeof *a->ranges);
  a->ranges[k] = r;
  a->n_ranges++;
}

static void add_ranges(sum *a, const sum *of, uint32_t site) {
  for (uint32_t k = 0; a->reason == AFFINE_IS && k < of->n_ranges; k++)
    add_range(a, of->ranges[k], site);
}

static void add_term(sum *a, affine_term t, uint32_t site) {
  if (a->reason != AFFINE_IS || !t.factor)
    return;
  a->n = affine_add(a->terms, a->n, t);
  if (a->n > SUM_TERMS)
    *a = sum_none(AFFINE_LONG, site);
}

sum sum_add(const sum *a, const sum *b, int64_t times_b, uint32_t site) {
  if (a->reason != AFFINE_IS)
    return *a;
  if (b->reason != AFFINE_IS)
    return *b;
  sum all = *a;
  for (uint32_t k = 0; k < b->n; k++) {
    affine_term t = b->terms[k];
    t.factor = product(t.factor, times_b);
    add_term(&all, t, site);
  }
  add_ranges(&all, b, site);
  return all;
}

static int order(affine_symbol a, affine_symbol b) {
  return memcmp(&a, &b, sizeof a);
}

// False: too many factors.
static bool term_product(const affine_term *a, const affine_term *b, affine_term *to) {
  unsigned i = 0, j = 0, n = 0;
  *to = (affine_term){.factor = product(a->factor, b->factor)};
  for (;;) {
    const bool of_a = i < AFFINE_FACTORS && a->of[i].kind,
               of_b = j < AFFINE_FACTORS && b->of[j].kind;
    if (!of_a && !of_b)
      return true;
    if (n == AFFINE_FACTORS)
      return false;
    const bool a_first = of_a && (!of_b || order(a->of[i], b->of[j]) <= 0);
    to->of[n++] = a_first ? a->of[i++] : b->of[j++];
  }
}

sum sum_multiply(const sum *a, const sum *b, uint32_t site) {
  if (a->reason != AFFINE_IS)
    return *a;
  if (b->reason != AFFINE_IS)
    return *b;
  sum all = {0};
  for (uint32_t i = 0; i < a->n; i++)
    for (uint32_t j = 0; j < b->n; j++) {
      affine_term t;
      if (!term_product(&a->terms[i], &b->terms[j], &t))
        return sum_none(AFFINE_LONG, site);
      add_term(&all, t, site);
    }
  add_ranges(&all, a, site);
  add_ranges(&all, b, site);
  return all;
}

// ---- ranges

// The most that an index or a size can be; none is negative. 0: not known.
static int64_t most_of(affine_symbol s) {
  switch (s.kind) {
    case AFFINE_TID:
      return (s.index == 2 ? 63 : 1023) >> s.shift;
    case AFFINE_NTID:
      return s.index == 2 ? 64 : 1024;
    case AFFINE_CTAID:
    case AFFINE_NCTAID:
      return (s.index ? 65535 : INT32_MAX) >> s.shift;
    default:
      return 0;
  }
}

static bool is_always(const sum *a, int64_t least, int64_t most) {
  int64_t low = 0, high = 0;
  for (uint32_t k = 0; k < a->n; k++) {
    const affine_term *t = &a->terms[k];
    const bool number = !t->of[0].kind;
    const int64_t bound = number ? 1 : t->of[1].kind ? 0 : most_of(t->of[0]);
    if (!bound || t->factor > INT32_MAX / SUM_TERMS || t->factor < -INT32_MAX / SUM_TERMS)
      return false;
    const int64_t end = t->factor * bound;
    low += number || end < 0 ? end : 0;
    high += number || end > 0 ? end : 0;
  }
  return low >= least && high <= most;
}

static uint32_t range_number(sum_ranges *all, const affine_term *terms, uint32_t n, int64_t least,
                             int64_t most) {
  for (uint32_t r = 0; r < all->n; r++) {
    const sum_range *x = &all->of[r];
    if (x->n == n && x->least == least && x->most == most && same_terms(x->terms, terms, n))
      return r;
  }
  all->of = mem_grow(all->of, all->n, sizeof *all->of);
  all->of[all->n] = (sum_range){.least = least, .most = most, .n = n};
  memcpy(all->of[all->n].terms, terms, n * sizeof *terms);
  return all->n++;
}

sum sum_within(sum_ranges *all, const sum *a, int64_t least, int64_t most, uint32_t site) {
  int64_t number;
  if (a->reason != AFFINE_IS || is_always(a, least, most))
    return *a;
  if (sum_is_number(a, &number))
    return number >= least && number <= most ? *a : sum_none(AFFINE_VALUE, site);
  sum b = *a;
  add_range(&b, range_number(all, a->terms, a->n, least, most), site);
  return b;
}

// ---- powers of two

bool sum_is_multiple(const sum *a, unsigned bits) {
  for (uint32_t k = 0; k < a->n; k++)
    if ((uint64_t)a->terms[k].factor & ((UINT64_C(1) << bits) - 1))
      return false;
  return true;
}

// An index, times less than 2 to the power of `bits`, divided by that.
static bool shifted(const affine_term *t, unsigned bits, affine_term *to) {
  const affine_symbol s = t->of[0];
  const unsigned own = (unsigned)__builtin_ctzll((uint64_t)t->factor);
  if ((s.kind != AFFINE_TID && s.kind != AFFINE_CTAID) || t->of[1].kind ||
      t->factor != (int64_t)(UINT64_C(1) << own))
    return false;
  const unsigned shift = s.shift + bits - own;
  *to = (affine_term){.factor = 1, .of = {{s.kind, (uint8_t)shift, s.index}}};
  return shift < 32;
}

bool sum_split(const sum *a, unsigned bits, uint32_t site, sum *quotient, sum *rest) {
  const uint64_t mask = (UINT64_C(1) << bits) - 1;
  uint32_t n_rest = 0;
  *quotient = *rest = (sum){0};
  if (a->reason != AFFINE_IS || bits > 31)
    return false;
  for (uint32_t k = 0; k < a->n; k++) {
    affine_term t = a->terms[k];
    if ((uint64_t)t.factor & mask) {
      n_rest++;
      add_term(rest, t, site);
    } else {
      t.factor >>= bits;
      add_term(quotient, t, site);
    }
  }
  add_ranges(quotient, a, site);
  add_ranges(rest, a, site);
  if (!n_rest)
    return true;
  affine_term t, number = {.factor = rest->terms[0].factor};
  if (n_rest > 1)
    return false;
  if (!rest->terms[0].of[0].kind) {  // a number, maybe larger than that, or negative
    number.factor >>= bits;
    add_term(quotient, number, site);
    number.factor = -product(number.factor, (int64_t)mask + 1);
    add_term(rest, number, site);
    return true;
  }
  if (!shifted(&rest->terms[0], bits, &t))
    return false;
  if (!most_of(t.of[0]))
    return true;  // the index is smaller than that
  add_term(quotient, t, site);
  t.factor = -(int64_t)(mask + 1);
  add_term(rest, t, site);
  return quotient->reason == AFFINE_IS && rest->reason == AFFINE_IS;
}

// ---- symbols

static bool terms_have(const affine_term *terms, uint32_t n, sum_test *test, const void *context) {
  for (uint32_t k = 0; k < n; k++)
    for (unsigned f = 0; f < AFFINE_FACTORS && terms[k].of[f].kind; f++)
      if (test(context, terms[k].of[f]))
        return true;
  return false;
}

bool sum_has(const sum_ranges *all, const sum *a, sum_test *test, const void *context) {
  bool has = terms_have(a->terms, a->n, test, context);
  for (uint32_t r = 0; !has && r < a->n_ranges; r++)
    has = terms_have(all->of[a->ranges[r]].terms, all->of[a->ranges[r]].n, test, context);
  return has;
}

static bool same_symbol(affine_symbol a, affine_symbol b) {
  return order(a, b) == 0;
}

static sum replace_terms(const affine_term *terms, uint32_t n, affine_symbol s, const sum *by,
                         uint32_t site) {
  sum all = {0};
  for (uint32_t k = 0; k < n; k++) {
    sum one = sum_number(terms[k].factor);
    for (unsigned f = 0; f < AFFINE_FACTORS && terms[k].of[f].kind; f++) {
      const sum symbol = same_symbol(terms[k].of[f], s) ? *by : sum_symbol(terms[k].of[f]);
      one = sum_multiply(&one, &symbol, site);
    }
    all = sum_add(&all, &one, 1, site);
  }
  return all;
}

sum sum_replace(sum_ranges *all, const sum *a, affine_symbol s, const sum *by, uint32_t site) {
  if (a->reason != AFFINE_IS)
    return *a;
  sum b = replace_terms(a->terms, a->n, s, by, site);
  for (uint32_t k = 0; b.reason == AFFINE_IS && k < a->n_ranges; k++) {
    const sum_range r = all->of[a->ranges[k]];
    const sum x = replace_terms(r.terms, r.n, s, by, site);
    if (x.reason != AFFINE_IS)
      return x;
    const sum within = sum_within(all, &x, r.least, r.most, site);
    if (within.reason != AFFINE_IS)
      return within;
    add_ranges(&b, &within, site);
  }
  return b;
}

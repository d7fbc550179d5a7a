// SPDX-License-Identifier: Apache-2.0
// Cycles by cause, of which the sum is the cycles of the run: exactly.
#include <string.h>
#include "diff_priv.h"

int64_t diff_unit(uint64_t a, uint64_t b) {
  uint64_t x = a, y = b;
  int64_t unit;
  while (y) {
    const uint64_t rest = x % y;
    x = y, y = rest;
  }
  return x && !__builtin_mul_overflow(a / x, b, &unit) ? unit : 0;
}

bool diff_scaled(uint64_t count, uint64_t parts, int64_t unit, int64_t *to) {
  // a tenth of the range is enough for sums of all causes
  return !__builtin_mul_overflow(count, (uint64_t)unit / parts, to) && *to < INT64_MAX / 32;
}

typedef struct adding {
  diff *d;
  diff_parts *p;
  bool fits;
} adding;

// `sign`: -1 for what is counted in another one, too.
static void add(adding *a, const char *name, const char *doc, const uint64_t counts[2], int sign) {
  diff_part *to = &a->p->all[a->p->n++];
  *to = (diff_part){name, doc, {0, 0}};
  for (int s = 0; s < 2; s++) {
    a->fits &= diff_scaled(counts[s], a->d->run[s]->parts, a->p->per_cycle, &to->cycles[s]);
    to->cycles[s] *= sign;
  }
}

// What the counters leave unexplained: nothing, unless a file was changed.
static void add_rest(adding *a) {
  diff_part rest = {"unexplained", "the counters of the file do not add up", {0, 0}};
  for (int s = 0; s < 2; s++) {
    rest.cycles[s] = a->p->cycles[s];
    for (size_t k = 0; k < a->p->n; k++)
      rest.cycles[s] -= a->p->all[k].cycles[s];
  }
  if (rest.cycles[0] || rest.cycles[1])
    a->p->all[a->p->n++] = rest;
}

bool diff_parts_of(diff *d, char *why) {
  const diff_run *x = d->run[0], *y = d->run[1];
  diff_parts *p = &d->parts;
  adding a = {d, p, true};
  if (!x->timed || !y->timed)
    return true;
  p->per_cycle = diff_unit(x->parts, y->parts);
  if (!p->per_cycle || !diff_scaled(x->cycles, x->parts, p->per_cycle, &p->cycles[0]) ||
      !diff_scaled(y->cycles, y->parts, p->per_cycle, &p->cycles[1]))
    return diff_fail(why, "'%s' and '%s' have too many cycles to be compared", x->name, y->name);
  p->known = x->causes && y->causes;
  if (!p->known)
    return true;
  const bool split = x->split && y->split;
  for (int k = 0; k < DIFF_CAUSES; k++) {
    const bool part = k == DIFF_REMOTE || k == DIFF_LOCAL || k == DIFF_SHARED;
    if (part ? split : k != DIFF_MEMORY || !split)
      add(&a, diff_cause_names[k], diff_cause_docs[k], (const uint64_t[]){x->cause[k], y->cause[k]},
          1);
  }
  add(&a, "drain", "after the last block: in empty, but not in the cycles of a run",
      (const uint64_t[]){x->drain, y->drain}, -1);
  add_rest(&a);
  return a.fits ||
         diff_fail(why, "'%s' and '%s' have too many cycles to be compared", x->name, y->name);
}

// SPDX-License-Identifier: Apache-2.0
// A value where a loop begins is first a symbol of its own. When what comes back is that symbol and
// something that the loop does not change, it is what came in, and so much for each time around.
// Values depend on each other around loops, so sums are kept with symbols that are not known yet,
// and these are replaced when the sum is read again.
#include "addresses_sum.h"

#include <string.h>
#include "mem.h"

enum { DEEPEST = 400 };  // values that depend on each other
enum { FRESH, BUSY, DONE };

struct adder {
  const ssa *v;
  sum_ranges ranges;
  uint8_t *state;  // of each value
  sum **sums;      // when DONE
  uint32_t *loop;  // of each block: the number of the loop that begins there; CFG_NONE
  uint32_t *heads;
  uint32_t *backs;     // CFG_NONE: more than one block comes back
  bool **inside;       // of each loop, its blocks
  uint32_t *heads_of;  // of each loop, the value of each variable where it begins; SSA_NONE
  uint32_t n_loops;
  uint32_t depth;
};

static sum sum_at(adder *x, uint32_t value);

// ---- loops

static bool comes_back(const cfg *c, uint32_t head, uint32_t from) {
  return c->rpo_of[from] != CFG_NONE && cfg_dominates(c, head, from);
}

// From a block that comes back to the head.
static void mark_inside(const cfg *c, uint32_t from, bool *inside) {
  uint32_t *todo = mem_new(c->count, sizeof *todo), n = 0;
  if (!inside[from])
    inside[from] = true, todo[n++] = from;
  while (n) {
    const uint32_t b = todo[--n];
    for (uint32_t p = c->pred_first[b]; p < c->pred_first[b + 1]; p++)
      if (c->rpo_of[c->preds[p]] != CFG_NONE && !inside[c->preds[p]])
        inside[c->preds[p]] = true, todo[n++] = c->preds[p];
  }
  free(todo);
}

static void find_loop(adder *x, uint32_t head) {
  const cfg *c = &x->v->cfg;
  bool *inside = NULL;
  for (uint32_t p = c->pred_first[head]; p < c->pred_first[head + 1]; p++) {
    if (!comes_back(c, head, c->preds[p]))
      continue;
    x->backs[x->n_loops] = inside ? CFG_NONE : c->preds[p];
    if (!inside)
      inside = mem_new(c->count, 1);
    inside[head] = true;
    mark_inside(c, c->preds[p], inside);
  }
  if (!inside)
    return;
  x->loop[head] = x->n_loops;
  x->heads[x->n_loops] = head;
  x->inside[x->n_loops++] = inside;
}

static void find_loops(adder *x) {
  const cfg *c = &x->v->cfg;
  x->loop = mem_new(c->count, sizeof *x->loop);
  x->heads = mem_new(c->count, sizeof *x->heads);
  x->backs = mem_new(c->count, sizeof *x->backs);
  x->inside = mem_new(c->count, sizeof *x->inside);
  for (uint32_t b = 0; b < c->count; b++)
    x->loop[b] = CFG_NONE;
  for (uint32_t o = 0; o < c->rpo_count && x->n_loops <= UINT16_MAX; o++)
    find_loop(x, c->rpo[o]);
}

// ---- symbols

static uint32_t number_of(affine_symbol s) {
  return (uint32_t)s.shift << 16 | s.index;
}

typedef struct place {
  const adder *x;
  uint32_t block, loop;
} place;

static uint32_t loop_of(const adder *x, affine_symbol s) {
  return s.kind == AFFINE_LOOP   ? s.index
         : s.kind == SUM_UNKNOWN ? x->loop[x->v->of[number_of(s)].site]
                                 : CFG_NONE;
}

// What counts a loop that a block is not in.
static bool is_outside(const void *context, affine_symbol s) {
  const place *p = context;
  const uint32_t loop = loop_of(p->x, s);
  return loop != CFG_NONE && !p->x->inside[loop][p->block];
}

static bool is_of_loop(const void *context, affine_symbol s) {
  const place *p = context;
  return loop_of(p->x, s) == p->loop;
}

static bool is_unknown_done(const void *context, affine_symbol s) {
  const place *p = context;
  return s.kind == SUM_UNKNOWN && p->x->state[number_of(s)] == DONE;
}

// A symbol of a sum or of its ranges that is known by now; NONE: there is none.
static affine_symbol known_now(const adder *x, const sum *a) {
  const place p = {.x = x};
  for (uint32_t k = 0; k < a->n; k++)
    for (unsigned f = 0; f < AFFINE_FACTORS && a->terms[k].of[f].kind; f++)
      if (is_unknown_done(&p, a->terms[k].of[f]))
        return a->terms[k].of[f];
  for (uint32_t r = 0; r < a->n_ranges; r++) {
    const sum_range *range = &x->ranges.of[a->ranges[r]];
    for (uint32_t k = 0; k < range->n; k++)
      for (unsigned f = 0; f < AFFINE_FACTORS && range->terms[k].of[f].kind; f++)
        if (is_unknown_done(&p, range->terms[k].of[f]))
          return range->terms[k].of[f];
  }
  return (affine_symbol){0};
}

static uint32_t first_of_block(const adder *x, uint32_t block) {
  return x->v->first_site[block];
}

// With what has become known since.
static sum renewed(adder *x, sum a) {
  affine_symbol s;
  while (a.reason == AFFINE_IS && (s = known_now(x, &a)).kind) {
    const uint32_t value = number_of(s);
    const sum *by = x->sums[value];
    a = by->reason != AFFINE_IS
            ? *by
            : sum_replace(&x->ranges, &a, s, by, first_of_block(x, x->v->of[value].site));
  }
  return a;
}

// A value as it is read in a block.
static sum read_in(adder *x, uint32_t value, uint32_t block) {
  const sum a = sum_at(x, value);
  const place p = {.x = x, .block = block};
  if (a.reason != AFFINE_IS || !sum_has(&x->ranges, &a, is_outside, &p))
    return a;
  return sum_none(AFFINE_UNEVEN, first_of_block(x, block));
}

// ---- values

static sum either(const sum *a, const sum *b, uint32_t site) {
  if (a->reason != AFFINE_IS)
    return *a;
  if (b->reason != AFFINE_IS)
    return *b;
  if (!sum_same(a, b))
    return sum_none(AFFINE_PATHS, site);
  const sum none = sum_number(0);
  sum all = sum_multiply(b, &none, site);  // its ranges
  return sum_add(&all, a, 1, site);
}

// What comes into a block: where a loop begins, that from outside of it, or what comes back.
static sum inputs(adder *x, const ssa_value *of, bool back) {
  const cfg *c = &x->v->cfg;
  const uint32_t first = c->pred_first[of->site], site = first_of_block(x, of->site);
  sum all = sum_none(AFFINE_PATHS, site);
  bool any = false;
  for (uint32_t p = 0; first + p < c->pred_first[of->site + 1]; p++) {
    const uint32_t from = c->preds[first + p], input = x->v->inputs[of->a + p];
    if (input == SSA_NONE || comes_back(c, of->site, from) != back)
      continue;
    const sum one = read_in(x, input, from);
    all = any ? either(&all, &one, site) : one;
    any = true;
    if (all.reason != AFFINE_IS)
      break;
  }
  return all;
}

static sum head(adder *x, uint32_t number, uint32_t loop) {
  const ssa_value of = x->v->of[number];
  const uint32_t site = first_of_block(x, of.site);
  const sum in = inputs(x, &of, false);
  if (in.reason != AFFINE_IS)
    return in;
  const sum back = inputs(x, &of, true);
  const sum own = sum_symbol(sum_unknown(number)), step = sum_add(&back, &own, -1, site);
  const place p = {.x = x, .loop = loop};
  if (step.reason != AFFINE_IS)
    return step;
  if (sum_has(&x->ranges, &step, is_of_loop, &p) || (step.n && x->backs[loop] == CFG_NONE))
    return sum_none(AFFINE_UNEVEN, site);
  const sum count = sum_symbol((affine_symbol){AFFINE_LOOP, 0, (uint16_t)loop}),
            grown = sum_multiply(&step, &count, site);
  return sum_add(&in, &grown, 1, site);
}

static sum meeting(adder *x, uint32_t number) {
  const ssa_value of = x->v->of[number];
  const uint32_t loop = x->loop[of.site];
  return loop == CFG_NONE ? inputs(x, &of, false) : head(x, number, loop);
}

// The high word of a pair is nothing by itself, but with the low one it may extend it.
static sum pair(adder *x, const ssa_value *of) {
  const ssa_value *low = &x->v->of[of->a], *high = &x->v->of[of->b];
  int64_t zero;
  if (low->kind == SSA_LOW && high->kind == SSA_HIGH) {
    const ssa_value *a = &x->v->of[low->a], *b = &x->v->of[high->a];
    const bool same = low->a == high->a || (a->kind == SSA_VARIABLE && b->kind == SSA_VARIABLE &&
                                            a->a == b->a && a->addend == b->addend);
    if (same)
      return sum_at(x, low->a);
  }
  const sum top = sum_at(x, of->b);
  if (top.reason != AFFINE_IS)
    return top;
  const sum word = sum_at(x, of->a);
  const uint32_t site = low->kind == SSA_RESULT ? low->site : 0;
  return sum_is_number(&top, &zero) && zero == 0
             ? sum_within(&x->ranges, &word, 0, UINT32_MAX, site)
             : sum_none(AFFINE_VALUE, site);
}

static sum evaluate(adder *x, uint32_t number) {
  const ssa_value of = x->v->of[number];
  switch (of.kind) {
    case SSA_RESULT:
      return adder_result(x, of.site);
    case SSA_GUARDED: {
      const sum now = sum_at(x, of.a), before = sum_at(x, of.b);
      return either(&now, &before, of.site);
    }
    case SSA_LOW:
      return sum_at(x, of.a);
    case SSA_HIGH:
      return sum_none(AFFINE_VALUE, 0);
    case SSA_PAIR:
      return pair(x, &of);
    case SSA_VARIABLE: {
      const sum base = sum_symbol((affine_symbol){AFFINE_VARIABLE, 0, (uint16_t)of.a}),
                offset = sum_number(of.addend);
      return of.a > UINT16_MAX ? sum_none(AFFINE_LONG, 0) : sum_add(&base, &offset, 1, 0);
    }
    case SSA_MEET:
      return meeting(x, number);
    default:
      return sum_none(AFFINE_VALUE, 0);
  }
}

// Of a value that depends on itself.
static sum unfinished(const adder *x, uint32_t number) {
  const ssa_value *of = &x->v->of[number];
  const bool is_head = of->kind == SSA_MEET && x->loop[of->site] != CFG_NONE;
  return is_head && number < 1 << 24
             ? sum_symbol(sum_unknown(number))
             : sum_none(AFFINE_PATHS, of->kind == SSA_MEET ? first_of_block(x, of->site) : 0);
}

static uint32_t *head_of(const adder *x, uint32_t loop, uint32_t variable) {
  return &x->heads_of[(size_t)loop * SSA_VARIABLES + variable];
}

// Where paths meet inside of a loop, a variable depends on itself by the loop's beginning: that
// comes first.
static void look_at_heads(adder *x, uint32_t number) {
  const ssa_value *of = &x->v->of[number];
  for (uint32_t n = 0; of->kind == SSA_MEET && n < x->n_loops; n++) {
    const uint32_t head = *head_of(x, n, of->b);
    if (x->inside[n][of->site] && head != SSA_NONE && head != number && x->state[head] == FRESH)
      sum_at(x, head);
  }
}

static sum sum_at(adder *x, uint32_t value) {
  if (x->state[value] == FRESH && x->depth < DEEPEST)
    look_at_heads(x, value);
  if (x->state[value] == DONE)
    return *x->sums[value] = renewed(x, *x->sums[value]);
  if (x->state[value] == BUSY)
    return unfinished(x, value);
  if (x->depth == DEEPEST)
    return sum_none(AFFINE_LONG, 0);
  x->state[value] = BUSY;
  x->depth++;
  sum *to = mem_new(1, sizeof *to);
  *to = evaluate(x, value);
  x->depth--;
  x->sums[value] = to;
  x->state[value] = DONE;
  return *to = renewed(x, *to);
}

// ---- all

static bool begins_loop(const adder *x, uint32_t n) {
  return x->v->of[n].kind == SSA_MEET && x->loop[x->v->of[n].site] != CFG_NONE;
}

// From outer loops inwards, so that none is left for what an inner one needs.
adder *adder_new(const ssa *v) {
  adder *x = mem_new(1, sizeof *x);
  *x = (adder){.v = v, .state = mem_new(v->n, 1), .sums = mem_new(v->n, sizeof *x->sums)};
  find_loops(x);
  x->heads_of = mem_new((size_t)x->n_loops * SSA_VARIABLES, sizeof *x->heads_of);
  memset(x->heads_of, 0xff, (size_t)x->n_loops * SSA_VARIABLES * sizeof *x->heads_of);
  for (uint32_t n = 0; n < v->n; n++)
    if (begins_loop(x, n))
      *head_of(x, x->loop[v->of[n].site], v->of[n].b) = n;
  for (size_t n = 0; n < (size_t)x->n_loops * SSA_VARIABLES; n++)
    if (x->heads_of[n] != SSA_NONE)
      sum_at(x, x->heads_of[n]);
  return x;
}

void adder_free(adder *x) {
  for (uint32_t n = 0; n < x->v->n; n++)
    free(x->sums[n]);
  for (uint32_t n = 0; n < x->n_loops; n++)
    free(x->inside[n]);
  free(x->ranges.of);
  free(x->state);
  free(x->sums);
  free(x->loop);
  free(x->heads);
  free(x->backs);
  free(x->inside);
  free(x->heads_of);
  free(x);
}

sum adder_operand(adder *x, uint32_t site, unsigned operand) {
  const ssa_site *at = &x->v->sites[site];
  return at->operand[operand] == SSA_NONE ? sum_number(0)
                                          : read_in(x, at->operand[operand], at->block);
}

const sum_ranges *adder_ranges(const adder *x) {
  return &x->ranges;
}

sum_ranges *adder_own_ranges(adder *x) {
  return &x->ranges;
}

const ssa *adder_ssa(const adder *x) {
  return x->v;
}

uint32_t adder_loops(const adder *x, const uint32_t **heads, const uint32_t **backs) {
  *heads = x->heads;
  *backs = x->backs;
  return x->n_loops;
}

// SPDX-License-Identifier: Apache-2.0
// The protocol of docs/memory-model.md, small enough to go through all of its interleavings:
// threads of up to three cores, two locations whose home is elsewhere, caches, loads that share
// answers, stores through, requests that are performed in order and answers that come in any. With
// all rules no forbidden outcome can be reached; without any one of them some test finds one.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORES = 3, PLACES = 2, THREADS = 3, REGS = 4, OPS = 6, REQUESTS = 12, UNSET = 3 };

typedef enum rule {
  FENCE_WAITS,          // for all accesses of its thread
  FENCE_EMPTIES,        // the cache of its core
  FENCE_STOPS_INSTALL,  // of answers on their way
  FENCE_STOPS_MERGE,    // later loads do not wait for these
  STORE_DROPS,          // what its core keeps of the location
  STORE_STOPS_INSTALL,
  STORE_STOPS_MERGE,
  STRONG_DROPS,   // a volatile load does the same
  HOME_IN_ORDER,  // requests of a core for a location are performed in order
  BARRIER_WAITS,  // bar.sync, for all accesses of its thread
  RULES
} rule;
static const char *const rule_names[RULES] = {
    "fence waits",   "fence empties",       "fence stops installs", "fence stops merges",
    "store drops",   "store stops install", "store stops merge",    "strong load drops",
    "home in order", "barrier waits"};

typedef enum opcode { END, ST, LD, STRONG, FENCE, BAR } opcode;
typedef struct ins {
  opcode op;
  uint8_t place, value;  // value: that is stored, or the register
} ins;

typedef struct test {
  const char *name;
  uint8_t core[THREADS];
  ins code[THREADS][OPS];
  bool (*forbidden)(const uint8_t r[REGS], const uint8_t memory[PLACES]);
} test;

typedef struct request {
  uint8_t kind, core, place, value, thread, performed, install, merge;
  uint8_t wanted;  // registers, a bit each
} request;

typedef struct state {
  uint8_t memory[PLACES], reg[REGS];
  uint8_t valid[CORES][PLACES], kept[CORES][PLACES];
  uint8_t pc[THREADS], pending[THREADS], waits[THREADS];  // waits: at the barrier
  uint8_t n;
  request sent[REQUESTS];
} state;

typedef struct search {
  const test *t;
  uint32_t rules;
  state *seen;
  uint32_t *slots;
  size_t n, room;
  bool found;
} search;

static bool has(const search *s, rule r) {
  return s->rules >> r & 1;
}

static uint64_t hash(const state *x) {
  uint64_t h = 1469598103934665603u;
  for (size_t k = 0; k < sizeof *x; k++)
    h = (h ^ ((const uint8_t *)x)[k]) * 1099511628211u;
  return h;
}

enum { SLOTS = 1 << 22 };

// Notes a state that was not reached before.
static void reach(search *s, const state *x) {
  size_t at = hash(x) % SLOTS;
  for (; s->slots[at]; at = (at + 1) % SLOTS)
    if (!memcmp(&s->seen[s->slots[at] - 1], x, sizeof *x))
      return;
  if (s->n == s->room) {
    s->room = s->room ? 2 * s->room : 4096;
    s->seen = realloc(s->seen, s->room * sizeof *s->seen);
    assert_non_null(s->seen);
  }
  assert_true(s->n < SLOTS / 2);
  s->seen[s->n++] = *x;
  s->slots[at] = (uint32_t)s->n;
}

static void send(state *x, request r) {
  assert_true(x->n < REQUESTS);
  x->sent[x->n++] = r;
  x->pending[r.thread]++;
}

static void drop(state *x, uint8_t core, uint8_t place, bool kept, bool install, bool merge) {
  if (kept)
    x->valid[core][place] = x->kept[core][place] = 0;
  for (uint32_t k = 0; k < x->n; k++)
    if (x->sent[k].core == core && x->sent[k].place == place) {
      x->sent[k].install &= !install;
      x->sent[k].merge &= !merge;
    }
}

static void load(const search *s, state *x, uint8_t t, const ins *i) {
  const uint8_t core = s->t->core[t];
  if (x->valid[core][i->place]) {
    x->reg[i->value] = x->kept[core][i->place];
    return;
  }
  for (uint32_t k = 0; k < x->n; k++) {
    request *r = &x->sent[k];
    if (r->kind == LD && r->core == core && r->place == i->place && r->merge) {
      r->wanted |= (uint8_t)(1u << i->value);
      x->pending[t]++;
      return;
    }
  }
  send(x, (request){LD, core, i->place, 0, t, 0, 1, 1, (uint8_t)(1u << i->value)});
}

static void fence(const search *s, state *x, uint8_t core) {
  for (uint8_t p = 0; p < PLACES; p++)
    drop(x, core, p, has(s, FENCE_EMPTIES), has(s, FENCE_STOPS_INSTALL), has(s, FENCE_STOPS_MERGE));
}

static void step(search *s, const state *from, uint8_t t) {
  const ins *i = &s->t->code[t][from->pc[t]];
  const uint8_t core = s->t->core[t];
  state x = *from;
  if (i->op == END || from->waits[t] ||
      (i->op == FENCE && has(s, FENCE_WAITS) && from->pending[t]) ||
      (i->op == BAR && has(s, BARRIER_WAITS) && from->pending[t]))
    return;
  x.pc[t]++;
  if (i->op == ST) {
    drop(&x, core, i->place, has(s, STORE_DROPS), has(s, STORE_STOPS_INSTALL),
         has(s, STORE_STOPS_MERGE));
    send(&x, (request){ST, core, i->place, i->value, t, 0, 0, 0, 0});
  } else if (i->op == STRONG) {
    const bool drops = has(s, STRONG_DROPS);
    drop(&x, core, i->place, drops, drops, drops);
    send(&x, (request){STRONG, core, i->place, 0, t, 0, 0, 0, (uint8_t)(1u << i->value)});
  } else if (i->op == LD) {
    load(s, &x, t, i);
  } else if (i->op == FENCE) {
    fence(s, &x, core);
  } else {
    bool all = true;
    x.waits[t] = 1;
    for (uint8_t o = 0; o < THREADS; o++)
      all &= s->t->core[o] != core || x.waits[o] || s->t->code[o][0].op == END;
    for (uint8_t o = 0; o < THREADS && all; o++)
      if (s->t->core[o] == core)
        x.waits[o] = 0;
  }
  reach(s, &x);
}

static void perform(search *s, const state *from, uint32_t k) {
  const request *r = &from->sent[k];
  state x = *from;
  for (uint32_t o = 0; o < k && has(s, HOME_IN_ORDER); o++)
    if (!from->sent[o].performed && from->sent[o].core == r->core &&
        from->sent[o].place == r->place)
      return;
  x.sent[k].performed = 1;
  if (r->kind == ST)
    x.memory[r->place] = r->value;
  else
    x.sent[k].value = x.memory[r->place];
  reach(s, &x);
}

static uint8_t thread_of(const test *t, uint32_t reg) {
  for (uint8_t n = 0; n < THREADS; n++)
    for (uint32_t k = 0; k < OPS; k++)
      if ((t->code[n][k].op == LD || t->code[n][k].op == STRONG) && t->code[n][k].value == reg)
        return n;
  return 0;
}

static void answer(search *s, const state *from, uint32_t k) {
  const request r = from->sent[k];
  state x = *from;
  if (r.kind == LD && r.install)
    x.valid[r.core][r.place] = 1, x.kept[r.core][r.place] = r.value;
  if (r.kind == ST)
    x.pending[r.thread]--;
  for (uint32_t m = r.wanted; m; m &= m - 1) {
    const uint32_t reg = (uint32_t)__builtin_ctz(m);
    x.reg[reg] = r.value;
    x.pending[thread_of(s->t, reg)]--;
  }
  memmove(x.sent + k, x.sent + k + 1, (x.n - k - 1u) * sizeof *x.sent);
  memset(&x.sent[--x.n], 0, sizeof *x.sent);
  reach(s, &x);
}

static void evict(search *s, const state *from, uint32_t core, uint32_t place) {
  state x = *from;
  x.valid[core][place] = x.kept[core][place] = 0;
  reach(s, &x);
}

static void go_on(search *s, const state *x) {
  bool over = !x->n;
  for (uint8_t t = 0; t < THREADS; t++) {
    over &= s->t->code[t][x->pc[t]].op == END && !x->waits[t];
    step(s, x, t);
  }
  for (uint32_t k = 0; k < x->n; k++)
    if (x->sent[k].performed)
      answer(s, x, k);
    else
      perform(s, x, k);
  for (uint32_t c = 0; c < CORES * PLACES; c++)
    if (x->valid[c / PLACES][c % PLACES])
      evict(s, x, c / PLACES, c % PLACES);
  s->found |= over && s->t->forbidden(x->reg, x->memory);
}

// Whether a forbidden outcome can be reached.
static bool reachable(const test *t, uint32_t rules, size_t *states) {
  search s = {.t = t, .rules = rules, .slots = calloc(SLOTS, sizeof *s.slots)};
  state first;
  assert_non_null(s.slots);
  memset(&first, 0, sizeof first);
  memset(first.reg, UNSET, sizeof first.reg);
  reach(&s, &first);
  for (size_t k = 0; k < s.n; k++) {
    const state x = s.seen[k];
    go_on(&s, &x);
  }
  *states = s.n;
  free(s.seen);
  free(s.slots);
  return s.found;
}

// ---- the tests; registers 2 and 3 are of loads that fill the cache

static bool mp(const uint8_t r[REGS], const uint8_t m[PLACES]) {
  (void)m;
  return r[0] == 1 && r[1] == 0;
}
static bool both_old(const uint8_t r[REGS], const uint8_t m[PLACES]) {
  (void)m;
  return r[0] == 0 && r[1] == 0;
}
static bool own_lost(const uint8_t r[REGS], const uint8_t m[PLACES]) {
  (void)m;
  return r[0] == 0;
}
static bool too_early(const uint8_t r[REGS], const uint8_t m[PLACES]) {
  (void)m;
  return r[0] == 1;
}
static bool last_lost(const uint8_t r[REGS], const uint8_t m[PLACES]) {
  (void)r;
  return m[0] != 2;
}

enum { X, Y };
static const test tests[] = {
    {"mp",
     {0, 1, 2},
     {{{ST, X, 1}, {FENCE, 0, 0}, {ST, Y, 1}},
      {{LD, X, 2}, {STRONG, Y, 0}, {FENCE, 0, 0}, {LD, X, 1}}},
     mp},
    {"mp, a second thread in the reader's core",
     {0, 1, 1},
     {{{ST, X, 1}, {FENCE, 0, 0}, {ST, Y, 1}},
      {{STRONG, Y, 0}, {FENCE, 0, 0}, {LD, X, 1}},
      {{LD, X, 2}, {LD, X, 3}}},
     mp},
    {"mp through bar.sync",
     {0, 1, 1},
     {{{ST, X, 1}, {FENCE, 0, 0}, {ST, Y, 1}},
      {{STRONG, Y, 0}, {FENCE, 0, 0}, {BAR, 0, 0}},
      {{LD, X, 2}, {BAR, 0, 0}, {LD, X, 1}}},
     mp},
    {"sb",
     {0, 1, 2},
     {{{LD, Y, 2}, {ST, X, 1}, {FENCE, 0, 0}, {LD, Y, 0}},
      {{LD, X, 3}, {ST, Y, 1}, {FENCE, 0, 0}, {LD, X, 1}}},
     both_old},
    {"corr, weak",
     {0, 1, 1},
     {{{ST, X, 1}}, {{LD, X, 0}, {LD, X, 1}}, {{LD, X, 2}, {FENCE, 0, 0}, {LD, X, 3}}},
     mp},
    {"corr, strong", {0, 1, 2}, {{{ST, X, 1}}, {{STRONG, X, 0}, {STRONG, X, 1}}}, mp},
    {"corr, strong and weak",
     {0, 1, 1},
     {{{ST, X, 1}}, {{STRONG, X, 0}, {LD, X, 1}}, {{LD, X, 2}, {LD, X, 3}}},
     mp},
    {"cowr", {0, 0, 2}, {{{ST, X, 1}, {LD, X, 0}}, {{LD, X, 2}, {LD, X, 3}}}, own_lost},
    {"corw", {0, 1, 2}, {{{LD, X, 0}, {ST, X, 1}}, {{LD, X, 2}}}, too_early},
    {"coww", {0, 1, 2}, {{{ST, X, 1}, {ST, X, 2}}}, last_lost},
    {"mp, the writer's fence behind bar.sync",
     {0, 0, 1},
     {{{ST, X, 1}, {BAR, 0, 0}},
      {{BAR, 0, 0}, {FENCE, 0, 0}, {ST, Y, 1}},
      {{LD, X, 2}, {STRONG, Y, 0}, {FENCE, 0, 0}, {LD, X, 1}}},
     mp},
    {"bar.sync",
     {0, 0, 2},
     {{{ST, X, 1}, {BAR, 0, 0}}, {{LD, X, 2}, {BAR, 0, 0}, {LD, X, 0}}},
     own_lost},
};
enum { TESTS = sizeof tests / sizeof *tests, ALL = (1 << RULES) - 1 };

static void no_forbidden_outcome(void **unused) {
  (void)unused;
  for (uint32_t k = 0; k < TESTS; k++) {
    size_t states;
    const bool found = reachable(&tests[k], ALL, &states);
    printf("%-42s %8zu states\n", tests[k].name, states);
    if (found)
      fail_msg("%s: a forbidden outcome can be reached", tests[k].name);
    assert_true(states > 10);
  }
}

static void each_rule_is_needed(void **unused) {
  (void)unused;
  for (uint32_t r = 0; r < RULES; r++) {
    bool found = false;
    for (uint32_t k = 0; k < TESTS; k++) {
      size_t states;
      if (reachable(&tests[k], ALL & ~(1u << r), &states))
        printf("without \"%s\": %s\n", rule_names[r], tests[k].name), found = true;
    }
    if (!found)
      fail_msg("no test needs \"%s\"", rule_names[r]);
  }
}

int main(void) {
  const struct CMUnitTest all[] = {
      cmocka_unit_test(no_forbidden_outcome),
      cmocka_unit_test(each_rule_is_needed),
  };
  return cmocka_run_group_tests(all, NULL, NULL);
}

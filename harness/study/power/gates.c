// SPDX-License-Identifier: Apache-2.0
#include "gates.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64, NAME = 2048 };  // cycles that are computed together
#define NO_SOURCE UINT32_MAX

typedef struct follower {       // a bit of a signal that a source is
  size_t next;                  // + 1, of the same signal
  uint32_t bit, place, source;  // NO_SOURCE: the clock
} follower;

typedef struct value {
  uint64_t word;    // of the cycles of this block, up to `cycle`
  uint64_t cycle;   // from here on it is `now`
  bool now, known;  // known: it had a value before the end
} value;

struct gates {
  const netlist *n;
  const activity *a;
  size_t places;  // scopes
  value *values;  // of sources, place by place
  follower *followers;
  size_t n_followers, room;
  size_t *first;                // + 1, by number
  uint64_t from, until, begin;  // cycles; begin: of the block
  uint64_t *nets, *toggles;     // of a place; toggles of all
  uint8_t *before;              // of each place, the last value of each net
  uint64_t *pulses, *edges;     // of nets that are clocks: of a place; of all
  uint64_t *rises;              // of each place, of clk_i in this block
  uint64_t misfits;             // values of registers other than their inputs ask for
  bool started, no_memory;
};

gates *gates_new(const netlist *n) {
  gates *g = calloc(1, sizeof *g);
  if (g)
    g->n = n;
  return g;
}

void gates_free(gates *g) {
  if (!g)
    return;
  free(g->values);
  free(g->followers);
  free(g->first);
  free(g->nets);
  free(g->toggles);
  free(g->before);
  free(g->pulses);
  free(g->edges);
  free(g->rises);
  free(g);
}

static const net_source *source_named(const netlist *n, const char *name) {
  size_t low = 0, high = n->n_sources;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (strcmp(n->sources[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < n->n_sources && strcmp(n->sources[low].name, name) == 0 ? &n->sources[low] : NULL;
}

static void follow_as(gates *g, const activity_signal *s, uint32_t bit, uint32_t place,
                      uint32_t source) {
  if (g->n_followers == g->room) {
    g->room = 2 * g->room + 1024;
    follower *more = realloc(g->followers, g->room * sizeof *more);
    if (!more) {
      g->no_memory = true;
      return;
    }
    g->followers = more;
  }
  g->followers[g->n_followers] = (follower){g->first[s->number], bit, place, source};
  g->first[s->number] = ++g->n_followers;
}

static bool is_clock(const activity_signal *s) {
  return !s->scope[s->below] && strcmp(s->name, "clk_i") == 0;
}

static void follow(gates *g, const activity_signal *s, uint32_t place) {
  char name[NAME];
  const netlist *n = g->n;
  const char *below = s->scope + s->below + (s->scope[s->below] == '.');
  const int bytes = snprintf(name, sizeof name, "%s%s%s", below, *below ? "." : "", s->name);
  if (bytes < 0 || (size_t)bytes + 16 > sizeof name)
    return;
  if (is_clock(s))
    follow_as(g, s, 0, place, NO_SOURCE);
  for (uint32_t bit = 0; bit < s->bits && !g->no_memory; bit++) {
    if (s->vector)
      snprintf(name + bytes, 16, "[%u]", s->lowest + bit);
    const net_source *from = source_named(n, name), *end = n->sources + n->n_sources;
    for (; from && from < end && strcmp(from->name, name) == 0; from++)
      follow_as(g, s, bit, place, (uint32_t)(from - n->sources));
  }
}

static bool begin(void *ctx, const activity *a) {
  gates *g = ctx;
  const netlist *n = g->n;
  g->a = a;
  g->places = a->scopes;
  g->from = g->begin = a->from;
  g->until = a->until;
  g->values = calloc(g->places * n->n_sources + 1, sizeof *g->values);
  g->first = calloc(a->n_counts + 1, sizeof *g->first);
  g->nets = calloc(n->n_nets, sizeof *g->nets);
  g->toggles = calloc(n->n_nets, sizeof *g->toggles);
  g->before = calloc(g->places * n->n_nets + 1, 1);
  g->pulses = calloc(n->n_nets, sizeof *g->pulses);
  g->edges = calloc(n->n_nets, sizeof *g->edges);
  g->rises = calloc(g->places + 1, sizeof *g->rises);
  if (!g->values || !g->first || !g->nets || !g->toggles || !g->before || !g->pulses || !g->edges ||
      !g->rises)
    return false;
  for (size_t k = 0; k < g->places * n->n_sources; k++)
    g->values[k].cycle = g->from;
  uint32_t place = 0;
  for (size_t k = 0; k < a->n; k++) {
    const activity_signal *s = &a->signals[k];
    place += k && activity_other_scope(s - 1, s);
    follow(g, s, place);
  }
  return !g->no_memory;
}

// The value stays up to a cycle.
static void stay(const gates *g, value *v, uint64_t until) {
  if (v->now && until > v->cycle)
    v->word |= (until - v->cycle == BLOCK ? UINT64_MAX : (UINT64_C(1) << (until - v->cycle)) - 1)
               << (v->cycle - g->begin);
  v->cycle = until;
}

// Pulses of a clock behind a gate: an edge comes through when the output follows the clock with
// what the other inputs were at the end of the cycle before it.
static void pass_clock(gates *g, const gate *at, const uint8_t *before) {
  uint64_t low[CELL_PINS] = {0}, high[CELL_PINS] = {0}, clock = 0;
  for (size_t p = 0; p < at->cell->n_pins; p++) {
    const uint32_t net = at->nets[p];
    if (at->cell->pins[p].output || net == UINT32_MAX)
      continue;
    if (g->n->clocks[net]) {
      clock = g->pulses[net];
      high[p] = UINT64_MAX;
    } else {
      low[p] = high[p] = net == NET_HIGH ? UINT64_MAX : g->nets[net] << 1 | before[net];
    }
  }
  for (size_t p = 0; p < at->cell->n_pins; p++) {
    const cell_pin *pin = &at->cell->pins[p];
    if (pin->output && at->nets[p] != UINT32_MAX)
      g->pulses[at->nets[p]] = clock & (cell_value(pin, low) ^ cell_value(pin, high));
  }
}

// A register has to take what its input was in the cycle before, where its clock has an edge, and
// keep what it has where not.
static void check(gates *g, const net_source *s, const uint8_t *before, uint64_t mask) {
  const gate *at = &g->n->gates[s->gate];
  const uint32_t clock = gate_clock(at);
  uint32_t data = UINT32_MAX;
  for (size_t p = 0; p < at->cell->n_pins; p++)
    if (at->cell->pins[p].data)
      data = at->nets[p];
  if (data == UINT32_MAX || clock == UINT32_MAX || !g->n->clocks[clock] || at->cell->low)
    return;
  const uint64_t is = g->nets[s->net], was = is << 1 | before[s->net];
  const uint64_t takes = g->nets[data] << 1 | (data == NET_HIGH ? 1 : before[data]);
  const uint64_t edges = g->pulses[clock];
  const uint64_t other = (is ^ ((edges & takes) | (~edges & was))) & mask;
  g->misfits += (uint64_t)__builtin_popcountll(g->started ? other : other & ~UINT64_C(1));
}

static void compute(gates *g, size_t place, uint64_t cycles) {
  const netlist *n = g->n;
  uint8_t *before = g->before + place * n->n_nets;
  const uint64_t mask = cycles == BLOCK ? UINT64_MAX : (UINT64_C(1) << cycles) - 1;
  g->nets[NET_LOW] = 0;
  g->nets[NET_HIGH] = UINT64_MAX;
  for (size_t k = 0; k < n->n_sources; k++) {
    value *v = &g->values[place * n->n_sources + k];
    stay(g, v, g->begin + cycles);
    g->nets[n->sources[k].net] = v->word;
    v->word = 0;
  }
  for (uint32_t k = NET_FIRST; k < n->n_nets; k++)
    if (n->clocks[k] == CLOCK)
      g->pulses[k] = g->rises[place];
  g->rises[place] = 0;
  for (size_t k = 0; k < n->n_gates; k++) {
    const gate *at = &n->gates[k];
    uint64_t pins[CELL_PINS];
    if (at->stores)
      continue;
    if (at->clock) {
      pass_clock(g, at, before);
      continue;
    }
    for (size_t p = 0; p < at->cell->n_pins; p++)
      pins[p] = at->nets[p] == UINT32_MAX || at->cell->pins[p].output ? 0 : g->nets[at->nets[p]];
    for (size_t p = 0; p < at->cell->n_pins; p++)
      if (at->cell->pins[p].output && at->nets[p] != UINT32_MAX)
        g->nets[at->nets[p]] = cell_value(&at->cell->pins[p], pins);
  }
  for (size_t k = 0; k < n->n_sources; k++)
    if (n->sources[k].is_register && g->values[place * n->n_sources + k].known)
      check(g, &n->sources[k], before, mask);
  for (uint32_t k = NET_FIRST; k < n->n_nets; k++) {
    const uint64_t word = g->nets[k];
    uint64_t changes = word ^ (word << 1 | before[k]);
    if (!g->started)
      changes &= ~UINT64_C(1);
    g->toggles[k] += (uint64_t)__builtin_popcountll(changes & mask);
    before[k] = word >> (cycles - 1) & 1;
    if (n->clocks[k])
      g->edges[k] += (uint64_t)__builtin_popcountll(g->pulses[k] & mask);
  }
}

static void end_block(gates *g, uint64_t until) {
  for (size_t place = 0; place < g->places; place++)
    compute(g, place, until - g->begin);
  g->started = true;
  g->begin = until;
}

static void change(void *ctx, uint64_t cycle, uint32_t number, const unsigned char *digits,
                   uint32_t bits) {
  gates *g = ctx;
  if (!g->first[number])
    return;
  while (cycle >= g->begin + BLOCK)
    end_block(g, g->begin + BLOCK);
  for (size_t k = g->first[number]; k; k = g->followers[k - 1].next) {
    const follower *f = &g->followers[k - 1];
    if (f->source == NO_SOURCE) {
      if (digits[bits - 1] == '1' && cycle >= g->begin)
        g->rises[f->place] |= UINT64_C(1) << (cycle - g->begin);
      continue;
    }
    value *v = &g->values[f->place * g->n->n_sources + f->source];
    const unsigned char digit = digits[bits - 1 - f->bit];
    if (cycle > v->cycle)
      stay(g, v, cycle);
    v->now = digit == '1';
    v->known |= digit == '0' || digit == '1';
  }
}

static void end(void *ctx) {
  gates *g = ctx;
  while (g->begin < g->until)
    end_block(g, g->until - g->begin > BLOCK ? g->begin + BLOCK : g->until);
}

extern const activity_follower gates_follower;
const activity_follower gates_follower = {begin, change, end};

void gates_print(const gates *g, const activity *a, FILE *f) {
  const netlist *n = g->n;
  uint64_t edges = 0;
  for (size_t k = 0; k < a->n; k++)
    if (is_clock(&a->signals[k]))
      edges += (a->signals[k].counts[0].toggles + 1) / 2;
  fprintf(
      f, "window %" PRIu64 " %" PRIu64 " scopes %zu\nclock %" PRIu64 " %.4f\nmisfits %" PRIu64 "\n",
      g->from, g->until, g->places, edges, n->clock_load, g->misfits);
  for (size_t k = 0; k < n->n_sources; k++) {
    const net_source *s = &n->sources[k];
    size_t known = 0;
    for (size_t place = 0; place < g->places; place++)
      known += g->values[place * n->n_sources + k].known;
    fprintf(f, "%s %s %s %" PRIu64 " %.4f\n", s->is_register ? "register" : "input",
            known == g->places ? "known" : "unknown", s->name, g->toggles[s->net], s->load);
  }
  for (size_t k = 0; k < n->n_gates; k++) {
    const gate *at = &n->gates[k];
    uint64_t own = edges;  // of its clock
    for (size_t p = 0; p < at->cell->n_pins; p++)
      if (at->nets[p] != UINT32_MAX && n->clocks[at->nets[p]] & CLOCK_GATED &&
          (at->clock ? at->cell->pins[p].output : at->cell->pins[p].clock))
        own = g->edges[at->nets[p]];
    for (size_t p = 0; p < at->cell->n_pins; p++)
      if (at->cell->pins[p].output && at->nets[p] != UINT32_MAX) {
        const uint64_t toggles = g->toggles[at->nets[p]];
        if (at->clock)
          fprintf(f, "clocks %s %" PRIu64 "\n", at->name, own);
        else if (at->cell->stores)
          fprintf(f, "%s %s %" PRIu64 " %" PRIu64 "\n", at->cell->latch ? "latch" : "flop",
                  at->name, toggles, own);
        else
          fprintf(f, "gate %s %" PRIu64 "\n", at->name, toggles);
      }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Results are there when an operation enters; a ring keeps them until their edge.
#include "spe.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/rare.h"
#include "fma64.h"

#define BLOCK spe
#include "csim/base/block_table.h"

enum { TURN_KEEPS = 2, TERM_KEEPS = 8 };  // bits of `kept`

static double number(const uint32_t *words) {
  double x;
  memcpy(&x, words, sizeof x);
  return x;
}

static uint32_t column_of(const spe *s, uint32_t place, uint32_t element) {
  return s->words[place][1 + 3 * element];
}

// ---- fma64

static void op(spe *s, spe_to to, uint32_t place, double d) {
  const uint32_t at = (s->ops_at + SPE_OPS - 1u) % SPE_OPS;
  assert(!s->ops[at].to);
  s->ops[at].to = (uint8_t)to, s->ops[at].place = (uint8_t)place, s->ops[at].d = d;
  if (to != SPE_Y)
    s->under_way[place]++;
}

// Rule 10. The ring's place for this edge is free afterwards.
static void result(spe *s) {
  const spe_to to = s->ops[s->ops_at].to;
  const double d = s->ops[s->ops_at].d;
  const uint32_t place = s->ops[s->ops_at].place;
  s->ops[s->ops_at].to = SPE_NOWHERE;
  s->ops_at = (uint8_t)((s->ops_at + 1) % SPE_OPS);
  if (!to)
    return;
  if (to == SPE_Y) {
    s->y = d, s->adding = false;
    return;
  }
  s->under_way[place]--;
  if (to == SPE_SUM)
    s->sum[place] = d;
  else
    op(s, SPE_SUM, place, fma64_value(FMA64_MIN, d, s->sum[place], 0));
}

// ---- turns

static void take_answer(spe *s, uint32_t state) {
  const uint32_t bit = 1u << s->answer.element;
  uint32_t *asked = &s->asked[s->answer.place];
  *asked = state == 2 ? *asked & ~bit : *asked | bit;
}

static void put(spe *s, const spe_in *in) {
  s->put[in->put_slot] = number(in->put_value);
  s->ready[in->put_slot % SPE_PLACES] |= 1u << in->put_slot / SPE_PLACES;
}

static void use(spe *s, const spe_in *in, double x) {
  const uint32_t place = s->use.place;
  const double a = number(&s->words[place][2 + 3 * s->use.element]);
  s->done[place] |= 1u << s->use.element;
  if (in->cfg_min)
    op(s, SPE_TERM, place, fma64_value(FMA64_ADD, a, x, 0));
  else
    op(s, SPE_SUM, place, fma64_value(FMA64_FMA, a, x, s->sum[place]));
}

static void use_or_ask(spe *s, const spe_in *in) {
  const uint32_t place = s->use.place, element = s->use.element;
  const uint32_t slot = SPE_PLACES * element + place, column = column_of(s, place, element);
  if (s->use.ready) {
    use(s, in, s->put[slot]);
  } else if (in->line_hit) {
    use(s, in, number(&in->line_data[2 * (column & 3)]));
  } else if (!(s->ready[place] >> element & 1)) {
    s->ask = s->use;
    s->out.ask_key = column >> 2;
    s->out.ask_who = slot << 2 | (column & 3);
  }
}

static bool has_work(const spe *s) {
  return s->full_places >> s->at_place & 1 && !(s->done[s->at_place] >> s->at_element & 1);
}

static void go_on(spe *s) {
  if (++s->at_place < SPE_PLACES)
    return;
  s->at_place = 0;
  if (++s->at_element == SPE_ELEMENTS)
    s->at_element = 0;
}

static void begin(spe *s, const spe_in *in) {
  const uint32_t place = s->at_place, bit = 1u << s->at_element;
  s->look = (spe_turn){true, s->ready[place] & bit, (uint8_t)place, (uint8_t)s->at_element};
  s->out.look_key = column_of(s, place, s->at_element) >> 2;
  s->out.look_again = !s->look.ready && s->asked[place] & bit;
  s->wait = in->cfg_turn - 1;
  s->kept |= 1u << TURN_KEEPS | (in->cfg_min ? 1u << TERM_KEEPS : 0);
  go_on(s);
  __builtin_prefetch(&s->words[s->at_place][1 + 3 * s->at_element]);
}

static void scan(spe *s, const spe_in *in) {
  const bool turn = s->out.turn_valid && in->turn_ready, passes = !has_work(s);
  s->look.valid = false;
  if (turn)
    begin(s, in);
  else if (s->wait)
    s->wait--;
  if (passes)
    go_on(s);
  s->kept >>= 1;
}

// ---- rows of the bank

static void take_beat(spe *s, const spe_in *in) {
  const uint32_t place = s->tail, first = SPE_BEAT_WORDS * s->beat;
  uint32_t *words = s->words[place];
  assert(s->coming);
  memcpy(&words[first], in->beat_data, SPE_BEAT_WORDS * sizeof *words);
  if (first == 0) {
    s->row[place] = words[0];
    s->ended |= words[0] == SPE_NONE;
  }
  for (uint32_t k = (first + 1) / 3; k < SPE_ELEMENTS && 1 + 3 * k < first + SPE_BEAT_WORDS; k++) {
    const uint32_t bit = 1u << k;
    const bool none = column_of(s, place, k) == SPE_NONE;
    s->done[place] = none ? s->done[place] | bit : s->done[place] & ~bit;
    s->ready[place] &= ~bit, s->asked[place] &= ~bit;
  }
  s->beat = (s->beat + 1) % SPE_BEATS;
  if (s->beat)
    return;
  s->coming--;
  if (s->ended)
    return;
  s->sum[place] = in->cfg_min ? INFINITY : 0;
  s->full_places |= 1u << s->tail;
  s->full++;
  s->tail = (s->tail + 1) % SPE_PLACES;
}

// ---- Y

static void front_leaves(spe *s) {
  s->full_places &= ~(1u << s->head);
  s->head = (s->head + 1) % SPE_PLACES;
  s->full--;
}

// What rule 11 sees.
typedef struct before {
  bool finished, adding, kept, over;
} before;

static void sum_up(spe *s, const spe_in *in, const before *b) {
  const uint32_t row = s->row[s->head];  // of the front, as its sum
  const double sum = s->sum[s->head];
  if (in->y_ready)
    s->out.y_valid = 0;
  if (!s->open) {
    if (!b->finished)
      return;
    s->open = true;
    s->y_row = row, s->y = sum;
    front_leaves(s);
  } else if (b->adding) {
    return;
  } else if (s->full && row == s->y_row) {
    if (!b->finished || b->kept)
      return;
    op(s, SPE_Y, 0, fma64_value(in->cfg_min ? FMA64_MIN : FMA64_ADD, s->y, sum, 0));
    s->adding = true;
    front_leaves(s);
  } else if ((s->full || b->over) && !s->out.y_valid) {
    s->out.y_valid = 1, s->out.y_row = s->y_row;
    memcpy(s->out.y_value, &s->y, sizeof s->y);
    s->open = false;
  }
}

// ----

static void start(spe *s, const spe_in *in) {
  s->out.busy = 1, s->out.row_row = in->start_row;
  s->head = s->tail = s->full = s->coming = s->beat = 0;
  s->at_place = s->at_element = s->wait = 0;
  s->full_places = 0;
  s->ended = s->open = false;
}

RARE static void reset(spe *s) {
  s->out.busy = s->out.row_valid = s->out.turn_valid = 0;
  s->out.look_valid = s->out.ask_valid = s->out.y_valid = 0;
  s->at_place = s->at_element = s->wait = s->kept = 0;
  s->open = s->adding = false;
  s->look.valid = s->use.valid = s->ask.valid = s->answer.valid = false;
  for (uint32_t k = 0; k < SPE_OPS; k++)
    s->ops[k].to = SPE_NOWHERE;
  for (uint32_t k = 0; k < SPE_PLACES; k++)
    s->under_way[k] = 0;
}

// What outputs say of registers.
static void show(spe *s) {
  spe_out *o = &s->out;
  o->row_valid = o->busy && !s->ended && s->coming < 2 && s->full + s->coming < SPE_PLACES;
  o->turn_valid = o->busy && !s->wait && !(s->kept >> TURN_KEEPS & 1) && has_work(s);
  o->look_valid = s->look.valid && !s->look.ready;
  o->ask_valid = s->ask.valid;
}

// In an order in which each part sees of the others what was before the edge.
static void work(spe *s, const spe_in *in) {
  const before b = {
      .finished = s->full && s->done[s->head] == SPE_ALL && !s->under_way[s->head],
      .adding = s->adding,
      .kept = s->kept & 1,
      .over = !s->full && !s->coming && s->ended,
  };
  const bool row = s->out.row_valid && in->row_ready;
  const bool last = b.over && !s->open && !s->out.y_valid;
  const spe_turn look = s->look, ask = s->ask;
  result(s);
  scan(s, in);
  s->ask.valid = false;
  if (s->use.valid)
    use_or_ask(s, in);
  if (in->put_valid)
    put(s, in);
  if (s->answer.valid)
    take_answer(s, in->ask_state);
  s->use = look, s->answer = ask;
  sum_up(s, in, &b);
  if (in->beat_valid)
    take_beat(s, in);
  if (row)
    s->coming++, s->out.row_row = (s->out.row_row + 1) & 0xffff;
  if (last)
    s->out.busy = 0;
}

void spe_edge(spe *s, const spe_in *in) {
  if (!in->rst_n)
    reset(s);
  else if (s->out.busy)
    work(s, in);
  else if (in->start_valid)
    start(s, in);
  show(s);
}

// ---- for whoever looks on

spe_wait spe_waits(const spe *s, bool turn_ready) {
  const uint32_t at = s->at_place;
  uint32_t left = 0, able = 0;  // elements that are not done; and need not wait for a line
  for (uint32_t k = 0; k < SPE_PLACES; k++)
    if (s->full_places >> k & 1) {
      left |= SPE_ALL & ~s->done[k];
      able |= SPE_ALL & ~s->done[k] & (s->ready[k] | ~s->asked[k]);
    }
  if (!s->out.busy)
    return SPE_DONE;
  if (s->out.turn_valid && turn_ready)
    return s->asked[at] & ~s->ready[at] & 1u << s->at_element ? SPE_AGAIN : SPE_TURN;
  if (!left)
    return s->coming || (!s->ended && s->full < SPE_PLACES) ? SPE_ROWS : SPE_SUMS;
  if (!able)
    return SPE_LINES;
  if (s->out.turn_valid)
    return SPE_OTHER;
  return s->wait || has_work(s) ? SPE_PACE : SPE_SCAN;
}

void spe_step(spe *s, const spe_in *in, spe_out *out) {
  spe_clock(s, in);
  *out = s->out;
}

#define BLOCK spe
#include "csim/base/block_twin.h"

// SPDX-License-Identifier: Apache-2.0
// Cycles of subcores, and instructions from issue to end. What a cycle counts as says the core
// itself: its counters are looked at after each cycle, so that the sums are theirs.
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "core_profile_priv.h"

core_profile *core_profile_new(void) {
  return calloc(1, sizeof(core_profile));
}

void core_profile_free(core_profile *p) {
  if (p)
    free(p->counts);
  free(p);
}

uint32_t core_profile_rows(const launch *l) {
  return l->kernel->inst_count + 1 + PROFILE_OTHERS;
}

static uint64_t counted(const core *c, uint32_t k, profile_cause cause) {
  static const size_t at[] = {
#define PROFILE_CAUSE(NAME, name, doc) offsetof(subcore_stats, cycles_##name) / sizeof(uint64_t),
#include "profile.def"
  };
  return ((const uint64_t *)&c->base.stats.sub[k])[at[cause]];
}

static void blame_none(core_profile *p, watch *w) {
  w->row = p->rows - PROFILE_OTHERS + PROFILE_NO_WARP;
  w->held = p->rows;
}

bool core_profile_begin(core_profile *p, const core *c) {
  const uint32_t rows = core_profile_rows(c->base.l);
  if (rows > p->room) {
    free(p->counts);
    p->counts = calloc(rows, sizeof *p->counts);
    p->room = p->counts ? rows : 0;
    if (!p->counts)
      return false;
  }
  p->rows = rows;
  for (uint32_t k = 0; k < SUBCORES; k++) {
    watch *w = &p->sub[k];
    *w = (watch){.standing = PROFILE_EMPTY, .moves_zero = c->base.stats.sub[k].moves_zero};
    blame_none(p, w);
    for (uint32_t cause = 0; cause < PROFILE_CAUSES; cause++)
      w->counted[cause] = counted(c, k, cause);
  }
  profile_traffic_begin(p, c);
  return true;
}

// ---- who is to blame

static bool at_barrier(const cwarp *w) {
  return w->syncing ? front_sync_cause(w) == SYNC_BARRIER
                    : w->barrier || !w->w || w->w->state != WARP_READY;
}

// Is it because of warp w that the subcore counts this? As it was when instructions were to be
// issued: what arrived since does not count.
static bool is_cause(const view_sub *s, const watch *x, const cwarp *w, profile_cause cause) {
  const bool buffered = w->buffered > x->decoding[w->slot];
  switch (cause) {
    case PROFILE_ENGINE:
      return s->board->ready >> w->slot & 1;
    case PROFILE_BARRIER:
      return at_barrier(w);
    case PROFILE_FETCH:
      return !w->syncing && !at_barrier(w) && !buffered;
    default:
      return !at_barrier(w) &&
             (w->syncing ? (front_sync_cause(w) == SYNC_MEMORY) == (cause == PROFILE_MEMORY)
                         : buffered && (w->accesses != 0) == (cause == PROFILE_MEMORY));
  }
}

static const cwarp *oldest(const view_sub *s, const watch *x, profile_cause cause) {
  for (uint32_t n = 0; n < s->front->n_order; n++)
    if (is_cause(s, x, &s->board->warps[s->front->order[n]], cause))
      return &s->board->warps[s->front->order[n]];
  return NULL;
}

// Does it keep an instruction of its warp from being issued?
static bool holds(const core *c, const op *o, const uop *next) {
  const uint64_t *waits = view_waits(c, o);
  const uop *p = o->p;
  const bool waits_for_all =
      next->kind == UOP_BARRIER || next->kind == UOP_FENCE || next->kind == UOP_EXIT;
  const uint32_t preds_reading = o->sources_read ? 0 : p->preds_read;
  uint64_t hazards = (p->preds_written & (next->preds_read | next->preds_written)) |
                     (preds_reading & next->preds_written);
  for (uint32_t k = 0; k < c->base.reg_words; k++) {
    const uint64_t reading = o->sources_read   ? 0
                             : o->address_read ? p->reads[k] & ~p->address[k]
                                               : p->reads[k];
    hazards |= ((p->writes[k] | waits[k]) & (next->reads[k] | next->writes[k])) |
               (reading & next->writes[k]);
  }
  return hazards || (waits_for_all && p->kind == UOP_ACCESS);
}

// The oldest packet that an NBU completes before the SYNC of w; NULL: there is none.
static const tag *before_sync(const nbu_port *p, const cwarp *w) {
  const tag *first = NULL;
  uint32_t before = UINT32_MAX;
  for (uint32_t k = 0; k < TAGS; k++)
    if (p->tags[k].kind == TAG_SYNC && p->tags[k].subcore == w->subcore &&
        p->tags[k].reg == w->slot)
      before = p->tags[k].sent;
  for (uint32_t k = 0; k < TAGS; k++) {
    const tag *t = &p->tags[k];
    if (t->kind != TAG_FREE && t->o && t->sent < before && (!first || t->sent < first->sent))
      first = t;
  }
  return first;
}

// The row of what the first NBU that w waits for completes first. When there is nothing any more:
// of the last instruction of the warp.
static uint32_t owed(const core *c, const watch *x, const cwarp *w) {
  const bool fence = w->w && w->w->state != WARP_DONE;
  const uint32_t asked = w->syncing | w->owed | (fence ? w->lines : 0);
  const nbu_port *p = &c->bus.port[asked ? (uint32_t)__builtin_ctz(asked) : w->subcore];
  const tag *first = before_sync(p, w);
  return first ? bus_op(&c->bus, first)->pc / ISA_BYTES : x->last[w->slot];
}

// The row of the oldest instruction that w waits for.
static uint32_t holder(const core_profile *p, const core *c, const view_sub *s, const watch *x,
                       const cwarp *w) {
  const op *first = NULL;
  for (uint64_t m = s->board->under_way; m; m &= m - 1) {
    const op *o = &s->board->pool[__builtin_ctzll(m)];
    if (o->w == w && (!first || o->number < first->number) && holds(c, o, w->next))
      first = o;
  }
  return first                                         ? first->pc / ISA_BYTES
         : w->syncing || s->board->sync >> w->slot & 1 ? owed(c, x, w)
                                                       : p->rows;
}

// ---- a cycle

static void add(core_profile *p, uint32_t k, uint64_t cycles) {
  const watch *w = &p->sub[k];
  p->counts[w->row].cycles[w->standing][k] += cycles;
  if (w->held == p->rows)
    return;
  if (w->standing == PROFILE_MEMORY)
    p->counts[w->held].held_memory += cycles;
  else
    p->counts[w->held].held_scoreboard += cycles;
}

// Cycles since the last time that the core was looked at, but for `left` of them: nothing happened,
// so they are like that one.
static void add_skipped(core_profile *p, const core *c, uint32_t k, uint64_t left) {
  watch *w = &p->sub[k];
  uint64_t all = 0;
  for (uint32_t cause = 0; cause < PROFILE_CAUSES; cause++)
    all += counted(c, k, cause) - w->counted[cause];
  if (all <= left)
    return;
  add(p, k, all - left);
  w->counted[w->standing] += all - left;
  assert(w->counted[w->standing] <= counted(c, k, w->standing));
}

// `before`: what the last cycle was.
static void blame(core_profile *p, const core *c, uint32_t k, profile_cause before) {
  const view_sub sub = view_subcore(c, k), *s = &sub;
  watch *x = &p->sub[k];
  const cwarp *w = x->standing == PROFILE_EMPTY ? NULL : oldest(s, x, x->standing);
  if (!w && (x->standing == PROFILE_EMPTY || x->standing != before))
    blame_none(p, x);
  if (!w)
    return;  // a fault has ended the warp just now: it still is what it was
  x->row = w->next ? (uint32_t)(w->next - c->base.uops) : x->last[w->slot];
  x->held = x->standing == PROFILE_MEMORY || x->standing == PROFILE_SCOREBOARD
                ? holder(p, c, s, x, w)
                : p->rows;
}

// `issued`: row of the instruction that was.
static void look_at_subcore(core_profile *p, const core *c, uint32_t k, uint32_t issued) {
  const view_sub sub = view_subcore(c, k), *s = &sub;
  watch *w = &p->sub[k];
  add_skipped(p, c, k, 1);
  const profile_cause before = w->standing;
  for (uint32_t cause = 0; cause < PROFILE_CAUSES; cause++)
    if (counted(c, k, cause) != w->counted[cause])
      w->standing = (profile_cause)cause, w->counted[cause]++;
  if (w->standing == PROFILE_ISSUE)
    w->row = issued, w->held = p->rows;
  else
    blame(p, c, k, before);
  add(p, k, 1);
  if (!s->board->live)
    w->standing = PROFILE_EMPTY, blame_none(p, w);
  memset(w->decoding, 0, sizeof w->decoding);
  if (s->front->decode.count)
    w->decoding[s->front->decode.warp] = s->front->decode.count;
}

// ---- instructions

static void ended(core_profile *p, uint32_t pc, uint64_t cycles) {
  profile_counts *n = profile_of(p, pc);
  n->ended++;
  n->latency += cycles;
  n->latencies[bucket_of(cycles)]++;
}

static void issue(core_profile *p, const core_event *e, bool ends) {
  watch *w = &p->sub[e->subcore];
  profile_counts *n = profile_of(p, e->pc);
  n->issued++;
  n->lanes += (uint64_t)__builtin_popcount(e->lanes);
  w->last[e->slot] = e->pc / ISA_BYTES;
  if (ends) {
    n->far++;
    ended(p, e->pc, 0);
    return;
  }
  assert(w->n_under_way < EVENT_PLACES);
  w->under_way[w->n_under_way].number = e->number;
  w->under_way[w->n_under_way++].cycle = e->cycle;
}

static void end(core_profile *p, const core_event *e) {
  watch *w = &p->sub[e->subcore];
  uint32_t k = 0;
  while (k < w->n_under_way && w->under_way[k].number != e->number)
    k++;
  if (k == w->n_under_way)
    return;  // it has ended at its issue
  ended(p, e->pc, e->cycle - w->under_way[k].cycle);
  w->under_way[k] = w->under_way[--w->n_under_way];
}

static void cycle(void *ctx, const core *c, const core_event *e, uint32_t count) {
  core_profile *p = ctx;
  uint32_t issued[SUBCORES] = {0};
  for (uint32_t n = 0; n < count; n++)
    switch (e[n].kind) {
      case EVENT_ISSUE:
        issue(p, &e[n],
              n + 1 < count && e[n + 1].kind == EVENT_END && e[n + 1].number == e[n].number);
        issued[e[n].subcore] = e[n].pc / ISA_BYTES;
        break;
      case EVENT_TARGET:
        ++*(e[n].near ? &profile_of(p, e[n].pc)->near : &profile_of(p, e[n].pc)->far);
        break;
      case EVENT_END:
        end(p, &e[n]);
        break;
      default:
        break;
    }
  for (uint32_t k = 0; k < SUBCORES; k++)
    look_at_subcore(p, c, k, issued[k]);
  profile_traffic_cycle(p, c, e, count);
}

core_observer core_profile_observer(core_profile *p) {
  return (core_observer){cycle, p};
}

void core_profile_end(core_profile *p, const core *c, profile_counts *sum) {
  for (uint32_t k = 0; k < SUBCORES; k++)
    add_skipped(p, c, k, 0);
  profile_traffic_end(p, c);
  for (uint32_t n = 0; n < p->rows; n++)
    profile_add(&sum[n], &p->counts[n]);
  memset(p->counts, 0, p->rows * sizeof *p->counts);
}

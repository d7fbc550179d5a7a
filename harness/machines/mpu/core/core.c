// SPDX-License-Identifier: Apache-2.0
// The cycle of a core, and its part of a launch from first to last.
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core_state.h"
#include "counted.h"
#include "csim/base/prefetch.h"
#include "report.h"

enum { DRAIN = 10000 };

// ---- made of its parts

static bool wire(core *c) {
  base *b = &c->base;
  b->emitter = &c->emitter;
  c->board.base = b;
  c->bus.base = b, c->bus.board = &c->board;
  c->far = (far){.base = b, .board = &c->board, .lsu = &c->lsu};
  copies_new(&c->copies, b, &c->bus);
  bool ok = remote_new(&c->remote, b, &c->bus, &c->copies);
  ok = lsu_new(&c->lsu, b, &c->board, &c->bus, &c->remote, &c->copies) && ok;
  engine_new(&c->engine, b, &c->board, &c->bus, &c->lsu, &c->far);
  return front_new(&c->front, b, &c->board, &c->bus, &c->engine) && ok;
}

core *core_new(const core_config *config, const core_place *place, near *n, char *why,
               size_t why_bytes) {
  assert(place->requests <= REMOTES && place->serves <= SERVES && place->sends <= SENDS);
  core *c = aligned_alloc(_Alignof(core), sizeof *c);
  if (!c) {
    snprintf(why, why_bytes, "out of host memory");
    return NULL;
  }
  memset(c, 0, sizeof *c);
  c->base.config = *config;
  c->base.place = *place;
  c->base.near = n;
  c->base.mine = map_put(&place->map->core, place->index);
  c->base.mine_mask = map_put(&place->map->core, ~0u);
  if (!wire(c)) {
    snprintf(why, why_bytes, "out of host memory");
    core_free(c);
    return NULL;
  }
  return c;
}

void core_free(core *c) {
  if (!c)
    return;
  remote_delete(&c->remote);
  lsu_delete(&c->lsu);
  front_delete(&c->front);
  free(c);
}

// Everything is as after power-up, but for memory and counters.
static void reset(core *c, const core_share *share, uint64_t cycle) {
  base_reset(&c->base);
  c->begun = c->base.cycle = c->base.last_end = cycle;
  emit_reset(&c->base);
  board_reset(&c->board);
  bus_reset(&c->bus);
  copies_reset(&c->copies);
  remote_reset(&c->remote);
  lsu_reset(&c->lsu);
  far_reset(&c->far);
  engine_reset(&c->engine);
  front_reset(&c->front, share);
  c->reference = NULL;
  c->wakes = c->stuck = 0;
  c->tick_at = cycle + c->base.config.trefi;
  c->slept = false;
  c->used = false;
  c->sample_at = UINT64_MAX;
}

// All banks at once: a line lies in all of a unit, and blocks in all units.
// A core that rests lets the banks refresh themselves; when it is woken, they may be in the middle
// of it: they refresh once more.
static void refresh(core *c) {
  const bool due = c->base.config.trefi && c->base.cycle == c->tick_at;
  c->base.in.ref_tick = due || c->slept ? 0xffff : 0;
  c->slept = false;
  if (due)
    c->tick_at += c->base.config.trefi;
}

enum { FEW = 10 };  // lines at once

// Later stages first, so that each sees what the one before it left in the cycle before.
static void cycle(core *c, prefetch *a) {
  base *b = &c->base;
  for (uint32_t n = 0; n < SUBCORES; n++) {
    rtt_in *in = &b->in.rtt[n];
    in->lk_valid = in->up0_valid = in->up1_valid = in->clr_valid = 0;
  }
  refresh(c);
  c->used = true;
  bus_step(&c->bus);
  prefetch_go(a, FEW);
  if (c->remote.in_count)
    remote_take(&c->remote);
  if (c->lsu.hit_count)
    lsu_line_hits(&c->lsu);
  remote_begin(&c->remote);
  const uint64_t turn = b->cycle - c->begun;  // not the cycle: what ran before must not matter
  const bool remote_first = turn & 1;
  if (remote_first && remote_works(&c->remote))
    remote_serve(&c->remote);
  if (copies_works(&c->copies))
    copies_step(&c->copies);
  if (b->out.sm_done)
    lsu_shared_done(&c->lsu, b->out.sm_done);
  for (uint32_t n = 0; n < SUBCORES; n++) {
    const uint32_t k = (turn + n) % SUBCORES;  // who comes first to a queue changes
    prefetch_go(a, FEW);
    if (!c->board.sub[k].live) {
      b->stats.sub[k].cycles_empty++;
      continue;
    }
    if (far_works(&c->far, k))
      far_step(&c->far, k);
    if (lsu_works(&c->lsu, k))
      lsu_step(&c->lsu, k);
    if (c->engine.sub[k].moves_count)
      engine_moves(&c->engine, k);
    if (engine_works(&c->engine, k))
      engine_step(&c->engine, k);
    if (front_waits(&c->front, k))
      board_stalled(&c->board.sub[k], 1);
    else
      front_issue(&c->front, k);
    if (front_fetches(&c->front, k))
      front_fetch(&c->front, k);
  }
  if (!remote_first && remote_works(&c->remote))
    remote_serve(&c->remote);
  front_blocks(&c->front);
  if (c->base.shared_far)
    lsu_far_clock(&c->lsu);
  prefetch_go(a, 2 * FEW);
  if (c->emitter.n_observers)
    emit_end(b, c);
  if (!near_step(b->near, &b->in, &b->out) && !b->result) {
    snprintf(b->message, sizeof b->message, "%s", near_error(b->near));
    b->result = CORE_WRONG;
  }
  b->cycle++;
}

static bool core_done(const core *c) {
  return c->front.next_block == c->front.share.count && !c->front.blocks_live;
}

static bool quiet(const core *c) {
  for (uint32_t n = 0; n < SUBCORES; n++)
    if (!bus_empty(&c->bus, n) || c->bus.port[n].n_free != TAGS)
      return false;
  return !c->base.out.busy && !copies_works(&c->copies) && !remote_works(&c->remote) &&
         !c->remote.served && !c->remote.under_way;
}

bool core_rests(const core *c) {
  return (core_done(c) && quiet(c)) || c->stuck > DRAIN;
}

// What is left when nothing should be.
static void check_rest(core *c) {
  for (uint32_t n = 0; n < SUBCORES; n++) {
    const nbu_port *p = &c->bus.port[n];
    if (p->n_free != TAGS)
      base_wrong(&c->base, "the launch has ended, but %u packets to NBU %u were not answered",
                 TAGS - p->n_free, n);
    if (p->up_open)
      base_wrong(&c->base,
                 "the launch has ended, but a packet of NBU %u is incomplete: %u flits of %u", n,
                 1 + p->up_got, 1 + p->up_len);
    if (c->lsu.sub[n].shared_count || p->holder || p->remote_holds)
      base_wrong(&c->base, "the launch has ended, but accesses of NBU %u are still in flight", n);
    if (!bus_empty(&c->bus, n))
      base_wrong(&c->base, "the launch has ended, but NBU %u has room for %u flits, not %u", n,
                 p->credits, c->base.config.sizes.rx_depth);
  }
  if (c->base.out.busy)
    base_wrong(&c->base, "the launch has ended, but the near side is not idle");
}

void core_stalled(core *c) {
  char text[4000];
  report_stall(c, text, sizeof text);
  c->base.stalled = !c->base.result;
  base_wrong(&c->base, "no instruction has ended for %" PRIu64 " cycles%s",
             c->base.config.stall_limit, text);
}

// All warps that live wait at barriers, and nothing is under way.
static bool deadlocked(const core *c, const block **where) {
  *where = NULL;
  for (uint32_t k = 0; k < SUBCORES; k++)
    for (uint32_t m = c->board.sub[k].live; m; m &= m - 1) {
      const cwarp *w = &c->board.sub[k].warps[__builtin_ctz(m)];
      if (!w->w || w->w->state != WARP_AT_BARRIER)
        return false;
      *where = w->b;
    }
  return *where != NULL;
}

bool core_begin(core *c, launch *l, launch *reference, const core_uops *uops,
                const core_share *share, uint64_t local, uint64_t cycle) {
  base *b = &c->base;
  const bool again = c->used;
  reset(c, share, cycle);
  b->l = l;
  b->shared_far = module_dies(l->kernel) != ISA_DIES_HYBRID;
  b->skew = b->config.sizes.skew && !b->shared_far ? module_skew(l->kernel) : 0;
  b->memory = machine_memory(l->m);
  l->clocked = true;
  b->uops = uops->all, b->n_uops = uops->count, b->reg_words = uops->reg_words;
  b->local_lines = local;
  c->near_offset = cycle - near_cycle(b->near);
  if (b->arrays)
    arrays_begin(b->arrays, b->near, b->memory);
  if (again && !near_reset(b->near))
    base_wrong(b, "%s", near_error(b->near));
  const reference_view of = {b, &c->board, &c->front, &c->lsu};
  if (reference && !(c->reference = reference_new(&of, reference)))
    base_wrong(b, "out of host memory");
  return !b->result;
}

enum { BARRIER_LIMIT = 1000 };

static void look_for_stalls(core *c) {
  const block *where;
  const uint64_t since = c->base.cycle - c->base.last_end;
  if (since > BARRIER_LIMIT && deadlocked(c, &where)) {
    trace_deadlock(c->base.l, where);
    c->base.result = CORE_FAULT;
  }
  // with other cores involved it is theirs too: whoever steps them all sees whether any goes on
  if (since > c->base.config.stall_limit && !remote_involved(&c->remote))
    core_stalled(c);
}

// Blocks have ended, requests are answered, but the near side owes something.
static void count_stuck(core *c) {
  const remote *n = &c->remote;
  const bool owed = core_done(c) && !remote_works(n) && !n->in_count && !n->served && !n->under_way;
  c->stuck = owed ? c->stuck + 1 : 0;
}

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

// Nothing but what a subcore waits for can change anything in it.
static bool subcore_waits(const core *c, uint32_t k) {
  return !c->board.sub[k].live || (front_waits(&c->front, k) && !front_works(&c->front, k) &&
                                   !c->engine.sub[k].moves_count && !engine_works(&c->engine, k) &&
                                   far_waits(&c->far, k) && lsu_waits(&c->lsu, k));
}

// The next cycle in which anything happens, but for the counters of who waits: its own one, if it
// has something to do; UINT64_MAX: only what arrives can change anything.
static uint64_t next_event(const core *c) {
  const uint32_t blocks_live = c->front.blocks_live;
  if (c->base.out.busy || copies_works(&c->copies) || remote_works(&c->remote) ||
      c->lsu.hit_count || (blocks_live && c->base.shared_far))
    return c->base.cycle;
  for (uint32_t n = 0; n < SUBCORES; n++)
    if (!bus_empty(&c->bus, n))
      return c->base.cycle;
  if (!blocks_live)
    return core_rests(c) ? remote_next(&c->remote) : c->base.cycle;
  if (front_dispatches(&c->front))
    return c->base.cycle;
  const uint64_t since = c->base.last_end + BARRIER_LIMIT,
                 stall = c->base.last_end + c->base.config.stall_limit;
  uint64_t next = remote_next(&c->remote);
  if (c->base.config.trefi)
    next = least(next, c->tick_at);
  next = least(next, c->base.cycle <= since ? since : stall);
  for (uint32_t n = 0; n < SUBCORES; n++) {
    if (!subcore_waits(c, n))
      return c->base.cycle;
    if (c->front.sub[n].miss_until)
      next = least(next, c->front.sub[n].miss_until);
  }
  return next > c->base.cycle ? next : c->base.cycle;
}

// From its own cycle to another one, between which nothing happens.
static void skip(core *c, uint64_t until) {
  const uint64_t cycles = until - c->base.cycle;
  near_skip(c->base.near, cycles);
  counted_waits(c, until, &c->base.stats);
  const uint64_t due = counted_refreshes(c, until);
  c->tick_at += due * c->base.config.trefi;
  c->slept |= due > 0;
  c->base.cycle = until;
}

// ---- the caches of the host

enum { PARTS = 4 * SUBCORES + NEAR_PARTS };

// The registers of an instruction that will read them.
static void fetch_registers(prefetch *a, const cwarp *w, const uop *p) {
  if (!w->w || !p)
    return;
  const decoded *d = p->d;
  for (unsigned o = 0; o < 4; o++)
    if (d->reg[o] >= 0)
      prefetch_add(a, w->w->regs + d->reg[o] * ISA_LANES,
                   d->words[o] * ISA_LANES * sizeof *w->w->regs);
}

static void fetch_warps(prefetch *a, const core *c, uint32_t k) {
  const board_sub *s = &c->board.sub[k];
  for (uint32_t m = s->live; m; m &= m - 1)
    prefetch_add(a, &s->warps[__builtin_ctz(m)], offsetof(cwarp, readers) + c->base.l->code.regs);
  for (uint64_t m = s->under_way; m; m &= m - 1) {
    const uint32_t at = (uint32_t)__builtin_ctzll(m);
    prefetch_add(a, &s->pool[at], sizeof *s->pool);
    prefetch_add(a, &c->engine.sub[k].of[at], sizeof *c->engine.sub[k].of);
    if (s->pool[at].state == OP_QUEUED)
      prefetch_add(a, &c->lsu.sub[k].of[at], sizeof *c->lsu.sub[k].of);
  }
  if (s->free_ops)
    prefetch_add(a, s->free_ops, sizeof *s->free_ops);
}

// What is looked at of a subcore in each cycle, and of one that does something.
static void fetch_subcore(prefetch *a, const core *c, uint32_t k, bool works) {
  const board_sub *s = &c->board.sub[k];
  const far_sub *f = &c->far.sub[k];
  prefetch_add(a, &s->live, offsetof(board_sub, pool) - offsetof(board_sub, live));
  prefetch_add(a, &c->front.sub[k], sizeof *c->front.sub);
  prefetch_add(a, &c->engine.sub[k], offsetof(engine_sub, moves));
  prefetch_add(a, &c->lsu.sub[k], offsetof(lsu_sub, shared));
  if (works) {
    prefetch_add(a, f, sizeof *f);
    prefetch_add(a, &c->base.stats.sub[k], sizeof *c->base.stats.sub);
    return;
  }
  prefetch_add(a, &f->free_collectors,
               offsetof(far_sub, enter_next) - offsetof(far_sub, free_collectors));
  prefetch_add(a, f->wheel, sizeof f->wheel);
  prefetch_add(a, &f->executing, sizeof *f - offsetof(far_sub, executing));
}

// The last ones that were free are taken first, so those that are taken lie together.
static void fetch_flights(prefetch *a, const core *c, uint32_t k) {
  const board_sub *s = &c->board.sub[k];
  const uint32_t n = FLIGHTS - s->n_free_flights + 4;
  prefetch_add(a, s->flights, n * sizeof *s->flights);
  prefetch_add(a, c->emitter.owners[k], n * sizeof **c->emitter.owners);
}

static void fetch_port(prefetch *a, const nbu_port *p, bool works) {
  prefetch_add(a, &p->head, offsetof(nbu_port, forms) - offsetof(nbu_port, head));
  if (!works)
    return;
  prefetch_add(a, &p->run, offsetof(nbu_port, tags) - offsetof(nbu_port, run));
  prefetch_add(a, &p->n_free, sizeof p->n_free);
}

// Part 0 to PARTS - 1; later ones follow pointers that earlier ones have fetched.
static void fetch_part(prefetch *a, const core *c, uint32_t part) {
  const uint32_t k = part % SUBCORES;
  const board_sub *s = &c->board.sub[k];
  const nbu_port *p = &c->bus.port[k];
  const lsu_sub *l = &c->lsu.sub[k];
  const bool works = c->concerns >> k & 1, unit = c->concerns >> SUBCORES >> k & 1;
  switch (part / SUBCORES) {
    case 0:
      fetch_subcore(a, c, k, works);
      fetch_port(a, p, unit);
      break;
    case 1:
      if (works)
        fetch_warps(a, c, k);
      else if (s->stall)
        prefetch_add(a, s->stall, sizeof *s->stall), prefetch_add(a, s->part, sizeof *s->part);
      if (unit)
        prefetch_add(a, &p->free_tags[p->n_free & ~63u], 64);
      if (unit || works)
        fetch_flights(a, c, k);
      break;
    case 2:
      if (unit)
        prefetch_add(a, &p->flits[p->head % QUEUE], p->count * sizeof *p->flits + 64);
      if (!works)
        break;
      for (uint32_t m = s->live; m; m &= m - 1) {
        const cwarp *w = &s->warps[__builtin_ctz(m)];
        near_fetch_warp(a, c->base.near, k, w->slot, w->near_count);
        if (!w->w)
          continue;
        prefetch_add(a, w->w, offsetof(warp, stack) + 2 * sizeof *w->w->stack);
        prefetch_add(a, w->w->preds, sizeof *w->w - offsetof(warp, preds));
      }
      if (l->count)
        prefetch_add(a, l->queue[l->head % LSU_QUEUE]->address, ISA_LANES * sizeof(uint64_t));
      break;
    case 3:
      for (uint32_t m = works ? s->live : 0; m; m &= m - 1)
        fetch_registers(a, &s->warps[__builtin_ctz(m)], s->warps[__builtin_ctz(m)].next);
      for (uint64_t m = works ? s->under_way : 0; m; m &= m - 1) {
        const op *o = &s->pool[__builtin_ctzll(m)];
        if (!o->sources_read && !o->near)
          fetch_registers(a, o->w, o->p);
      }
      break;
    default:
      near_fetch(a, c->base.near, part - 4 * SUBCORES, unit);
  }
}

core_result core_advance(core *c, uint64_t until, const core *next) {
  uint32_t part = next ? 0 : PARTS;
  prefetch a;
  prefetch_none(&a);
  while (!c->base.result && c->base.cycle < until) {
    c->wakes = next_event(c);
    if (c->wakes >= until)
      break;
    if (c->wakes >= c->sample_at)
      counted_sample(c);
    if (c->wakes > c->base.cycle)
      skip(c, c->wakes);
    if (part < PARTS)
      fetch_part(&a, next, part++);
    cycle(c, &a);
    if (c->front.blocks_live)
      look_for_stalls(c);
    else
      count_stuck(c);
  }
  for (; part < PARTS; part++)
    fetch_part(&a, next, part), prefetch_go(&a, UINT32_MAX);
  c->concerns = (uint8_t)(near_busy(c->base.near) << SUBCORES);
  for (uint32_t k = 0; k < SUBCORES; k++) {
    c->concerns |= (uint8_t)(!bus_empty(&c->bus, k) << SUBCORES << k);
    c->concerns |= (uint8_t)(!subcore_waits(c, k) << k);
  }
  if (c->base.result || c->base.cycle >= until)
    c->wakes = c->base.cycle;
  return c->base.result;
}

uint64_t core_wakes(const core *c) {
  return c->wakes;
}
core_result core_failed(const core *c) {
  return c->base.result;
}
uint64_t core_cycle(const core *c) {
  return c->base.cycle;
}
uint64_t core_ended(const core *c) {
  return c->front.ended;
}
uint64_t core_moved(const core *c) {
  return c->base.last_end;
}
const structure *core_sizes(const core *c) {
  return &c->base.config.sizes;
}
void core_where(const core *c, char *to, size_t bytes) {
  report_warps(c, to, bytes);
}

// Refreshes of all banks that fell due by the clock of the machine, which goes on from launch to
// launch, less those by the clock of this launch, which began with it.
static uint64_t refreshes_left(const core *c, uint64_t at) {
  const uint64_t t = c->base.config.trefi;
  return t ? at / t - c->begun / t - ((c->tick_at - c->begun) / t - 1) : 0;
}

core_result core_end(core *c, uint64_t begun, uint64_t ended, uint64_t at, bool whole) {
  core_sampled(c, at);
  if (!c->base.result && c->base.cycle < at && next_event(c) >= at)
    skip(c, at);
  c->base.stats.cycles_cut += at - c->base.cycle;
  c->base.stats.cycles += ended - begun;
  c->base.stats.cycles_drain += at - ended;
  c->base.stats.refreshes_between += refreshes_left(c, at);
  counted_collect(c);
  if (whole && !c->base.result)
    check_rest(c);
  reference_free(c->reference);
  c->reference = NULL;
  return c->base.result;
}

bool core_is_stalled(const core *c) {
  return c->base.stalled;
}
const char *core_message(const core *c) {
  return c->base.message;
}
void core_count_arrays(core *c, core_arrays *a) {
  c->base.arrays = a;
}
void core_set_statistics(core *c, const core_stats *s) {
  c->base.stats = *s;
}
uint32_t core_copies(const core *c) {
  return c->base.copies;
}
const core_stats *core_statistics(const core *c) {
  return &c->base.stats;
}
void core_sample(core *c, uint64_t at, core_stats *to) {
  c->sample_at = at, c->sample = to;
}
void core_sampled(core *c, uint64_t cycle) {
  if (cycle >= c->sample_at)
    counted_sample(c);
}

// ---- for those who look on

void core_observe(core *c, core_observer o) {
  emitter *x = &c->emitter;
  assert(x->n_observers < CORE_OBSERVERS);
  x->observers[x->n_observers++] = o;
  c->base.watched = true;
}

void core_unobserve(core *c, void *ctx) {
  emitter *x = &c->emitter;
  uint32_t left = 0;
  for (uint32_t n = 0; n < x->n_observers; n++)
    if (x->observers[n].ctx != ctx)
      x->observers[left++] = x->observers[n];
  x->n_observers = left;
  c->base.watched = left || x->listener;
}

uint32_t core_index(const core *c) {
  return c->base.place.index;
}
const launch *core_launch(const core *c) {
  return c->base.l;
}
near *core_near(const core *c) {
  return c->base.near;
}
const near_in *core_drives(const core *c) {
  return &c->base.in;
}
const near_out *core_sees(const core *c) {
  return &c->base.out;
}

// ---- the port to the network

const void *core_body(const core *c, const node_mail *m) {
  return c->remote.bodies + m->body;
}
void core_arrives(core *c, uint64_t cycle, uint32_t class, const void *body, uint32_t body_bytes) {
  c->concerns |= (uint8_t)remote_arrives(&c->remote, cycle, class, body, body_bytes);
}

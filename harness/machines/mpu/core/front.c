// SPDX-License-Identifier: Apache-2.0
#include "front.h"

#include <stdlib.h>
#include <string.h>
#include "csim/base/round_robin.h"
#include "csim/isa/exec.h"

// ---- pieces of the register files and of shared memory, in units: bit maps

static bool is_free(const uint32_t *map, uint32_t at, uint32_t n) {
  for (uint32_t k = at; k < at + n; k++)
    if (map[k / 32] >> k % 32 & 1)
      return false;
  return true;
}

static void mark(uint32_t *map, uint32_t at, uint32_t n, bool used) {
  for (uint32_t k = at; k < at + n; k++)
    map[k / 32] = (map[k / 32] & ~(1u << k % 32)) | (uint32_t)used << k % 32;
}

// The first place for n units among `all`; -1: none.
static int32_t first_fit(const uint32_t *map, uint32_t all, uint32_t n) {
  for (uint32_t at = 0; at + n <= all; at++)
    if (is_free(map, at, n))
      return (int32_t)at;
  return -1;
}

enum { SHARED_UNIT = CORE_SHARED_UNIT, REG_UNIT = MACHINE_REGS };

static uint32_t units(uint32_t n, uint32_t unit) {
  return (n + unit - 1) / unit;
}

static const uop *next_uop(const front *f, const cwarp *w) {
  return w->w->depth ? &f->base->uops[w->w->stack[w->w->depth - 1].pc / ISA_BYTES] : NULL;
}

// ---- blocks

typedef struct needs {
  uint32_t near, far, shared;  // units: of a warp, of a warp, of a block
} needs;

static needs needs_of(const front *f) {
  const module_kernel *k = f->base->l->kernel;
  return (needs){units((uint32_t)k->regs_both + k->regs_near, REG_UNIT),
                 units((uint32_t)k->regs_both + k->regs_far, REG_UNIT),
                 units(f->base->l->shared_bytes, SHARED_UNIT)};
}

// Takes what the next block needs; false, with nothing taken, when something is missing.
static bool place_block(front *f, uint32_t slot) {
  const needs n = needs_of(f);
  const uint32_t near_units = f->base->config.near_rf_bytes / (ISA_LANES * 4 * REG_UNIT);
  const uint32_t far_units = f->base->config.far_rf_bytes / (ISA_LANES * 4 * REG_UNIT);
  const int32_t shared =
      first_fit(f->shared_used, f->base->config.shared_bytes / SHARED_UNIT, n.shared);
  uint32_t placed = 0;
  bool ok = shared >= 0;
  for (; ok && placed < f->base->l->warps; placed++) {
    const uint32_t k = (f->placed + placed) % SUBCORES;
    front_sub *s = &f->sub[k];
    board_sub *board = &f->board->sub[k];
    const uint32_t free = ~board->live & ((1u << f->base->config.warp_slots) - 1);
    const int32_t near = first_fit(&board->near_used, near_units, n.near);
    const int32_t far = first_fit(s->far_used, far_units, n.far);
    ok = free && near >= 0 && far >= 0;
    if (!ok)
      break;
    const uint32_t at = (uint32_t)__builtin_ctz(free);
    cwarp *w = &board->warps[at];
    *w = (cwarp){.live = true,
                 .subcore = (uint8_t)k,
                 .slot = (uint8_t)at,
                 .block_slot = (uint8_t)slot,
                 .index = placed,
                 .near_base = (uint32_t)near * REG_UNIT,
                 .near_count = n.near * REG_UNIT,
                 .far_base = (uint32_t)far * REG_UNIT,
                 .far_count = n.far * REG_UNIT,
                 .shared_base = (uint32_t)(ok ? shared : 0) * SHARED_UNIT};
    s->age[at] = f->base->stats.blocks * 64 + placed;
    s->order[s->n_order++] = (uint8_t)at;
    board->live |= 1u << at;
    mark(&board->near_used, (uint32_t)near, n.near, true);
    mark(s->far_used, (uint32_t)far, n.far, true);
  }
  if (ok) {
    mark(f->shared_used, (uint32_t)shared, n.shared, true);
    f->blocks[slot].shared_base = (uint32_t)shared * SHARED_UNIT;
    f->placed += placed;
    return true;
  }
  for (uint32_t k = 0; k < SUBCORES; k++)
    for (uint32_t w = 0; w < SLOTS; w++) {
      cwarp *x = &f->board->sub[k].warps[w];
      if (!x->live || x->block_slot != slot)
        continue;
      mark(&f->board->sub[k].near_used, x->near_base / REG_UNIT, n.near, false);
      mark(f->sub[k].far_used, x->far_base / REG_UNIT, n.far, false);
      f->board->sub[k].live &= ~(1u << w);
      f->sub[k].n_order--;  // it was the last one
      x->live = false;
    }
  return false;
}

static void end_block(front *f, uint32_t slot) {
  block_slot *b = &f->blocks[slot];
  const needs n = needs_of(f);
  EMIT(f->base, emit_block(f->base, EVENT_BLOCK_END, b->b));
  mark(f->shared_used, b->shared_base / SHARED_UNIT, n.shared, false);
  launch_end_block(f->base->l, b->b);
  b->b = NULL;
  f->blocks_live &= ~(1u << slot);
  f->ended = f->base->cycle + 1;
}

static void warp_end(front *f, cwarp *w) {
  front_sub *s = &f->sub[w->subcore];
  board_sub *board = &f->board->sub[w->subcore];
  block_slot *b = &f->blocks[w->block_slot];
  const needs n = needs_of(f);
  mark(&board->near_used, w->near_base / REG_UNIT, n.near, false);
  mark(s->far_used, w->far_base / REG_UNIT, n.far, false);
  w->live = false;
  board->live &= ~(1u << w->slot);
  board->ready &= ~(1u << w->slot);
  s->fetchable &= ~(1u << w->slot);
  board->stall = NULL;
  uint32_t at = 0;
  while (s->order[at] != w->slot)
    at++;
  s->n_order--;
  memmove(s->order + at, s->order + at + 1, s->n_order - at);
  f->crowded = false;
  if (--b->warps_live == 0)
    end_block(f, w->block_slot);
}

// Local memory begins as zero, like registers: a line a cycle is written, before the warp's first
// instruction.
static void clear_local(front *f, uint32_t k) {
  const base *b = f->base;
  for (uint32_t m = f->board->sub[k].live; m; m &= m - 1) {
    cwarp *w = &f->board->sub[k].warps[__builtin_ctz(m)];
    if (!w->lines_to_clear)
      continue;
    if (!bus_room(f->bus, k, 1))
      return;
    const uint32_t lines = (f->base->l->kernel->local_bytes + 3) / 4;
    const uint32_t line = w->slot * lines + --w->lines_to_clear;
    f->to_clear--;
    f->sub[k].fetch_check |= 1u << w->slot;
    const uint64_t at = map_line(b->place.map, b->local_lines, b->place.index, k, line);
    const tag t = {.kind = TAG_CLEAR, .client = f->client, .reg = w->slot};
    const uint64_t head = TSV_DN_LINE | tsv_put(TSV_DN_LINE_MTYPE, TSV_MTYPE_U32) |
                          tsv_put(TSV_DN_LINE_STORE, 1) | tsv_put(TSV_DN_LINE_ZERO, 1) |
                          tsv_put(TSV_DN_LINE_ADDR, base_sector(b, at, 0) << 5) |
                          tsv_put(TSV_DN_ANY_TAG, bus_tag(f->bus, k, t));
    bus_push(f->bus, k, &head, 1);
    w->owed |= (uint8_t)(1u << k), w->owed_access |= 1u << OP_LOCAL;
    return;
  }
}

// ---- SYNC

// All accesses of the warp are complete before what it issues next.
static bool is_fence(const cwarp *w) {
  return w->next->kind == UOP_FENCE || w->next->releases || w->acquiring;
}

// Accesses of shared memory are complete before a barrier, all before a fence, and everything
// but lines of the base die before a warp's places are free for another one. (Accesses of a line
// are executed in the order in which they are sent, whoever sends them.) The NBUs are asked when
// the warp waits for that.
static uint32_t waits_for(const cwarp *w) {
  return is_fence(w)                    ? 1u << OP_SHARED | 1u << OP_LOCAL
         : w->next->kind == UOP_BARRIER ? 1u << OP_SHARED
                                        : 0;
}

// Its SYNC asks for accesses of shared memory only: before a barrier.
static bool syncs_shared(const cwarp *w) {
  return front_sync_cause(w) == SYNC_BARRIER;
}

static bool wants_sync(const cwarp *w) {
  if (!w->live || !w->w || w->syncing)
    return false;
  if (w->w->state == WARP_DONE)
    return w->owed && !w->ops;
  return w->buffered && !w->accesses && (w->owed_access & waits_for(w));
}

static void send_sync(front *f, uint32_t k) {
  board_sub *s = &f->board->sub[k];
  for (uint32_t m = s->sync; m; m &= m - 1) {
    cwarp *w = &s->warps[__builtin_ctz(m)];
    const bool fence = w->w->state != WARP_DONE;
    const uint32_t owed = (w->owed | (fence ? w->lines : 0)) & ~(uint32_t)w->syncing;
    const uint32_t nbu = syncs_shared(w) ? k : (uint32_t)__builtin_ctz(owed);
    if (!bus_room(f->bus, nbu, 1))
      return;
    const bool shared = syncs_shared(w);
    const tag t = {.kind = TAG_SYNC, .client = f->client, .reg = w->slot, .subcore = (uint8_t)k};
    const uint64_t head = TSV_DN_SYNC | tsv_put(TSV_DN_ANY_TAG, bus_tag(f->bus, nbu, t)) |
                          tsv_put(TSV_DN_SYNC_SHARED, shared) |
                          tsv_put(TSV_DN_SYNC_WIN, shared ? w->block_slot : 0);
    bus_push(f->bus, nbu, &head, 1);
    w->syncing |= (uint8_t)(1u << nbu);
    if (!shared)
      w->owed &= (uint8_t) ~(1u << nbu), w->lines &= (uint8_t) ~(1u << nbu);
    if (shared || owed == 1u << nbu)
      s->sync &= ~(m & -m);
    s->stall = NULL;
    return;
  }
}

// All that the warp has sent there is complete, or, before a barrier, its accesses of shared
// memory.
static void answer(void *ctx, uint32_t nbu, const tag *t, uint64_t head, const uint64_t *body) {
  front *f = ctx;
  board_sub *s = &f->board->sub[t->subcore];
  cwarp *w = &s->warps[t->reg];
  (void)head, (void)body;
  w->syncing &= (uint8_t) ~(1u << nbu);
  if (w->syncing || s->sync >> w->slot & 1)
    return;
  w->owed_access &= (uint8_t)(syncs_shared(w) ? 1u << OP_LOCAL : 0);
  f->base->last_end = f->base->cycle;
  board_check(f->board, w);
  if (w->w->state == WARP_DONE && !w->ops)
    warp_end(f, w);
}

static void start_block(front *f, uint32_t slot) {
  block_slot *b = &f->blocks[slot];
  if (!place_block(f, slot)) {
    f->crowded = true;
    return;
  }
  const core_share *share = &f->share;
  const uint32_t n = share->first + f->next_block * share->step;
  const uint32_t index = share->list ? share->list[n] : n;
  if (launch_start_block(f->base->l, index)) {
    f->base->result = CORE_FAULT;
    return;
  }
  b->b = f->base->l->all[index];
  b->b->core = f->base->place.index;
  b->b->subcore = (f->placed - f->base->l->warps) % SUBCORES;
  b->shared_bytes = f->base->l->shared_bytes;
  b->warps_live = f->base->l->warps;
  b->wins = 0;
  for (uint32_t k = 0; k < SUBCORES; k++)
    for (uint32_t w = 0; w < SLOTS; w++) {
      cwarp *x = &f->board->sub[k].warps[w];
      if (!x->live || x->block_slot != slot || x->w)
        continue;
      x->b = b->b;
      x->w = &b->b->warps[x->index];
      x->next = next_uop(f, x);
      f->board->sub[k].stall = NULL;
      f->sub[k].clears |= (uint16_t)(1u << w);
      x->lines_to_clear = (f->base->l->kernel->local_bytes + 3) / 4;
      f->to_clear += x->lines_to_clear;
      if (b->shared_bytes && !f->base->shared_far && !(b->wins >> k & 1))
        b->wins |= (uint16_t)(1u << k), f->wins++;
    }
  f->blocks_live |= 1u << slot;
  f->next_block++;
  f->base->stats.blocks++;
  EMIT(f->base, emit_block(f->base, EVENT_BLOCK, b->b));
}

static void send_wins(front *f, uint32_t k) {
  for (uint32_t b = 0; b < f->base->config.block_slots; b++)
    if ((f->blocks_live >> b & 1) && (f->blocks[b].wins >> k & 1) && bus_room(f->bus, k, 1)) {
      const uint64_t head = TSV_DN_WIN | tsv_put(TSV_DN_ANY_TAG, NO_TAG) |
                            tsv_put(TSV_DN_WIN_WIN, b) |
                            tsv_put(TSV_DN_WIN_BASE, f->blocks[b].shared_base) |
                            tsv_put(TSV_DN_WIN_SIZE, f->blocks[b].shared_bytes) |
                            tsv_put(TSV_DN_WIN_SKEW, f->base->skew);
      bus_push(f->bus, k, &head, 1);
      f->blocks[b].wins &= (uint16_t) ~(1u << k);
      f->wins--;
      f->sub[k].fetch_check |= f->board->sub[k].live;
    }
}

void front_blocks(front *f) {
  if (!f->crowded && f->next_block < f->share.count &&
      f->blocks_live != (1u << f->base->config.block_slots) - 1)
    start_block(f, (uint32_t)__builtin_ctz(~f->blocks_live));
  uint32_t clears = 0;
  for (uint32_t n = 0; n < SUBCORES; n++)
    clears |= f->sub[n].clears;
  for (uint32_t n = 0; (clears | f->to_clear | f->wins) && n < SUBCORES; n++) {
    front_sub *s = &f->sub[n];
    rtt_in *in = &f->base->in.rtt[n];
    if (f->to_clear)
      clear_local(f, n);
    if (s->clears) {
      in->clr_valid = 1;
      in->clr_warp = (uint32_t)__builtin_ctz(s->clears);
      s->clears &= (uint16_t)(s->clears - 1);
      f->board->sub[n].warps[in->clr_warp].fetch_from = f->base->cycle + 1;
      s->fetch_check |= 1u << in->clr_warp;
    }
    if (f->wins)
      send_wins(f, n);
  }
}

bool front_dispatches(const front *f) {
  uint32_t clears = 0;
  for (uint32_t n = 0; n < SUBCORES; n++)
    clears |= f->sub[n].clears;
  return clears | f->to_clear | f->wins |
         (!f->crowded && f->next_block < f->share.count &&
          f->blocks_live != (1u << f->base->config.block_slots) - 1);
}

// ---- fetch

// What was fetched in the cycle before can issue in the next one.
static void arrive(front_sub *s, board_sub *board) {
  if (!s->decode.count)
    return;
  board->stall = NULL;
  cwarp *w = &board->warps[s->decode.warp];
  w->buffered = (uint8_t)(w->buffered + s->decode.count);
  w->arriving = (uint8_t)(w->arriving - s->decode.count);
  board->check |= 1u << w->slot & ~board->ready;
  s->decode.count = 0;
}

static bool wants_fetch(const front *f, const cwarp *w) {
  return w->live && w->w && !(f->blocks[w->block_slot].wins >> w->subcore & 1) &&
         !w->lines_to_clear && !w->fetch_stopped && w->w->state == WARP_READY && w->fetch_from &&
         w->buffered + w->arriving + 2 <= BUFFERED;
}

static void refresh_fetchable(const front *f, front_sub *s, const board_sub *board) {
  const uint64_t cycle = f->base->cycle;
  for (uint32_t m = s->fetch_check; m; m &= m - 1) {
    const uint32_t bit = m & -m;
    const cwarp *w = &board->warps[__builtin_ctz(m)];
    s->fetchable &= ~bit;
    if (!wants_fetch(f, w)) {
      s->fetch_check &= ~bit;
    } else if (w->fetch_from <= cycle) {
      s->fetch_check &= ~bit;
      s->fetchable |= bit;
    }
  }
}

// What a warp asked for is there for it, also when another line has taken the place since.
static bool in_icache(const front *f, const front_sub *s, const cwarp *w) {
  const uint32_t line = w->fetch_pc >> f->line_shift;
  return f->icache[line & f->icache_mask] == line + 1 || s->served >> w->slot & 1;
}

static void fill(front *f, uint32_t line) {
  if (line << f->line_shift < f->base->n_uops * ISA_BYTES)
    f->icache[line & f->icache_mask] = line + 1;
}

static void fetch(const front *f, uint32_t k, front_sub *s, cwarp *w) {
  base *b = f->base;
  const uint32_t line = w->fetch_pc >> f->line_shift;
  if (!in_icache(f, s, w)) {
    s->miss_until = b->cycle + b->config.icache_miss;
    s->miss_line = line, s->miss_warp = w->slot;
    b->stats.sub[k].icache_misses++;
    return;
  }
  s->served &= ~(1u << w->slot);
  if (s->miss_warp == w->slot)
    s->miss_warp = SLOTS;
  b->stats.sub[k].fetches++;
  const uop *uops = b->uops;
  const uint32_t rpc = w->w->stack[w->w->depth - 1].rpc, n_uops = b->n_uops;
  uint8_t n = 0;
  while (n < 2 && w->fetch_pc >> f->line_shift == line) {
    const uop *p = &uops[w->fetch_pc / ISA_BYTES];
    n++;
    w->fetch_pc += ISA_BYTES;
    w->fetch_stopped = p->stops_fetch || w->fetch_pc == rpc || w->fetch_pc / ISA_BYTES >= n_uops;
    if (w->fetch_stopped)
      break;
  }
  w->arriving = (uint8_t)(w->arriving + n);
  s->fetch_check |= 1u << w->slot;
  s->decode.warp = (int8_t)w->slot;
  s->decode.count = n;
}

void front_fetch(front *f, uint32_t k) {
  front_sub *s = &f->sub[k];
  board_sub *board = &f->board->sub[k];
  arrive(s, board);
  if (s->miss_until && s->miss_until <= f->base->cycle) {
    fill(f, s->miss_line + 1);
    fill(f, s->miss_line);  // last: with room for one line it is this one
    s->served |= 1u << s->miss_warp;
    s->miss_until = 0;
  }
  if (s->fetch_check)
    refresh_fetchable(f, s, board);
  for (uint32_t left = s->fetchable; left;) {
    const uint32_t at = round_robin(left, s->fetch_next);
    cwarp *w = &board->warps[at];
    left &= ~(1u << at);
    if (!in_icache(f, s, w) && s->miss_until)
      continue;  // another line comes first
    fetch(f, k, s, w);
    s->fetch_next = (at + 1) % SLOTS;
    return;
  }
}

// ---- issue

static bool can_issue(const front *f, const cwarp *w) {
  if (!w->buffered || w->barrier)
    return false;
  const uop *p = w->next;
  const bool fence = p->kind == UOP_BARRIER || is_fence(w);
  if ((fence && (w->accesses || (w->owed_access & waits_for(w)))) ||
      (p->kind == UOP_EXIT && w->accesses))
    return false;
  return !board_hazard(f->board, w, p);
}

static void refresh_ready(const front *f, board_sub *s) {
  for (uint32_t m = s->check & s->live; m; m &= m - 1) {
    const uint32_t at = (uint32_t)__builtin_ctz(m);
    s->ready &= ~(1u << at);
    if (can_issue(f, &s->warps[at]))
      s->ready |= 1u << at;
    else if (wants_sync(&s->warps[at]))
      s->sync |= 1u << at;
  }
  s->check = 0;
}

static uint32_t choose(const front *f, const front_sub *s, uint32_t ready) {
  if (f->base->config.schedule == CORE_LRR)
    return round_robin(ready, s->last + 1);
  if (ready >> s->last & 1)
    return s->last;
  for (uint32_t n = 0;; n++)
    if (ready >> s->order[n] & 1)
      return s->order[n];
}

// The base die has no more to do with it.
static void warp_done(front *f, cwarp *w) {
  if (w->owed)
    f->board->sub[w->subcore].sync |= 1u << w->slot;
  else
    warp_end(f, w);
}

// Its last instruction has ended, or a barrier.
static void ended(void *ctx, cwarp *w, uop_kind kind) {
  front *f = ctx;
  if (kind == UOP_BARRIER) {
    w->fetch_pc = w->w->depth ? w->w->stack[w->w->depth - 1].pc : 0;
    w->fetch_stopped = false;
    w->fetch_from = f->base->cycle + 1;
    w->next = next_uop(f, w);
    f->sub[w->subcore].fetch_check |= 1u << w->slot;
  }
  if (w->w->state == WARP_DONE && !w->ops)
    warp_done(f, w);
}

// The pc goes on by itself, perhaps to where lanes meet; true when it went elsewhere than to the
// next one.
static void advance(front *f, cwarp *w) {
  stack_entry *top = &w->w->stack[w->w->depth - 1];
  top->pc += ISA_BYTES;
  if (top->pc != top->rpc)
    return;
  simt_settle(w->w);
  w->buffered = 0;
  w->fetch_pc = w->w->stack[w->w->depth - 1].pc;
  w->fetch_stopped = false;
  w->fetch_from = f->base->cycle + 2;
}

static void redirect(front *f, cwarp *w) {
  w->buffered = 0;
  w->fetch_stopped = false;
  w->fetch_from = f->base->cycle + 2;
  if (w->w->depth)
    w->fetch_pc = w->w->stack[w->w->depth - 1].pc;
}

static void issue(front *f, uint32_t k, cwarp *w) {
  base *b = f->base;
  front_sub *s = &f->sub[k];
  board_sub *board = &f->board->sub[k];
  const uop *p = w->next;
  stack_entry *top = &w->w->stack[w->w->depth - 1];
  const uint32_t pc = top->pc, guard = w->w->preds[p->d->i.guard];
  const uint32_t lanes = top->mask & (p->d->i.guard_neg ? ~guard : guard);
  subcore_stats *stats = &b->stats.sub[k];
  const bool works = lanes && (p->kind == UOP_COMPUTE || p->kind == UOP_CONST ||
                               p->kind == UOP_ACCESS || p->kind == UOP_BARRIER);
  s->last = w->slot;
  board->stall = NULL;
  board->check |= 1u << w->slot;
  s->fetch_check |= 1u << w->slot;
  w->buffered--;
  stats->issued++;
  stats->lanes += base_lanes(lanes);
  f->base->last_end = works ? f->base->last_end : f->base->cycle;
  if (w->acquiring)
    lsu_forget(f->engine->lsu);
  w->acquiring = works && p->acquires;
  op *o = works ? board_issue(f->board, k, w, p, pc, lanes) : NULL;
  if (o)
    engine_enter(f->engine, o);
  else
    stats->far++;
  EMIT(b, emit_issue(b, w, pc, lanes, o));
  switch (p->kind) {
    case UOP_BRANCH:
      simt_branch(w->w, lanes, p->d->i.imm, p->d->i.reconv);
      redirect(f, w);
      break;
    case UOP_EXIT:
      if (lanes)
        exec_exit(f->base->l, w->b, w->w, lanes);
      else
        advance(f, w);
      redirect(f, w);
      if (w->w->state == WARP_DONE && !w->ops)
        warp_done(f, w);
      break;
    case UOP_TRAP:
      if (lanes) {
        trace_fault(f->base->l, w->b, w->w, pc, (unsigned)__builtin_ctz(lanes), MACHINE_FAULT_TRAP,
                    pc / ISA_BYTES < f->base->l->kernel->inst_count
                        ? "executed a trap"
                        : "ran past the end of the code");
        f->base->result = CORE_FAULT;
        break;
      }
      advance(f, w);
      redirect(f, w);
      break;
    case UOP_FENCE:
      if (lanes && p->d->i.fn != ISA_MEMBAR_CTA)
        lsu_forget(f->engine->lsu);
      advance(f, w);
      break;
    case UOP_BARRIER:
      if (!lanes) {
        advance(f, w);
        redirect(f, w);
      }
      break;
    default:
      advance(f, w);
  }
  if (w->live)
    w->next = next_uop(f, w);
}

// What a subcore that issues nothing waits for. It stays the same until something happens to a
// warp.
static void find_stall(const front *f, uint32_t k, board_sub *s) {
  subcore_stats *t = &f->base->stats.sub[k];
  bool memory = false, local = false, board = false, barrier = false;
  s->part = &s->no_part;
  for (uint32_t m = s->live; m; m &= m - 1) {
    const cwarp *w = &s->warps[__builtin_ctz(m)];
    if (w->syncing) {
      const sync_cause cause = front_sync_cause(w);
      *(cause == SYNC_BARRIER ? &barrier : cause == SYNC_MEMORY ? &memory : &board) = true;
      local |= cause == SYNC_MEMORY && w->owed_access >> OP_LOCAL & 1;
    } else if (w->barrier || !w->w || w->w->state != WARP_READY) {
      barrier = true;
    } else if (w->buffered && w->waits[OP_REMOTE]) {
      s->stall = &t->cycles_memory, s->part = &t->cycles_memory_remote;
      return;
    } else if (w->buffered && w->accesses) {
      memory = true;
      local |= w->waits[OP_LOCAL] != 0;
    } else if (w->buffered) {
      board = true;
    }
  }
  if (memory)
    s->part = local ? &t->cycles_memory_local : &t->cycles_memory_shared;
  s->stall = !s->live  ? &t->cycles_empty
             : memory  ? &t->cycles_memory
             : board   ? &t->cycles_scoreboard
             : barrier ? &t->cycles_barrier
                       : &t->cycles_fetch;
}

void front_issue(front *f, uint32_t k) {
  board_sub *s = &f->board->sub[k];
  subcore_stats *t = &f->base->stats.sub[k];
  if (s->check)
    refresh_ready(f, s);
  if (s->sync)
    send_sync(f, k);
  if (!s->ready) {
    if (!s->stall)
      find_stall(f, k, s);
    board_stalled(s, 1);
    return;
  }
  if (!engine_room(f->engine, k) || !s->free_ops) {
    t->cycles_engine++;
    return;
  }
  t->cycles_issue++;
  issue(f, k, &s->warps[choose(f, &f->sub[k], s->ready)]);
}

// ---- from first to last

bool front_new(front *f, base *b, board *d, bus *u, engine *e) {
  f->base = b, f->board = d, f->bus = u, f->engine = e;
  f->client = bus_join(u, (bus_client){.ctx = f, .answer = answer});
  d->ended = ended, d->ended_ctx = f;
  f->line_shift = (uint32_t)__builtin_ctz(b->config.icache_line);
  f->icache_mask = (b->config.icache_bytes >> f->line_shift) - 1;
  f->icache = calloc(f->icache_mask + 1, sizeof *f->icache);
  return f->icache != NULL;
}

void front_delete(front *f) {
  free(f->icache);
}

void front_reset(front *f, const core_share *share) {
  f->share = *share;
  memset(f->sub, 0, sizeof f->sub);
  memset(f->blocks, 0, sizeof f->blocks);
  memset(f->shared_used, 0, sizeof f->shared_used);
  memset(f->icache, 0, (f->icache_mask + 1) * sizeof *f->icache);
  f->blocks_live = f->next_block = f->placed = 0;
  f->crowded = false;
  f->wins = f->to_clear = 0;
  f->ended = f->base->cycle;
}

// SPDX-License-Identifier: Apache-2.0
// Blocks, fetch, issue, and the end of instructions.
#include <string.h>
#include "lsu.h"

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

enum { SHARED_UNIT = 64, REG_UNIT = MACHINE_REGS };

static uint32_t units(uint32_t n, uint32_t unit) {
  return (n + unit - 1) / unit;
}

static const plan *next_plan(const core *c, const cwarp *w) {
  return w->w->depth ? &c->plans[w->w->stack[w->w->depth - 1].pc / ISA_BYTES] : NULL;
}

// ---- blocks

typedef struct needs {
  uint32_t near, far, shared;  // units: of a warp, of a warp, of a block
} needs;

static needs needs_of(const core *c) {
  const module_kernel *k = c->l->kernel;
  return (needs){units((uint32_t)k->regs_both + k->regs_near, REG_UNIT),
                 units((uint32_t)k->regs_both + k->regs_far, REG_UNIT),
                 units(c->l->shared_bytes, SHARED_UNIT)};
}

// Takes what the next block needs; false, with nothing taken, when something is missing.
static bool place_block(core *c, uint32_t slot) {
  const needs n = needs_of(c);
  const uint32_t near_units = c->config.near_rf_bytes / (ISA_LANES * 4 * REG_UNIT);
  const uint32_t far_units = c->config.far_rf_bytes / (ISA_LANES * 4 * REG_UNIT);
  const int32_t shared = first_fit(c->shared_used, c->config.shared_bytes / SHARED_UNIT, n.shared);
  uint32_t placed = 0;
  bool ok = shared >= 0;
  for (; ok && placed < c->l->warps; placed++) {
    subcore *s = &c->sub[placed % SUBCORES];
    const uint32_t free = ~s->live & ((1u << c->config.warp_slots) - 1);
    const int32_t near = first_fit(s->near_used, near_units, n.near);
    const int32_t far = first_fit(s->far_used, far_units, n.far);
    ok = free && near >= 0 && far >= 0;
    if (!ok)
      break;
    const uint32_t at = (uint32_t)__builtin_ctz(free);
    cwarp *w = &s->warps[at];
    *w = (cwarp){.live = true,
                 .slot = (uint8_t)at,
                 .block_slot = (uint8_t)slot,
                 .index = placed,
                 .near_base = (uint32_t)near * REG_UNIT,
                 .near_count = n.near * REG_UNIT,
                 .far_base = (uint32_t)far * REG_UNIT,
                 .far_count = n.far * REG_UNIT};
    s->age[at] = c->stats.blocks * 64 + placed;
    s->order[s->n_order++] = (uint8_t)at;
    s->live |= 1u << at;
    mark(s->near_used, (uint32_t)near, n.near, true);
    mark(s->far_used, (uint32_t)far, n.far, true);
  }
  if (ok) {
    mark(c->shared_used, (uint32_t)shared, n.shared, true);
    c->blocks[slot].shared_base = (uint32_t)shared * SHARED_UNIT;
    return true;
  }
  for (uint32_t k = 0; k < SUBCORES; k++)
    for (uint32_t w = 0; w < SLOTS; w++) {
      cwarp *x = &c->sub[k].warps[w];
      if (!x->live || x->block_slot != slot)
        continue;
      mark(c->sub[k].near_used, x->near_base / REG_UNIT, n.near, false);
      mark(c->sub[k].far_used, x->far_base / REG_UNIT, n.far, false);
      c->sub[k].live &= ~(1u << w);
      c->sub[k].n_order--;  // it was the last one
      x->live = false;
    }
  return false;
}

static void end_block(core *c, uint32_t slot) {
  block_slot *b = &c->blocks[slot];
  const needs n = needs_of(c);
  LOOK(c, look_block(c, EVENT_BLOCK_END, b->b));
  mark(c->shared_used, b->shared_base / SHARED_UNIT, n.shared, false);
  if (c->gold)
    gold_end_block(c, b->b);
  launch_end_block(c->l, b->b);
  b->b = NULL;
  c->blocks_live &= ~(1u << slot);
  c->ended = c->cycle + 1;
}

static void warp_end(core *c, subcore *s, cwarp *w) {
  block_slot *b = &c->blocks[w->block_slot];
  const needs n = needs_of(c);
  mark(s->near_used, w->near_base / REG_UNIT, n.near, false);
  mark(s->far_used, w->far_base / REG_UNIT, n.far, false);
  w->live = false;
  s->live &= ~(1u << w->slot);
  s->ready &= ~(1u << w->slot);
  s->fetchable &= ~(1u << w->slot);
  s->stall = NULL;
  uint32_t at = 0;
  while (s->order[at] != w->slot)
    at++;
  s->n_order--;
  memmove(s->order + at, s->order + at + 1, s->n_order - at);
  c->crowded = false;
  if (--b->warps_live == 0)
    end_block(c, w->block_slot);
}

// Local memory begins as zero, like registers: a line a cycle is written, before the warp's first
// instruction.
static void clear_local(core *c, subcore *s) {
  for (uint32_t m = s->live; m; m &= m - 1) {
    cwarp *w = &s->warps[__builtin_ctz(m)];
    if (!w->lines_to_clear)
      continue;
    if (!bus_room(c, s->index, 1))
      return;
    const uint32_t lines = (c->l->kernel->local_bytes + 3) / 4;
    const uint32_t line = w->slot * lines + --w->lines_to_clear;
    c->to_clear--;
    s->fetch_check |= 1u << w->slot;
    const uint64_t at = map_line(c->place.map, c->local_lines, c->place.index, s->index, line);
    const tag t = {.kind = TAG_CLEAR, .reg = w->slot};
    const uint64_t head = TSV_DN_LINE | tsv_put(TSV_DN_LINE_MTYPE, TSV_MTYPE_U32) |
                          tsv_put(TSV_DN_LINE_STORE, 1) | tsv_put(TSV_DN_LINE_ZERO, 1) |
                          tsv_put(TSV_DN_LINE_ADDR, lsu_sector(c, at) << 5) |
                          tsv_put(TSV_DN_ANY_TAG, bus_tag(c, s->index, t));
    bus_push(c, s->index, &head, 1);
    w->ops++;
    return;
  }
}

void front_cleared(core *c, subcore *s, uint32_t slot) {
  cwarp *w = &s->warps[slot];
  w->ops--;
  c->last_end = c->cycle;
  if (w->w->state == WARP_DONE && !w->ops)
    warp_end(c, s, w);
}

static void start_block(core *c, uint32_t slot) {
  block_slot *b = &c->blocks[slot];
  if (!place_block(c, slot)) {
    c->crowded = true;
    return;
  }
  const core_share *share = &c->share;
  const uint32_t n = share->first + c->next_block * share->step;
  const uint32_t index = share->list ? share->list[n] : n;
  if (launch_start_block(c->l, index)) {
    c->result = CORE_FAULT;
    return;
  }
  b->b = c->l->all[index];
  b->b->core = c->place.index;
  b->shared_bytes = c->l->shared_bytes;
  b->warps_live = c->l->warps;
  b->wins = 0;
  for (uint32_t k = 0; k < SUBCORES; k++)
    for (uint32_t w = 0; w < SLOTS; w++) {
      cwarp *x = &c->sub[k].warps[w];
      if (!x->live || x->block_slot != slot || x->w)
        continue;
      x->b = b->b;
      x->w = &b->b->warps[x->index];
      x->next = next_plan(c, x);
      c->sub[k].stall = NULL;
      c->sub[k].clears |= (uint16_t)(1u << w);
      x->lines_to_clear = (c->l->kernel->local_bytes + 3) / 4;
      c->to_clear += x->lines_to_clear;
      if (b->shared_bytes && !c->far_shared && !(b->wins >> k & 1))
        b->wins |= (uint16_t)(1u << k), c->wins++;
    }
  if (c->gold && !gold_start_block(c, b))
    c->result = CORE_FAULT;
  c->blocks_live |= 1u << slot;
  c->next_block++;
  c->stats.blocks++;
  LOOK(c, look_block(c, EVENT_BLOCK, b->b));
}

static void send_wins(core *c, subcore *s) {
  for (uint32_t b = 0; b < c->config.block_slots; b++)
    if ((c->blocks_live >> b & 1) && (c->blocks[b].wins >> s->index & 1) &&
        bus_room(c, s->index, 1)) {
      const uint64_t head = TSV_DN_WIN | tsv_put(TSV_DN_WIN_WIN, b) |
                            tsv_put(TSV_DN_WIN_BASE, c->blocks[b].shared_base) |
                            tsv_put(TSV_DN_WIN_SIZE, c->blocks[b].shared_bytes);
      bus_push(c, s->index, &head, 1);
      c->blocks[b].wins &= (uint16_t) ~(1u << s->index);
      c->wins--;
      s->fetch_check |= s->live;
    }
}

void front_blocks(core *c) {
  if (!c->crowded && c->next_block < c->share.count &&
      c->blocks_live != (1u << c->config.block_slots) - 1)
    start_block(c, (uint32_t)__builtin_ctz(~c->blocks_live));
  uint32_t clears = 0;
  for (uint32_t n = 0; n < SUBCORES; n++)
    clears |= c->sub[n].clears;
  for (uint32_t n = 0; (clears | c->to_clear | c->wins) && n < SUBCORES; n++) {
    subcore *s = &c->sub[n];
    rtt_in *in = &c->in.rtt[n];
    if (c->to_clear)
      clear_local(c, s);
    if (s->clears) {
      in->clr_valid = 1;
      in->clr_warp = (uint32_t)__builtin_ctz(s->clears);
      s->clears &= (uint16_t)(s->clears - 1);
      s->warps[in->clr_warp].fetch_from = c->cycle + 1;
      s->fetch_check |= 1u << in->clr_warp;
    }
    if (c->wins)
      send_wins(c, s);
  }
}

bool front_dispatches(const core *c) {
  uint32_t clears = 0;
  for (uint32_t n = 0; n < SUBCORES; n++)
    clears |= c->sub[n].clears;
  return clears | c->to_clear | c->wins |
         (!c->crowded && c->next_block < c->share.count &&
          c->blocks_live != (1u << c->config.block_slots) - 1);
}

// ---- fetch

// What was fetched in the cycle before can issue in the next one.
static void arrive(subcore *s) {
  if (!s->decode.count)
    return;
  s->stall = NULL;
  cwarp *w = &s->warps[s->decode.warp];
  w->buffered = (uint8_t)(w->buffered + s->decode.count);
  w->arriving = (uint8_t)(w->arriving - s->decode.count);
  s->check |= 1u << w->slot & ~s->ready;
  s->decode.count = 0;
}

static bool wants_fetch(const core *c, const cwarp *w) {
  return w->live && w->w && !(c->blocks[w->block_slot].wins >> w->index % SUBCORES & 1) &&
         !w->lines_to_clear && !w->fetch_stopped && w->w->state == WARP_READY && w->fetch_from &&
         w->buffered + w->arriving + 2 <= BUFFERED;
}

static void refresh_fetchable(const core *c, subcore *s) {
  for (uint32_t m = s->fetch_check; m; m &= m - 1) {
    const uint32_t bit = m & -m;
    const cwarp *w = &s->warps[__builtin_ctz(m)];
    s->fetchable &= ~bit;
    if (!wants_fetch(c, w)) {
      s->fetch_check &= ~bit;
    } else if (w->fetch_from <= c->cycle) {
      s->fetch_check &= ~bit;
      s->fetchable |= bit;
    }
  }
}

// What a warp asked for is there for it, also when another line has taken the place since.
static bool in_icache(const core *c, const subcore *s, const cwarp *w) {
  const uint32_t line = w->fetch_pc >> c->line_shift;
  return c->icache[line & c->icache_mask] == line + 1 || s->served >> w->slot & 1;
}

static void fill(core *c, uint32_t line) {
  if (line << c->line_shift < c->n_plans * ISA_BYTES)
    c->icache[line & c->icache_mask] = line + 1;
}

static void fetch(core *c, subcore *s, cwarp *w) {
  const uint32_t line = w->fetch_pc >> c->line_shift;
  if (!in_icache(c, s, w)) {
    s->miss_until = c->cycle + c->config.icache_miss;
    s->miss_line = line, s->miss_warp = w->slot;
    c->stats.sub[s->index].icache_misses++;
    return;
  }
  s->served &= ~(1u << w->slot);
  if (s->miss_warp == w->slot)
    s->miss_warp = SLOTS;
  c->stats.sub[s->index].fetches++;
  const uint32_t rpc = w->w->stack[w->w->depth - 1].rpc;
  uint8_t n = 0;
  while (n < 2 && w->fetch_pc >> c->line_shift == line) {
    const plan *p = &c->plans[w->fetch_pc / ISA_BYTES];
    n++;
    w->fetch_pc += ISA_BYTES;
    w->fetch_stopped =
        p->stops_fetch || w->fetch_pc == rpc || w->fetch_pc / ISA_BYTES >= c->n_plans;
    if (w->fetch_stopped)
      break;
  }
  w->arriving = (uint8_t)(w->arriving + n);
  s->fetch_check |= 1u << w->slot;
  s->decode.warp = (int8_t)w->slot;
  s->decode.count = n;
}

void front_fetch(core *c, subcore *s) {
  arrive(s);
  if (s->miss_until && s->miss_until <= c->cycle) {
    fill(c, s->miss_line + 1);
    fill(c, s->miss_line);  // last: with room for one line it is this one
    s->served |= 1u << s->miss_warp;
    s->miss_until = 0;
  }
  if (s->fetch_check)
    refresh_fetchable(c, s);
  for (uint32_t left = s->fetchable; left;) {
    const uint32_t above = left & ~((1u << s->fetch_next) - 1);
    const uint32_t at = (uint32_t)__builtin_ctz(above ? above : left);
    cwarp *w = &s->warps[at];
    left &= ~(1u << at);
    if (!in_icache(c, s, w) && s->miss_until)
      continue;  // another line comes first
    fetch(c, s, w);
    s->fetch_next = (at + 1) % SLOTS;
    return;
  }
}

// ---- issue

static bool free_of_hazards(const core *c, const cwarp *w, const plan *p) {
  uint64_t hazards = (w->preds_writing & (p->preds_read | p->preds_written)) |
                     (w->preds_reading & p->preds_written);
  for (uint32_t k = 0; k < c->reg_words; k++) {
    const uint64_t busy = w->writing[k] | w->to_near[k] | w->to_far[k];
    hazards |= (busy & (p->reads[k] | p->writes[k])) | (w->reading[k] & p->writes[k]);
  }
  return !hazards;
}

static bool can_issue(const core *c, const cwarp *w) {
  if (!w->buffered || w->barrier)
    return false;
  const plan *p = w->next;
  if ((p->kind == PLAN_BARRIER || p->kind == PLAN_FENCE || p->kind == PLAN_EXIT) && w->accesses)
    return false;
  return free_of_hazards(c, w, p);
}

static void refresh_ready(core *c, subcore *s) {
  for (uint32_t m = s->check & s->live; m; m &= m - 1) {
    const uint32_t at = (uint32_t)__builtin_ctz(m);
    s->ready &= ~(1u << at);
    if (can_issue(c, &s->warps[at]))
      s->ready |= 1u << at;
  }
  s->check = 0;
}

static uint32_t choose(const core *c, const subcore *s) {
  if (c->config.schedule == CORE_LRR) {
    const uint32_t above = s->ready & ~((2u << s->last) - 1);
    return (uint32_t)__builtin_ctz(above ? above : s->ready);
  }
  if (s->ready >> s->last & 1)
    return s->last;
  for (uint32_t k = 0;; k++)
    if (s->ready >> s->order[k] & 1)
      return s->order[k];
}

static void add_readers(const core *c, cwarp *w, const plan *p) {
  for (uint32_t k = 0; k < c->reg_words; k++)
    for (uint64_t m = p->reads[k]; m; m &= m - 1)
      w->readers[64 * k + (uint32_t)__builtin_ctzll(m)]++;
  for (uint32_t k = 0; k < c->reg_words; k++)
    w->reading[k] |= p->reads[k], w->writing[k] |= p->writes[k];
  for (uint32_t m = p->preds_read; m; m &= m - 1)
    w->pred_readers[__builtin_ctz(m)]++;
  w->preds_reading |= p->preds_read;
  w->preds_writing |= p->preds_written;
}

static void drop_readers(const core *c, cwarp *w, const uint64_t regs[4], const uint64_t but[4]) {
  for (uint32_t k = 0; k < c->reg_words; k++)
    for (uint64_t m = regs[k] & ~(but ? but[k] : 0); m; m &= m - 1) {
      const uint32_t reg = 64 * k + (uint32_t)__builtin_ctzll(m);
      if (--w->readers[reg] == 0)
        w->reading[k] &= ~(1ull << reg % 64);
    }
}

void op_address_read(const core *c, subcore *s, op *o) {
  drop_readers(c, o->w, o->p->address, NULL);
  o->address_read = true;
  s->check |= 1u << o->w->slot & ~s->ready;
}

void op_sources_read(const core *c, subcore *s, op *o) {
  cwarp *w = o->w;
  const plan *p = o->p;
  if (o->sources_read)
    return;
  o->sources_read = true;
  drop_readers(c, w, p->reads, o->address_read ? p->address : NULL);
  for (uint32_t m = p->preds_read; m; m &= m - 1)
    if (--w->pred_readers[__builtin_ctz(m)] == 0)
      w->preds_reading &= (uint16_t) ~(1u << __builtin_ctz(m));
  s->check |= 1u << w->slot & ~s->ready;
}

void op_end(core *c, subcore *s, op *o) {
  cwarp *w = o->w;
  const plan *p = o->p;
  op_sources_read(c, s, o);
  if (c->shared_holder == o)
    c->shared_holder = NULL;
  if (o->gold)
    gold_ended(c, s, o);
  LOOK(c, look_op(c, EVENT_END, o));
  for (uint32_t k = 0; k < c->reg_words; k++)
    w->writing[k] &= ~p->writes[k];
  w->preds_writing &= (uint16_t)~p->preds_written;
  if (p->kind == PLAN_ACCESS)
    w->accesses--, w->accesses_shared = (uint16_t)(w->accesses_shared - o->shared);
  if (p->kind == PLAN_BARRIER) {
    w->barrier = 0;
    w->fetch_pc = w->w->depth ? w->w->stack[w->w->depth - 1].pc : 0;
    w->fetch_stopped = false;
    w->fetch_from = c->cycle + 1;
    w->next = next_plan(c, w);
    s->fetch_check |= 1u << w->slot;
  }
  w->ops--;
  s->stall = NULL;
  s->check |= 1u << w->slot & ~s->ready;
  o->state = OP_FREE;
  o->next = s->free_ops;
  s->free_ops = o;
  s->under_way &= ~(1ull << (o - s->pool));
  c->last_end = c->cycle;
  if (w->w->state == WARP_DONE && !w->ops)
    warp_end(c, s, w);
}

// The pc goes on by itself, perhaps to where lanes meet; true when it went elsewhere than to the
// next one.
static void advance(core *c, cwarp *w) {
  stack_entry *top = &w->w->stack[w->w->depth - 1];
  top->pc += ISA_BYTES;
  if (top->pc != top->rpc)
    return;
  simt_settle(w->w);
  w->buffered = 0;
  w->fetch_pc = w->w->stack[w->w->depth - 1].pc;
  w->fetch_stopped = false;
  w->fetch_from = c->cycle + 2;
}

static void redirect(core *c, cwarp *w) {
  w->buffered = 0;
  w->fetch_stopped = false;
  w->fetch_from = c->cycle + 2;
  if (w->w->depth)
    w->fetch_pc = w->w->stack[w->w->depth - 1].pc;
}

// It will want its registers on the base die in some cycles, which is when the host should have
// them.
static void touch_registers(const cwarp *w, const decoded *d) {
  for (unsigned o = 0; o < 4; o++)
    if (d->reg[o] >= 0)
      ahead_now(w->w->regs + d->reg[o] * ISA_LANES, d->words[o] * ISA_LANES * sizeof *w->w->regs);
}

static void begin(const core *c, subcore *s, cwarp *w, const plan *p, uint32_t pc, uint32_t lanes) {
  op *o = s->free_ops;
  s->free_ops = o->next;
  if (s->free_ops)
    ahead_now(s->free_ops, sizeof *s->free_ops);
  s->under_way |= 1ull << (o - s->pool);
  o->next = NULL;
  o->p = p, o->w = w, o->pc = pc, o->lanes = lanes, o->alive = w->w->alive;
  o->begun = c->cycle;
  o->state = OP_ENGINE;
  o->near = o->sources_read = o->address_read = o->address_here = o->placed = o->shared = false;
  memset(o->waits, 0, sizeof o->waits);
  o->phase = LSU_ADDRESS;
  o->answers = 0;
  o->gathered = 0;
  o->written = 0;
  o->far_valid = o->near_valid = 0;
  o->zero = 0;
  o->data_far = true;
  o->gold = false;
  w->ops++;
  if (p->kind == PLAN_ACCESS) {
    w->accesses++;
    ahead_now(o->pieces, sizeof *o->pieces);
    ahead_now(o->address, ISA_LANES * sizeof *o->address);
  }
  if (p->kind == PLAN_BARRIER)
    w->barrier = 1;
  add_readers(c, w, p);
  touch_registers(w, p->d);
  s->entering = o;
}

static void issue(core *c, subcore *s, cwarp *w) {
  const plan *p = w->next;
  stack_entry *top = &w->w->stack[w->w->depth - 1];
  const uint32_t pc = top->pc, guard = w->w->preds[p->d->i.guard];
  const uint32_t lanes = top->mask & (p->d->i.guard_neg ? ~guard : guard);
  subcore_stats *stats = &c->stats.sub[s->index];
  const bool works = lanes && (p->kind == PLAN_COMPUTE || p->kind == PLAN_CONST ||
                               p->kind == PLAN_ACCESS || p->kind == PLAN_BARRIER);
  s->last = w->slot;
  s->stall = NULL;
  s->check |= 1u << w->slot;
  s->fetch_check |= 1u << w->slot;
  w->buffered--;
  stats->issued++;
  stats->lanes += core_lanes(lanes);
  c->last_end = works ? c->last_end : c->cycle;
  if (works)
    begin(c, s, w, p, pc, lanes);
  else
    stats->far++;
  LOOK(c, look_issue(c, w, pc, lanes, works ? s->entering : NULL));
  if (c->gold)
    gold_issued(c, s, w, works ? s->entering : NULL, pc, lanes);
  switch (p->kind) {
    case PLAN_BRANCH:
      simt_branch(w->w, lanes, p->d->i.imm, p->d->i.reconv);
      redirect(c, w);
      break;
    case PLAN_EXIT:
      if (lanes)
        exec_exit(c->l, w->b, w->w, lanes);
      else
        advance(c, w);
      redirect(c, w);
      if (w->w->state == WARP_DONE && !w->ops)
        warp_end(c, s, w);
      break;
    case PLAN_TRAP:
      if (lanes) {
        trace_fault(
            c->l, w->b, w->w, pc, (unsigned)__builtin_ctz(lanes), MACHINE_FAULT_TRAP,
            pc / ISA_BYTES < c->l->kernel->inst_count ? "executed a trap" : "ran off the code");
        c->result = CORE_FAULT;
        break;
      }
      advance(c, w);
      redirect(c, w);
      break;
    case PLAN_BARRIER:
      if (!lanes) {
        advance(c, w);
        redirect(c, w);
      }
      break;
    default:
      advance(c, w);
  }
  if (w->live)
    w->next = next_plan(c, w);
}

// What a subcore that issues nothing waits for. It stays the same until something happens to a
// warp.
static uint64_t *stall_of(core *c, const subcore *s) {
  subcore_stats *t = &c->stats.sub[s->index];
  bool board = false, barrier = false;
  if (!s->live)
    return &t->cycles_empty;
  for (uint32_t m = s->live; m; m &= m - 1) {
    const cwarp *w = &s->warps[__builtin_ctz(m)];
    if (w->barrier || !w->w || w->w->state != WARP_READY)
      barrier = true;
    else if (w->buffered && w->accesses)
      return &t->cycles_memory;
    else if (w->buffered)
      board = true;
  }
  return board ? &t->cycles_scoreboard : barrier ? &t->cycles_barrier : &t->cycles_fetch;
}

void front_issue(core *c, subcore *s) {
  subcore_stats *t = &c->stats.sub[s->index];
  if (s->check)
    refresh_ready(c, s);
  if (!s->ready) {
    if (!s->stall)
      s->stall = stall_of(c, s);
    ++*s->stall;
    return;
  }
  if (s->entering || !s->free_ops) {
    t->cycles_engine++;
    return;
  }
  t->cycles_issue++;
  issue(c, s, &s->warps[choose(c, s)]);
}

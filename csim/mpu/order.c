// SPDX-License-Identifier: Apache-2.0
#include "order.h"

#include <stdlib.h>
#include <string.h>
#include "csim/base/rare.h"

#include "csim/isa/isa.h"
#include "tsv_packet.h"

#define BLOCK order
#include "csim/base/block_table.h"

void order_init(order *o, const structure *sizes) {
  const uint32_t n = structure_or_default(sizes)->held;
  *o = (order){.all = n == 32 ? ~0u : (1u << n) - 1};
  o->gone = o->read = o->awake = o->all;
  o->out.in_ready = 1;
}

RARE static void reset(order *o) {
  o->held = o->clear = o->syncs = o->rests = o->longs = o->opc = o->lsux = o->regm = 0;
  o->banks = o->shared = 0;
  memset(o->reads, 0, sizeof o->reads);
  memset(o->writes, 0, sizeof o->writes);
  o->gone = o->read = o->awake = o->all;
  memset(o->waking, 0, sizeof o->waking);
  o->out.out_valid = o->out.sync_valid = o->out.answers = o->out.busy = 0;
  o->out.in_ready = 1;
}

// ---- what matters of a packet

static void add(uint64_t set[2], uint64_t place, uint32_t words) {
  if (words)
    set[place / 64] |= (words == 4   ? 15ull
                        : words == 2 ? 3ull
                                     : 1ull)
                       << (place % 64 & ~(uint64_t)(words - 1));
}

static void look_at_exec(uint64_t head, order_look *x) {
  isa_inst i = isa_inst_new((unsigned)tsv_get(head, TSV_DN_EXEC_OP),
                            (unsigned)tsv_get(head, TSV_DN_EXEC_TYPE));
  const uint64_t c = tsv_get(head, TSV_DN_EXEC_C);
  const uint64_t places[4] = {tsv_get(head, TSV_DN_EXEC_D), tsv_get(head, TSV_DN_EXEC_A),
                              tsv_get(head, TSV_DN_EXEC_B), c};
  const uint64_t zero = tsv_get(head, TSV_DN_EXEC_ZERO) << 1;
  const uint64_t imm = tsv_get(head, TSV_DN_EXEC_IMM_AT);
  if (isa_ops[i.op].types2)
    i.type2 = (uint8_t)(c & 31);
  add(x->writes, places[0], isa_words(&i, 0));
  for (unsigned k = 1; k < 4; k++)
    if (imm != k && !(zero >> k & 1))
      add(x->reads, places[k], isa_words(&i, k));
}

// SHM and SECT, which have these fields in the same places.
static void look_at_lanes(uint64_t head, uint64_t b, uint64_t c, uint32_t zero, order_look *x) {
  const unsigned mop = (unsigned)tsv_get(head, TSV_DN_SHM_MOP);
  const unsigned bytes = tsv_mtype_bytes((unsigned)tsv_get(head, TSV_DN_SHM_MTYPE));
  const uint32_t words = (bytes + 3) / 4;
  const bool atomic = mop >= TSV_MOP_ATOM;
  if (mop != TSV_MOP_LD && !(zero & 2))
    add(x->reads, b, words);
  if (mop == TSV_MOP_ATOM + ISA_ATOM_CAS && !(zero & 4))
    add(x->reads, c, words);
  if (mop == TSV_MOP_LD || (atomic && tsv_get(head, TSV_DN_SHM_RET)))
    add(x->writes, tsv_get(head, TSV_DN_SHM_D), words);
}

order_look order_look_at(const uint32_t *words, const uint32_t *body) {
  const uint64_t head = tsv_flit(words);
  order_look x = {.memory = ORDER_NONE};
  switch (tsv_get(head, TSV_DN_ANY_KIND)) {
    case TSV_DN_EXEC:
      look_at_exec(head, &x);
      break;
    case TSV_DN_SHM: {
      const uint32_t zero = (uint32_t)tsv_get(head, TSV_DN_SHM_ZERO);
      x.memory = ORDER_SHARED;
      x.line = (uint32_t)tsv_get(head, TSV_DN_SHM_WIN);
      if (!tsv_get(head, TSV_DN_SHM_INLINE) && !(zero & 1))
        add(x.reads, tsv_get(head, TSV_DN_SHM_A), 1);
      look_at_lanes(head, tsv_get(head, TSV_DN_SHM_B), tsv_get(head, TSV_DN_SHM_C), zero, &x);
      break;
    }
    case TSV_DN_SECT:
      x.memory = ORDER_BANKS;
      x.line = (uint32_t)tsv_get(head, TSV_DN_SECT_SECTOR) >> 2;
      look_at_lanes(head, tsv_get(head, TSV_DN_SECT_B), body[1] & 127, body[1] >> 7 << 1, &x);
      break;
    case TSV_DN_LINE:
      x.memory = ORDER_BANKS;
      x.line = (uint32_t)tsv_get(head, TSV_DN_LINE_ADDR) >> 7;
      if (!tsv_get(head, TSV_DN_LINE_STORE))
        add(x.writes, tsv_get(head, TSV_DN_LINE_REG), 1);
      else if (!tsv_get(head, TSV_DN_LINE_ZERO))
        add(x.reads, tsv_get(head, TSV_DN_LINE_REG), 1);
      break;
    case TSV_DN_RD:
    case TSV_DN_WR:
    case TSV_DN_ATM:
      x.memory = ORDER_BANKS;
      x.line = (uint32_t)tsv_get(head, TSV_DN_RD_SECTOR) >> 2;
      break;
    case TSV_DN_WIN:
      x.memory = ORDER_SHARED;
      x.line = (uint32_t)tsv_get(head, TSV_DN_WIN_WIN);
      break;
    case TSV_DN_REGWR:
      add(x.writes, tsv_get(head, TSV_DN_REGWR_REG), 1);
      break;
    case TSV_DN_REGRD:
      add(x.reads, tsv_get(head, TSV_DN_REGRD_REG), 1);
      break;
    default:  // SYNC
      break;
  }
  return x;
}

// ---- what happens to entries

// What these entries waited for has come.
static void release(order *o, uint32_t *which) {
  for (uint32_t m = *which; m; m &= m - 1)
    if (!--o->of[__builtin_ctz(m)].waits)
      o->clear |= m & -m;
  *which = 0;
}

// They are gone, read, or awake from now on: nobody waits for that any more.
static void tell(order *o, uint32_t gone, uint32_t read, uint32_t awake) {
  o->gone |= gone, o->read |= read, o->awake |= awake;
  for (uint32_t m = gone & o->held; m; m &= m - 1)
    release(o, &o->of[__builtin_ctz(m)].here_for);
  for (uint32_t m = read & o->held; m; m &= m - 1)
    release(o, &o->of[__builtin_ctz(m)].unread_for);
  for (uint32_t m = awake & o->held; m; m &= m - 1)
    release(o, &o->of[__builtin_ctz(m)].asleep_for);
}

// Entries that read or write one of the places.
static uint32_t who(const uint32_t *table, const uint64_t places[2]) {
  uint32_t all = 0;
  for (uint32_t k = 0; k < 2; k++)
    for (uint64_t m = places[k]; m; m &= m - 1)
      all |= table[64 * k + (uint32_t)__builtin_ctzll(m)];
  return all;
}

// In the table of who reads or writes a place: some do not any more, others do.
static void note(uint32_t *table, const uint64_t places[2], uint32_t clear, uint32_t set) {
  for (uint32_t k = 0; k < 2; k++)
    for (uint64_t m = places[k]; m; m &= m - 1) {
      uint32_t *at = &table[64 * k + (uint32_t)__builtin_ctzll(m)];
      *at = (*at & ~clear) | set;
    }
}

static void set_free(order *o, uint32_t which) {
  for (uint32_t m = which & o->held; m; m &= m - 1) {
    const order_look *x = &o->of[__builtin_ctz(m)].look;
    note(o->reads, x->reads, which, 0);
    note(o->writes, x->writes, which, 0);
  }
  o->held &= ~which, o->clear &= ~which;
  o->syncs &= ~which, o->rests &= ~which, o->longs &= ~which;
  o->opc &= ~which, o->lsux &= ~which, o->regm &= ~which;
  o->banks &= ~which, o->shared &= ~which;
  o->out.answers &= ~which;
}

// ---- going

static uint32_t oldest(const order *o, uint32_t which) {
  uint32_t first = (uint32_t)__builtin_ctz(which);
  for (uint32_t m = which & (which - 1); m; m &= m - 1)
    if (o->of[__builtin_ctz(m)].number < o->of[first].number)
      first = (uint32_t)__builtin_ctz(m);
  return first;
}

// The entry that goes, as a bit.
static uint32_t choose(order *o, const order_in *in) {
  uint32_t can = o->clear & ~o->gone & ~o->syncs;
  if (!in->opc_room)
    can &= ~o->opc;
  if (!in->lsux_room)
    can &= ~o->lsux;
  if (!in->regm_room)
    can &= ~o->regm;
  o->out.out_valid = can != 0;
  if (!can)
    return 0;
  const uint32_t n = oldest(o, can);
  const order_entry *e = &o->of[n];
  const uint64_t tag = tsv_put(TSV_DN_ANY_TAG, 255);
  o->out.out_head[0] = (e->head[0] & ~(uint32_t)tag) | (uint32_t)tsv_put(TSV_DN_ANY_TAG, n);
  o->out.out_head[1] = e->head[1];
  memcpy(o->out.out_body, e->body, sizeof o->out.out_body);
  o->out.out_long = o->longs >> n & 1;
  return 1u << n;
}

// The SYNC that has left, as a bit; the next one leaves.
static uint32_t synchronize(order *o, const order_in *in, uint32_t ready) {
  if (o->out.sync_valid && !in->sync_ready)
    return 0;
  const uint32_t left = o->out.sync_valid ? 1u << o->out.sync_n : 0, next = ready & ~left;
  o->out.sync_valid = next != 0;
  if (next)
    o->out.sync_n = (uint32_t)__builtin_ctz(next);
  return left;
}

// ---- coming

// Those of them that access this line, or this window.
static uint32_t same_line(const order *o, uint32_t of, uint32_t line) {
  uint32_t same = 0;
  for (uint32_t m = of; m; m &= m - 1)
    if (o->of[__builtin_ctz(m)].look.line == line)
      same |= m & -m;
  return same;
}

// What a SYNC waits for: all, or who accesses its window.
static uint32_t sync_waits(const order *o, uint64_t head, uint32_t asleep) {
  if (!tsv_get(head, TSV_DN_SYNC_SHARED))
    return asleep;
  return same_line(o, o->shared & asleep, (uint32_t)tsv_get(head, TSV_DN_SYNC_WIN));
}

// `bit` is e's own.
static void wait_for_others(order *o, order_entry *e, uint32_t bit, bool sync) {
  const order_look *x = &e->look;
  const uint32_t accesses = x->memory ? o->banks | o->shared : 0;
  const uint32_t alike = x->memory == ORDER_BANKS ? o->banks : x->memory ? o->shared : 0;
  const uint32_t both = who(o->writes, x->writes), asleep = o->held & ~o->awake;
  uint32_t awake = (who(o->writes, x->reads) | (both & ~accesses)) & asleep;
  const uint32_t read = who(o->reads, x->writes) & ~o->read;
  const uint32_t gone = (both & accesses & ~o->gone) | same_line(o, alike & ~o->gone, x->line);
  if (sync)
    awake |= sync_waits(o, tsv_flit(e->head), asleep);
  e->waits = 0;
  for (uint32_t m = awake; m; m &= m - 1, e->waits++)
    o->of[__builtin_ctz(m)].asleep_for |= bit;
  for (uint32_t m = read; m; m &= m - 1, e->waits++)
    o->of[__builtin_ctz(m)].unread_for |= bit;
  for (uint32_t m = gone; m; m &= m - 1, e->waits++)
    o->of[__builtin_ctz(m)].here_for |= bit;
  note(o->reads, x->reads, 0, bit);
  note(o->writes, x->writes, 0, bit);
  o->banks |= x->memory == ORDER_BANKS ? bit : 0;
  o->shared |= x->memory == ORDER_SHARED ? bit : 0;
}

static void enter(order *o, const order_in *in, uint32_t n) {
  order_entry *e = &o->of[n];
  const uint64_t head = tsv_flit(in->in_head);
  const uint64_t kind = tsv_get(head, TSV_DN_ANY_KIND);
  const uint32_t bit = 1u << n, tag = (uint32_t)tsv_get(head, TSV_DN_ANY_TAG);
  memcpy(e->head, in->in_head, sizeof e->head);
  memcpy(e->body, in->in_body, sizeof e->body);
  e->look = order_look_at(e->head, e->body);
  e->asleep_for = e->unread_for = e->here_for = 0;
  e->number = o->next_number++;
  wait_for_others(o, e, bit, kind == TSV_DN_SYNC);
  o->held |= bit;
  o->gone &= ~bit, o->awake &= ~bit;
  if (e->look.reads[0] | e->look.reads[1])
    o->read &= ~bit;
  if (!e->waits)
    o->clear |= bit;
  if (tsv_dn_len(head) > 1)
    o->longs |= bit;
  uint32_t *word = &o->out.tags[n / 4];
  *word = (*word & ~(255u << 8 * (n % 4))) | tag << 8 * (n % 4);
  switch (kind) {
    case TSV_DN_SYNC:
      o->syncs |= bit;
      break;
    case TSV_DN_REGRD:
      o->rests |= bit;
      o->opc |= bit;
      break;
    case TSV_DN_EXEC:
      o->opc |= bit;
      break;
    case TSV_DN_REGWR:
      o->regm |= bit;
      break;
    case TSV_DN_LINE:
    case TSV_DN_SECT:
    case TSV_DN_SHM:
      o->opc |= bit;
      o->lsux |= bit;
      break;
    default:
      o->lsux |= bit;
      if (kind == TSV_DN_WR || (kind == TSV_DN_ATM && !tsv_get(head, TSV_DN_ATM_RET)))
        o->out.answers |= bit;
  }
}

// ---- the block

static bool is_window(const order *o, uint32_t which) {
  return which && (o->of[__builtin_ctz(which)].head[0] & 15) == TSV_DN_WIN;  // KIND
}

static void clock_edge(order *o, const order_in *in) {
  const uint32_t vacant = o->all & ~o->held, syncs = o->syncs & o->clear;
  const uint32_t read = in->read_valid ? 1u << in->read_n : 0;
  uint32_t awake = o->waking[0] | (read & o->rests);
  o->waking[0] = o->waking[1], o->waking[1] = o->waking[2];
  o->waking[2] = in->read_exec ? read : 0;
  uint32_t complete = synchronize(o, in, syncs);
  complete |= in->valu_done ? 1u << in->valu_n : 0;
  complete |= in->lsux_done ? 1u << in->lsux_n : 0;
  complete |= in->regm_done ? 1u << in->regm_n : 0;
  complete |= in->up_done ? 1u << in->up_n : 0;
  uint32_t gone = 0;
  if (!o->out.out_valid || in->out_ready)
    gone = choose(o, in);
  if (is_window(o, gone))
    complete |= gone;
  awake |= complete;
  if (gone | read | awake)
    tell(o, gone | complete, read | complete, awake);
  if (complete)
    set_free(o, complete);
  if (in->in_valid & o->out.in_ready)
    enter(o, in, (uint32_t)__builtin_ctz(vacant));
  o->out.in_ready = o->held != o->all;
  o->out.busy = o->held || o->out.out_valid;
}

// Nothing comes, ends, or may go.
static bool still(const order *o, const order_in *in) {
  const uint32_t goes = o->out.out_valid ? in->out_ready : (o->clear & ~o->gone) != 0;
  return !(in->in_valid | in->read_valid | in->valu_done | in->lsux_done | in->regm_done |
           in->up_done | goes | o->out.sync_valid | (o->syncs & o->clear) | o->waking[0] |
           o->waking[1] | o->waking[2]);
}

void order_edge(order *o, const order_in *in) {
  if (!still(o, in))
    clock_edge(o, in);
  if (!in->rst_n)
    reset(o);
}

void order_step(order *o, const order_in *in, order_out *out) {
  order_clock(o, in);
  *out = o->out;
}

#define BLOCK order
#define BLOCK_INIT(block, sizes) order_init(block, sizes)
#include "csim/base/block_twin.h"

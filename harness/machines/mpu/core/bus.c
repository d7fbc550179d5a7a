// SPDX-License-Identifier: Apache-2.0
// Queues of packets, the TSV bus, what comes up.
#include "bus.h"

#include <assert.h>
#include <string.h>
#include "csim/base/round_robin.h"

uint8_t bus_join(bus *u, bus_client c) {
  assert(u->n_clients < BUS_CLIENTS);
  u->clients[u->n_clients] = c;
  return (uint8_t)u->n_clients++;
}

void bus_reset(bus *u) {
  u->remote = false;
  u->turn = u->down_heads = u->up_heads = 0;
  memset(u->port, 0, sizeof u->port);
  for (uint32_t k = 0; k < SUBCORES; k++) {
    nbu_port *p = &u->port[k];
    p->credits = u->base->config.sizes.rx_depth;  // rule 1 of docs/blocks/tsv.md
    p->n_free = TAGS;
    for (uint32_t t = 0; t < TAGS; t++)
      p->free_tags[t] = (uint8_t)(TAGS - 1 - t);
  }
}

// Words of a result of two beats that another packet can have overwritten when the second one has
// been written, a bit each: a REGWR of the same warp may write the low word at that very edge.
static uint8_t overwritten(const bus *u, uint32_t nbu, const tag *t) {
  if (t->kind != TAG_EXEC || t->writes != 3)
    return 0;
  const op *o = board_op(u->board, t->subcore, t->flight);
  const nbu_port *p = &u->port[nbu];
  for (uint32_t n = 0; n < TAGS; n++) {
    const tag *m = &p->tags[n];
    if (m->kind == TAG_FREE || !m->begun || (int32_t)(m->sent - t->sent) <= 0)
      continue;
    const op *other = board_op(u->board, m->subcore, m->flight);
    const int reg = m->kind == TAG_MOVE_NEAR ? m->reg
                    : m->writes              ? other->p->d->reg[0] + __builtin_ctz(m->writes)
                                             : -1;
    if (other->w == o->w && reg == o->p->d->reg[0])
      return 1;
  }
  return 0;
}

static void emit_packet(bus *u, event_kind kind, uint32_t nbu, uint32_t number, uint32_t flits,
                        uint64_t head, const tag *t) {
  base *b = u->base;
  core_event e = t && t->o ? emit_of_op(b, kind, board_op(u->board, t->subcore, t->flight))
                           : emit_of_warp(b, kind, NULL);
  const bus_client *client = t ? &u->clients[t->client] : NULL;
  if (client && client->tell)
    client->tell(client->ctx, t, &e);
  e.nbu = (uint8_t)nbu;
  e.packet = (uint8_t)(head & 15);
  e.flits = (uint8_t)flits;
  e.part = t ? t->writes : 0;
  e.reg = kind == EVENT_ANSWER && e.part ? overwritten(u, nbu, t) : 0;
  e.tag = (uint8_t)number;
  emit_tell(b, &e);
}

// The core's own packets and those of LSU-Remote wait for each other by turns: long ones would
// never find room otherwise.
bool bus_room(bus *u, uint32_t nbu, uint32_t flits) {
  nbu_port *p = &u->port[nbu];
  const bool remote = u->remote, held = p->holder != NULL;
  if (p->pushed || (remote ? p->wanted && !p->claimed : p->claimed && !held))
    return false;
  const bool room = p->count + flits <= u->base->config.tsv_queue && p->n_free;
  if (!room && p->served != remote)
    *(remote ? &p->claimed : &p->wanted) = true;
  return room;
}

uint8_t bus_tag(bus *u, uint32_t nbu, tag t) {
  nbu_port *p = &u->port[nbu];
  const uint8_t n = p->free_tags[--p->n_free];
  p->tags[n] = t;
  if (t.o)
    p->tags[n].subcore = t.o->subcore, p->tags[n].flight = t.o->flight;
  p->tags[n].sent = ++p->n_sent;
  return n;
}

static void put_flit(nbu_port *p, uint64_t flit) {
  assert(p->count < QUEUE);
  p->flits[(p->head + p->count++) % QUEUE] = flit;
}

static void count_flits(bus *u, uint32_t nbu, uint64_t head, uint32_t n) {
  nbu_stats *stats = &u->base->stats.nbu[nbu];
  stats->down[tsv_get(head, TSV_DN_ANY_KIND)]++;
  stats->down_flits[tsv_get(head, TSV_DN_ANY_KIND)] += n;
}

// The packet as an entry of a RUN: the last one in the queue, if that has room, or a new one.
static uint32_t put_entry(bus *u, uint32_t nbu, const op *o, uint64_t number) {
  nbu_port *p = &u->port[nbu];
  const uint32_t n = forms_number(o, u->base->config.sizes.forms);
  const bool joins = p->run_n && p->run_n < 3 && p->count && p->run == p->head + p->count - 1;
  if (!joins) {
    const uint64_t head = TSV_DN_RUN | tsv_put(TSV_DN_ANY_TAG, number) |
                          tsv_put(TSV_DN_RUN_FORM0, n) | tsv_put(TSV_DN_RUN_SLOT0, o->w->slot) |
                          tsv_put(TSV_DN_RUN_TAG1, NO_TAG) | tsv_put(TSV_DN_RUN_TAG2, NO_TAG);
    p->run = p->head + p->count;
    p->run_n = 1;
    put_flit(p, head);
    count_flits(u, nbu, head, 1);
    return 1;
  }
  uint64_t *head = &p->flits[p->run % QUEUE];
  *head &= ~tsv_put(p->run_n == 1 ? TSV_DN_RUN_TAG1 : TSV_DN_RUN_TAG2, NO_TAG);
  *head |= p->run_n++ == 1 ? tsv_put(TSV_DN_RUN_TAG1, number) | tsv_put(TSV_DN_RUN_FORM1, n) |
                                 tsv_put(TSV_DN_RUN_SLOT1, o->w->slot)
                           : tsv_put(TSV_DN_RUN_TAG2, number) | tsv_put(TSV_DN_RUN_FORM2, n) |
                                 tsv_put(TSV_DN_RUN_SLOT2, o->w->slot);
  return 0;
}

// Into the queue: whole, or as an entry of a RUN. How many flits that takes.
static uint32_t put_packet(bus *u, uint32_t nbu, const op *o, const uint64_t *flits, uint32_t n) {
  nbu_port *p = &u->port[nbu];
  const uint32_t n_forms = u->base->config.sizes.forms;
  const uint32_t room = u->base->config.tsv_queue - p->count;
  uint64_t before[3];
  const int n_before =
      n_forms && o ? forms_entry(&p->forms, n_forms, o, flits, n, room, before) : -1;
  if (n_before < 0) {
    for (uint32_t k = 0; k < n; k++)
      put_flit(p, flits[k]);
    u->base->stats.nbu[nbu].down_flits[tsv_get(flits[0], TSV_DN_ANY_KIND)] += n;
    return n;
  }
  for (int k = 0; k < n_before;) {
    const uint32_t len = 1 + tsv_dn_len(before[k]);
    count_flits(u, nbu, before[k], len);
    for (uint32_t i = 0; i < len; i++)
      put_flit(p, before[k++]);
  }
  return (uint32_t)n_before + put_entry(u, nbu, o, tsv_get(flits[0], TSV_DN_ANY_TAG));
}

void bus_push(bus *u, uint32_t nbu, const uint64_t *flits, uint32_t n) {
  nbu_port *p = &u->port[nbu];
  const uint64_t kind = tsv_get(flits[0], TSV_DN_ANY_KIND);
  const uint64_t to = tsv_get(flits[0], TSV_DN_ANY_TAG);
  const uint32_t sent = put_packet(u, nbu, to == NO_TAG ? NULL : p->tags[to].o, flits, n);
  p->pushed = 1;
  p->served = u->remote;
  *(p->served ? &p->claimed : &p->wanted) = false;
  const uint8_t number = (uint8_t)to;
  EMIT(u->base, emit_packet(u, EVENT_SEND, nbu, number, sent, flits[0],
                            number == NO_TAG ? NULL : &p->tags[number]));
  if (bus_silent(flits[0]))
    p->tags[number].silent = true;
  if (bus_silent(flits[0]) && p->tags[number].o) {
    board_sent(u->board, p->tags[number].o);
    if (p->tags[number].kind != TAG_LINE)
      board_owes(p->tags[number].o, nbu,
                 kind == TSV_DN_SHM                           ? 1u << OP_SHARED
                 : kind == TSV_DN_LINE || kind == TSV_DN_SECT ? 1u << OP_LOCAL
                                                              : 0);
  }
  nbu_stats *stats = &u->base->stats.nbu[nbu];
  stats->down[kind]++;
  if (kind != TSV_DN_EXEC) {
    const nbu_work work = nbu_work_of(flits[0], n > 1 ? flits[1] : 0);
    base_count_work(stats, &work);
  }
}

// ---- registers: the words of the lanes in ascending order, or a flit when they have a pattern

// The flit of a register with a pattern, and the bit of the head that says which one; false: it has
// none.
static bool pattern_of(const bus *u, const uint32_t words[ISA_LANES], uint32_t lanes,
                       uint64_t *head, uint64_t *flit) {
  const bool patterns = u->base->config.sizes.patterns;
  const uint32_t first = (uint32_t)__builtin_ctz(lanes), rest = lanes & (lanes - 1);
  const uint32_t second = rest ? (uint32_t)__builtin_ctz(rest) : first;
  const uint32_t step = rest && second == first + 1 ? words[second] - words[first] : 0;
  const uint32_t zero = words[first] - first * step;  // what lane 0 would have
  bool linear = patterns || !step, mask = patterns;
  uint32_t ones = 0;
  for (uint32_t m = lanes; m && (linear | mask); m &= m - 1) {
    const uint32_t l = (uint32_t)__builtin_ctz(m);
    linear &= words[l] == zero + l * step;
    mask &= words[l] == 0 || words[l] == ~0u;
    ones |= (words[l] & 1) << l;
  }
  *head = linear ? tsv_put(TSV_DN_REGWR_LINEAR, 1) : tsv_put(TSV_DN_REGWR_BITS, 1);
  *flit = linear ? (uint64_t)step << 32 | zero : ones;
  return linear || mask;
}

uint32_t bus_write_flits(const bus *u, const uint32_t words[ISA_LANES], uint32_t lanes) {
  uint64_t pattern, flit;
  return pattern_of(u, words, lanes, &pattern, &flit)
             ? 2
             : 1 + ((uint32_t)__builtin_popcount(lanes) + 1) / 2;
}

bool bus_write(bus *u, uint32_t nbu, uint32_t place, const uint32_t words[ISA_LANES],
               uint32_t lanes, tag t) {
  uint64_t flits[1 + ISA_LANES / 2] = {0}, pattern = 0;
  if (!bus_room(u, nbu, 2))  // it is asked again in each cycle: looking at the words waits for this
    return false;
  const bool one = pattern_of(u, words, lanes, &pattern, &flits[1]);
  const uint32_t len = one ? 1 : ((uint32_t)__builtin_popcount(lanes) + 1) / 2;
  if (!bus_room(u, nbu, 1 + len))
    return false;
  if (!one) {
    uint32_t n = 0;
    pattern = flits[1] = 0;
    for (uint32_t m = lanes; m; m &= m - 1, n++)
      flits[1 + n / 2] |= (uint64_t)words[__builtin_ctz(m)] << 32 * (n % 2);
  }
  flits[0] = TSV_DN_REGWR | tsv_put(TSV_DN_ANY_LEN, len) | pattern |
             tsv_put(TSV_DN_REGWR_REG, place) | tsv_put(TSV_DN_REGWR_MASK, lanes) |
             tsv_put(TSV_DN_ANY_TAG, bus_tag(u, nbu, t));
  bus_push(u, nbu, flits, 1 + len);
  return true;
}

bool bus_read(bus *u, uint32_t nbu, uint32_t place, uint32_t lanes, tag t) {
  if (!bus_room(u, nbu, 1))
    return false;
  t.lanes = lanes;
  const uint64_t head = TSV_DN_REGRD | tsv_put(TSV_DN_REGRD_REG, place) |
                        tsv_put(TSV_DN_REGRD_MASK, lanes) |
                        tsv_put(TSV_DN_ANY_TAG, bus_tag(u, nbu, t));
  bus_push(u, nbu, &head, 1);
  return true;
}

void bus_lanes(const tag *t, uint64_t head, const uint64_t *body, uint32_t words[ISA_LANES]) {
  const bool linear = tsv_get(head, TSV_UP_REGD_LINEAR), bits = tsv_get(head, TSV_UP_REGD_BITS);
  const uint32_t low = (uint32_t)body[0], high = (uint32_t)(body[0] >> 32);
  uint32_t k = 0;
  for (uint32_t m = t->lanes; m; m &= m - 1, k++) {
    const uint32_t l = (uint32_t)__builtin_ctz(m);
    words[l] = linear ? low + l * high
               : bits ? -(low >> l & 1)
                      : (uint32_t)(body[k / 2] >> 32 * (k % 2));
  }
}

// ---- sectors

unsigned bus_mtype(const isa_inst *i, unsigned bytes) {
  const bool atomic = i->op == ISA_OP_ATOM || i->op == ISA_OP_RED;
  if (bytes == 4 && atomic)
    return i->type == ISA_TYPE_F32   ? TSV_MTYPE_F32
           : i->type == ISA_TYPE_S32 ? TSV_MTYPE_S32
                                     : TSV_MTYPE_U32;
  switch (bytes) {
    case 1:
      return i->type == ISA_TYPE_S8 ? TSV_MTYPE_S8 : TSV_MTYPE_U8;
    case 2:
      return i->type == ISA_TYPE_S16 ? TSV_MTYPE_S16 : TSV_MTYPE_U16;
    case 4:
      return TSV_MTYPE_U32;
    case 8:
      return TSV_MTYPE_B64;
    default:
      return TSV_MTYPE_B128;
  }
}

unsigned bus_mop(const isa_inst *i) {
  return i->op == ISA_OP_LD ? TSV_MOP_LD : i->op == ISA_OP_ST ? TSV_MOP_ST : TSV_MOP_ATOM + i->fn;
}

uint32_t bus_chunks(uint32_t mask) {
  uint32_t chunks = 0;
  for (uint32_t k = 0; k < 4; k++)
    chunks |= (uint32_t)((mask >> 8 * k & 255) != 0) << k;
  return chunks;
}

bool bus_whole(uint32_t mask) {
  bool whole = true;
  for (uint32_t k = 0; k < 4; k++)
    whole &= (mask >> 8 * k & 255) == 0 || (mask >> 8 * k & 255) == 255;
  return whole;
}

// All of the bytes are in one word.
static bool is_single(uint32_t mask, uint32_t *word) {
  *word = (uint32_t)__builtin_ctz(mask) / 4;
  return !(mask & ~(15u << 4 * *word));
}

bool bus_sector_read(bus *u, uint32_t nbu, uint64_t sector, uint32_t mask, tag t) {
  uint32_t word, chunks = bus_chunks(mask);
  const bool single = is_single(mask, &word);
  if (!bus_room(u, nbu, 1))
    return false;
  t.word = single ? (uint8_t)word : 8;
  t.chunks = (uint8_t)chunks;
  const uint64_t head =
      TSV_DN_RD | tsv_put(TSV_DN_RD_CHUNKS, single ? 0 : chunks) |
      tsv_put(TSV_DN_RD_SINGLE, single) | tsv_put(TSV_DN_RD_WORD, single ? word : 0) |
      tsv_put(TSV_DN_RD_SECTOR, sector) | tsv_put(TSV_DN_ANY_TAG, bus_tag(u, nbu, t));
  bus_push(u, nbu, &head, 1);
  return true;
}

bool bus_sector_write(bus *u, uint32_t nbu, uint64_t sector, const uint8_t data[32], uint32_t mask,
                      tag t) {
  uint64_t flits[6] = {0};
  uint32_t len = 1, word, chunks = bus_chunks(mask);
  const bool single = is_single(mask, &word), full = bus_whole(mask);
  if (single) {
    memcpy(&flits[1], data + 4 * word, 4);
  } else {
    flits[1] = mask;
    len = full ? 0 : 1;
    for (uint32_t k = 0; k < 4; k++)
      if (chunks >> k & 1)
        memcpy(&flits[1 + len++], data + 8 * k, 8);
  }
  if (!bus_room(u, nbu, 1 + len))
    return false;
  flits[0] = TSV_DN_WR | tsv_put(TSV_DN_ANY_LEN, len) |
             tsv_put(TSV_DN_WR_CHUNKS, single ? 0 : chunks) | tsv_put(TSV_DN_WR_SINGLE, single) |
             tsv_put(TSV_DN_WR_WORD, single ? word : 0) |
             tsv_put(TSV_DN_WR_BE, single ? mask >> 4 * word & 15 : 0) |
             tsv_put(TSV_DN_WR_FULL, !single && full) | tsv_put(TSV_DN_WR_SECTOR, sector) |
             tsv_put(TSV_DN_ANY_TAG, bus_tag(u, nbu, t));
  bus_push(u, nbu, flits, 1 + len);
  return true;
}

bool bus_atomic(bus *u, uint32_t nbu, uint64_t sector, const isa_inst *i, uint32_t at, bool returns,
                uint32_t b, uint32_t cas, tag t) {
  if (!bus_room(u, nbu, 2))
    return false;
  const uint64_t flits[2] = {
      TSV_DN_ATM | tsv_put(TSV_DN_ANY_LEN, 1) | tsv_put(TSV_DN_ATM_MTYPE, bus_mtype(i, 4)) |
          tsv_put(TSV_DN_ATM_MOP, bus_mop(i)) | tsv_put(TSV_DN_ATM_RET, returns) |
          tsv_put(TSV_DN_ATM_WORD, at / 4) | tsv_put(TSV_DN_ATM_SECTOR, sector) |
          tsv_put(TSV_DN_ANY_TAG, bus_tag(u, nbu, t)),
      b | (uint64_t)cas << 32};
  bus_push(u, nbu, flits, 2);
  return true;
}

void bus_sector(const tag *t, uint64_t head, const uint64_t *body, uint8_t data[32]) {
  if (t->word < 8) {
    const uint32_t word = (uint32_t)tsv_get(head, TSV_UP_WORD_DATA);
    memcpy(data + 4 * t->word, &word, 4);
    return;
  }
  for (unsigned k = 0, n = 0; k < 4; k++)
    if (t->chunks >> k & 1)
      memcpy(data + 8 * k, &body[n++], 8);
}

// ---- what comes up

static uint32_t up_flits(uint64_t head) {
  return tsv_get(head, TSV_UP_ANY_KIND) == TSV_UP_DONE
             ? 1
             : 1 + (uint32_t)tsv_get(head, TSV_UP_ANY_LEN);
}

static void answered(bus *u, uint32_t nbu, uint32_t n, uint64_t head, const uint64_t *body) {
  nbu_port *p = &u->port[nbu];
  const tag t = p->tags[n];
  if (t.kind == TAG_FREE) {
    base_wrong(u->base, "NBU %u answers packet %u, which is not in flight", nbu, n);
    return;
  }
  EMIT(u->base, emit_packet(u, EVENT_ANSWER, nbu, n, up_flits(head), head, &t));
  p->tags[n].kind = TAG_FREE;
  p->free_tags[p->n_free++] = (uint8_t)n;
  const bus_client *to = &u->clients[t.client];
  to->answer(to->ctx, nbu, &t, head, body);
}

static void packet(bus *u, uint32_t nbu, uint64_t head, const uint64_t *body) {
  const uint64_t kind = tsv_get(head, TSV_UP_ANY_KIND);
  u->base->stats.nbu[nbu].up[kind]++;
  if (kind == TSV_UP_DONE) {
    u->base->stats.nbu[nbu].up_flits[kind]++;
    const uint64_t n = tsv_get(head, TSV_UP_DONE_COUNT), tags = tsv_get(head, TSV_UP_DONE_TAGS);
    for (uint32_t k = 0; k < n; k++)
      answered(u, nbu, tags >> 8 * k & 255, head, body);
    return;
  }
  u->base->stats.nbu[nbu].up_flits[kind] += up_flits(head);
  answered(u, nbu, (uint32_t)tsv_get(head, TSV_UP_ANY_TAG), head, body);
}

static void flit_up(bus *u, uint32_t nbu, uint64_t flit) {
  nbu_port *p = &u->port[nbu];
  u->base->stats.nbu[nbu].flits_up++;
  u->base->stats.bus_up++;
  p->returned++;
  if (!p->up_open) {
    p->up_head = flit;
    p->up_got = 0;
    p->up_len = up_flits(flit) - 1;
    p->up_open = true;
  } else if (p->up_got < 16) {
    p->body[p->up_got++] = flit;
  }
  if (p->up_got == p->up_len) {
    p->up_open = false;
    packet(u, nbu, p->up_head, p->body);
  }
}

// ---- what begins and ends in the NBUs, of which the base die is not told

static void begun(bus *u, uint32_t nbu, uint32_t n) {
  tag *t = &u->port[nbu].tags[n];
  const bus_client *to = &u->clients[t->client];
  t->begun = true;
  if (t->kind != TAG_FREE && (t->shared || (t->effect && u->base->watched)) && to->begun)
    to->begun(to->ctx, nbu, t);
}

// A packet is complete that is not answered: its number is free.
static void complete(bus *u, uint32_t nbu, uint32_t n) {
  nbu_port *p = &u->port[nbu];
  const tag t = p->tags[n];
  if (!t.silent)
    return;
  EMIT(u->base, emit_packet(u, EVENT_ANSWER, nbu, n, 0, TSV_UP_DONE, &t));
  p->tags[n].kind = TAG_FREE, p->tags[n].silent = false;
  p->free_tags[p->n_free++] = (uint8_t)n;
  if (t.o)
    board_complete(u->board, t.subcore, t.flight);
  else  // a line of local memory is cleared
    u->base->last_end = u->base->cycle;
}

static void look_on(bus *u) {
  const near_out *out = &u->base->out;
  for (uint32_t m = out->begin_valid; m; m &= m - 1)
    begun(u, (uint32_t)__builtin_ctz(m), out->begin_tag >> 8 * __builtin_ctz(m) & 255);
  for (uint32_t m = out->ret_valid; m; m &= m - 1) {
    const uint32_t nbu = (uint32_t)__builtin_ctz(m) / 3, unit = (uint32_t)__builtin_ctz(m) % 3;
    complete(u, nbu, out->ret_tag[nbu] >> 8 * unit & 255);
  }
}

// ---- the bus: one or two flits a cycle, those who may ask in turn

static void arbitrate(bus *u) {
  near_in *in = &u->base->in;
  in->dn_valid = in->dn_sel = in->up_take = u->down_heads = 0;
  uint32_t places = u->base->config.sizes.flits, down = 0, left[2 * SUBCORES],
           asks = 0;  // bits of n: 2n up, 2n + 1 down
  for (uint32_t n = 0; n < SUBCORES; n++) {
    const nbu_port *p = &u->port[n];
    left[2 * n] = u->base->out.up_count >> 2 * n & 3;
    left[2 * n + 1] = p->count < p->credits ? p->count : p->credits;
    asks |= (uint32_t)(left[2 * n] > 0) << 2 * n | (uint32_t)(left[2 * n + 1] > 0) << (2 * n + 1);
  }
  for (uint32_t turn = u->turn; asks && places;) {
    const uint32_t who = round_robin(asks, turn), n = who / 2;
    nbu_port *p = &u->port[n];
    if (who % 2) {
      const uint64_t flit = p->flits[p->head % QUEUE];
      p->head++, p->count--, p->credits--;
      u->down_heads |= (uint32_t)!p->down_left << down;
      p->down_left = (uint8_t)(p->down_left ? p->down_left - 1u : tsv_dn_len(flit));
      in->dn_valid |= 1u << down;
      in->dn_sel |= n << 2 * down;
      in->dn_data[2 * down] = (uint32_t)flit, in->dn_data[2 * down + 1] = (uint32_t)(flit >> 32);
      down++;
      u->base->stats.nbu[n].flits_down++;
      u->base->stats.bus_down++;
    } else {
      in->up_take += 1u << 2 * n;
    }
    asks &= ~((uint32_t)(--left[who] == 0) << who);
    turn = (who + 1) % (2 * SUBCORES);
    if (!--places)
      u->turn = turn;
  }
}

void bus_step(bus *u) {
  const near_out *out = &u->base->out;
  u->base->in.up_credit = 0;
  look_on(u);
  for (uint32_t n = 0; n < SUBCORES; n++) {
    nbu_port *p = &u->port[n];
    p->credits += out->dn_credit >> 2 * n & 3;
    u->base->stats.nbu[n].queue += p->count;
    u->base->stats.nbu[n].queue_up += out->up_count >> 2 * n & 3;
    p->pushed = 0;
    p->returned = 0;
  }
  arbitrate(u);
  u->up_heads = 0;
  for (uint32_t place = 0; place < 2; place++)
    if (out->up_valid >> place & 1)
      u->up_heads |= (uint32_t)!u->port[out->up_sel >> 2 * place & 3].up_open << place,
          flit_up(u, out->up_sel >> 2 * place & 3,
                  out->up_data[2 * place] | (uint64_t)out->up_data[2 * place + 1] << 32);
  for (uint32_t n = 0; n < SUBCORES; n++)
    u->base->in.up_credit |= u->port[n].returned << 2 * n;
}

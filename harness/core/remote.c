// SPDX-License-Identifier: Apache-2.0
// Accesses of other cores' memory: what the LSU sends, and LSU-Remote, which serves what others
// send. Rules: docs/machine.md.
#include <string.h>
#include "lsu.h"

enum { HEADER = 8 };  // bytes of a packet: cores, request, kind, sector, lengths

void remote_init(core *c) {
  interface *n = &c->net;
  for (uint32_t k = 0; k < NOC_CLASSES; k++)
    n->credits[k] = c->place.sends;
  for (uint32_t k = 0; k < c->place.requests; k++) {
    c->remotes[k].open = false;
    c->remotes[k].next = n->free;
    n->free = &c->remotes[k];
  }
}

// ---- packets

static void post(core *c, core_mail m) {
  m.cycle = c->cycle;
  c->net.out[c->net.n_out++] = m;
}

static uint32_t data_bytes(uint32_t mask) {
  return 8 * (uint32_t)__builtin_popcount(bus_chunks(mask));
}

// What is written, with a mask where not all bytes of its 8-byte pieces are.
static uint32_t written_bytes(uint32_t mask) {
  return data_bytes(mask) + (bus_whole(mask) ? 0 : 4);
}

// A byte says where; then b, and c of a compare and swap.
static uint32_t atomic_bytes(const remote *r) {
  return r->n * (1 + r->bytes * (r->inst->fn == ISA_ATOM_CAS ? 2u : 1u));
}

static uint32_t request_bytes(const remote *r) {
  return HEADER + (r->kind == REMOTE_READ    ? 0
                   : r->kind == REMOTE_WRITE ? written_bytes(r->mask)
                                             : atomic_bytes(r));
}

static uint32_t answer_bytes(const remote *r) {
  return HEADER + (r->kind == REMOTE_READ ? data_bytes(r->mask) : r->returns ? r->n * r->bytes : 0);
}

// ---- of this core

static uint64_t word_of(const uint32_t data[][ISA_LANES], unsigned bytes, uint32_t lane) {
  return data[0][lane] | (bytes == 8 ? (uint64_t)data[1][lane] << 32 : 0);
}

static void fill_atomics(core *c, remote *r, uint32_t lanes) {
  const op *o = r->o;
  r->inst = &o->p->d->i;
  r->returns = lsu_returns(o);
  for (uint32_t m = lanes; m && r->n < REMOTE_ATOMICS; m &= m - 1, r->n++) {
    const uint32_t lane = (uint32_t)__builtin_ctz(m);
    r->lanes |= m & -m;
    r->at[r->n] = (uint8_t)(o->address[lane] % 32);
    r->b[r->n] = word_of((const uint32_t(*)[ISA_LANES])o->data, r->bytes, lane);
    r->c[r->n] = word_of((const uint32_t(*)[ISA_LANES])o->data_c, r->bytes, lane);
  }
  r->mask = lsu_bytes(c, o, &(piece){.bytes = r->bytes}, r->lanes);
}

bool remote_full(const core *c) {
  return !c->net.credits[NOC_REQUEST] || !c->net.free;
}

uint32_t remote_send(core *c, op *o, const piece *p, uint32_t left) {
  interface *n = &c->net;
  remote *r = n->free;
  if (n->requested || remote_full(c))
    return 0;
  const uint64_t at = o->address[__builtin_ctz(left)];
  const uint32_t lanes = lsu_same_sector(c, o, p, at);
  const unsigned code = o->p->d->i.op;
  remote *next = r->next;
  *r = (remote){.o = o,
                .kind = code == ISA_OP_LD   ? REMOTE_READ
                        : code == ISA_OP_ST ? REMOTE_WRITE
                                            : REMOTE_ATOMIC,
                .from = c->place.index,
                .to = map_get(&c->place.map->core, at),
                .nbu = lsu_nbu(c, at),
                .address = at / 32 * 32,
                .sector = lsu_sector(c, at),
                .sent = c->cycle,
                .index = (uint8_t)(r - c->remotes),
                .open = true,
                .lanes = lanes,
                .word = p->word,
                .bytes = p->bytes};
  if (r->kind == REMOTE_ATOMIC)
    r->lanes = 0, fill_atomics(c, r, lanes);
  else
    r->mask = lsu_bytes(c, o, p, lanes);
  if (r->kind == REMOTE_WRITE)
    lsu_fill(c, o, p, lanes, r->data);
  if (c->gold)
    gold_leaves(c, r);
  n->free = next;
  n->requested = true;
  n->credits[NOC_REQUEST]--;
  n->under_way++;
  o->answers++;
  LOOK(c, look_request(c, EVENT_REQUEST, r, request_bytes(r)));
  post(c, (core_mail){.packet = {.from = r->from,
                                 .to = r->to,
                                 .class = NOC_REQUEST,
                                 .bytes = request_bytes(r),
                                 .id = (uint64_t)(uintptr_t)r}});
  return r->lanes;
}

static void take_answer(core *c, remote *r) {
  interface *n = &c->net;
  op *o = r->o;
  uint32_t k = 0;
  LOOK(c, look_request(c, EVENT_REPLIED, r, answer_bytes(r)));
  c->stats.remote_answers++;
  c->stats.remote_cycles += c->cycle - r->sent;
  for (uint32_t m = r->lanes; m && r->kind == REMOTE_READ; m &= m - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(m);
    lsu_loaded(o, lane, r->word, r->data + o->address[lane] % 32, r->bytes);
  }
  for (uint32_t m = r->lanes; m && r->returns; m &= m - 1, k++) {
    const uint32_t lane = (uint32_t)__builtin_ctz(m);
    o->data[0][lane] = (uint32_t)r->old[k];
    if (r->bytes == 8)
      o->data[1][lane] = (uint32_t)(r->old[k] >> 32);
    o->gathered |= m & -m;
  }
  if (c->gold)
    gold_returns(c, r);
  r->open = false;
  r->next = n->free;
  n->free = r;
  n->under_way--;
  post(c, (core_mail){.taken = true, .packet = {.to = c->place.index, .class = NOC_RESPONSE}});
  lsu_answered(c, subcore_of(c, o->w), o);
}

// ---- of other cores

static void finished(core *c, remote *r) {
  interface *n = &c->net;
  n->served--;
  r->next = NULL;
  if (n->last_answer)
    n->last_answer->next = r;
  else
    n->answers = r;
  n->last_answer = r;
}

// All its packets are in the queue of the NBU.
static void sent(core *c, uint32_t at) {
  interface *n = &c->net;
  n->n_serves--;
  n->served++;
  memmove(n->serves + at, n->serves + at + 1, (n->n_serves - at) * sizeof *n->serves);
}

static tag tag_of(remote *r) {
  return (tag){.kind = TAG_REMOTE, .r = r};
}

// One of 32 bits is the NBU's. Others are done here, all of the request together: the sector is
// read, and written, while the NBU is held. True when the last packet has left.
static bool serve_atomic(core *c, remote *r) {
  if (r->n == 1 && r->bytes == 4) {
    if (!bus_atomic(c, r->nbu, r->sector, r->inst, r->at[0], r->returns, (uint32_t)r->b[0],
                    (uint32_t)r->c[0], tag_of(r)))
      return false;
    r->step = 3;
  } else if (r->step == 0) {
    if (!bus_sector_read(c, r->nbu, r->sector, r->mask, tag_of(r)))
      return false;
    c->port[r->nbu].holder = &c->remote_holder;
    r->step = 1;
  } else if (r->step == 2) {
    if (!bus_sector_write(c, r->nbu, r->sector, r->data, r->mask, tag_of(r)))
      return false;
    c->port[r->nbu].holder = NULL;
    r->step = 3;
    r->answers++;
    return true;
  } else {
    return false;
  }
  if (c->gold)
    gold_serves(c, r, r->lanes);
  r->answers++;
  return r->step == 3;
}

// Their lanes take their turn in order.
static void operate(remote *r) {
  for (uint32_t k = 0; k < r->n; k++) {
    memcpy(&r->old[k], r->data + r->at[k], r->bytes);
    const uint64_t now = exec_atomic(r->inst, r->old[k], r->b[k], r->c[k]);
    memcpy(r->data + r->at[k], &now, r->bytes);
  }
}

// Sends a packet of a request if there is room; true when it was the last one.
static bool serve(core *c, remote *r) {
  bool gone;
  if (r->kind == REMOTE_ATOMIC)
    return serve_atomic(c, r);
  if (r->kind == REMOTE_READ)
    gone = bus_sector_read(c, r->nbu, r->sector, r->mask, tag_of(r));
  else
    gone = bus_sector_write(c, r->nbu, r->sector, r->data, r->mask, tag_of(r));
  if (gone && c->gold)
    gold_serves(c, r, r->lanes);
  r->answers += gone;
  return gone;
}

// Those of an NBU in order; a packet a cycle.
static void serve_next(core *c) {
  interface *n = &c->net;
  uint32_t blocked = 0;  // NBUs
  for (uint32_t k = 0; k < n->n_serves && blocked != (1u << SUBCORES) - 1; k++) {
    remote *r = n->serves[k];
    nbu_port *p = &c->port[r->nbu];
    const uint32_t bit = 1u << r->nbu;
    if (blocked & bit)
      continue;
    blocked |= bit;
    if (p->holder && (p->holder != &c->remote_holder || r->step == 0)) {
      p->claimed = p->holder != &c->remote_holder;
      continue;
    }
    const uint32_t before = p->pushed;
    if (serve(c, r))
      sent(c, k);
    if (p->pushed != before)
      return;
  }
}

void remote_answer(core *c, const tag *t, uint64_t head, const uint64_t *body) {
  remote *r = t->r;
  r->answers--;
  if (r->kind == REMOTE_READ || r->step == 1)
    bus_sector(t, head, body, r->data);
  else if (r->returns && r->n == 1 && r->bytes == 4)
    r->old[0] = tsv_get(head, TSV_UP_WORD_DATA);
  if (r->step == 1)
    operate(r), r->step = 2;
  else if (!r->answers)
    finished(c, r);
}

static void send_answer(core *c) {
  interface *n = &c->net;
  remote *r = n->answers;
  if (!n->credits[NOC_RESPONSE])
    return;
  r->left = c->cycle;
  LOOK(c, look_request(c, EVENT_REPLY, r, answer_bytes(r)));
  n->credits[NOC_RESPONSE]--;
  n->answers = r->next;
  if (!n->answers)
    n->last_answer = NULL;
  c->stats.served++;
  post(c, (core_mail){.taken = true, .packet = {.to = c->place.index, .class = NOC_REQUEST}});
  post(c, (core_mail){.packet = {.from = c->place.index,
                                 .to = r->from,
                                 .class = NOC_RESPONSE,
                                 .bytes = answer_bytes(r),
                                 .id = (uint64_t)(uintptr_t)r}});
}

// ---- the network interface

void core_arrives(core *c, uint64_t cycle, uint32_t class, const noc_packet *p) {
  interface *n = &c->net;
  n->in[(n->in_head + n->in_count++) % ARRIVALS] =
      (arrival){cycle, class, p ? (remote *)(uintptr_t)p->id : NULL};
}

bool core_expects(const core *c) {
  return c->net.in_count != 0;
}

static void take_request(core *c, remote *r) {
  interface *n = &c->net;
  r->came = c->cycle;
  LOOK(c, look_request(c, EVENT_SERVE, r, request_bytes(r)));
  core_touch(c, r->address);
  n->serves[n->n_serves++] = r;
}

void remote_take(core *c) {
  interface *n = &c->net;
  while (n->in_count && n->in[n->in_head % ARRIVALS].cycle <= c->cycle) {
    const arrival a = n->in[n->in_head++ % ARRIVALS];
    n->in_count--;
    if (!a.r)
      n->credits[a.class]++;
    else if (a.class == NOC_RESPONSE)
      take_answer(c, a.r);
    else
      take_request(c, a.r);
  }
}

void remote_serve(core *c) {
  interface *n = &c->net;
  if (n->answers)
    send_answer(c);
  if (!n->n_serves)
    return;
  n->serving = true;
  serve_next(c);
  n->serving = false;
}

const core_mail *core_sent(const core *c, uint32_t *count) {
  *count = c->net.n_out;
  return c->net.out;
}
void core_sent_clear(core *c) {
  c->net.n_out = 0;
}

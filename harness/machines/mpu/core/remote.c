// SPDX-License-Identifier: Apache-2.0
#include "remote.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "csim/isa/exec.h"

enum {
  HEADER = 8,  // bytes of a packet: cores, request, kind, sector, lengths
  PIECES = 2,  // which pieces of a line
};
static_assert(sizeof(remote_request) <= NODE_BODY && sizeof(remote_answer) <= NODE_BODY, "");

const char *const remote_kinds[] = {"read", "write", "atomic", "read", "drop of copies"};

// ---- packets

static void post(remote *n, node_mail m) {
  m.cycle = n->base->cycle;
  n->out[n->n_out++] = m;
}

// There are bodies for as many packets as credits are given out.
static void post_packet(remote *n, uint32_t to, uint32_t class, uint32_t bytes, const void *body,
                        uint32_t body_bytes) {
  const uint32_t at = n->body_bytes;
  assert(at + body_bytes <= NOC_CLASSES * n->base->place.sends * NODE_BODY);
  memcpy(n->bodies + at, body, body_bytes);
  n->body_bytes += body_bytes;
  post(n, (node_mail){
              .packet = {.from = n->base->place.index, .to = to, .class = class, .bytes = bytes},
              .body = at,
              .body_bytes = body_bytes});
}

// A place for a packet that came is free again.
static void post_taken(remote *n, uint32_t class) {
  post(n, (node_mail){.taken = true, .packet = {.to = n->base->place.index, .class = class}});
}

static uint32_t data_bytes(uint32_t mask) {
  return 8 * (uint32_t)__builtin_popcount(bus_chunks(mask));
}

// What is written, with a mask where not all bytes of its 8-byte pieces are.
static uint32_t written_bytes(uint32_t mask) {
  return data_bytes(mask) + (bus_whole(mask) ? 0 : 4);
}

// A byte says where; then b, and c of a compare and swap.
static uint32_t atomic_bytes(const remote_request *r) {
  return r->n * (1 + r->bytes * (r->fn == ISA_ATOM_CAS ? 2u : 1u));
}

uint32_t remote_request_size(const remote_request *r) {
  return HEADER + (r->kind == REMOTE_LINE     ? PIECES
                   : r->kind == REMOTE_WRITE  ? written_bytes(r->mask)
                   : r->kind == REMOTE_ATOMIC ? atomic_bytes(r)
                                              : 0);
}

uint32_t remote_answer_size(const remote_request *r) {
  return HEADER + (r->kind == REMOTE_READ   ? data_bytes(r->mask)
                   : r->kind == REMOTE_LINE ? 8 * (uint32_t)__builtin_popcount(r->mask)
                   : r->returns             ? (uint32_t)r->n * r->bytes
                                            : 0);
}

// ---- of this core

bool remote_full(const remote *n) {
  return !n->credits[NOC_REQUEST] || !n->free;
}

net_request *remote_next_request(remote *n) {
  if (n->requested || remote_full(n))
    return NULL;
  memset(&n->free->sent, 0, sizeof n->free->sent);
  return n->free;
}

void remote_send(remote *n, net_request *r, const op *o, uint32_t lanes) {
  const address_map *m = n->base->place.map;
  remote_send_to(n, r, map_get(&m->core, map_place_of(m, r->sent.address)), o, lanes);
}

void remote_send_to(remote *n, net_request *r, uint32_t core, const op *o, uint32_t lanes) {
  base *b = n->base;
  remote_request *x = &r->sent;
  n->free = r->next;
  r->open = true, r->o = o;
  r->to = core;
  r->answer.came = r->answer.left = 0;
  x->sent = b->cycle;
  x->from = b->place.index;
  x->index = (uint8_t)(r - n->requests);
  n->requested = true;
  n->credits[NOC_REQUEST]--;
  n->under_way++;
  EMIT(b, emit_request(b, EVENT_REQUEST, o, r->to, lanes, x, &r->answer, remote_request_size(x)));
  post_packet(n, r->to, NOC_REQUEST, remote_request_size(x), x, remote_request_bytes(x));
}

static void take_answer(remote *n, net_request *r) {
  const remote_client *to = &n->client;
  n->base->stats.remote_answers++;
  n->base->stats.remote_cycles += n->base->cycle - r->sent.sent;
  to->answer(to->ctx, r);
  r->open = false;
  r->next = n->free;
  n->free = r;
  n->under_way--;
  post_taken(n, NOC_RESPONSE);
  to->done(to->ctx, r);
}

// ---- of other cores

static void emit_served(remote *n, event_kind kind, const served *r, uint32_t bytes) {
  emit_request(n->base, kind, NULL, r->asked.from, 0, &r->asked, &r->answer, bytes);
}

static void tell_request(const void *ctx, const tag *t, core_event *e) {
  const served *r = &((const remote *)ctx)->serving[t->entry];
  emit_fill_request(e, r->asked.from, &r->asked, &r->answer);
}

static void finished(remote *n, served *r) {
  n->served--;
  r->next = NULL;
  if (n->last_answer)
    n->last_answer->next = r;
  else
    n->answers = r;
  n->last_answer = r;
}

// All its packets are in the queue of the NBU.
static void sent(remote *n, uint32_t at) {
  n->n_serves--;
  n->served++;
  memmove(n->serves + at, n->serves + at + 1, (n->n_serves - at) * sizeof *n->serves);
}

static tag tag_of(const remote *n, const served *r) {
  return (tag){.kind = TAG_REMOTE,
               .client = n->tag_client,
               .entry = (uint16_t)(r - n->serving),
               .effect = r->step == 0};
}

// A packet of it has left, which reads or writes a sector, or both.
static void count(const remote *n, const served *r, uint64_t address, bool reads, bool writes) {
  core_arrays *a = n->base->arrays;
  if (!a)
    return;
  arrays_expect(a, r->nbu, address, reads, writes);
  if (writes && r->asked.kind == REMOTE_ATOMIC)
    arrays_atomic(a, r->nbu, r->asked.address, 1);
}

// One of 32 bits is the NBU's. Others are done here, all of the request together: the sector is
// read, and written, while the NBU is held. True when the last packet has left.
static bool serve_atomic(remote *n, served *r) {
  if (r->asked.n == 1 && r->asked.bytes == 4) {
    if (!bus_atomic(n->bus, r->nbu, r->sector, &r->inst, r->asked.at[0], r->asked.returns,
                    (uint32_t)r->asked.b[0], (uint32_t)r->asked.c[0], tag_of(n, r)))
      return false;
    count(n, r, r->asked.address, true, true);
    r->step = 3;
  } else if (r->step == 0) {
    if (!bus_sector_read(n->bus, r->nbu, r->sector, r->asked.mask, tag_of(n, r)))
      return false;
    n->bus->port[r->nbu].remote_holds = true;
    count(n, r, r->asked.address, true, false);
    r->step = 1;
  } else if (r->step == 2) {
    if (!bus_sector_write(n->bus, r->nbu, r->sector, r->answer.data, r->asked.mask, tag_of(n, r)))
      return false;
    n->bus->port[r->nbu].remote_holds = false;
    count(n, r, r->asked.address, false, true);
    r->step = 3;
    r->waits++;
    return true;
  } else {
    return false;
  }
  r->waits++;
  return r->step == 3;
}

// Their lanes take their turn in order.
static void operate(served *r) {
  for (uint32_t k = 0; k < r->asked.n; k++) {
    memcpy(&r->answer.old[k], r->answer.data + r->asked.at[k], r->asked.bytes);
    const uint64_t now = exec_atomic(&r->inst, r->answer.old[k], r->asked.b[k], r->asked.c[k]);
    memcpy(r->answer.data + r->asked.at[k], &now, r->asked.bytes);
  }
}

// Reads a sector of a line; true when it was the last one.
static bool serve_line(remote *n, served *r) {
  const uint32_t sector = (uint32_t)__builtin_ctz(r->left);
  const uint32_t pieces = r->asked.mask >> 4 * sector & 15;
  uint32_t mask = 0;  // bytes
  for (uint32_t m = pieces; m; m &= m - 1)
    mask |= 255u << 8 * __builtin_ctz(m);
  tag t = tag_of(n, r);
  t.reg = (uint8_t)sector;
  if (!bus_sector_read(n->bus, r->nbu, r->sector | sector, mask, t))
    return false;
  count(n, r, r->asked.address + REMOTE_SECTOR * sector, true, false);
  n->base->stats.served_sectors++;
  r->left &= (uint8_t)(r->left - 1);
  r->waits++;
  return !r->left;
}

// Sends a packet of a request if there is room; true when it was the last one.
static bool serve(remote *n, served *r) {
  bool gone;
  if (r->asked.kind == REMOTE_ATOMIC)
    return serve_atomic(n, r);
  if (r->asked.kind == REMOTE_LINE)
    return serve_line(n, r);
  if (r->asked.kind == REMOTE_READ)
    gone = bus_sector_read(n->bus, r->nbu, r->sector, r->asked.mask, tag_of(n, r));
  else
    gone = bus_sector_write(n->bus, r->nbu, r->sector, r->asked.data, r->asked.mask, tag_of(n, r));
  if (gone)
    count(n, r, r->asked.address, r->asked.kind == REMOTE_READ, r->asked.kind != REMOTE_READ);
  r->waits += gone;
  return gone;
}

// Those of an NBU in order; a packet a cycle.
static void serve_next(remote *n) {
  uint32_t blocked = 0;  // NBUs
  for (uint32_t k = 0; k < n->n_serves && blocked != (1u << SUBCORES) - 1; k++) {
    served *r = n->serves[k];
    nbu_port *p = &n->bus->port[r->nbu];
    const uint32_t bit = 1u << r->nbu;
    if (blocked & bit)
      continue;
    blocked |= bit;
    if (p->holder)
      p->claimed = true;
    else if (p->remote_holds && r->step == 0)
      p->claimed = false;
    if (p->holder || (p->remote_holds && r->step == 0))
      continue;
    const uint32_t before = p->pushed;
    if (serve(n, r))
      sent(n, k);
    if (p->pushed != before)
      return;
  }
}

static void answered_by_nbu(void *ctx, uint32_t nbu, const tag *t, uint64_t head,
                            const uint64_t *body) {
  remote *n = ctx;
  served *r = &n->serving[t->entry];
  (void)nbu;
  r->waits--;
  if (r->asked.kind == REMOTE_LINE)
    bus_sector(t, head, body, r->answer.data + REMOTE_SECTOR * t->reg);
  else if (r->asked.kind == REMOTE_READ || r->step == 1)
    bus_sector(t, head, body, r->answer.data);
  else if (r->asked.returns && r->asked.n == 1 && r->asked.bytes == 4)
    r->answer.old[0] = tsv_get(head, TSV_UP_WORD_DATA);
  if (r->step == 1)
    operate(r), r->step = 2;
  else if (!r->waits && !r->left)
    finished(n, r);
}

static void begun(void *ctx, uint32_t nbu, const tag *t) {
  remote *n = ctx;
  (void)nbu;
  served sector = n->serving[t->entry];
  if (sector.asked.kind == REMOTE_LINE)
    sector.asked.address += REMOTE_SECTOR * (uint64_t)t->reg;
  emit_served(n, EVENT_PERFORM, &sector, 0);
}

static void send_answer(remote *n) {
  served *r = n->answers;
  if (!n->credits[NOC_RESPONSE])
    return;
  const remote_request *x = &r->asked;
  r->answer.left = n->base->cycle;
  EMIT(n->base, emit_served(n, EVENT_REPLY, r, remote_answer_size(x)));
  n->credits[NOC_RESPONSE]--;
  n->answers = r->next;
  if (!n->answers)
    n->last_answer = NULL;
  n->base->stats.served++;
  post_taken(n, NOC_REQUEST);
  post_packet(n, x->from, NOC_RESPONSE, remote_answer_size(x), &r->answer, remote_answer_bytes(x));
  r->next = n->free_serves;
  n->free_serves = r;
}

// ---- the network interface

static net_request *answered(remote *n, const void *body, uint32_t bytes) {
  remote_answer answer;
  memcpy(&answer, body, offsetof(remote_answer, data));
  net_request *r = &n->requests[answer.index];
  assert(answer.index < n->base->place.requests && r->open);
  assert(bytes == remote_answer_bytes(&r->sent));
  memcpy(&r->answer, body, bytes);
  return r;
}

static served *asked(remote *n, const void *body, uint32_t bytes) {
  served *r = n->free_serves;
  remote_request *x = &r->asked;
  assert(r && bytes <= sizeof *x);
  n->free_serves = r->next;
  memcpy(x, body, bytes);
  r->nbu = base_nbu(n->base, x->address, 0);
  r->sector = base_sector(n->base, x->address, 0);
  r->waits = 0, r->step = 0, r->left = 0;
  for (uint32_t k = 0; x->kind == REMOTE_LINE && k < 4; k++)
    if (x->mask >> 4 * k & 15)
      r->left |= (uint8_t)(1u << k);
  r->answer.index = x->index;
  r->answer.came = r->answer.left = 0;
  memset(r->answer.data, 0, sizeof r->answer.data);
  if (x->kind != REMOTE_ATOMIC)
    return r;
  memset(r->answer.old, 0, sizeof r->answer.old);
  r->inst = isa_inst_new(x->op, x->type);
  r->inst.fn = x->fn;
  return r;
}

uint32_t remote_arrives(remote *n, uint64_t cycle, uint32_t class, const void *body,
                        uint32_t bytes) {
  arrival a = {.cycle = cycle, .class = class};
  if (body && class == NOC_RESPONSE)
    a.answered = answered(n, body, bytes);
  else if (body)
    a.asks = asked(n, body, bytes);
  n->in[(n->in_head + n->in_count++) % ARRIVALS] = a;
  return a.answered ? 1u << a.answered->o->subcore : a.asks ? 1u << SUBCORES << a.asks->nbu : 0;
}

// Those whose copies are not read any more.
static void answer_drops(remote *n) {
  for (served **at = &n->drops; *at;) {
    served *r = *at;
    if (!copies_unread(n->copies, r->asked.mask)) {
      at = &r->next;
      continue;
    }
    *at = r->next;
    finished(n, r);
  }
}

static void take_drop(remote *n, served *r) {
  served **at = &n->drops;
  while (*at)
    at = &(*at)->next;
  *at = r;
  r->next = NULL;
  n->served++;
  copies_drop(n->copies, r->asked.mask);
}

static void take_request(remote *n, served *r) {
  r->answer.came = n->base->cycle;
  EMIT(n->base, emit_served(n, EVENT_SERVE, r, remote_request_size(&r->asked)));
  if (r->asked.kind == REMOTE_DROP) {
    take_drop(n, r);
    return;
  }
  base_touch(n->base, r->asked.address);
  if (r->asked.kind == REMOTE_LINE)
    base_touch(n->base, r->asked.address + REMOTE_LINE_BYTES / 2);
  n->serves[n->n_serves++] = r;
}

void remote_take(remote *n) {
  while (n->in_count && n->in[n->in_head % ARRIVALS].cycle <= n->base->cycle) {
    const arrival a = n->in[n->in_head++ % ARRIVALS];
    n->in_count--;
    if (a.answered)
      take_answer(n, a.answered);
    else if (a.asks)
      take_request(n, a.asks);
    else
      n->credits[a.class]++;
  }
}

void remote_serve(remote *n) {
  if (n->drops)
    answer_drops(n);
  if (n->answers)
    send_answer(n);
  if (!n->n_serves)
    return;
  n->bus->remote = true;
  serve_next(n);
  n->bus->remote = false;
}

// ---- from first to last

bool remote_new(remote *n, base *b, bus *u, copies *c) {
  n->base = b, n->bus = u, n->copies = c;
  n->tag_client = bus_join(
      u, (bus_client){.ctx = n, .answer = answered_by_nbu, .begun = begun, .tell = tell_request});
  n->requests = calloc(b->place.requests + 1, sizeof *n->requests);
  n->serving = calloc(b->place.serves + 1, sizeof *n->serving);
  n->bodies = calloc(NOC_CLASSES * b->place.sends + 1, NODE_BODY);
  return n->requests && n->serving && n->bodies;
}

void remote_delete(remote *n) {
  free(n->requests);
  free(n->serving);
  free(n->bodies);
}

void remote_reset(remote *n) {
  const core_place *p = &n->base->place;
  n->in_head = n->in_count = n->n_out = n->body_bytes = 0;
  n->under_way = n->n_serves = n->served = 0;
  n->requested = false;
  n->free = NULL;
  n->free_serves = n->drops = n->answers = n->last_answer = NULL;
  for (uint32_t k = 0; k < NOC_CLASSES; k++)
    n->credits[k] = p->sends;
  for (uint32_t k = 0; k < p->requests; k++) {
    n->requests[k].open = false;
    n->requests[k].next = n->free;
    n->free = &n->requests[k];
  }
  for (uint32_t k = 0; k < p->serves; k++) {
    n->serving[k].next = n->free_serves;
    n->free_serves = &n->serving[k];
  }
}

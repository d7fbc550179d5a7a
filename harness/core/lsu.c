// SPDX-License-Identifier: Apache-2.0
// Accesses: in order, from their addresses to the last answer. What they send is in lsu_send.c.
#include <string.h>
#include "lsu.h"

bool lsu_take(core *c, subcore *s, op *o) {
  if (s->lsu_count == c->config.lsu_queue)
    return false;
  s->lsu[(s->lsu_head + s->lsu_count++) % LSU_QUEUE] = o;
  c->stats.sub[s->index].accesses++;
  return true;
}

// ---- addresses

// Local memory: word i of a slot's threads is line i of the slot, in the subcore's NBU.
uint64_t lsu_lane(const core *c, const op *o, unsigned word, uint32_t lane) {
  if (!(o->local >> lane & 1))
    return o->address[lane];
  const uint32_t lines = (c->l->kernel->local_bytes + 3) / 4;
  const uint32_t line = o->w->slot * lines + (uint32_t)(o->address[lane] / 4) + word;
  return map_line(c->place.map, c->local_lines, c->place.index, o->w->index % SUBCORES, line) +
         lane * 4 + o->address[lane] % 4;
}

static piece *add_piece(op *o, unsigned space, unsigned word, unsigned bytes, uint32_t lanes) {
  piece *p = &o->pieces[o->n_pieces++];
  *p = (piece){
      .space = (uint8_t)space, .word = (uint8_t)word, .bytes = (uint8_t)bytes, .lanes = lanes};
  return p;
}

void lsu_loaded(op *o, uint32_t lane, unsigned word, const void *from, unsigned bytes) {
  const unsigned type = o->p->d->i.type;
  uint32_t v[4] = {0};
  memcpy(v, from, bytes);
  if (type == ISA_TYPE_S8)
    v[0] = (uint32_t)(int8_t)v[0];
  if (type == ISA_TYPE_S16)
    v[0] = (uint32_t)(int16_t)v[0];
  for (unsigned w = 0; w < (bytes + 3) / 4; w++)
    o->data[word + w][lane] = v[w];
  o->gathered |= 1u << lane;
}

static void take_constants(op *o, uint32_t lanes, unsigned bytes) {
  for (uint32_t m = lanes; m; m &= m - 1) {
    const uint32_t l = (uint32_t)__builtin_ctz(m);
    lsu_loaded(o, l, 0, (const void *)(uintptr_t)o->address[l], bytes);
  }
}

// All lanes lie one behind the other in global memory.
static bool goes_as_line(const core *c, const op *o, uint32_t own, unsigned bytes) {
  const unsigned op = o->p->d->i.op;
  const uint64_t at = o->address[0];
  return bytes <= 4 && at % 128 + ISA_LANES * bytes <= 128 && lsu_nbu(c, at) == own &&
         core_has(c, at) && lsu_data_near(o) &&
         (op == ISA_OP_ST || (op == ISA_OP_LD && o->p->d->reg[0] >= 0));
}

// False after a fault.
static bool split(core *c, op *o, uint32_t own) {
  const decoded *d = o->p->d;
  bool dense;
  const unsigned bytes = isa_types[d->i.type].bits / 8;
  uint8_t space[ISA_LANES];
  uint32_t of[ISA_SPACES] = {0};
  o->n_pieces = o->at_piece = 0;
  o->touches = o->remote = o->local = 0;
  o->line = o->has_shared = false;
  if (o->p->in_place && o->near) {
    add_piece(o, ISA_SPACE_SHARED, 0, bytes, o->lanes)->in_place = true;
    o->has_shared = true;
    c->l->stats.shared_accesses++;
    return true;
  }
  if (!exec_places(c->l, o->w->b, o->w->w, d, o->pc, o->lanes, space, o->address, &dense)) {
    c->result = CORE_FAULT;
    return false;
  }
  if (dense && goes_as_line(c, o, own, bytes)) {
    o->line = true;
    add_piece(o, ISA_SPACE_GLOBAL, 0, bytes, ~0u);
    o->touches = 1u << own;
    return true;
  }
  for (uint32_t l = 0; dense && l < ISA_LANES; l++) {
    o->address[l] = o->address[0] + (uint64_t)l * bytes;
    space[l] = ISA_SPACE_GLOBAL;
  }
  for (uint32_t m = o->lanes; m; m &= m - 1)
    of[space[__builtin_ctz(m)]] |= m & -m;
  o->local = of[ISA_SPACE_LOCAL];
  if (d->i.op == ISA_OP_LD && d->reg[0] < 0)
    return true;  // nothing to load
  for (uint32_t m = of[ISA_SPACE_GLOBAL]; m; m &= m - 1) {
    const uint64_t at = o->address[__builtin_ctz(m)];
    if (core_has(c, at))
      o->touches |= 1u << lsu_nbu(c, at);
    else
      o->remote |= m & -m;
  }
  if (of[ISA_SPACE_GLOBAL] & ~o->remote)
    add_piece(o, ISA_SPACE_GLOBAL, 0, bytes, of[ISA_SPACE_GLOBAL] & ~o->remote);
  for (unsigned w = 0; o->local && w < (bytes + 3) / 4; w++)
    add_piece(o, ISA_SPACE_LOCAL, w, bytes < 4 ? bytes : 4, o->local);
  if (o->local)
    o->touches |= 1u << own;
  if (of[ISA_SPACE_SHARED]) {
    add_piece(o, ISA_SPACE_SHARED, 0, bytes, of[ISA_SPACE_SHARED]);
    o->has_shared = true;
  }
  if (o->remote)  // last: by then nothing is held
    add_piece(o, ISA_SPACE_GLOBAL, 0, bytes, o->remote)->remote = true;
  take_constants(o, of[ISA_SPACE_CONST] | of[ISA_SPACE_PARAM], bytes);
  return true;
}

// ---- data that the base die needs

bool lsu_data_near(const op *o) {
  return o->p->data_near[o->near];
}

bool lsu_wide_atomic(const op *o) {
  const isa_inst *i = &o->p->d->i;
  return (i->op == ISA_OP_ATOM || i->op == ISA_OP_RED) && isa_types[i->type].bits == 64;
}

static bool needs_data(const core *c, const op *o, uint32_t own) {
  if (o->p->d->i.op == ISA_OP_LD)
    return false;
  if (o->has_shared && (lsu_wide_atomic(o) || c->far_shared))
    return true;
  return o->remote || (o->touches & ~(1u << own)) ||
         (o->touches && (!lsu_data_near(o) || lsu_wide_atomic(o)));
}

static void data_from_far(core *c, subcore *s, op *o) {
  const decoded *d = o->p->d;
  for (unsigned k = 2; k < 4; k++)
    c->stats.sub[s->index].rf_others += d->reg[k] >= 0 ? d->words[k] : 0u;
  for (unsigned k = 2; k < 4; k++)
    for (unsigned w = 0; w < d->words[k]; w++) {
      uint32_t *to = k == 2 ? o->data[w] : o->data_c[w];
      const uint32_t *from = exec_src(o->w->w, d, (int)k);
      memcpy(to, from + w * ISA_LANES, ISA_LANES * 4);
    }
}

// Asks for a register of the data a cycle; true when all of it is here.
static bool fetch_data(core *c, subcore *s, op *o) {
  const decoded *d = o->p->d;
  if (o->data_far || !lsu_data_near(o)) {
    data_from_far(c, s, o);
    return true;
  }
  for (unsigned k = 2, n = 0; k < 4; k++)
    for (unsigned w = 0; w < d->words[k]; w++, n++) {
      if (n < o->fetched)
        continue;
      const bool nowhere = o->zero >> (k - 1) & 1;
      uint32_t *to = k == 2 ? o->data[w] : o->data_c[w];
      if (d->reg[k] < 0 || nowhere) {
        if (nowhere)
          memset(to, 0, ISA_LANES * 4);
        else
          memcpy(to, exec_src(o->w->w, d, (int)k) + w * ISA_LANES, ISA_LANES * 4);
        o->fetched++;
        continue;
      }
      const tag t = {.kind = TAG_OPERAND, .o = o, .reg = (uint8_t)(k == 2 ? w : 4 + w)};
      if (!bus_read(c, s->index, near_place(o->w, (uint32_t)d->reg[k] + w), o->lanes, t))
        return false;
      o->answers++;
      o->fetched++;
      return false;
    }
  return !o->answers;
}

// ---- start

static bool may_start(core *c, op *o) {
  if ((o->touches | o->remote) && o->w->accesses_shared)
    return false;
  bool free = true;
  if (o->has_shared && c->shared_holder && c->shared_holder != o)
    return false;
  if (o->has_shared && lsu_wide_atomic(o))
    for (uint32_t n = 0; n < SUBCORES; n++)
      free &= !c->port[n].shared_count;
  for (uint32_t n = 0; n < SUBCORES; n++)
    if ((o->touches >> n & 1) &&
        ((c->port[n].holder && c->port[n].holder != o) || c->port[n].claimed)) {
      c->stats.nbu[n].held++;
      free = false;
    }
  return free;
}

static void start(core *c, subcore *s, op *o) {
  for (uint32_t n = 0; n < SUBCORES; n++)
    if (o->touches >> n & 1)
      c->port[n].holder = o;
  const bool alone = o->has_shared && lsu_wide_atomic(o);
  if (alone)
    c->shared_holder = o;
  uint32_t later = o->remote;  // and lanes of shared memory
  for (uint32_t k = 0; !alone && k < o->n_pieces; k++)
    later |= o->pieces[k].space == ISA_SPACE_SHARED ? o->pieces[k].lanes : 0;
  if (c->gold && o->lanes != later)
    gold_performed(c, s, o, o->lanes & ~later);
  o->at_piece = 0;
  o->left = o->n_pieces ? o->pieces[0].lanes : 0;
  o->step = 0;
  o->phase = LSU_SEND;
  LOOK(c, look_op(c, EVENT_START, o));
}

void lsu_release(core *c, const op *o) {
  for (uint32_t n = 0; n < SUBCORES; n++)
    if (c->port[n].holder == o)
      c->port[n].holder = NULL;
}

static void all_sent(core *c, subcore *s, op *o) {
  lsu_release(c, o);
  s->lsu_head++;
  s->lsu_count--;
  o->phase = LSU_ANSWERS;
  o->fetched = 0;
  lsu_settle(c, s, o);
}

// All answers are there: what was gathered is written.
void lsu_settle(core *c, subcore *s, op *o) {
  if (o->phase != LSU_ANSWERS || o->answers)
    return;
  const decoded *d = o->p->d;
  o->written = 0;
  if (lsu_wide_atomic(o) && o->has_shared && !c->far_shared && lsu_wide_restored(o))
    o->written = (uint8_t)lsu_wide_restored(o), o->gathered = o->lanes;
  if (o->written == 3)
    memcpy(o->data, o->data_c, 2 * sizeof *o->data_c);
  if (o->gathered && d->reg[o->written] >= 0) {
    if (!lsu_data_near(o)) {
      c->stats.sub[s->index].rf_writes += d->words[0];
      for (unsigned w = 0; w < d->words[0]; w++)
        exec_blend(exec_dst(o->w->w, d) + w * ISA_LANES, o->data[w], 1, o->gathered);
    } else {
      o->phase = LSU_WRITE;
      o->next = NULL;
      if (s->write_tail)
        s->write_tail->next = o;
      else
        s->write_head = o;
      s->write_tail = o;
      return;
    }
  }
  op_end(c, s, o);
}

// A register a cycle.
static void write_back(core *c, subcore *s) {
  op *o = s->write_head;
  const decoded *d = o->p->d;
  if (!bus_write(c, s->index, near_place(o->w, (uint32_t)d->reg[o->written] + o->fetched),
                 o->data[o->fetched], o->gathered, (tag){.kind = TAG_PACKET, .o = o}))
    return;
  o->answers++;
  if (++o->fetched < d->words[o->written])
    return;
  s->write_head = o->next;
  if (!s->write_head)
    s->write_tail = NULL;
}

void lsu_step(core *c, subcore *s) {
  subcore_stats *t = &c->stats.sub[s->index];
  if (s->write_head)
    write_back(c, s);
  if (!s->lsu_count)
    return;
  op *o = s->lsu[s->lsu_head % LSU_QUEUE];
  t->lsu_queue += s->lsu_count;
  if (o->phase == LSU_ADDRESS) {
    t->lsu_address++;
    if (!o->address_here)
      return;
    if (!split(c, o, s->index))
      return;
    if (!o->pieces[0].in_place || !o->n_pieces)
      op_address_read(c, s, o);
    o->fetched = 0;
    o->phase = needs_data(c, o, s->index) ? LSU_DATA : LSU_START;
    return;
  }
  if (o->phase == LSU_DATA) {
    if (!fetch_data(c, s, o)) {
      t->lsu_data++;
      return;
    }
    o->phase = LSU_START;
  }
  if (o->phase == LSU_START) {
    if (!may_start(c, o)) {
      t->lsu_held++;
      return;
    }
    start(c, s, o);
  }
  t->lsu_send++;
  if (o->phase == LSU_SEND && lsu_send(c, s, o))
    all_sent(c, s, o);
}

bool lsu_waits(const core *c, const subcore *s) {
  if (s->write_head)
    return false;
  if (!s->lsu_count)
    return true;
  const op *o = s->lsu[s->lsu_head % LSU_QUEUE];
  return o->phase == LSU_SEND && o->at_piece < o->n_pieces && o->pieces[o->at_piece].remote &&
         o->left && remote_full(c);
}

void lsu_waited(core *c, subcore *s, uint64_t cycles) {
  subcore_stats *t = &c->stats.sub[s->index];
  t->lsu_queue += s->lsu_count * cycles;
  t->lsu_send += s->lsu_count ? cycles : 0;
}

// ---- what comes back

static void read_answer(const core *c, op *o, const tag *t, uint64_t head, const uint64_t *body) {
  uint8_t sector[32] = {0};
  bus_sector(t, head, body, sector);
  if (lsu_wide_atomic(o)) {
    memcpy(&o->wide, sector + o->address[__builtin_ctz(t->lanes)] % 32, 8);
    o->step = 2;
  } else {
    for (uint32_t m = t->lanes; m; m &= m - 1) {
      const uint32_t l = (uint32_t)__builtin_ctz(m);
      lsu_loaded(o, l, t->reg, sector + lsu_lane(c, o, t->reg, l) % 32, t->bytes);
    }
  }
}

void lsu_answered(core *c, subcore *s, op *o) {
  o->answers--;
  if (o->phase == LSU_WRITE && !o->answers && o->fetched == o->p->d->words[o->written])
    op_end(c, s, o);
  else
    lsu_settle(c, s, o);
}

void lsu_answer(core *c, const tag *t, uint64_t head, const uint64_t *body) {
  op *o = t->o;
  subcore *s = subcore_of(c, o->w);
  switch (t->kind) {
    case TAG_READ:
      read_answer(c, o, t, head, body);
      break;
    case TAG_ATOMIC:
      o->data[0][__builtin_ctz(t->lanes)] = (uint32_t)tsv_get(head, TSV_UP_WORD_DATA);
      o->gathered |= t->lanes;
      break;
    case TAG_WIDE:
      o->wide = t->reg ? (uint32_t)o->wide | body[0] << 32 : (uint32_t)body[0];
      break;
    case TAG_OPERAND:
      bus_lanes(t, head, body, t->reg < 4 ? o->data[t->reg] : o->data_c[t->reg - 4]);
      break;
    default:
      if (tsv_get(head, TSV_UP_ANY_KIND) == TSV_UP_FAULT) {
        exec_shared_fault(c->l, o->w->b, o->w->w, o->p->d, o->pc,
                          (unsigned)tsv_get(head, TSV_UP_FAULT_LANE),
                          tsv_get(head, TSV_UP_FAULT_ADDR), tsv_get(head, TSV_UP_FAULT_ALIGN));
        c->result = CORE_FAULT;
        return;
      }
  }
  lsu_answered(c, s, o);
}

void lsu_shared_done(core *c, uint32_t nbus) {
  for (uint32_t n = 0; n < SUBCORES; n++) {
    nbu_port *p = &c->port[n];
    if (!(nbus >> n & 1))
      continue;
    if (!p->shared_count) {
      core_wrong(c, "shared memory ends a request of NBU %u that was not sent", n);
      return;
    }
    const uint32_t at = p->shared_head++ % (2 * TAGS);
    p->shared_count--;
    if (c->gold)
      gold_performed(c, &c->sub[n], &c->sub[n].pool[p->shared[at]], p->shared_lanes[at]);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Accesses: in order, from their addresses to the last answer. What they send is in lsu_send.c.
#include <stdlib.h>
#include <string.h>
#include "lsu_priv.h"

bool lsu_take(lsu *u, op *o) {
  const uint32_t k = o->subcore;
  lsu_sub *s = &u->sub[k];
  access *x = &s->of[o->place];
  if (s->count == u->base->config.lsu_queue)
    return false;
  s->queue[(s->head + s->count++) % LSU_QUEUE] = x;
  x->o = o;
  x->phase = LSU_ADDRESS;
  x->address_here = x->lines = x->sectors = false;
  x->answers = 0;
  x->gathered = 0;
  x->written = 0;
  u->base->stats.sub[k].accesses++;
  return true;
}

void lsu_address(lsu *u, op *o) {
  access *x = &u->sub[o->subcore].of[o->place];
  const unsigned space = o->p->d->i.space;
  o->state = OP_QUEUED;
  x->address_here = true;
  x->checked = u->base->cycle;
  if (u->base->place.map->regions && (space == ISA_SPACE_GLOBAL || space == ISA_SPACE_GENERIC))
    x->checked += MAP_REGION_CYCLES;
}

// ---- addresses

// Local memory: word i of a slot's threads is line i of the slot, in the subcore's NBU.
uint64_t lsu_local_lane(const lsu *u, const access *x, unsigned word, uint32_t lane) {
  const uint32_t lines = (u->base->l->kernel->local_bytes + 3) / 4;
  const uint32_t line = x->o->w->slot * lines + (uint32_t)(x->address[lane] / 4) + word;
  return map_line(u->base->place.map, u->base->local_lines, u->base->place.index, x->o->w->subcore,
                  line) +
         lane * 4 + x->address[lane] % 4;
}

static piece *add_piece(access *x, unsigned space, unsigned word, unsigned bytes, uint32_t lanes) {
  piece *p = &x->pieces[x->n_pieces++];
  *p = (piece){
      .space = (uint8_t)space, .word = (uint8_t)word, .bytes = (uint8_t)bytes, .lanes = lanes};
  return p;
}

void lsu_loaded(access *x, uint32_t lane, unsigned word, const void *from, unsigned bytes) {
  const unsigned type = x->o->p->d->i.type;
  uint32_t v[4] = {0};
  memcpy(v, from, bytes);
  if (type == ISA_TYPE_S8)
    v[0] = (uint32_t)(int8_t)v[0];
  if (type == ISA_TYPE_S16)
    v[0] = (uint32_t)(int16_t)v[0];
  for (unsigned w = 0; w < (bytes + 3) / 4; w++)
    x->data[word + w][lane] = v[w];
  x->gathered |= 1u << lane;
}

static void take_constants(access *x, uint32_t lanes, unsigned bytes) {
  for (uint32_t m = lanes; m; m &= m - 1) {
    const uint32_t l = (uint32_t)__builtin_ctz(m);
    lsu_loaded(x, l, 0, (const void *)(uintptr_t)x->address[l], bytes);
  }
}

// All lanes lie one behind the other in global memory.
static bool goes_as_line(const lsu *u, const access *x, uint32_t own, unsigned bytes) {
  const unsigned op = x->o->p->d->i.op;
  const uint64_t at = x->address[0];
  return bytes <= 4 && at % 128 + ISA_LANES * bytes <= 128 &&
         base_nbu(u->base, at, x->copies) == own && base_has(u->base, at, x->copies) &&
         lsu_data_near(x) && (op == ISA_OP_ST || (op == ISA_OP_LD && x->o->p->d->reg[0] >= 0));
}

// The copies that a load takes its data from, and those of what others write. Of a dense access all
// lanes are in one array.
static void look_for_copies(const lsu *u, access *x, uint32_t lanes) {
  const base *b = u->base;
  const bool load = x->o->p->d->i.op == ISA_OP_LD;
  const uint32_t of = load ? b->copies : b->copied & ~b->copies_ended;
  uint32_t found = 0;
  for (uint32_t m = of ? lanes : 0; m; m &= m - 1)
    found |= region_copy_at(b->place.map, x->address[__builtin_ctz(m)], of);
  x->copies = load ? found : 0;
  x->ends = load ? 0 : found;
}

// False after a fault.
static bool split(lsu *u, access *x, uint32_t own) {
  const decoded *d = x->o->p->d;
  bool dense;
  const unsigned bytes = isa_types[d->i.type].bits / 8;
  uint8_t space[ISA_LANES];
  uint32_t of[ISA_SPACES] = {0};
  x->n_pieces = x->at_piece = 0;
  x->touches = x->remote = x->local = x->copies = x->ends = 0;
  x->line = x->has_shared = false;
  if (x->o->p->in_place && x->o->near) {
    add_piece(x, ISA_SPACE_SHARED, 0, bytes, x->o->lanes)->in_place = true;
    x->has_shared = true;
    u->base->l->stats.shared_accesses++;
    return true;
  }
  if (!exec_places(u->base->l, x->o->w->b, x->o->w->w, d, x->o->pc, x->o->lanes, space, x->address,
                   &dense)) {
    u->base->result = CORE_FAULT;
    return false;
  }
  look_for_copies(u, x, dense ? 1 : 0);
  if (dense && goes_as_line(u, x, own, bytes)) {
    x->line = true;
    add_piece(x, ISA_SPACE_GLOBAL, 0, bytes, ~0u);
    x->touches = 1u << own;
    return true;
  }
  for (uint32_t l = 0; dense && l < ISA_LANES; l++) {
    x->address[l] = x->address[0] + (uint64_t)l * bytes;
    space[l] = ISA_SPACE_GLOBAL;
  }
  for (uint32_t m = x->o->lanes; m; m &= m - 1)
    of[space[__builtin_ctz(m)]] |= m & -m;
  look_for_copies(u, x, of[ISA_SPACE_GLOBAL]);
  x->local = of[ISA_SPACE_LOCAL];
  if (d->i.op == ISA_OP_LD && d->reg[0] < 0)
    return true;  // nothing to load
  for (uint32_t m = of[ISA_SPACE_GLOBAL]; m; m &= m - 1) {
    const uint64_t at = x->address[__builtin_ctz(m)];
    if (base_has(u->base, at, x->copies))
      x->touches |= 1u << base_nbu(u->base, at, x->copies);
    else
      x->remote |= m & -m;
  }
  if (of[ISA_SPACE_GLOBAL] & ~x->remote)
    add_piece(x, ISA_SPACE_GLOBAL, 0, bytes, of[ISA_SPACE_GLOBAL] & ~x->remote);
  for (unsigned w = 0; x->local && w < (bytes + 3) / 4; w++)
    add_piece(x, ISA_SPACE_LOCAL, w, bytes < 4 ? bytes : 4, x->local);
  if (x->local)
    x->touches |= 1u << own;
  if (of[ISA_SPACE_SHARED]) {
    add_piece(x, ISA_SPACE_SHARED, 0, bytes, of[ISA_SPACE_SHARED]);
    x->has_shared = true;
  }
  if (x->remote)  // last: by then nothing is held
    add_piece(x, ISA_SPACE_GLOBAL, 0, bytes, x->remote)->remote = true;
  take_constants(x, of[ISA_SPACE_CONST] | of[ISA_SPACE_PARAM], bytes);
  return true;
}

// ---- data that the base die needs

bool lsu_data_near(const access *x) {
  return x->o->p->data_near[x->o->near];
}

bool lsu_wide_atomic(const access *x) {
  const isa_inst *i = &x->o->p->d->i;
  return (i->op == ISA_OP_ATOM || i->op == ISA_OP_RED) && isa_types[i->type].bits == 64;
}

static bool needs_data(const lsu *u, const access *x, uint32_t own) {
  if (x->o->p->d->i.op == ISA_OP_LD)
    return false;
  if (x->has_shared && (lsu_wide_atomic(x) || u->base->shared_far))
    return true;
  return x->remote || (x->touches & ~(1u << own)) ||
         (x->touches && (!lsu_data_near(x) || lsu_wide_atomic(x)));
}

static void data_from_far(lsu *u, access *x) {
  const decoded *d = x->o->p->d;
  for (unsigned k = 2; k < 4; k++)
    u->base->stats.sub[lsu_subcore(x)].rf_others += d->reg[k] >= 0 ? d->words[k] : 0u;
  for (unsigned k = 2; k < 4; k++)
    for (unsigned w = 0; w < d->words[k]; w++) {
      uint32_t *to = k == 2 ? x->data[w] : x->data_c[w];
      const uint32_t *from = exec_src(x->o->w->w, d, (int)k);
      memcpy(to, from + w * ISA_LANES, ISA_LANES * 4);
    }
}

// Asks for a register of the data a cycle; true when all of it is here.
static bool fetch_data(lsu *u, access *x) {
  const decoded *d = x->o->p->d;
  if (x->o->data_far || !lsu_data_near(x)) {
    data_from_far(u, x);
    return true;
  }
  for (unsigned k = 2, n = 0; k < 4; k++)
    for (unsigned w = 0; w < d->words[k]; w++, n++) {
      if (n < x->fetched)
        continue;
      const bool nowhere = x->o->zero >> (k - 1) & 1;
      uint32_t *to = k == 2 ? x->data[w] : x->data_c[w];
      if (d->reg[k] < 0 || nowhere) {
        if (nowhere)
          memset(to, 0, ISA_LANES * 4);
        else
          memcpy(to, exec_src(x->o->w->w, d, (int)k) + w * ISA_LANES, ISA_LANES * 4);
        x->fetched++;
        continue;
      }
      tag t = lsu_tag(u, TAG_OPERAND, x);
      t.reg = (uint8_t)(k == 2 ? w : 4 + w);
      if (!bus_read(u->bus, lsu_subcore(x), near_place(x->o->w, (uint32_t)d->reg[k] + w),
                    x->o->lanes, t))
        return false;
      x->answers++;
      x->fetched++;
      return false;
    }
  return !x->answers;
}

// ---- start

// Requests to shared memory of an access that has started.
static bool asks_shared(const lsu_sub *s) {
  const access *x = s->queue[s->head % LSU_QUEUE];
  return s->shared_count || (s->count && x->phase == LSU_SEND && x->has_shared);
}

static bool may_start(lsu *u, access *x) {
  bool free = true;
  if (x->has_shared && u->alone && u->alone != x)
    return false;
  if (x->has_shared && lsu_wide_atomic(x)) {
    u->alone = x;  // from now on no other starts, or it might wait for ever
    for (uint32_t n = 0; n < SUBCORES; n++)
      free &= !asks_shared(&u->sub[n]);
  }
  for (uint32_t n = 0; n < SUBCORES; n++) {
    const nbu_port *p = &u->bus->port[n];
    if ((x->touches >> n & 1) &&
        ((p->holder && p->holder != x->o) || p->remote_holds || p->claimed)) {
      u->base->stats.nbu[n].held++;
      free = false;
    }
  }
  return free;
}

static void start(lsu *u, access *x) {
  for (uint32_t n = 0; n < SUBCORES; n++)
    if (x->touches >> n & 1)
      u->bus->port[n].holder = x->o;
  // of memory of this core: when its packets begin, or shared memory has done them
  const bool alone = u->alone == x;
  uint32_t later = x->remote;
  for (uint32_t k = 0; !alone && k < x->n_pieces; k++)
    later |= x->pieces[k].lanes;
  if (x->o->lanes & ~later)
    EMIT(u->base, emit_access(u->base, x->o, x->o->lanes & ~later, EVENT_WORDS));
  x->at_piece = 0;
  x->left = x->n_pieces ? x->pieces[0].lanes : 0;
  x->step = 0;
  x->line_lanes = x->no_room_left = 0;
  x->phase = LSU_SEND;
  EMIT(u->base, emit_op(u->base, EVENT_START, x->o));
}

void lsu_release(lsu *u, const access *x) {
  for (uint32_t n = 0; n < SUBCORES; n++)
    if (u->bus->port[n].holder == x->o)
      u->bus->port[n].holder = NULL;
}

static void all_sent(lsu *u, access *x) {
  lsu_release(u, x);
  copies_reads(u->copies, lsu_subcore(x), 0);
  lsu_sub *s = &u->sub[lsu_subcore(x)];
  s->head++;
  s->count--;
  x->phase = LSU_ANSWERS;
  x->fetched = 0;
  lsu_settle(u, x);
}

static stats_latency latency_of(const access *x) {
  const unsigned op = x->o->p->d->i.op;
  return op == ISA_OP_ATOM || op == ISA_OP_RED ? STATS_ATOMICS
         : x->remote                           ? STATS_REMOTE
         : x->has_shared                       ? STATS_SHARED
         : x->lines && !x->sectors             ? STATS_LINES
                                               : STATS_SECTORS;
}

static void end(lsu *u, access *x) {
  u->board->sub[lsu_subcore(x)].flights[x->o->flight].latency = (uint8_t)(1 + latency_of(x));
  if (u->alone == x)
    u->alone = NULL;
  board_end(u->board, x->o);
}

// All answers are there: what was gathered is written.
void lsu_settle(lsu *u, access *x) {
  if (x->phase != LSU_ANSWERS || x->answers)
    return;
  const decoded *d = x->o->p->d;
  x->written = 0;
  if (lsu_wide_atomic(x) && x->has_shared && !u->base->shared_far && lsu_wide_restored(x))
    x->written = (uint8_t)lsu_wide_restored(x), x->gathered = x->o->lanes;
  if (x->written == 3)
    memcpy(x->data, x->data_c, 2 * sizeof *x->data_c);
  if (x->gathered && d->reg[x->written] >= 0) {
    if (!lsu_data_near(x)) {
      u->base->stats.sub[lsu_subcore(x)].rf_writes += d->words[0];
      for (unsigned w = 0; w < d->words[0]; w++)
        exec_blend(exec_dst(x->o->w->w, d) + w * ISA_LANES, x->data[w], 1, x->gathered);
    } else {
      x->phase = LSU_WRITE;
      x->next = NULL;
      lsu_sub *s = &u->sub[lsu_subcore(x)];
      if (s->write_tail)
        s->write_tail->next = x;
      else
        s->write_head = x;
      s->write_tail = x;
      return;
    }
  }
  end(u, x);
}

// A register a cycle.
static void write_back(lsu *u, lsu_sub *s) {
  access *x = s->write_head;
  const decoded *d = x->o->p->d;
  if (!bus_write(u->bus, lsu_subcore(x),
                 near_place(x->o->w, (uint32_t)d->reg[x->written] + x->fetched),
                 x->data[x->fetched], x->gathered,
                 x->written ? lsu_tag(u, TAG_PACKET, x)
                            : lsu_writes(x, lsu_tag(u, TAG_PACKET, x), x->fetched, 4)))
    return;
  if (++x->fetched < d->words[x->written])
    return;
  s->write_head = x->next;
  if (!s->write_head)
    s->write_tail = NULL;
  end(u, x);
}

void lsu_step(lsu *u, uint32_t k) {
  lsu_sub *s = &u->sub[k];
  subcore_stats *t = &u->base->stats.sub[k];
  if (s->write_head)
    write_back(u, s);
  if (!s->count)
    return;
  access *x = s->queue[s->head % LSU_QUEUE];
  t->lsu_queue += s->count;
  if (x->phase == LSU_ADDRESS) {
    t->lsu_address++;
    if (!x->address_here || u->base->cycle < x->checked)
      return;
    if (!split(u, x, k))
      return;
    if (x->remote)
      board_waits_for(u->board, x->o, OP_REMOTE);
    else if (x->has_shared && !x->touches)
      board_waits_for(u->board, x->o, OP_SHARED);
    if (!x->pieces[0].in_place || !x->n_pieces)
      board_address_read(u->board, x->o);
    x->fetched = 0;
    copies_reads(u->copies, k, x->copies);
    x->phase = x->ends ? LSU_COPIES : needs_data(u, x, k) ? LSU_DATA : LSU_START;
    return;
  }
  if (x->phase == LSU_COPIES) {
    if (!lsu_copies_end(u, x)) {
      t->lsu_held++;
      return;
    }
    x->phase = needs_data(u, x, k) ? LSU_DATA : LSU_START;
  }
  if (x->phase == LSU_DATA) {
    if (!fetch_data(u, x)) {
      t->lsu_data++;
      return;
    }
    x->phase = LSU_START;
  }
  if (x->phase == LSU_START) {
    if (!may_start(u, x)) {
      t->lsu_held++;
      return;
    }
    start(u, x);
  }
  t->lsu_send++;
  if (x->phase == LSU_SEND && lsu_send(u, x))
    all_sent(u, x);
}

bool lsu_waits(const lsu *u, uint32_t k) {
  const lsu_sub *s = &u->sub[k];
  if (s->write_head)
    return false;
  if (!s->count)
    return true;
  const access *x = s->queue[s->head % LSU_QUEUE];
  return x->phase == LSU_SEND && x->at_piece < x->n_pieces && x->pieces[x->at_piece].remote &&
         x->left && remote_full(u->remote) && (!lsu_by_line(u, x) || s->missed);
}

void lsu_waited(const lsu *u, uint32_t k, uint64_t cycles, subcore_stats *t) {
  t->lsu_queue += u->sub[k].count * cycles;
  t->lsu_send += u->sub[k].count ? cycles : 0;
}

// ---- what comes back

static void read_answer(const lsu *u, access *x, const tag *t, uint64_t head,
                        const uint64_t *body) {
  uint8_t sector[32] = {0};
  bus_sector(t, head, body, sector);
  if (lsu_wide_atomic(x)) {
    memcpy(&x->wide, sector + x->address[__builtin_ctz(t->lanes)] % 32, 8);
    x->step = 2;
  } else {
    for (uint32_t m = t->lanes; m; m &= m - 1) {
      const uint32_t l = (uint32_t)__builtin_ctz(m);
      lsu_loaded(x, l, t->reg, sector + lsu_lane(u, x, t->reg, l) % 32, t->bytes);
    }
  }
}

static void line_answer(const lsu *u, access *x, const tag *t, uint64_t head,
                        const uint64_t *body) {
  uint32_t line[ISA_LANES];
  tag all = *t;
  all.lanes = ~0u;
  bus_lanes(&all, head, body, line);
  for (uint32_t m = t->lanes; m; m &= m - 1) {
    const uint32_t l = (uint32_t)__builtin_ctz(m);
    lsu_loaded(x, l, t->reg, (const uint8_t *)line + lsu_lane(u, x, t->reg, l) % LINE_BYTES,
               t->bytes);
  }
}

void lsu_answered(lsu *u, access *x) {
  x->answers--;
  lsu_settle(u, x);
}

static void answer(void *ctx, uint32_t nbu, const tag *t, uint64_t head, const uint64_t *body) {
  lsu *u = ctx;
  if (tsv_get(head, TSV_UP_ANY_KIND) == TSV_UP_FAULT) {
    const op *o = board_op(u->board, nbu, t->flight);
    exec_shared_fault(u->base->l, o->w->b, o->w->w, o->p->d, o->pc,
                      (unsigned)tsv_get(head, TSV_UP_FAULT_LANE), tsv_get(head, TSV_UP_FAULT_ADDR),
                      tsv_get(head, TSV_UP_FAULT_ALIGN));
    u->base->result = CORE_FAULT;
    return;
  }
  access *x = &u->sub[t->o->subcore].of[t->o->place];
  switch (t->kind) {
    case TAG_READ:
      read_answer(u, x, t, head, body);
      break;
    case TAG_LINE:
      line_answer(u, x, t, head, body);
      break;
    case TAG_ATOMIC:
      x->data[0][__builtin_ctz(t->lanes)] = (uint32_t)tsv_get(head, TSV_UP_WORD_DATA);
      x->gathered |= t->lanes;
      break;
    case TAG_WIDE:
      // either word may come first
      x->wide =
          t->reg ? (uint32_t)x->wide | body[0] << 32 : x->wide >> 32 << 32 | (uint32_t)body[0];
      break;
    case TAG_OPERAND:
      bus_lanes(t, head, body, t->reg < 4 ? x->data[t->reg] : x->data_c[t->reg - 4]);
      break;
    default:  // only that it is done
      break;
  }
  lsu_answered(u, x);
}

static void begun(void *ctx, uint32_t nbu, const tag *t) {
  lsu *u = ctx;
  lsu_sub *s = &u->sub[nbu];
  if (!t->shared)
    emit_access(u->base, board_op(u->board, t->subcore, t->flight), t->effect, t->words);
  for (uint32_t k = 0; k < t->shared; k++) {
    const uint32_t at = s->shared_tail++ % LSU_SHARED;
    s->shared[at] = t->flight;
    s->shared_lanes[at] = t->effect;
    s->shared_words[at] = (uint8_t)(1u << k);
  }
}

void lsu_shared_done(lsu *u, uint32_t nbus) {
  for (uint32_t n = 0; n < SUBCORES; n++) {
    lsu_sub *s = &u->sub[n];
    if (!(nbus >> n & 1))
      continue;
    if (s->shared_head == s->shared_tail) {
      base_wrong(u->base, "shared memory ends a request of NBU %u that was not sent", n);
      return;
    }
    const uint32_t at = s->shared_head++ % LSU_SHARED;
    s->shared_count--;
    EMIT(u->base, emit_access(u->base, board_op(u->board, n, s->shared[at]), s->shared_lanes[at],
                              s->shared_words[at]));
  }
}

// ---- from first to last

bool lsu_new(lsu *u, base *b, board *d, bus *bus, remote *n, copies *c) {
  u->base = b, u->board = d, u->bus = bus, u->remote = n, u->copies = c;
  u->client = bus_join(bus, (bus_client){.ctx = u, .answer = answer, .begun = begun});
  n->client = (remote_client){u, lsu_remote_answer, lsu_remote_done};
  u->requests = calloc(b->place.requests + 1, sizeof *u->requests);
  bool ok = u->requests != NULL && lsu_line_new(u);
  for (uint32_t k = 0; k < SUBCORES; k++)
    ok = (u->payloads[k] = calloc(OPS, sizeof *u->payloads[k])) != NULL && ok;
  return ok && (b->config.dies == ISA_DIES_HYBRID || lsu_far_new(u));
}

void lsu_delete(lsu *u) {
  for (uint32_t k = 0; k < SUBCORES; k++)
    free(u->payloads[k]);
  free(u->requests);
  lsu_line_delete(u);
  free(u->far_shared);
}

void lsu_reset(lsu *u) {
  u->alone = NULL;
  u->ending = u->ask_next = u->ask_left = 0;
  memset(u->sub, 0, sizeof u->sub);
  memset(u->line_turn, 0, sizeof u->line_turn);
  for (uint32_t k = 0; k < SUBCORES; k++)
    for (uint32_t n = 0; n < OPS; n++) {
      payload *from = &u->payloads[k][n];
      access *x = &u->sub[k].of[n];
      x->subcore = k;
      x->pieces = from->pieces, x->address = from->address;
      x->data = from->data, x->data_c = from->data_c;
    }
  lsu_line_reset(u);
  if (u->far_shared)
    lsu_far_reset(u);
}

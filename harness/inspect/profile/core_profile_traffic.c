// SPDX-License-Identifier: Apache-2.0
// Whose packets, flits and commands of the arrays these are. Packets are followed from their queue
// over the bus to the pins of the banks, in the same order as the core and its NBUs handle them.
#include <assert.h>
#include <string.h>
#include "core_profile_priv.h"

void profile_traffic_begin(core_profile *p, const core *c) {
  const dram_geometry *g = dram_geometry_of(near_arrays(c->base.near, 0));
  p->banks = g->banks, p->cols = g->cols;
  for (uint32_t n = 0; n < SUBCORES; n++) {
    unit *u = &p->unit[n];
    *u = (unit){.head = 0};
    for (uint32_t b = 0; b < p->banks; b++)
      u->rows[b] = near_rows(c->base.near, n, b);
  }
}

// ---- what a packet does in the banks

static uint32_t beats(uint64_t mtype) {
  return (tsv_mtype_bytes((unsigned)mtype) + 3) / 4;
}

static void expect(bank_access *a, uint32_t bank, uint32_t reads, uint32_t writes) {
  a->reads[bank] = (uint8_t)reads, a->writes[bank] = (uint8_t)writes;
  a->left = (uint8_t)(a->left + reads + writes);
}

static void expect_line(bank_access *a, uint64_t head) {
  const uint64_t at = tsv_get(head, TSV_DN_LINE_ADDR), store = tsv_get(head, TSV_DN_LINE_STORE);
  const uint64_t bytes = ISA_LANES * tsv_mtype_bytes((unsigned)tsv_get(head, TSV_DN_LINE_MTYPE));
  a->place = (uint32_t)(at >> 7);
  for (uint64_t b = at >> 5 & 3; b <= (at % 128 + bytes - 1) >> 5; b++)
    expect(a, (uint32_t)b, !store, store != 0);
}

static void expect_sector(bank_access *a, uint64_t sector, uint32_t reads, uint32_t writes) {
  a->place = (uint32_t)(sector >> 2);
  expect(a, sector & 3, reads, writes);
}

static void look_at_packet(unit *u, profile_traffic *of, uint64_t head) {
  bank_access a = {.of = of};
  const uint64_t mop = tsv_get(head, TSV_DN_SECT_MOP), sector = tsv_get(head, TSV_DN_RD_SECTOR);
  const uint32_t words = beats(tsv_get(head, TSV_DN_SECT_MTYPE));
  switch (head & 15) {
    case TSV_DN_LINE:
      expect_line(&a, head);
      break;
    case TSV_DN_SECT:
      expect_sector(&a, sector, mop != TSV_MOP_ST ? words : 0, mop != TSV_MOP_LD ? words : 0);
      break;
    case TSV_DN_RD:
      expect_sector(&a, sector, 1, 0);
      break;
    case TSV_DN_WR:
      expect_sector(&a, sector, 0, 1);
      break;
    case TSV_DN_ATM:
      expect_sector(&a, sector, 1, 1);
      break;
    default:
      return;
  }
  assert(u->n_accesses < ACCESSES);
  u->accesses[u->n_accesses++] = a;
}

// ---- packets

// SYNC is of the barrier or fence that waits for it, or of the last instruction of its warp.
static profile_traffic *owner_of_sync(core_profile *p, const core *c, const tag *t) {
  const cwarp *w = &c->board.sub[t->subcore].warps[t->reg];
  const uint32_t row =
      w->next ? (uint32_t)(w->next - c->base.uops) : p->sub[t->subcore].last[t->reg];
  return &p->counts[row].own;
}

// A request of another core is its instruction's, which is of the same kernel; that does not go on
// before the answer.
static profile_traffic *owner(core_profile *p, const core *c, const core_event *e) {
  const tag *t = &c->bus.port[e->nbu].tags[e->tag];
  if (e->number != EVENT_NONE)
    return &profile_of(p, e->pc)->own;
  if (e->packet == TSV_DN_WIN)
    return &profile_else(p, PROFILE_WINDOWS)->own;
  if (t->kind == TAG_SYNC)
    return owner_of_sync(p, c, t);
  return t->kind == TAG_REMOTE ? &profile_of(p, view_request(c, t)->pc)->served
                               : &profile_else(p, PROFILE_CLEARING)->own;
}

static void count_move(core_profile *p, const core *c, const core_event *e) {
  profile_counts *n = profile_of(p, e->pc);
  watch *w = &p->sub[e->nbu];
  const uint64_t zeroed = c->base.stats.sub[e->nbu].moves_zero;
  switch (c->bus.port[e->nbu].tags[e->tag].kind) {
    case TAG_MOVE_NEAR:
      ++*(zeroed != w->moves_zero ? &n->moves_zero : &n->moves_near);
      w->moves_zero = zeroed;
      break;
    case TAG_MOVE_FAR:
      n->moves_far++;
      break;
    default:
      break;
  }
}

// Packets that are there for others: a RUN, and what goes before it.
static void count_carriers(profile_traffic *of, const nbu_port *p, uint32_t flits) {
  for (uint32_t left = flits; left;) {
    const uint64_t head = p->flits[(p->head + p->count - left) % QUEUE];
    if ((head & 15) >= TSV_DN_KEEP)
      of->packets[head & 15]++;
    left -= 1 + tsv_dn_len(head);
  }
}

// It is the last one in its queue: one is sent a cycle. One without flits is in the RUN before it.
static void sent(core_profile *p, const core *c, const core_event *e) {
  unit *u = &p->unit[e->nbu];
  const nbu_port *port = &c->bus.port[e->nbu];
  profile_traffic *of = owner(p, c, e);
  of->packets[e->packet]++;
  if (e->flits) {
    const uint32_t at = (u->head + u->count++) % QUEUE;
    u->queue[at].of = of, u->queue[at].flits = e->flits;
    look_at_packet(u, of, port->flits[(port->head + port->count - e->flits) % QUEUE]);
    count_carriers(of, port, e->flits);
  }
  if (e->packet != TSV_DN_WIN)
    u->tags[e->tag] = of;
  if (e->number != EVENT_NONE)
    count_move(p, c, e);
}

static void flit_down(unit *u) {
  assert(u->count);
  u->queue[u->head].of->flits_down++;
  if (--u->queue[u->head].flits == 0)
    u->head = (u->head + 1) % QUEUE, u->count--;
}

// A DONE of several packets is the first one's.
static void flit_up(core_profile *p, unit *u, uint64_t flit) {
  if (!u->up_left) {
    const bool done = tsv_get(flit, TSV_UP_ANY_KIND) == TSV_UP_DONE;
    u->up = u->tags[tsv_get(flit, done ? TSV_UP_DONE_TAGS : TSV_UP_ANY_TAG) & 255];
    u->up_left = 1 + (done ? 0 : (uint32_t)tsv_get(flit, TSV_UP_ANY_LEN));
    if (!u->up)  // nothing was sent with this tag
      u->up = &profile_else(p, PROFILE_UNKNOWN)->own;
  }
  u->up->flits_up++;
  u->up_left--;
}

// ---- the pins

static bank_access *next_access(unit *u, uint32_t bank, uint32_t place, uint32_t mask, bool reads,
                                bool writes) {
  for (uint32_t n = 0; n < u->n_accesses; n++) {
    bank_access *a = &u->accesses[n];
    if (!((a->place ^ place) & mask) && ((reads && a->reads[bank]) || (writes && a->writes[bank])))
      return a;
  }
  return NULL;
}

// What the read or write of the last cycle has met.
static void look_at_row(const core *c, uint32_t n, unit *u) {
  profile_traffic *of = u->accessing;
  const uint32_t b = u->accessing_bank;
  const dram_rows before = u->rows[b], now = near_rows(c->base.near, n, b);
  if (!of)
    return;
  of->row_hits_1 += now.hits[0] - before.hits[0];
  of->row_hits_2 += now.hits[1] - before.hits[1];
  of->row_hits_3 += now.hits[2] - before.hits[2];
  of->row_hits_4 += now.hits[3] - before.hits[3];
  of->row_misses += now.misses - before.misses;
  of->row_conflicts += now.conflicts - before.conflicts;
  u->rows[b] = now;
  u->accessing = NULL;
}

static void column(core_profile *p, unit *u, const nbu_out *pins) {
  const bool reads = pins->cmd == DRAM_RD;
  const uint32_t b = pins->cmd_bank;
  profile_traffic *of = &profile_else(p, PROFILE_UNKNOWN)->own;
  bank_access *a = next_access(u, b, pins->cmd_row * p->cols + pins->cmd_col, ~0u, reads, !reads);
  if (a) {
    of = a->of;
    --*(reads ? &a->reads[b] : &a->writes[b]);
    if (--a->left == 0) {
      bank_access *last = &u->accesses[--u->n_accesses];
      memmove(a, a + 1, (size_t)(last - a) * sizeof *a);
    }
  }
  ++*(reads ? &of->rd : &of->wr);
  u->accessing = of, u->accessing_bank = b;
}

// A row that is closed makes room for the next one that is opened, unless a refresh comes first.
static void row(core_profile *p, unit *u, const nbu_out *pins) {
  const uint32_t b = pins->cmd_bank;
  const bank_access *a = next_access(u, b, pins->cmd_row * p->cols, -p->cols, true, true);
  profile_traffic *of = a ? a->of : &profile_else(p, PROFILE_UNKNOWN)->own;
  profile_traffic *refresh = &profile_else(p, PROFILE_REFRESH)->own;
  switch (pins->cmd) {
    case DRAM_ACT:
      of->act++;
      if (u->closings[b])
        u->closings[b]--, of->pre++;
      break;
    case DRAM_SASEL:
      of->sasel++;
      break;
    case DRAM_PRE:
      u->closings[b]++;
      break;
    default:
      refresh->ref++;
      refresh->pre += u->closings[b];
      u->closings[b] = 0;
  }
}

// ---- a cycle

void profile_traffic_cycle(core_profile *p, const core *c, const core_event *e, uint32_t count) {
  for (uint32_t place = 0; place < 2; place++) {  // of the bus; before packets are sent
    if (c->base.out.up_valid >> place & 1)
      flit_up(p, &p->unit[c->base.out.up_sel >> 2 * place & 3],
              tsv_flit(&c->base.out.up_data[2 * place]));
    if (c->base.in.dn_valid >> place & 1)
      flit_down(&p->unit[c->base.in.dn_sel >> 2 * place & 3]);
  }
  for (uint32_t n = 0; n < count; n++)
    if (e[n].kind == EVENT_SEND)
      sent(p, c, &e[n]);
  for (uint32_t n = 0; n < SUBCORES; n++) {
    unit *u = &p->unit[n];
    const nbu_out *pins = near_pins(c->base.near, n);
    look_at_row(c, n, u);
    if (pins->cmd == DRAM_RD || pins->cmd == DRAM_WR)
      column(p, u, pins);
    else if (pins->cmd)
      row(p, u, pins);
  }
}

void profile_traffic_end(core_profile *p, const core *c) {
  for (uint32_t n = 0; n < SUBCORES; n++) {
    unit *u = &p->unit[n];
    look_at_row(c, n, u);
    for (uint32_t b = 0; b < p->banks; b++)
      profile_else(p, PROFILE_REFRESH)->own.pre += u->closings[b];
  }
}

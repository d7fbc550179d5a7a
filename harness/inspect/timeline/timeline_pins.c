// SPDX-License-Identifier: Apache-2.0
// What is on the pins of a core's near side: flits, completions, commands of the arrays, requests
// to shared memory.
#include <assert.h>
#include <string.h>
#include "timeline_priv.h"
#include "csim/mpu/die_wires.h"
#include "csim/mpu/tsv_packet.h"

const char *const timeline_packets[] = {
#define TSV_PACKET(dir, num, name, reply, body, doc) NAME_##dir(num, name)
#define NAME_DN(num, name) [num] = #name,
#define NAME_UP(num, name)
#include "csim/mpu/tsv.def"
#undef NAME_DN
#undef NAME_UP
};
static const char *const up_names[16] = {
#define TSV_PACKET(dir, num, name, reply, body, doc) NAME_##dir(num, name)
#define NAME_DN(num, name)
#define NAME_UP(num, name) [num] = #name,
#include "csim/mpu/tsv.def"
};
static const char *const commands[] = {"", "ACT", "PRE", "SASEL", "RD", "WR", "REF", "PREA"};

// ---- the bus

static void draw_flit(timeline_core *k, uint32_t track, const char *name, uint32_t nbu,
                      uint64_t flit, uint32_t number, uint32_t of) {
  process *p = &k->p;
  if (!slice_begin(p, track, k->cycle, k->cycle + 1, name, CUT_NO))
    return;
  slice_number(p, track < TRACK_UP ? "dn" : "up",
               track < TRACK_UP ? track - TRACK_DOWN : track - TRACK_UP);
  slice_number(p, "nbu", nbu);
  slice_hex(p, "data", flit, 16);
  slice_number(p, "flit", number);
  slice_number(p, "of", of);
  slice_end(p);
}

static void flit_down(timeline_core *k, uint32_t place, uint32_t nbu, uint64_t flit) {
  unit *u = &k->units[nbu];
  assert(u->count);
  packet *x = &u->packets[u->queue[u->head % QUEUE]];
  if (!x->seen++)
    x->first = k->cycle, x->down_track = TRACK_DOWN + place;
  x->last = k->cycle;
  u->flits--;
  if (u->down.got == u->down.flits)  // its own head: what goes with a packet may be several
    u->down = (down_packet){(uint32_t)(flit & 15), 0, 1 + tsv_dn_len(flit)};
  u->down.got++;
  draw_flit(k, TRACK_DOWN + place, timeline_packets[u->down.kind], nbu, flit, u->down.got,
            u->down.flits);
  if (x->seen < x->flits)
    return;
  u->head++, u->count--;
  if (x->kind == TSV_DN_WIN)
    timeline_packet_end(k, nbu, x, k->cycle + 1, CUT_NO);
  for (; u->count && !(x = &u->packets[u->queue[u->head % QUEUE]])->flits; u->head++, u->count--)
    x->rides = true, x->first = x->last = k->cycle, x->down_track = TRACK_DOWN + place;
}

static void flit_up(timeline_core *k, uint32_t place, uint32_t nbu, uint64_t flit) {
  unit *u = &k->units[nbu];
  up_packet *x = &u->up;
  if (x->got == x->flits) {
    const uint32_t kind = (uint32_t)tsv_get(flit, TSV_UP_ANY_KIND);
    const bool done = kind == TSV_UP_DONE;
    *x = (up_packet){kind, 0, done ? 1 : 1 + (uint32_t)tsv_get(flit, TSV_UP_ANY_LEN), 0, 0};
    packet *of = &u->packets[u->of_tag[tsv_get(flit, TSV_UP_ANY_TAG)]];
    if (!done && of->open)
      of->up = k->cycle;
  }
  x->got++;
  x->cycle = k->cycle, x->track = TRACK_UP + place;
  draw_flit(k, x->track, up_names[x->kind] ? up_names[x->kind] : "unknown", nbu, flit, x->got,
            x->flits);
}

static void bus(timeline_core *k, const near_in *in, const near_out *out) {
  for (uint32_t place = 0; place < 2; place++)
    if (in->dn_valid >> place & 1)
      flit_down(k, place, in->dn_sel >> 2 * place & 3, tsv_flit(in->dn_data + 2 * place));
  for (uint32_t place = 0; place < 2; place++)
    if (out->up_valid >> place & 1)
      flit_up(k, place, out->up_sel >> 2 * place & 3, tsv_flit(out->up_data + 2 * place));
}

// ---- completions

static void completion(timeline_core *k, uint32_t nbu, uint32_t by, uint32_t tag) {
  process *p = &k->p;
  packet *x = &k->units[nbu].packets[k->units[nbu].of_tag[tag]];
  x->done = k->cycle, x->done_track = TRACK_DONE + nbu * COMPLETERS + by;
  if (!slice_begin(p, x->done_track, k->cycle, k->cycle + 1, timeline_packets[x->kind], CUT_NO))
    return;
  slice_number(p, "nbu", nbu);
  slice_number(p, "tag", tag);
  slice_end(p);
}

// ---- the arrays

static void end_row(timeline_core *k, uint32_t nbu, uint32_t bank, uint32_t buffer, uint64_t end,
                    slice_cut cut) {
  process *p = &k->p;
  row *r = &k->units[nbu].rows[bank][buffer];
  char name[24];
  snprintf(name, sizeof name, "row %u", r->row);
  r->open = false;
  const uint32_t track = TRACK_ROWS + (nbu * DRAM_BANKS + bank) * ROW_BUFFERS + buffer;
  if (!slice_begin(p, track, r->begin, end, name, cut))
    return;
  slice_number(p, "nbu", nbu);
  slice_number(p, "bank", bank);
  slice_number(p, "row", r->row);
  slice_number(p, "reads", r->reads);
  slice_number(p, "writes", r->writes);
  slice_end(p);
}

// The buffer that has a row of this subarray, ROW_BUFFERS: none.
static uint32_t buffer_of(const row *r, uint32_t cmd_row, uint32_t subarrays) {
  uint32_t n = 0;
  while (n < ROW_BUFFERS && !(r[n].open && r[n].row % subarrays == cmd_row % subarrays))
    n++;
  return n;
}

// ACT takes the first buffer that is free, as rule 7 of the controller says.
static void command(timeline_core *k, const core *c, uint32_t nbu, const nbu_out *o) {
  process *p = &k->p;
  row *rows = k->units[nbu].rows[o->cmd_bank];
  uint32_t n = buffer_of(rows, o->cmd_row, core_sizes(c)->subarrays);
  if (o->cmd == DRAM_ACT) {
    for (n = 0; n < ROW_BUFFERS - 1 && rows[n].open;)
      n++;
    rows[n] = (row){true, o->cmd_row, 0, 0, k->cycle};
  }
  row *r = n < ROW_BUFFERS ? &rows[n] : NULL;
  if (r && o->cmd == DRAM_RD)
    r->reads++;
  if (r && o->cmd == DRAM_WR)
    r->writes++;
  if (r && o->cmd == DRAM_PRE)
    end_row(k, nbu, o->cmd_bank, n, k->cycle, CUT_NO);
  for (uint32_t b = 0; o->cmd == DRAM_PREA && b < ROW_BUFFERS; b++)
    if (rows[b].open)
      end_row(k, nbu, o->cmd_bank, b, k->cycle, CUT_NO);
  const uint32_t track = TRACK_BANKS + nbu * DRAM_BANKS + o->cmd_bank;
  if (!slice_begin(p, track, k->cycle, k->cycle + 1, commands[o->cmd & 7], CUT_NO))
    return;
  slice_number(p, "nbu", nbu);
  slice_text(p, "cmd", commands[o->cmd & 7]);
  slice_number(p, "bank", o->cmd_bank);
  if (o->cmd != DRAM_REF && o->cmd != DRAM_PREA)
    slice_number(p, "row", o->cmd_row);
  if (o->cmd == DRAM_RD || o->cmd == DRAM_WR)
    slice_number(p, "col", o->cmd_col);
  slice_end(p);
}

// ---- shared memory

static void end_access(timeline_core *k, uint32_t port, uint64_t end, slice_cut cut) {
  process *p = &k->p;
  unit *u = &k->units[port];
  const access a = u->accesses[0];
  u->n_accesses--;
  memmove(u->accesses, u->accesses + 1, u->n_accesses * sizeof a);
  track_free(p, a.track, end);
  if (!slice_begin(p, a.track, a.taken, end,
                   a.op == TSV_MOP_ST     ? "store"
                   : a.op >= TSV_MOP_ATOM ? "atomic"
                                          : "load",
                   cut))
    return;
  slice_number(p, "port", port);
  slice_number(p, "op", a.op);
  slice_hex(p, "mask", a.mask, 8);
  if (a.pins)
    slice_number(p, "word", a.word), slice_number(p, "waited", a.taken - a.begin);
  slice_end(p);
}

static void begin_access(timeline_core *k, uint32_t port, access a) {
  unit *u = &k->units[port];
  assert(u->n_accesses < SHARED);
  a.taken = k->cycle;
  a.track = track_take(&k->p, TRACKS_SHARED, port, k->cycle);
  u->accesses[u->n_accesses++] = a;
}

// The address of the lowest lane.
static uint32_t lowest_word(const nbu_out *o) {
  const uint32_t bit = o->sm_mask ? 14 * (uint32_t)__builtin_ctz(o->sm_mask) : 0;
  const uint64_t high = bit / 32 + 1 < 14 ? o->sm_addr[bit / 32 + 1] : 0;
  return (uint32_t)((o->sm_addr[bit / 32] | high << 32) >> bit % 32) & 0x3fff;
}

static void shared(timeline_core *k, uint32_t port, const nbu_out *o, bool ready, bool done) {
  unit *u = &k->units[port];
  if (done && u->n_accesses)
    end_access(k, port, k->cycle + 1, CUT_NO);
  if (o->sm_valid && u->offered == NEVER)
    u->offered = k->cycle;
  if (!o->sm_valid || !ready)
    return;
  begin_access(k, port,
               (access){.pins = true,
                        .begin = u->offered,
                        .op = o->sm_op,
                        .mask = o->sm_mask,
                        .word = lowest_word(o)});
  u->offered = NEVER;
}

void timeline_shared(timeline_core *k, const core_event *e) {
  if (e->kind == EVENT_SHARED)
    begin_access(k, e->subcore, (access){.op = e->reg, .mask = e->lanes});
  else if (k->units[e->subcore].n_accesses)
    end_access(k, e->subcore, e->cycle + 1, CUT_NO);
}

// ---- all

void timeline_pins(timeline_core *k, const core *c) {
  near *n = core_near(c);
  const near_out *out = core_sees(c);
  const uint32_t ready = die_shared_ready(near_shared_pins(n));
  bus(k, core_drives(c), out);
  for (uint32_t nbu = 0; nbu < SUBCORES; nbu++) {
    const nbu_out *o = near_pins(n, nbu);
    for (uint32_t by = 0; by < COMPLETERS; by++)
      if (out->ret_valid >> (COMPLETERS * nbu + by) & 1)
        completion(k, nbu, by, out->ret_tag[nbu] >> 8 * by & 255);
    if (o->cmd)
      command(k, c, nbu, o);
    shared(k, nbu, o, ready >> nbu & 1, out->sm_done >> nbu & 1);
  }
}

void timeline_pins_cut(timeline_core *k, uint64_t cycle, slice_cut cut) {
  for (uint32_t nbu = 0; nbu < SUBCORES; nbu++) {
    unit *u = &k->units[nbu];
    for (uint32_t n = 0; n < PACKETS; n++)
      if (u->packets[n].open)
        timeline_packet_end(k, nbu, &u->packets[n], cycle, cut);
    while (u->n_accesses)
      end_access(k, nbu, cycle, cut);
    for (uint32_t n = 0; n < DRAM_BANKS * ROW_BUFFERS; n++)
      if (u->rows[n / ROW_BUFFERS][n % ROW_BUFFERS].open)
        end_row(k, nbu, n / ROW_BUFFERS, n % ROW_BUFFERS, cycle, cut);
  }
}

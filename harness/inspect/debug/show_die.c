// SPDX-License-Identifier: Apache-2.0
// What is between the warps and the arrays, as text: engines, queues, packets, banks.
#include <inttypes.h>
#include <stdlib.h>
#include "csim/dram/bankctl.h"
#include "csim/isa/skew.h"
#include "csim/mpu/lsux.h"
#include "csim/mpu/order.h"
#include "harness/machines/mpu/core/core_view.h"
#include "harness/machines/mpu/core/report.h"
#include "show.h"

enum { TEXT = 400 };

const char *const show_down[] = {
#define TSV_PACKET(dir, num, name, reply, body, doc) SHOW_##dir(num, name)
#define SHOW_DN(num, name) [num] = #name,
#define SHOW_UP(num, name)
#include "csim/mpu/tsv.def"
#undef SHOW_DN
#undef SHOW_UP
    NULL};
const char *const show_up[] = {
#define TSV_PACKET(dir, num, name, reply, body, doc) SHOW_##dir(num, name)
#define SHOW_DN(num, name)
#define SHOW_UP(num, name) [num] = #name,
#include "csim/mpu/tsv.def"
    NULL};

static void put_op(FILE *f, const core *c, const op *o) {
  show_block(f, c->base.l, o->w->b->index);
  fprintf(f, " warp %u, ", o->w->index);
  show_place(f, c->base.l, o->pc);
}

// ---- a subcore

static void put_one(FILE *f, const core *c, const op *o, const char *what) {
  if (!o)
    return;
  fprintf(f, "  %s: ", what);
  put_op(f, c, o);
  fputc('\n', f);
}

static void put_engine(FILE *f, const core *c, const view_sub *s) {
  put_one(f, c, s->engine->entering, "enters the offload engine");
  put_one(f, c, s->engine->asking, "asks the track table");
  put_one(f, c, s->engine->deciding, "is decided");
  for (const op *o = s->engine->ready_head; o; o = o->next)
    put_one(f, c, o, o->near ? "waits for the queue of its NBU" : "waits for its unit");
  for (uint32_t k = 0; k < s->engine->moves_count; k++) {
    const move *m = &s->engine->moves[(s->engine->moves_head + k) % OPS];
    fprintf(f, "  move of r%u to the %s side is to be sent, for ", m->reg,
            m->to_near ? "near" : "far");
    put_op(f, c, m->o);
    fputc('\n', f);
  }
}

static void put_units(FILE *f, const core *c, const view_sub *s) {
  uint32_t taken = 0;
  for (uint32_t k = 0; k < c->base.config.collectors; k++)
    taken += !(s->far->free_collectors >> k & 1);
  if (taken || s->far->executing)
    fprintf(f, "  %u of %u collectors are taken, %u instructions execute\n", taken,
            c->base.config.collectors, s->far->executing);
}

static void put_lsu(FILE *f, const core *c, const view_sub *s) {
  char text[TEXT];
  if (s->lsu->count)
    fprintf(f, "  LSU: %u of %u places are taken\n", s->lsu->count, c->base.config.lsu_queue);
  for (uint32_t k = 0; k < s->lsu->count; k++) {
    const op *o = s->lsu->queue[(s->lsu->head + k) % LSU_QUEUE]->o;
    fputs("    ", f);
    put_op(f, c, o);
    report_op(c, o, text, sizeof text);
    fprintf(f, ": %s\n", k ? "waits for those before it" : text);
  }
  for (const access *x = s->lsu->write_head; x; x = x->next)
    put_one(f, c, x->o, "writes its near registers");
}

static bool at_work(const core *c, const view_sub *s) {
  return engine_works(&c->engine, s->index) || s->engine->moves_count ||
         lsu_works(&c->lsu, s->index) || s->far->executing || s->front->n_order;
}

// ---- an NBU's channel

static void put_tag(FILE *f, const core *c, const tag *t) {
  switch (t->kind) {
    case TAG_CLEAR:
      fprintf(f, "clears local memory of slot %u\n", t->reg);
      return;
    case TAG_SYNC:
      fprintf(f, "asks for the end of those before it, for slot %u\n", t->reg);
      return;
    case TAG_REMOTE:
      fprintf(f, "of LSU-Remote, for core %u\n", view_request(c, t)->from);
      return;
    case TAG_MOVE_NEAR:
    case TAG_MOVE_FAR:
      fprintf(f, "moves r%u to the %s side, for ", t->reg,
              t->kind == TAG_MOVE_NEAR ? "near" : "far");
      break;
    case TAG_LINE:
      fputs("a line for ", f);
      break;
    case TAG_OPERAND:
    case TAG_WIDE:
      fputs("data for ", f);
      break;
    default:
      break;
  }
  put_op(f, c, bus_op(&c->bus, t));
  fputc('\n', f);
}

static void put_port(FILE *f, const core *c, uint32_t nbu, const show_packet seen[256]) {
  const nbu_port *p = &c->bus.port[nbu];
  if (!p->count && p->n_free == TAGS && !p->holder && !p->remote_holds &&
      !(c->base.out.up_count >> 2 * nbu & 3))
    return;
  fprintf(f, "NBU %u: %u of %u flits wait for the bus, credits for %u; %u packets under way", nbu,
          p->count, c->base.config.tsv_queue, p->credits, TAGS - p->n_free);
  if (p->up_open)
    fprintf(f, "; of one that comes up %u flits of %u are here", 1 + p->up_got, 1 + p->up_len);
  fputc('\n', f);
  if (p->holder)
    put_one(f, c, p->holder, "held by");
  else if (p->remote_holds)
    fputs("  held by LSU-Remote\n", f);
  for (uint32_t t = TAGS; t--;) {
    if (p->tags[t].kind == TAG_FREE)
      continue;
    fprintf(f, "  tag %u, %s, in the queue since cycle %" PRIu64 ": ", t, show_down[seen[t].kind],
            seen[t].cycle);
    put_tag(f, c, &p->tags[t]);
  }
}

// ---- the network interface

static void put_interface(FILE *f, const core *c) {
  const remote *n = &c->remote;
  uint32_t answers = 0;
  for (const served *r = n->answers; r; r = r->next)
    answers++;
  if (!c->base.place.requests)
    return;
  fprintf(f,
          "network interface: room for %u requests and %u answers, %u of %u requests under way, "
          "%u packets arrive\n",
          n->credits[NOC_REQUEST], n->credits[NOC_RESPONSE], n->under_way, c->base.place.requests,
          n->in_count);
  for (uint32_t k = 0; k < c->base.place.requests; k++) {
    const net_request *r = &c->remote.requests[k];
    if (!r->open)
      continue;
    fprintf(f, "  %s of core %u, address 0x%" PRIx64 ", sent in cycle %" PRIu64 ": ",
            remote_kinds[r->sent.kind], r->to, r->sent.address, r->sent.sent);
    put_op(f, c, r->o);
    fputc('\n', f);
  }
  if (n->n_serves | n->served | answers)
    fprintf(f,
            "  LSU-Remote: %u requests wait for their NBU, %u for its answer, %u answers leave\n",
            n->n_serves, n->served, answers);
  for (uint32_t k = 0; k < n->n_serves; k++)
    fprintf(f, "    %s for core %u, NBU %u, address 0x%" PRIx64 "\n",
            remote_kinds[n->serves[k]->asked.kind], n->serves[k]->asked.from, n->serves[k]->nbu,
            n->serves[k]->asked.address);
}

void show_queues(FILE *f, const core *c, const show_packets *seen) {
  for (uint32_t k = 0; k < SUBCORES; k++) {
    const view_sub sub = view_subcore(c, k), *s = &sub;
    if (!at_work(c, s))
      continue;
    fprintf(f, "subcore %u: %u warps, %d instructions under way\n", k, s->front->n_order,
            __builtin_popcountll(s->board->under_way));
    put_engine(f, c, s);
    put_units(f, c, s);
    put_lsu(f, c, s);
  }
  for (uint32_t k = 0; k < SUBCORES; k++)
    put_port(f, c, k, seen->of[k]);
  put_interface(f, c);
}

// ---- banks

// In cycles of the core: those of the near side begin again where cores are made again.
static uint64_t core_time(const core *c, uint64_t cycle) {
  return cycle + c->near_offset;
}

static void put_time(FILE *f, const core *c, const dram *d, uint32_t bank, uint32_t subarray,
                     dram_cmd cmd) {
  const uint64_t now = near_cycle(c->base.near), at = dram_earliest(d, bank, subarray, cmd);
  if (at <= now)
    fprintf(f, " %s now", dram_cmd_names[cmd]);
  else
    fprintf(f, " %s %" PRIu64, dram_cmd_names[cmd], core_time(c, at));
}

static void put_bank(FILE *f, const core *c, const dram *d, uint32_t bank) {
  uint64_t cycle;
  uint32_t rows[4], selected;
  const uint32_t n = dram_open_rows(d, bank, rows, &selected);
  const dram_cmd last = dram_last(d, bank, &cycle);
  fprintf(f, "  bank %u: ", bank);
  if (last)
    fprintf(f, "last command %s in cycle %" PRIu64 "\n", dram_cmd_names[last], core_time(c, cycle));
  else
    fputs("no command\n", f);
  for (uint32_t k = 0; k < n; k++) {
    const uint32_t subarray = rows[k] % dram_geometry_of(d)->subarrays;
    fprintf(f, "    row %u open%s; from cycle:", rows[k], selected == k + 1 ? ", selected" : "");
    put_time(f, c, d, bank, subarray, DRAM_RD);
    put_time(f, c, d, bank, subarray, DRAM_WR);
    put_time(f, c, d, bank, subarray, DRAM_PRE);
    if (selected != k + 1)
      put_time(f, c, d, bank, subarray, DRAM_SASEL);
    fputc('\n', f);
  }
}

// Which packet a read is of is known as long as the LSU-Extension waits for it.
static void put_queue(FILE *f, const core *c, uint32_t nbu, const struct nbu *u) {
  const bankctl *b = nbu_bankctl(u);
  const lsux *l = nbu_lsux(u);
  const order_out *o = nbu_part_out(u, NBU_PART_order);
  if (b->n)
    fprintf(f, "  controller: %u of %u lines\n", b->n, core_sizes(c)->queue);
  for (uint32_t k = 0; k < b->n; k++) {
    const bankctl_entry *e = &b->queue[b->order >> 4 * k & 15];
    const uint32_t entry = l->table[e->id / LSUX_BANKS & (l->entries - 1)].tag;
    const uint32_t number = o->tags[entry / 4 % (STRUCTURE_MAX_HELD / 4)] >> 8 * (entry % 4) & 255;
    const tag *t = &c->bus.port[nbu].tags[number];
    fprintf(f, "    %s bank", e->we ? "write" : "read");
    for (uint32_t bank = 0; bank < BANKCTL_BANKS; bank++)
      if (b->sets.of >> (16 * bank + k) & 1)
        fprintf(f, " %u", bank);
    fprintf(f, " row %u column %u", e->row, e->col);
    if (!e->we && t->kind != TAG_FREE) {
      fprintf(f, ", tag %u: ", number);
      put_tag(f, c, t);
    } else {
      fputc('\n', f);
    }
  }
  for (uint32_t k = 0; k < BANKCTL_BANKS; k++)
    if (b->banks[k].owed)
      fprintf(f, "    bank %u owes %u refreshes\n", k, b->banks[k].owed);
}

void show_banks(FILE *f, const core *c, uint32_t nbu) {
  const dram *d = near_arrays(c->base.near, nbu);
  const nbu_out *pins = near_pins(c->base.near, nbu);
  const struct nbu *u = near_unit(c->base.near, nbu);
  const uint32_t banks = dram_geometry_of(d)->banks;
  uint64_t cycle;
  bool used = false;
  for (uint32_t k = 0; k < banks; k++)
    used |= dram_last(d, k, &cycle) != DRAM_NONE;
  fprintf(f, "NBU %u", nbu);
  if (pins->cmd)
    fprintf(f, ": %s of bank %u is on the pins in the next cycle\n",
            dram_cmd_names[pins->cmd % DRAM_CMDS], pins->cmd_bank);
  else
    fputs(used ? "\n" : ": no command in this launch\n", f);
  for (uint32_t k = 0; used && k < banks; k++)
    put_bank(f, c, d, k);
  if (u)
    put_queue(f, c, nbu, u);
  else
    fputs("  the queue of the controller is in the Verilog: --near=lockstep shows it\n", f);
}

// ---- shared memory

static uint8_t *shared_of(const uint32_t *words, const block_slot *b, uint32_t skew) {
  const uint32_t n = (b->shared_bytes + 3) / 4;
  uint32_t *copy = malloc((n + 1) * sizeof *copy);
  if (!copy)
    abort();
  for (uint32_t k = 0; k < n; k++)
    copy[k] = words[skew_word(b->shared_base / 4 + k, skew)];
  return (uint8_t *)copy;
}

uint8_t *show_shared(const core *c, uint32_t block, uint32_t *bytes) {
  const uint32_t *words = view_shared(c);
  *bytes = 0;
  for (uint32_t m = c->front.blocks_live; m; m &= m - 1) {
    const block_slot *b = &c->front.blocks[__builtin_ctz(m)];
    if (b->b->index != block)
      continue;
    *bytes = b->shared_bytes;
    return words ? shared_of(words, b, c->base.skew) : NULL;
  }
  return NULL;
}

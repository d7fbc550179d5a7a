// SPDX-License-Identifier: Apache-2.0
// The wires are those of rtl/mpu/die_slice/die_slice.sv: all inputs of an edge are made from the
// outputs before it, then the blocks are clocked. What a reader does not look at is not copied.
#include "near_priv.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/differ.h"
#include "csim/base/port_trace.h"
#include "csim/base/rare.h"

const char *const near_mode_names[NEAR_MODES] = {"c", "rtl", "lockstep"};

bool near_mode_named(const char *name, near_mode *mode) {
  for (unsigned n = 0; n < NEAR_MODES; n++)
    if (strcmp(name, near_mode_names[n]) == 0) {
      *mode = (near_mode)n;
      return true;
    }
  return false;
}

// ---- one block, one edge ------------------------------------------------------------------------

// Block `block` is at fault, or `name` in it.
static size_t begin_error(near *n, unsigned block, const char *name, int tag, bool rule) {
  n->fault = (near_fault){n->cycle + 1, block, name, rule, tag};
  char where[40];
  if (block < NEAR_SMEM)
    snprintf(where, sizeof where, "NBU %u: %s", block, name);
  else if (block == NEAR_SMEM)
    snprintf(where, sizeof where, "%s", name);
  else
    snprintf(where, sizeof where, "%s of subcore %u", name, block - NEAR_RTT);
  return (size_t)snprintf(n->error, ERROR, "%s, %s, cycle %" PRIu64 ": ", n->name, where,
                          n->cycle + 1);
}

static const char *const differs = "twin and Verilog differ";

// After an edge of a block in Verilog, and of its twin, if it has one.
static bool agree(near *n, unsigned block, const char *name, const model *m, const void *rtl,
                  const void *out, const void *twin) {
  if (twin && memcmp(out, twin, m->ops->out_bytes)) {
    const uint32_t ends = block < NEAR_SMEM ? n->out[block].ret_valid : 0;
    const uint32_t first = 8 * (ends ? (uint32_t)__builtin_ctz(ends) : 0);
    const int tag = ends ? (int)(n->out[block].ret_tag >> first & 255) : -1;
    size_t at = begin_error(n, block, name, tag, false);
    at += (size_t)snprintf(n->error + at, ERROR - at, "%s\n", differs);
    differ_ports(n->error + at, ERROR - at, m->ops, twin, out);
    return false;
  }
  if (m->failed(rtl)) {
    const size_t at = begin_error(n, block, name, -1, true);
    snprintf(n->error + at, ERROR - at, "a check of the Verilog failed; its message is above");
    return false;
  }
  return true;
}

// The blocks in an NBU: before the NBU itself, for what is wrong in one is soon wrong outside.
static bool agree_inside(near *n, unsigned k) {
  inside_difference d;
  if (!inside_differs(&n->inside[k], &n->models, n->nbu[k], n->rtl_nbu[k], &d))
    return true;
  // what nbu makes is there in the cycle before the edge
  const bool glue = !strcmp(d.name, "nbu");
  n->cycle -= glue;
  size_t at = begin_error(n, k, d.name, d.tag, false);
  n->cycle += glue;
  at += (size_t)snprintf(n->error + at, ERROR - at, "%s\n", differs);
  if (d.where[0])
    at += (size_t)snprintf(n->error + at, ERROR - at, "  in %s\n", d.where);
  differ_ports(n->error + at, ERROR - at, d.ops, d.twin, d.verilog.out);
  return false;
}

RARE static bool clock_nbu_checked(near *n, unsigned k) {
  const model *m = &n->models.nbu;
  if (n->mode == NEAR_RTL) {
    m->ops->step(n->rtl_nbu[k], &n->in[k], &n->out[k]);
    return agree(n, k, "nbu", m, n->rtl_nbu[k], &n->out[k], NULL);
  }
  if (n->trace[k])
    port_trace_inputs(n->trace[k], &n->in[k]);
  if (n->mode == NEAR_LOCKSTEP)
    inside_before(&n->inside[k], &n->models, n->nbu[k], n->rtl_nbu[k]);
  nbu_step(n->nbu[k], &n->in[k], &n->out[k]);
  if (n->trace[k])
    port_trace_outputs(n->trace[k], &n->out[k]);
  if (n->mode == NEAR_C)
    return true;
  m->ops->step(n->rtl_nbu[k], &n->in[k], &n->rtl_nbu_out[k]);
  return agree_inside(n, k) && agree(n, k, "nbu", m, n->rtl_nbu[k], &n->rtl_nbu_out[k], &n->out[k]);
}

// With the twin alone, which nobody watches, there is little to do.
static inline bool clock_nbu(near *n, unsigned k) {
  if (n->mode != NEAR_C || n->trace[k])
    return clock_nbu_checked(n, k);
  nbu_step(n->nbu[k], &n->in[k], &n->out[k]);
  return true;
}

static bool clock_smem(near *n) {
  const model *m = &n->models.smem;
  port_trace *t = n->trace[NEAR_SMEM];
  if (t)
    port_trace_inputs(t, &n->smem_in);
  if (n->mode != NEAR_RTL)
    smem_clock(&n->smem, &n->smem_in);
  if (t)
    port_trace_outputs(t, &n->smem.out);
  if (n->mode == NEAR_C)
    return true;
  m->ops->step(n->rtl_smem, &n->smem_in, &n->rtl_smem_out);
  return agree(n, NEAR_SMEM, "smem", m, n->rtl_smem, &n->rtl_smem_out,
               n->mode == NEAR_LOCKSTEP ? &n->smem.out : NULL);
}

// Without `in` it is in reset.
RARE static bool clock_rtt_checked(near *n, unsigned k, const rtt_in *in) {
  const model *m = &n->models.rtt;
  port_trace *t = n->trace[NEAR_RTT + k];
  if (in)
    n->rtt_in[k] = *in;
  n->rtt_in[k].rst_n = in != NULL;
  if (t)
    port_trace_inputs(t, &n->rtt_in[k]);
  if (n->mode != NEAR_RTL) {
    if (in)
      rtt_clock(&n->rtt[k], in), n->rtt_out[k] = n->rtt[k].out;
    else
      rtt_step(&n->rtt[k], &(rtt_in){0}, &n->rtt_out[k]);
  }
  if (t)
    port_trace_outputs(t, &n->rtt_out[k]);
  if (n->mode == NEAR_C)
    return true;
  const bool both = n->mode == NEAR_LOCKSTEP;
  rtt_out *out = both ? &n->rtl_rtt_out[k] : &n->rtt_out[k];
  m->ops->step(n->rtl_rtt[k], &n->rtt_in[k], out);
  return agree(n, NEAR_RTT + k, "rtt", m, n->rtl_rtt[k], out, both ? &n->rtt_out[k] : NULL);
}

static inline bool clock_rtt(near *n, unsigned k, const rtt_in *in) {
  if (n->mode != NEAR_C || n->trace[NEAR_RTT + k] || !in)
    return clock_rtt_checked(n, k, in);
  n->rtt_in[k] = *in, n->rtt_in[k].rst_n = 1;  // waves may begin later
  rtt_clock(&n->rtt[k], in), n->rtt_out[k] = n->rtt[k].out;
  return true;
}

// ---- wires --------------------------------------------------------------------------------------

static void ask_shared(near *n) {
  die_ask_shared(&n->smem_in, n->smem_out, n->in, n->out);
}

// The inputs of the NBUs. Those that need their clock, a bit each.
static uint32_t wire_nbus(near *n, const near_in *in) {
  return n->busy | die_bus_down(n->in, in->dn_valid, in->dn_sel, in->dn_data, in->up_take,
                                in->up_credit, in->ref_tick);
}

// The pins in this cycle. False when the command breaks a rule.
static bool step_arrays(near *n, unsigned k) {
  n->stepping = k;
  const nbu_out *o = &n->out[k];
  const dram_pins pins = {o->cmd, o->cmd_bank, o->cmd_row, o->cmd_col, o->wdata, o->wmask};
  const bool busy = dram_step(n->dram[k], n->cycle, &pins, n->in[k].rdata);
  n->arrays = (n->arrays & ~(1u << k)) | (uint32_t)busy << k;
  return !n->error[0];
}

static void report(void *ctx, const dram_violation *v) {
  near *n = ctx;
  if (n->error[0])
    return;
  snprintf(n->error, ERROR, "%s", v->text);
  n->fault = (near_fault){v->cycle, n->stepping, "bankctl", true, -1};
}

static void rest_tables(near *n, uint32_t but) {
  for (unsigned k = 0; k < NEAR_NBUS; k++) {
    rtt_in *r = &n->rtt_in[k];
    if (!(but >> k & 1))
      r->lk_valid = r->up0_valid = r->up1_valid = r->clr_valid = 0;
  }
}

// Nothing is driven, and nothing drives.
void near_rest(near *n) {
  if (n->shared)
    ask_shared(n);
  wire_nbus(n, &(near_in){0});
  rest_tables(n, 0);
}

// ---- the near side ------------------------------------------------------------------------------

static uint32_t asks(const rtt_in *r) {
  return r->lk_valid | r->up0_valid | r->up1_valid | r->clr_valid;
}

// Tables that have something to do, a bit each.
static uint32_t asked(const near_in *in) {
  return asks(&in->rtt[0]) | asks(&in->rtt[1]) << 1 | asks(&in->rtt[2]) << 2 |
         asks(&in->rtt[3]) << 3;
}

static uint32_t looked_up(const near *n) {
  return n->rtt_out[0].lk_valid | n->rtt_out[1].lk_valid << 1 | n->rtt_out[2].lk_valid << 2 |
         n->rtt_out[3].lk_valid << 3;
}

static bool quiet(const near_in *in) {
  return !(in->dn_valid | in->up_credit | in->ref_tick | asked(in));
}

static void show(near *n, near_out *out, uint32_t tables) {
  const nbu_out *o = n->out;
  out->dn_credit = o[0].dn_credit | o[1].dn_credit << 2 | o[2].dn_credit << 4 | o[3].dn_credit << 6;
  out->up_count = o[0].up_count | o[1].up_count << 2 | o[2].up_count << 4 | o[3].up_count << 6;
  out->ret_valid = o[0].ret_valid | o[1].ret_valid << 3 | o[2].ret_valid << 6 | o[3].ret_valid << 9;
  out->begin_valid =
      o[0].begin_valid | o[1].begin_valid << 1 | o[2].begin_valid << 2 | o[3].begin_valid << 3;
  out->begin_tag =
      o[0].begin_tag | o[1].begin_tag << 8 | o[2].begin_tag << 16 | o[3].begin_tag << 24;
  for (unsigned k = 0; k < NEAR_NBUS; k++)
    out->ret_tag[k] = o[k].ret_tag;
  out->sm_done = n->answers;
  out->up_valid = n->up.valid, out->up_sel = n->up.sel;
  memcpy(out->up_data, n->up.data, sizeof out->up_data);
  if (!n->shown)
    tables = (1u << NEAR_NBUS) - 1;
  for (; tables; tables &= tables - 1)
    out->rtt[__builtin_ctz(tables)] = n->rtt_out[__builtin_ctz(tables)];
  out->busy = !n->idle;
  n->shown = true;
}

// What the outputs ask for. Is anything under way?
static bool look(near *n) {
  n->busy = n->offers = 0;
  n->pins = n->arrays;
  for (unsigned k = 0; k < NEAR_NBUS; k++) {
    const nbu_out *o = &n->out[k];
    n->busy |= o->busy << k;
    n->offers |= o->sm_valid << k;
    n->pins |= (uint32_t)(o->cmd != 0) << k;
  }
  n->answers = die_shared_answers(n->smem_out);
  return (n->busy | n->pins | n->up.valid | n->offers | n->open | n->answers | looked_up(n)) != 0;
}

static void count_shared(near *n, uint32_t taken) {
  const uint32_t done = die_shared_answers(n->smem_out);
  for (unsigned k = 0; k < NEAR_NBUS; k++) {
    if (taken >> k & 1)
      n->open++, shared_meter_taken(&n->meter, k, n->cycle);
    if (done >> k & 1)
      n->open--, shared_meter_done(&n->meter, k, n->cycle, &n->counts[k].shared);
  }
}

bool near_step(near *n, const near_in *in, near_out *out) {
  if (n->idle && n->shown && quiet(in)) {
    n->cycle++;
    return true;
  }
  if (n->error[0])
    return false;

  // before the edge
  for (uint32_t left = n->pins; left; left &= left - 1)
    if (!step_arrays(n, (unsigned)__builtin_ctz(left)))
      return n->idle = false;
  const bool shared = n->offers | n->open | n->answers;
  const uint32_t taken = n->offers & die_shared_ready(n->smem_out);
  if (shared || n->shared)
    ask_shared(n);
  n->shared = shared;
  die_bus_up(&n->up, n->out, in->up_take);
  const uint32_t units = wire_nbus(n, in);

  const uint32_t tables = asked(in) | looked_up(n);
  if (n->traced) {
    rest_tables(n, tables);
    near_trace_still(n, units | (uint32_t)shared << NEAR_SMEM | tables << NEAR_RTT);
  }

  // the edge
  bool ok = true;
  for (uint32_t left = units; ok && left; left &= left - 1)
    n->counts[__builtin_ctz(left)].clocked++, ok = clock_nbu(n, (unsigned)__builtin_ctz(left));
  for (uint32_t left = tables; ok && left; left &= left - 1)
    ok = clock_rtt(n, (unsigned)__builtin_ctz(left), &in->rtt[__builtin_ctz(left)]);
  if (ok && shared) {
    ok = clock_smem(n);
    count_shared(n, taken);
  }
  n->cycle++;
  if (n->refresh && in->ref_tick)
    for (unsigned k = 0; k < NEAR_NBUS; k++)
      if (n->in[k].ref_tick)
        dram_due(n->dram[k], n->cycle, n->in[k].ref_tick);
  ok = ok && !n->error[0];
  n->idle = !look(n) && ok;
  show(n, out, tables);
  if (n->traced && n->idle)
    near_rest(n), near_trace_still(n, 0);
  return ok;
}

void near_fetch(prefetch *a, const near *n, uint32_t part, bool works) {
  const uint32_t k = part % NEAR_NBUS, step = part / NEAR_NBUS;
  if (works) {
    if (n->mode != NEAR_RTL)
      nbu_fetch(a, n->nbu[k], step);
    if (step == 0)
      dram_fetch(a, n->dram[k]);
    if (step == 2)
      dram_fetch_open(a, n->dram[k]);
  }
  // wires and what was counted; shared memory and tables are too large
  if (step == 1) {
    const char *from = (const char *)n, *to = (const char *)&n->smem;
    const size_t some = (size_t)(to - from + NEAR_NBUS - 1) / NEAR_NBUS;
    prefetch_add(a, from + k * some, some);
  }
}

void near_fetch_warp(prefetch *a, const near *n, uint32_t subcore, uint32_t warp, uint32_t regs) {
  if (n->mode != NEAR_RTL)
    prefetch_add(a, n->rtt[subcore].valid[warp], regs);
}

uint64_t near_cycle(const near *n) {
  return n->cycle;
}

uint32_t near_access_cycles(const near *n) {
  bankctl_times times;
  bankctl_times_get(n->in[0].cfg_times, &times);
  return times.ccd;
}

const char *near_error(const near *n) {
  return n->error[0] ? n->error : NULL;
}

uint32_t near_busy(const near *n) {
  return n->busy | n->pins;
}

bool near_idle(const near *n) {
  return n->idle;
}

void near_skip(near *n, uint64_t cycles) {
  assert(n->idle);
  n->cycle += cycles;
}

// ---- life ---------------------------------------------------------------------------------------

// Blocks come out of create() after reset; another edge of it shows their outputs.
static bool reset(near *n) {
  bool ok = true;
  for (unsigned k = 0; ok && k < NEAR_NBUS; k++)
    ok = clock_nbu(n, k) && clock_rtt(n, k, NULL);
  ok = ok && clock_smem(n);
  for (unsigned k = 0; k < NEAR_NBUS; k++)
    n->in[k].rst_n = n->rtt_in[k].rst_n = 1;
  n->smem_in.rst_n = 1;
  n->idle = !look(n) && ok;
  return ok;
}

bool near_reset(near *n) {
  assert(n->idle && !n->error[0]);
  for (unsigned k = 0; k < NEAR_NBUS; k++) {
    const nbu_in straps = n->in[k];
    n->in[k] = (nbu_in){.cfg_rows = straps.cfg_rows, .cfg_closed = straps.cfg_closed};
    memcpy(n->in[k].cfg_times, straps.cfg_times, sizeof straps.cfg_times);
    dram_power_up(n->dram[k]);
  }
  n->smem_in = (smem_in){0};
  n->up = (die_bus){0};
  n->meter = (shared_meter){0};
  n->arrays = n->open = 0;
  n->shared = n->shown = false;
  return reset(n);
}

static bool make_arrays(near *n, const near_config *c) {
  bool ok = true;
  for (unsigned k = 0; ok && k < NEAR_NBUS; k++) {
    snprintf(n->array_names[k], sizeof n->array_names[k], "%s, NBU %u", n->name, k);
    channel_config d = c->channel;
    d.geometry.rows = n->sizes.rows, d.geometry.cols = n->sizes.cols;
    d.geometry.subarrays = n->sizes.subarrays;
    d.name = n->array_names[k];
    d.base += k * c->nbu_stride;
    d.like = c->like ? c->like->dram[0] : n->dram[0];
    ok = (n->dram[k] = channel_arrays(&d, report, n)) != NULL;
  }
  return ok;
}

static bool make_blocks(near *n) {
  bool ok = true;
  smem_init(&n->smem, &n->sizes);
  for (unsigned k = 0; ok && k < NEAR_NBUS; k++) {
    rtt_init(&n->rtt[k]);
    if (n->mode != NEAR_RTL)
      ok = (n->nbu[k] = nbu_create(&n->sizes)) != NULL;
    if (ok && n->mode != NEAR_C)
      ok = (n->rtl_nbu[k] = model_new(&n->models, &n->models.nbu)) != NULL &&
           (n->rtl_rtt[k] = model_new(&n->models, &n->models.rtt)) != NULL;
  }
  if (ok && n->mode != NEAR_C)
    ok = (n->rtl_smem = model_new(&n->models, &n->models.smem)) != NULL;
  return ok;
}

// Its file is looked up, and built, once for near sides alike.
static const char *library_of(const near_config *c) {
  const char *found = c->like ? c->like->models.library.file : "";
  return c->library ? c->library : *found ? found : NULL;
}

near *near_new(const near_config *c, char *why, size_t why_bytes) {
  assert(c->channel.base && c->channel.refresh != CHANNEL_TICKS);
  near *n = calloc(1, sizeof *n);
  if (!n) {
    snprintf(why, why_bytes, "out of memory");
    return NULL;
  }
  n->mode = c->mode;
  n->sizes = *structure_or_default(c->sizes);
  n->refresh = c->channel.refresh == CHANNEL_GIVEN, n->closed = c->channel.closed;
  snprintf(n->name, sizeof n->name, "%s", c->name);
  n->smem_out = c->mode == NEAR_RTL ? &n->rtl_smem_out : &n->smem.out;
  channel_straps straps;
  if (!channel_straps_of(&c->channel, &straps, why, why_bytes)) {
    near_free(n);
    return NULL;
  }
  for (unsigned k = 0; k < NEAR_NBUS; k++) {
    n->in[k].cfg_rows = straps.rows, n->in[k].cfg_closed = straps.closed;
    memcpy(n->in[k].cfg_times, straps.times, sizeof straps.times);
  }
  if (c->mode != NEAR_C &&
      !models_open(&n->models, &n->sizes, c->mutant, library_of(c), why, why_bytes)) {
    near_free(n);
    return NULL;
  }
  const bool made = make_arrays(n, c) && make_blocks(n);
  if (!made || !reset(n)) {
    snprintf(why, why_bytes, "%s", made ? n->error : "out of memory");
    near_free(n);
    return NULL;
  }
  return n;
}

void near_free(near *n) {
  if (!n)
    return;
  const models *m = &n->models;
  for (unsigned k = 0; k < NEAR_NBUS; k++) {
    dram_destroy(n->dram[k]);
    nbu_destroy(n->nbu[k]);
    if (n->rtl_nbu[k])
      m->nbu.ops->destroy(n->rtl_nbu[k]);
    if (n->rtl_rtt[k])
      m->rtt.ops->destroy(n->rtl_rtt[k]);
  }
  if (n->rtl_smem)
    m->smem.ops->destroy(n->rtl_smem);
  for (uint32_t b = 0; b < NEAR_BLOCKS; b++)
    port_trace_free(n->trace[b]);
  models_close(&n->models);
  free(n);
}

const near_fault *near_failed(const near *n) {
  return n->error[0] ? &n->fault : NULL;
}

const dram *near_arrays(const near *n, uint32_t nbu) {
  return n->dram[nbu];
}

// ---- looking inside -----------------------------------------------------------------------------

const uint32_t *near_register(const near *n, uint32_t nbu, uint32_t place) {
  return n->mode == NEAR_RTL ? NULL : nbu_register(n->nbu[nbu], place);
}

const uint32_t *near_shared(const near *n) {
  return n->mode == NEAR_RTL ? NULL : n->smem.words;
}

bool near_part(const near *n, uint32_t nbu, nbu_part part, void *out) {
  const models *m = &n->models;
  if (n->mode != NEAR_RTL)
    memcpy(out, nbu_part_out(n->nbu[nbu], part), nbu_part_ops(part)->out_bytes);
  else if (m->part)
    m->part(n->rtl_nbu[nbu], part, out);
  return n->mode != NEAR_RTL || m->part;
}

int near_valid(const near *n, uint32_t subcore, uint32_t warp, uint32_t reg) {
  return n->mode == NEAR_RTL ? -1 : n->rtt[subcore].valid[warp][reg];
}

const nbu *near_unit(const near *n, uint32_t nbu) {
  return n->mode == NEAR_RTL ? NULL : n->nbu[nbu];
}

const nbu_out *near_pins(const near *n, uint32_t nbu) {
  return &n->out[nbu];
}

const smem_out *near_shared_pins(const near *n) {
  return n->smem_out;
}

uint64_t near_commands(const near *n, uint32_t nbu, uint32_t bank, dram_cmd cmd) {
  return dram_bank_commands(n->dram[nbu], bank, cmd);
}

dram_rows near_rows(const near *n, uint32_t nbu, uint32_t bank) {
  dram_rows r = *dram_bank_rows(n->dram[nbu], bank);
  if (n->closed)
    r.misses += r.conflicts, r.conflicts = 0;
  return r;
}

near_counts near_counted(const near *n, uint32_t nbu) {
  return n->counts[nbu];
}

void near_watch(near *n, uint32_t nbu, dram_accessed *tell, void *ctx) {
  dram_watch(n->dram[nbu], tell, ctx);
}

bool near_closes_pages(const near *n) {
  return n->closed;
}

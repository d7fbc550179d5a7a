// SPDX-License-Identifier: Apache-2.0
// A unit whose clock stands is not stepped, and its outputs are not copied.
#include "die_slice.h"

#include <stdlib.h>
#include <string.h>

#include "nbu.h"
#include "smem.h"

struct die_slice {
  nbu *nbu[DIE_NBUS];
  nbu_in in[DIE_NBUS];
  nbu_out out[DIE_NBUS];
  smem smem;
  smem_in smem_in;
  uint32_t open;  // NBUs whose request was taken and not answered before the last edge
  uint32_t up_valid, up_sel, up_data[4];
  bool idle, shown;  // shown: the outputs have been written once
};

#define FOR_EACH_NBU(do_it) do_it(0) do_it(1) do_it(2) do_it(3)

// The inputs of smem from the outputs of the NBUs; what it does not take need not be there.
static void ask_shared(die_slice *d) {
  smem_in *s = &d->smem_in;
  const smem_out *so = &d->smem.out;
#define ASK(n)                                                          \
  s->q##n##_valid = d->out[n].sm_valid;                                 \
  if (s->q##n##_valid && so->q##n##_ready) {                            \
    s->q##n##_op = d->out[n].sm_op;                                     \
    s->q##n##_sgn = d->out[n].sm_sgn, s->q##n##_f32 = d->out[n].sm_f32; \
    s->q##n##_mask = d->out[n].sm_mask;                                 \
    memcpy(s->q##n##_addr, d->out[n].sm_addr, sizeof s->q##n##_addr);   \
    memcpy(s->q##n##_be, d->out[n].sm_be, sizeof s->q##n##_be);         \
    memcpy(s->q##n##_b, d->out[n].sm_b, sizeof s->q##n##_b);            \
    memcpy(s->q##n##_c, d->out[n].sm_c, sizeof s->q##n##_c);            \
  }                                                                     \
  d->in[n].sm_ready = so->q##n##_ready;                                 \
  d->in[n].sm_rvalid = so->q##n##_rvalid;                               \
  if (so->q##n##_rvalid)                                                \
    memcpy(d->in[n].sm_rdata, so->q##n##_rdata, sizeof d->in[n].sm_rdata);
  FOR_EACH_NBU(ASK)
#undef ASK
}

static uint32_t offers(const die_slice *d) {
  uint32_t set = 0;
  for (uint32_t n = 0; n < DIE_NBUS; n++)
    set |= d->out[n].sm_valid << n;
  return set;
}

static uint32_t ready(const die_slice *d) {
  const smem_out *s = &d->smem.out;
  return s->q0_ready | s->q1_ready << 1 | s->q2_ready << 2 | s->q3_ready << 3;
}

static uint32_t answers(const die_slice *d) {
  const smem_out *s = &d->smem.out;
  return s->q0_rvalid | s->q1_rvalid << 1 | s->q2_rvalid << 2 | s->q3_rvalid << 3;
}

static bool shared_needed(const die_slice *d) {
  return offers(d) | d->open | answers(d);
}

// Rule 2: what is taken at this edge is on the bus after it.
static void bus_up(die_slice *d, uint32_t take, bool rst_n) {
  unsigned n_flits = 0;
  for (uint32_t n = 0; n < DIE_NBUS; n++)
    for (uint32_t k = 0; k < (take >> 2 * n & 3) && n_flits < 2; k++, n_flits++) {
      const uint32_t *flit = d->out[n].up_data + 2 * k;
      for (unsigned place = n_flits; place < 2; place++) {
        d->up_data[2 * place] = flit[0], d->up_data[2 * place + 1] = flit[1];
        d->up_sel = (d->up_sel & ~(3u << 2 * place)) | n << 2 * place;
      }
    }
  d->up_valid = rst_n ? (1u << n_flits) - 1 : 0;
}

void die_slice_step(die_slice *d, const die_slice_in *in, die_slice_out *out) {
  if (d->idle && in->rst_n && !in->dn_valid && !in->up_credit && !in->ref_tick)
    return;
  const bool rst_n = in->rst_n;
  const uint32_t offered = offers(d), answered = answers(d), taken = offered & ready(d);
  const bool shared = shared_needed(d);
  ask_shared(d);
  bus_up(d, in->up_take, rst_n);

  uint32_t stepped = 0;
#define STEP(n)                                                                     \
  {                                                                                 \
    nbu_in *u = &d->in[n];                                                          \
    u->dn_count = 0;                                                                \
    for (unsigned place = 0; place < 2; place++)                                    \
      if ((in->dn_valid >> place & 1) && (in->dn_sel >> 2 * place & 3) == n)        \
        memcpy(u->dn_data + 2 * u->dn_count++, in->dn_data + 2 * place, 8);         \
    u->up_take = in->up_take >> 2 * n & 3;                                          \
    u->up_credit = in->up_credit >> 2 * n & 3;                                      \
    u->ref_tick = in->ref_tick >> 4 * n & 15;                                       \
    if (d->out[n].busy || u->dn_count || u->up_credit || u->ref_tick || !rst_n) {   \
      u->rst_n = rst_n, u->cfg_rows = in->cfg_rows, u->cfg_closed = in->cfg_closed; \
      u->cfg_warm = in->cfg_warm;                                                   \
      memcpy(u->cfg_times, in->cfg_times, sizeof u->cfg_times);                     \
      memcpy(u->rdata, in->m##n##_rdata, sizeof u->rdata);                          \
      stepped |= 1u << n;                                                           \
    }                                                                               \
  }
  FOR_EACH_NBU(STEP)
#undef STEP
  for (unsigned n = 0; n < DIE_NBUS; n++)
    if (stepped >> n & 1)
      nbu_step(d->nbu[n], &d->in[n], &d->out[n]);
  if (shared || !rst_n) {
    d->smem_in.rst_n = rst_n;
    smem_clock(&d->smem, &d->smem_in);
  }
  d->open = rst_n ? (d->open & ~answered) | taken : 0;

  out->dn_credit = out->up_count = out->ret_valid = out->ret_tag = out->busy = 0;
#define SHOW(n)                                                               \
  out->dn_credit |= d->out[n].dn_credit << 2 * n;                             \
  out->up_count |= d->out[n].up_count << 2 * n;                               \
  out->ret_valid |= d->out[n].ret_valid << n;                                 \
  out->ret_tag |= d->out[n].ret_tag << 8 * n;                                 \
  out->busy |= d->out[n].busy << n;                                           \
  if (!d->shown || stepped >> n & 1) {                                        \
    out->m##n##_cmd = d->out[n].cmd, out->m##n##_bank = d->out[n].cmd_bank;   \
    out->m##n##_row = d->out[n].cmd_row, out->m##n##_col = d->out[n].cmd_col; \
    out->m##n##_wmask = d->out[n].wmask;                                      \
    memcpy(out->m##n##_wdata, d->out[n].wdata, sizeof out->m##n##_wdata);     \
  }
  FOR_EACH_NBU(SHOW)
#undef SHOW
  out->busy |= (uint32_t)shared_needed(d) << DIE_NBUS;
  out->up_valid = d->up_valid, out->up_sel = d->up_sel;
  memcpy(out->up_data, d->up_data, sizeof out->up_data);
  d->idle = !out->busy && !out->up_valid;
  d->shown = true;
}

die_slice *die_slice_create(const structure *sizes) {
  die_slice *d = calloc(1, sizeof *d);
  for (unsigned n = 0; d && n < DIE_NBUS; n++)
    if (!(d->nbu[n] = nbu_create(sizes))) {
      die_slice_destroy(d);
      return NULL;
    }
  if (!d)
    return NULL;
  smem_init(&d->smem, sizes);
  const die_slice_in in = {.cfg_rows = 4};
  die_slice_out out;
  die_slice_step(d, &in, &out);
  d->idle = d->shown = false;
  return d;
}

void die_slice_destroy(die_slice *d) {
  for (unsigned n = 0; d && n < DIE_NBUS; n++)
    nbu_destroy(d->nbu[n]);
  free(d);
}

bool die_slice_idle(const die_slice *d) {
  return d->idle;
}

#define BLOCK die_slice
#include "csim/base/block_table.h"
#define BLOCK die_slice
#define BLOCK_CREATED
#include "csim/base/block_twin.h"

// SPDX-License-Identifier: Apache-2.0
// A unit whose clock stands is not stepped, and its outputs are not copied.
#include "die_slice.h"

#include <stdlib.h>
#include <string.h>

#include "die_wires.h"

struct die_slice {
  nbu *nbu[DIE_NBUS];
  nbu_in in[DIE_NBUS];
  nbu_out out[DIE_NBUS];
  smem smem;
  smem_in smem_in;
  uint32_t open;  // requests that smem took and had not answered before the last edge
  die_bus up;
  bool idle, shown;  // shown: the outputs have been written once
};

static uint32_t offers(const die_slice *d) {
  uint32_t set = 0;
  for (uint32_t n = 0; n < DIE_NBUS; n++)
    set |= d->out[n].sm_valid << n;
  return set;
}

static bool shared_needed(const die_slice *d) {
  return offers(d) | d->open | die_shared_answers(&d->smem.out);
}

void die_slice_step(die_slice *d, const die_slice_in *in, die_slice_out *out) {
  if (d->idle && in->rst_n && !in->dn_valid && !in->up_credit && !in->ref_tick)
    return;
  const bool rst_n = in->rst_n;
  const uint32_t taken = offers(d) & die_shared_ready(&d->smem.out);
  const uint32_t answered = die_shared_answers(&d->smem.out);
  const bool shared = shared_needed(d);
  die_ask_shared(&d->smem_in, &d->smem.out, d->in, d->out);
  die_bus_up(&d->up, d->out, in->up_take);
  if (!rst_n)
    d->up.valid = 0;

  uint32_t stepped = die_bus_down(d->in, in->dn_valid, in->dn_sel, in->dn_data, in->up_take,
                                  in->up_credit, in->ref_tick);
#define WIRE(n)                                                                   \
  stepped |= (uint32_t)(d->out[n].busy || !rst_n) << n;                           \
  if (stepped >> n & 1) {                                                         \
    nbu_in *u = &d->in[n];                                                        \
    u->rst_n = rst_n, u->cfg_rows = in->cfg_rows, u->cfg_closed = in->cfg_closed; \
    u->cfg_warm = in->cfg_warm;                                                   \
    memcpy(u->cfg_times, in->cfg_times, sizeof u->cfg_times);                     \
    memcpy(u->rdata, in->m##n##_rdata, sizeof u->rdata);                          \
  }
  DIE_EACH_NBU(WIRE)
#undef WIRE
  for (unsigned n = 0; n < DIE_NBUS; n++)
    if (stepped >> n & 1)
      nbu_step(d->nbu[n], &d->in[n], &d->out[n]);
  if (shared || !rst_n) {
    d->smem_in.rst_n = rst_n;
    smem_clock(&d->smem, &d->smem_in);
  }
  d->open += (uint32_t)(__builtin_popcount(taken) - __builtin_popcount(answered));
  if (!rst_n)
    d->open = 0;

  out->dn_credit = out->up_count = out->ret_valid = out->busy = 0;
  out->begin_valid = out->begin_tag = 0;
#define SHOW(n)                                                               \
  out->dn_credit |= d->out[n].dn_credit << 2 * n;                             \
  out->up_count |= d->out[n].up_count << 2 * n;                               \
  out->ret_valid |= d->out[n].ret_valid << 3 * n;                             \
  memcpy((uint8_t *)out->ret_tag + 3 * n, &d->out[n].ret_tag, 3);             \
  out->begin_valid |= d->out[n].begin_valid << n;                             \
  out->begin_tag |= d->out[n].begin_tag << 8 * n;                             \
  out->busy |= d->out[n].busy << n;                                           \
  if (!d->shown || stepped >> n & 1) {                                        \
    out->m##n##_cmd = d->out[n].cmd, out->m##n##_bank = d->out[n].cmd_bank;   \
    out->m##n##_row = d->out[n].cmd_row, out->m##n##_col = d->out[n].cmd_col; \
    out->m##n##_wmask = d->out[n].wmask;                                      \
    memcpy(out->m##n##_wdata, d->out[n].wdata, sizeof out->m##n##_wdata);     \
  }
  DIE_EACH_NBU(SHOW)
#undef SHOW
  out->busy |= (uint32_t)shared_needed(d) << DIE_NBUS;
  out->up_valid = d->up.valid, out->up_sel = d->up.sel;
  memcpy(out->up_data, d->up.data, sizeof out->up_data);
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

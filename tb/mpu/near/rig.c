// SPDX-License-Identifier: Apache-2.0
#include "rig.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

extern const cosim_driver die_slice_driver;

static const uint64_t ROW = DRAM_COLS * DRAM_BYTES, BANK = DRAM_ROWS * ROW, NBU = DRAM_BANKS * BANK;

near_config rig_config(near_mode mode) {
  near_config c = {.mode = mode, .name = "core 0", .channel = channel_config_default()};
  c.channel.refresh = CHANNEL_GIVEN;
  c.channel.base = mmap(NULL, NEAR_NBUS * NBU, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  assert(c.channel.base != MAP_FAILED);
  c.nbu_stride = NBU, c.channel.bank_stride = BANK;
  c.channel.row = dram_even(ROW), c.channel.col = dram_even(DRAM_BYTES);
  return c;
}

void rig_memory_free(near_config *c) {
  munmap(c->channel.base, NEAR_NBUS * NBU);
  c->channel.base = NULL;
}

// What the driver needs to see.
static void show(rig *r) {
  die_slice_out *d = &r->die_out;
  d->dn_credit = r->out.dn_credit, d->up_count = r->out.up_count;
  d->up_valid = r->out.up_valid, d->up_sel = r->out.up_sel;
  memcpy(d->up_data, r->out.up_data, sizeof d->up_data);
  d->ret_valid = r->out.ret_valid;
  memset(d->ret_tag, 0, sizeof d->ret_tag);
  for (unsigned k = 0; k < NEAR_NBUS; k++)  // 24 bits each
    for (unsigned b = 0; b < 24; b++)
      d->ret_tag[(24 * k + b) / 32] |= (r->out.ret_tag[k] >> b & 1) << (24 * k + b) % 32;
  d->begin_valid = r->out.begin_valid, d->begin_tag = r->out.begin_tag;
#define PINS(n)                                                \
  {                                                            \
    const nbu_out *p = near_pins(r->near, n);                  \
    d->m##n##_cmd = p->cmd, d->m##n##_bank = p->cmd_bank;      \
    d->m##n##_row = p->cmd_row, d->m##n##_col = p->cmd_col;    \
    d->m##n##_wmask = p->wmask;                                \
    memcpy(d->m##n##_wdata, p->wdata, sizeof d->m##n##_wdata); \
  }
  PINS(0) PINS(1) PINS(2) PINS(3)
#undef PINS
}

static void drive_table(rig *r, rtt_in *t) {
  cosim_rng *rng = &r->rng;
  t->lk_valid = t->up0_valid = t->up1_valid = t->clr_valid = 0;
  if (rng_chance(rng, 128))
    return;
  t->lk_valid = rng_chance(rng, 128), t->lk_warp = rng_bits(rng, 4);
  t->lk_reg0 = rng_bits(rng, 8), t->lk_reg1 = rng_bits(rng, 3);
  t->lk_reg2 = rng_bits(rng, 3), t->lk_reg3 = 255 - rng_bits(rng, 2);
  t->up0_valid = rng_chance(rng, 128), t->up0_warp = rng_bits(rng, 4);
  t->up0_reg = rng_bits(rng, rng_chance(rng, 128) ? 3 : 8), t->up0_op = rng_bits(rng, 2);
  t->up1_valid = rng_chance(rng, 64), t->up1_warp = rng_bits(rng, 4);
  t->up1_reg = rng_bits(rng, rng_chance(rng, 128) ? 3 : 8), t->up1_op = rng_bits(rng, 2);
  t->clr_valid = rng_chance(rng, 4), t->clr_warp = rng_bits(rng, 4);
}

static void drive(rig *r) {
  die_slice_in *d = &r->die_in;
  die_slice_driver.drive(NULL, &r->rng, &r->die_out, d);
  d->rst_n = 1;
  r->in.dn_valid = d->dn_valid, r->in.dn_sel = d->dn_sel;
  memcpy(r->in.dn_data, d->dn_data, sizeof r->in.dn_data);
  r->in.up_take = d->up_take, r->in.up_credit = d->up_credit, r->in.ref_tick = d->ref_tick;
  for (unsigned k = 0; k < NEAR_NBUS; k++)
    drive_table(r, &r->in.rtt[k]);
}

bool rig_start(rig *r, const near_config *c, unsigned mode, uint64_t seed) {
  *r = (rig){.rng = {seed}, .config = *c};
  die_slice_driver.start(NULL, &r->rng, mode);
  drive(r);  // has the straps, too
  r->config.channel.row_buffers = r->die_in.cfg_rows;
  r->config.channel.closed = r->die_in.cfg_closed;
  r->near = near_new(&r->config, r->why, sizeof r->why);
  return r->near != NULL;
}

void rig_end(rig *r) {
  near_free(r->near);
  r->near = NULL;
}

void rig_drive(rig *r) {
  if (near_cycle(r->near))
    drive(r);
}

bool rig_edge(rig *r) {
  const bool ok = near_step(r->near, &r->in, &r->out);
  show(r);
  return ok;
}

const char *rig_wrong(rig *r) {
  return die_slice_driver.check(NULL, &r->die_in, &r->die_out, r->why, sizeof r->why) ? NULL
                                                                                      : r->why;
}

bool rig_quiet(const near_in *in) {
  uint32_t any = in->dn_valid | in->up_credit | in->ref_tick;
  for (unsigned k = 0; k < NEAR_NBUS; k++)
    any |= in->rtt[k].lk_valid | in->rtt[k].up0_valid | in->rtt[k].up1_valid | in->rtt[k].clr_valid;
  return !any;
}

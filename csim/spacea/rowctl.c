// SPDX-License-Identifier: Apache-2.0
#include "rowctl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/rare.h"

#define BLOCK rowctl
#include "csim/base/block_table.h"

enum { URGENT = 4, ALL_READY = (1 << ROWCTL_BANKS) - 1 };

void rowctl_init(rowctl *c) {
  *c = (rowctl){.last = 1};
  c->out.req_ready = ALL_READY;
}

RARE static void reset(rowctl *c) {
  const rowctl_out out = c->out;
  rowctl_init(c);
  c->out = out;
  c->out.cmd = c->out.rsp_valid = c->out.wmask = c->out.busy = 0;
  c->out.req_ready = ALL_READY;
}

RARE static void take_times(rowctl *c, const uint32_t *cfg_times) {
  memcpy(c->cfg_times, cfg_times, sizeof c->cfg_times);
  bankctl_times_get(cfg_times, &c->t);
  assert(c->t.faw <= 2 * (c->t.ras + c->t.rp));
}

static void raise(rowctl *c, uint64_t *time, uint32_t cycles) {
  const uint64_t at = c->now + cycles;
  if (at > *time)
    *time = at;
  if (at > c->quiet)
    c->quiet = at;
}

// Rule 2.
static dram_cmd command_of(const rowctl *c, const rowctl_bank *b) {
  const uint64_t now = c->now;
  if (b->owed && (!b->has || b->owed >= URGENT)) {
    if (b->is_open)
      return b->close <= now ? DRAM_PRE : DRAM_NONE;
    return b->act <= now ? DRAM_REF : DRAM_NONE;
  }
  if (!b->has || b->sent)
    return DRAM_NONE;
  if (!b->is_open)
    return b->act <= now && c->rrd <= now ? DRAM_ACT : DRAM_NONE;
  if (b->open != b->row)
    return b->close <= now ? DRAM_PRE : DRAM_NONE;
  if (b->we)
    return b->write <= now ? DRAM_WR : DRAM_NONE;
  return b->read <= now ? DRAM_RD : DRAM_NONE;
}

static void column(rowctl *c, rowctl_bank *b, uint32_t bank, bool we) {
  const uint32_t edges = we ? c->t.write : c->t.read + 1;
  const uint8_t of = (uint8_t)(bank | (uint32_t)b->id << 1);
  c->out.cmd_col = b->col;
  raise(c, &b->close, we ? c->t.wtp : c->t.rtp);
  raise(c, &b->read, we ? c->t.wtrd : c->t.ccd);
  raise(c, &b->write, we ? c->t.ccd : c->t.rtw);
  if (we) {
    c->writes |= 2ull << edges;
    c->write_of[(c->now + edges) % ROWCTL_AHEAD] = of;
    b->sent = true;
    return;
  }
  c->reads |= 2ull << edges;
  c->read_of[(c->now + edges) % ROWCTL_AHEAD] = of;
  b->col++;
  b->has = b->more != 0;
  b->more--;
}

// Rules 3 and 4.
static void carry_out(rowctl *c, dram_cmd cmd, uint32_t bank) {
  rowctl_bank *b = &c->banks[bank];
  c->last = c->out.cmd_bank = bank;
  c->out.cmd = cmd;
  if (cmd == DRAM_ACT)
    b->is_open = true, b->open = b->row;
  if (cmd != DRAM_REF)
    c->out.cmd_row = b->open;
  switch (cmd) {
    case DRAM_ACT:
      raise(c, &b->read, c->t.rcd), raise(c, &b->write, c->t.rcd);
      raise(c, &b->close, c->t.ras), raise(c, &c->rrd, c->t.rrd);
      break;
    case DRAM_PRE:
      b->is_open = false;
      raise(c, &b->act, c->t.rp);
      break;
    case DRAM_REF:
      b->owed--;
      raise(c, &b->act, c->t.rfc);
      break;
    default:
      column(c, b, bank, cmd == DRAM_WR);
  }
}

static void choose(rowctl *c) {
  c->out.cmd = DRAM_NONE;
  for (uint32_t k = 1; k <= ROWCTL_BANKS; k++) {
    const uint32_t bank = (c->last + k) % ROWCTL_BANKS;
    const dram_cmd cmd = command_of(c, &c->banks[bank]);
    if (!cmd)
      continue;
    carry_out(c, cmd, bank);
    return;
  }
}

// Data that come at this edge, or are on the pins from it on.
static void move_data(rowctl *c, const rowctl_in *in) {
  c->reads >>= 1, c->writes >>= 1;
  c->out.rsp_valid = c->reads & 1;
  if (c->out.rsp_valid) {
    const uint8_t of = c->read_of[c->now % ROWCTL_AHEAD];
    c->reads &= ~1ull;
    c->out.rsp_bank = of & 1, c->out.rsp_id = of >> 1;
    memcpy(c->out.rsp_data, in->rdata, sizeof c->out.rsp_data);
  }
  if (c->writes & 1) {
    rowctl_bank *b = &c->banks[c->write_of[c->now % ROWCTL_AHEAD] & 1];
    c->writes &= ~1ull;
    memcpy(c->out.wdata, b->wdata, sizeof c->out.wdata);
    c->out.wmask = b->wmask;
    b->has = b->sent = false;
  }
}

static void take(rowctl_bank *b, const rowctl_in *in) {
  assert(in->req_we ? !in->req_more : in->req_col + in->req_more < 8);
  b->has = true, b->we = in->req_we;
  b->row = (uint16_t)in->req_row, b->col = (uint8_t)in->req_col;
  b->more = (uint8_t)in->req_more, b->id = (uint8_t)in->req_id;
  if (!b->we)
    return;
  memcpy(b->wdata, in->req_wdata, sizeof b->wdata);
  b->wmask = in->req_wmask;
}

void rowctl_edge(rowctl *c, const rowctl_in *in) {
  if (!in->rst_n) {
    reset(c);
    return;
  }
  if (memcmp(c->cfg_times, in->cfg_times, sizeof c->cfg_times))
    take_times(c, in->cfg_times);
  const bool taken = in->req_valid && c->out.req_ready >> in->req_bank & 1;
  choose(c);
  move_data(c, in);
  if (taken)
    take(&c->banks[in->req_bank], in);
  c->out.busy = 0, c->out.req_ready = 0;
  for (uint32_t k = 0; k < ROWCTL_BANKS; k++) {
    c->banks[k].owed += in->ref_tick >> k & 1;
    c->out.req_ready |= (uint32_t)!c->banks[k].has << k;
    c->out.busy |= c->banks[k].has || c->banks[k].owed;
  }
  c->now++;
  c->out.busy |= c->quiet > c->now || c->reads || c->writes;
}

void rowctl_step(rowctl *c, const rowctl_in *in, rowctl_out *out) {
  rowctl_clock(c, in);
  *out = c->out;
}

#define BLOCK rowctl
#define BLOCK_INIT(block, sizes) rowctl_init(block)
#include "csim/base/block_twin.h"

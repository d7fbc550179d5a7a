// SPDX-License-Identifier: Apache-2.0
#include "bankctl.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK bankctl
#include "block_table.h"

enum { NONE, ACT, PRE, SASEL, RD, WR, REF };
enum {
  RCD = 14,
  RP = 14,
  RAS = 33,
  RFC = 350,
  RRD = 4,
  FAW = 16,
  SCD = 1,
  CCD = 2,
  RD_WR = 4,
  WR_RD = 12,
  RD_PRE = 4,
  WR_PRE = 19,
  WR_SIBLING = 12,
  URGENT = 4,    // refreshes owed that no request puts off any longer
  PATIENCE = 96  // cycles that the oldest request of a bank lets others go first
};
static const uint64_t NEVER = UINT64_MAX;

typedef bankctl_choice choice;

static uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

// The cycle in which what is chosen now is on the pins.
static uint64_t pins(const bankctl *c) {
  return c->now + 2;
}

// True if `at` has come; else the controller looks again then.
static bool due(bankctl *c, uint64_t at) {
  if (at <= pins(c))
    return true;
  if (at < c->wake)
    c->wake = at;
  return false;
}

// ---- what to do next

static bool choose_refresh(bankctl *c, uint32_t except, choice *pick) {
  for (uint32_t b = 0; b < BANKCTL_BANKS; b++) {
    bankctl_bank *bank = &c->banks[b];
    if (b != except && bank->refreshing && bank->owed && !bank->n_open &&
        due(c, later(bank->rp, bank->rfc))) {
      *pick = (choice){REF, b, -1, -1};
      return true;
    }
  }
  for (uint32_t b = 0; b < BANKCTL_BANKS; b++) {
    bankctl_bank *bank = &c->banks[b];
    for (int32_t s = 0; b != except && bank->refreshing && s < BANKCTL_SLOTS; s++)
      if (bank->slots[s].open && due(c, bank->slots[s].pre)) {
        *pick = (choice){PRE, b, -1, s};
        return true;
      }
  }
  return false;
}

static bool choose_close(bankctl *c, uint32_t except, choice *pick) {
  for (uint32_t b = 0; b < BANKCTL_BANKS; b++) {
    bankctl_bank *bank = &c->banks[b];
    for (int32_t s = 0; b != except && bank->n_open && s < BANKCTL_SLOTS; s++)
      if (bank->slots[s].open && !bank->pending[s] && due(c, bank->slots[s].pre)) {
        *pick = (choice){PRE, b, -1, s};
        return true;
      }
  }
  return false;
}

// The slot that must be closed before the row of `e` can be opened, or -1; *free if none must.
static int32_t victim(const bankctl_bank *bank, const bankctl_entry *e, uint32_t rows, bool strict,
                      bool *free) {
  *free = false;
  for (int32_t s = 0; s < BANKCTL_SLOTS; s++)
    if (bank->slots[s].open && (bank->slots[s].row & 31) == (e->row & 31))
      return !bank->pending[s] || strict ? s : -1;
  if (bank->n_open < rows) {
    *free = true;
    return -1;
  }
  int32_t oldest = -1;
  for (int32_t s = 0; s < BANKCTL_SLOTS; s++)
    if (bank->slots[s].open && (!bank->pending[s] || strict) &&
        (oldest < 0 || bank->slots[s].used < bank->slots[oldest].used))
      oldest = s;
  return oldest;
}

static uint64_t act_at(const bankctl *c, const bankctl_bank *bank, uint32_t row, uint32_t rows) {
  uint64_t at = later(later(c->rrd, c->acts[c->next_act]), later(bank->rfc, bank->sibling));
  if (rows == 1)
    at = later(at, bank->rp);
  for (uint32_t s = 0; s < BANKCTL_SLOTS; s++)
    if ((bank->slots[s].closed_row & 31) == (row & 31))
      at = later(at, bank->slots[s].act);
  return at;
}

// The command for the cycle after the next. The bank of the one that is carried out now is left
// out, but for the column that SASEL was for, and for ACT where PRE makes room for it.
static bool choose(bankctl *c, const bankctl_in *in, choice *pick) {
  const uint64_t t = pins(c);
  const choice now = c->next;
  const uint32_t except = now.cmd ? now.bank : BANKCTL_BANKS;
  choice select = {0}, open = {0}, close = {0};
  uint32_t seen = 0;
  c->wake = NEVER;
  if (choose_refresh(c, except, pick))
    return true;
  for (uint32_t i = 0; i < c->n; i++) {
    const bankctl_entry *e = &c->queue[i];
    bankctl_bank *bank = &c->banks[e->bank];
    const bool head = !(seen >> e->bank & 1);
    seen |= 1u << e->bank;
    if (now.cmd == SASEL && now.entry == (int32_t)i) {
      *pick = (choice){e->we ? WR : RD, e->bank, (int32_t)i, e->slot};
      return true;
    }
    const bool makes_room = now.cmd == PRE && now.entry == (int32_t)i && in->cfg_rows > 1 &&
                            (bank->slots[now.slot].row & 31) != (e->row & 31);
    if (e->bank == except && !makes_room)
      continue;
    const bool impatient = t >= bank->head_since + PATIENCE;
    if (bank->refreshing || (impatient && !head))
      continue;
    if (!impatient)
      due(c, bank->head_since + PATIENCE);
    const bool hold = c->urgent >= 0 && e->bank != (uint32_t)c->urgent;
    if (hold && c->turn)
      continue;
    const uint64_t bus = e->we ? bank->wr : bank->rd;
    if (e->slot >= 0 && e->slot == bank->selected) {
      if (!e->older && due(c, later(bank->slots[e->slot].col, bus))) {
        *pick = (choice){e->we ? WR : RD, e->bank, (int32_t)i, e->slot};
        return true;
      }
      continue;
    }
    if (hold)
      continue;
    const bool busy = !impatient && bank->selected >= 0 && bank->pending[bank->selected] &&
                      bank->slots[bank->selected].col <= t + 1;
    if (e->slot >= 0) {
      if (!busy && !e->older && !select.cmd &&
          due(c, later(bank->sibling, later(bank->slots[e->slot].col, bus) - 1)))
        select = (choice){SASEL, e->bank, (int32_t)i, e->slot};
      continue;
    }
    bool free;
    const int32_t s = victim(bank, e, in->cfg_rows, impatient, &free);
    if (free || makes_room) {
      if (!busy && !open.cmd && now.cmd != ACT && due(c, act_at(c, bank, e->row, in->cfg_rows)))
        open = (choice){ACT, e->bank, (int32_t)i, -1};
    } else if (s >= 0 && !close.cmd && due(c, bank->slots[s].pre)) {
      close = (choice){PRE, e->bank, (int32_t)i, s};
    }
  }
  *pick = select.cmd ? select : open.cmd ? open : close;
  return pick->cmd || (in->cfg_closed && choose_close(c, except, pick));
}

// The bank that is urgent in the next cycle.
static void find_urgent(bankctl *c) {
  bool wants[BANKCTL_BANKS], any = false;
  for (uint32_t b = 0; b < BANKCTL_BANKS; b++) {
    const bankctl_bank *bank = &c->banks[b];
    wants[b] = bank->n_entries && !bank->refreshing && pins(c) >= bank->head_since + PATIENCE;
    any = any || wants[b];
  }
  c->turn = any && !c->turn;
  if (c->urgent >= 0 && wants[c->urgent])
    return;
  c->urgent = -1;
  for (uint32_t n = 1; any && n <= BANKCTL_BANKS && c->urgent < 0; n++)
    if (wants[(c->last_urgent + n) % BANKCTL_BANKS])
      c->urgent = (int32_t)((c->last_urgent + n) % BANKCTL_BANKS);
  if (c->urgent >= 0)
    c->last_urgent = (uint32_t)c->urgent;
}

// ---- doing it

static void take_out(bankctl *c, uint32_t i) {
  const bankctl_entry e = c->queue[i];
  bankctl_bank *bank = &c->banks[e.bank];
  bool head = true;
  for (uint32_t k = 0; k < i; k++)
    head = head && c->queue[k].bank != e.bank;
  if (head)
    bank->head_since = c->now + 1;
  bank->n_entries--;
  bank->pending[e.slot]--;
  for (uint32_t k = i + 1; k < c->n; k++) {
    bankctl_entry *other = &c->queue[k];
    if (other->bank == e.bank && other->row == e.row && other->col == e.col && (other->we | e.we))
      other->older--;
  }
  c->n--;
  memmove(c->queue + i, c->queue + i + 1, (c->n - i) * sizeof e);
}

static void activate(bankctl *c, bankctl_bank *bank, uint32_t b, uint32_t row, uint64_t t) {
  int32_t s = 0;
  while (bank->slots[s].open)
    s++;
  bankctl_slot *slot = &bank->slots[s];
  slot->open = true;
  slot->row = row;
  slot->col = t + RCD;
  slot->pre = t + RAS;
  slot->used = ++c->last_use;
  bank->selected = s;
  bank->n_open++;
  c->rrd = t + RRD;
  c->acts[c->next_act] = t + FAW;
  c->next_act = (c->next_act + 1) % 4;
  for (uint32_t i = 0; i < c->n; i++)
    if (c->queue[i].bank == b && c->queue[i].row == row) {
      c->queue[i].slot = s;
      bank->pending[s]++;
    }
}

static void precharge(bankctl *c, bankctl_bank *bank, uint32_t b, int32_t s, uint64_t t) {
  bankctl_slot *slot = &bank->slots[s];
  slot->open = false;
  slot->closed_row = slot->row;
  slot->act = t + RP;
  bank->rp = t + RP;
  bank->n_open--;
  bank->pending[s] = 0;
  if (bank->selected == s)
    bank->selected = -1;
  for (uint32_t i = 0; i < c->n; i++)
    if (c->queue[i].bank == b && c->queue[i].slot == s)
      c->queue[i].slot = -1;
}

static void issue(bankctl *c, choice pick) {
  const uint64_t t = c->now + 1;
  bankctl_bank *bank = &c->banks[pick.bank];
  bankctl_slot *slot = pick.slot >= 0 ? &bank->slots[pick.slot] : NULL;
  bankctl_out *out = &c->out;
  out->cmd = pick.cmd;
  out->cmd_bank = pick.bank;
  if (slot)
    out->cmd_row = slot->row;
  c->quiet = later(c->quiet, t + (pick.cmd == REF ? RFC : RAS));
  switch (pick.cmd) {
    case ACT:
      out->cmd_row = c->queue[pick.entry].row;
      activate(c, bank, pick.bank, out->cmd_row, t);
      break;
    case PRE:
      precharge(c, bank, pick.bank, pick.slot, t);
      break;
    case SASEL:
      bank->selected = pick.slot;
      slot->col = later(slot->col, t + SCD);
      slot->used = ++c->last_use;
      break;
    case RD:
    case WR: {
      const bankctl_entry *e = &c->queue[pick.entry];
      out->cmd_col = e->col;
      slot->used = ++c->last_use;
      if (pick.cmd == RD) {
        c->reads |= 1;
        c->read_id[t % 4] = e->id;
        slot->pre = later(slot->pre, t + RD_PRE);
        bank->rd = later(bank->rd, t + CCD);
        bank->wr = later(bank->wr, t + RD_WR);
      } else {
        c->writes |= 1;
        c->write_data[t % 2] = e->data;
        c->write_mask[t % 2] = e->wmask;
        slot->pre = later(slot->pre, t + WR_PRE);
        bank->wr = later(bank->wr, t + CCD);
        bank->rd = later(bank->rd, t + WR_RD);
        bank->sibling = t + WR_SIBLING;
      }
      take_out(c, (uint32_t)pick.entry);
      break;
    }
    default:
      bank->owed--;
      c->owed--;
      bank->rfc = bank->head_since = t + RFC;
      break;
  }
}

// ---- requests and ticks

static void accept(bankctl *c, const bankctl_in *in) {
  bankctl_bank *bank = &c->banks[in->req_bank];
  bankctl_entry *e = &c->queue[c->n];
  *e = (bankctl_entry){
      .bank = in->req_bank,
      .row = in->req_row,
      .col = in->req_col,
      .we = in->req_we,
      .id = in->req_id,
      .wmask = in->req_wmask,
      .slot = -1,
  };
  for (int32_t s = 0; s < BANKCTL_SLOTS; s++)
    if (bank->slots[s].open && bank->slots[s].row == e->row) {
      e->slot = s;
      bank->pending[s]++;
    }
  for (uint32_t i = 0; i < c->n; i++) {
    const bankctl_entry *other = &c->queue[i];
    if (other->bank == e->bank && other->row == e->row && other->col == e->col)
      e->older += other->we | e->we;
  }
  if (e->we) {
    e->data = (uint32_t)__builtin_ctz(c->free_data);
    c->free_data &= c->free_data - 1;
    memcpy(c->wdata[e->data], in->req_wdata, sizeof in->req_wdata);
  }
  if (!bank->n_entries++)
    bank->head_since = later(bank->rfc, c->now + 1);
  c->n++;
  c->wake = 0;
}

static void count_ticks(bankctl *c, uint32_t ticks) {
  for (; ticks; ticks &= ticks - 1) {
    bankctl_bank *bank = &c->banks[__builtin_ctz(ticks)];
    if (bank->owed < 15) {
      bank->owed++;
      c->owed++;
    }
  }
}

static bool want_refresh(const bankctl_bank *bank) {
  return bank->owed && (bank->refreshing || bank->owed >= URGENT || !bank->n_entries);
}

// ---- the block

void bankctl_init(bankctl *c) {
  *c = (bankctl){
      .free_data = (1u << (BANKCTL_DEPTH + 2)) - 1, .urgent = -1, .last_urgent = BANKCTL_BANKS - 1};
  for (uint32_t b = 0; b < BANKCTL_BANKS; b++)
    c->banks[b].selected = -1;
  c->out.req_ready = 1;
}

bool bankctl_idle(const bankctl *c) {
  return !c->out.busy;
}

static void move_data(bankctl *c, const bankctl_in *in) {
  const uint64_t t = c->now + 1;
  bankctl_out *out = &c->out;
  out->rsp_valid = c->reads >> 4 & 1;
  if (out->rsp_valid) {
    out->rsp_id = c->read_id[t % 4];
    memcpy(out->rsp_data, in->rdata, sizeof out->rsp_data);
  }
  if (c->writes >> 2 & 1) {
    const uint32_t data = c->write_data[t % 2];
    memcpy(out->wdata, c->wdata[data], sizeof out->wdata);
    out->wmask = c->write_mask[t % 2];
    c->free_data |= 1u << data;
  }
}

void bankctl_clock(bankctl *c, const bankctl_in *in) {
  const bool take = in->req_valid && c->out.req_ready;
  if (!in->rst_n) {
    // what carries data keeps it
    bankctl_out keep = c->out;
    bankctl_init(c);
    keep.req_ready = 1;
    keep.rsp_valid = keep.cmd = keep.busy = 0;
    c->out = keep;
  } else if (c->out.busy || take || in->ref_tick) {
    // what is there decides, what comes in does not yet
    choice pick = {0};
    bool refreshing[BANKCTL_BANKS];
    for (uint32_t b = 0; b < BANKCTL_BANKS; b++)
      refreshing[b] = want_refresh(&c->banks[b]);
    if (pins(c) >= c->wake && (c->n || c->owed || in->cfg_closed) && choose(c, in, &pick))
      c->wake = 0;
    if (c->n || c->urgent >= 0) {
      const bool was = c->urgent >= 0;
      find_urgent(c);
      if (was || c->urgent >= 0)
        c->wake = 0;  // others may have the next turn
    }
    c->reads = c->reads << 1 & 31;
    c->writes = c->writes << 1 & 7;
    move_data(c, in);
    c->out.cmd = NONE;
    const choice now = c->next;
    if (now.cmd) {
      issue(c, now);
      c->wake = 0;
      if ((now.cmd == RD || now.cmd == WR) && pick.entry > now.entry)
        pick.entry--;
    }
    c->next = pick;
    for (uint32_t b = 0; b < BANKCTL_BANKS; b++)
      if (c->banks[b].refreshing != refreshing[b]) {
        c->banks[b].refreshing = refreshing[b];
        c->wake = 0;
      }
    if (take)
      accept(c, in);
    count_ticks(c, in->ref_tick);
    c->now++;
    c->out.req_ready = c->n < BANKCTL_DEPTH;
    c->out.busy = c->n || c->owed || c->reads || c->writes || c->now < c->quiet;
  }
}

void bankctl_step(bankctl *c, const bankctl_in *in, bankctl_out *out) {
  bankctl_clock(c, in);
  *out = c->out;
}

static void *create(void) {
  bankctl *c = malloc(sizeof *c);
  if (c)
    bankctl_init(c);
  return c;
}

static void step(void *block, const void *in, void *out) {
  bankctl_step(block, in, out);
}

static bool idle(const void *block) {
  return bankctl_idle(block);
}

const block_ops bankctl_twin = {
    .name = "bankctl",
    .ports = bankctl_ports,
    .n_ports = sizeof bankctl_ports / sizeof *bankctl_ports,
    .in_bytes = sizeof(bankctl_in),
    .out_bytes = sizeof(bankctl_out),
    .create = create,
    .destroy = free,
    .step = step,
    .idle = idle,
};

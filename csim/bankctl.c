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
  ALL_BANKS = (1 << BANKCTL_BANKS) - 1,
  EACH_LOOK = 0x11111,  // a bit for each
  COLUMN_LOOK = 1 << BANKCTL_BANKS * BANKCTL_COLUMN,
  SELECT_LOOK = 1 << BANKCTL_BANKS * BANKCTL_SELECT,
  ROW_LOOK = 1 << BANKCTL_BANKS * BANKCTL_ROW,
  SUBARRAY = 31,  // bits of a row
  URGENT = 4,     // refreshes owed that no request puts off any longer
  PATIENCE = 96   // cycles that the oldest request of a bank lets others go first
};
static const uint64_t NEVER = UINT64_MAX;

typedef bankctl_choice choice;

static uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static uint32_t first(uint32_t set) {
  return (uint32_t)__builtin_ctz(set);
}

// The cycle in which what is chosen now is on the pins.
static uint64_t pins(const bankctl *c) {
  return c->now + 2;
}

// True if `at` has come; else the bank is worth another look then.
static bool due(bankctl *c, bankctl_look look, uint32_t b, uint64_t at) {
  if (at <= pins(c))
    return true;
  if (at < c->until[look][b])
    c->until[look][b] = at;
  return false;
}

static void wake(bankctl *c, uint32_t banks, uint32_t looks) {
  c->awake |= banks * looks;
}

static uint32_t awake(const bankctl *c, bankctl_look look) {
  return c->awake >> BANKCTL_BANKS * look & ALL_BANKS;
}

// There was nothing of a bank to choose.
static void rest(bankctl *c, bankctl_look look, uint32_t b) {
  c->awake &= ~(1u << (BANKCTL_BANKS * look + b));
  if (c->until[look][b] < c->next)
    c->next = c->until[look][b];
}

static void wake_those_due(bankctl *c) {
  c->next = NEVER;
  for (uint32_t left = ALL_BANKS * EACH_LOOK & ~c->awake; left; left &= left - 1) {
    const uint64_t until = (&c->until[0][0])[first(left)];
    if (until <= pins(c))
      c->awake |= left & -left;
    else if (until < c->next)
      c->next = until;
  }
}

// ---- what to do next

static bool choose_refresh(bankctl *c, uint32_t banks, choice *pick) {
  for (uint32_t left = banks; left; left &= left - 1) {
    const uint32_t b = first(left);
    const bankctl_bank *bank = &c->banks[b];
    bool found = false;
    c->until[BANKCTL_REFRESH][b] = NEVER;
    if ((c->owing >> b & 1) && !bank->open &&
        due(c, BANKCTL_REFRESH, b, later(bank->rp, bank->rfc))) {
      *pick = (choice){REF, b, -1, -1};
      return true;
    }
    for (uint32_t open = bank->open; open && !found; open &= open - 1)
      if (due(c, BANKCTL_REFRESH, b, bank->slots[first(open)].pre)) {
        found = true;
        if (!pick->cmd)
          *pick = (choice){PRE, b, -1, (int32_t)first(open)};
      }
    if (!found)
      rest(c, BANKCTL_REFRESH, b);
  }
  return pick->cmd;
}

static void choose_close(bankctl *c, uint32_t banks, choice *pick) {
  for (uint32_t left = banks; left; left &= left - 1) {
    const uint32_t b = first(left);
    const bankctl_bank *bank = &c->banks[b];
    c->until[BANKCTL_CLOSE][b] = NEVER;
    for (uint32_t open = bank->open; open; open &= open - 1)
      if (!c->sets.hits[b][first(open)] && due(c, BANKCTL_CLOSE, b, bank->slots[first(open)].pre)) {
        *pick = (choice){PRE, b, -1, (int32_t)first(open)};
        return;
      }
    rest(c, BANKCTL_CLOSE, b);
  }
}

// Requests of a bank that take part in rules 5 to 8.
static uint32_t parts(const bankctl *c, uint32_t b) {
  const uint32_t of = c->sets.of[b];
  return c->impatient >> b & 1 ? of & -of : of;
}

// Requests of a set that are reads when `rd` has come, or writes when `wr` has.
static uint32_t ready(bankctl *c, bankctl_look look, uint32_t b, uint32_t set, uint64_t rd,
                      uint64_t wr) {
  const uint32_t writes = set & c->sets.writes, reads = set ^ writes;
  return (reads && due(c, look, b, rd) ? reads : 0) | (writes && due(c, look, b, wr) ? writes : 0);
}

static bool choose_column(bankctl *c, uint32_t banks, choice *pick) {
  const choice now = c->chosen;
  uint32_t set = now.cmd == SASEL ? 1u << now.entry : 0;
  for (uint32_t left = banks; left; left &= left - 1) {
    const uint32_t b = first(left);
    const bankctl_bank *bank = &c->banks[b];
    uint32_t hits = 0;
    c->until[BANKCTL_COLUMN][b] = NEVER;
    if (bank->selected >= 0)
      hits = parts(c, b) & c->sets.hits[b][bank->selected] & ~c->sets.held;
    if (hits) {
      const uint64_t col = bank->slots[bank->selected].col;
      hits = ready(c, BANKCTL_COLUMN, b, hits, later(col, bank->rd), later(col, bank->wr));
    }
    if (hits)
      set |= hits;
    else
      rest(c, BANKCTL_COLUMN, b);
  }
  if (!set)
    return false;
  const uint32_t i = first(set);
  const bankctl_entry *e = &c->queue[i];
  const bool selected = now.cmd == SASEL && now.entry == (int32_t)i;
  *pick = (choice){e->we ? WR : RD, e->bank, (int32_t)i,
                   selected ? now.slot : c->banks[e->bank].selected};
  return true;
}

// Has a bank a hit to serve, so that no other row of it is selected or opened?
static bool busy(const bankctl *c, uint32_t b) {
  const bankctl_bank *bank = &c->banks[b];
  return bank->selected >= 0 && c->sets.hits[b][bank->selected] && !(c->impatient >> b & 1) &&
         bank->slots[bank->selected].col <= pins(c) + 1;
}

// Keeps the oldest.
static void keep(choice *pick, choice other) {
  if (!pick->cmd || other.entry < pick->entry)
    *pick = other;
}

static bool choose_select(bankctl *c, uint32_t banks, choice *pick) {
  for (uint32_t left = banks; left; left &= left - 1) {
    const uint32_t b = first(left);
    const bankctl_bank *bank = &c->banks[b];
    const uint32_t others = bank->selected >= 0 ? bank->open & ~(1u << bank->selected) : bank->open;
    bool found = false;
    c->until[BANKCTL_SELECT][b] = NEVER;
    for (uint32_t open = busy(c, b) ? 0 : others; open; open &= open - 1) {
      const uint32_t s = first(open), hits = parts(c, b) & c->sets.hits[b][s] & ~c->sets.held;
      const uint64_t col = bank->slots[s].col;
      const uint32_t can =
          !hits ? 0
                : ready(c, BANKCTL_SELECT, b, hits, later(bank->sibling, later(col, bank->rd) - 1),
                        later(bank->sibling, later(col, bank->wr) - 1));
      if (can) {
        keep(pick, (choice){SASEL, b, (int32_t)first(can), (int32_t)s});
        found = true;
      }
    }
    if (!found)
      rest(c, BANKCTL_SELECT, b);
  }
  return pick->cmd;
}

// Those of a set for which a row can be opened.
static uint32_t can_open(bankctl *c, uint32_t b, uint32_t set, uint32_t rows) {
  const bankctl_bank *bank = &c->banks[b];
  const uint64_t at = later(later(c->rrd, c->acts[c->next_act]), later(bank->rfc, bank->sibling));
  if (!due(c, BANKCTL_ROW, b, rows == 1 ? later(at, bank->rp) : at))
    return 0;
  if (bank->rp <= pins(c))
    return set;
  for (uint32_t s = 0; s < BANKCTL_SLOTS; s++)
    if (bank->slots[s].act > pins(c))
      for (uint32_t left = set; left; left &= left - 1)
        if (!((c->queue[first(left)].row ^ bank->slots[s].closed_row) & SUBARRAY)) {
          set &= ~(left & -left);
          due(c, BANKCTL_ROW, b, bank->slots[s].act);
        }
  return set;
}

// The slot of a set that was not used for longest.
static uint32_t oldest(const bankctl_bank *bank, uint32_t slots) {
  uint32_t old = first(slots);
  for (uint32_t left = slots & (slots - 1); left; left &= left - 1)
    if (bank->slots[first(left)].used < bank->slots[old].used)
      old = first(left);
  return old;
}

// A slot to close for those that need its subarray, or for the others where no row is left.
static bool choose_victim(bankctl *c, uint32_t b, uint32_t clash, uint32_t others, choice *pick) {
  const bankctl_bank *bank = &c->banks[b];
  const bankctl_set *hits = c->sets.hits[b], *near = c->sets.near[b];
  uint32_t slots = bank->open;  // that may be closed
  bool found = false;
  for (uint32_t s = 0; s < BANKCTL_SLOTS && !(c->impatient >> b & 1); s++)
    slots &= ~(hits[s] ? 1u << s : 0);
  for (uint32_t left = clash ? slots : 0; left; left &= left - 1) {
    const uint32_t s = first(left), those = clash & near[s];
    if (those && due(c, BANKCTL_ROW, b, bank->slots[s].pre)) {
      keep(pick, (choice){PRE, b, (int32_t)first(those), (int32_t)s});
      found = true;
    }
  }
  if (others && slots) {
    const uint32_t s = oldest(bank, slots);
    if (due(c, BANKCTL_ROW, b, bank->slots[s].pre)) {
      keep(pick, (choice){PRE, b, (int32_t)first(others), (int32_t)s});
      found = true;
    }
  }
  return found;
}

// A row to open, or else one to close for it. `room`: the bank in which PRE makes some now.
static bool choose_row(bankctl *c, uint32_t rows, uint32_t banks, uint32_t room, choice *pick) {
  const choice now = c->chosen;
  choice close = {0};
  for (uint32_t left = banks | room; left; left &= left - 1) {
    const uint32_t b = first(left);
    const bankctl_bank *bank = &c->banks[b];
    const bankctl_set *hits = c->sets.hits[b], *near = c->sets.near[b];
    uint32_t misses = parts(c, b) & ~(uint32_t)(hits[0] | hits[1] | hits[2] | hits[3]);
    uint32_t clash = misses & (uint32_t)(near[0] | near[1] | near[2] | near[3]);
    uint32_t fits = 0, others = misses & ~clash;
    bool found = false;
    c->until[BANKCTL_ROW][b] = NEVER;
    if (left & -left & room)
      fits = misses & 1u << now.entry, clash = others = 0;
    else if (bank->n_open < rows)
      fits = others, others = 0;
    if (fits && !busy(c, b)) {
      // not with another one that is carried out
      const uint32_t can = now.cmd == ACT ? 0 : can_open(c, b, fits, rows);
      if (can)
        keep(pick, (choice){ACT, b, (int32_t)first(can), -1});
      found = can || now.cmd == ACT;
    }
    if (clash | others && choose_victim(c, b, clash, others, &close))
      found = true;
    if (!found)
      rest(c, BANKCTL_ROW, b);
  }
  if (!pick->cmd)
    *pick = close;
  return pick->cmd;
}

// The command for the cycle after the next. The bank of the one that is carried out now is left
// out, but for the column that SASEL was for, and for ACT where PRE makes room for it.
static void choose(bankctl *c, const bankctl_in *in, choice *pick) {
  const choice now = c->chosen;
  const uint32_t others = ALL_BANKS & ~(now.cmd ? 1u << now.bank : 0);
  uint32_t part = c->asked & ~c->refreshing, room = 0;
  if (pins(c) >= c->next)
    wake_those_due(c);
  if (others & c->refreshing &&
      choose_refresh(c, others & c->refreshing & awake(c, BANKCTL_REFRESH), pick))
    return;
  if (c->urgent >= 0 && c->turn)
    part &= 1u << c->urgent;
  if (choose_column(c, part & others & awake(c, BANKCTL_COLUMN), pick))
    return;
  if (c->urgent >= 0)
    part &= 1u << c->urgent;
  if (choose_select(c, part & others & awake(c, BANKCTL_SELECT), pick))
    return;
  if (now.cmd == PRE && now.entry >= 0 && in->cfg_rows > 1 &&
      !(c->sets.near[now.bank][now.slot] >> now.entry & 1))
    room = part & 1u << now.bank;
  if (!choose_row(c, in->cfg_rows, part & others & awake(c, BANKCTL_ROW), room, pick) &&
      in->cfg_closed)
    choose_close(c, others & awake(c, BANKCTL_CLOSE), pick);
}

static uint32_t find_impatient(bankctl *c) {
  uint32_t found = 0;
  c->patience = NEVER;
  for (uint32_t left = c->asked & ~c->refreshing; left; left &= left - 1) {
    const uint64_t until = c->banks[first(left)].head_since + PATIENCE;
    if (pins(c) >= until)
      found |= left & -left;
    if (until < c->patience)
      c->patience = until;
  }
  return found;
}

// The bank that is urgent in the next cycle.
static void find_urgent(bankctl *c) {
  const uint32_t wants = c->impatient;
  c->turn = wants && !c->turn;
  if (c->urgent >= 0 && wants >> c->urgent & 1)
    return;
  c->urgent = -1;
  for (uint32_t n = 1; wants && n <= BANKCTL_BANKS && c->urgent < 0; n++)
    if (wants >> (c->last_urgent + n) % BANKCTL_BANKS & 1)
      c->urgent = (int32_t)((c->last_urgent + n) % BANKCTL_BANKS);
  if (c->urgent >= 0)
    c->last_urgent = (uint32_t)c->urgent;
}

// A request has become the oldest of its bank.
static void new_head(bankctl *c, bankctl_bank *bank, uint64_t since) {
  bank->head_since = since;
  if (since + PATIENCE < c->patience)
    c->patience = since + PATIENCE;
}

// ---- doing it

// Is one that waited for it free to go now?
static bool take_out(bankctl *c, uint32_t i) {
  const bankctl_entry e = c->queue[i];
  bool frees = false;
  const uint32_t below = (1u << i) - 1, of = c->sets.of[e.bank];
  if (!(of & below))
    new_head(c, &c->banks[e.bank], c->now + 1);
  for (uint32_t left = of & ~below & ~(1u << i); left; left &= left - 1) {
    bankctl_entry *other = &c->queue[first(left)];
    if (other->place == e.place && (other->we | e.we) && !--other->older) {
      c->sets.held &= (bankctl_set) ~(left & -left);
      frees = true;
    }
  }
  bankctl_set *sets = c->sets.of;
  for (uint32_t k = 0; k < sizeof c->sets / sizeof *sets; k++)
    sets[k] = (bankctl_set)((sets[k] & below) | (sets[k] >> 1 & ~below));
  if (!c->sets.of[e.bank])
    c->asked &= ~(1u << e.bank);
  c->n--;
  memmove(c->queue + i, c->queue + i + 1, (c->n - i) * sizeof e);
  return frees;
}

static void activate(bankctl *c, bankctl_bank *bank, uint32_t b, uint32_t row, uint64_t t) {
  const uint32_t s = first(~bank->open);
  bankctl_slot *slot = &bank->slots[s];
  bank->open |= 1u << s;
  bank->slot_of[row & SUBARRAY] = (uint8_t)(s + 1);
  slot->row = row;
  slot->col = t + RCD;
  slot->pre = t + RAS;
  slot->used = ++c->last_use;
  bank->selected = (int32_t)s;
  bank->n_open++;
  c->rrd = t + RRD;
  c->acts[c->next_act] = t + FAW;
  c->next_act = (c->next_act + 1) % 4;
  for (uint32_t left = c->sets.of[b]; left; left &= left - 1) {
    const uint32_t other = c->queue[first(left)].row ^ row;
    const bankctl_set bit = (bankctl_set)(left & -left);
    c->sets.hits[b][s] |= other ? 0 : bit;
    c->sets.near[b][s] |= other & SUBARRAY ? 0 : bit;
  }
}

static void precharge(bankctl *c, bankctl_bank *bank, uint32_t b, int32_t s, uint64_t t) {
  bankctl_slot *slot = &bank->slots[s];
  bank->open &= ~(1u << s);
  slot->closed_row = slot->row;
  slot->act = t + RP;
  bank->rp = t + RP;
  bank->n_open--;
  if (bank->selected == s)
    bank->selected = -1;
  bank->slot_of[slot->row & SUBARRAY] = 0;
  c->sets.hits[b][s] = c->sets.near[b][s] = 0;
}

static void show_owed(bankctl *c, uint32_t b) {
  const uint32_t bit = 1u << b, owed = c->banks[b].owed;
  c->owing = (c->owing & ~bit) | (owed > 0 ? bit : 0);
  c->overdue = (c->overdue & ~bit) | (owed >= URGENT ? bit : 0);
}

static void issue(bankctl *c, choice pick) {
  const uint64_t t = c->now + 1;
  bankctl_bank *bank = &c->banks[pick.bank];
  bankctl_slot *slot = pick.slot >= 0 ? &bank->slots[pick.slot] : NULL;
  bankctl_out *out = &c->out;
  uint32_t looks = EACH_LOOK;
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
      const bool frees = take_out(c, (uint32_t)pick.entry);
      // with more hits of the slot the bank stays busy, and what may be closed is the same
      if (c->sets.hits[pick.bank][pick.slot] && !frees)
        looks = COLUMN_LOOK;
      break;
    }
    default:
      bank->owed--;
      show_owed(c, pick.bank);
      bank->rfc = bank->head_since = t + RFC;
      break;
  }
  wake(c, 1u << pick.bank, looks);
}

// ---- requests and ticks

static void accept(bankctl *c, const bankctl_in *in) {
  bankctl_bank *bank = &c->banks[in->req_bank];
  bankctl_entry *e = &c->queue[c->n];
  const uint32_t b = in->req_bank;
  const bankctl_set bit = (bankctl_set)(1u << c->n);
  *e = (bankctl_entry){
      .place = (b << 14 | in->req_row) << 5 | in->req_col,
      .row = (uint16_t)in->req_row,
      .bank = (uint8_t)b,
      .col = (uint8_t)in->req_col,
      .we = (uint8_t)in->req_we,
      .id = (uint8_t)in->req_id,
      .wmask = in->req_wmask,
  };
  uint32_t looks = ROW_LOOK;
  const uint32_t s = bank->slot_of[e->row & SUBARRAY];
  if (s) {
    c->sets.near[b][s - 1] |= bit;
    if (bank->slots[s - 1].row == e->row) {
      c->sets.hits[b][s - 1] |= bit;
      looks |= (int32_t)s - 1 == bank->selected ? COLUMN_LOOK : SELECT_LOOK;
    }
  }
  for (uint32_t left = c->sets.of[b]; left; left &= left - 1) {
    const bankctl_entry *other = &c->queue[first(left)];
    if (other->place == e->place && (other->we | e->we))
      e->older++;
  }
  if (e->older)
    c->sets.held |= bit;
  if (e->we) {
    c->sets.writes |= bit;
    e->data = (uint8_t)first(c->free_data);
    c->free_data &= c->free_data - 1;
    memcpy(c->wdata[e->data], in->req_wdata, sizeof in->req_wdata);
  }
  if (!c->sets.of[b])
    new_head(c, bank, later(bank->rfc, c->now + 1));
  c->sets.of[b] |= bit;
  c->asked |= 1u << b;
  c->n++;
  wake(c, 1u << b, looks);
}

static void count_ticks(bankctl *c, uint32_t ticks) {
  for (; ticks; ticks &= ticks - 1) {
    bankctl_bank *bank = &c->banks[first(ticks)];
    bank->owed += bank->owed < 15;
    show_owed(c, first(ticks));
  }
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

void bankctl_edge(bankctl *c, const bankctl_in *in) {
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
    const uint32_t refreshing = c->owing & (c->refreshing | c->overdue | ~c->asked);
    c->impatient = pins(c) >= c->patience ? find_impatient(c) : 0;
    const bool hurry = c->impatient || c->urgent >= 0;
    if (hurry)
      wake(c, ALL_BANKS, EACH_LOOK);
    if (c->n || c->owing || in->cfg_closed)
      choose(c, in, &pick);
    if (hurry)
      find_urgent(c);
    c->reads = c->reads << 1 & 31;
    c->writes = c->writes << 1 & 7;
    move_data(c, in);
    c->out.cmd = NONE;
    const choice now = c->chosen;
    if (now.cmd) {
      issue(c, now);
      if ((now.cmd == RD || now.cmd == WR) && pick.entry > now.entry)
        pick.entry--;
    }
    c->chosen = pick;
    if (c->refreshing != refreshing) {
      wake(c, c->refreshing ^ refreshing, EACH_LOOK);
      c->refreshing = refreshing;
      c->patience = 0;
    }
    if (take)
      accept(c, in);
    count_ticks(c, in->ref_tick);
    c->now++;
    c->out.req_ready = c->n < BANKCTL_DEPTH;
    c->out.busy = c->n || c->owing || c->reads || c->writes || c->now < c->quiet;
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

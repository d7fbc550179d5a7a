// SPDX-License-Identifier: Apache-2.0
#include "bankctl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/rare.h"

#define BLOCK bankctl
#include "csim/base/block_table.h"

enum { NONE, ACT, PRE, SASEL, RD, WR, REF, PREA };
enum {
  ALL_BANKS = (1 << BANKCTL_BANKS) - 1,
  EACH_SLOT = 0x1111,  // of a bank
  NO_PLACE = -1,       // of a request
  URGENT = 4,          // refreshes owed that no request puts off any longer
  OWED_MAX = 8,        // refreshes that may be owed, as after a warm reset
  EARLY = 3,           // cycles before its PRE in which a row can be given up
  PATIENCE = 96        // cycles that the oldest request of a bank lets others go first
};
static const uint64_t NEVER = UINT64_MAX;
static const uint64_t EACH_BANK = 0x0001000100010001;  // and each slot of `before`

typedef bankctl_choice choice;
typedef bankctl_set set;
typedef bankctl_slots slots;

static uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static uint32_t first(uint32_t bits) {
  return (uint32_t)__builtin_ctz(bits);
}

static uint32_t first64(uint64_t bits) {
  return (uint32_t)__builtin_ctzll(bits);
}

// The cycle in which what is chosen now is on the pins.
static uint64_t pins(const bankctl *c) {
  return c->now + 2;
}

// ---- times

static inline uint64_t *coming_at(bankctl *c, uint64_t cycle) {
  return &c->coming[cycle & c->horizon];
}

// A time is only ever raised, by less than the horizon; one that has passed at the next choice is
// none.
static inline void raise(bankctl *c, uint32_t time, uint64_t at) {
  const uint64_t bit = 1ull << time;
  if (at <= c->at[time] || at <= pins(c))
    return;
  *coming_at(c, c->at[time]) &= ~bit;
  *coming_at(c, at) |= bit;
  c->at[time] = at;
  c->passed &= ~bit;
}

static void pass(bankctl *c) {
  uint64_t *coming = coming_at(c, pins(c));
  c->passed |= *coming;
  *coming = 0;
  if (pins(c) < c->rfc)
    return;
  c->rfc = NEVER;
  for (uint32_t b = 0; b < BANKCTL_BANKS; b++)
    if (c->banks[b].rfc <= pins(c))
      c->after_refresh &= ~(1u << b);
    else if (c->banks[b].rfc < c->rfc)
      c->rfc = c->banks[b].rfc;
}

static slots slots_passed(uint64_t passed, bankctl_time time) {
  return passed >> time & 0xffff;
}

static uint32_t banks_passed(uint64_t passed, bankctl_time time) {
  return passed >> time & ALL_BANKS;
}

// ---- sets

// All that the requests of banks may be.
static set requests(uint32_t banks) {
#define BANK(b, k) (((b) >> (k)&1) * (0xffffull << 16 * (k)))
#define ENTRY(b) BANK(b, 0) | BANK(b, 1) | BANK(b, 2) | BANK(b, 3)
  static const set of[16] = {ENTRY(0),  ENTRY(1),  ENTRY(2),  ENTRY(3), ENTRY(4),  ENTRY(5),
                             ENTRY(6),  ENTRY(7),  ENTRY(8),  ENTRY(9), ENTRY(10), ENTRY(11),
                             ENTRY(12), ENTRY(13), ENTRY(14), ENTRY(15)};
#undef ENTRY
#undef BANK
  return of[banks & ALL_BANKS];
}

static set sector(uint32_t b, uint32_t i) {
  return 1ull << (16 * b + i);
}

// One set of all banks.
static uint32_t together(set s) {
  s |= s >> 32;
  return (s | s >> 16) & 0xffff;
}

static uint32_t of_bank(set s, uint32_t b) {
  return s >> 16 * b & 0xffff;
}

// Banks of which there is a slot.
static uint32_t banks_of(slots s) {
  s |= s >> 8;
  return (s | s >> 4) & ALL_BANKS;
}

static slots slots_of(uint32_t banks) {
  return banks * EACH_SLOT;
}

static uint32_t slot_bit(uint32_t b, uint32_t s) {
  return BANKCTL_BANKS * s + b;
}

// Those of a set that belong to slots: `sets` has one of each.
static inline set chosen_of(const set sets[BANKCTL_SLOTS], slots s) {
  return (sets[0] & requests(s)) | (sets[1] & requests(s >> 4)) | (sets[2] & requests(s >> 8)) |
         (sets[3] & requests(s >> 12));
}

// The oldest of a set; of a line its lowest bank.
static inline choice oldest_of(set s, uint32_t cmd) {
  const uint32_t i = first(together(s));
  const uint64_t banks = s >> i & EACH_BANK;
  return (choice){cmd, first64(banks) / 16, (int32_t)i, -1};
}

static uint32_t queue_place(const bankctl *c, uint32_t i) {
  return c->order >> 4 * i & 15;
}

static bankctl_entry *entry(bankctl *c, uint32_t i) {
  return &c->queue[queue_place(c, i)];
}

static void use(bankctl *c, uint32_t bit) {
  const uint32_t b = bit % BANKCTL_BANKS, s = bit / BANKCTL_BANKS;
  c->before &= ~(EACH_BANK << bit);
  c->before |= (uint64_t)(slots_of(1u << b) & ~(1u << bit)) << 16 * s;
}

// ---- what to do next

// PRE of the lowest of some slots of the lowest bank.
static bool choose_lowest(slots s, choice *pick) {
  if (!s)
    return false;
  const uint32_t b = first(banks_of(s));
  *pick = (choice){PRE, b, -1, (int32_t)(first(s & slots_of(1u << b)) / BANKCTL_BANKS)};
  return true;
}

static bool choose_refresh(const bankctl *c, uint32_t banks, choice *pick) {
  const uint32_t can = banks & c->owing & ~banks_of(c->open) & ~c->after_refresh &
                       banks_passed(c->passed, BANKCTL_RP);
  if (can) {
    *pick = (choice){REF, first(can), -1, -1};
    return true;
  }
  return choose_lowest(c->open & slots_of(banks) & slots_passed(c->passed, BANKCTL_PRE), pick);
}

// Requests that take part in rules 5 to 8.
static set parts(const bankctl *c) {
  set part = c->sets.of;
  for (uint32_t left = c->impatient; left; left &= left - 1) {
    const uint32_t b = first(left), of = of_bank(part, b);
    part &= ~((uint64_t)(of & (of - 1)) << 16 * b);
  }
  return part;
}

// Those of a set that no older one holds, and whose bank's time has come.
static set ready(const bankctl *c, set part, uint64_t passed) {
  const set writes = c->sets.writes;
  return part & ~c->sets.held &
         ((writes & requests(banks_passed(passed, BANKCTL_WR))) |
          (~writes & requests(banks_passed(passed, BANKCTL_RD))));
}

// The slot that PRE closes now.
static slots closing(const bankctl *c) {
  return c->chosen.cmd == PRE ? 1u << slot_bit(c->chosen.bank, (uint32_t)c->chosen.slot) : 0;
}

static bool choose_column(bankctl *c, set part, uint32_t banks, choice *pick) {
  const choice now = c->chosen;
  const slots can = c->selected & c->hit & ~c->leaving & ~closing(c) &
                    slots_passed(c->passed, BANKCTL_COL) & slots_of(banks);
  set any = now.cmd == SASEL && c->t.scd == 1 ? sector(now.bank, (uint32_t)now.entry) : 0;
  if (!can && !any)
    return false;
  const set own = any;
  if (can)
    any |= chosen_of(c->sets.hits, can) & ready(c, part, c->passed);
  if (!any)
    return false;
  *pick = oldest_of(any, RD);
  if (entry(c, (uint32_t)pick->entry)->we)
    pick->cmd = WR;
  pick->slot = own & sector(pick->bank, (uint32_t)pick->entry)
                   ? now.slot
                   : (int32_t)(first(c->selected >> pick->bank & EACH_SLOT) / BANKCTL_BANKS);
  return true;
}

// Of an entry with a slot that has its subarray.
static int32_t slot_of(const bankctl *c, uint32_t b, const bankctl_entry *e) {
  return c->banks[b].slot_of[e->row & c->subarrays] - 1;
}

// After ACT the bitlines are those of its row: all others need SASEL.
static bool choose_select(bankctl *c, set part, uint32_t banks, uint64_t soon, choice *pick) {
  const slots selected = c->selected & ~(c->chosen.cmd == ACT ? slots_of(1u << c->chosen.bank) : 0);
  const slots can = c->hit & ~selected & ~c->leaving & ~closing(c) &
                    slots_passed(soon, BANKCTL_COL) &
                    slots_of(banks & banks_passed(c->passed, BANKCTL_SIBLING));
  if (!can)
    return false;
  const set any = chosen_of(c->sets.hits, can) & ready(c, part, soon);
  if (!any)
    return false;
  *pick = oldest_of(any, SASEL);
  pick->slot = slot_of(c, pick->bank, entry(c, (uint32_t)pick->entry));
  return true;
}

// Those of a set for which a row can be opened, not with another one that is carried out.
static set can_open(const bankctl *c, set fits, uint32_t rows) {
  if (!fits || c->chosen.cmd == ACT || later(c->rrd, c->acts[c->next_act]) > pins(c))
    return 0;
  uint32_t banks = banks_passed(c->passed, BANKCTL_SIBLING) & ~c->after_refresh;
  if (rows == 1)
    banks &= banks_passed(c->passed, BANKCTL_RP);
  return fits & requests(banks) & ~chosen_of(c->sets.closed, ~slots_passed(c->passed, BANKCTL_ACT));
}

// Of slots those whose bank has none that was not used for longer.
static slots oldest(const bankctl *c, slots s) {
  uint64_t behind = c->before & s * EACH_BANK;
  behind |= behind >> 8;
  behind |= behind >> 4;
  behind = (behind & 15) | (behind >> 12 & 0xf0) | (behind >> 24 & 0xf00) | (behind >> 36 & 0xf000);
  return s & ~(uint32_t)behind;
}

// Those of a set whose row no slot has open.
static set misses_of(const bankctl *c, set part) {
  const set *hits = c->sets.hits;
  return part & ~(hits[0] | hits[1] | hits[2] | hits[3]);
}

// The slot of a RD whose request is the only one that hits it.
static slots last_hit(const bankctl *c) {
  const choice now = c->chosen;
  if (now.cmd != RD || of_bank(c->sets.hits[now.slot], now.bank) & ~(1u << now.entry))
    return 0;
  return 1u << slot_bit(now.bank, (uint32_t)now.slot);
}

// The slots that banks give up from the next cycle on: for a request without a row the one that has
// its subarray, or where no row is left the one used least recently; if nobody hits it, and it can
// be closed soon.
static slots give_up(const bankctl *c, uint32_t rows) {
  const set *near = c->sets.near;
  const set misses = misses_of(c, parts(c)) & requests(~c->refreshing);
  const uint32_t banks = (of_bank(misses, 0) ? 1 : 0) | (of_bank(misses, 1) ? 2 : 0) |
                         (of_bank(misses, 2) ? 4 : 0) | (of_bank(misses, 3) ? 8 : 0);
  const slots kept = c->leaving & slots_of(banks) & ~closing(c);
  const bool moves = c->chosen.cmd == ACT || c->chosen.cmd == PRE;
  const uint32_t without = banks & ~banks_of(kept) & ~(moves ? 1u << c->chosen.bank : 0);
  const slots may = c->open & (~c->hit | last_hit(c) | slots_of(c->impatient)) & slots_of(without);
  if (!may)
    return kept;
  uint64_t soon = c->passed;
  for (uint32_t k = 1; k <= EARLY; k++)
    soon |= c->coming[(pins(c) + k) & c->horizon];
  const slots time = slots_passed(soon, BANKCTL_PRE), old = oldest(c, may) & time;
  if (!(may & time))
    return kept;
  const set clash = chosen_of(near, may & time) & misses;
  const set others =
      misses & ~(near[0] | near[1] | near[2] | near[3]) & requests(banks_of(old) & c->rows[rows]);
  slots more = 0;
  for (uint32_t left = banks_of(may & time); left; left &= left - 1) {
    const uint32_t b = first(left), of = of_bank(clash | others, b);
    if (!of)
      continue;
    const uint32_t i = first(of);
    if (of_bank(others, b) >> i & 1)
      more |= old & slots_of(1u << b);
    else
      more |= 1u << slot_bit(b, (uint32_t)slot_of(c, b, &c->queue[queue_place(c, i)]));
  }
  return kept | more;
}

// A row to open, of the banks of `free` if there is one. `room`: the bank in which PRE makes some
// now.
static bool choose_open(bankctl *c, uint32_t rows, set part, uint32_t free, uint32_t room,
                        choice *pick) {
  const set *near = c->sets.near;
  const set fits = misses_of(c, part) & ~(near[0] | near[1] | near[2] | near[3]) &
                   requests(room | ~c->rows[rows]);
  const set can = can_open(c, fits, rows);
  if (!can)
    return false;
  const set before = can & requests(free);
  *pick = oldest_of(before ? before : can, ACT);
  return true;
}

// The command for the cycle after the next. The bank of the one that is carried out now takes part
// where that leaves no doubt about its state.
static void choose(bankctl *c, const bankctl_in *in, slots leaving, choice *pick) {
  const choice now = c->chosen;
  const uint32_t own = now.cmd ? 1u << now.bank : 0, others = ALL_BANKS & ~own;
  if (others & c->refreshing && choose_refresh(c, others & c->refreshing, pick))
    return;
  const set part = parts(c);
  const uint32_t all = c->asked & ~c->refreshing,
                 banks = c->urgent >= 0 ? all & 1u << c->urgent : all;
  const uint32_t after_pre = now.cmd == PRE ? own : 0, after_act = now.cmd == ACT ? own : 0,
                 after_read = now.cmd == RD ? own & ~c->impatient : 0,
                 after_write = now.cmd == WR ? own & ~c->impatient : 0;
  // rows that cost no hit of their bank go first
  const uint32_t free = others & ~banks_of(c->selected & c->hit);
  const uint32_t room = in->cfg_rows > 1 ? banks & after_pre : 0;
  const uint32_t opens = banks & (others | (c->t.ra == 1 ? after_read : 0) | room);
  choice act = {0};
  if (choose_open(c, in->cfg_rows, part & requests(opens), free, room, &act) &&
      free >> act.bank & 1) {
    *pick = act;
    return;
  }
  const slots closes = leaving & ~last_hit(c) & slots_passed(c->passed, BANKCTL_PRE) &
                       slots_of(banks & (others | after_read | after_write));
  if (choose_lowest(closes & slots_of(free), pick))
    return;
  if (choose_column(c, part, (c->turn ? banks : all) & (others | after_pre), pick))
    return;
  const uint64_t soon = c->passed | *coming_at(c, pins(c) + 1);
  const uint32_t serves =
      banks_of(c->selected & c->hit & ~c->leaving & ~closing(c) & slots_passed(soon, BANKCTL_COL)) &
      ~after_act;
  uint32_t select = (others | after_pre | after_act) & (~serves | c->impatient);
  set turns = part;
  if (after_read && c->turns_fit && last_hit(c)) {
    select |= after_read;
    turns &= ~(c->sets.writes & requests(after_read));
  }
  if (choose_select(c, turns, banks & select, soon, pick))
    return;
  if (act.cmd)
    *pick = act;
  else if (!choose_lowest(closes, pick) && in->cfg_closed)
    choose_lowest(c->open & ~c->hit & slots_passed(c->passed, BANKCTL_PRE) & slots_of(others),
                  pick);
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

// The sector of a bank leaves an entry, and what is empty then the queue.
static void take_out(bankctl *c, uint32_t b, uint32_t i, uint32_t bit) {
  const uint32_t at = queue_place(c, i), slot = bit / BANKCTL_BANKS, below = (1u << i) - 1;
  const bankctl_entry *e = &c->queue[at];
  if (!(of_bank(c->sets.of, b) & below))
    new_head(c, &c->banks[b], c->now + 1);
  // those that wait for it have its row
  for (uint32_t left = of_bank(c->sets.held & c->sets.hits[slot], b); left; left &= left - 1) {
    const uint32_t k = queue_place(c, first(left));
    if (c->place[k] == c->place[at] && (c->queue[k].we | e->we) && !--c->queue[k].older[b])
      c->sets.held &= ~((uint64_t)(left & -left) << 16 * b);
  }
  const bool last = !(c->sets.of >> i & EACH_BANK & ~sector(b, 0));
  if (last) {
    const set stay = below * EACH_BANK, move = ~stay & 0x7fff * EACH_BANK;
    for (uint32_t k = 0; k < BANKCTL_SETS; k++)
      c->all[k] = (c->all[k] & stay) | (c->all[k] >> 1 & move);
    const uint64_t low = (1ull << 4 * i) - 1;
    c->order = (c->order & low) | (c->order >> 4 & ~low);
    c->place[at] = (uint32_t)NO_PLACE;
    c->free_entries |= 1u << at;
    c->n--;
    if (i == c->n)
      c->joins = false;
  } else {
    const set gone = ~sector(b, i);
    for (uint32_t k = 0; k < BANKCTL_SETS; k++)
      c->all[k] &= gone;
  }
  if (!of_bank(c->sets.of, b))
    c->asked &= ~(1u << b);
  if (!of_bank(c->sets.hits[slot], b))
    c->hit &= ~(1u << bit);
}

static void activate(bankctl *c, uint32_t b, uint32_t row, uint64_t t) {
  const uint32_t bit = first(~(c->open >> b) & EACH_SLOT) + b, s = bit / BANKCTL_BANKS;
  uint32_t hits = 0, near = 0;
  c->open |= 1u << bit;
  c->selected = (c->selected & ~slots_of(1u << b)) | 1u << bit;
  c->banks[b].slot_of[row & c->subarrays] = (uint8_t)(s + 1);
  c->rows[++c->banks[b].n_open] |= 1u << b;
  c->row[bit] = (uint16_t)row;
  raise(c, BANKCTL_COL + bit, t + c->t.rcd);
  raise(c, BANKCTL_PRE + bit, t + c->t.ras);
  use(c, bit);
  c->rrd = t + c->t.rrd;
  c->acts[c->next_act] = t + c->t.faw;
  c->next_act = (c->next_act + 1) % 4;
  for (uint32_t left = of_bank(c->sets.of, b); left; left &= left - 1) {
    const uint32_t other = entry(c, first(left))->row ^ row;
    hits |= other ? 0 : left & -left;
    near |= other & c->subarrays ? 0 : left & -left;
  }
  c->sets.hits[s] |= (uint64_t)hits << 16 * b;
  c->sets.near[s] |= (uint64_t)near << 16 * b;
  c->hit |= (uint32_t)(hits != 0) << bit;
}

static void precharge(bankctl *c, uint32_t b, uint32_t bit, uint64_t t) {
  const uint32_t s = bit / BANKCTL_BANKS, subarray = c->row[bit] & c->subarrays;
  const set of = requests(1u << b);
  c->open &= ~(1u << bit);
  c->leaving &= ~(1u << bit);
  c->selected &= ~(1u << bit);
  c->hit &= ~(1u << bit);
  c->banks[b].slot_of[subarray] = 0;
  c->rows[c->banks[b].n_open--] &= ~(1u << b);
  c->banks[b].closed_in[subarray] = (uint8_t)s;
  c->closed[bit] = (uint8_t)subarray;
  raise(c, BANKCTL_ACT + bit, t + c->t.rp);
  raise(c, BANKCTL_RP + b, t + c->t.rp);
  c->sets.closed[s] = (c->sets.closed[s] & ~of) | (c->sets.near[s] & of);
  c->sets.near[s] &= ~of;
  c->sets.hits[s] &= ~of;
}

static void show_owed(bankctl *c, uint32_t b) {
  const uint32_t bit = 1u << b, owed = c->banks[b].owed;
  c->owing = (c->owing & ~bit) | (owed > 0 ? bit : 0);
  c->overdue = (c->overdue & ~bit) | (owed >= URGENT ? bit : 0);
}

static void issue(bankctl *c, choice pick) {
  const uint64_t t = c->now + 1;
  const uint32_t b = pick.bank, bit = slot_bit(b, pick.slot >= 0 ? (uint32_t)pick.slot : 0);
  bankctl_out *out = &c->out;
  out->cmd = pick.cmd;
  out->cmd_bank = b;
  if (pick.slot >= 0)
    out->cmd_row = c->row[bit];
  c->quiet = later(c->quiet, t + (pick.cmd == REF ? c->t.rfc : c->t.stay));
  switch (pick.cmd) {
    case ACT:
      out->cmd_row = entry(c, (uint32_t)pick.entry)->row;
      activate(c, b, out->cmd_row, t);
      break;
    case PRE:
      precharge(c, b, bit, t);
      break;
    case SASEL:
      raise(c, BANKCTL_COL + bit, t + c->t.scd);
      c->selected = (c->selected & ~slots_of(1u << b)) | 1u << bit;
      use(c, bit);
      break;
    case RD:
    case WR: {
      const bankctl_entry *e = entry(c, (uint32_t)pick.entry);
      out->cmd_col = e->col;
      use(c, bit);
      if (pick.cmd == RD) {
        c->reads |= 1ull << (c->t.read + 1);
        c->read_id[t % 64] = (uint8_t)(e->line ? e->id ^ b : e->id);
        raise(c, BANKCTL_PRE + bit, t + c->t.rtp);
        raise(c, BANKCTL_RD + b, t + c->t.ccd);
        raise(c, BANKCTL_WR + b, t + c->t.rtw);
        if (c->t.ra > 1)
          raise(c, BANKCTL_SIBLING + b, t + c->t.ra);
      } else {
        c->writes |= 1ull << c->t.write;
        c->write_data[t % 32] = e->data[b];
        c->write_mask[t % 32] = e->wmask[b];
        c->sending++;
        c->writing--;
        raise(c, BANKCTL_PRE + bit, t + c->t.wtp);
        raise(c, BANKCTL_WR + b, t + c->t.ccd);
        raise(c, BANKCTL_RD + b, t + c->t.wtrd);
        raise(c, BANKCTL_SIBLING + b, t + c->t.wa);
      }
      take_out(c, b, (uint32_t)pick.entry, bit);
      break;
    }
    default:
      c->banks[b].owed--;
      show_owed(c, b);
      c->banks[b].rfc = c->banks[b].head_since = t + c->t.rfc;
      c->rfc = c->rfc < t + c->t.rfc ? c->rfc : t + c->t.rfc;
      c->after_refresh |= 1u << b;
      break;
  }
}

// ---- requests and ticks

// Requests of its bank that it must not overtake.
static void hold(bankctl *c, bankctl_entry *e, uint32_t b, uint32_t place, set bit) {
  uint32_t same = 0;
  for (uint32_t k = 0; k < BANKCTL_DEPTH; k++)
    same |= c->place[k] == place;
  e->older[b] = 0;
  if (!same)
    return;
  for (uint32_t left = of_bank(c->sets.of, b); left; left &= left - 1) {
    const uint32_t k = queue_place(c, first(left));
    e->older[b] = (uint8_t)(e->older[b] + (c->place[k] == place && (c->queue[k].we | e->we)));
  }
  if (e->older[b])
    c->sets.held |= bit;
}

// A request is one more sector of the newest line, or begins a line.
static bankctl_entry *line_of(bankctl *c, const bankctl_in *in, uint32_t place) {
  const uint32_t b = in->req_bank;
  const bool line = in->req_id % BANKCTL_BANKS == b;
  bankctl_entry *e = c->n ? entry(c, c->n - 1) : NULL;
  if (c->joins && line && e->id == (in->req_id ^ b) && e->we == in->req_we &&
      e->row == in->req_row && e->col == in->req_col && !(e->banks >> b & 1)) {
    e->banks = (uint8_t)(e->banks | 1u << b);
    return e;
  }
  const uint32_t at = first(c->free_entries);
  e = &c->queue[at];
  *e = (bankctl_entry){
      .row = (uint16_t)in->req_row,
      .banks = (uint8_t)(1u << b),
      .col = (uint8_t)in->req_col,
      .we = (uint8_t)in->req_we,
      .line = line,
      .id = (uint8_t)(line ? in->req_id ^ b : in->req_id),
  };
  c->order |= (uint64_t)at << 4 * c->n++;
  c->free_entries &= c->free_entries - 1;
  c->place[at] = place;
  c->joins = line;
  return e;
}

static void accept(bankctl *c, const bankctl_in *in) {
  const uint32_t b = in->req_bank, subarray = in->req_row & c->subarrays;
  const uint32_t place = in->req_row << 5 | in->req_col;
  bankctl_entry *e = line_of(c, in, place);
  const set bit = sector(b, c->n - 1);
  hold(c, e, b, place, bit);
  const int32_t s = slot_of(c, b, e);
  if (s >= 0) {
    const uint32_t of = slot_bit(b, (uint32_t)s);
    const bool hit = c->row[of] == e->row;
    c->sets.near[s] |= bit;
    c->sets.hits[s] |= hit ? bit : 0;
    c->hit |= (uint32_t)hit << of;
  }
  const uint32_t k = c->banks[b].closed_in[subarray];
  c->sets.closed[k] |= c->closed[slot_bit(b, k)] == subarray ? bit : 0;
  if (e->we) {
    c->sets.writes |= bit;
    c->writing++;
    e->data[b] = (uint8_t)first(c->free_data);
    e->wmask[b] = in->req_wmask;
    c->free_data &= c->free_data - 1;
    memcpy(c->wdata[e->data[b]], in->req_wdata, sizeof in->req_wdata);
  }
  if (!of_bank(c->sets.of, b))
    new_head(c, &c->banks[b], later(c->banks[b].rfc, c->now + 1));
  c->sets.of |= bit;
  c->asked |= 1u << b;
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
  bankctl_init_sizes(c, BANKCTL_DEPTH, BANKCTL_SUBARRAYS);
}

void bankctl_init_sizes(bankctl *c, uint32_t depth, uint32_t subarrays) {
  assert(depth && depth <= BANKCTL_DEPTH && !(depth & (depth - 1)));
  assert(subarrays > 1 && subarrays <= BANKCTL_SUBARRAYS && !(subarrays & (subarrays - 1)));
  *c = (bankctl){.depth = depth,
                 .subarrays = subarrays - 1,
                 .passed = UINT64_MAX,
                 .free_entries = (1u << BANKCTL_DEPTH) - 1,
                 .free_data = (1u << (BANKCTL_DEPTH + 2)) - 1,
                 .rfc = NEVER,
                 .urgent = -1,
                 .horizon = BANKCTL_COMING - 1,
                 .last_urgent = BANKCTL_BANKS - 1};
  memset(c->closed, BANKCTL_SUBARRAYS, sizeof c->closed);
  memset(c->place, NO_PLACE, sizeof c->place);
  c->out.req_ready = 1;
}

bool bankctl_idle(const bankctl *c) {
  return !c->out.busy;
}

static void move_data(bankctl *c, const bankctl_in *in) {
  const uint64_t t = c->now + 1;
  bankctl_out *out = &c->out;
  out->rsp_valid = c->reads & 1;
  if (out->rsp_valid) {
    out->rsp_id = c->read_id[(t - c->t.read - 1) % 64];
    memcpy(out->rsp_data, in->rdata, sizeof out->rsp_data);
  }
  if (c->writes & 1) {
    const uint32_t from = (t - c->t.write) % 32, data = c->write_data[from];
    memcpy(out->wdata, c->wdata[data], sizeof out->wdata);
    out->wmask = c->write_mask[from];
    c->free_data |= 1u << data;
  }
}

RARE static void take_times(bankctl *c, const uint32_t *words) {
  memcpy(c->cfg_times, words, sizeof c->cfg_times);
  bankctl_times_get(words, &c->t);
  assert(c->t.stay < BANKCTL_COMING);
  for (c->horizon = 63; c->horizon < c->t.stay; c->horizon = 2 * c->horizon + 1)
    ;
  c->turns_fit = c->t.scd == 1 && c->t.ra == 1 && c->t.ccd <= 2;
}

// What carries data keeps it, but for the mask: a WR whose data are lost writes nothing.
RARE static void reset(bankctl *c, const bankctl_in *in) {
  bankctl_out keep = c->out;
  bankctl_init_sizes(c, c->depth, c->subarrays + 1);
  take_times(c, in->cfg_times);
  keep.req_ready = !in->cfg_warm;
  keep.busy = in->cfg_warm;
  keep.rsp_valid = keep.cmd = keep.wmask = 0;
  c->out = keep;
  if (!in->cfg_warm)
    return;
  c->start = BANKCTL_WAITS;
  c->quiet = later(c->t.rfc, c->t.stay);
  for (uint32_t b = 0; b < BANKCTL_BANKS; b++) {
    c->banks[b].owed = OWED_MAX;
    show_owed(c, b);
  }
}

// After a warm reset: when all that may be under way has passed, all rows are closed, bank by bank.
RARE static void start(bankctl *c) {
  switch (c->start) {
    case BANKCTL_WAITS:
      if (c->now >= c->quiet)
        c->start = BANKCTL_CLOSES;
      break;
    case BANKCTL_CLOSES:
      c->out.cmd = PREA;
      c->out.cmd_bank = c->prea++;
      c->quiet = later(c->quiet, c->now + 1 + c->t.stay);
      if (c->prea == BANKCTL_BANKS)
        c->start = BANKCTL_SETTLES;
      break;
    default:
      if (c->now >= c->quiet)
        c->start = BANKCTL_DONE;
      break;
  }
}

void bankctl_edge(bankctl *c, const bankctl_in *in) {
  const bool take = in->req_valid & c->out.req_ready;
  if (!in->rst_n) {
    reset(c, in);
  } else if (c->out.busy || take || in->ref_tick) {
    // what is there decides, what comes in does not yet
    choice pick = {0};
    const uint32_t refreshing = c->owing & (c->refreshing | c->overdue | ~c->asked);
    const bool ready = c->start == BANKCTL_DONE;
    if (!c->now && memcmp(c->cfg_times, in->cfg_times, sizeof c->cfg_times))
      take_times(c, in->cfg_times);
    c->impatient = pins(c) >= c->patience ? find_impatient(c) : 0;
    pass(c);
    const slots leaving = c->n ? give_up(c, in->cfg_rows) : 0;
    if (ready && (c->n || c->owing || in->cfg_closed))
      choose(c, in, leaving, &pick);
    if (c->impatient || c->urgent >= 0)
      find_urgent(c);
    c->reads >>= 1;
    c->writes >>= 1;
    move_data(c, in);
    c->out.cmd = NONE;
    const choice now = c->chosen;
    if (now.cmd) {
      const uint32_t n = c->n;
      issue(c, now);
      if (c->n < n && pick.entry > now.entry)
        pick.entry--;
    }
    c->leaving = in->cfg_rows > 1 ? leaving : 0;
    c->chosen = pick;
    if (!ready)
      start(c);
    c->sending -= c->writes >> 2 & 1;
    if (c->refreshing != refreshing) {
      c->refreshing = refreshing;
      c->patience = 0;
    }
    if (take)
      accept(c, in);
    count_ticks(c, in->ref_tick);
    c->now++;
    c->out.req_ready = ready & (c->n < c->depth) & (c->writing + c->sending < c->depth);
    c->out.busy = (c->n | c->sending | c->owing | c->start) != 0 || c->now < c->quiet;
  }
}

void bankctl_step(bankctl *c, const bankctl_in *in, bankctl_out *out) {
  bankctl_clock(c, in);
  *out = c->out;
}

static void bankctl_init_of(bankctl *c, const bankctl_sizes *s) {
  bankctl_init_sizes(c, s ? s->depth : BANKCTL_DEPTH, s ? s->subarrays : BANKCTL_SUBARRAYS);
}

#define BLOCK bankctl
#define BLOCK_INIT(block, sizes) bankctl_init_of(block, sizes)
#include "csim/base/block_twin.h"

// SPDX-License-Identifier: Apache-2.0
#include "dram.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "csim/base/rare.h"

enum { RING = 64, FAW = 4, NEVER = -1, CMDS = 8 };
static const int64_t LONG_AGO = INT64_MIN / 4;

typedef enum scope { SCOPE_SUB, SCOPE_SIBLING, SCOPE_BANK, SCOPE_ALL, SCOPE_ONE } scope;

typedef struct delay {
  int64_t ps;
  uint8_t rule, from, scope;
} delay;

// The subarray of a bank that a command came to last, and when it last came to another one.
typedef struct recent {
  int64_t other_at;
  uint32_t subarray;
} recent;

typedef struct array_bank {
  _Alignas(64) int64_t last[CMDS];
  uint32_t open, n_open;  // a bit a subarray
  int32_t selected;       // or NEVER
  int64_t refreshed;      // refreshes that count, of those that have become due or would soon
  int64_t due;            // with DRAM_REF_DUE: those that have become due
  int64_t missed_at;  // ps: when the first of them that may not be postponed became due; or NEVER
  dram_rows met;
  uint32_t fresh, in_place;  // subarrays opened and not accessed yet; of these, in place of another
  uint32_t closings;         // PRE since REF whose room no ACT has taken
  uint32_t used;             // open and accessed ones
  uint64_t accesses;
  recent recent[DRAM_CMDS];
  struct {
    uint64_t used_at;
    uint32_t row;
  } sub[DRAM_SUBARRAYS];
  _Alignas(64) int64_t at[DRAM_SUBARRAYS][CMDS];
} array_bank;

typedef struct access {
  uint64_t cycle;
  uint8_t *bytes;
} access;

// What follows from timing and row buffers: arrays that are alike share it.
struct dram_rules {
  delay delays[DRAM_CMDS][DRAM_RULES];  // by the later command
  uint32_t n_delays[DRAM_CMDS];
  // of them, by both commands, how long since the same subarray, bank, any is enough
  int64_t sub_ps[DRAM_CMDS][CMDS], bank_ps[DRAM_CMDS][CMDS], all_ps[DRAM_CMDS][CMDS];
  uint32_t users;
};

struct dram {
  dram_config config;
  dram_rules *rules;
  array_bank banks[DRAM_BANKS];
  int64_t last[CMDS];
  int64_t acts[FAW];
  uint32_t next_act;
  access reads[RING], writes[RING];  // by cycle of their data, `ring` of them
  uint64_t ring;                     // a power of two
  uint32_t pending, behind;          // behind: banks with a missed_at, a bit each
  uint64_t cycle, commands[DRAM_BANKS][DRAM_CMDS], violations;
  void *reserved;
  dram_accessed *tell;
  void *told;
};

const char *const dram_cmd_names[DRAM_CMDS] = {"none", "ACT", "PRE", "SASEL",
                                               "RD",   "WR",  "REF", "PREA"};

static const char *const rule_names[DRAM_RULES] = {
#define DRAM_DELAY(id, name, from, to, scope, ps) [DRAM_RULE_##id] = name,
#define DRAM_STATE(id, name) [DRAM_RULE_##id] = name,
#include "dram_rules.def"
#undef DRAM_DELAY
#undef DRAM_STATE
};

const dram_timing dram_timing_default = {
#define DRAM_FIELD(name, value) .name = value,
    DRAM_TIMING(DRAM_FIELD, DRAM_FIELD)
#undef DRAM_FIELD
};

const dram_geometry dram_geometry_default = {
    .banks = DRAM_BANKS, .rows = DRAM_ROWS, .cols = DRAM_COLS, .subarrays = DRAM_SUBARRAYS};

dram_config dram_config_default(void) {
  return (dram_config){
      .geometry = dram_geometry_default, .timing = dram_timing_default, .name = "dram", .rows = 4};
}

const char *dram_rule_name(dram_rule rule) {
  return rule_names[rule];
}

static void tabulate(dram_rules *r, const dram_timing *t) {
#define M(cmd) (1u << DRAM_##cmd)
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CK(cycles) ((cycles)*t->tCK)
  const struct {
    delay delay;
    uint32_t to;
  } rules[] = {
#define DRAM_DELAY(id, name, from, to, scope, ps) \
  {{ps, DRAM_RULE_##id, DRAM_##from, SCOPE_##scope}, to},
#define DRAM_STATE(id, name)
#include "dram_rules.def"
#undef DRAM_DELAY
#undef DRAM_STATE
  };
#undef M
#undef MAX
#undef CK
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    for (uint32_t cmd = 0; cmd < DRAM_CMDS; cmd++)
      if (rules[i].to >> cmd & 1)
        r->delays[cmd][r->n_delays[cmd]++] = rules[i].delay;
}

static void tabulate_enough(dram_rules *r, uint32_t rows) {
  for (uint32_t cmd = 0; cmd < DRAM_CMDS; cmd++)
    for (uint32_t i = 0; i < r->n_delays[cmd]; i++) {
      const delay *rule = &r->delays[cmd][i];
      int64_t *ps = rule->scope == SCOPE_SUB   ? &r->sub_ps[cmd][rule->from]
                    : rule->scope == SCOPE_ALL ? &r->all_ps[cmd][rule->from]
                                               : &r->bank_ps[cmd][rule->from];
      if (*ps < rule->ps && (rule->scope != SCOPE_ONE || rows == 1))
        *ps = rule->ps;
    }
}

// Those of `like` when they are the same, else new ones; NULL: no memory.
static dram_rules *rules_of(const dram_config *c) {
  const dram *like = c->like;
  if (like && like->config.rows == c->rows &&
      !memcmp(&like->config.timing, &c->timing, sizeof c->timing)) {
    like->rules->users++;
    return like->rules;
  }
  dram_rules *r = calloc(1, sizeof *r);
  if (!r)
    return NULL;
  r->users = 1;
  tabulate(r, &c->timing);
  tabulate_enough(r, c->rows);
  return r;
}

static void rules_leave(dram_rules *r) {
  if (!--r->users)
    free(r);
}

static size_t bank_bytes(const dram_config *c) {
  return (size_t)c->geometry.rows * c->geometry.cols * DRAM_BYTES;
}

static bool power_up_to(uint32_t n, uint32_t most) {
  return n && n <= most && !(n & (n - 1));
}

void dram_power_up(dram *d) {
  const dram_geometry *g = &d->config.geometry;
  for (uint32_t cmd = 0; cmd < CMDS; cmd++)
    d->last[cmd] = LONG_AGO;
  for (uint32_t i = 0; i < FAW; i++)
    d->acts[i] = LONG_AGO;
  d->next_act = d->pending = d->behind = 0;
  for (uint32_t b = 0; b < g->banks; b++) {
    array_bank *bank = &d->banks[b];
    const dram_rows met = bank->met;
    *bank = (array_bank){.met = met, .selected = NEVER, .missed_at = NEVER};
    for (uint32_t cmd = 0; cmd < DRAM_CMDS; cmd++)
      bank->recent[cmd] = (recent){LONG_AGO, g->subarrays};
    for (uint32_t cmd = 0; cmd < CMDS; cmd++) {
      bank->last[cmd] = LONG_AGO;
      for (uint32_t s = 0; s < g->subarrays; s++)
        bank->at[s][cmd] = LONG_AGO;
    }
  }
}

dram *dram_create(const dram_config *config) {
  const dram_timing *t = &config->timing;
  const dram_geometry *g = &config->geometry;
  assert(power_up_to(g->banks, DRAM_BANKS) && power_up_to(g->rows, DRAM_MOST_ROWS));
  assert(power_up_to(g->cols, DRAM_COLS) && power_up_to(g->subarrays, DRAM_SUBARRAYS));
  assert(g->subarrays <= g->rows);
  assert(t->tCK > 0 && t->CL >= 0 && t->CWL >= 0 && t->burst > 0);
  assert(t->CL + t->burst <= RING && t->CWL < RING);
  dram *d = aligned_alloc(_Alignof(dram), sizeof *d);
  if (d)
    memset(d, 0, sizeof *d);
  if (!d || !(d->rules = rules_of(config))) {
    free(d);
    return NULL;
  }
  d->config = *config;
  dram_config *c = &d->config;
  if (!c->base) {
    d->reserved = mmap(NULL, c->geometry.banks * bank_bytes(c), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (d->reserved == MAP_FAILED) {
      rules_leave(d->rules);
      free(d);
      return NULL;
    }
    c->base = d->reserved;
    c->bank_stride = bank_bytes(c);
    c->row = dram_even((uint64_t)c->geometry.cols * DRAM_BYTES);
    c->col = dram_even(DRAM_BYTES);
  }
  c->like = NULL;
  d->ring = 1;
  while (d->ring < (uint64_t)(t->CL + t->burst) || d->ring < (uint64_t)t->CWL + 1)
    d->ring *= 2;
  dram_power_up(d);
  return d;
}

void dram_destroy(dram *d) {
  if (!d)
    return;
  if (d->reserved)
    munmap(d->reserved, d->config.geometry.banks * bank_bytes(&d->config));
  rules_leave(d->rules);
  free(d);
}

const dram_geometry *dram_geometry_of(const dram *d) {
  return &d->config.geometry;
}

bool dram_busy(const dram *d) {
  return d->pending != 0;
}

uint64_t dram_bank_commands(const dram *d, uint32_t bank, dram_cmd cmd) {
  return d->commands[bank][cmd];
}

uint32_t dram_open_rows(const dram *d, uint32_t bank, uint32_t rows[4], uint32_t *selected) {
  const array_bank *b = &d->banks[bank];
  uint32_t n = 0;
  *selected = 0;
  for (uint32_t m = b->open; m && n < 4; m &= m - 1) {
    const int32_t subarray = __builtin_ctz(m);
    rows[n++] = b->sub[subarray].row;
    if (subarray == b->selected)
      *selected = n;
  }
  return n;
}

uint64_t dram_commands(const dram *d, dram_cmd cmd) {
  uint64_t n = 0;
  for (uint32_t b = 0; b < d->config.geometry.banks; b++)
    n += d->commands[b][cmd];
  return n;
}

const dram_rows *dram_bank_rows(const dram *d, uint32_t bank) {
  return &d->banks[bank].met;
}

uint64_t dram_violations(const dram *d) {
  return d->violations;
}

static uint64_t offset(const dram_stride *s, uint32_t index) {
  return (index & ((1u << s->bits) - 1)) * s->low + (index >> s->bits) * s->high;
}

uint8_t *dram_access(dram *d, uint32_t bank, uint32_t row, uint32_t col) {
  const dram_config *c = &d->config;
  uint8_t *at = c->base + bank * c->bank_stride + offset(&c->row, row) + offset(&c->col, col);
  if (!c->moved)
    return at;
  const uint64_t behind = (uint64_t)(at - c->origin);
  return at - behind + c->moved(c->places, behind);
}

static int64_t picoseconds(const dram *d, uint64_t cycle) {
  return (int64_t)cycle * d->config.timing.tCK;
}

typedef struct place {
  dram_cmd cmd;
  uint32_t bank, subarray;
} place;

// `why` says more than the name of the rule.
RARE static void report(dram *d, dram_rule rule, place at, int64_t by_ps, const char *why) {
  d->violations++;
  char text[256];
  int n =
      snprintf(text, sizeof text, "%s: cycle %" PRIu64 ": %s bank %u subarray %u breaks %s",
               d->config.name, d->cycle, at.cmd < DRAM_CMDS ? dram_cmd_names[at.cmd] : "command",
               at.bank, at.subarray, rule_names[rule]);
  if (by_ps)
    n += snprintf(text + n, sizeof text - (size_t)n, " by %" PRId64 ".%03" PRId64 " ns",
                  by_ps / 1000, by_ps % 1000);
  snprintf(text + n, sizeof text - (size_t)n, "%s%s", *why ? ": " : "", why);
  const dram_violation v = {.rule = rule,
                            .name = rule_names[rule],
                            .cmd = at.cmd,
                            .bank = at.bank,
                            .subarray = at.subarray,
                            .cycle = d->cycle,
                            .by_ps = by_ps,
                            .text = text};
  if (d->config.report)
    d->config.report(d->config.ctx, &v);
  else
    fprintf(stderr, "%s\n", text);
}

static int64_t last_of(const dram *d, const delay *rule, place at) {
  const array_bank *bank = &d->banks[at.bank];
  const recent *recent = &bank->recent[rule->from];
  const int64_t last = bank->last[rule->from];
  switch (rule->scope) {
    case SCOPE_SUB:
      return bank->at[at.subarray][rule->from];
    case SCOPE_SIBLING:
      return recent->subarray != at.subarray ? last : recent->other_at;
    case SCOPE_BANK:
      return last;
    case SCOPE_ONE:  // where it is the subarray's own, that rule speaks
      return d->config.rows == 1 && recent->subarray != at.subarray ? last : LONG_AGO;
    default:
      return d->last[rule->from];
  }
}

// Is it certain that no delay is too short? Without a branch a rule.
static bool enough(const dram *d, place at, int64_t now) {
  const array_bank *bank = &d->banks[at.bank];
  const dram_rules *r = d->rules;
  int64_t left = 0;
  for (uint32_t from = 0; from < CMDS; from++)
    left |= (now - bank->at[at.subarray][from] - r->sub_ps[at.cmd][from]) |
            (now - bank->last[from] - r->bank_ps[at.cmd][from]) |
            (now - d->last[from] - r->all_ps[at.cmd][from]);
  return left >= 0;
}

RARE static void report_delay(dram *d, const delay *rule, place at, int64_t now, int64_t since) {
  char why[96];
  snprintf(why, sizeof why, "%s was in cycle %" PRId64 ", %" PRId64 ".%03" PRId64 " ns must pass",
           dram_cmd_names[rule->from], since / d->config.timing.tCK, rule->ps / 1000,
           rule->ps % 1000);
  report(d, rule->rule, at, rule->ps - (now - since), why);
}

RARE static void report_window(dram *d, place at, int64_t short_by, int64_t fourth) {
  char why[64];
  snprintf(why, sizeof why, "the fourth before was in cycle %" PRId64,
           fourth / d->config.timing.tCK);
  report(d, DRAM_RULE_FAW, at, short_by, why);
}

// Rule by rule.
__attribute__((noinline)) static void check_each(dram *d, place at, int64_t now) {
  const uint32_t n = d->rules->n_delays[at.cmd];
  for (uint32_t i = 0; i < n; i++) {
    const delay *rule = &d->rules->delays[at.cmd][i];
    const int64_t since = last_of(d, rule, at);
    if (now - since < rule->ps)
      report_delay(d, rule, at, now, since);
  }
}

static inline void check_delays(dram *d, place at, int64_t now) {
  if (!enough(d, at, now))
    check_each(d, at, now);
  const int64_t window = d->config.timing.tFAW;
  const int64_t fourth = d->acts[d->next_act];
  if (at.cmd == DRAM_ACT && now - fourth < window)
    report_window(d, at, window - (now - fourth), fourth);
}

// What must be so of the state, and what not.
enum { OPEN = 1, SELECTED = 2, FULL = 4, ANY = 8 };
static const struct {
  uint8_t of, is;
} legal[DRAM_CMDS] = {
    [DRAM_ACT] = {OPEN | FULL, 0},
    [DRAM_PRE] = {OPEN, OPEN},
    [DRAM_SASEL] = {OPEN | SELECTED, OPEN},
    [DRAM_RD] = {OPEN | SELECTED, OPEN | SELECTED},
    [DRAM_WR] = {OPEN | SELECTED, OPEN | SELECTED},
    [DRAM_REF] = {ANY, 0},
};

static void check_state(dram *d, place at) {
  const array_bank *bank = &d->banks[at.bank];
  const bool open = bank->open >> at.subarray & 1;
  const bool selected = bank->selected == (int32_t)at.subarray;
  const uint32_t state = open * OPEN | selected * SELECTED |
                         (bank->n_open >= d->config.rows) * FULL | (bank->open != 0) * ANY;
  if ((state & legal[at.cmd].of) == legal[at.cmd].is)
    return;
  char why[64] = "";
  switch (at.cmd) {
    case DRAM_ACT:
      if (open) {
        snprintf(why, sizeof why, "row %u is open", bank->sub[at.subarray].row);
        report(d, DRAM_RULE_OPEN, at, 0, why);
      } else {
        snprintf(why, sizeof why, "%u are open", bank->n_open);
        report(d, DRAM_RULE_LIMIT, at, 0, why);
      }
      break;
    case DRAM_PRE:
      report(d, DRAM_RULE_CLOSED, at, 0, "");
      break;
    case DRAM_SASEL:
      report(d, open ? DRAM_RULE_RESELECT : DRAM_RULE_CLOSED, at, 0, "");
      break;
    case DRAM_RD:
    case DRAM_WR:
      if (!open) {
        report(d, DRAM_RULE_CLOSED, at, 0, "");
      } else {
        if (bank->selected == NEVER)
          snprintf(why, sizeof why, "none is");
        else
          snprintf(why, sizeof why, "%d is", bank->selected);
        report(d, DRAM_RULE_SELECTED, at, 0, why);
      }
      break;
    default:
      snprintf(why, sizeof why, "subarrays %08x are open", bank->open);
      report(d, DRAM_RULE_REF_OPEN, at, 0, why);
      break;
  }
}

// ---- refresh

// Refreshes of a bank that became due before `now`: one that is due just now may still come in
// time.
static int64_t due_before(const dram *d, const array_bank *bank, int64_t now) {
  const int64_t interval = d->config.timing.tREFI;
  if (d->config.refresh == DRAM_REF_CLOCK)
    return (now - 1) / interval;  // 0 at the start, too
  return bank->due;
}

static void check_late(dram *d, int64_t now) {
  if (d->config.refresh == DRAM_REF_OFF || (d->config.refresh == DRAM_REF_DUE && !d->behind))
    return;
  for (uint32_t b = 0; b < d->config.geometry.banks; b++) {
    array_bank *bank = &d->banks[b];
    const int64_t over = due_before(d, bank, now) - bank->refreshed - DRAM_POSTPONED;
    if (over <= 0)
      continue;
    const int64_t since = d->config.refresh == DRAM_REF_CLOCK
                              ? (bank->refreshed + DRAM_POSTPONED + 1) * d->config.timing.tREFI
                              : bank->missed_at;
    if (now <= since)
      continue;
    char why[64];
    snprintf(why, sizeof why, "%" PRId64 " are outstanding", over + DRAM_POSTPONED);
    report(d, DRAM_RULE_LATE, (place){DRAM_REF, b, 0}, now - since, why);
    bank->refreshed += over;  // told once
    bank->missed_at = NEVER;
    d->behind &= ~(1u << b);
  }
}

void dram_check(dram *d, uint64_t cycle) {
  assert(cycle >= d->cycle);
  d->cycle = cycle;
  check_late(d, picoseconds(d, cycle));
}

void dram_due(dram *d, uint64_t cycle, uint32_t banks) {
  assert(d->config.refresh == DRAM_REF_DUE);
  dram_check(d, cycle);
  for (uint32_t b = 0; b < d->config.geometry.banks; b++) {
    if (!(banks >> b & 1))
      continue;
    array_bank *bank = &d->banks[b];
    ++bank->due;
    if (bank->due - bank->refreshed > DRAM_POSTPONED && bank->missed_at == NEVER) {
      bank->missed_at = picoseconds(d, cycle);
      d->behind |= 1u << b;
    }
  }
}

static void refresh(dram *d, uint32_t b, int64_t now) {
  array_bank *bank = &d->banks[b];
  // No more than the permitted number may be done ahead.
  const int64_t ahead = due_before(d, bank, now + 1) + DRAM_POSTPONED;
  if (bank->refreshed < ahead)
    bank->refreshed++;
  if (bank->due - bank->refreshed <= DRAM_POSTPONED) {
    bank->missed_at = NEVER;
    d->behind &= ~(1u << b);
  }
}

// ---- commands

static void stamp(dram *d, place at, int64_t now) {
  array_bank *bank = &d->banks[at.bank];
  recent *recent = &bank->recent[at.cmd];
  if (recent->subarray != at.subarray) {
    recent->other_at = bank->last[at.cmd];
    recent->subarray = at.subarray;
  }
  bank->last[at.cmd] = now;
  bank->at[at.subarray][at.cmd] = now;
  d->last[at.cmd] = now;
  if (at.cmd == DRAM_ACT) {
    d->acts[d->next_act] = now;
    d->next_act = (d->next_act + 1) % FAW;
  }
}

static void transfer(dram *d, access *ring, int64_t latency, uint8_t *bytes) {
  const uint64_t cycle = d->cycle + (uint64_t)latency;
  access *slot = &ring[cycle & (d->ring - 1)];
  d->pending += !slot->bytes;
  *slot = (access){cycle, bytes};
  __builtin_prefetch(bytes);
}

// Subarrays that were accessed since this one was.
static uint32_t accessed_since(const array_bank *bank, uint32_t subarray) {
  uint32_t n = 0;
  for (uint32_t left = bank->used; left; left &= left - 1)
    n += bank->sub[__builtin_ctz(left)].used_at > bank->sub[subarray].used_at;
  return n;
}

// Returns what it met, as dram_accessed has it.
static uint32_t count_access(array_bank *bank, uint32_t subarray) {
  const uint32_t bit = 1u << subarray;
  dram_rows *rows = &bank->met;
  uint32_t met;
  if (bank->in_place & bit) {
    rows->conflicts++, met = DRAM_CONFLICT;
  } else if (bank->fresh & bit || !(bank->used & bit)) {
    rows->misses++, met = DRAM_MISSED;
  } else {
    const uint32_t n = accessed_since(bank, subarray);
    rows->hits[met = n < 3 ? n : 3]++;
  }
  bank->fresh &= ~bit, bank->in_place &= ~bit;
  bank->used |= bit;
  bank->sub[subarray].used_at = ++bank->accesses;
  return met;
}

// A RD or WR of an open row.
static void access_row(dram *d, const place *at, uint32_t col, uint32_t met) {
  const dram_timing *t = &d->config.timing;
  const bool write = at->cmd == DRAM_WR;
  uint8_t *bytes = dram_access(d, at->bank, d->banks[at->bank].sub[at->subarray].row, col);
  transfer(d, write ? d->writes : d->reads, write ? t->CWL : t->CL + t->burst - 1, bytes);
  if (d->tell)
    d->tell(d->told, bytes, write, met);
}

static void close_row(array_bank *bank, uint32_t subarray) {
  const uint32_t bit = 1u << subarray;
  bank->n_open -= bank->open >> subarray & 1;
  bank->open &= ~bit;
  if (bank->selected == (int32_t)subarray)
    bank->selected = NEVER;
  bank->closings++;
  bank->fresh &= ~bit, bank->in_place &= ~bit, bank->used &= ~bit;
}

// Each open subarray as by a PRE of its own, all in one cycle.
static void close_all(dram *d, uint32_t b, int64_t now) {
  for (uint32_t left = d->banks[b].open; left; left &= left - 1) {
    const place at = {DRAM_PRE, b, (uint32_t)__builtin_ctz(left)};
    check_delays(d, at, now);
    stamp(d, at, now);
    close_row(&d->banks[b], at.subarray);
  }
}

static void command(dram *d, const dram_pins *pins) {
  const int64_t now = picoseconds(d, d->cycle);
  const dram_geometry *g = &d->config.geometry;
  const place at = {(dram_cmd)pins->cmd, pins->bank, pins->row & (g->subarrays - 1)};
  if (pins->cmd >= DRAM_CMDS || pins->bank >= g->banks || pins->row >= g->rows ||
      pins->col >= g->cols) {
    report(d, DRAM_RULE_CODE, at, 0, "");
    return;
  }
  d->commands[at.bank][at.cmd]++;
  check_state(d, at);
  check_delays(d, at, now);
  check_late(d, now);
  stamp(d, at, now);
  array_bank *bank = &d->banks[at.bank];
  const uint32_t bit = 1u << at.subarray;
  const bool open = bank->open & bit;
  uint32_t met;
  switch (at.cmd) {
    case DRAM_ACT:
      bank->open |= bit, bank->n_open += !open;
      bank->sub[at.subarray].row = pins->row;
      bank->selected = (int32_t)at.subarray;
      bank->fresh |= bit;
      if (bank->closings)
        bank->closings--, bank->in_place |= bit;
      break;
    case DRAM_PRE:
      close_row(bank, at.subarray);
      break;
    case DRAM_PREA:
      close_all(d, at.bank, now);
      break;
    case DRAM_SASEL:
      if (open)
        bank->selected = (int32_t)at.subarray;
      break;
    case DRAM_RD:
    case DRAM_WR:
      met = count_access(bank, at.subarray);
      if (open)
        access_row(d, &at, pins->col, met);
      break;
    default:
      bank->closings = 0;
      refresh(d, at.bank, now);
      break;
  }
}

static void make_noise(uint64_t cycle, uint32_t *words) {
  uint64_t x = cycle * 0x9e3779b97f4a7c15u + 1;
  for (uint32_t i = 0; i < DRAM_WORDS; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    words[i] = (uint32_t)(x >> 16);
  }
}

static uint8_t *take(dram *d, access *ring) {
  access *slot = &ring[d->cycle & (d->ring - 1)];
  uint8_t *bytes = slot->bytes;
  if (bytes) {
    assert(slot->cycle == d->cycle);  // a cycle with data due was left out
    slot->bytes = NULL;
    d->pending--;
  }
  return bytes;
}

static void store(uint8_t *to, const uint32_t *words, uint32_t mask) {
  if (mask == UINT32_MAX) {
    memcpy(to, words, DRAM_BYTES);
    return;
  }
  uint8_t from[DRAM_BYTES];
  memcpy(from, words, sizeof from);
  for (; mask; mask &= mask - 1) {
    const int i = __builtin_ctz(mask);
    to[i] = from[i];
  }
}

// Looks first: a page has bytes of several arrays, whose threads would take its mark from each
// other.
static void mark(const dram_config *c, const uint8_t *at) {
  uint8_t *page = &c->written[(size_t)(at - c->origin) / DRAM_PAGE];
  if (!__atomic_load_n(page, __ATOMIC_RELAXED))
    __atomic_store_n(page, 1, __ATOMIC_RELAXED);
}

bool dram_step(dram *d, uint64_t cycle, const dram_pins *pins, uint32_t *rdata) {
  if (pins->cmd != DRAM_NONE || d->pending) {
    assert(cycle >= d->cycle);
    d->cycle = cycle;
    if (pins->cmd != DRAM_NONE)
      command(d, pins);
    if (d->pending) {
      uint8_t *to = take(d, d->writes);
      if (to) {
        store(to, pins->wdata, pins->wmask);
        if (d->config.written)
          mark(&d->config, to);
      }
      const uint8_t *from = take(d, d->reads);
      if (from) {
        memcpy(rdata, from, DRAM_BYTES);
        return d->pending;
      }
    }
  }
  if (d->config.noise)
    make_noise(cycle, rdata);
  return d->pending;
}

void dram_fetch(prefetch *a, const dram *d) {
  prefetch_add(a, d, 1);
  prefetch_add(a, &d->config.base, 1);
  prefetch_add(a, d->last, (size_t)((const char *)&d->reads - (const char *)d->last));
  prefetch_add(a, d->reads, d->ring * sizeof *d->reads);
  prefetch_add(a, d->writes, d->ring * sizeof *d->writes);
  prefetch_add(a, &d->ring, (size_t)((const char *)(d + 1) - (const char *)&d->ring));
  for (uint32_t b = 0; b < d->config.geometry.banks; b++)
    prefetch_add(a, &d->banks[b], offsetof(array_bank, sub));
}

void dram_fetch_open(prefetch *a, const dram *d) {
  for (uint32_t b = 0; b < d->config.geometry.banks; b++) {
    const array_bank *bank = &d->banks[b];
    for (uint32_t left = bank->open; left; left &= left - 1) {
      const uint32_t sub = (uint32_t)__builtin_ctz(left);
      prefetch_add(a, &bank->sub[sub], sizeof bank->sub[sub]);
      prefetch_add(a, bank->at[sub], sizeof bank->at[sub]);
    }
  }
}

// ---- looking on

void dram_watch(dram *d, dram_accessed *tell, void *ctx) {
  d->tell = tell, d->told = ctx;
}

dram_cmd dram_last(const dram *d, uint32_t bank, uint64_t *cycle) {
  const array_bank *b = &d->banks[bank];
  dram_cmd last = DRAM_NONE;
  int64_t at = LONG_AGO;
  for (uint32_t cmd = DRAM_ACT; cmd < DRAM_CMDS; cmd++)
    if (b->last[cmd] > at)
      at = b->last[cmd], last = (dram_cmd)cmd;
  *cycle = last ? (uint64_t)(at / d->config.timing.tCK) : 0;
  return last;
}

uint64_t dram_earliest(const dram *d, uint32_t bank, uint32_t subarray, dram_cmd cmd) {
  const place at = {cmd, bank, subarray};
  const dram_timing *t = &d->config.timing;
  int64_t from = cmd == DRAM_ACT ? d->acts[d->next_act] + t->tFAW : 0;
  for (uint32_t i = 0; i < d->rules->n_delays[cmd]; i++) {
    const delay *rule = &d->rules->delays[cmd][i];
    const int64_t since = last_of(d, rule, at) + rule->ps;
    from = since > from ? since : from;
  }
  return from > 0 ? (uint64_t)((from + t->tCK - 1) / t->tCK) : 0;
}

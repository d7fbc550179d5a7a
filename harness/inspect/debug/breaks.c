// SPDX-License-Identifier: Apache-2.0
// Breakpoints: what the user says, where that is in a kernel, and whether an event is one. Events
// are looked at on the thread that steps the core.
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "debug_priv.h"

// ---- lines

static bool is_file(const char *path, const char *file) {
  const size_t n = strlen(file), m = strlen(path);
  return m >= n && strcmp(path + m - n, file) == 0 && (m == n || path[m - n - 1] == '/');
}

static bool same_line(const module_line *a, const module_line *b) {
  return a && b && a->cuda_line == b->cuda_line && strcmp(a->cuda_file, b->cuda_file) == 0;
}

// Instructions of a line that are not behind another one of it.
static bool begins(const breakpoint *b, const module_kernel *k, uint32_t pc) {
  const module_line *line = module_line_at(k, pc);
  return line && line->cuda_line == b->line && is_file(line->cuda_file, b->file) &&
         !(pc && same_line(line, module_line_at(k, pc - ISA_BYTES)));
}

// Does any kernel have code of the line? Else the next line that has some, 0: none.
static bool has_code(const debug *d, const breakpoint *b, uint32_t *next) {
  const machine *m = d->config.m;
  *next = 0;
  const module *mod;
  for (unsigned n = 0; (mod = machine_module(m, n)); n++)
    for (uint32_t k = 0; k < mod->kernel_count; k++) {
      const module_kernel *kernel = &mod->kernels[k];
      for (uint32_t e = 0; e < kernel->line_count; e++) {
        const module_line *line = &kernel->lines[e];
        if (!is_file(line->cuda_file, b->file) || line->cuda_line < b->line)
          continue;
        if (!*next || line->cuda_line < *next)
          *next = line->cuda_line;
      }
    }
  return *next == b->line;
}

static bool is_placed(const breakpoint *b) {
  return b->used && b->kind == BREAK_ISSUE && (b->line || b->kernel[0]);
}

static void locate(breakpoint *b, const module_kernel *k) {
  free(b->at);
  b->at = calloc(k->inst_count + 1, 1);
  if (!b->at)
    abort();
  if (b->kernel[0] && strcmp(b->kernel, k->name) == 0)
    b->at[b->pc / ISA_BYTES] = 1;
  for (uint32_t n = 0; b->line && n < k->inst_count; n++)
    b->at[n] = begins(b, k, n * ISA_BYTES);
}

void breaks_locate(debug *d) {
  for (uint32_t n = 1; n < BREAKS; n++)
    if (is_placed(&d->breaks[n]))
      locate(&d->breaks[n], d->l->kernel);
}

bool break_at(const debug *d, uint32_t pc) {
  bool is = false;
  for (uint32_t n = 1; n < BREAKS; n++)
    is |= is_placed(&d->breaks[n]) && d->breaks[n].at[pc / ISA_BYTES];
  return is;
}

// ---- what the user says

void break_clear(breakpoint *b, break_kind kind) {
  free(b->at);
  *b = (breakpoint){.used = true,
                    .kind = kind,
                    .core = BREAK_ANY,
                    .nbu = BREAK_ANY,
                    .bank = BREAK_ANY,
                    .row = BREAK_ANY};
}

static bool number_below(debug *d, const char *what, const char *word, uint32_t below,
                         uint32_t *to) {
  uint64_t n;
  if (!word || !word_number(word, &n) || n >= below)
    return debug_wrong(d, "%s is a number from 0 to %u, not '%s'", what, below - 1,
                       word ? word : "");
  *to = (uint32_t)n;
  return true;
}

static const dram_geometry *geometry(const core *c) {
  return dram_geometry_of(near_arrays(core_near(c), 0));
}

// The words from `at` on.
static bool conditions(debug *d, breakpoint *b, const words *w, uint32_t at) {
  static const char *const names[] = {"core", "warp", "nbu", "bank", "row", NULL};
  const bool block = b->kind == BREAK_START || b->kind == BREAK_BLOCK;
  const bool one = b->kind == BREAK_CYCLE || b->kind == BREAK_FAULT;
  while (at < w->n) {
    const char *value = at + 1 < w->n ? w->word[at + 1] : NULL;
    const int which = word_choice(w->word[at], names);
    const bool fits = which == 0   ? !one
                      : which == 1 ? !one && !block && b->kind != BREAK_BANK
                      : which == 2 ? b->kind == BREAK_BANK || b->kind == BREAK_PACKET
                                   : b->kind == BREAK_BANK;
    if (which < 0 || !fits)
      return debug_wrong(d, "'%s' is not a valid condition for this breakpoint; see help break",
                         w->word[at]);
    bool ok = true;
    if (which == 0)
      ok = number_below(d, "a core", value, d->cores, &b->core);
    else if (which == 1)
      ok = word_warp(d, w, at + 1, &b->warp), b->of_warp = true, at++;
    else if (which == 2)
      ok = number_below(d, "an NBU", value, NEAR_NBUS, &b->nbu);
    else if (which == 3)
      ok = number_below(d, "a bank", value, geometry(debug_core(d))->banks, &b->bank);
    else
      ok = number_below(d, "a row", value, geometry(debug_core(d))->rows, &b->row);
    if (!ok)
      return false;
    at += 2;
  }
  return true;
}

// Of names up to NULL or `end`; -1: none of them.
static int any_case(const char *word, const char *const names[], int end) {
  for (int n = 0; word && n < end && names[n]; n++)
    if (strcasecmp(word, names[n]) == 0)
      return n;
  return -1;
}

static bool parse_event(debug *d, breakpoint *b, const words *w) {
  static const char *const names[] = {"start", "block", "barrier", "retire",
                                      "fault", "bank",  "packet",  NULL};
  static const break_kind kinds[] = {BREAK_START, BREAK_BLOCK, BREAK_BARRIER, BREAK_RETIRE,
                                     BREAK_FAULT, BREAK_BANK,  BREAK_PACKET};
  const int which = w->n > 2 ? word_choice(w->word[2], names) : -1;
  if (which < 0)
    return debug_wrong(d,
                       "events are start, block, barrier, retire, fault, bank and packet, not "
                       "'%s'",
                       w->n > 2 ? w->word[2] : "");
  break_clear(b, kinds[which]);
  if (b->kind != BREAK_BANK && b->kind != BREAK_PACKET)
    return conditions(d, b, w, 3);
  const char *name = w->n > 3 ? w->word[3] : NULL;
  const bool bank = b->kind == BREAK_BANK;
  int n = bank ? any_case(name, dram_cmd_names, DRAM_CMDS) : any_case(name, show_down, INT_MAX);
  if (!bank && n < 0)
    n = any_case(name, show_up, INT_MAX), b->up = true;
  if (n < bank)  // the first command is none
    return debug_wrong(d,
                       bank ? "commands of banks are act, pre, sasel, rd, wr and ref, not '%s'"
                            : "packets have the names of docs/tsv.md (exec, line, done), not '%s'",
                       name ? name : "");
  b->cmd = (dram_cmd)n, b->packet = (uint8_t)n;
  return conditions(d, b, w, 4);
}

static bool parse_cycle(debug *d, breakpoint *b, const words *w) {
  break_clear(b, BREAK_CYCLE);
  if (w->n < 3 || !word_number(w->word[2], &b->cycle))
    return debug_wrong(d, "which cycle? see help break");
  if (b->cycle <= debug_now(d))
    return debug_wrong(d, "cycle %" PRIu64 " is over; the next one is cycle %" PRIu64, b->cycle,
                       debug_now(d));
  return conditions(d, b, w, 3);
}

static bool parse_pc(debug *d, breakpoint *b, const words *w) {
  uint64_t pc;
  const module_kernel *k = d->l->kernel;
  if (!word_number(w->word[1] + 1, &pc) || pc % ISA_BYTES || pc / ISA_BYTES >= k->inst_count)
    return debug_wrong(d, "'%s' is not a valid pc of %s: pcs are multiples of %d up to 0x%x",
                       w->word[1] + 1, k->name, ISA_BYTES, (k->inst_count - 1) * ISA_BYTES);
  break_clear(b, BREAK_ISSUE);
  b->pc = (uint32_t)pc;
  snprintf(b->kernel, sizeof b->kernel, "%s", k->name);
  return conditions(d, b, w, 2);
}

static bool parse_line(debug *d, breakpoint *b, const words *w) {
  const char *colon = strrchr(w->word[1], ':'), *number = colon ? colon + 1 : w->word[1];
  uint64_t line;
  uint32_t next;
  break_clear(b, BREAK_ISSUE);
  if (colon)
    snprintf(b->file, sizeof b->file, "%.*s", (int)(colon - w->word[1]), w->word[1]);
  else
    snprintf(b->file, sizeof b->file, "%s", show_file(state_source(d)));
  if (!word_number(number, &line) || !line || line > INT32_MAX)
    return debug_wrong(
        d, "'%s' is not a valid place; allowed: LINE, FILE:LINE, *PC, cycle N or event NAME",
        w->word[1]);
  b->line = (uint32_t)line;
  if (!b->file[0])
    return debug_wrong(d, "%s has no line numbers; use break *PC", d->l->kernel->name);
  if (!has_code(d, b, &next))
    return next ? debug_wrong(d, "%s:%u has no code; the next line with code is %u", b->file,
                              b->line, next)
                : debug_wrong(d, "neither %s:%u nor a later line has code", b->file, b->line);
  return conditions(d, b, w, 2);
}

static void name(breakpoint *b, const words *w) {
  int n = 0;
  if (b->line)
    n = snprintf(b->text, LINE, "%s:%u", b->file, b->line);
  else if (b->kernel[0])
    n = snprintf(b->text, LINE, "*0x%x of %s", b->pc, b->kernel);
  for (uint32_t k = n ? 2 : 1; k < w->n && n < LINE; k++)
    n += snprintf(b->text + n, LINE - (size_t)n, "%s%s", n ? " " : "", w->word[k]);
}

bool break_new(debug *d, const words *w) {
  breakpoint b = {.used = false};
  uint32_t number = 1;
  bool ok;
  while (number < BREAKS && d->breaks[number].used)
    number++;
  if (w->n < 2)
    return debug_wrong(d, "where? see help break");
  if (number == BREAKS)
    return debug_wrong(d, "there are %d breakpoints already: delete some", BREAKS - 1);
  if (w->word[1][0] == '*')
    ok = parse_pc(d, &b, w);
  else if (word_is(w->word[1], "cycle"))
    ok = parse_cycle(d, &b, w);
  else if (word_is(w->word[1], "event"))
    ok = parse_event(d, &b, w);
  else
    ok = parse_line(d, &b, w);
  if (!ok)
    return false;
  name(&b, w);
  if (is_placed(&b))
    locate(&b, d->l->kernel);
  d->breaks[number] = b;
  fprintf(d->to, "breakpoint %u: %s\n", number, b.text);
  return true;
}

static void drop(breakpoint *b) {
  free(b->at);
  *b = (breakpoint){.used = false};
}

bool break_delete(debug *d, uint64_t number) {
  if (!number || number >= BREAKS || !d->breaks[number].used)
    return debug_wrong(d, "unknown breakpoint %" PRIu64, number);
  drop(&d->breaks[number]);
  return true;
}

void breaks_delete(debug *d) {
  for (uint32_t n = 0; n < BREAKS; n++)
    drop(&d->breaks[n]);
}

void breaks_list(const debug *d) {
  bool any = false;
  for (uint32_t n = 1; n < BREAKS; n++)
    if (d->breaks[n].used) {
      any = true;
      fprintf(d->to, "%-3u %s, hit %" PRIu64 " times\n", n, d->breaks[n].text, d->breaks[n].hits);
    }
  if (!any)
    fputs("there are no breakpoints\n", d->to);
}

// ---- while it runs

bool breaks_by_event(const debug *d) {
  bool any = false;
  for (uint32_t n = 0; n < BREAKS; n++)
    any |= d->breaks[n].used && d->breaks[n].kind != BREAK_CYCLE;
  return any;
}

uint64_t breaks_cycle(const debug *d, uint64_t now) {
  uint64_t next = UINT64_MAX;
  for (uint32_t n = 1; n < BREAKS; n++) {
    const breakpoint *b = &d->breaks[n];
    if (b->used && b->kind == BREAK_CYCLE && b->cycle > now && b->cycle < next)
      next = b->cycle;
  }
  return next;
}

static bool is_kind(const breakpoint *b, const core *c, const core_event *e) {
  switch (b->kind) {
    case BREAK_ISSUE:
      return e->kind == EVENT_ISSUE && (!b->at || b->at[e->pc / ISA_BYTES]);
    case BREAK_START:
      return e->kind == EVENT_BLOCK;
    case BREAK_BLOCK:
      return e->kind == EVENT_BLOCK_END;
    case BREAK_BARRIER:
      return e->kind == EVENT_UNIT &&
             core_launch(c)->code.insts[e->pc / ISA_BYTES].i.op == ISA_OP_BAR;
    case BREAK_RETIRE:
      return e->kind == EVENT_END;
    case BREAK_PACKET:
      return (b->up ? e->kind == EVENT_ANSWER && e->flits : e->kind == EVENT_SEND) &&
             e->packet == b->packet && (b->nbu == BREAK_ANY || b->nbu == e->nbu);
    default:
      return false;
  }
}

static bool is_here(const breakpoint *b, const core *c, const core_event *e) {
  return (b->core == BREAK_ANY || b->core == core_index(c)) &&
         (!b->of_warp ||
          (e->number != EVENT_NONE && e->block == b->warp.block && e->warp == b->warp.warp));
}

static void add(watch *w, uint32_t number, const core_event *e, uint32_t row) {
  if (w->n++ < HITS)
    w->first[w->n - 1] = (hit){number, *e, row};
  w->of[number]++;
}

// The command on the pins of an NBU: its row, BREAK_ANY: none. But for ACT the pins have the
// subarray.
static uint32_t row_of(const core *c, uint32_t nbu) {
  const nbu_out *p = near_pins(core_near(c), nbu);
  uint32_t rows[4], selected;
  const uint32_t subarrays = geometry(c)->subarrays;
  const uint32_t n = dram_open_rows(near_arrays(core_near(c), nbu), p->cmd_bank, rows, &selected);
  if (p->cmd == DRAM_ACT)
    return p->cmd_row;
  for (uint32_t k = 0; k < n; k++)
    if (rows[k] % subarrays == p->cmd_row % subarrays)
      return rows[k];
  return BREAK_ANY;
}

static void look_at_banks(watch *w, const core *c, uint32_t number) {
  const breakpoint *b = &w->d->breaks[number];
  for (uint32_t k = 0; k < NEAR_NBUS; k++) {
    const nbu_out *p = near_pins(core_near(c), k);
    if (p->cmd != b->cmd || (b->nbu != BREAK_ANY && b->nbu != k) ||
        (b->bank != BREAK_ANY && b->bank != p->cmd_bank))
      continue;
    const uint32_t row = row_of(c, k);
    const core_event e = {.cycle = core_cycle(c),
                          .number = EVENT_NONE,
                          .nbu = (uint8_t)k,
                          .tag = (uint8_t)p->cmd_bank,
                          .packet = (uint8_t)p->cmd};
    if ((b->row == BREAK_ANY || b->row == row) && is_here(b, c, &e))
      add(w, number, &e, row);
  }
}

void breaks_look(watch *w, const core *c, const core_event *events, uint32_t count) {
  for (uint32_t n = 0; n < BREAKS; n++) {
    const breakpoint *b = &w->d->breaks[n];
    if (!b->used)
      continue;
    if (b->kind == BREAK_BANK)
      look_at_banks(w, c, n);
    for (uint32_t k = 0; k < count; k++)
      if (is_kind(b, c, &events[k]) && is_here(b, c, &events[k]))
        add(w, n, &events[k], 0);
  }
}

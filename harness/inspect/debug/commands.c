// SPDX-License-Identifier: Apache-2.0
// What commands do.
#include <inttypes.h>
#include <string.h>
#include "debug_priv.h"

typedef enum command {
#define COMMAND(name, letter, arguments, text, more) DO_##name,
#include "commands.def"
  COMMANDS
} command;

static const struct {
  const char *name;
  char letter;
  const char *arguments, *text, *more;
} table[] = {
#define COMMAND(name, letter, arguments, text, more) {#name, letter, arguments, text, more},
#include "commands.def"
};

static command_result stay(bool ok) {
  return ok ? COMMAND_STAY : COMMAND_WRONG;
}

// The number in the words behind the command, `without` one.
static bool number(debug *d, const words *w, uint64_t without, uint64_t *n) {
  *n = without;
  if (w->n > 2)
    return debug_wrong(d, "%s takes one number", w->word[0]);
  if (w->n == 2 && (!word_number(w->word[1], n) || (!*n && without)))
    return debug_wrong(d, "%s takes a number%s, not '%s'", w->word[0], without ? " from 1" : "",
                       w->word[1]);
  return true;
}

// ---- going on

// The launch goes on; without `steps` it may have ended.
static command_result go(debug *d, bool steps) {
  if (steps && d->dead) {
    debug_wrong(d, "the launch has ended; continue resumes the program");
    return COMMAND_WRONG;
  }
  d->through = false;
  return COMMAND_GO;
}

static command_result until(debug *d, uint64_t cycle) {
  const command_result r = go(d, true);
  if (r == COMMAND_GO)
    d->target = cycle;
  return r;
}

static command_result do_step(debug *d, const words *w) {
  uint64_t n;
  return number(d, w, 1, &n) ? until(d, debug_now(d) + n) : COMMAND_WRONG;
}

static command_result do_until(debug *d, const words *w) {
  uint64_t n;
  if (!number(d, w, 0, &n))
    return COMMAND_WRONG;
  if (w->n == 2 && n > debug_now(d))
    return until(d, n);
  debug_wrong(d,
              w->n == 2 ? "cycle %" PRIu64 " is over; the next one is cycle %" PRIu64
                        : "until which cycle?",
              n, debug_now(d));
  return COMMAND_WRONG;
}

static command_result do_next(debug *d, const words *w) {
  uint64_t n;
  if (!number(d, w, 1, &n))
    return COMMAND_WRONG;
  const command_result r = go(d, true);
  if (r != COMMAND_GO)
    return r;
  breakpoint *b = &d->breaks[0];
  break_clear(b, BREAK_ISSUE);
  b->core = d->core;
  b->of_warp = d->has_warp, b->warp = d->warp;
  d->left = n;
  return COMMAND_GO;
}

static command_result do_block(debug *d, const words *w) {
  (void)w;
  const command_result r = go(d, true);
  if (r == COMMAND_GO)
    break_clear(&d->breaks[0], BREAK_BLOCK), d->left = 1;
  return r;
}

static command_result do_finish(debug *d, const words *w) {
  (void)w;
  if (!debug_warp(d))
    return COMMAND_WRONG;
  const command_result r = go(d, true);
  if (r != COMMAND_GO)
    return r;
  breakpoint *b = &d->breaks[0];
  break_clear(b, BREAK_ISSUE);
  b->core = d->core;
  b->of_warp = true, b->warp = d->warp;
  d->left = UINT64_MAX;
  return COMMAND_GO;
}

static command_result do_continue(debug *d, const words *w) {
  (void)w;
  return go(d, false);
}

static command_result do_run(debug *d, const words *w) {
  (void)w;
  go(d, false);
  d->through = true;
  return COMMAND_GO;
}

static command_result do_quit(debug *d, const words *w) {
  (void)w;
  d->quit = true;
  d->config.end(DEBUG_QUIT);
  return COMMAND_GO;
}

// ---- breakpoints

static command_result do_break(debug *d, const words *w) {
  return stay(break_new(d, w));
}

static command_result do_delete(debug *d, const words *w) {
  uint64_t n;
  if (!number(d, w, 0, &n))
    return COMMAND_WRONG;
  if (w->n == 2)
    return stay(break_delete(d, n));
  breaks_delete(d);
  return COMMAND_STAY;
}

static command_result do_info(debug *d, const words *w) {
  return stay(w->n > 2 ? debug_wrong(d, "info takes one word")
                       : state_info(d, w->n == 2 ? w->word[1] : NULL));
}

// ---- selection

static bool select_core(debug *d, const char *word) {
  uint64_t n;
  if (!word_number(word, &n) || n >= d->cores)
    return debug_wrong(d, "a core is a number from 0 to %u, not '%s'", d->cores - 1, word);
  if (d->core != n)
    d->has_warp = false;
  d->core = (uint32_t)n;
  return true;
}

// Words `at` and behind it.
static bool select_warp(debug *d, const words *w, uint32_t at) {
  show_warp name;
  if (!word_warp(d, w, at, &name))
    return false;
  for (uint32_t k = 0; k < d->cores; k++)
    if (show_has(sim_core(d->s, k), name)) {
      d->core = k;
      d->has_warp = true;
      d->warp = name;
      return true;
    }
  const block *b = d->l->all[name.block];
  return debug_wrong(d, "block %u warp %u %s", name.block, name.warp,
                     b ? "has ended" : "has not started");
}

static command_result do_warp(debug *d, const words *w) {
  return stay(select_warp(d, w, 1));
}

static command_result do_select(debug *d, const words *w) {
  static const char *const names[] = {"core", "warp", NULL};
  const int which = w->n > 2 ? word_choice(w->word[1], names) : -1;
  if (which < 0)
    return stay(debug_wrong(d, "select core N, or select warp BLOCK WARP"));
  return stay(which ? select_warp(d, w, 2) : select_core(d, w->word[2]));
}

// ---- looking

static command_result do_where(debug *d, const words *w) {
  const bool all = w->n > 1 && word_is(w->word[1], "all");
  uint32_t warps = 0;
  if (w->n > 1 && !all)
    return stay(debug_wrong(d, "where takes all or no argument"));
  for (uint32_t k = all ? 0 : d->core; k < (all ? d->cores : d->core + 1); k++) {
    const core *c = sim_core(d->s, k);
    const uint32_t n = show_live(c);
    if (n && d->cores > 1)
      fprintf(d->to, "core %u\n", k);
    show_warps(d->to, c, d->has_warp && k == d->core ? &d->warp : NULL);
    warps += n;
  }
  if (!warps)
    fputs("there are no warps\n", d->to);
  return COMMAND_STAY;
}

static bool print_register(debug *d, const words *w, uint64_t reg) {
  uint32_t lanes = UINT32_MAX;
  show_type t = SHOW_X32;
  if (reg >= d->l->code.regs)
    return debug_wrong(d, "the kernel has registers r0 to r%u", d->l->code.regs - 1);
  for (uint32_t k = 2; k < w->n; k++)
    if (!word_type(w->word[k], &t) && !word_lanes(w->word[k], &lanes))
      return debug_wrong(d, "'%s' is neither lanes (0-3,7) nor a type", w->word[k]);
  if (show_bytes(t) != 4)
    return debug_wrong(d, "a register has 32 bits: x32, u32, s32 or f32");
  if (!debug_warp(d))
    return false;
  show_register(d->to, debug_core(d), d->warp, (uint32_t)reg, lanes, t);
  return true;
}

static bool print_predicate(debug *d, uint64_t p) {
  if (p >= d->l->kernel->preds)
    return debug_wrong(d, "the kernel has %u predicates", d->l->kernel->preds);
  if (!debug_warp(d))
    return false;
  show_predicate(d->to, debug_core(d), d->warp, (uint32_t)p);
  return true;
}

static command_result do_print(debug *d, const words *w) {
  static const char *const names[] = {"memory",     "shared",     "stack",
                                      "scoreboard", "predicates", NULL};
  uint64_t n;
  if (w->n < 2)
    return stay(debug_wrong(d, "print what? see help print"));
  const char *what = w->word[1];
  if (what[0] == 'r' && word_number(what + 1, &n))
    return stay(print_register(d, w, n));
  if (what[0] == 'p' && word_number(what + 1, &n))
    return stay(print_predicate(d, n));
  const int which = word_choice(what, names);
  if (which == 0)
    return stay(state_memory(d, w, 2));
  if (which == 1)
    return stay(state_shared(d, w, 2));
  if (which < 0)
    return stay(debug_wrong(d, "'%s' cannot be printed; see help print", what));
  if (!debug_warp(d))
    return COMMAND_WRONG;
  void (*const show[])(FILE *, const core *, show_warp) = {show_stack, show_scoreboard,
                                                           show_predicates};
  show[which - 2](d->to, debug_core(d), d->warp);
  return COMMAND_STAY;
}

bool command_print(debug *d, const words *w) {
  return do_print(d, w) == COMMAND_STAY;
}

static command_result do_watch(debug *d, const words *w) {
  uint64_t n;
  if (w->n < 2)
    return stay(debug_wrong(d, "watch what? see help watch"));
  if (strcmp(w->word[1], "off") != 0)
    return stay(watch_new(d, w));
  if (w->n > 3 || (w->n == 3 && !word_number(w->word[2], &n)))
    return stay(debug_wrong(d, "watch off takes one number, or nothing"));
  if (w->n == 3)
    return stay(watch_delete(d, n));
  watches_delete(d);
  return COMMAND_STAY;
}

static command_result do_registers(debug *d, const words *w) {
  (void)w;
  if (!debug_warp(d))
    return COMMAND_WRONG;
  show_registers(d->to, debug_core(d), d->warp);
  return COMMAND_STAY;
}

static command_result do_queues(debug *d, const words *w) {
  (void)w;
  show_queues(d->to, debug_core(d), &d->watch[d->core].packets);
  return COMMAND_STAY;
}

static command_result do_banks(debug *d, const words *w) {
  uint64_t n;
  if (!number(d, w, 0, &n))
    return COMMAND_WRONG;
  if (n >= NEAR_NBUS)
    return stay(debug_wrong(d, "an NBU is a number from 0 to %d", NEAR_NBUS - 1));
  for (uint32_t k = w->n == 2 ? (uint32_t)n : 0; k < (w->n == 2 ? n + 1 : NEAR_NBUS); k++)
    show_banks(d->to, debug_core(d), k);
  return COMMAND_STAY;
}

static command_result do_list(debug *d, const words *w) {
  uint64_t n;
  if (!number(d, w, 0, &n))
    return COMMAND_WRONG;
  if (w->n == 2 && (!n || n > INT32_MAX))
    return stay(debug_wrong(d, "line numbers begin at 1"));
  return stay(state_list(d, (uint32_t)n));
}

static command_result do_disassemble(debug *d, const words *w) {
  return stay(state_disassemble(d, w));
}

static command_result do_wave(debug *d, const words *w) {
  const debug_wave *v = &d->config.wave;
  char what[WHY] = "";
  const bool on = w->n > 1 && strcmp(w->word[1], "on") == 0;
  if (!(on && w->n < 4) && !(w->n == 2 && strcmp(w->word[1], "off") == 0))
    return stay(debug_wrong(d, "wave on [FILE], or wave off"));
  if (d->dead)
    return stay(debug_wrong(d, "the launch has ended; continue resumes the program"));
  if (!v->set(v->ctx, on, w->n > 2 ? w->word[2] : NULL, what, sizeof what))
    return stay(debug_wrong(d, "%s", what));
  fprintf(d->to, "%s%s", what, what[0] ? "\n" : "");
  return COMMAND_STAY;
}

// ---- which command

static int find(const char *word) {
  const char *names[COMMANDS + 1] = {NULL};
  for (int n = 0; n < COMMANDS; n++)
    if (word[0] == table[n].letter && !word[1])
      return n;
  for (int n = 0; n < COMMANDS; n++)
    names[n] = table[n].name;
  return word_choice(word, names);
}

static bool unknown(debug *d, const char *word, int found) {
  if (found == -1)
    return debug_wrong(d, "unknown command '%s'; help lists them", word);
  char list[LINE] = "";
  for (int k = 0; k < COMMANDS; k++)
    if (word_is(word, table[k].name)) {
      const size_t n = strlen(list);
      snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", table[k].name);
    }
  return debug_wrong(d, "'%s' may be %s", word, list);
}

static command_result do_help(debug *d, const words *w) {
  const int only = w->n > 1 ? find(w->word[1]) : COMMANDS;
  if (only < 0)
    return stay(unknown(d, w->word[1], only));
  for (int n = 0; n < COMMANDS; n++) {
    if (only != COMMANDS && only != n)
      continue;
    char usage[LINE];
    snprintf(usage, sizeof usage, "%s %s", table[n].name, table[n].arguments);
    fprintf(d->to, "%-31s %s\n", usage, table[n].text);
    if (only == n && table[n].more[0])
      fprintf(d->to, "%s\n", table[n].more);
    if (only == n && table[n].letter)
      fprintf(d->to, "In short: %c\n", table[n].letter);
  }
  return COMMAND_STAY;
}

command_result command_do(debug *d, const words *w) {
  static command_result (*const run[COMMANDS])(debug *, const words *) = {
#define COMMAND(name, letter, arguments, text, more) do_##name,
#include "commands.def"
  };
  const int n = find(w->word[0]);
  if (n >= 0 && w->n > 1 && !table[n].arguments[0])
    return stay(debug_wrong(d, "%s takes no arguments", table[n].name));
  return n < 0 ? stay(unknown(d, w->word[0], n)) : run[n](d, w);
}

// ---- completion

// Words that may follow others.
static const struct {
  const char *after;
  const char *words[10];
} followers[] = {
    {"info", {"breaks", "launch", "cores", "memory"}},
    {"break", {"cycle", "event"}},
    {"break event", {"start", "block", "barrier", "retire", "fault", "bank", "packet"}},
    {"break event bank", {"act", "pre", "sasel", "rd", "wr", "ref"}},
    {"print", {"memory", "shared", "stack", "scoreboard", "predicates"}},
    {"watch", {"memory", "shared", "stack", "scoreboard", "predicates", "off"}},
    {"select", {"core", "warp"}},
    {"where", {"all"}},
    {"wave", {"on", "off"}},
};

// Are the words before the last one of `line` those of `after`? The first may be cut short.
static bool follows(const char *line, const char *word, const char *after) {
  words have, want;
  snprintf(have.text, LINE, "%.*s", (int)(word - line), line);
  snprintf(want.text, LINE, "%s", after);
  words_split(&have);
  words_split(&want);
  if (have.n != want.n || !have.n)
    return false;
  const int command = find(have.word[0]);
  if (command < 0 || strcmp(table[command].name, want.word[0]) != 0)
    return false;
  for (uint32_t k = 1; k < have.n; k++)
    if (!word_is(have.word[k], want.word[k]))
      return false;
  return true;
}

size_t commands_complete(const char *line, const char *word, const char **choices) {
  size_t n = 0;
  const bool first = strspn(line, " ") == (size_t)(word - line);
  if (first || follows(line, word, "help"))
    for (int k = 0; k < COMMANDS; k++)
      if (word_is(word, table[k].name) || !*word)
        choices[n++] = table[k].name;
  for (size_t k = 0; !first && k < sizeof followers / sizeof *followers; k++)
    for (const char *const *f = followers[k].words; follows(line, word, followers[k].after) && *f;
         f++)
      if (word_is(word, *f) || !*word)
        choices[n++] = *f;
  return n;
}

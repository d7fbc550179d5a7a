// SPDX-License-Identifier: Apache-2.0
#include "vault_debug.h"

#include <ctype.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "harness/base/user_error.h"
#include "harness/inspect/debug/edit.h"
#include "pe_profile.h"
#include "vault_show.h"

enum { LINE = 256, WORDS = 4, COLUMNS = 4 };  // COLUMNS: elements of a line of X

static const char prompt_text[] = "(spacea) ";

struct vault_debug {
  vault_debug_config from;
  edit *edit;
  unsigned line;
  machine_run *run;
  uint32_t vaults, groups;
  uint64_t now, stop;  // cycle that comes next; before which it stops
  bool waits;          // for a PE to be in a class
  vault_place pe;
  spe_wait class;
  vault_place shown;
  bool over;  // no more commands
  vault_debug_end end;
};

// Of a command: its words, the first one its name. A sentence when it is wrong, else NULL. *go: the
// run goes on.
typedef const char *command(vault_debug *d, char *const *words, bool *go);

static const vault *vault_at(const vault_debug *d, uint32_t k) {
  uint32_t n;
  return machine_run_nodes(d->run, &n)[k].state;
}

static bool number(const char *text, uint64_t *to) {
  char *behind;
  if (!text || !isdigit((unsigned char)*text))
    return false;
  *to = strtoull(text, &behind, 10);
  return !*behind;
}

static const bgroup *group_at(const vault_debug *d, uint32_t v, uint32_t layer) {
  return lockstep_twin(vault_at(d, v)->group[layer - 1].block);
}

// ---- commands

static const char *step(vault_debug *d, char *const *words, bool *go) {
  uint64_t n = 1;
  if (words[1] && (!number(words[1], &n) || !n))
    return "step takes a number of cycles";
  d->stop = d->now + n, *go = true;
  return NULL;
}

static const char *until_class(vault_debug *d, char *const *words) {
  if (!vault_place_parse(words[1], d->vaults, d->groups, &d->pe) || d->pe.pe == VAULT_SHOW_ALL)
    return "until takes a cycle, or VAULT.LAYER.PE and a class of the profile";
  if (!group_at(d, d->pe.vault, d->pe.layer))
    return "this PE is inside the Verilog";
  d->class = pe_profile_class(words[2]);
  if (d->class == SPE_WAITS || d->class == SPE_FULL)
    return "until takes a class: turn, again, pace, other, scan, lines, rows, sums or done";
  d->waits = true;
  return NULL;
}

static const char *until(vault_debug *d, char *const *words, bool *go) {
  const char *wrong = NULL;
  if (words[1] && words[2])
    wrong = until_class(d, words), d->stop = UINT64_MAX;
  else if (!number(words[1], &d->stop))
    return "until takes a cycle, or VAULT.LAYER.PE and a class of the profile";
  else if (d->stop <= d->now)
    return "this cycle is over";
  *go = !wrong;
  return wrong;
}

static const char *go_on(vault_debug *d, char *const *words, bool *go) {
  (void)words;
  d->stop = UINT64_MAX, *go = true;
  return NULL;
}

static const char *show(vault_debug *d, char *const *words, bool *go) {
  (void)go;
  if (words[1] && !vault_place_parse(words[1], d->vaults, d->groups, &d->shown))
    return "show takes VAULT, VAULT.LAYER or VAULT.LAYER.PE of this machine; layers with PEs begin "
           "with 1";
  vault_show(vault_at(d, d->shown.vault), &d->shown, stdout);
  return NULL;
}

static const char *pes(vault_debug *d, char *const *words, bool *go) {
  (void)words, (void)go;
  for (uint32_t v = 0; v < d->vaults; v++) {
    printf("vault %" PRIu32 ":", v);
    for (uint32_t n = 0; n < d->groups * BGROUP_PES; n++) {
      const bgroup *g = group_at(d, v, n / BGROUP_PES + 1);
      printf(" %" PRIu32 ".%" PRIu32 " %s", n / BGROUP_PES + 1, n % BGROUP_PES,
             g ? pe_wait_names[bgroup_sees(g, n % BGROUP_PES).waits] : "in Verilog");
    }
    putchar('\n');
  }
  return NULL;
}

static const char *line(vault_debug *d, char *const *words, bool *go) {
  uint64_t key;
  (void)go;
  if (!number(words[1], &key) || key >> 30)
    return "line takes the number of a line: column / 4; column the number of a column";
  if (strcmp(words[0], "column") == 0)
    key /= COLUMNS;
  printf("line %" PRIu64 " of vault %" PRIu64 "\n", key, key * COLUMNS / vault_at(d, 0)->share_x);
  for (uint32_t v = 0; v < d->vaults; v++)
    vault_show_line(vault_at(d, v), (uint32_t)key, stdout);
  return NULL;
}

static const char *quit(vault_debug *d, char *const *words, bool *go) {
  (void)words;
  d->end = VAULT_DEBUG_QUIT, *go = true;
  return NULL;
}

static command help;
static const struct {
  const char *name, *words, *what;
  command *does;
} commands[] = {
    {"step", "[N]", "does N cycles (1)", step},
    {"until", "CYCLE", "goes on until CYCLE comes next", until},
    {"until", "VAULT.LAYER.PE CLASS", "goes on until the PE is in this class of the profile",
     until},
    {"continue", "", "goes on to the end", go_on},
    {"show", "[VAULT[.LAYER[.PE]]]", "queues, lines, packets, banks; of what was shown last", show},
    {"pes", "", "the class of each PE", pes},
    {"line", "N", "where a line of X is, and who has asked for it", line},
    {"column", "N", "the same, of the line of a column of the matrix", line},
    {"quit", "", "ends the run", quit},
    {"help", "", "this list", help},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const char *help(vault_debug *d, char *const *words, bool *go) {
  (void)d, (void)words, (void)go;
  for (size_t k = 0; k < COMMANDS; k++)
    printf("%-8s %-22s %s\n", commands[k].name, commands[k].words, commands[k].what);
  return NULL;
}

// By how its name begins; of several the first one.
static command *command_named(const char *name) {
  for (size_t k = 0; k < COMMANDS; k++)
    if (!strncmp(commands[k].name, name, strlen(name)))
      return commands[k].does;
  return NULL;
}

static size_t complete(const char *text, const char *word, const char **choices) {
  size_t n = 0;
  for (size_t k = 0; text == word && k < COMMANDS; k++)
    if (!strncmp(commands[k].name, word, strlen(word)) &&
        (!k || strcmp(commands[k].name, commands[k - 1].name)))
      choices[n++] = commands[k].name;
  return n;
}

// ---- lines

static void interrupted(int signal) {
  (void)signal;
}

// A line that somebody types. False: there is no more, or Ctrl-C, which must not leave the terminal
// as it is while a line is edited.
static bool edit_text(vault_debug *d, char text[LINE]) {
  const struct sigaction act = {.sa_handler = interrupted};
  struct sigaction before;
  edit_result r;
  sigaction(SIGINT, &act, &before);
  while ((r = edit_line(d->edit, prompt_text, text, LINE)) == EDIT_LONG)
    continue;
  sigaction(SIGINT, &before, NULL);
  return r == EDIT_LINE;
}

// False: there is no more.
static bool read_line(vault_debug *d, char text[LINE]) {
  if (d->edit)
    return edit_text(d, text);
  if (d->from.terminal)
    fputs(prompt_text, stdout), fflush(stdout);
  if (!fgets(text, LINE, d->from.from))
    return false;
  d->line++;
  text[strcspn(text, "\n")] = 0;
  if (!d->from.terminal && *text && *text != '#')
    printf("%s%s\n", prompt_text, text);
  return true;
}

static const char *execute(vault_debug *d, char *text, bool *go) {
  char *words[WORDS + 1] = {0}, *rest;
  uint32_t n = 0;
  for (char *w = strtok_r(text, " \t", &rest); w && n < WORDS; w = strtok_r(NULL, " \t", &rest))
    words[n++] = w;
  if (!n || *words[0] == '#')
    return NULL;
  command *c = command_named(words[0]);
  return c ? c(d, words, go) : "no such command; help lists them";
}

// Commands, until one of them makes the run go on.
static void prompt(vault_debug *d) {
  char text[LINE], copy[LINE];
  bool go = d->over;
  d->waits = false;
  if (d->over)
    return;
  printf("before cycle %" PRIu64 "\n", d->now);
  while (!go) {
    if (!read_line(d, text)) {
      d->over = go = true, d->stop = UINT64_MAX;
      if (d->from.terminal)
        d->end = VAULT_DEBUG_QUIT;
      break;
    }
    snprintf(copy, sizeof copy, "%s", text);
    const char *wrong = execute(d, copy, &go);
    if (wrong && d->from.terminal) {
      printf("%s\n", wrong);
    } else if (wrong) {
      fflush(stdout);
      user_error("%s:%u: '%s': %s", d->from.name, d->line, text, wrong);
      d->end = VAULT_DEBUG_WRONG, go = true;
    }
  }
  fflush(stdout);
}

// ---- looking on

static uint64_t cycles(void *ctx) {
  const vault_debug *d = ctx;
  return d->waits || d->end ? 1 : d->stop - d->now;
}

static bool window(void *ctx, uint64_t until) {
  vault_debug *d = ctx;
  d->now = until;
  const bool is =
      d->waits && bgroup_sees(group_at(d, d->pe.vault, d->pe.layer), d->pe.pe).waits == d->class;
  if (!d->end && (until >= d->stop || is))
    prompt(d);
  return d->end != VAULT_DEBUG_RUNS;
}

vault_debug *vault_debug_new(const vault_debug_config *c, machine_run *r) {
  vault_debug *d = calloc(1, sizeof *d);
  if (!d)
    return NULL;
  d->from = *c, d->run = r, d->stop = UINT64_MAX, d->shown.layer = d->shown.pe = VAULT_SHOW_ALL;
  machine_run_nodes(r, &d->vaults);
  d->groups = vault_at(d, 0)->groups;
  if (c->terminal)
    d->edit = edit_new(fileno(c->from), stdout, complete);
  machine_run_watch(r, &(schedule_watch){.ctx = d, .cycles = cycles, .window = window});
  prompt(d);
  return d;
}

void vault_debug_failed(vault_debug *d) {
  if (d->end == VAULT_DEBUG_RUNS)
    prompt(d);
}

vault_debug_end vault_debug_ended(const vault_debug *d) {
  return d->end;
}

void vault_debug_free(vault_debug *d) {
  if (d)
    edit_free(d->edit);
  free(d);
}

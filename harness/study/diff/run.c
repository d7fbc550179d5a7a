// SPDX-License-Identifier: Apache-2.0
// What is known of a run, from its statistics and its profile.
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "diff.h"
#include "diff_priv.h"

// Counts up to here are exact as doubles, and a few of them can be added.
#define MOST 0x1p53

const char *const diff_cause_names[DIFF_CAUSES] = {
#define DIFF_CAUSE(NAME, counter, name, doc) name,
#include "causes.def"
};
const char *const diff_cause_docs[DIFF_CAUSES] = {
#define DIFF_CAUSE(NAME, counter, name, doc) doc,
#include "causes.def"
};
static const char *const cause_counters[DIFF_CAUSES] = {
#define DIFF_CAUSE(NAME, counter, name, doc) #counter,
#include "causes.def"
};

bool diff_fail(char *why, const char *format, ...) {
  va_list a;
  va_start(a, format);
  vsnprintf(why, DIFF_WHY, format, a);
  va_end(a);
  for (char *c = why; *c; c++)  // a message is a line, whatever a file says
    if ((unsigned char)*c < ' ' || *c == 0x7f)
      *c = '?';
  return false;
}

void *diff_must(void *p) {
  if (!p)
    abort();
  return p;
}

diff_run *diff_run_new(const char *name, const machine_ops *const *machines) {
  diff_run *r = diff_must(calloc(1, sizeof *r));
  r->name = name, r->machines = machines;
  r->instructions = NAN;
  return r;
}

void diff_run_free(diff_run *r) {
  if (!r)
    return;
  if (r->has_stats)
    stats_free(&r->stats);
  values_free(&r->counters);
  tree_free(r->statistics);
  tree_free(r->profile);
  free(r->core);
  free(r->arrays);
  free(r->made);
  free(r);
}

// ---- what a text is

static bool of_schema(const char *file, const tree *top, char *why) {
  const tree *schema = tree_in(top, "schema");
  const double n = tree_number(schema, -1);
  if (n == STATS_SCHEMA)  // both kinds are at their first
    return true;
  if (n > STATS_SCHEMA)
    return diff_fail(
        why,
        "'%s' is of schema %s, which a later mpu wrote; this one reads %d: use the mpu "
        "that wrote it, or run again",
        file, schema->text, STATS_SCHEMA);
  return diff_fail(why, "'%s' is damaged: its schema is '%.40s'; run again", file,
                   tree_text(schema, "null"));
}

bool diff_run_add(diff_run *r, const char *file, const char *text, size_t length, char *why) {
  char wrong[DIFF_WHY];
  tree_file *f = tree_parse(file, text, length, wrong, sizeof wrong);
  if (!f)
    return diff_fail(why, "%s: it is not JSON, or is damaged; run again", wrong);
  const tree *top = tree_top(f);
  const bool profile = tree_in(top, "kernels") != NULL;
  const bool statistics = !profile && (tree_in(top, "schema") || tree_in(top, "machine"));
  tree_file **to = profile ? &r->profile : &r->statistics;
  bool ok = true;
  if (!profile && !statistics)
    ok =
        diff_fail(why,
                  "'%s' is neither statistics (mpu run --stats FILE, mpu machine --stats FILE) nor "
                  "a profile (mpu profile --json FILE)",
                  file);
  else if (*to)
    ok = diff_fail(why,
                   "'%s' and '%s' are both %s of one run: give statistics of A and B, then "
                   "profiles of A and B",
                   tree_name(*to), file, profile ? "profiles" : "statistics");
  else if (!tree_in(top, "machine"))
    ok = of_schema(file, top, why);
  if (!ok) {
    tree_free(f);
    return false;
  }
  *to = f;
  if (statistics)
    r->has_stats = stats_read_text(file, text, length, r->machines, &r->stats, r->no_energy,
                                   sizeof r->no_energy);
  return true;
}

// ---- counts

typedef struct reader {
  diff_run *run;
  const char *file;
  char *why;
} reader;

static bool damaged(const reader *r, const tree *at, const char *key, const char *what) {
  return diff_fail(r->why, "%s:%u:%u: %s%s: the file is damaged, or of another version; run again",
                   r->file, at->line, at->column, key, what);
}

static bool is_count(const tree *t) {
  return t->kind == TREE_NUMBER && !t->text[strspn(t->text, "0123456789")] && t->number < MOST;
}

static bool not_a_count(const reader *r, const tree *t) {
  char what[100];
  snprintf(what, sizeof what, " is '%.40s', which is not a count",
           t->kind == TREE_LIST || t->kind == TREE_MAP ? "[...]" : tree_text(t, "null"));
  return damaged(r, t, t->key ? t->key : "a value of the list", what);
}

static bool count_in(const reader *r, const tree *of, const char *key, uint64_t *to) {
  const tree *t = tree_in(of, key);
  if (!t)
    return damaged(r, of, key, " is missing");
  if (!is_count(t))
    return not_a_count(r, t);
  *to = (uint64_t)t->number;
  return true;
}

// All numbers of a tree of counters.
static bool all_counts(const reader *r, const tree *t) {
  if (t->kind != TREE_MAP && t->kind != TREE_LIST)
    return is_count(t) || not_a_count(r, t);
  for (const tree *c = t->first; c; c = c->next)
    if (!all_counts(r, c))
      return false;
  return true;
}

static bool not_cores(const reader *r, const tree *of) {
  return damaged(r, tree_in(of, "cores"), "cores", " is not the number of cores");
}

// ---- statistics

static bool take_subcore(const reader *r, const tree *s) {
  diff_run *to = r->run;
  char key[64];
  if (!tree_in(s, "cycles_memory_remote") || !tree_in(s, "cycles_memory_shared"))
    to->split = false;
  for (int k = 0; k < DIFF_CAUSES; k++) {
    uint64_t n = 0;
    snprintf(key, sizeof key, "cycles_%s", cause_counters[k]);
    const bool part = k == DIFF_REMOTE || k == DIFF_LOCAL || k == DIFF_SHARED;
    if ((!part || tree_in(s, key)) && !count_in(r, s, key, &n))
      return false;
    to->cause[k] += n;
  }
  return true;
}

static bool take_core(const reader *r, const tree *core) {
  const tree *subcores = tree_in(core, "subcores");
  if (!subcores || subcores->kind != TREE_LIST || !subcores->n)
    return damaged(r, core, "subcores", " is missing");
  if (!all_counts(r, core))
    return false;
  diff_run *to = r->run;
  to->core = diff_must(realloc(to->core, (to->cores + 1) * sizeof(tree *)));
  to->core[to->cores++] = core;
  for (const tree *s = subcores->first; s; s = s->next)
    if (!take_subcore(r, s))
      return false;
  return true;
}

// What is not compared as a counter: it is elsewhere, or of the host.
static bool is_elsewhere(const char *name) {
  static const char *const all[] = {
      "schema",       "host_seconds",  "cpu_seconds",           "host_memory",
      "cores",        "processors",    "core_cycles",           "cycles",
      "on_chip_bits", "off_chip_bits", "core_cycles_per_second"};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (strcmp(name, all[k]) == 0)
      return true;
  return false;
}

// Numbers of the run, or of a card, and what of its objects are counters.
static void take_counters(diff_run *to, const tree *of) {
  static const char *const objects[] = {
      "core", "copies", "array_transfers", "stream_time", "card", "network", "sums"};
  for (const tree *c = of->first; c; c = c->next)
    if (c->kind == TREE_NUMBER && !is_elsewhere(c->key) &&
        (of == to->top || strcmp(c->key, "launches") != 0))  // of cards the run has the sum
      values_add(&to->counters, c->key, c->number);
  for (size_t k = 0; k < sizeof objects / sizeof *objects; k++)
    if (tree_in(of, objects[k]))
      values_add_tree(&to->counters, objects[k], tree_in(of, objects[k]));
}

// NaN: null, or missing.
static bool count_or_none(const reader *r, const tree *of, const char *key, double *to) {
  const tree *t = tree_in(of, key);
  *to = NAN;
  if (!t || t->kind == TREE_NULL)
    return true;
  *to = t->number;
  return is_count(t) || not_a_count(r, t);
}

// The same array on another card; NULL: there is none yet.
static diff_array *array_of(diff_run *to, const diff_array *x) {
  for (size_t k = 0; k < to->n_arrays; k++) {
    diff_array *a = &to->arrays[k];
    if (a->card != x->card && a->kind == x->kind && strcmp(a->name, x->name) == 0 &&
        !a->place == !x->place && (!a->place || strcmp(a->place, x->place) == 0))
      return a;
  }
  return NULL;
}

static bool take_array(const reader *r, const tree *t, const char *name, const char *kind) {
  diff_run *to = r->run;
  diff_array a = {name, tree_text(tree_in(t, "place"), NULL), kind, .card = to->cards};
  if (!count_or_none(r, t, "allocations", &a.allocations) ||
      !count_or_none(r, t, "bytes", &a.bytes))
    return false;
  for (int k = 0; k < DIFF_COUNTS; k++)
    if (!count_or_none(r, t, diff_count_names[k], &a.count[k]))
      return false;
  diff_array *known = array_of(to, &a);
  if (known) {
    known->card = a.card;
    known->allocations += a.allocations, known->bytes += a.bytes;
    for (int k = 0; k < DIFF_COUNTS; k++)
      known->count[k] += a.count[k];
    return true;
  }
  to->arrays = diff_must(realloc(to->arrays, (to->n_arrays + 1) * sizeof *to->arrays));
  to->arrays[to->n_arrays++] = a;
  return true;
}

// Local memory and others only if something went there.
static bool take_arrays(const reader *r, const tree *of) {
  static const char memory[] = "memory", variable[] = "variable", local[] = "local",
                    others[] = "others";
  const tree *arrays = tree_in(of, "arrays"), *named = tree_in(arrays, "named");
  if (!arrays || arrays->kind == TREE_NULL)
    return true;
  if (!named || named->kind != TREE_LIST)
    return damaged(r, arrays, "named", " is missing");
  r->run->has_arrays = true;
  for (const tree *t = named->first; t; t = t->next) {
    const tree *is = tree_in(t, "variable");
    const bool is_variable = is && is->kind == TREE_TRUTH && is->number > 0;
    const char *name = tree_text(tree_in(t, "name"), NULL);
    if (!name)
      return damaged(r, t, "name", " is missing");
    if (!take_array(r, t, name, is_variable ? variable : memory))
      return false;
  }
  for (int k = 0; k < 2; k++) {
    const tree *t = tree_in(arrays, k ? others : local);
    double sectors = 0;
    for (int c = 0; c < DIFF_ATOMICS; c++)
      sectors += tree_number(tree_in(t, diff_count_names[c]), 0);
    if (sectors > 0 && !take_array(r, t, k ? "others" : "local memory", k ? others : local))
      return false;
  }
  return true;
}

// The machine of the run, or a card of several.
static bool take_card(const reader *r, const tree *of) {
  diff_run *to = r->run;
  const tree *core = tree_in(of, "core"), *each = tree_in(of, "each");
  uint64_t cycles, cores, drain, before = to->cores, parts = 0;
  take_counters(to, of);
  to->cards++;
  if (!count_in(r, of, "cycles", &cycles) || !take_arrays(r, of))
    return false;
  if (!core && !tree_in(of, "cores")) {  // of a card elsewhere no more is known
    to->causes = false;
    to->parts++, to->cycles += cycles;
    return true;
  }
  if (!core)
    return damaged(r, of, "core", " is missing");
  if (!count_in(r, of, "cores", &cores) || !count_in(r, core, "cycles_drain", &drain))
    return false;
  if (!cores)
    return not_cores(r, of);
  for (const tree *c = each ? each->first : core; c; c = each ? c->next : NULL)
    if (!take_core(r, c))
      return false;
  if (to->cores - before != cores)
    return not_cores(r, of);
  for (; before < to->cores; before++)
    parts += tree_in(to->core[before], "subcores")->n;
  if ((double)parts * (double)cycles >= MOST || (double)parts * (double)drain >= MOST)
    return damaged(r, tree_in(of, "cycles"), "cycles", " is too large");
  to->parts += parts;
  to->cycles += parts * cycles, to->drain += parts * drain;
  return true;
}

static bool take_nodes(const reader *r) {
  diff_run *to = r->run;
  take_counters(to, to->top);
  if (!count_in(r, to->top, "cycles", &to->cycles))
    return false;
  to->timed = true;
  to->parts = to->cards = to->cores = 1;
  return !tree_in(to->top, "sums") || all_counts(r, tree_in(to->top, "sums"));
}

static bool take_statistics(const reader *r) {
  diff_run *to = r->run;
  const tree *devices = tree_in(to->top, "devices");
  if (tree_in(to->top, "machine"))
    return take_nodes(r);
  to->split = to->causes = true;
  to->timed = tree_in(devices ? devices->first : to->top, "cycles") != NULL;
  if (!to->timed || devices)
    take_counters(to, to->top);
  if (!to->timed) {
    to->causes = false;
    return take_arrays(r, to->top);
  }
  for (const tree *d = devices ? devices->first : to->top; d; d = devices ? d->next : NULL)
    if (!take_card(r, d))
      return false;
  if (to->cause[DIFF_REMOTE] + to->cause[DIFF_SHARED] > to->cause[DIFF_MEMORY])
    return damaged(r, to->top, "cycles_memory", " is less than its parts");
  to->cause[DIFF_LOCAL] = to->cause[DIFF_MEMORY] - to->cause[DIFF_REMOTE] - to->cause[DIFF_SHARED];
  return true;
}

// ---- profiles, whose sums are those of the statistics of their run

static void add_traffic(diff_run *to, const tree *traffic) {
  for (const tree *c = traffic ? traffic->first : NULL; c; c = c->next) {
    char name[64];
    const bool flits = strncmp(c->key, "flits", 5) == 0;
    snprintf(name, sizeof name, "core.nbus.%s%.40s", c->kind == TREE_MAP || flits ? "" : "banks.",
             c->kind == TREE_MAP ? "packets_down" : c->key);
    values_add_tree(&to->counters, name, c);
  }
}

static bool take_counts(const reader *r, const tree *of) {
  static const char *const same[] = {"issued",     "lanes",     "near",      "far",
                                     "moves_near", "moves_far", "moves_zero"};
  diff_run *to = r->run;
  for (int k = 0; k < DIFF_CAUSES; k++) {
    const tree *list = tree_in(tree_in(of, "cycles"), cause_counters[k]);
    if (!list)
      continue;
    if (!all_counts(r, list))
      return false;
    for (const tree *c = list->first; c; c = c->next)
      to->cause[k] += (uint64_t)c->number;
  }
  for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
    char name[64];
    uint64_t n;
    if (!count_in(r, of, same[k], &n))
      return false;
    snprintf(name, sizeof name, "core.subcores.%s", same[k]);
    values_add(&to->counters, name, (double)n);
  }
  add_traffic(to, tree_in(of, "traffic"));
  add_traffic(to, tree_in(of, "traffic_elsewhere"));
  return true;
}

static bool take_kernel(const reader *r, const tree *k) {
  diff_run *to = r->run;
  const tree *instructions = tree_in(k, "instructions"), *others = tree_in(k, "others");
  uint64_t cycles, drain, launches;
  if (!instructions || !others)
    return damaged(r, k, instructions ? "others" : "instructions", " is missing");
  if (!count_in(r, k, "run_cycles", &cycles) || !count_in(r, k, "drain_cycles", &drain) ||
      !count_in(r, k, "launches", &launches))
    return false;
  for (const tree *c = instructions->first; c; c = c->next)
    if (!take_counts(r, c))
      return false;
  for (const tree *c = others->first; c; c = c->next)
    if (!take_counts(r, c))
      return false;
  to->cycles += to->parts * cycles, to->drain += to->parts * drain;
  values_add(&to->counters, "launches", (double)launches);
  return true;
}

static const char *words_of(diff_run *to, const tree *list) {
  size_t bytes;
  if (!list || list->kind != TREE_LIST)
    return NULL;
  FILE *f = diff_must(open_memstream(&to->made, &bytes));
  for (const tree *c = list->first; c; c = c->next)
    fprintf(f, "%s%s", c == list->first ? "" : " ", tree_text(c, ""));
  fclose(f);
  return to->made;
}

static bool take_profile(const reader *r, const tree *top) {
  diff_run *to = r->run;
  if (!count_in(r, top, "cores", &to->cores))
    return false;
  if (!to->cores || to->cores > 1 << 12)
    return not_cores(r, top);
  to->parts = 4 * to->cores, to->cards = 1, to->timed = to->causes = true;
  for (const tree *k = tree_in(top, "kernels")->first; k; k = k->next)
    if (!take_kernel(r, k))
      return false;
  to->profile_cores = to->cores, to->profile_cycles = to->cycles;
  return (double)to->cycles < MOST || damaged(r, top, "cycles", " are too many");
}

// One beside statistics: for its lines only.
static bool check_profile(diff_run *to, char *why) {
  diff_run *alone = diff_run_new(to->name, NULL);
  const reader r = {alone, tree_name(to->profile), why};
  const bool ok = take_profile(&r, tree_top(to->profile));
  to->profile_cores = alone->cores, to->profile_cycles = alone->cycles;
  diff_run_free(alone);
  return ok;
}

// ---- configuration and energy

static bool take_configuration(const reader *r) {
  diff_run *to = r->run;
  char wrong[CONFIG_WHY];
  const tree *sections = tree_in(to->top, "configuration");
  to->constants = config_default();
  if (!sections || sections->kind != TREE_MAP)
    return true;
  to->has_constants = true;
  for (const tree *s = sections->first; s; s = s->next)
    for (const tree *k = s->first; k; k = k->next) {
      const config_field *f = k->key ? config_find(s->key, k->key) : NULL;
      if (f && !f->fixed_by &&
          !config_set(&to->constants, f, tree_text(k, ""), wrong, sizeof wrong))
        return diff_fail(r->why, "%s:%u:%u: %s", r->file, k->line, k->column, wrong);
    }
  return true;
}

// Without it the rest is compared.
static void take_energy(diff_run *to) {
  const char *file = tree_name(to->statistics);
  if (!to->timed)
    diff_fail(to->no_energy, "'%s' is of the functional machine, which has no cycles", file);
  else if (to->cards > 1)
    diff_fail(to->no_energy, "'%s' is of several cards, and mpu energy takes one", file);
  else if (!to->has_constants)
    diff_fail(to->no_energy, "'%s' has no configuration", file);
  else if (to->has_stats)
    to->has_energy = true;
  if (!to->has_energy)
    return;
  to->machine = to->stats.machine;
  energy_of(&to->stats, file, &to->constants, &to->energy);
}

// ---- all of it

static const char *text_at(const diff_run *r, const char *path) {
  const tree *t = tree_at(r->top, path);
  return t && t->kind == TREE_TEXT ? t->text : NULL;
}

static void take_names(diff_run *to) {
  to->machine_name = text_at(to, "machine");
  if (!to->program)
    to->program = text_at(to, "program");
  to->near = text_at(to, "near");
  to->result = text_at(to, "result");
  to->end = text_at(to, "end");
  to->digest = text_at(to, "memory_digest");
  to->hash = text_at(to, "configuration_hash");
  const tree *p = to->profile ? tree_top(to->profile) : NULL;
  if (!to->arguments && p)
    to->arguments = words_of(to, tree_in(p, "arguments"));
  if (!to->config && p)
    to->config = tree_text(tree_in(p, "config"), NULL);
}

bool diff_run_complete(diff_run *to, char *why) {
  const bool profile = !to->statistics;
  tree_file *f = profile ? to->profile : to->statistics;
  const reader r = {to, tree_name(f), why};
  to->top = tree_top(f);
  take_names(to);
  if (!(profile ? take_profile(&r, to->top) : take_statistics(&r)) || !take_configuration(&r))
    return false;
  if (!profile && to->profile && !check_profile(to, why))
    return false;
  values_done(&to->counters);
  const double *n =
      values_find(&to->counters, profile ? "core.subcores.issued" : "warp_instructions");
  to->instructions = n ? *n : NAN;
  if (profile)
    diff_fail(to->no_energy, "'%s' is a profile: statistics (mpu run --stats) have what it takes",
              r.file);
  else
    take_energy(to);
  return true;
}

// SPDX-License-Identifier: Apache-2.0
#include "plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "csim/base/sum.h"
#include "harness/base/config/config.h"
#include "harness/base/pieces.h"
#include "harness/base/placing.h"
#include "harness/base/shell.h"
#include "harness/cuda/driver/compile.h"

enum { PATH = 4096, SETS = 256, BUILDS = 16 };

typedef struct cell {
  const study_figure *f;
  const study_entry *e;
  const study_variant *v;
  size_t run;
} cell;

struct plan {
  const study *of;
  plan_options options;
  bool only_figures, only_sets;  // names in `only`
  size_t n, room, n_cells, room_cells;
  plan_run **runs;
  cell *cells;           // in the order of figures, sets, entries, variants
  size_t *table, slots;  // runs by key: number + 1
  pieces texts;
  struct {
    const char *tool, *near;
    char hash[PLAN_HASH];
  } builds[BUILDS];
  size_t n_builds;
  struct {
    const study_entry *of;
    const char *options;
    char hash[PLAN_HASH];
  } source;  // that was hashed last
  char *why;
  size_t why_bytes;
};

static bool wrong(plan *p, study_at at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool wrong(plan *p, study_at at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  study_why(p->why, p->why_bytes, at, format, args);
  va_end(args);
  return false;
}

// ---- places: beside the study file, or in the checkout

static const char *place_of(plan *p, const char *name) {
  const char *slash = strrchr(p->of->file, '/');
  if (*name == '/')
    return pieces_text(&p->texts, "%s", name);
  const char *beside = pieces_text(&p->texts, "%.*s/%s", slash ? (int)(slash - p->of->file) : 1,
                                   slash ? p->of->file : ".", name);
  return access(beside, F_OK) ? pieces_text(&p->texts, "%s/%s", compile_root(), name) : beside;
}

// "@root@/kernels/axpy" for what is in the checkout.
static const char *portable(plan *p, const char *place) {
  char full[PATH], root[PATH];
  if (!realpath(place, full) || !realpath(compile_root(), root))
    return place;
  const size_t n = strlen(root);
  return strncmp(full, root, n) || full[n] != '/' ? pieces_text(&p->texts, "%s", full)
                                                  : pieces_text(&p->texts, JOB_ROOT "%s", full + n);
}

static const char *shown(const char *portable_name) {
  const size_t n = strlen(JOB_ROOT);
  return strncmp(portable_name, JOB_ROOT, n) ? portable_name : portable_name + n + 1;
}

static bool source_of(plan *p, const study_entry *e, const char *place, char source[PATH]) {
  struct stat s;
  if (stat(place, &s))
    return wrong(p, e->at, "cannot find the program '%s': %s", e->program, strerror(errno));
  if (!find_source(place, source, PATH))
    return true;
  return wrong(p, e->at, "'%s' is not a program", e->program);
}

// p->source: kept from run to run, because the variants of a row have the same.
static bool hash_program(plan *p, const study_entry *e, const char *place, const char *options) {
  char source[PATH], why[PATH];
  if (p->source.of == e && strcmp(p->source.options, options) == 0)
    return true;
  p->source.of = NULL;
  if (!source_of(p, e, place, source))
    return false;
  if (!hash_source(source, options, p->source.hash, why, sizeof why))
    return wrong(p, e->at, "%s", why);
  p->source.of = e, p->source.options = options;
  return true;
}

// ---- a run

static void add_word(plan_run *r, const char *word) {
  if (r->job.n < JOB_WORDS)
    r->job.words[r->job.n] = word;
  r->job.n++;
}

static void add_words(plan *p, plan_run *r, const char *words) {
  for (const char *at = words ? words + strspn(words, " ") : ""; *at; at += strspn(at, " ")) {
    const size_t n = strcspn(at, " ");
    add_word(r, pieces_text(&p->texts, "%.*s", (int)n, at));
    at += n;
  }
}

static bool machine(plan *p, plan_run *r, const study_what *w, study_at at) {
  char why[8192], flat[CONFIG_FLAT];
  const char *sets[SETS];
  config c;
  if (w->n > SETS)
    return wrong(p, at, "more than %d keys of the machine: write a file, and 'config'", SETS);
  for (size_t k = 0; k < w->n; k++)
    sets[k] = w->set[k].text;
  const char *base = w->config ? w->config : "small";
  // a file of a machine is beside the study
  if (strchr(base, '/') || strstr(base, ".y"))
    base = portable(p, place_of(p, base));
  const char *file = strncmp(base, JOB_ROOT, strlen(JOB_ROOT))
                         ? base
                         : pieces_text(&p->texts, "%s%s", compile_root(), base + strlen(JOB_ROOT));
  if (!config_load(&c, file, why, sizeof why))
    return wrong(p, at, "%s", why);
  if (!config_override(&c, sets, w->n, why, sizeof why)) {
    for (size_t k = 0; k < w->n; k++)
      if (strstr(why, sets[k]))
        at = w->set[k].at;
    return wrong(p, at, "%s", strncmp(why, "--set ", 6) ? why : why + 6);
  }
  config_write_flat(&c, flat, sizeof flat);
  r->is.configuration = pieces_text(&p->texts, "%s", flat);
  r->is.configuration_hash =
      pieces_text(&p->texts, "%016" PRIx64, sum_bytes(0, flat, strlen(flat)));
  r->is.machine = shown(base);
  add_word(r, "--config");
  add_word(r, base);
  for (size_t k = 0; k < w->n; k++) {
    add_word(r, "--set");
    add_word(r, sets[k]);
    r->is.machine = pieces_text(&p->texts, "%s --set %s", r->is.machine, sets[k]);
  }
  return true;
}

// How a shell would have it.
static const char *command_text(plan *p, const plan_run *r) {
  char *text = NULL;
  size_t bytes;
  FILE *f = open_memstream(&text, &bytes);
  if (!f)
    abort();
  fputs("mpu", f);
  for (size_t k = 0; k < r->job.n; k++)
    if (strcmp(r->job.words[k], JOB_STATISTICS) == 0)
      shell_put_word(f, "statistics.json");
    else if (strncmp(r->job.words[k], JOB_STATISTICS, strlen(JOB_STATISTICS)) == 0)
      shell_put_word(f, r->job.words[k] + strlen(JOB_STATISTICS) + 1);
    else
      shell_put_word(f, shown(r->job.words[k]));
  fclose(f);
  const char *kept = pieces_text(&p->texts, "%s", text);
  free(text);
  return kept;
}

// An option with a file, which is part of the program's hash.
static bool add_file(plan *p, plan_run *r, const char *option, const char *file, char *hashes) {
  const char *place = place_of(p, file);
  char hash[PLAN_HASH], why[PATH];
  if (!hash_source(place, NULL, hash, why, sizeof why))
    return wrong(p, r->entry->at, "%s", why);
  add_word(r, option);
  add_word(r, portable(p, place));
  strcat(hashes, hash);
  return true;
}

static bool of_program(plan *p, plan_run *r, const study_what *w) {
  const study_entry *e = r->entry;
  char hashes[2 * PLAN_HASH] = "";
  const char *place = place_of(p, e->program);
  const bool timed = strcmp(r->is.near, "none") != 0, compiles = strcmp(r->is.tool, "cc") == 0;
  if (!hash_program(p, e, place, w->options ? w->options : ""))
    return false;
  if (!compiles) {
    add_word(r, "-q");
    add_word(r, pieces_text(&p->texts, "--near=%s", r->is.near));
  }
  if (timed) {
    add_word(r, "--threads");
    add_word(r, pieces_text(&p->texts, "%u", p->options.threads ? p->options.threads : 1));
    if (!machine(p, r, w, e->at))
      return false;
  }
  add_words(p, r, w->options);
  const placing placed = placing_of(w->place);
  if (timed && ((w->blocks && !add_file(p, r, "--blocks", w->blocks, hashes)) ||
                (placed == PLACING_FILE && !add_file(p, r, "--place", w->place, hashes))))
    return false;
  if (timed && placed == PLACING_AUTO) {
    add_word(r, "--place");
    add_word(r, w->place);
    strcat(hashes, w->place);  // another run than without it
  }
  add_word(r, compiles ? "--counts" : "--stats");
  add_word(r, JOB_STATISTICS);
  if (compiles) {
    add_word(r, "-o");
    add_word(r, JOB_STATISTICS ".program");
  }
  const char *word = portable(p, place);
  add_word(r, word);
  r->is.program = shown(word);
  if (*r->is.arguments) {
    add_word(r, "--");
    add_words(p, r, r->is.arguments);
  }
  r->is.program_hash = pieces_text(&p->texts, "%s%s", p->source.hash, hashes);
  return true;
}

static bool of_tool(plan *p, plan_run *r, const study_what *w) {
  const study_entry *e = r->entry;
  if (strcmp(e->tool, "machine") == 0) {
    add_word(r, e->program ? e->program : e->name);
    add_word(r, pieces_text(&p->texts, "--near=%s", r->is.near));
    add_word(r, "--stats");
    add_word(r, JOB_STATISTICS);
  } else {
    add_word(r, "--json");
  }
  r->is.program = e->program ? e->program : "";
  r->is.program_hash = "";
  add_words(p, r, r->is.arguments);
  add_words(p, r, w->options);
  return (!w->config && !w->n) || machine(p, r, w, e->at);  // otherwise that of the tool
}

// A matrix of a file, or one that is generated by its name.
static bool add_matrix(plan *p, plan_run *r) {
  const char *place = place_of(p, r->entry->program);
  char hash[PLAN_HASH], why[PATH];
  struct stat s;
  r->is.program = r->entry->program, r->is.program_hash = "";
  if (stat(place, &s) || !S_ISREG(s.st_mode)) {
    add_word(r, r->is.program);
    return true;
  }
  if (!hash_data(place, hash, why, sizeof why))
    return wrong(p, r->entry->at, "%s", why);
  const char *word = portable(p, place);
  add_word(r, word);
  r->is.program = shown(word);
  r->is.program_hash = pieces_text(&p->texts, "%s", hash);
  return true;
}

static bool of_matrix(plan *p, plan_run *r, const study_what *w) {
  study_what own = *w;
  own.config = w->config ? w->config : "spacea";
  if (strcmp(r->is.tool, "spacea") == 0) {
    add_word(r, "run");
    add_word(r, pieces_text(&p->texts, "--near=%s", r->is.near));
    add_word(r, "--threads");
    add_word(r, pieces_text(&p->texts, "%u", p->options.threads ? p->options.threads : 1));
    add_word(r, "--stats");
    add_word(r, JOB_STATISTICS);
  } else {
    add_word(r, "--json");
  }
  add_words(p, r, r->is.arguments);
  add_words(p, r, w->options);
  return machine(p, r, &own, r->entry->at) && add_matrix(p, r);
}

static bool build_of(plan *p, plan_run *r) {
  char why[PATH];
  for (size_t k = 0; k < p->n_builds; k++)
    if (!strcmp(p->builds[k].tool, r->is.tool) && !strcmp(p->builds[k].near, r->is.near))
      return r->is.build_hash = p->builds[k].hash, true;
  if (p->n_builds == BUILDS ||
      !hash_build(r->is.tool, r->is.near, p->builds[p->n_builds].hash, why, sizeof why)) {
    snprintf(p->why, p->why_bytes, "%s", why);
    return false;
  }
  p->builds[p->n_builds].tool = r->is.tool;
  p->builds[p->n_builds].near = r->is.near;
  r->is.build_hash = p->builds[p->n_builds++].hash;
  return true;
}

static void set_key(plan *p, plan_run *r, const study_what *w) {
  const char *const parts[] = {r->is.tool,          r->is.near,      r->is.program,
                               r->is.program_hash,  r->is.arguments, w->options ? w->options : "",
                               r->is.configuration, r->is.build_hash};
  uint64_t one = 0, two = 1;
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    one = sum_bytes(one, parts[k], strlen(parts[k]) + 1);
    two = sum_bytes(two, parts[k], strlen(parts[k]) + 1);
  }
  r->is.key = pieces_text(&p->texts, "%016" PRIx64 "%016" PRIx64, one, two);
}

static bool words_of(plan *p, plan_run *r, const study_what *w) {
  const char *tool = r->is.tool;
  if (strcmp(tool, "run") == 0 || strcmp(tool, "cc") == 0)
    return of_program(p, r, w);
  if (strcmp(tool, "spacea") == 0 || strcmp(tool, "map") == 0)
    return of_matrix(p, r, w);
  return of_tool(p, r, w);
}

static bool make_run(plan *p, plan_run *r, const study_what *w) {
  static const char *const nears[] = {"c", "rtl", "lockstep", "none"};
  r->is.near = p->options.near ? p->options.near : w->near ? w->near : "c";
  if (strcmp(r->is.tool, "cc") == 0 || strcmp(r->is.tool, "map") == 0)  // for no machine
    r->is.near = "none";
  bool known = false;
  for (size_t k = 0; k < 4; k++)
    known = known || strcmp(nears[k], r->is.near) == 0;
  if (!known)
    return wrong(p, r->entry->at, "'near' is c, rtl, lockstep or none; not '%s'", r->is.near);
  r->is.arguments = w->arguments && strcmp(r->is.tool, "cc") ? w->arguments : "";
  r->is.configuration = r->is.configuration_hash = r->is.machine = "";
  r->job.seconds = p->options.seconds > 0 ? p->options.seconds : p->of->seconds;
  r->job.megabytes = p->options.megabytes > 0 ? p->options.megabytes : p->of->megabytes;
  add_word(r, r->is.tool);
  if (!words_of(p, r, w) || !build_of(p, r))
    return false;
  if (r->job.n > JOB_WORDS)
    return wrong(p, r->entry->at, "the command line has more than %d words", JOB_WORDS);
  r->is.command = command_text(p, r);
  r->job.build = r->is.build_hash;
  set_key(p, r, w);
  return true;
}

// ---- all of them

static uint64_t slot_of(const plan *p, const char *key) {
  uint64_t at = strtoull((char[]){key[0], key[1], key[2], key[3], key[4], key[5], key[6], key[7],
                                  key[8], key[9], key[10], key[11], 0},
                         NULL, 16);
  for (at %= p->slots; p->table[at] && strcmp(p->runs[p->table[at] - 1]->is.key, key) != 0;)
    at = (at + 1) % p->slots;
  return at;
}

static void grow(plan *p) {
  p->slots = p->slots ? 2 * p->slots : 1024;
  free(p->table);
  p->table = calloc(p->slots, sizeof *p->table);
  if (!p->table)
    abort();
  for (size_t k = 0; k < p->n; k++)
    p->table[slot_of(p, p->runs[k]->is.key)] = k + 1;
}

// The number of this run, or of one with its key.
static size_t add_run(plan *p, plan_run *r) {
  if (2 * p->n >= p->slots)
    grow(p);
  const uint64_t at = slot_of(p, r->is.key);
  if (p->table[at]) {
    free(r);
    return p->table[at] - 1;
  }
  if (p->n == p->room) {
    p->room = p->room ? 2 * p->room : 256;
    p->runs = realloc(p->runs, p->room * sizeof *p->runs);
    if (!p->runs)
      abort();
  }
  p->runs[p->n] = r;
  p->table[at] = ++p->n;
  return p->n - 1;
}

static void add_cell(plan *p, cell c) {
  if (p->n_cells == p->room_cells) {
    p->room_cells = p->room_cells ? 2 * p->room_cells : 1024;
    p->cells = realloc(p->cells, p->room_cells * sizeof *p->cells);
    if (!p->cells)
      abort();
  }
  p->cells[p->n_cells++] = c;
}

// That of the figure takes the place of the entry's when it takes the same programs.
static const char *tool_of(const study_figure *f, const study_entry *e) {
  const bool cc = f->tool && !strcmp(f->tool, "cc") && !strcmp(e->tool, "run");
  const bool map = f->tool && !strcmp(f->tool, "map") && !strcmp(e->tool, "spacea");
  return cc || map ? f->tool : e->tool;
}

static bool add_row(plan *p, study *s, const study_figure *f, const study_entry *e) {
  for (size_t k = 0; k < f->n_variants; k++) {
    plan_run *r = calloc(1, sizeof *r);
    if (!r)
      abort();
    study_what w = study_join(s, &s->defaults, &f->what);
    w = study_join(s, &w, &e->what);
    w = study_join(s, &w, &f->variants[k].what);
    r->entry = e;
    r->is.tool = tool_of(f, e);
    if (!make_run(p, r, &w)) {
      free(r);
      return false;
    }
    add_cell(p, (cell){f, e, &f->variants[k], add_run(p, r)});
  }
  return true;
}

// A name among those with commas between them.
static bool among(const char *names, const char *name) {
  const size_t n = strlen(name);
  for (const char *at = names; *at; at += strcspn(at, ","), at += *at == ',')
    if (strncmp(at, name, n) == 0 && (!at[n] || at[n] == ','))
      return true;
  return false;
}

bool plan_has(const plan *p, const study_figure *f, const study_set *s) {
  return (!p->only_figures || among(p->options.only, f->name)) &&
         (!p->only_sets || among(p->options.only, s->name));
}

const char *plan_only(const plan *p) {
  return p->options.only;
}

// Which names are of figures, and which of sets? One that is both is of the figure.
static bool check_only(plan *p) {
  const study *s = p->of;
  for (const char *at = p->options.only ? p->options.only : ""; *at;) {
    const size_t n = strcspn(at, ",");
    const char *name = pieces_text(&p->texts, "%.*s", (int)n, at), *figures = "", *sets = "";
    if (study_figure_named(s, name)) {
      p->only_figures = true;
    } else if (study_set_named(s, name)) {
      p->only_sets = true;
    } else {
      for (size_t k = 0; k < s->n_figures; k++)
        figures = pieces_text(&p->texts, "%s%s%s", figures, k ? ", " : "", s->figures[k].name);
      for (size_t k = 0; k < s->n_sets; k++)
        sets = pieces_text(&p->texts, "%s%s%s", sets, k ? ", " : "", s->sets[k].name);
      snprintf(p->why, p->why_bytes,
               "study '%s' has no figure and no set '%s'; figures: %s; sets: %s", s->name, name,
               figures, sets);
      return false;
    }
    at += n + (at[n] == ',');
  }
  return true;
}

static bool fill(plan *p, study *s) {
  if (!check_only(p))
    return false;
  for (size_t k = 0; k < s->n_figures; k++) {
    const study_figure *f = &s->figures[k];
    for (size_t m = 0; m < f->n_sets; m++) {
      const study_set *set = f->sets[m];
      for (size_t n = 0, rows = plan_has(p, f, set) ? set->n : 0; n < rows; n++) {
        const study_entry *e = &set->entries[n];
        if (strcmp(e->tool, "file") != 0 && !add_row(p, s, f, e))
          return false;
      }
    }
  }
  return true;
}

static int by_place(const void *a, const void *b) {
  const cell *x = a, *y = b;
  return x->f != y->f   ? (x->f < y->f ? -1 : 1)
         : x->e != y->e ? (x->e < y->e ? -1 : 1)
         : x->v != y->v ? (x->v < y->v ? -1 : 1)
                        : 0;
}

plan *plan_make(const study *s, const plan_options *o, char *why, size_t bytes) {
  plan *p = calloc(1, sizeof *p);
  if (!p)
    abort();
  p->of = s, p->options = *o, p->why = why, p->why_bytes = bytes;
  if (fill(p, (study *)s)) {
    if (p->n_cells)
      qsort(p->cells, p->n_cells, sizeof *p->cells, by_place);
    return p;
  }
  plan_free(p);
  return NULL;
}

void plan_free(plan *p) {
  if (!p)
    return;
  for (size_t k = 0; k < p->n; k++)
    free(p->runs[k]);
  pieces_free(&p->texts);
  free(p->runs);
  free(p->cells);
  free(p->table);
  free(p);
}

size_t plan_count(const plan *p) {
  return p->n;
}
plan_run *plan_at(const plan *p, size_t n) {
  return p->runs[n];
}

plan_run *plan_cell(const plan *p, const study_figure *f, const study_entry *e,
                    const study_variant *v) {
  const cell key = {f, e, v, 0};
  const cell *c = p->n_cells ? bsearch(&key, p->cells, p->n_cells, sizeof key, by_place) : NULL;
  return c ? p->runs[c->run] : NULL;
}

const char *plan_file(const plan *p, const study_entry *e) {
  return place_of((plan *)p, e->program);
}

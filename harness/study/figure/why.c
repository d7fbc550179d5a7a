// SPDX-License-Identifier: Apache-2.0
#include "why.h"

#include <stdlib.h>
#include <string.h>

enum { NAME = 256, PARTS = 4 };

static void put_run(const store_run *r, FILE *to) {
  fprintf(to, "run %lld\n  command        %s\n  outcome        %s%s%s\n", (long long)r->id,
          r->command, r->outcome, *r->message ? ": " : "", r->message);
  fprintf(to, "  started        %s on %s, %.2f s, %.2f s of processors, %.0f MB\n", r->started,
          r->host, r->seconds, r->cpu_seconds, (double)r->memory / 1048576);
  fprintf(to, "  build          %s\n", r->build);
  fprintf(to, "  hashes         program %s, machine %s, build %s\n",
          *r->program_hash ? r->program_hash : "-", r->configuration_hash, r->build_hash);
}

static void put_change(const char *what, const char *before, const char *now, FILE *to) {
  if (strcmp(before, now) != 0)
    fprintf(to, "  %s has changed: %s then, %s now\n", what, before, now);
}

// A run of the plan: what the store has of it, and if nothing, why not.
static bool put_planned(const plan_run *p, store *st, FILE *to, char *why) {
  store_run r;
  const int64_t id = p->id ? p->id : store_before(st, &p->is);
  if (!id) {
    fprintf(to, "not run yet\n  command        %s\n", p->is.command);
    return true;
  }
  if (!store_read(st, id, false, &r, why))
    return false;
  put_run(&r, to);
  if (!p->id) {
    fprintf(to, "  to be run again, because\n");
    put_change("the program", r.program_hash, p->is.program_hash, to);
    put_change("the machine", r.configuration_hash, p->is.configuration_hash, to);
    put_change("the build", r.build_hash, p->is.build_hash, to);
  }
  store_run_free(&r);
  return true;
}

// ---- cells

// The columns of a row, with what they are made of.
static void put_columns(const results *r, const study_figure *f, const study_set *s, size_t row,
                        FILE *to) {
  for (size_t k = 0; k < r->n; k++)
    for (size_t m = 0; m < r->figures[k].n_tables && r->figures[k].of == f; m++) {
      const result_table *t = &r->figures[k].tables[m];
      for (size_t c = 0; c < t->n_columns && t->set == s; c++) {
        const result_cell *x = &t->cells[row * t->n_columns + c];
        fprintf(to, "%s = %s = ", t->columns[c].title, t->columns[c].of->text);
        if (x->there)
          fprintf(to, "%.*f %s\n", t->columns[c].of->digits, x->value, t->columns[c].of->unit);
        else
          fputs("missing\n", to);
      }
    }
}

typedef struct parts {
  char text[NAME];
  size_t n;
  const char *is[PARTS];
} parts;

static void split(const char *what, parts *p) {
  p->n = 0;
  snprintf(p->text, sizeof p->text, "%s", what);
  for (char *at = p->text; at && p->n < PARTS;) {
    p->is[p->n++] = at;
    at = strchr(at, '/');
    if (at)
      *at++ = 0;
  }
}

static const study_set *set_named(const study_figure *f, const char *name) {
  for (size_t k = 0; k < f->n_sets; k++)
    if (strcmp(f->sets[k]->name, name) == 0)
      return f->sets[k];
  return NULL;
}

static bool put_row(const plan *p, const results *r, const study_figure *f, const study_set *s,
                    const char *row, const char *variant, store *st, FILE *to, bool *found,
                    char *why) {
  for (size_t k = 0; k < s->n; k++) {
    if (strcmp(s->entries[k].name, row) != 0)
      continue;
    put_columns(r, f, s, k, to);
    for (size_t v = 0; v < f->n_variants; v++) {
      const plan_run *run = plan_cell(p, f, &s->entries[k], &f->variants[v]);
      if (!run || (variant && strcmp(f->variants[v].name, variant) != 0))
        continue;
      *found = true;
      fprintf(to, "%s/%s/%s/%s: ", f->name, s->name, row, f->variants[v].name);
      if (!put_planned(run, st, to, why))
        return false;
    }
  }
  return true;
}

static bool put_cell(const study *s, const plan *p, const results *r, store *st, const char *what,
                     FILE *to, char *why) {
  parts w;
  split(what, &w);
  const study_figure *f = study_figure_named(s, w.is[0]);
  bool found = false;
  if (!f || w.n < 2) {
    snprintf(why, RESULT_WHY,
             "--why takes the number of a run, or FIGURE[/SET]/PROGRAM[/VARIANT]; "
             "study '%s' has no figure '%.60s'",
             s->name, w.is[0]);
    return false;
  }
  const study_set *set = set_named(f, w.is[1]);
  const size_t at = set ? 2 : 1;
  if (at >= w.n) {
    snprintf(why, RESULT_WHY, "--why %s: the program is missing, as in %s/%s", what, what,
             set->entries[0].name);
    return false;
  }
  for (size_t k = 0; k < f->n_sets; k++)
    if ((!set || f->sets[k] == set) &&
        !put_row(p, r, f, f->sets[k], w.is[at], at + 1 < w.n ? w.is[at + 1] : NULL, st, to, &found,
                 why))
      return false;
  if (!found)
    snprintf(why, RESULT_WHY, "figure '%s' has no run '%s'", f->name, what);
  return found;
}

bool why_print(const study *s, const plan *p, const results *r, store *st, const char *what,
               FILE *to, char *why) {
  char *end;
  const long long id = strtoll(what, &end, 10);
  if (*end && s)
    return put_cell(s, p, r, st, what, to, why);
  if (*end) {
    snprintf(why, RESULT_WHY, "--why %s: name the study too", what);
    return false;
  }
  store_run run;
  if (!store_read(st, id, false, &run, why))
    return false;
  put_run(&run, to);
  store_run_free(&run);
  return true;
}

// SPDX-License-Identifier: Apache-2.0
// Cycles by source line, of two profiles. Kernels belong together by their symbols, files by their
// paths and names, lines as match.c says. The rows of a kernel add up to its cycles: lines, what is
// no instruction's, and the drain.
#include <stdlib.h>
#include <string.h>
#include "diff_priv.h"

static const char *const cause_keys[DIFF_CAUSES] = {
#define DIFF_CAUSE(NAME, counter, name, doc) #counter,
#include "causes.def"
};

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// ---- one side of a kernel: its lines

// Of one run: a line, or what is no instruction's (`what`).
typedef struct row {
  const char *file, *text, *what;
  uint32_t line;
  uint64_t cause[DIFF_CAUSES];
} row;

typedef struct side {
  const tree *kernel;  // NULL: this run does not have it
  row *rows;           // lines in order, then the others
  size_t n, lines;
} side;

static int by_place(const void *x, const void *y) {
  const row *a = x, *b = y;
  const int file = strcmp(a->file, b->file);
  return file ? file : a->line < b->line ? -1 : a->line > b->line;
}

static void add_causes(row *to, const tree *of) {
  for (int k = 0; k < DIFF_CAUSES; k++) {
    const tree *list = tree_in(tree_in(of, "cycles"), cause_keys[k]);
    for (const tree *c = list ? list->first : NULL; c; c = c->next)
      to->cause[k] += (uint64_t)c->number;
  }
}

// 0: there is none.
static uint32_t line_of(const tree *of) {
  const double n = tree_number(tree_in(of, "cuda_line"), 0);
  return n >= 1 && n < 1e9 ? (uint32_t)n : 0;
}

static row *add_row(side *s) {
  s->rows = diff_must(realloc(s->rows, (s->n + 1) * sizeof *s->rows));
  s->rows[s->n] = (row){.file = ""};
  return &s->rows[s->n++];
}

// Rows of one place become one.
static void join(side *s) {
  size_t n = 0;
  qsort(s->rows, s->n, sizeof *s->rows, by_place);
  for (size_t k = 0; k < s->n; k++) {
    if (!n || by_place(&s->rows[n - 1], &s->rows[k])) {
      s->rows[n++] = s->rows[k];
      continue;
    }
    for (int c = 0; c < DIFF_CAUSES; c++)
      s->rows[n - 1].cause[c] += s->rows[k].cause[c];
  }
  s->n = n;
}

// Texts of the lines, which older profiles do not have.
static void take_texts(side *s) {
  const tree *lines = tree_in(s->kernel, "lines");
  for (const tree *l = lines ? lines->first : NULL; l; l = l->next) {
    const row key = {.file = tree_text(tree_in(l, "cuda_file"), ""), .line = line_of(l)};
    row *r = s->n ? bsearch(&key, s->rows, s->n, sizeof key, by_place) : NULL;
    if (r)
      r->text = tree_text(tree_in(l, "text"), NULL);
  }
}

static side side_of(const tree *kernel) {
  side s = {.kernel = kernel};
  if (!kernel)
    return s;
  for (const tree *i = tree_in(kernel, "instructions")->first; i; i = i->next) {
    row *r = add_row(&s);
    r->file = tree_text(tree_in(i, "cuda_file"), "");
    r->line = line_of(i);
    if (!r->line)  // then it has no file either
      r->file = "";
    add_causes(r, i);
  }
  join(&s);
  take_texts(&s);
  s.lines = s.n;
  for (const tree *o = tree_in(kernel, "others")->first; o; o = o->next) {
    row *r = add_row(&s);
    r->what = tree_text(tree_in(o, "what"), o->key ? o->key : "");
    add_causes(r, o);
  }
  return s;
}

// ---- pairs of rows

typedef struct work {
  diff *d;
  diff_kernel *to;
  int64_t unit;
  side side[2];
  bool fits;
} work;

static const char *how_of(const row *a, const row *b) {
  if (!a || !b)
    return a ? "only in A" : "only in B";
  if (a->what || !a->line)
    return "";
  if (a->text && b->text &&
      strcmp(a->text + strspn(a->text, " \t"), b->text + strspn(b->text, " \t")) != 0)
    return "changed";
  return a->line != b->line ? "moved" : "";
}

// "axpy.cu:9", "axpy.cu:9 -> 12".
static char *where_of(const row *a, const row *b) {
  const row *x = a ? a : b;
  char *to;
  size_t bytes;
  FILE *f = diff_must(open_memstream(&to, &bytes));
  if (x->what || !x->line)
    fputs(x->what ? x->what : "no line", f);
  else
    fprintf(f, "%s:%u", base_of(x->file), x->line);
  if (a && b && x->line && strcmp(base_of(a->file), base_of(b->file)) != 0)
    fprintf(f, " -> %s:%u", base_of(b->file), b->line);
  else if (a && b && a->line != b->line)
    fprintf(f, " -> %u", b->line);
  fclose(f);
  return to;
}

// Either may be NULL.
static void add_pair(work *w, const row *a, const row *b) {
  diff_kernel *k = w->to;
  const row *of[2] = {a, b};
  k->lines = diff_must(realloc(k->lines, (k->n + 1) * sizeof *k->lines));
  diff_line *l = &k->lines[k->n++];
  *l = (diff_line){.where = where_of(a, b), .how = how_of(a, b)};
  l->text = b && b->text ? b->text : a ? a->text : NULL;
  for (int s = 0; s < 2; s++) {
    if (!of[s])
      continue;
    l->file[s] = of[s]->line ? of[s]->file : NULL, l->line[s] = of[s]->line;
    for (int c = 0; c < DIFF_CAUSES; c++) {
      w->fits &=
          diff_scaled(of[s]->cause[c], 4 * w->d->run[s]->profile_cores, w->unit, &l->cause[c][s]);
      l->cycles[s] += l->cause[c][s];
    }
  }
  bool any = false;
  for (int c = 0; c < DIFF_CAUSES; c++)
    any |= l->cause[c][0] || l->cause[c][1];
  if (any)
    return;
  free(l->where);
  k->n--;
}

// Rows of one file: first[0] up to before end[0] of A, first[1] up to before end[1] of B.
static void pair_files(work *w, const size_t first[2], const size_t end[2]) {
  diff_place *places[2];
  size_t n[2];
  for (int s = 0; s < 2; s++) {
    n[s] = end[s] - first[s];
    places[s] = diff_must(calloc(n[s] + 1, sizeof **places));
    for (size_t k = 0; k < n[s]; k++) {
      const row *r = &w->side[s].rows[first[s] + k];
      places[s][k] = (diff_place){r->line, r->text};
    }
  }
  size_t *partner = diff_must(calloc(n[0] + 1, sizeof *partner));
  bool *taken = diff_must(calloc(n[1] + 1, sizeof *taken));
  diff_match(places[0], n[0], places[1], n[1], partner);
  for (size_t k = 0; k < n[0]; k++) {
    const bool pair = partner[k] != SIZE_MAX;
    add_pair(w, &w->side[0].rows[first[0] + k],
             pair ? &w->side[1].rows[first[1] + partner[k]] : NULL);
    if (pair)
      taken[partner[k]] = true;
  }
  for (size_t k = 0; k < n[1]; k++)
    if (!taken[k])
      add_pair(w, NULL, &w->side[1].rows[first[1] + k]);
  free(places[0]);
  free(places[1]);
  free(partner);
  free(taken);
}

// ---- files

typedef struct piece {
  size_t first, end;
  const char *file;
  bool taken;
} piece;

static size_t pieces_of(const side *s, piece **to) {
  size_t n = 0;
  *to = diff_must(calloc(s->lines + 1, sizeof **to));
  for (size_t k = 0; k < s->lines; k++) {
    if (!n || strcmp((*to)[n - 1].file, s->rows[k].file) != 0)
      (*to)[n++] = (piece){k, k, s->rows[k].file, false};
    (*to)[n - 1].end = k + 1;
  }
  return n;
}

typedef bool same_file(const piece *a, const piece *b);
static bool same_path(const piece *a, const piece *b) {
  return strcmp(a->file, b->file) == 0;
}
static bool same_name(const piece *a, const piece *b) {
  return *a->file && *b->file && strcmp(base_of(a->file), base_of(b->file)) == 0;
}
// For what remains: a file that has another name.
static bool any_name(const piece *a, const piece *b) {
  return *a->file && *b->file;
}

static size_t free_of(const piece *p, size_t n) {
  size_t count = 0;
  for (size_t k = 0; k < n; k++)
    count += !p[k].taken && *p[k].file;
  return count;
}

static void pair_pieces(work *w, piece *a, size_t na, piece *b, size_t nb, same_file *same) {
  for (size_t i = 0; i < na; i++)
    for (size_t k = 0; k < nb && !a[i].taken; k++)
      if (!b[k].taken && same(&a[i], &b[k])) {
        a[i].taken = b[k].taken = true;
        pair_files(w, (const size_t[]){a[i].first, b[k].first},
                   (const size_t[]){a[i].end, b[k].end});
      }
}

static void pair_lines(work *w) {
  piece *p[2];
  size_t n[2];
  for (int s = 0; s < 2; s++)
    n[s] = pieces_of(&w->side[s], &p[s]);
  pair_pieces(w, p[0], n[0], p[1], n[1], same_path);
  pair_pieces(w, p[0], n[0], p[1], n[1], same_name);
  if (free_of(p[0], n[0]) == 1 && free_of(p[1], n[1]) == 1)
    pair_pieces(w, p[0], n[0], p[1], n[1], any_name);
  for (int s = 0; s < 2; s++)
    for (size_t k = 0; k < n[s]; k++)
      if (!p[s][k].taken)
        pair_files(w, (const size_t[]){s ? 0 : p[s][k].first, s ? p[s][k].first : 0},
                   (const size_t[]){s ? 0 : p[s][k].end, s ? p[s][k].end : 0});
  free(p[0]);
  free(p[1]);
}

static void pair_others(work *w) {
  const side *a = &w->side[0], *b = &w->side[1];
  for (size_t i = a->lines; i < a->n; i++) {
    const row *other = NULL;
    for (size_t k = b->lines; k < b->n && !other; k++)
      other = strcmp(a->rows[i].what, b->rows[k].what) ? NULL : &b->rows[k];
    add_pair(w, &a->rows[i], other);
  }
  for (size_t k = b->lines; k < b->n; k++) {
    bool there = false;
    for (size_t i = a->lines; i < a->n; i++)
      there |= !strcmp(a->rows[i].what, b->rows[k].what);
    if (!there)
      add_pair(w, NULL, &b->rows[k]);
  }
}

static uint64_t number_in(const tree *of, const char *key) {
  return (uint64_t)tree_number(tree_in(of, key), 0);
}

static void add_drain(work *w) {
  diff_kernel *k = w->to;
  diff_line l = {.how = ""};
  for (int s = 0; s < 2; s++) {
    w->fits &= diff_scaled(number_in(w->side[s].kernel, "drain_cycles"), 1, w->unit, &l.cycles[s]);
    l.cycles[s] = l.cause[DIFF_EMPTY][s] = -l.cycles[s];
  }
  if (!l.cycles[0] && !l.cycles[1])
    return;
  l.where = diff_must(strdup("drain (counted without a warp)"));
  k->lines = diff_must(realloc(k->lines, (k->n + 1) * sizeof *k->lines));
  k->lines[k->n++] = l;
}

diff_cause diff_mostly(const diff_line *l) {
  diff_cause most = DIFF_ISSUE;
  int64_t largest = -1;
  for (int c = 0; c < DIFF_CAUSES; c++) {
    const int64_t n = l->cause[c][1] > l->cause[c][0] ? l->cause[c][1] - l->cause[c][0]
                                                      : l->cause[c][0] - l->cause[c][1];
    if (n > largest)
      most = (diff_cause)c, largest = n;
  }
  return most;
}

// ---- kernels

static int64_t size_of(const int64_t cycles[2]) {
  return cycles[1] > cycles[0] ? cycles[1] - cycles[0] : cycles[0] - cycles[1];
}

static int by_difference(const void *x, const void *y) {
  const diff_line *a = x, *b = y;
  const int64_t da = size_of(a->cycles), db = size_of(b->cycles);
  return da != db ? (da > db ? -1 : 1) : strcmp(a->where, b->where);
}

static int by_kernel(const void *x, const void *y) {
  const diff_kernel *a = x, *b = y;
  const int64_t da = size_of(a->cycles), db = size_of(b->cycles);
  return da != db ? (da > db ? -1 : 1) : strcmp(a->name[!a->name[0]], b->name[!b->name[0]]);
}

static void add_kernel(work *w, const tree *a, const tree *b) {
  diff_lines *l = &w->d->lines;
  l->all = diff_must(realloc(l->all, (l->n + 1) * sizeof *l->all));
  diff_kernel *k = w->to = &l->all[l->n++];
  *k = (diff_kernel){0};
  w->side[0] = side_of(a), w->side[1] = side_of(b);
  for (int s = 0; s < 2; s++) {
    const tree *of = w->side[s].kernel;
    k->name[s] = of ? tree_text(tree_in(of, "name"), "?") : NULL;
    k->launches[s] = number_in(of, "launches");
  }
  pair_lines(w);
  pair_others(w);
  add_drain(w);
  for (size_t n = 0; n < k->n; n++)
    for (int s = 0; s < 2; s++)
      k->cycles[s] += k->lines[n].cycles[s];
  if (k->n)
    qsort(k->lines, k->n, sizeof *k->lines, by_difference);
  free(w->side[0].rows);
  free(w->side[1].rows);
}

static bool same_text(const tree *a, const tree *b, const char *key) {
  const char *x = tree_text(tree_in(a, key), NULL), *y = tree_text(tree_in(b, key), NULL);
  return x && y && strcmp(x, y) == 0;
}

// Those with the same text in `key`, NULL: any.
static void pair_kernels(work *w, const tree **a, size_t na, const tree **b, size_t nb,
                         const char *key) {
  for (size_t i = 0; i < na; i++)
    for (size_t k = 0; k < nb && a[i]; k++)
      if (b[k] && (!key || same_text(a[i], b[k], key))) {
        add_kernel(w, a[i], b[k]);
        a[i] = b[k] = NULL;
      }
}

static const tree **kernels_of(const diff_run *r, size_t *n) {
  const tree *list = tree_in(tree_top(r->profile), "kernels");
  const tree **all = diff_must(calloc(list->n + 1, sizeof *all));
  *n = 0;
  for (const tree *k = list->first; k; k = k->next)
    all[(*n)++] = k;
  return all;
}

static size_t left_of(const tree **all, size_t n) {
  size_t left = 0;
  for (size_t k = 0; k < n; k++)
    left += all[k] != NULL;
  return left;
}

bool diff_lines_of(diff *d, char *why) {
  diff_lines *l = &d->lines;
  work w = {.d = d, .fits = true};
  if (!d->run[0]->profile || !d->run[1]->profile)
    return true;
  size_t na, nb;
  const tree **a = kernels_of(d->run[0], &na), **b = kernels_of(d->run[1], &nb);
  w.unit = l->per_cycle = diff_unit(4 * d->run[0]->profile_cores, 4 * d->run[1]->profile_cores);
  pair_kernels(&w, a, na, b, nb, "kernel");
  pair_kernels(&w, a, na, b, nb, "name");
  if (left_of(a, na) == 1 && left_of(b, nb) == 1)
    pair_kernels(&w, a, na, b, nb, NULL);
  for (size_t k = 0; k < na; k++)
    if (a[k])
      add_kernel(&w, a[k], NULL);
  for (size_t k = 0; k < nb; k++)
    if (b[k])
      add_kernel(&w, NULL, b[k]);
  free(a);
  free(b);
  if (l->n)
    qsort(l->all, l->n, sizeof *l->all, by_kernel);
  l->known = true;
  return w.fits ||
         diff_fail(why, "the profiles of '%s' and '%s' have too many cycles to be compared",
                   d->run[0]->name, d->run[1]->name);
}

void diff_lines_free(diff_lines *l) {
  for (size_t k = 0; k < l->n; k++) {
    for (size_t n = 0; n < l->all[k].n; n++)
      free(l->all[k].lines[n].where);
    free(l->all[k].lines);
  }
  free(l->all);
}

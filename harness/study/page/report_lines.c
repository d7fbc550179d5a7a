// SPDX-License-Identifier: Apache-2.0
// Source lines with the most cycles, from mpu profile --json (docs/profile.md).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/user_error.h"
#include "report_priv.h"

enum { CAUSES = 6, LEAST = 3, SHOWN = 12, ROWS = 30, TEXT = 160 };

static const char *const causes[CAUSES] = {"issue",   "memory", "scoreboard",
                                           "barrier", "fetch",  "engine"};

typedef struct line {
  const char *file;
  double number, cycles[CAUSES], all, issued, near, flits, held;
} line;

typedef struct lines {
  line *all;
  size_t n;
} lines;

static line *line_at(lines *l, const char *file, double number) {
  for (size_t k = 0; k < l->n; k++)
    if (l->all[k].number == number && strcmp(l->all[k].file, file) == 0)
      return &l->all[k];
  l->all = realloc(l->all, (l->n + 1) * sizeof *l->all);
  if (!l->all)
    abort();
  l->all[l->n] = (line){.file = file, .number = number};
  return &l->all[l->n++];
}

static void add_instruction(lines *l, const tree *i) {
  line *to =
      line_at(l, tree_text(tree_in(i, "cuda_file"), ""), tree_number(tree_in(i, "cuda_line"), 0));
  const tree *cycles = tree_in(i, "cycles");
  for (size_t c = 0; c < CAUSES; c++) {
    const double n = report_sum(cycles, causes[c]);
    to->cycles[c] += n;
    to->all += n;
  }
  to->issued += report_sum(i, "issued");
  to->near += report_sum(i, "near");
  to->held += report_sum(i, "held_memory") + report_sum(i, "held_scoreboard");
  to->flits += report_sum(i, "traffic.flits_down") + report_sum(i, "traffic.flits_up") +
               report_sum(i, "traffic_elsewhere.flits_down") +
               report_sum(i, "traffic_elsewhere.flits_up");
}

static int by_cycles(const void *a, const void *b) {
  const double x = ((const line *)a)->all, y = ((const line *)b)->all;
  return (x < y) - (x > y);
}

// The text of a line, if its file is still there.
static void source_of(const line *l, char to[TEXT]) {
  size_t bytes;
  *to = 0;
  char *text = *l->file ? file_contents(l->file, &bytes) : NULL;
  if (!text)
    return;
  const char *at = text, *end = text + bytes;
  for (double n = 1; at && at < end && n < l->number; n++) {
    at = memchr(at, '\n', (size_t)(end - at));
    at = at ? at + 1 : end;
  }
  while (at < end && (*at == ' ' || *at == '\t'))
    at++;
  const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : at;
  const size_t n = (size_t)((stop ? stop : end) - at);
  snprintf(to, TEXT, "%.*s", n < TEXT ? (int)n : TEXT - 1, at);
  free(text);
}

static void name_of(const line *l, char to[TEXT]) {
  const char *slash = strrchr(l->file, '/');
  if (*l->file)
    snprintf(to, TEXT, "%.100s:%.0f", slash ? slash + 1 : l->file, l->number);
  else
    snprintf(to, TEXT, "no line");
}

static void put_figure(const report *r, const lines *l, double all) {
  char texts[SHOWN][TEXT], sources[SHOWN][TEXT];
  const char *names[SHOWN], *titles[SHOWN];
  static const int colours[CAUSES] = {0, 1, 3, 4, 5, 7};
  double shares[SHOWN * CAUSES];
  size_t n = 0;
  while (n < l->n && n < SHOWN && (n < LEAST || 100 * l->all[n].all / all >= 0.5))
    n++;
  for (size_t k = 0; k < n; k++) {
    name_of(&l->all[k], texts[k]);
    source_of(&l->all[k], sources[k]);
    names[k] = texts[k], titles[k] = sources[k];
    for (size_t c = 0; c < CAUSES; c++)
      shares[k * CAUSES + c] = 100 * l->all[k].cycles[c] / all;
  }
  chart_bars_put(r->p,
                 &(chart_bars){.about = {.title = "Lines with the most cycles",
                                         .note = "share of the cycles of subcores that hold a warp",
                                         .no_table = true},
                               .suffix = " %",
                               .names = names,
                               .titles = titles,
                               .n = n,
                               .series = causes,
                               .n_series = CAUSES,
                               .values = shares,
                               .colours = colours,
                               .stacked = true,
                               .rows = true});
}

static void put_table(const report *r, const lines *l, double all, double flits) {
  static const page_column columns[] = {
      {.name = "line"},
      {.name = "cycles", .number = true},
      {.name = "mostly"},
      {.name = "held", .number = true, .title = "cycles in which others wait for this line"},
      {.name = "issued", .number = true},
      {.name = "near", .number = true, .title = "of the issued instructions"},
      {.name = "far", .number = true, .title = "of the issued instructions"},
      {.name = "flits", .number = true, .title = "of all on the TSV bus"},
      {.name = "source", .code = true}};
  page_table_begin(r->p, NULL, columns, sizeof columns / sizeof *columns);
  for (size_t k = 0; k < l->n && k < ROWS; k++) {
    const line *x = &l->all[k];
    char name[TEXT], source[TEXT];
    size_t most = 0;
    for (size_t c = 1; c < CAUSES; c++)
      if (x->cycles[c] > x->cycles[most])
        most = c;
    name_of(x, name);
    source_of(x, source);
    page_cell_as(r->p, PAGE_PLAIN, x->file, NULL, "%s", name);
    page_cell(r->p, "%.1f %%", 100 * x->all / all);
    page_cell(r->p, "%s", x->all > 0 ? causes[most] : "");
    page_cell(r->p, "%.1f %%", 100 * x->held / all);
    page_cell_number(r->p, x->issued);
    if (x->issued > 0) {
      page_cell(r->p, "%.0f %%", 100 * x->near / x->issued);
      page_cell(r->p, "%.0f %%", 100 - 100 * x->near / x->issued);
    } else {
      page_cell(r->p, "%s", "");
      page_cell(r->p, "%s", "");
    }
    page_cell(r->p, "%.1f %%", flits > 0 ? 100 * x->flits / flits : 0);
    page_cell(r->p, "%s", source);
  }
  page_table_end(r->p);
  if (l->n > ROWS)
    page_note(r->p, "%zu more lines are left out; mpu profile --html FILE shows all.", l->n - ROWS);
}

void report_lines(const report *r) {
  lines l = {NULL, 0};
  double all = 0, flits = 0;
  if (!r->in->profile) {
    report_lacks(r,
                 "Source lines: run mpu profile --json FILE with the program, and give FILE to "
                 "this command with --profile.");
    return;
  }
  page_section(r->p, "lines", "Source lines");
  const tree *kernels = tree_in(r->in->profile, "kernels");
  for (const tree *k = kernels ? kernels->first : NULL; k; k = k->next) {
    const tree *instructions = tree_in(k, "instructions");
    for (const tree *i = instructions ? instructions->first : NULL; i; i = i->next)
      add_instruction(&l, i);
  }
  for (size_t k = 0; k < l.n; k++)
    all += l.all[k].all, flits += l.all[k].flits;
  if (!(all > 0)) {
    page_missing(r->p, "The profile has no instruction with a cycle.");
  } else {
    qsort(l.all, l.n, sizeof *l.all, by_cycles);
    while (l.all[l.n - 1].all == 0 && l.all[l.n - 1].issued == 0)
      l.n--;
    put_figure(r, &l, all);
    put_table(r, &l, all, flits);
  }
  free(l.all);
}

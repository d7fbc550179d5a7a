// SPDX-License-Identifier: Apache-2.0
// Heat maps: a cell for each row and column, coloured by its value.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "chart_priv.h"

typedef struct heat {
  const chart_heat *c;
  double low, high;
  bool missing;  // some values are
} heat;

static heat heat_of(const chart_heat *c) {
  heat h = {.c = c, .low = DBL_MAX, .high = -DBL_MAX};
  for (size_t k = 0; k < c->n_rows * c->n_columns; k++)
    if (c->cells && c->cells[k] != CHART_VALUE)
      continue;
    else if (there(c->values[k]))
      h.low = fmin(h.low, c->values[k]), h.high = fmax(h.high, c->values[k]);
    else
      h.missing = true;
  if (h.low <= h.high && c->low < c->high)
    h.low = c->low, h.high = c->high;
  if (c->sides && h.low <= h.high) {
    const double most = fmax(fabs(h.low - c->middle), fabs(h.high - c->middle));
    h.low = c->middle - (most > 0 ? most : 1), h.high = c->middle + (most > 0 ? most : 1);
  } else if (h.low == h.high) {  // one value: it is the most, or nothing at all
    h.low = fmin(h.low, 0), h.high = fmax(h.high, h.low == h.high ? 1 : 0);
  }
  return h;
}

static int step_of(const heat *h, double v) {
  const double share = (v - h->low) / (h->high - h->low);
  const int step = (int)floor(fmax(0, fmin(1, share)) * PALETTE_STEPS);
  return step < PALETTE_STEPS ? step : PALETTE_STEPS - 1;
}

// Where row or column n begins, with gaps between groups.
static double place(size_t n, double size, size_t together, double gap) {
  return (double)n * size + (together ? (double)(n / together) * gap : 0);
}

static double widest_of(const drawing *d, const char *const *names, size_t n) {
  double widest = 0;
  for (size_t k = 0; names && k < n; k++)
    widest = fmax(widest, text_width(d, names[k]));
  return widest;
}

static double widest_value(const drawing *d, const chart_heat *c) {
  double widest = 0;
  char text[PAGE_NUMBER];
  for (size_t k = 0; k < c->n_rows * c->n_columns; k++)
    if (there(c->values[k]) && !(c->cells && c->cells[k] != CHART_VALUE))
      widest = fmax(widest, text_width(d, short_text(text, c->values[k], "")));
  return widest;
}

typedef struct grid {
  double left, top, wide, high, gap;
  bool values;
} grid;

static void put_cell(const drawing *d, const heat *h, const grid *g, size_t row, size_t column) {
  const chart_heat *c = h->c;
  const size_t k = row * c->n_columns + column;
  const double x = g->left + place(column, g->wide, c->columns_together, g->gap);
  const double y = g->top + place(row, g->high, c->rows_together, g->gap);
  const double v = c->values[k];
  const chart_cell is = c->cells ? c->cells[k] : CHART_VALUE;
  if (is == CHART_NODE)
    fprintf(d->f, "<rect class=\"node\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
            x + g->wide * 0.2, y + g->high * 0.2, g->wide * 0.6, g->high * 0.6);
  if (is == CHART_NODE && c->titles)
    put_title(d, "%s", c->titles[k]);
  if (is == CHART_NODE)
    fputs("</rect>\n", d->f);
  if (is != CHART_VALUE)
    return;
  char text[PAGE_NUMBER + 8];
  const int step = there(v) ? step_of(h, v) : 0;
  const char *kind = c->sides ? "d" : "h";
  if (there(v))
    fprintf(d->f, "<rect class=\"cell %s%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
            kind, step, x, y, g->wide, g->high);
  else
    fprintf(d->f, "<rect class=\"void\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
            x + 1.5, y + 1.5, fmax(g->wide - 3, 1), fmax(g->high - 3, 1));
  value_text(text, v, c->suffix);
  if (c->titles)
    put_title(d, "%s: %s", c->titles[k], text);
  else
    put_title(d, "%s%s%s: %s", c->rows ? c->rows[row] : "", c->rows && c->columns ? ", " : "",
              c->columns ? c->columns[column] : "", text);
  fputs("</rect>\n", d->f);
  if (!g->values || !there(v))
    return;
  char class[16], number[PAGE_NUMBER];
  snprintf(class, sizeof class, "%st%d", kind, step);
  fputs("<g class=\"in\">", d->f);
  put_text(d, x + g->wide / 2, y + g->high / 2 + d->letter * 0.35, MIDDLE, class, 1e9,
           short_text(number, v, ""));
  fputs("</g>", d->f);
}

// Every how manyth name of a column is written.
static size_t stride_of(double widest, double wide) {
  size_t stride = 1;
  while ((double)stride * wide < widest)
    stride *= 2;
  return stride;
}

static void draw(drawing *d, const void *chart) {
  const heat *h = chart;
  const chart_heat *c = h->c;
  const double names = fmin(widest_of(d, c->rows, c->n_rows), d->width * 0.3);
  const double across = widest_of(d, c->columns, c->n_columns);
  grid g = {.left = c->rows ? names + 9 : 1, .gap = 9};
  const double gaps =
      c->columns_together ? (double)((c->n_columns - 1) / c->columns_together) * g.gap : 0;
  const double most = 88, length = fmin(across, 150);
  double room = d->width - g.left - gaps - 2;
  g.wide = fmin(room / (double)c->n_columns, most);
  const bool turned = across > g.wide - 4 && across > 34;
  if (turned) {  // the last name leans to the right
    room -= fmax(length * LEAN - g.wide / 2, 0);
    g.wide = fmin(room / (double)c->n_columns, most);
  }
  const double least = turned ? d->letter + 3 : 3.5;
  if (g.wide < least) {
    d->width += (least - g.wide) * (double)c->n_columns;
    g.wide = least;
  }
  g.high = fmax(fmin(g.wide * 0.8, d->narrow ? 28 : 34), 5);
  if (c->rows && g.high < d->letter + 3)
    g.high = d->letter + 3;
  g.values = widest_value(d, c) <= g.wide - 4 && g.high >= d->letter + 3;
  g.top = !c->columns ? 1 : turned ? length * RISE + d->letter + 4 : d->letter + 7;
  for (size_t row = 0; row < c->n_rows; row++)
    for (size_t column = 0; column < c->n_columns; column++)
      put_cell(d, h, &g, row, column);
  for (size_t row = 0; c->rows && row < c->n_rows; row++)
    put_text(d, g.left - 8,
             g.top + place(row, g.high, c->rows_together, g.gap) + g.high / 2 + d->letter * 0.35,
             END, "tick", names, c->rows[row]);
  const size_t stride = turned ? 1 : stride_of(across + 4, g.wide);
  for (size_t column = 0; c->columns && column < c->n_columns; column += stride) {
    const double x = g.left + place(column, g.wide, c->columns_together, g.gap) + g.wide / 2;
    if (turned)
      put_turned(d, x + d->letter * 0.2, g.top - 6, START, length, c->columns[column]);
    else
      put_text(d, x, g.top - 6, MIDDLE, "tick", 1e9, c->columns[column]);
  }
  d->height = g.top + place(c->n_rows - 1, g.high, c->rows_together, g.gap) + g.high + 2;
}

static void put_scale(page *p, const heat *h) {
  FILE *f = page_stream(p);
  char low[PAGE_NUMBER], high[PAGE_NUMBER];
  const char *suffix = h->c->suffix ? h->c->suffix : "";
  legend_begin(p);
  fputs("<li>", f);
  page_escape(f, short_text(low, h->low, suffix));
  fputs(
      "<svg class=\"key scale\" viewBox=\"0 0 154 12\" preserveAspectRatio=\"none\" "
      "aria-hidden=\"true\">",
      f);
  for (int k = 0; k < PALETTE_STEPS; k++)
    fprintf(f, "<rect class=\"%c%d\" x=\"%d\" width=\"14\" height=\"12\"/>",
            h->c->sides ? 'd' : 'h', k, k * 14);
  fputs("</svg>", f);
  page_escape(f, short_text(high, h->high, suffix));
  if (h->c->unit) {
    fputc(' ', f);
    page_escape(f, h->c->unit);
  }
  fputs("</li>\n", f);
  if (h->missing)
    legend_key(p, SAMPLE_VOID, 0, "missing");
  legend_end(p);
}

static void put_table(page *p, const chart_heat *c) {
  page_column *columns = calloc(c->n_columns + 1, sizeof *columns);
  char(*names)[24] = calloc(c->n_columns + c->n_rows, sizeof *names);
  if (!columns || !names)
    abort();
  columns[0].name = "";
  for (size_t k = 0; k < c->n_columns; k++) {
    snprintf(names[k], sizeof *names, "%zu", k);
    columns[k + 1] = (page_column){.name = c->columns ? c->columns[k] : names[k], .number = true};
  }
  figure_table_begin(p, columns, c->n_columns + 1);
  for (size_t row = 0; row < c->n_rows; row++) {
    if (c->rows)
      page_cell(p, "%s", c->rows[row]);
    else
      page_cell(p, "%zu", row);
    for (size_t k = 0; k < c->n_columns; k++) {
      const double v = c->values[row * c->n_columns + k];
      char text[PAGE_NUMBER + 8];
      page_cell_as(p, there(v) ? PAGE_PLAIN : PAGE_GONE, NULL, NULL, "%s",
                   value_text(text, v, c->suffix));
    }
  }
  figure_table_end(p);
  free(columns);
  free(names);
}

void chart_heat_put(page *p, const chart_heat *c) {
  const heat h = heat_of(c);
  figure_begin(p, &c->about);
  if (!(h.low <= h.high)) {
    figure_empty(p);
    figure_end(p);
    return;
  }
  put_scale(p, &h);
  figure_draw(p, &c->about, draw, &h);
  if (!c->about.no_table)
    put_table(p, c);
  figure_end(p);
}

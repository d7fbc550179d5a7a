// SPDX-License-Identifier: Apache-2.0
// Lines over numbers.
#include <float.h>
#include <math.h>
#include <string.h>

#include "chart_priv.h"

enum { MARKS = 40, ROWS = 400, COLUMNS = 24 };  // marks of a line, rows and columns of the table

typedef struct lines {
  const chart_lines *c;
  drawing *d;
  axis x, y;
} lines;

static bool drawable(const chart_lines *c, const chart_line *l, size_t k) {
  return there(l->x[k]) && there(l->y[k]) && (!c->x_log || l->x[k] > 0) &&
         (!c->y_log || l->y[k] > 0);
}

static bool ranges_of(const chart_lines *c, double x[2], double y[2]) {
  x[0] = y[0] = DBL_MAX, x[1] = y[1] = -DBL_MAX;
  for (size_t n = 0; n < c->n; n++)
    for (size_t k = 0; k < c->all[n].n; k++)
      if (drawable(c, &c->all[n], k)) {
        x[0] = fmin(x[0], c->all[n].x[k]), x[1] = fmax(x[1], c->all[n].x[k]);
        y[0] = fmin(y[0], c->all[n].y[k]), y[1] = fmax(y[1], c->all[n].y[k]);
      }
  if (x[0] > x[1])
    return false;
  if (c->y_max > 0 && (!c->y_log || c->y_max > y[0]))
    y[1] = c->y_max;
  return true;
}

// A part of a line, as far as it is below the upper end. `on`: the pen is where the part begins.
static bool put_part(const lines *l, const double from[2], const double to[2], bool on) {
  double a[2] = {from[0], from[1]}, b[2] = {to[0], to[1]};
  const double high = l->y.high;
  if (a[1] > high && b[1] > high)
    return false;
  double *out = a[1] > high ? a : b[1] > high ? b : NULL;
  if (out) {
    out[0] = from[0] + (to[0] - from[0]) * ((high - from[1]) / (to[1] - from[1]));
    out[1] = high;
  }
  if (!on || out == a)
    fprintf(l->d->f, "M%.1f %.1f", axis_at(&l->x, a[0]), axis_at(&l->y, a[1]));
  fprintf(l->d->f, "L%.1f %.1f", axis_at(&l->x, b[0]), axis_at(&l->y, b[1]));
  return out != b;
}

static void put_curve(const lines *l, const chart_line *s, size_t n) {
  bool on = false;
  fprintf(l->d->f, "<path class=\"curve l%zu\" stroke-dasharray=\"%s\" d=\"", n % PALETTE_SERIES,
          s->n > MARKS ? "" : dash_of(n));
  for (size_t k = 0; k + 1 < s->n; k++) {
    if (!drawable(l->c, s, k) || !drawable(l->c, s, k + 1)) {
      on = false;
      continue;
    }
    const double from[2] = {s->x[k], s->y[k]}, to[2] = {s->x[k + 1], s->y[k + 1]};
    if (l->c->steps) {
      const double corner[2] = {to[0], from[1]};
      on = put_part(l, from, corner, on);
      on = put_part(l, corner, to, on);
    } else {
      on = put_part(l, from, to, on);
    }
  }
  fputs("\">", l->d->f);
  put_title(l->d, "%s", s->name);
  fputs("</path>\n", l->d->f);
}

// Between points that cannot be drawn.
static bool alone(const chart_lines *c, const chart_line *s, size_t k) {
  return !(k && drawable(c, s, k - 1)) && !(k + 1 < s->n && drawable(c, s, k + 1));
}

static void put_points(const lines *l, const chart_line *s, size_t n) {
  char x[PAGE_NUMBER + 8], y[PAGE_NUMBER + 8];
  for (size_t k = 0; k < s->n; k++) {
    if (!drawable(l->c, s, k) || s->y[k] > l->y.high ||
        (!s->points && s->n > MARKS && !alone(l->c, s, k)))
      continue;
    const double at_x = axis_at(&l->x, s->x[k]), at_y = axis_at(&l->y, s->y[k]);
    if (s->points)
      put_mark(l->d, at_x, at_y, n);
    else
      fprintf(l->d->f, "<circle class=\"dot f%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.6\">",
              n % PALETTE_SERIES, at_x, at_y);
    put_title(l->d, "%s: %s at %s", s->name, value_text(y, s->y[k], l->c->suffix),
              value_text(x, s->x[k], NULL));
    fputs(s->points ? "</path>\n" : "</circle>\n", l->d->f);
  }
}

static void draw(drawing *d, const void *chart) {
  const chart_lines *c = chart;
  double x[2], y[2], end;
  char text[PAGE_NUMBER];
  ranges_of(c, x, y);
  lines l = {.c = c, .d = d};
  l.x = axis_of(x[0], x[1], c->x_log, false, d->narrow ? 4 : 8);
  l.y = axis_of(y[0], y[1], c->y_log, true, d->narrow ? 5 : 6);
  if (c->y_max > 0)
    l.y.high = fmax(c->y_max, l.y.low + l.y.step);
  // no empty ends: the axis ends where the data do
  if (!c->x_log && x[1] > x[0])
    l.x.low = x[0], l.x.high = x[1];
  const double left = axis_widest(d, &l.y, c->suffix) + 12;
  end = text_width(d, axis_text(text, &l.x, l.x.high, NULL)) / 2 + 4;
  const double top = c->y_axis ? d->letter + 14 : 8, bottom = top + (d->narrow ? 220 : 300);
  const double right = d->width - fmax(end, 10);
  l.x.from = left, l.x.to = right, l.y.from = bottom, l.y.to = top;
  put_standing(d, &l.y, left, right, c->suffix);
  put_across(d, &l.x, bottom, bottom + 4, NULL);
  fprintf(d->f, "<path class=\"axis\" d=\"M%.1f %.1fH%.1f\"/>\n", left, bottom, right);
  for (size_t n = 0; n < c->n; n++)
    if (!c->all[n].points)
      put_curve(&l, &c->all[n], n);
  for (size_t n = 0; n < c->n; n++)
    put_points(&l, &c->all[n], n);
  if (c->y_axis)
    put_text(d, 0, d->letter, START, "tick", d->width, c->y_axis);
  d->height = bottom + d->letter + 13;
  if (c->x_axis) {
    put_text(d, (left + right) / 2, d->height + d->letter + 3, MIDDLE, "tick", d->width, c->x_axis);
    d->height += d->letter + 11;
  }
}

// ---- the table: a column for each line when all have the same x

static bool same_x(const chart_lines *c) {
  for (size_t n = 1; n < c->n; n++)
    if (c->all[n].n != c->all[0].n ||
        memcmp(c->all[n].x, c->all[0].x, c->all[0].n * sizeof *c->all[0].x) != 0)
      return false;
  return c->n && c->n < COLUMNS;
}

static void put_table(page *p, const chart_lines *c) {
  char text[PAGE_NUMBER + 8];
  const char *x_name = c->x_axis ? c->x_axis : "x";
  size_t rows = 0;
  for (size_t n = 0; n < c->n; n++)
    rows += c->all[n].n;
  if (same_x(c)) {
    page_column columns[COLUMNS + 1] = {{.name = x_name, .number = true}};
    if (c->all[0].n > ROWS)
      return;
    for (size_t n = 0; n < c->n; n++)
      columns[n + 1] = (page_column){.name = c->all[n].name, .number = true};
    figure_table_begin(p, columns, c->n + 1);
    for (size_t k = 0; k < c->all[0].n; k++) {
      page_cell_number(p, c->all[0].x[k]);
      for (size_t n = 0; n < c->n; n++)
        page_cell_as(p, there(c->all[n].y[k]) ? PAGE_PLAIN : PAGE_GONE, NULL, NULL, "%s",
                     value_text(text, c->all[n].y[k], c->suffix));
    }
  } else {
    const page_column columns[] = {{.name = ""},
                                   {.name = x_name, .number = true},
                                   {.name = c->y_axis ? c->y_axis : "y", .number = true}};
    if (rows > ROWS)
      return;
    figure_table_begin(p, columns, 3);
    for (size_t n = 0; n < c->n; n++)
      for (size_t k = 0; k < c->all[n].n; k++) {
        page_cell(p, "%s", c->all[n].name);
        page_cell_number(p, c->all[n].x[k]);
        page_cell_as(p, there(c->all[n].y[k]) ? PAGE_PLAIN : PAGE_GONE, NULL, NULL, "%s",
                     value_text(text, c->all[n].y[k], c->suffix));
      }
  }
  figure_table_end(p);
}

// Dashes would only blur a line that goes up and down at each of many points.
static sample sample_of(const chart_line *l) {
  return l->points ? SAMPLE_POINT : l->n > MARKS ? SAMPLE_SOLID : SAMPLE_LINE;
}

void chart_lines_put(page *p, const chart_lines *c) {
  double x[2], y[2];
  figure_begin(p, &c->about);
  if (!ranges_of(c, x, y)) {
    figure_empty(p);
    figure_end(p);
    return;
  }
  if (c->n > 1) {
    legend_begin(p);
    for (size_t n = 0; n < c->n; n++)
      legend_key(p, sample_of(&c->all[n]), n, c->all[n].name);
    legend_end(p);
  }
  figure_draw(p, &c->about, draw, c);
  if (!c->about.no_table)
    put_table(p, c);
  figure_end(p);
}

// SPDX-License-Identifier: Apache-2.0
// Rooflines: the rates that bounds allow over operational intensity, and where programs are.
#include <float.h>
#include <math.h>

#include "chart_priv.h"

typedef struct ends {
  double x[2], y[2];
} ends;

static double roof_at(const chart_roof *r, double x) {
  const double level = r->level > 0 ? r->level : INFINITY;
  return r->slope > 0 ? fmin(level, r->slope * x) : level;
}

static bool drawable(const chart_roof_point *q) {
  return there(q->x) && there(q->y) && q->x > 0 && q->y > 0;
}

static void take(double range[2], double v) {
  if (there(v) && v > 0)
    range[0] = fmin(range[0], v), range[1] = fmax(range[1], v);
}

// False: no point is there. Shown are all points, and the ridges: where slopes meet the lowest
// level.
static bool ends_of(const chart_roofline *c, ends *e) {
  *e = (ends){{DBL_MAX, -DBL_MAX}, {DBL_MAX, -DBL_MAX}};
  for (size_t n = 0; n < c->n_points; n++)
    if (drawable(&c->points[n]))
      take(e->x, c->points[n].x), take(e->y, c->points[n].y);
  if (e->x[0] > e->x[1])
    return false;
  double level = INFINITY;
  for (size_t n = 0; n < c->n_roofs; n++) {
    if (there(c->roofs[n].level) && c->roofs[n].level > 0)
      level = fmin(level, c->roofs[n].level), take(e->y, c->roofs[n].level);
  }
  for (size_t n = 0; n < c->n_roofs && there(level); n++)
    if (c->roofs[n].slope > 0)
      take(e->x, level / c->roofs[n].slope);
  e->x[0] /= 3, e->x[1] *= 3;
  e->y[0] /= 2, e->y[1] *= 1.6;
  return true;
}

typedef struct placed {
  double x, y, wide;
} placed;

typedef struct roofline {
  drawing *d;
  const chart_roofline *c;
  axis x, y;
  placed texts[64];
  size_t n;
} roofline;

// Is the place of a text free? It is taken then.
static bool take_place(roofline *r, double x, double y, double wide) {
  for (size_t k = 0; k < r->n; k++)
    if (fabs(y - r->texts[k].y) < r->d->letter + 2 && x < r->texts[k].x + r->texts[k].wide + 4 &&
        r->texts[k].x < x + wide + 4)
      return false;
  if (r->n < sizeof r->texts / sizeof *r->texts)
    r->texts[r->n++] = (placed){x, y, wide};
  return true;
}

static void put_roof(roofline *r, size_t n) {
  const chart_roof *roof = &r->c->roofs[n];
  const axis *x = &r->x, *y = &r->y;
  // where it enters, where it bends, where it ends
  double at[3] = {x->low, x->high, x->high};
  if (roof->slope > 0) {
    if (roof->slope * x->low < y->low)
      at[0] = y->low / roof->slope;
    const double bend =
        (roof->level > 0 && there(roof->level) ? roof->level : y->high) / roof->slope;
    at[1] = fmin(fmax(bend, at[0]), x->high);
    if (!(roof->level > 0 && there(roof->level)))
      at[2] = at[1];
  }
  if (at[0] >= x->high)
    return;
  fprintf(r->d->f, "<path class=\"roof l%zu\" stroke-dasharray=\"%s\" d=\"M%.1f %.1f",
          n % PALETTE_SERIES, dash_of(n), axis_at(x, at[0]), axis_at(y, roof_at(roof, at[0])));
  for (int k = 1; k < 3; k++)
    fprintf(r->d->f, "L%.1f %.1f", axis_at(x, at[k]), axis_at(y, roof_at(roof, at[k])));
  fputs("\">", r->d->f);
  put_title(r->d, "%s", roof->name);
  fputs("</path>\n", r->d->f);
  if (roof->slope > 0)
    return;
  const double wide = text_width(r->d, roof->name), right = x->to - 4;
  const double level = axis_at(y, roof->level), above = level - 6, below = level + r->d->letter + 3;
  if (wide > (x->to - x->from) * 0.7)
    return;
  if (take_place(r, right - wide, above, wide))
    put_text(r->d, right, above, END, NULL, 1e9, roof->name);
  else if (take_place(r, right - wide, below, wide))
    put_text(r->d, right, below, END, NULL, 1e9, roof->name);
}

// What all roofs allow together.
static void put_attainable(const roofline *r) {
  enum { POINTS = 96 };
  fputs("<path class=\"under\" d=\"", r->d->f);
  for (int k = 0; k <= POINTS; k++) {
    const double x = r->x.low * pow(r->x.high / r->x.low, (double)k / POINTS);
    double most = INFINITY;
    for (size_t n = 0; n < r->c->n_roofs; n++)
      if (!r->c->roofs[n].beside)
        most = fmin(most, roof_at(&r->c->roofs[n], x));
    fprintf(r->d->f, "%c%.1f %.1f", k ? 'L' : 'M', axis_at(&r->x, x), axis_at(&r->y, most));
  }
  fprintf(r->d->f, "V%.1fH%.1fz\"/>\n", r->y.from, r->x.from);
}

static void put_point(roofline *r, size_t n) {
  const chart_roof_point *q = &r->c->points[n];
  const size_t colour = r->c->n_roofs + n;
  char x[PAGE_NUMBER], y[PAGE_NUMBER];
  const double at_x = axis_at(&r->x, q->x), at_y = axis_at(&r->y, q->y);
  put_mark(r->d, at_x, at_y, colour);
  put_title(r->d, "%s: %s at %s", q->name, page_number(y, q->y), page_number(x, q->x));
  fputs("</path>\n", r->d->f);
  const double wide = text_width(r->d, q->name), base = at_y + r->d->letter * 0.35;
  if (at_x + 11 + wide < r->x.to && take_place(r, at_x + 11, base, wide))
    put_text(r->d, at_x + 11, base, START, "bold", 1e9, q->name);
  else if (at_x - 11 - wide > r->x.from && take_place(r, at_x - 11 - wide, base, wide))
    put_text(r->d, at_x - 11, base, END, "bold", 1e9, q->name);
}

static void draw(drawing *d, const void *chart) {
  const chart_roofline *c = chart;
  ends e;
  ends_of(c, &e);
  roofline r = {.d = d, .c = c};
  r.x = axis_of(e.x[0], e.x[1], true, false, d->narrow ? 4 : 8);
  r.y = axis_of(e.y[0], e.y[1], true, false, d->narrow ? 5 : 6);
  const double left = axis_widest(d, &r.y, NULL) + 12, right = d->width - 24;
  const double top = d->letter + 14, bottom = top + (d->narrow ? 250 : 340);
  r.x.from = left, r.x.to = right, r.y.from = bottom, r.y.to = top;
  if (c->n_roofs)
    put_attainable(&r);
  put_standing(d, &r.y, left, right, NULL);
  put_across(d, &r.x, top, bottom, NULL);
  fprintf(d->f, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", left, top, bottom, right);
  for (size_t n = 0; n < c->n_roofs; n++)
    put_roof(&r, n);
  for (size_t n = 0; n < c->n_points; n++)
    if (drawable(&c->points[n]))
      put_point(&r, n);
  put_text(d, 0, d->letter, START, "tick", d->width, c->y_axis);
  d->height = bottom + d->letter + 10;
  put_text(d, (left + right) / 2, d->height + d->letter + 3, MIDDLE, "tick", d->width, c->x_axis);
  d->height += d->letter + 11;
}

static void put_table(page *p, const chart_roofline *c) {
  const page_column columns[] = {{.name = ""},
                                 {.name = c->x_axis, .number = true},
                                 {.name = c->y_axis, .number = true},
                                 {.name = "its bound there", .number = true}};
  figure_table_begin(p, columns, 4);
  for (size_t n = 0; n < c->n_points; n++) {
    double most = INFINITY;
    for (size_t k = 0; k < c->n_roofs; k++)
      if (!c->roofs[k].beside)
        most = fmin(most, roof_at(&c->roofs[k], c->points[n].x));
    page_cell(p, "%s", c->points[n].name);
    page_cell_number(p, c->points[n].x);
    page_cell_number(p, c->points[n].y);
    page_cell_number(p, there(most) ? most : NAN);
  }
  figure_table_end(p);
}

void chart_roofline_put(page *p, const chart_roofline *c) {
  ends e;
  figure_begin(p, &c->about);
  if (!ends_of(c, &e)) {
    figure_empty(p);
    figure_end(p);
    return;
  }
  legend_begin(p);
  for (size_t n = 0; n < c->n_roofs; n++)
    legend_key(p, SAMPLE_LINE, n, c->roofs[n].name);
  for (size_t n = 0; n < c->n_points; n++)
    if (drawable(&c->points[n]))
      legend_key(p, SAMPLE_POINT, c->n_roofs + n, c->points[n].name);
  legend_end(p);
  figure_draw(p, &c->about, draw, c);
  if (!c->about.no_table)
    put_table(p, c);
  figure_end(p);
}

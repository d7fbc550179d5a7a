// SPDX-License-Identifier: Apache-2.0
// Bars: standing, or lying in rows, which narrow places have.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart_priv.h"

enum { NAME = 128 };  // letters of a name that is cut into two lines

typedef struct bars {
  const chart_bars *c;
  drawing *d;
  axis a;
  bool rows;
  double base;       // value that bars begin at
  double slot, bar;  // of a name, of a bar, across the bars
  double first;      // where the first slot begins
  bool values;       // at the ends of bars
} bars;

static double value_of(const chart_bars *c, size_t n, size_t s) {
  const double v = c->values[n * c->n_series + s];
  return there(v) && (!c->log || v > 0) ? v : NAN;
}

static double reference_of(const chart_bars *c, size_t n, size_t s) {
  const double v = c->reference ? c->reference[n * c->n_series + s] : NAN;
  return there(v) && (!c->log || v > 0) && !c->stacked ? v : NAN;
}

static void take(double range[2], double v) {
  if (there(v))
    range[0] = fmin(range[0], v), range[1] = fmax(range[1], v);
}

static bool some_missing(const chart_bars *c) {
  for (size_t n = 0; n < c->n; n++) {
    size_t gone = 0;
    for (size_t s = 0; s < c->n_series; s++)
      gone += !there(value_of(c, n, s));
    if (gone && (!c->stacked || gone == c->n_series))
      return true;
  }
  return false;
}

// False: no value is there.
static bool range_of(const chart_bars *c, double range[2]) {
  range[0] = DBL_MAX, range[1] = -DBL_MAX;
  for (size_t n = 0; n < c->n; n++) {
    double up = 0, down = 0;
    for (size_t s = 0; s < c->n_series; s++) {
      const double v = value_of(c, n, s);
      if (!c->stacked)
        take(range, v);
      else if (there(v))
        *(v < 0 ? &down : &up) += v, take(range, up), take(range, down);
      take(range, reference_of(c, n, s));
    }
  }
  const bool any = range[0] <= range[1];
  if (c->guide_name && any)
    take(range, c->guide);
  return any;
}

static size_t colour_of(const chart_bars *c, size_t s) {
  return c->colours ? (size_t)c->colours[s] : s % PALETTE_SERIES;
}

// ---- marks, either way round

static void put_rect(const bars *b, size_t colour, double from, double to, double across) {
  const double u = axis_at(&b->a, from), v = axis_at(&b->a, to);
  const double low = fmin(u, v), length = fmax(fabs(v - u), 0.6);
  if (b->rows)
    fprintf(b->d->f,
            "<rect class=\"bar f%zu\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
            colour, low, across, length, b->bar);
  else
    fprintf(b->d->f,
            "<rect class=\"bar f%zu\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
            colour, across, low, b->bar, length);
}

// A line across the bar, on a halo: it is seen on any colour.
static void put_reference(const bars *b, double value, double across) {
  const double u = axis_at(&b->a, value), from = across - 1, to = across + b->bar + 1;
  static const char *const classes[] = {"halo", "ref"};
  for (int k = 0; k < 2; k++) {
    if (b->rows)
      fprintf(b->d->f, "<path class=\"%s\" d=\"M%.1f %.1fV%.1f\">", classes[k], u, from, to);
    else
      fprintf(b->d->f, "<path class=\"%s\" d=\"M%.1f %.1fH%.1f\">", classes[k], from, u, to);
    if (k)
      put_title(b->d, "%s", b->c->reference_name);
    fputs("</path>\n", b->d->f);
  }
}

static void put_missing(const bars *b, double across, double wide, const char *what) {
  const double u = axis_at(&b->a, b->base), length = 14;
  fprintf(b->d->f, "<rect class=\"void\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
          b->rows ? u + 3 : across + 1, b->rows ? across + 1 : u - 3 - length,
          b->rows ? length : fmax(wide - 2, 2), b->rows ? fmax(wide - 2, 2) : length);
  put_title(b->d, "%s: missing", what);
  fputs("</rect>\n", b->d->f);
}

// The value of a bar behind its end; where the line of the reference is in the way, behind that.
static void put_value(const bars *b, double value, double reference, double across) {
  char text[PAGE_NUMBER];
  const bool down = value < b->base;
  const drawing *d = b->d;
  short_text(text, value, b->c->suffix ? b->c->suffix : "");
  const double wide = text_width(d, text), r = there(reference) ? axis_at(&b->a, reference) : NAN;
  double end = axis_at(&b->a, value);
  if (b->rows) {
    if (down)
      end = axis_at(&b->a, b->base);
    if (r > end - 6 && r < end + wide + 8)
      end = r + 2;
    put_text(d, end + 5, across + b->bar / 2 + d->letter * 0.35, START, NULL, 1e9, text);
    return;
  }
  const double high = down ? d->letter + 6 : -d->letter - 6;
  if (r > fmin(end, end + high) - 3 && r < fmax(end, end + high) + 3)
    end = down ? fmax(end, r) : fmin(end, r);
  put_text(d, across + b->bar / 2, down ? end + d->letter + 3 : end - 5, MIDDLE, NULL, 1e9, text);
}

static void put_group(const bars *b, size_t n, double at) {
  const chart_bars *c = b->c;
  for (size_t s = 0; s < c->n_series; s++, at += b->bar) {
    const double v = value_of(c, n, s), r = reference_of(c, n, s);
    char text[PAGE_NUMBER + 8], second[PAGE_NUMBER + 8];
    if (there(v)) {
      put_rect(b, colour_of(c, s), b->base, v, at);
      value_text(text, v, c->suffix);
      value_text(second, r, c->suffix);
      put_title(b->d, "%s%s%s: %s%s%s%s%s%s%s", c->names[n], c->n_series > 1 ? ", " : "",
                c->n_series > 1 ? c->series[s] : "", text, there(r) ? "; " : "",
                there(r) ? c->reference_name : "", there(r) ? " " : "", there(r) ? second : "",
                c->titles && *c->titles[n] ? "; " : "", c->titles ? c->titles[n] : "");
      fputs("</rect>\n", b->d->f);
    } else {
      put_missing(b, at, b->bar, c->n_series > 1 ? c->series[s] : c->names[n]);
    }
    if (there(r))
      put_reference(b, r, at);
    if (there(v) && b->values)
      put_value(b, v, r, at);
  }
}

static void put_stack(const bars *b, size_t n, double at) {
  const chart_bars *c = b->c;
  double up = 0, down = 0;
  bool any = false;
  for (size_t s = 0; s < c->n_series; s++) {
    const double v = value_of(c, n, s);
    if (!there(v))
      continue;
    any = true;
    if (v == 0)
      continue;
    double *sum = v < 0 ? &down : &up;
    char text[PAGE_NUMBER + 8];
    put_rect(b, colour_of(c, s), *sum, *sum + v, at);
    put_title(b->d, "%s, %s: %s%s%s", c->names[n], c->series[s], value_text(text, v, c->suffix),
              c->titles && *c->titles[n] ? "; " : "", c->titles ? c->titles[n] : "");
    fputs("</rect>\n", b->d->f);
    *sum += v;
  }
  if (!any)
    put_missing(b, at, b->bar, c->names[n]);
}

// ---- the two drawings

static double widest_name(const drawing *d, const chart_bars *c) {
  double widest = 0;
  for (size_t n = 0; n < c->n; n++)
    widest = fmax(widest, text_width(d, c->names[n]));
  return widest;
}

// Where a name is cut into two lines: at the blank nearest to its middle. 0: it has none.
static size_t cut_of(const char *name) {
  const size_t n = strlen(name);
  size_t best = 0;
  for (size_t k = 1; k + 1 < n; k++)
    if (name[k] == ' ' && (!best || labs(2 * (long)k - (long)n) < labs(2 * (long)best - (long)n)))
      best = k;
  return best;
}

static void halves_of(const char *name, char to[2][NAME]) {
  const size_t cut = cut_of(name);
  snprintf(to[0], NAME, "%.*s", cut ? (int)cut : NAME - 1, name);
  snprintf(to[1], NAME, "%s", cut ? name + cut + 1 : "");
}

// Of the names as two lines.
static double widest_half(const drawing *d, const chart_bars *c) {
  double widest = 0;
  for (size_t n = 0; n < c->n; n++) {
    char half[2][NAME];
    if (strlen(c->names[n]) >= NAME)
      return INFINITY;
    halves_of(c->names[n], half);
    widest = fmax(widest, fmax(text_width(d, half[0]), text_width(d, half[1])));
  }
  return widest;
}

static double widest_value(const drawing *d, const chart_bars *c) {
  double widest = 0;
  char text[PAGE_NUMBER];
  for (size_t n = 0; n < c->n; n++)
    for (size_t s = 0; s < c->n_series; s++)
      if (there(value_of(c, n, s)))
        widest = fmax(
            widest, text_width(d, short_text(text, value_of(c, n, s), c->suffix ? c->suffix : "")));
  return widest;
}

static void put_bars(const bars *b) {
  const double margin = (b->slot - b->bar * (double)(b->c->stacked ? 1 : b->c->n_series)) / 2;
  for (size_t n = 0; n < b->c->n; n++) {
    const double at = b->first + (double)n * b->slot + margin;
    if (b->c->stacked)
      put_stack(b, n, at);
    else
      put_group(b, n, at);
  }
}

static void put_line_at(const bars *b, double value, const char *class, double from, double to) {
  const double u = axis_at(&b->a, value);
  if (b->rows)
    fprintf(b->d->f, "<path class=\"%s\" d=\"M%.1f %.1fV%.1f\"/>\n", class, u, from, to);
  else
    fprintf(b->d->f, "<path class=\"%s\" d=\"M%.1f %.1fH%.1f\"/>\n", class, from, u, to);
}

// Names of groups with several bars stand above them where they do not fit beside them.
static void draw_rows(bars *b) {
  drawing *d = b->d;
  const chart_bars *c = b->c;
  const size_t k = c->stacked ? 1 : c->n_series;
  const double widest = widest_name(d, c), most = d->width * 0.34;
  const bool above = widest > most && d->narrow;
  const double end = axis_widest(d, &b->a, c->suffix) / 2 + 2;
  const double left = fmax(above ? 4 : fmin(widest, most) + 10, end);
  const double over = above ? d->letter + 6 : 0;
  b->values = !c->stacked;
  b->bar = c->stacked ? (d->narrow ? 16 : 22) : k == 1 ? (d->narrow ? 15 : 18) : 14;
  b->slot = b->bar * (double)k + (d->narrow ? 9 : 11) + (above ? over + 3 : 0);
  b->first = 4;
  const double bottom = b->first + b->slot * (double)c->n + 2;
  const double right = d->width - fmax(12 + (b->values ? widest_value(d, c) : 0), end);
  b->a.from = left, b->a.to = right;
  put_across(d, &b->a, b->first, bottom, c->suffix);
  // below the names that stand above
  b->first += over / 2;
  put_bars(b);
  b->first -= over / 2;
  put_line_at(b, b->base, "axis", b->first, bottom);
  if (c->guide_name)
    put_line_at(b, c->guide, "guide", b->first, bottom);
  for (size_t n = 0; n < c->n; n++) {
    const double at = b->first + (double)n * b->slot;
    if (above)
      put_text(d, left, at + d->letter + 3, START, NULL, d->width - left - 4, c->names[n]);
    else
      put_text(d, left - 8, at + b->slot / 2 + d->letter * 0.35, END, NULL, left - 8, c->names[n]);
  }
  d->height = bottom + d->letter + 10;
  if (c->axis) {
    put_text(d, (left + right) / 2, d->height + d->letter + 3, MIDDLE, "tick", d->width, c->axis);
    d->height += d->letter + 10;
  }
}

static void draw_standing(bars *b) {
  drawing *d = b->d;
  const chart_bars *c = b->c;
  const double k = c->stacked ? 1 : (double)c->n_series, n = (double)c->n;
  const double widest = widest_name(d, c);
  double left = axis_widest(d, &b->a, c->suffix) + 12;
  const double least = fmax(k * 6 + 6, 17);
  double slot = (d->width - left - 8) / n;
  const bool fits = widest <= fmax(slot, least) - 6;
  const bool halves = !fits && widest_half(d, c) <= slot - 4;
  const bool turned = !fits && !halves && slot < 100;
  const double length = fmin(widest, 170);
  if (turned)
    left = fmax(left, length * LEAN - fmax(slot, least) / 2 + 12);
  slot = (d->width - left - 8) / n;
  if (slot < least) {
    slot = least;
    d->width = left + slot * n + 8;
  }
  b->slot = slot;
  b->bar = fmin(slot * (k > 1 ? 0.82 : 0.66) / k, c->stacked || k == 1 ? 64 : 44);
  b->first = left;
  b->values = !c->stacked && widest_value(d, c) <= (k > 1 ? b->bar : slot) - 3;
  const double top = (c->axis ? d->letter + 12 : 8) + (b->values ? d->letter + 2 : 0);
  const double bottom = top + 300, right = d->width - 8;
  b->a.from = bottom, b->a.to = top;
  put_standing(d, &b->a, left, right, c->suffix);
  put_bars(b);
  put_line_at(b, b->base, "axis", left, right);
  if (c->guide_name)
    put_line_at(b, c->guide, "guide", left, right);
  if (c->axis)
    put_text(d, 0, d->letter, START, "tick", d->width, c->axis);
  // bars that go down may have their values below the axis
  const double below = bottom + (b->values && b->a.low < b->base ? d->letter : 0);
  for (size_t m = 0; m < c->n; m++) {
    const double x = left + ((double)m + 0.5) * slot;
    if (turned) {
      put_turned(d, x + d->letter * 0.4, below + d->letter + 2, END, length, c->names[m]);
    } else if (halves) {
      char half[2][NAME];
      halves_of(c->names[m], half);
      for (int h = 0; h < 2; h++)
        put_text(d, x, below + d->letter * (1 + 1.25 * h) + 6, MIDDLE, NULL, 1e9, half[h]);
    } else {
      put_text(d, x, below + d->letter + 6, MIDDLE, NULL, slot - 6, c->names[m]);
    }
  }
  d->height = below + (turned   ? length * RISE + d->letter + 8
                       : halves ? d->letter * 2.25 + 12
                                : d->letter + 12);
}

static void draw(drawing *d, const void *chart) {
  const chart_bars *c = chart;
  double range[2];
  range_of(c, range);
  bars b = {.c = c, .d = d, .rows = c->rows || d->narrow};
  b.a = axis_of(range[0], range[1], c->log && !c->stacked, true, b.rows ? (d->narrow ? 4 : 8) : 6);
  b.base = !b.a.log ? 0 : c->guide_name ? c->guide : b.a.low;
  // the least value has a bar, too
  if (b.a.log && !c->guide_name && range[0] <= b.a.low * 1.05) {
    b.a = axis_of(range[0] * 0.5, range[1], true, false, b.rows ? (d->narrow ? 4 : 8) : 6);
    b.base = b.a.low;
  }
  if (b.rows)
    draw_rows(&b);
  else
    draw_standing(&b);
}

// ---- the figure

static void put_number(page *p, double v, const char *suffix, const char *gone) {
  char text[PAGE_NUMBER + 8];
  if (there(v))
    page_cell(p, "%s", value_text(text, v, suffix));
  else
    page_cell_as(p, PAGE_GONE, NULL, NULL, "%s", gone);
}

static void put_table(page *p, const chart_bars *c) {
  const size_t each = c->reference ? 2 : 1;
  page_column *columns = calloc(1 + c->n_series * each, sizeof *columns);
  if (!columns)
    abort();
  columns[0].name = "";
  for (size_t s = 0; s < c->n_series; s++) {
    columns[1 + s * each] = (page_column){.name = c->series[s], .number = true};
    if (c->reference)
      columns[2 + s * each] =
          (page_column){.name = c->reference_name, .number = true, .title = c->series[s]};
  }
  figure_table_begin(p, columns, 1 + c->n_series * each);
  for (size_t n = 0; n < c->n; n++) {
    page_cell_as(p, PAGE_PLAIN, c->titles ? c->titles[n] : NULL, NULL, "%s", c->names[n]);
    for (size_t s = 0; s < c->n_series; s++) {
      put_number(p, c->values[n * c->n_series + s], c->suffix, "missing");
      if (c->reference)
        put_number(p, c->reference[n * c->n_series + s], c->suffix, "");
    }
  }
  figure_table_end(p);
  free(columns);
}

void chart_bars_put(page *p, const chart_bars *c) {
  double range[2];
  figure_begin(p, &c->about);
  if (!range_of(c, range)) {
    figure_empty(p);
    figure_end(p);
    return;
  }
  if (c->n_series > 1 || c->reference || c->guide_name || some_missing(c)) {
    legend_begin(p);
    for (size_t s = 0; s < c->n_series && c->n_series > 1; s++)
      legend_key(p, SAMPLE_SQUARE, colour_of(c, s), c->series[s]);
    if (c->reference && !c->stacked)
      legend_key(p, SAMPLE_REF, 0, c->reference_name);
    if (c->guide_name)
      legend_key(p, SAMPLE_GUIDE, 0, c->guide_name);
    if (some_missing(c))
      legend_key(p, SAMPLE_VOID, 0, "missing");
    legend_end(p);
  }
  figure_draw(p, &c->about, draw, c);
  if (!c->about.no_table)
    put_table(p, c);
  figure_end(p);
}

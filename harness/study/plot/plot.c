// SPDX-License-Identifier: Apache-2.0
#include "plot.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/out_file.h"

// Of the drawing, in pixels.
static const int LEFT = 70;
static const int TOP = 40;
static const int WIDTH = 480;
static const int HEIGHT = 320;
static const int BELOW = 56;
static const int LEGEND = 24;  // from the drawing to the legend
static const int SAMPLE = 34;  // of a line, in the legend
static const int LINE = 20;
static const int LETTER = 7;  // width of one, about

// Lines differ in lightness and dashes too, marks in shape: colours get lost on paper.
// Of each there are as many as a table has columns: no two lines look the same, in print either.
static const char *const colours[] = {
    "#000000", "#1f5fa8", "#c0392b", "#2e8b57", "#e08e0b", "#7d55a5", "#7f7f7f", "#3fa7d6",
    "#8c564b", "#b8a000", "#d4569b", "#004d40", "#5c7f00", "#ff6f4a", "#00308f", "#9aa6b2"};
static const char *const dashes[] = {
    "none",    "8 3",         "2 3",  "9 3 2 3", "5 5",          "12 3", "1 2",      "3 1",
    "9 2 9 6", "9 3 2 3 2 3", "16 5", "1 5",     "14 3 5 3 2 3", "4 9",  "12 2 1 2", "6 2 1 2 1 2"};
static const char *const marks[] = {"M-4 -4h8v8h-8z",
                                    "M0 -5L5 4H-5z",
                                    "M0 -5L5 0L0 5L-5 0z",
                                    "M-4 -4L4 4M-4 4L4 -4",
                                    "M0 5L5 -4H-5z",
                                    "M-5 0h10M0 -5v10",
                                    "M-5 0h10M-2.5 -4.3L2.5 4.3M-2.5 4.3L2.5 -4.3"};
#define COUNT(a) (sizeof(a) / sizeof *(a))

typedef struct axis {
  double low, high, step;
} axis;

static bool drawable(const plot_series *s, size_t k) {
  return isfinite(s->x[k]) && isfinite(s->y[k]);
}

// Ends of an axis from those of the data: at ticks 1, 2 or 5 times a power of ten apart.
static axis axis_of(double low, double high, double fixed_high) {
  if (low > high)  // no data
    low = 0, high = 1;
  if (low > 0)
    low = 0;
  if (fixed_high > low)
    high = fixed_high;
  if (high <= low)
    high = low + 1;
  const double about = (high - low) / 6, power = pow(10, floor(log10(about)));
  const double factor = about / power;
  axis a = {.step = power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10)};
  a.low = floor(low / a.step) * a.step;
  a.high = fixed_high > low ? high : ceil(high / a.step - 1e-9) * a.step;
  return a;
}

static double across(const axis *x, double value) {
  return LEFT + (value - x->low) / (x->high - x->low) * WIDTH;
}

static double down(const axis *y, double value) {
  return TOP + (y->high - value) / (y->high - y->low) * HEIGHT;
}

static void put_text(FILE *f, const char *text) {
  for (; *text; text++)
    if (*text == '<')
      fputs("&lt;", f);
    else if (*text == '>')
      fputs("&gt;", f);
    else if (*text == '&')
      fputs("&amp;", f);
    else
      fputc(*text, f);
}

static void put_label(FILE *f, double x, double y, const char *how, const char *text) {
  fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, how);
  put_text(f, text);
  fputs("</text>\n", f);
}

static void put_ticks(FILE *f, const axis *a, bool vertical) {
  const double n = floor((a->high - a->low) / a->step + 1e-9);
  for (double k = 0; k <= n; k++) {
    const double value = a->low + k * a->step, at = vertical ? down(a, value) : across(a, value);
    char text[32];
    snprintf(text, sizeof text, "%.6g", fabs(value) < a->step / 2 ? 0 : value);
    if (vertical) {
      fprintf(f, "<path d=\"M%d %.1fh%d\" class=\"grid\"/>\n", LEFT, at, WIDTH);
      put_label(f, LEFT - 6, at + 4, "text-anchor=\"end\"", text);
    } else {
      fprintf(f, "<path d=\"M%.1f %dv5\" class=\"axis\"/>\n", at, TOP + HEIGHT);
      put_label(f, at, TOP + HEIGHT + 18, "text-anchor=\"middle\"", text);
    }
  }
}

// Part of the line from one point to the next that is not above the drawing.
static void put_segment(FILE *f, const axis *x, const axis *y, const double from[2],
                        const double to[2]) {
  double a[2] = {from[0], from[1]}, b[2] = {to[0], to[1]};
  if (a[1] > y->high && b[1] > y->high)
    return;
  double *out = a[1] > y->high ? a : b[1] > y->high ? b : NULL;
  if (out) {
    out[0] = from[0] + (to[0] - from[0]) * ((y->high - from[1]) / (to[1] - from[1]));
    out[1] = y->high;
  }
  fprintf(f, "M%.1f %.1fL%.1f %.1f", across(x, a[0]), down(y, a[1]), across(x, b[0]),
          down(y, b[1]));
}

static void put_line(FILE *f, const axis *x, const axis *y, const plot_series *s, size_t n) {
  const char *colour = colours[n % COUNT(colours)];
  fprintf(f, "<path d=\"");
  for (size_t k = 1; k < s->count; k++)
    if (drawable(s, k - 1) && drawable(s, k))
      put_segment(f, x, y, (double[]){s->x[k - 1], s->y[k - 1]}, (double[]){s->x[k], s->y[k]});
  fprintf(f, "\" class=\"line\" stroke=\"%s\" stroke-dasharray=\"%s\"/>\n", colour,
          dashes[n % COUNT(dashes)]);
  for (size_t k = 0; k < s->count; k++)
    if (drawable(s, k) && s->y[k] <= y->high)
      fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\" fill=\"%s\"/>\n", across(x, s->x[k]),
              down(y, s->y[k]), colour);
}

static void put_mark(FILE *f, double x, double y, size_t n) {
  fprintf(f, "<path d=\"%s\" transform=\"translate(%.1f %.1f)\" class=\"mark\" stroke=\"%s\"/>\n",
          marks[n % COUNT(marks)], x, y, colours[n % COUNT(colours)]);
}

static void put_series(FILE *f, const plot *p, const axis *x, const axis *y) {
  for (size_t n = 0; n < p->count; n++) {
    const plot_series *s = &p->series[n];
    const double at = LEFT + WIDTH + LEGEND, middle = TOP + 10.0 + (double)n * LINE;
    if (s->points) {
      for (size_t k = 0; k < s->count; k++)
        if (drawable(s, k) && s->y[k] <= y->high)
          put_mark(f, across(x, s->x[k]), down(y, s->y[k]), n);
      put_mark(f, at + SAMPLE / 2.0, middle, n);
    } else {
      put_line(f, x, y, s, n);
      fprintf(f,
              "<path d=\"M%.1f %.1fh%d\" class=\"line\" stroke=\"%s\" stroke-dasharray=\"%s\"/>\n",
              at, middle, SAMPLE, colours[n % COUNT(colours)], dashes[n % COUNT(dashes)]);
    }
    put_label(f, at + SAMPLE + 6, middle + 4, "text-anchor=\"start\"", s->name);
  }
}

static void draw(FILE *f, const plot *p) {
  double low[2] = {DBL_MAX, DBL_MAX}, high[2] = {-DBL_MAX, -DBL_MAX};
  size_t longest = 0;
  for (size_t n = 0; n < p->count; n++) {
    const plot_series *s = &p->series[n];
    longest = strlen(s->name) > longest ? strlen(s->name) : longest;
    for (size_t k = 0; k < s->count; k++)
      if (drawable(s, k)) {
        low[0] = fmin(low[0], s->x[k]), high[0] = fmax(high[0], s->x[k]);
        low[1] = fmin(low[1], s->y[k]), high[1] = fmax(high[1], s->y[k]);
      }
  }
  const axis x = axis_of(low[0], high[0], 0), y = axis_of(low[1], high[1], p->y_max);
  const int rows = (int)p->count * LINE + TOP + LINE, least = TOP + HEIGHT + BELOW;
  const int width = LEFT + WIDTH + LEGEND + SAMPLE + 16 + (int)longest * LETTER;
  const int height = rows > least ? rows : least;
  fprintf(f,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
          "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
          "<style>.axis{stroke:#000;fill:none}.grid{stroke:#ddd}.line{fill:none;stroke-width:1.8}"
          ".mark{fill:none;stroke-width:1.5}</style>\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
          width, height, width, height);
  put_ticks(f, &y, true);
  put_ticks(f, &x, false);
  fprintf(f, "<path d=\"M%d %dv%dh%d\" class=\"axis\"/>\n", LEFT, TOP, HEIGHT, WIDTH);
  put_series(f, p, &x, &y);
  put_label(f, LEFT + WIDTH / 2.0, TOP - 16, "text-anchor=\"middle\" font-weight=\"bold\"",
            p->title);
  put_label(f, LEFT + WIDTH / 2.0, TOP + HEIGHT + 42, "text-anchor=\"middle\"", p->x_label);
  fprintf(f, "<g transform=\"translate(18 %.1f) rotate(-90)\">\n", TOP + HEIGHT / 2.0);
  put_label(f, 0, 0, "text-anchor=\"middle\"", p->y_label);
  fputs("</g>\n</svg>\n", f);
}

bool plot_write(const char *file, const plot *p) {
  out_file *o = out_open(file);
  if (o)
    draw(out_stream(o), p);
  if (o && out_close(o))
    return true;
  fprintf(stderr, "mpu: cannot write '%s': %s\n", file, strerror(errno));
  return false;
}

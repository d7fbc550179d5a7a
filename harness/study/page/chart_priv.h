// SPDX-License-Identifier: Apache-2.0
// What drawings of all kinds share: axes, texts and the frame of a figure. Lengths are units of the
// drawing, which are pixels where it is as wide as the place it stands in.
#ifndef NEARBANK_CHART_PRIV_H
#define NEARBANK_CHART_PRIV_H

#include "chart.h"
#include "palette.h"

enum { CHART_WIDE = 960, CHART_NARROW = 380 };

// A drawing under way: its text is held back until its size is known.
typedef struct drawing {
  FILE *f;
  bool narrow;
  double width, height;  // grow with what is drawn
  double letter;         // height of texts
} drawing;

// ---- axes

typedef struct axis {
  double low, high;
  double step;  // between ticks; of a logarithmic axis decades, 0: at 1, 2, 5, 10 ...
  bool log;
  double from, to;  // where low and high are
} axis;

// From the least and the largest value to round numbers; `about`: ticks, about. A linear axis has
// zero on it when `zero`.
axis axis_of(double low, double high, bool log, bool zero, double about);
double axis_at(const axis *a, double value);  // cut at the ends
// The next tick: begin with NAN; NAN: no more.
double axis_tick(const axis *a, double before);
// With k, M, G behind large numbers.
const char *short_text(char to[PAGE_NUMBER], double value, const char *suffix);
const char *axis_text(char to[PAGE_NUMBER], const axis *a, double value, const char *suffix);
double axis_widest(const drawing *d, const axis *a, const char *suffix);

// ---- texts

// Cosine and sine of the angle of turned texts.
#define LEAN 0.77
#define RISE 0.65

typedef enum anchor { START, MIDDLE, END } anchor;

double text_width(const drawing *d, const char *text);  // at most, about
// At x, y (of the base line), cut to `room`; class may be NULL.
void put_text(const drawing *d, double x, double y, anchor a, const char *class, double room,
              const char *text);
// Rising to the right, by 40 degrees: begins or ends there.
void put_turned(const drawing *d, double x, double y, anchor a, double room, const char *text);
__attribute__((format(printf, 2, 3))) void put_title(const drawing *d, const char *format, ...);
// A value and its suffix, for titles and tables.
const char *value_text(char to[PAGE_NUMBER + 8], double value, const char *suffix);
bool there(double value);

// Grid lines and numbers of a value axis that lies across (to the right) or stands.
void put_across(const drawing *d, const axis *a, double top, double bottom, const char *suffix);
void put_standing(const drawing *d, const axis *a, double left, double right, const char *suffix);

// ---- figures

typedef void draw_function(drawing *d, const void *chart);

void figure_begin(page *p, const chart_about *about);
// Draws it wide (unless it is half) and narrow.
void figure_draw(page *p, const chart_about *about, draw_function *draw, const void *chart);
void figure_empty(page *p);  // instead of a drawing
void figure_table_begin(page *p, const page_column *columns, size_t n);
void figure_table_end(page *p);
void figure_end(page *p);

// Legends: a list of keys, each a sample and a name.
typedef enum sample {
  SAMPLE_SQUARE,
  SAMPLE_LINE,
  SAMPLE_SOLID,  // without dashes
  SAMPLE_POINT,
  SAMPLE_REF,
  SAMPLE_GUIDE,
  SAMPLE_VOID  // missing
} sample;
void legend_begin(page *p);
void legend_key(page *p, sample s, size_t n, const char *name);  // n: of the series
void legend_end(page *p);

// Lines differ in dashes too, marks in shape.
const char *dash_of(size_t n);
void put_mark(const drawing *d, double x, double y, size_t n);  // its title and </path> follow

#endif

// SPDX-License-Identifier: Apache-2.0
// Figures of a page, as SVG in it. Each has a caption, a legend, marks that tell their value when
// the mouse is over them, and below it the same numbers as a table, folded. There are two drawings
// of a figure in the page, for a wide and for a narrow place, of which one shows; a figure that is
// `half` has only the narrow one, and stands beside another one (page_pair_begin).
//
// A value that is NaN or infinite is missing, and shown as missing. Names may be long and may hold
// anything; they are cut where they do not fit, and are whole when the mouse is over them.
#ifndef NEARBANK_CHART_H
#define NEARBANK_CHART_H

#include "page.h"

typedef struct chart_about {
  const char *title;  // above the figure
  const char *note;   // below the title: what is shown, in which unit; NULL: nothing
  const char *told;   // one sentence for those who cannot see it; NULL: the note
  bool half;
  bool no_table;
} chart_about;

// ---- bars: a group for each name, in it a bar for each series

typedef struct chart_bars {
  chart_about about;
  const char *axis;          // of the values: "cycles", "speed-up"
  const char *suffix;        // behind each value: " %"; NULL: nothing
  const char *const *names;  // n
  size_t n;
  const char *const *series;  // n_series; their names are not shown when there is one
  size_t n_series;
  const double *values;        // n * n_series: those of a name together
  const double *reference;     // the same, as lines across the bars; NULL: none
  const char *reference_name;  // "paper"
  const char *const *titles;   // n: more about a name, in its title; NULL: nothing
  const int *colours;          // n_series: of the palette (palette.h); NULL: one after the other
  double guide;                // a line through the figure, from which bars begin when the axis
  const char *guide_name;      // is logarithmic; NULL: none
  bool stacked;                // series on top of each other
  bool log;                    // not of what is stacked
  bool rows;                   // bars to the right in the wide drawing too
} chart_bars;

void chart_bars_put(page *p, const chart_bars *c);

// ---- lines over numbers

typedef struct chart_line {
  const char *name;
  const double *x, *y;
  size_t n;
  bool points;  // marks only: reference figures
} chart_line;

typedef struct chart_lines {
  chart_about about;
  const char *x_axis, *y_axis;
  const char *suffix;  // of y
  const chart_line *all;
  size_t n;
  bool x_log, y_log;
  bool steps;    // a value holds from its x to the next one
  double y_max;  // 0: as the data need; lines end where they cross it
} chart_lines;

void chart_lines_put(page *p, const chart_lines *c);

// ---- heat map

typedef enum chart_cell {
  CHART_VALUE,
  CHART_BLANK,  // nothing
  CHART_NODE    // a thing between the values: a small square
} chart_cell;

typedef struct chart_heat {
  chart_about about;
  const char *unit;         // beside the scale
  const char *suffix;       // behind each value
  const char *const *rows;  // n_rows; NULL: without names
  size_t n_rows;
  const char *const *columns;  // n_columns; NULL: without names
  size_t n_columns;
  const double *values;       // n_rows * n_columns, row by row
  const char *const *titles;  // n_rows * n_columns; NULL: names of row and column
  const chart_cell *cells;    // n_rows * n_columns; NULL: all are values
  size_t rows_together;       // a gap after each so many; 0: none
  size_t columns_together;
  double low, high;  // of the scale; equal: from the data
  bool sides;        // two colours, below and above the middle
  double middle;
} chart_heat;

void chart_heat_put(page *p, const chart_heat *c);

// ---- roofline, both axes logarithmic

typedef struct chart_roof {
  const char *name;
  double level;  // the most, whatever x is; infinite: no such bound
  double slope;  // the most is slope * x; 0: no such bound
  bool beside;   // to compare with: it does not bound what is drawn
} chart_roof;

typedef struct chart_roof_point {
  const char *name;
  double x, y;
} chart_roof_point;

typedef struct chart_roofline {
  chart_about about;
  const char *x_axis, *y_axis;
  const chart_roof *roofs;
  size_t n_roofs;
  const chart_roof_point *points;
  size_t n_points;
} chart_roofline;

void chart_roofline_put(page *p, const chart_roofline *c);

#endif

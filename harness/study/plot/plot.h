// SPDX-License-Identifier: Apache-2.0
// Line plots as SVG, for the calibration commands.
#ifndef NEARBANK_PLOT_H
#define NEARBANK_PLOT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct plot_series {
  const char *name;
  const double *x, *y;
  size_t count;
  bool points;  // marks only: reference figures
} plot_series;

typedef struct plot {
  const char *title, *x_label, *y_label;
  double y_max;  // 0: as the data need; curves end where they cross it
  const plot_series *series;
  size_t count;
} plot;

bool plot_write(const char *file, const plot *p);  // false after a message

#endif

// SPDX-License-Identifier: Apache-2.0
// Reference figures for plots, from a file of lines `X Y NAME`; # begins a comment. Lines with the
// same name stand together.
#ifndef NEARBANK_POINTS_H
#define NEARBANK_POINTS_H

#include "plot.h"

enum { POINTS_SERIES = 16 };

typedef struct points {
  char *text;
  double *x, *y;
  plot_series series[POINTS_SERIES];
  size_t count;
} points;

int points_read(const char *file, points *p);  // 0, or an exit status after a message
void points_free(points *p);

#endif

// SPDX-License-Identifier: Apache-2.0
// The report of a study, as a page: each figure beside what is expected, with its table; runs that
// failed; what the runs were made with.
#ifndef NEARBANK_REPORT_STUDY_H
#define NEARBANK_REPORT_STUDY_H

#include "harness/study/figure/figure.h"
#include "page.h"

typedef struct report_study_input {
  const results *results;
  const plan *plan;
  store *store;                  // NULL: no run has been made
  const char *const *gpu_lines;  // what the time of the GPU assumes, up to a NULL; NULL: not used
} report_study_input;

page *report_study_page(const report_study_input *in);

#endif

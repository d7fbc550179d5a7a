// SPDX-License-Identifier: Apache-2.0
// The report of a run, as a page: what its statistics say, in figures and tables (docs/report.md).
#ifndef NEARBANK_REPORT_H
#define NEARBANK_REPORT_H

#include "csv.h"
#include "harness/study/energy/energy.h"
#include "harness/study/tree/tree.h"
#include "page.h"

typedef struct report_input {
  const tree *run;              // what mpu run --stats or mpu machine --stats wrote
  const energy_report *energy;  // of the same; NULL: `energy_why` says why it is missing
  const config *constants;      // that it was made with
  const char *energy_why;
  const tree *before;                    // another run of the program; NULL: none
  const csv *interval;                   // what mpu run --interval wrote; NULL: nothing
  const tree *profile;                   // what mpu profile --json wrote; NULL: nothing
  const char *command, *host, *started;  // of a run of a store; NULL: not known
} report_input;

// Is this what mpu run or mpu machine wrote? False: `why` is a sentence.
bool report_can(const tree *run, char *why, size_t bytes);
// The program, or the machine of nodes.
const char *report_name(const tree *run);
// The configuration of the run, or of one of its keys the default where that is missing or not
// known here.
config report_constants(const tree *run);
page *report_page(const report_input *in);

#endif

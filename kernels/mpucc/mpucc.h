// SPDX-License-Identifier: Apache-2.0
// The compiler as a function: PTX (or a MIR dump) in, MPU object out.
#ifndef NEARBANK_MPUCC_H
#define NEARBANK_MPUCC_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "mir.h"

typedef struct mpucc_options {
  mir_policy locate;           // --locate=paper|near|far|none|cost
  bool located;                // somebody asked for it; else the machine may say another one
  const mir_profile *profile;  // --profile-in, NULL: none. Belongs to the caller
  isa_dies dies;               // --dies=hybrid|far-shared|both-shared|base-die: of the machine
  bool forms;                  // --forms
  bool near_predicates;        // --near-predicates
  bool reorder;                // --reorder
  bool skew;                   // --skew
  uint32_t max_regs;           // --maxregs N, 0: no bound but the ISA's
  FILE *listing;               // -S, NULL: none
  FILE *counts;                // --counts, NULL: none
  FILE *dump;                  // --dump-after=PASS: where to, NULL: none
  const char *dump_after;      // parse inline lower simplify reconverge predicates locate reorder
                               // allocate
  FILE *messages;              // diagnostics, NULL: stderr
} mpucc_options;

mpucc_options mpucc_options_default(void);

// 0 on success, 2 when options do not fit each other, else 1; then messages have been printed.
// `filename` is for messages. A text that starts with `.mir` is a MIR dump, compiled on from its
// stage. With dump_after set, stops after that pass (no image: *image is NULL).
int mpucc_compile(const char *text, size_t bytes, const char *filename, const mpucc_options *o,
                  uint8_t **image, size_t *image_bytes);

bool mpucc_parse_dies(const char *v, isa_dies *dies);

// The command: mpucc [options] FILE.ptx|FILE.mir -o OUT. Exit status 0, 1 compile error, 2 usage.
int mpucc_main(int argc, char **argv);

#endif

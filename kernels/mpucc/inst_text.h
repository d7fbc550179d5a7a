// SPDX-License-Identifier: Apache-2.0
// One instruction as text, with virtual or physical registers, and back. The text holds every
// field but branch targets, which the caller names.
//
//   [@[!]guard] op[.fn][.bool][.ftz][.sat][.space][.order][.scope][.type][.type2][.near|.far]
//   operands
//
// Operands, separated by commas, all that the opcode has: d; pd or pd|pq; a, b, c (for accesses a
// is [a+offset]); ps and the second source predicate as [!]p; the table of lop3; the branch target.
// Registers: v12 virtual, v12.w0 to .w3 its words, v12.p0 and .p1 its pairs, r12 physical, rz.
// Predicates: q3 virtual, p3 physical, pt. Immediates are numbers.
#ifndef NEARBANK_INST_TEXT_H
#define NEARBANK_INST_TEXT_H

#include <stddef.h>
#include <stdio.h>
#include "../../csim/isa/isa.h"

// How registers and branch targets are written; `context` is passed on.
typedef struct inst_names {
  void (*reg)(FILE *f, const void *context, isa_reg r);
  void (*pred)(FILE *f, const void *context, isa_reg p);
  void (*target)(FILE *f, const void *context, uint32_t target);
  const void *context;
} inst_names;

void inst_print(FILE *f, const isa_inst *i, const inst_names *names);
void inst_print_reg(FILE *f, const void *context, isa_reg r);  // the plain names above
void inst_print_pred(FILE *f, const void *context, isa_reg p);

// The text being read; `why` says what is wrong at `at` after a failure.
typedef struct inst_cursor {
  const char *at, *end;
  const char *why;
} inst_cursor;

// False with `why` set. For branches imm stays 0 and *target is the name, of *target_bytes.
// Only the form is checked: see isa_check for the rest.
bool inst_read(inst_cursor *c, isa_inst *i, const char **target, size_t *target_bytes);

// Skips blanks, then a number with an optional sign, decimal or 0x. False when there is none.
bool inst_read_number(inst_cursor *c, int64_t *value);
void inst_skip_blanks(inst_cursor *c);

#endif

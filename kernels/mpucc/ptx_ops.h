// SPDX-License-Identifier: Apache-2.0
// The table of PTX instructions (ptx_ops.def), to look things up in.
#ifndef NEARBANK_PTX_OPS_H
#define NEARBANK_PTX_OPS_H

#include "ptx.h"

typedef struct ptx_op {
  const char *name, *types, *example, *text;
} ptx_op;

typedef struct ptx_not {
  const char *name, *text;
} ptx_not;

typedef struct ptx_sreg {
  const char *name, *isa, *text;
} ptx_sreg;

// Each ends with an entry without a name.
extern const ptx_op ptx_ops[];
extern const ptx_not ptx_nots[], ptx_call_nots[];
extern const ptx_sreg ptx_sregs[];

bool ptx_op_takes(const ptx_op *o, const char *type);  // type NULL: the instruction has none
// What says why the statement is not taken at all, NULL when nothing does.
const ptx_not *ptx_refused(const ptx_stmt *s);
// Of the lines for the opcode: the one that takes its last type; else any, and *fits is false.
// NULL: there is no such opcode.
const ptx_op *ptx_op_find(const ptx_stmt *s, bool *fits);
// Reports calls of functions in the list, and static variables whose first value is computed.
// False: there are some.
bool ptx_check_names(const ptx_module *m, diag *d);

#endif

// SPDX-License-Identifier: Apache-2.0
// Statements and operands that passes make.
#ifndef NEARBANK_PTX_BUILD_H
#define NEARBANK_PTX_BUILD_H

#include "ptx.h"

ptx_operand ptx_op_reg(uint32_t reg);
ptx_operand ptx_op_int(int64_t value);
ptx_operand ptx_op_label(uint32_t label);
ptx_operand ptx_op_sreg(const char *name);
ptx_operand ptx_op_at(uint32_t reg, int64_t offset);  // [reg+offset]
ptx_operand ptx_op_in(ptx_var *var, int64_t offset);  // [var+offset]

// Adds a statement at the place of `at`: "setp.lt.u32", and `count` operands.
ptx_stmt *ptx_emit(ptx_module *m, ptx_function *f, const ptx_stmt *at, const char *opcode,
                   unsigned count, ...);
ptx_stmt *ptx_emit_label(ptx_module *m, ptx_function *f, const ptx_stmt *at, uint32_t label);
void ptx_guard(ptx_stmt *s, uint32_t reg, bool negated);

#endif

// SPDX-License-Identifier: Apache-2.0
#include "ptx_build.h"

#include <stdarg.h>
#include <string.h>

ptx_operand ptx_op_reg(uint32_t reg) {
  return (ptx_operand){.kind = PTX_REG, .reg = reg};
}
ptx_operand ptx_op_int(int64_t value) {
  return (ptx_operand){.kind = PTX_INT, .value = value};
}
ptx_operand ptx_op_label(uint32_t label) {
  return (ptx_operand){.kind = PTX_LABEL, .value = label};
}
ptx_operand ptx_op_sreg(const char *name) {
  return (ptx_operand){.kind = PTX_SREG, .name = name};
}
ptx_operand ptx_op_at(uint32_t reg, int64_t offset) {
  return (ptx_operand){.kind = PTX_ADDR, .reg = reg, .has_reg = true, .value = offset};
}
ptx_operand ptx_op_in(ptx_var *var, int64_t offset) {
  return (ptx_operand){.kind = PTX_ADDR, .var = var, .value = offset};
}

// "setp.lt.u32" into setp, lt and u32.
static void split(ptx_module *m, ptx_stmt *s, const char *opcode) {
  size_t bytes = strcspn(opcode, ".");
  s->op = ptx_strdup(m, opcode, bytes);
  for (const char *at = opcode + bytes; *at == '.'; at += bytes + 1) {
    bytes = strcspn(at + 1, ".");
    s->mods[s->mod_count++] = ptx_strdup(m, at + 1, bytes);
  }
}

ptx_stmt *ptx_emit(ptx_module *m, ptx_function *f, const ptx_stmt *at, const char *opcode,
                   unsigned count, ...) {
  ptx_stmt s = {.pair = UINT32_MAX, .operand_count = count};
  va_list list;
  s.line = at->line, s.col = at->col;
  s.cuda_file = at->cuda_file, s.cuda_line = at->cuda_line;
  split(m, &s, opcode);
  va_start(list, count);
  for (unsigned n = 0; n < count; n++) {
    s.operands[n] = va_arg(list, ptx_operand);
    s.operands[n].line = at->line, s.operands[n].col = at->col;
  }
  va_end(list);
  ptx_stmt *made = ptx_stmt_add(m, f);
  *made = s;
  return made;
}

ptx_stmt *ptx_emit_label(ptx_module *m, ptx_function *f, const ptx_stmt *at, uint32_t label) {
  ptx_stmt *made = ptx_stmt_add(m, f);
  *made = (ptx_stmt){
      .is_label = true, .label = label, .pair = UINT32_MAX, .line = at->line, .col = at->col};
  return made;
}

void ptx_guard(ptx_stmt *s, uint32_t reg, bool negated) {
  s->guarded = true;
  s->guard = reg;
  s->guard_neg = negated;
}

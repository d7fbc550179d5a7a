// SPDX-License-Identifier: Apache-2.0
#include "ptx_ops.h"
#include <stdio.h>
#include <string.h>

const ptx_op ptx_ops[] = {
#define PTX_OP(name, types, example, text) {name, types, example, text},
#include "ptx_ops.def"
#undef PTX_OP
    {NULL, NULL, NULL, NULL}};

const ptx_not ptx_nots[] = {
#define PTX_NOT(name, text) {name, text},
#include "ptx_ops.def"
#undef PTX_NOT
    {NULL, NULL}};

const ptx_not ptx_call_nots[] = {
#define PTX_CALL_NOT(name, text) {name, text},
#include "ptx_ops.def"
#undef PTX_CALL_NOT
    {NULL, NULL}};

const ptx_sreg ptx_sregs[] = {
#define PTX_SREG(name, isa, text) {name, isa, text},
#include "ptx_ops.def"
#undef PTX_SREG
    {NULL, NULL, NULL}};

bool ptx_op_takes(const ptx_op *o, const char *type) {
  const size_t length = type ? strlen(type) : 0;
  if (!o->types)
    return true;
  for (const char *at = o->types; type && at; at = strchr(at, ' ')) {
    at += *at == ' ';
    if (strncmp(at, type, length) == 0 && (at[length] == ' ' || !at[length]))
      return true;
  }
  return false;
}

// Whether opcode and modifiers begin with a name with dots.
static bool begins(const ptx_stmt *s, const char *name) {
  const char *word = s->op;
  for (uint32_t n = 0;; n++) {
    const size_t length = strcspn(name, ".");
    if (strncmp(word, name, length) != 0 || word[length])
      return false;
    if (!name[length])
      return true;
    name += length + 1;
    if (n == s->mod_count)
      return false;
    word = s->mods[n];
  }
}

const ptx_not *ptx_refused(const ptx_stmt *s) {
  for (const ptx_not *o = ptx_nots; o->name; o++)
    if (begins(s, o->name))
      return o;
  return NULL;
}

const ptx_op *ptx_op_find(const ptx_stmt *s, bool *fits) {
  const char *type = NULL;
  const ptx_op *found = NULL;
  ptx_type t;
  for (uint32_t n = 0; n < s->mod_count; n++)
    if (ptx_type_find(s->mods[n], &t))
      type = s->mods[n];
  *fits = false;
  for (const ptx_op *o = ptx_ops; o->name && !*fits; o++)
    if (begins(s, o->name)) {
      found = o;
      *fits = ptx_op_takes(o, type);
    }
  return found;
}

void ptx_place(const ptx_module *m, const ptx_stmt *s, char *to, size_t bytes) {
  *to = 0;
  for (uint32_t n = 0; n < m->file_count && s->cuda_file; n++)
    if (m->files[n].number == s->cuda_file)
      snprintf(to, bytes, "; from %s:%u", m->files[n].name, s->cuda_line);
}

static void check_call(const ptx_module *m, const ptx_stmt *s, diag *d) {
  char from[PTX_PLACE];
  ptx_place(m, s, from, sizeof from);
  for (uint32_t n = 0; n < s->operand_count && n < 2; n++) {
    const ptx_operand *o = &s->operands[n];
    const char *name = o->kind == PTX_FUNC && !o->func->has_body ? o->func->name
                       : o->kind == PTX_NAME                     ? o->name
                                                                 : "";
    for (const ptx_not *k = ptx_call_nots; k->name; k++)
      if (strcmp(name, k->name) == 0)
        diag_error(d, s->line, s->col, "`%s` is not supported: %s%s", name, k->text, from);
  }
}

// A variable with this prefix is C++'s flag that a static one of a function has its first value.
// Threads would have to wait for the one that computes it.
static bool is_guard(const ptx_operand *o) {
  return (o->kind == PTX_VAR || o->kind == PTX_ADDR) && o->var &&
         strncmp(o->var->name, "_ZGV", 4) == 0;
}

static void refuse_static(const ptx_module *m, const ptx_stmt *s, diag *d) {
  char from[PTX_PLACE];
  ptx_place(m, s, from, sizeof from);
  diag_error(d, s->line, s->col,
             "a function's static variable with a computed first value is not supported: give it "
             "a constant one, or use a __device__ variable that the host sets%s",
             from);
}

// Reports the first guard only: each is used several times.
static void check_statics(const ptx_module *m, const ptx_function *f, diag *d) {
  for (uint32_t k = 0; k < f->stmt_count; k++)
    for (uint32_t n = 0; n < f->stmts[k].operand_count; n++)
      if (is_guard(&f->stmts[k].operands[n])) {
        refuse_static(m, &f->stmts[k], d);
        return;
      }
}

bool ptx_check_names(const ptx_module *m, diag *d) {
  const unsigned before = diag_errors(d);
  for (uint32_t n = 0; n < m->function_count; n++) {
    const ptx_function *f = m->functions[n];
    for (uint32_t k = 0; k < f->stmt_count; k++)
      if (!f->stmts[k].is_label && strcmp(f->stmts[k].op, "call") == 0)
        check_call(m, &f->stmts[k], d);
    check_statics(m, f, d);
  }
  return diag_errors(d) == before;
}

// SPDX-License-Identifier: Apache-2.0
// Inlining of calls, on the tree. Functions are made whole from the leaves up: when a function is
// looked at, what it calls has no calls left.
//
// A call passes values through `.param` variables of the caller. They become local memory of the
// caller, and so do the callee's formal parameters and return values in each copy of its body.
#include <stdlib.h>
#include <string.h>
#include "ptx.h"

enum { FRESH, BUSY, DONE };
enum { MAX_STATEMENTS = 1 << 20 };

typedef struct inliner {
  ptx_module *m;
  diag *d;
  bool ok;
} inliner;

// Where the names of one copy of a callee live in the caller.
typedef struct copy {
  const ptx_function *from;
  ptx_function *to;
  uint32_t *regs, *labels;
  ptx_var **old_vars, **new_vars;
  uint32_t var_count;
  uint32_t end;  // label behind the copy
  uint32_t number;
} copy;

static bool refuse(inliner *in, const ptx_stmt *s, const char *why, const char *name) {
  in->ok = false;
  return diag_error(in->d, s->line, s->col, "the opcode `call` is not supported here: %s%s%s", why,
                    name ? " " : "", name ? name : "");
}

static ptx_function *find_function(const ptx_module *m, const char *name) {
  for (uint32_t n = 0; n < m->function_count; n++)
    if (strcmp(m->functions[n]->name, name) == 0)
      return m->functions[n];
  return NULL;
}

// The pieces of `call (ret), f, (args)`, where both lists may be absent.
static bool call_parts(inliner *in, const ptx_stmt *s, ptx_function **f, const ptx_operand **rets,
                       const ptx_operand **args) {
  uint32_t at = 0;
  *rets = *args = NULL;
  if (s->operand_count > at && s->operands[at].kind == PTX_LIST)
    *rets = &s->operands[at++];
  if (s->operand_count <= at)
    return refuse(in, s, "the function is missing", NULL);
  const ptx_operand *callee = &s->operands[at++];
  *f = callee->kind == PTX_FUNC   ? callee->func
       : callee->kind == PTX_NAME ? find_function(in->m, callee->name)
                                  : NULL;
  if (s->operand_count > at && s->operands[at].kind == PTX_LIST)
    *args = &s->operands[at++];
  if (callee->kind == PTX_REG)
    return refuse(in, s, "a call through a pointer", NULL);
  if (!*f || !(*f)->has_body || (*f)->is_entry)
    return refuse(in, s, "there is no body of the function",
                  *f ? (*f)->name : callee->name ? callee->name : "?");
  if (((*args) ? (*args)->count : 0) != (*f)->param_count ||
      ((*rets) ? (*rets)->count : 0) != (*f)->ret_count)
    return refuse(in, s, "wrong number of arguments for", (*f)->name);
  if (s->guarded)
    return refuse(in, s, "a guarded call", NULL);
  return true;
}

static ptx_var *new_local(inliner *in, ptx_function *to, const ptx_var *from) {
  ptx_var *v = ptx_alloc(in->m, sizeof *v);
  *v = *from;
  v->linkage = "";
  if (v->space == PTX_PARAM)
    v->space = PTX_LOCAL;
  ptx_var_add(in->m, to, v);
  return v;
}

static ptx_var *renamed(const copy *c, ptx_var *v) {
  for (uint32_t n = 0; n < c->var_count; n++)
    if (c->old_vars[n] == v)
      return c->new_vars[n];
  return v;
}

static void copy_operand(inliner *in, const copy *c, ptx_operand *o) {
  if (o->kind == PTX_REG || (o->kind == PTX_ADDR && o->has_reg))
    o->reg = c->regs[o->reg];
  if (o->var)
    o->var = renamed(c, o->var);
  if (o->kind == PTX_LABEL)
    o->value = c->labels[o->value];
  if (o->count) {
    ptx_operand *items = ptx_alloc(in->m, o->count * sizeof *items);
    memcpy(items, o->items, o->count * sizeof *items);
    o->items = items;
    for (uint32_t n = 0; n < o->count; n++)
      copy_operand(in, c, &items[n]);
  }
}

// Accesses of what is local memory now say so.
static void fix_space(ptx_stmt *s) {
  bool local = false;
  for (uint32_t n = 0; n < s->operand_count; n++)
    local |= s->operands[n].var && s->operands[n].var->space == PTX_LOCAL;
  for (uint32_t n = 0; local && n < s->mod_count; n++)
    if (strncmp(s->mods[n], "param", 5) == 0)
      s->mods[n] = "local";
}

static void copy_stmt(inliner *in, const copy *c, const ptx_stmt *from) {
  ptx_stmt s = *from;
  if (s.is_label) {
    s.label = c->labels[s.label];
  } else {
    if (s.guarded)
      s.guard = c->regs[s.guard];
    if (s.pair != UINT32_MAX)
      s.pair = c->regs[s.pair];
    for (uint32_t n = 0; n < s.operand_count; n++)
      copy_operand(in, c, &s.operands[n]);
    fix_space(&s);
    if (strcmp(s.op, "ret") == 0) {
      s.op = "bra";
      s.mod_count = 0;
      s.operand_count = 1;
      s.operands[0] = (ptx_operand){.kind = PTX_LABEL, .value = c->end, .line = s.line, .col = s.col};
    } else if (strcmp(s.op, "brx") == 0 && s.operand_count > 1 && s.operands[1].name) {
      char name[300];
      int n = snprintf(name, sizeof name, "%.200s_i%u", s.operands[1].name, c->number);
      s.operands[1].name = ptx_strdup(in->m, name, (size_t)n);
    }
  }
  *ptx_stmt_add(in->m, c->to) = s;
}

static void copy_targets(inliner *in, const copy *c) {
  ptx_function *to = c->to;
  if (!c->from->target_count)
    return;
  ptx_targets *all =
      ptx_alloc(in->m, (to->target_count + c->from->target_count) * sizeof *all);
  if (to->target_count)
    memcpy(all, to->targets, to->target_count * sizeof *all);
  for (uint32_t n = 0; n < c->from->target_count; n++) {
    const ptx_targets *t = &c->from->targets[n];
    char name[300];
    int length = snprintf(name, sizeof name, "%.200s_i%u", t->name, c->number);
    uint32_t *labels = ptx_alloc(in->m, (t->count + 1) * sizeof *labels);
    for (uint32_t k = 0; k < t->count; k++)
      labels[k] = c->labels[t->labels[k]];
    all[to->target_count + n] =
        (ptx_targets){ptx_strdup(in->m, name, (size_t)length), labels, t->count};
  }
  to->targets = all;
  to->target_count += c->from->target_count;
}

static void bind(copy *c, ptx_var *formal, ptx_var *actual) {
  c->old_vars[c->var_count] = formal;
  c->new_vars[c->var_count++] = actual;
}

// Formal and actual parameter are the same bytes: the callee's name means the caller's variable.
static bool bind_list(inliner *in, copy *c, const ptx_stmt *s, ptx_var **formals,
                      const ptx_operand *actuals) {
  for (uint32_t n = 0; actuals && n < actuals->count; n++) {
    const ptx_operand *o = &actuals->items[n];
    if (o->kind != PTX_VAR || o->value || o->var->bytes < formals[n]->bytes)
      return refuse(in, s, "an argument that is no .param variable of the right size for",
                    c->from->name);
    bind(c, formals[n], o->var);
  }
  return true;
}

static bool inline_call(inliner *in, ptx_function *to, const ptx_stmt *s, uint32_t number) {
  const ptx_operand *rets, *args;
  ptx_function *f;
  if (!call_parts(in, s, &f, &rets, &args))
    return false;
  if (to->stmt_count + f->stmt_count > MAX_STATEMENTS)
    return refuse(in, s, "inlining makes the kernel too large", NULL);
  copy c = {.from = f, .to = to, .number = number};
  uint32_t vars = f->param_count + f->ret_count + f->var_count;
  c.regs = ptx_alloc(in->m, (f->reg_count + 1) * sizeof *c.regs);
  c.labels = ptx_alloc(in->m, (f->label_count + 1) * sizeof *c.labels);
  c.old_vars = ptx_alloc(in->m, (vars + 1) * sizeof *c.old_vars);
  c.new_vars = ptx_alloc(in->m, (vars + 1) * sizeof *c.new_vars);
  for (uint32_t n = 0; n < f->reg_count; n++)
    c.regs[n] = ptx_reg_add(in->m, to, f->regs[n].name, f->regs[n].type);
  for (uint32_t n = 0; n < f->label_count; n++)
    c.labels[n] = ptx_label_add(in->m, to, f->labels[n]);
  c.end = ptx_label_add(in->m, to, "return");
  if (!bind_list(in, &c, s, f->params, args) || !bind_list(in, &c, s, f->rets, rets))
    return false;
  for (uint32_t n = 0; n < f->var_count; n++)
    if (f->vars[n]->space == PTX_LOCAL || f->vars[n]->space == PTX_PARAM)
      bind(&c, f->vars[n], new_local(in, to, f->vars[n]));
    else if (f->vars[n]->space == PTX_SHARED)  // one for all copies
      ptx_var_add(in->m, to, f->vars[n]);
  for (uint32_t n = 0; n < f->stmt_count; n++)
    copy_stmt(in, &c, &f->stmts[n]);
  copy_targets(in, &c);
  ptx_stmt *end = ptx_stmt_add(in->m, to);
  *end = (ptx_stmt){.is_label = true, .label = c.end, .pair = UINT32_MAX, .line = s->line, .col = s->col};
  return true;
}

static bool has_call(const ptx_function *f) {
  for (uint32_t n = 0; n < f->stmt_count; n++)
    if (!f->stmts[n].is_label && strcmp(f->stmts[n].op, "call") == 0)
      return true;
  return false;
}

static void drop_repeated_vars(ptx_function *f) {
  uint32_t kept = 0;
  for (uint32_t n = 0; n < f->var_count; n++) {
    bool again = false;
    for (uint32_t k = 0; k < kept && f->vars[n]->space == PTX_SHARED; k++)
      again |= f->vars[k] == f->vars[n];
    if (!again)
      f->vars[kept++] = f->vars[n];
  }
  f->var_count = kept;
}

static void make_whole(inliner *in, ptx_function *f, unsigned depth) {
  f->mark = BUSY;
  if (has_call(f) && depth < 200) {
    // .param variables of calls become local ones in place, before their uses are copied
    for (uint32_t n = 0; n < f->var_count; n++)
      if (f->vars[n]->space == PTX_PARAM)
        f->vars[n]->space = PTX_LOCAL;
    ptx_stmt *old = f->stmts;
    uint32_t count = f->stmt_count, copies = 0;
    f->stmts = NULL;
    f->stmt_count = f->stmt_capacity = 0;
    for (uint32_t n = 0; n < count && in->ok; n++) {
      ptx_stmt *s = &old[n];
      if (s->is_label || strcmp(s->op, "call") != 0) {
        if (!s->is_label)
          fix_space(s);
        *ptx_stmt_add(in->m, f) = *s;
        continue;
      }
      ptx_function *callee;
      const ptx_operand *rets, *args;
      if (!call_parts(in, s, &callee, &rets, &args))
        break;
      if (callee->mark == BUSY) {
        refuse(in, s, "recursion of", callee->name);
        break;
      }
      if (callee->mark == FRESH)
        make_whole(in, callee, depth + 1);
      if (in->ok)
        inline_call(in, f, s, copies++);
    }
    drop_repeated_vars(f);
  }
  f->mark = DONE;
}

bool ptx_inline(ptx_module *m, diag *d) {
  inliner in = {m, d, true};
  for (uint32_t n = 0; n < m->function_count; n++)
    m->functions[n]->mark = FRESH;
  for (uint32_t n = 0; n < m->function_count; n++)
    if (m->functions[n]->is_entry && m->functions[n]->has_body) {
      in.ok = true;
      make_whole(&in, m->functions[n], 0);
    }
  return diag_errors(d) == 0;
}

// SPDX-License-Identifier: Apache-2.0
// Inlining of calls, on the tree. Functions are made whole from the leaves up: when a function is
// looked at, what it calls has no calls left, but of functions that stand.
//
// A call passes values through `.param` variables of the caller. They become local memory of the
// caller, and so do the callee's formal parameters and return values in each copy of its body.
//
// Local variables of a callee exist once in each caller, not once a copy: two calls of one
// function in one caller never run at the same time, just as they would share a stack.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptx_build.h"
#include "ptx_calls.h"

enum { MAX_STATEMENTS = 1 << 20 };

// Callees that this caller has had copies of, with their local variables here.
typedef struct frame {
  struct frame *next;
  const ptx_function *from;
  ptx_var **vars;  // in the order of from->vars
} frame;

// The caller.
typedef struct target {
  inliner *in;
  ptx_function *f;
  frame *frames;
} target;

bool calls_is(const ptx_stmt *s) {
  return !s->is_label && strcmp(s->op, "call") == 0;
}

bool calls_refuse(inliner *in, const ptx_stmt *s, const char *why, ...) {
  char text[300], from[PTX_PLACE];
  va_list args;
  va_start(args, why);
  vsnprintf(text, sizeof text, why, args);
  va_end(args);
  ptx_place(in->m, s, from, sizeof from);
  in->ok = false;
  return diag_error(in->d, s->line, s->col, "the opcode `call` is not supported here: %s%s", text,
                    from);
}

static ptx_function *find_function(const ptx_module *m, const char *name) {
  for (uint32_t n = 0; n < m->function_count; n++)
    if (strcmp(m->functions[n]->name, name) == 0)
      return m->functions[n];
  return NULL;
}

static bool pointer_parts(inliner *in, const ptx_stmt *s, const ptx_function *f,
                          const call_parts *c) {
  if (ptx_type_bytes(f->regs[c->reg].type) != 8 && !ptx_has_mod(s, "index"))
    return calls_refuse(in, s, "a pointer of another size than 64 bits: use .u64");
  for (int args = 0; args < 2; args++) {
    const ptx_operand *list = args ? c->args : c->rets;
    for (uint32_t n = 0; list && n < list->count; n++)
      if (list->items[n].kind != PTX_VAR || list->items[n].value)
        return calls_refuse(in, s, "an argument that is not a .param variable: store it in one");
  }
  return true;
}

bool calls_split(inliner *in, const ptx_stmt *s, const ptx_function *f, call_parts *c) {
  uint32_t at = 0;
  *c = (call_parts){0};
  if (s->operand_count > at && s->operands[at].kind == PTX_LIST)
    c->rets = &s->operands[at++];
  if (s->operand_count <= at)
    return calls_refuse(in, s, "the function is missing");
  const ptx_operand *callee = &s->operands[c->at = at++];
  c->f = callee->kind == PTX_FUNC   ? callee->func
         : callee->kind == PTX_NAME ? find_function(in->m, callee->name)
                                    : NULL;
  c->reg = callee->reg;
  if (s->operand_count > at && s->operands[at].kind == PTX_LIST)
    c->args = &s->operands[at++];
  if (callee->kind == PTX_REG)
    return pointer_parts(in, s, f, c);
  if (!c->f || !c->f->has_body || c->f->is_entry)
    return calls_refuse(
        in, s, "undefined function %s: define it here, or link the file that does (nvcc -rdc=true)",
        c->f           ? c->f->name
        : callee->name ? callee->name
                       : "?");
  if ((c->args ? c->args->count : 0) != c->f->param_count ||
      (c->rets ? c->rets->count : 0) != c->f->ret_count)
    return calls_refuse(in, s, "wrong number of arguments for %s: pass as many as it declares",
                        c->f->name);
  return true;
}

static ptx_var *new_local(inliner *in, ptx_function *to, const ptx_var *from) {
  ptx_var *v = ptx_alloc(in->m, sizeof *v);
  *v = *from;
  v->linkage = "";
  v->space = PTX_LOCAL;
  v->mark = 0;
  ptx_var_add(in->m, to, v);
  return v;
}

static void copy_operand(inliner *in, const call_copy *c, ptx_operand *o) {
  if (o->kind == PTX_REG || (o->kind == PTX_ADDR && o->has_reg))
    o->reg = c->regs[o->reg];
  if (o->var && o->var->mark)
    o->var = c->vars[o->var->mark - 1];
  if (o->kind == PTX_LABEL)
    o->value = c->labels[o->value];
  if (o->kind == PTX_NAME)
    for (uint32_t n = 0; n < c->from->target_count; n++)
      if (strcmp(c->from->targets[n].name, o->name) == 0)
        o->name = c->tables[n];
  if (o->count) {
    ptx_operand *items = ptx_alloc(in->m, o->count * sizeof *items);
    memcpy(items, o->items, o->count * sizeof *items);
    o->items = items;
    for (uint32_t n = 0; n < o->count; n++)
      copy_operand(in, c, &items[n]);
  }
}

static void make_local(ptx_stmt *s) {
  for (uint32_t n = 0; n < s->mod_count; n++)
    if (strcmp(s->mods[n], "param") == 0 || strncmp(s->mods[n], "param:", 6) == 0)
      s->mods[n] = "local";
}

// Accesses of what is local memory now say so.
static void fix_space(ptx_stmt *s) {
  for (uint32_t n = 0; n < s->operand_count; n++)
    if (s->operands[n].var && s->operands[n].var->space == PTX_LOCAL)
      make_local(s);
}

// A callee that addresses parameters through a register means its own, which are local now.
static bool by_register(const ptx_stmt *s) {
  for (uint32_t n = 0; n < s->operand_count; n++)
    if (s->operands[n].var && s->operands[n].var->space != PTX_LOCAL)
      return false;
  return true;
}

ptx_stmt copy_stmt(inliner *in, const call_copy *c, const ptx_stmt *from) {
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
    if (by_register(&s))
      make_local(&s);
    if (strcmp(s.op, "ret") == 0) {
      s.op = "bra";
      s.mod_count = 0;
      s.operand_count = 1;
      s.operands[0] =
          (ptx_operand){.kind = PTX_LABEL, .value = c->end, .line = s.line, .col = s.col};
    }
  }
  return s;
}

static bool has_target(const ptx_function *f, const char *name) {
  for (uint32_t n = 0; n < f->target_count; n++)
    if (strcmp(f->targets[n].name, name) == 0)
      return true;
  return false;
}

static void copy_targets(inliner *in, call_copy *c) {
  ptx_function *to = c->to;
  uint32_t number = to->target_count;
  for (uint32_t n = 0; n < c->from->target_count; n++) {
    const ptx_targets *t = &c->from->targets[n];
    size_t bytes = strlen(t->name) + 16;
    char *name = ptx_alloc(in->m, bytes);
    uint32_t *labels = ptx_alloc(in->m, (t->count + 1) * sizeof *labels);
    do
      snprintf(name, bytes, "%s_i%u", t->name, number++);
    while (has_target(to, name));
    for (uint32_t k = 0; k < t->count; k++)
      labels[k] = c->labels[t->labels[k]];
    to->targets =
        ptx_grow(in->m, to->targets, to->target_count, &to->target_capacity, sizeof *to->targets);
    to->targets[to->target_count++] = (ptx_targets){name, labels, t->count};
    c->tables[n] = name;
  }
}

void copy_bind(call_copy *c, ptx_var *formal, ptx_var *actual) {
  c->old_vars[c->var_count] = formal;
  c->vars[c->var_count] = actual;
  formal->mark = ++c->var_count;
}

// Formal and actual parameter are the same bytes: the callee's name means the caller's variable.
static bool bind_list(inliner *in, call_copy *c, const ptx_stmt *s, ptx_var **formals,
                      const ptx_operand *actuals) {
  for (uint32_t n = 0; actuals && n < actuals->count; n++) {
    const ptx_operand *o = &actuals->items[n];
    if (o->kind != PTX_VAR || o->value || o->var->bytes < formals[n]->bytes)
      return calls_refuse(in, s,
                          "an argument that is not a .param variable of the right size for %s",
                          c->from->name);
    if (o->var->align < formals[n]->align)
      o->var->align = formals[n]->align;
    copy_bind(c, formals[n], o->var);
  }
  return true;
}

static ptx_var **frame_vars(inliner *in, target *to, const ptx_function *from) {
  for (frame *r = to->frames; r; r = r->next)
    if (r->from == from)
      return r->vars;
  frame *r = ptx_alloc(in->m, sizeof *r);
  *r = (frame){to->frames, from, ptx_alloc(in->m, (from->var_count + 1) * sizeof(ptx_var *))};
  to->frames = r;
  for (uint32_t n = 0; n < from->var_count; n++) {
    ptx_var *v = from->vars[n];
    r->vars[n] = v;
    if (v->space == PTX_LOCAL || v->space == PTX_PARAM)
      r->vars[n] = new_local(in, to->f, v);
    else  // shared memory: one variable for all copies
      ptx_var_add(in->m, to->f, v);
  }
  return r->vars;
}

void copy_start(inliner *in, call_copy *c, const ptx_function *from, ptx_function *to) {
  const uint32_t vars = from->param_count + from->ret_count + from->var_count;
  *c = (call_copy){.from = from, .to = to};
  c->regs = ptx_alloc(in->m, (from->reg_count + 1) * sizeof *c->regs);
  c->labels = ptx_alloc(in->m, (from->label_count + 1) * sizeof *c->labels);
  c->old_vars = ptx_alloc(in->m, (vars + 1) * sizeof *c->old_vars);
  c->vars = ptx_alloc(in->m, (vars + 1) * sizeof *c->vars);
  c->tables = ptx_alloc(in->m, (from->target_count + 1) * sizeof *c->tables);
}

void copy_names(inliner *in, call_copy *c) {
  const ptx_function *f = c->from;
  for (uint32_t n = 0; n < f->reg_count; n++)
    c->regs[n] = ptx_reg_add(in->m, c->to, f->regs[n].name, f->regs[n].type);
  for (uint32_t n = 0; n < f->label_count; n++)
    c->labels[n] = ptx_label_add(in->m, c->to, f->labels[n]);
  copy_targets(in, c);
}

void copy_end(call_copy *c) {
  for (uint32_t n = 0; n < c->var_count; n++)
    c->old_vars[n]->mark = 0;
}

static void copy_body(inliner *in, target *to, call_copy *c, const ptx_stmt *call) {
  const ptx_function *f = c->from;
  ptx_var **vars = frame_vars(in, to, f);
  for (uint32_t n = 0; n < f->var_count; n++)
    if (vars[n] != f->vars[n])
      copy_bind(c, f->vars[n], vars[n]);
  copy_names(in, c);
  c->end = ptx_label_add(in->m, c->to, "$L__return");
  if (call->guarded)  // around the copy, for those who do not call
    ptx_guard(ptx_emit(in->m, c->to, call, "bra", 1, ptx_op_label(c->end)), call->guard,
              !call->guard_neg);
  for (uint32_t n = 0; n < f->stmt_count; n++) {
    const ptx_stmt s = copy_stmt(in, c, &f->stmts[n]);
    *ptx_stmt_add(in->m, c->to) = s;
  }
  ptx_emit_label(in->m, c->to, call, c->end);
}

static void inline_call(inliner *in, target *to, const ptx_stmt *s, const call_parts *parts) {
  const ptx_function *f = parts->f;
  call_copy c;
  if (to->f->stmt_count + f->stmt_count > MAX_STATEMENTS || in->m->arena_bytes > PTX_MAX_MEMORY) {
    calls_refuse(in, s,
                 "inlining makes the kernel too large: split it, or call fewer functions in it");
    return;
  }
  copy_start(in, &c, f, to->f);
  if (bind_list(in, &c, s, f->params, parts->args) && bind_list(in, &c, s, f->rets, parts->rets))
    copy_body(in, to, &c, s);
  copy_end(&c);
}

static bool has_call(const ptx_function *f) {
  for (uint32_t n = 0; n < f->stmt_count; n++)
    if (calls_is(&f->stmts[n]))
      return true;
  return false;
}

// A shared variable may come by several ways.
static void drop_repeated_vars(ptx_function *f) {
  uint32_t kept = 0;
  for (uint32_t n = 0; n < f->var_count; n++) {
    ptx_var *v = f->vars[n];
    if (v->space == PTX_SHARED && v->mark)
      continue;
    v->mark = v->space == PTX_SHARED;
    f->vars[kept++] = v;
  }
  f->var_count = kept;
  for (uint32_t n = 0; n < kept; n++)
    f->vars[n]->mark = 0;
}

static void make_whole(inliner *in, ptx_function *f);

// A call of a function that stands stays.
static void expand_call(void *context, const ptx_stmt *s) {
  target *to = context;
  inliner *in = to->in;
  call_parts parts;
  if (calls_is_pure(s)) {
    ptx_stmt *trap = ptx_emit(in->m, to->f, s, "trap.pointer", 0);
    trap->guarded = s->guarded;
    trap->guard = s->guard;
    trap->guard_neg = s->guard_neg;
    return;
  }
  if (!calls_split(in, s, to->f, &parts))
    return;
  if (!parts.f) {
    calls_pointer(in, to->f, s, &parts, expand_call, to);
    return;
  }
  if (parts.f->callee->stands) {
    *ptx_stmt_add(in->m, to->f) = *s;
    return;
  }
  if (parts.f->callee->state == CALLEE_FRESH)
    make_whole(in, parts.f);
  if (in->ok)
    inline_call(in, to, s, &parts);
}

static void make_whole(inliner *in, ptx_function *f) {
  f->callee->state = CALLEE_BUSY;
  if (has_call(f)) {
    target to = {.in = in, .f = f};
    // .param variables of calls become local ones in place, before their uses are copied
    for (uint32_t n = 0; n < f->var_count; n++)
      if (f->vars[n]->space == PTX_PARAM)
        f->vars[n]->space = PTX_LOCAL;
    ptx_stmt *old = f->stmts;
    uint32_t count = f->stmt_count;
    f->stmts = NULL;
    f->stmt_count = f->stmt_capacity = 0;
    for (uint32_t n = 0; n < count && in->ok; n++) {
      ptx_stmt *s = &old[n];
      if (calls_is(s)) {
        expand_call(&to, s);
      } else {
        if (!s->is_label)
          fix_space(s);
        *ptx_stmt_add(in->m, f) = *s;
      }
    }
    drop_repeated_vars(f);
  }
  f->callee->state = CALLEE_DONE;
}

bool ptx_inline(ptx_module *m, diag *d) {
  inliner in = {.m = m, .d = d};
  calls_addresses(&in);
  calls_graph(&in);
  if (diag_errors(d))
    return false;
  for (uint32_t n = 0; n < m->function_count; n++)
    if (in.callees[n].stands || (m->functions[n]->is_entry && m->functions[n]->has_body)) {
      in.ok = true;
      make_whole(&in, m->functions[n]);
    }
  for (uint32_t n = 0; n < m->function_count && !diag_errors(d); n++)
    if (m->functions[n]->is_entry && m->functions[n]->has_body)
      calls_stack(&in, m->functions[n]);
  return diag_errors(d) == 0;
}

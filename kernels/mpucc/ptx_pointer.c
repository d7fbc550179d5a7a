// SPDX-License-Identifier: Apache-2.0
// Pointers to functions. The address of a function is a number: the module's, then the function's
// times 16, so that no null pointer, pointer of another module or pointer to data is one, and the
// lowest bit is free for C++, which marks virtual functions with it. A call compares.
#include <string.h>
#include "ptx_build.h"
#include "ptx_calls.h"

enum { STEP = 16, MOST = (1 << 20) / STEP - 1 };

static uint64_t module_base(const inliner *in) {
  return UINT64_C(0x4650) << 48 | (in->m->hash & 0xfffffff) << 20;
}

static uint64_t address_of(const inliner *in, const callee *c) {
  return module_base(in) + (uint64_t)c->number * STEP;
}

uint32_t calls_index(const callee *c) {
  return c->number * STEP;
}

// ---- addresses

bool calls_is_pure_name(const char *name) {
  return strcmp(name, "__cxa_pure_virtual") == 0 || strcmp(name, "__cxa_deleted_virtual") == 0;
}

static bool is_pure(const ptx_function *f) {
  return !f->has_body && calls_is_pure_name(f->name);
}

bool calls_is_pure(const ptx_stmt *s) {
  for (uint32_t n = 0; n < s->operand_count; n++)
    if (s->operands[n].kind == PTX_FUNC && is_pure(s->operands[n].func))
      return true;
  return false;
}

static callee *take(inliner *in, const ptx_function *f, uint32_t line, uint32_t col) {
  callee *c = f->callee;
  if ((!f->has_body && !is_pure(f)) || f->is_entry) {
    diag_error(
        in->d, line, col, "the address of %s: %s", f->name,
        f->is_entry ? "kernels have no address in device code" : "the function is undefined");
    return NULL;
  }
  if (c->number == 0 && in->taken_count == MOST) {
    diag_error(in->d, line, col, "the addresses of more than %d functions are taken", MOST);
    return NULL;
  }
  if (c->number == 0) {
    in->taken[in->taken_count++] = c;
    c->number = in->taken_count;
  }
  return c;
}

static void take_init(inliner *in, ptx_var *v) {
  for (ptx_init **at = &v->relocs; *at;) {
    const ptx_init *r = *at;
    if (r->var) {
      at = &(*at)->next;
      continue;
    }
    const callee *c = take(in, r->func, v->line, v->col);
    if (r->offset + 8 > v->bytes) {
      diag_error(in->d, v->line, v->col, "only a part of the address of %s stands in %s",
                 r->func->name, v->name);
      return;
    }
    const uint64_t address = c ? address_of(in, c) + (uint64_t)r->addend : 0;
    for (unsigned n = 0; n < 8; n++)
      v->init[r->offset + n] = (uint8_t)(address >> 8 * n);
    *at = r->next;
  }
}

static void take_operands(inliner *in, const ptx_stmt *s, ptx_operand *list, uint32_t count,
                          uint32_t called) {
  for (uint32_t n = 0; n < count; n++) {
    ptx_operand *o = &list[n];
    take_operands(in, s, o->items, o->count, UINT32_MAX);
    if (o->kind != PTX_FUNC || n == called)
      continue;
    const callee *c = take(in, o->func, o->line, o->col);
    o->kind = PTX_INT;
    o->value = c ? (int64_t)address_of(in, c) : 0;
  }
}

void calls_addresses(inliner *in) {
  ptx_module *m = in->m;
  in->callees = ptx_alloc(m, (m->function_count + 1) * sizeof *in->callees);
  in->taken = ptx_alloc(m, (m->function_count + 1) * sizeof(callee *));
  for (uint32_t n = 0; n < m->function_count; n++) {
    in->callees[n].f = m->functions[n];
    m->functions[n]->callee = &in->callees[n];
  }
  for (uint32_t n = 0; n < m->var_count; n++)
    take_init(in, m->vars[n]);
  for (uint32_t n = 0; n < m->function_count; n++) {
    ptx_function *f = m->functions[n];
    for (uint32_t k = 0; k < f->var_count; k++)
      take_init(in, f->vars[k]);
    for (uint32_t k = 0; k < f->stmt_count; k++) {
      ptx_stmt *s = &f->stmts[k];
      const bool list = s->operand_count && s->operands[0].kind == PTX_LIST;
      take_operands(in, s, s->operands, s->operand_count, calls_is(s) ? list : UINT32_MAX);
    }
  }
}

// ---- calls

static bool same_sizes(const ptx_operand *list, ptx_var **formals, uint32_t count) {
  if ((list ? list->count : 0) != count)
    return false;
  for (uint32_t n = 0; n < count; n++)
    if (list->items[n].var->bytes != formals[n]->bytes)
      return false;
  return true;
}

bool calls_fits(const call_parts *c, const ptx_function *f) {
  return f->has_body && same_sizes(c->args, f->params, f->param_count) &&
         same_sizes(c->rets, f->rets, f->ret_count);
}

typedef struct tree {
  inliner *in;
  ptx_function *to;
  const ptx_stmt *s;  // the call
  uint32_t callee_at, end, index, p;
  uint32_t miss;  // label of the calls of functions that stand; UINT32_MAX: there are none
  callee **fits;  // the others
  calls_leaf *leaf;
  void *context;
} tree;

static void trap_if(const tree *t) {
  ptx_guard(ptx_emit(t->in->m, t->to, t->s, "trap.pointer", 0), t->p, false);
}

static void miss_if(const tree *t) {
  if (t->miss == UINT32_MAX)
    trap_if(t);
  else
    ptx_guard(ptx_emit(t->in->m, t->to, t->s, "bra", 1, ptx_op_label(t->miss)), t->p, false);
}

// The call, of `callee`.
static ptx_stmt call_of(const tree *t, ptx_operand callee) {
  const uint32_t at = t->callee_at;
  ptx_stmt call = *t->s;
  call.guarded = false;
  callee.line = call.operands[at].line, callee.col = call.operands[at].col;
  call.operands[at] = callee;
  call.operand_count = at + 1;  // without the prototype
  if (t->s->operand_count > at + 1 && t->s->operands[at + 1].kind == PTX_LIST)
    call.operand_count++;
  return call;
}

// `index` is that of one of fits[first .. last), or of none.
static void compare(const tree *t, uint32_t first, uint32_t last) {
  ptx_module *m = t->in->m;
  const uint32_t middle = (first + last) / 2;
  const ptx_operand p = ptx_op_reg(t->p), index = ptx_op_reg(t->index);
  const ptx_operand number = ptx_op_int(calls_index(t->fits[middle]));
  if (last - first > 1) {
    const uint32_t below = ptx_label_add(m, t->to, "$L__below");
    ptx_emit(m, t->to, t->s, "setp.lt.u32", 3, p, index, number);
    ptx_guard(ptx_emit(m, t->to, t->s, "bra", 1, ptx_op_label(below)), t->p, false);
    compare(t, middle, last);
    ptx_emit_label(m, t->to, t->s, below);
    compare(t, first, middle);
    return;
  }
  ptx_emit(m, t->to, t->s, "setp.ne.u32", 3, p, index, number);
  miss_if(t);
  const ptx_stmt call = call_of(
      t, (ptx_operand){
             .kind = PTX_FUNC, .func = t->fits[middle]->f, .name = t->fits[middle]->f->name});
  t->leaf(t->context, &call);
  ptx_emit(m, t->to, t->s, "bra", 1, ptx_op_label(t->end));
}

// The index of the function that the pointer in `reg` means, if it is one of this module.
static void find_index(const tree *t, uint32_t reg, bool any) {
  ptx_module *m = t->in->m;
  const ptx_operand offset = ptx_op_reg(ptx_reg_add(m, t->to, "%offset", PTX_B64));
  ptx_emit(m, t->to, t->s, "sub.s64", 3, offset, ptx_op_reg(reg),
           ptx_op_int((int64_t)module_base(t->in)));
  ptx_emit(m, t->to, t->s, "setp.ge.u64", 3, ptx_op_reg(t->p), offset,
           ptx_op_int(any ? 1 << 20 : 0));  // without a function that fits, always
  trap_if(t);
  if (any)
    ptx_emit(m, t->to, t->s, "cvt.u32.u64", 2, ptx_op_reg(t->index), offset);
}

void calls_pointer(inliner *in, ptx_function *to, const ptx_stmt *s, const call_parts *c,
                   calls_leaf *leaf, void *context) {
  ptx_module *m = in->m;
  tree t = {.in = in, .to = to, .s = s, .callee_at = c->at, .leaf = leaf, .context = context};
  uint32_t count = 0, stand = 0;
  t.miss = UINT32_MAX;
  t.fits = ptx_alloc(m, (in->taken_count + 1) * sizeof(callee *));
  for (uint32_t n = 0; n < in->taken_count; n++)
    if (calls_fits(c, in->taken[n]->f) && in->taken[n]->stands)
      stand++;
    else if (calls_fits(c, in->taken[n]->f))
      t.fits[count++] = in->taken[n];
  t.end = ptx_label_add(m, to, "$L__return");
  t.index = ptx_reg_add(m, to, "%index", PTX_B32);
  t.p = ptx_reg_add(m, to, "%fits", PTX_PRED);
  if (stand && count)
    t.miss = ptx_label_add(m, to, "$L__stand");
  if (s->guarded)
    ptx_guard(ptx_emit(m, to, s, "bra", 1, ptx_op_label(t.end)), s->guard, !s->guard_neg);
  find_index(&t, c->reg, count + stand != 0);
  if (count)
    compare(&t, 0, count);
  if (t.miss != UINT32_MAX)
    ptx_emit_label(m, to, s, t.miss);
  if (stand) {
    ptx_stmt call = call_of(&t, ptx_op_reg(t.index));
    call.mods[0] = "index";
    call.mod_count = 1;
    *ptx_stmt_add(m, to) = call;
  }
  ptx_emit_label(m, to, s, t.end);
}

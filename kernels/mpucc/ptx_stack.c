// SPDX-License-Identifier: Apache-2.0
// Functions that stand once in a kernel, and the stack of a thread, which is in local memory behind
// the kernel's variables and grows upwards. `sp` is where the frame of the running function begins:
//
//   sp + 0       number of the call, by which the function goes back
//      ...       parameters, return values and variables of the function
//      ...       registers that it needs after the call that it makes
//   sp + bytes   the frame of what it calls
//
// The kernel itself has only registers in its frame. A call stores them and the arguments, adds its
// frame to sp and jumps; what it jumps to ends with comparisons of the number.
//
// Lanes that run a ring of functions (a region) at different depths, or come from different calls
// inside of it, meet in it wherever their ways do. Calls from outside are another matter: the lanes
// of one call come back together, and its caller's branches know nothing of those of others. So
// these calls, and the way back to them, are marked: bra.call F, R and bra.ret R (reconverge.c).
#include <string.h>
#include "ptx_build.h"
#include "ptx_calls.h"

enum { OUTSIDE = 0x10000 };  // numbers of calls from outside of the region
enum { MAX_FRAME = 256 << 10 };

typedef struct stack_frame {
  ptx_var **slots;  // of parameters, return values and variables: where they are, in `mark`
  uint64_t saves, bytes;
  live_call *calls;
  uint32_t call_count;
} stack_frame;

// The number says where to go back to; the calls of an index have one for all functions that it may
// mean, two if only some are of the caller's region.
typedef struct site {
  uint32_t number, label;
  const callee *to;
} site;

// A function in the kernel.
typedef struct standing {
  callee *c;
  uint32_t start, back;  // labels: its first statement, where it goes back
} standing;

typedef struct stack {
  inliner *in;
  ptx_module *m;
  ptx_function *k;
  uint32_t sp, number, p;  // registers
  standing *all;
  uint32_t count;
  site *sites;
  uint32_t site_count, site_capacity, calls;
} stack;

// What is copied into the kernel just now.
typedef struct body {
  stack *s;
  const stack_frame *frame;
  const call_copy *copy;  // NULL: the kernel itself
  uint32_t region;
} body;

// The jumps of a call, to `back`.
typedef struct jumps {
  const body *b;
  const ptx_stmt *at;
  uint32_t number, back, index;
  bool mixed;  // into the caller's region and others
} jumps;

// ---- frames

static const char in_frame[] = "frame";  // the linkage of slots

static uint64_t place(uint64_t *end, uint64_t align, uint64_t bytes) {
  const uint64_t at = (*end + align - 1) / align * align;
  *end = at + bytes;
  return at;
}

// Parameters and return values of the same sizes have the same places.
static uint32_t align_of(const ptx_var *v, bool own) {
  const uint32_t by_size = v->bytes <= 4 ? 4 : v->bytes <= 8 ? 8 : 16;
  return own || v->align > by_size ? v->align : by_size;
}

static ptx_var *slot_new(ptx_module *m, const ptx_var *v, bool own, uint64_t *end) {
  ptx_var *slot = ptx_alloc(m, sizeof *slot);
  *slot = *v;
  slot->space = PTX_LOCAL;
  slot->linkage = in_frame;
  slot->mark = (uint32_t)place(end, align_of(v, own), v->bytes);
  return slot;
}

static bool is_slot(const ptx_var *v) {
  return v && v->linkage == in_frame;
}

static unsigned bytes_of(const ptx_function *f, uint32_t reg) {
  return f->regs[reg].type == PTX_PRED ? 4 : ptx_type_bytes(f->regs[reg].type);
}

static uint64_t save_bytes(const ptx_function *f, const live_call *c) {
  uint64_t end = 0;
  for (uint32_t n = 0; n < c->count; n++)
    place(&end, bytes_of(f, c->regs[n]), bytes_of(f, c->regs[n]));
  return end;
}

static stack_frame *lay_out(inliner *in, const ptx_function *f) {
  stack_frame *x = ptx_alloc(in->m, sizeof *x);
  const bool own = !f->is_entry;
  const uint32_t vars = f->param_count + f->ret_count + f->var_count;
  uint64_t end = own ? 4 : 0, most = 0;
  uint32_t count = 0;
  x->slots = ptx_alloc(in->m, (vars + 1) * sizeof(ptx_var *));
  for (uint32_t n = 0; own && n < vars; n++) {
    const ptx_var *v = n < f->param_count ? f->params[n]
                       : n < f->param_count + f->ret_count
                           ? f->rets[n - f->param_count]
                           : f->vars[n - f->param_count - f->ret_count];
    const bool local = v->space == PTX_PARAM || v->space == PTX_LOCAL;
    x->slots[count++] = local ? slot_new(in->m, v, n >= f->param_count + f->ret_count, &end) : NULL;
  }
  x->saves = (end + 15) / 16 * 16;
  x->calls = calls_live(in->m, f, &x->call_count);
  for (uint32_t n = 0; n < x->call_count; n++) {
    const uint64_t bytes = save_bytes(f, &x->calls[n]);
    most = bytes > most ? bytes : most;
  }
  x->bytes = (x->saves + most + 15) / 16 * 16;
  if (x->bytes > MAX_FRAME)
    diag_error(in->d, f->line, f->col, "a call of %s needs more than %d bytes of the stack",
               f->name, MAX_FRAME);
  return x;
}

// ---- statements

// The bytes of a variable at `offset`, in the frame or, of the kernel, at their own place.
static ptx_operand part_of(const body *b, ptx_var *v, int64_t offset) {
  if (v->mark && b->copy)
    v = b->copy->vars[v->mark - 1];
  return is_slot(v) ? ptx_op_at(b->s->sp, (int64_t)v->mark + offset) : ptx_op_in(v, offset);
}

static void move(const body *b, const ptx_stmt *at, ptx_operand to, ptx_operand from,
                 unsigned bytes) {
  static const char *const names[] = {[1] = "b8", [2] = "b16", [4] = "b32", [8] = "b64"};
  static const ptx_type types[] = {[1] = PTX_B16, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64};
  stack *s = b->s;
  char opcode[16];
  const uint32_t reg = ptx_reg_add(s->m, s->k, "%argument", types[bytes]);
  snprintf(opcode, sizeof opcode, "ld.local.%s", names[bytes]);
  ptx_emit(s->m, s->k, at, opcode, 2, ptx_op_reg(reg), from);
  snprintf(opcode, sizeof opcode, "st.local.%s", names[bytes]);
  ptx_emit(s->m, s->k, at, opcode, 2, to, ptx_op_reg(reg));
}

// Between what the caller knows as `v` and the callee as `slot`, whose frame is the next one.
static void pass(const body *b, const ptx_stmt *at, ptx_var *v, const ptx_var *slot, bool back) {
  for (uint64_t n = 0; n < slot->bytes;) {
    const uint64_t left = slot->bytes - n;
    unsigned bytes = 8;
    while (bytes > left || bytes > slot->align || bytes > v->align)
      bytes /= 2;
    const ptx_operand own = part_of(b, v, (int64_t)n);
    const ptx_operand next = ptx_op_at(b->s->sp, (int64_t)(b->frame->bytes + slot->mark + n));
    move(b, at, back ? own : next, back ? next : own, bytes);
    n += bytes;
  }
}

static void pass_list(const body *b, const ptx_stmt *at, const ptx_operand *list, ptx_var **slots,
                      const callee *to, bool back) {
  for (uint32_t n = 0; list && n < list->count; n++) {
    const ptx_operand *o = &list->items[n];
    if (o->kind != PTX_VAR || o->value || o->var->bytes < slots[n]->bytes) {
      calls_refuse(b->s->in, at,
                   "an argument that is not a .param variable of the right size for %s",
                   to->f->name);
      return;
    }
    pass(b, at, o->var, slots[n], back);
  }
}

static void keep(const body *b, const ptx_stmt *at, const live_call *c, bool back) {
  stack *s = b->s;
  uint64_t end = 0;
  for (uint32_t n = 0; n < c->count; n++) {
    const uint32_t reg = b->copy ? b->copy->regs[c->regs[n]] : c->regs[n];
    const ptx_type type = s->k->regs[reg].type;
    const unsigned bytes = bytes_of(s->k, reg);
    const int64_t offset = (int64_t)(b->frame->saves + place(&end, bytes, bytes));
    const ptx_operand slot = ptx_op_at(s->sp, offset);
    char opcode[16];
    if (bytes > 8) {
      calls_refuse(s->in, at,
                   "register %s of 128 bits is used after the call: use registers of 64 bits",
                   s->k->regs[reg].name);
      return;
    }
    snprintf(opcode, sizeof opcode, "%s.local.b%u", back ? "ld" : "st", 8 * bytes);
    if (type != PTX_PRED) {
      ptx_emit(s->m, s->k, at, opcode, 2, back ? ptx_op_reg(reg) : slot,
               back ? slot : ptx_op_reg(reg));
      continue;
    }
    const uint32_t word = ptx_reg_add(s->m, s->k, "%kept", PTX_B32);
    if (!back)
      ptx_emit(s->m, s->k, at, "selp.b32", 4, ptx_op_reg(word), ptx_op_int(1), ptx_op_int(0),
               ptx_op_reg(reg));
    ptx_emit(s->m, s->k, at, opcode, 2, back ? ptx_op_reg(word) : slot,
             back ? slot : ptx_op_reg(word));
    if (back)
      ptx_emit(s->m, s->k, at, "setp.ne.u32", 3, ptx_op_reg(reg), ptx_op_reg(word), ptx_op_int(0));
  }
}

static const standing *find(const stack *s, const callee *c) {
  uint32_t n = 0;
  while (s->all[n].c != c)
    n++;
  return &s->all[n];
}

static void site_new(stack *s, uint32_t number, uint32_t label, const callee *to) {
  s->sites = ptx_grow(s->m, s->sites, s->site_count, &s->site_capacity, sizeof *s->sites);
  s->sites[s->site_count++] = (site){number, label, to};
}

// The number of the call, and the next frame.
static void enter(const body *b, const ptx_stmt *at, uint32_t number, bool outside) {
  stack *s = b->s;
  const int64_t step = (int64_t)b->frame->bytes;
  const ptx_operand sp = ptx_op_reg(s->sp);
  ptx_emit(s->m, s->k, at, "mov.u32", 2, ptx_op_reg(s->number),
           ptx_op_int(number + (outside ? OUTSIDE : 0u)));
  ptx_emit(s->m, s->k, at, "st.local.u32", 2, ptx_op_at(s->sp, step), ptx_op_reg(s->number));
  ptx_emit(s->m, s->k, at, "add.s32", 3, sp, sp, ptx_op_int(step));
}

static bool is_outside(const body *b, const callee *to) {
  return b->region != to->region;
}

static void jump(const jumps *j, const callee *to) {
  stack *s = j->b->s;
  const bool outside = is_outside(j->b, to);
  site_new(s, j->number + (outside ? OUTSIDE : 0), j->back, to);
  if (j->mixed)
    enter(j->b, j->at, j->number, outside);
  ptx_emit(s->m, s->k, j->at, outside ? "bra.call" : "bra", outside ? 2 : 1,
           ptx_op_label(find(s, to)->start), ptx_op_label(j->back));
}

// Jumps to the one of list[first .. last) that the index means.
static void jump_index(const jumps *j, callee **list, uint32_t first, uint32_t last) {
  stack *s = j->b->s;
  const uint32_t middle = (first + last) / 2;
  const ptx_operand p = ptx_op_reg(s->p), i = ptx_op_reg(j->index);
  const ptx_operand of = ptx_op_int(calls_index(list[middle]));
  if (last - first > 1) {
    const uint32_t below = ptx_label_add(s->m, s->k, "$L__below");
    ptx_emit(s->m, s->k, j->at, "setp.lt.u32", 3, p, i, of);
    ptx_guard(ptx_emit(s->m, s->k, j->at, "bra", 1, ptx_op_label(below)), s->p, false);
    jump_index(j, list, middle, last);
    ptx_emit_label(s->m, s->k, j->at, below);
    jump_index(j, list, first, middle);
    return;
  }
  ptx_emit(s->m, s->k, j->at, "setp.ne.u32", 3, p, i, of);
  ptx_guard(ptx_emit(s->m, s->k, j->at, "trap.pointer", 0), s->p, false);
  jump(j, list[middle]);
}

// The functions that a call which is left may mean.
static callee **targets(inliner *in, const call_parts *c, uint32_t *count) {
  callee **list = ptx_alloc(in->m, (in->taken_count + 1) * sizeof *list);
  *count = 0;
  if (c->f)
    list[(*count)++] = c->f->callee;
  for (uint32_t n = 0; !c->f && n < in->taken_count; n++)
    if (in->taken[n]->stands && calls_fits(c, in->taken[n]->f))
      list[(*count)++] = in->taken[n];
  return list;
}

// Whether they all expect parameters and return values where the first does.
static bool agree(callee **list, uint32_t count) {
  const ptx_function *f = list[0]->f;
  for (uint32_t n = 1; n < count; n++)
    for (uint32_t k = 0; k < f->param_count + f->ret_count; k++)
      if (list[n]->frame->slots[k]->mark != list[0]->frame->slots[k]->mark)
        return false;
  return true;
}

static void call(const body *b, const ptx_stmt *from, const live_call *live) {
  stack *s = b->s;
  call_parts parts;
  ptx_stmt at = *from;
  uint32_t count;
  if (!calls_split(s->in, from, b->copy ? b->copy->from : s->k, &parts))
    return;
  callee **list = targets(s->in, &parts, &count);
  const callee *to = list[0];
  if (!agree(list, count)) {
    calls_refuse(
        s->in, from,
        "functions of one type with parameters of other alignments than %s: align them alike",
        to->f->name);
    return;
  }
  if (s->calls + 1 == OUTSIDE || s->m->arena_bytes > PTX_MAX_MEMORY) {
    calls_refuse(s->in, from, "%s makes the kernel too large: split it, or call fewer functions",
                 to->f->name);
    return;
  }
  const uint32_t end = ptx_label_add(s->m, s->k, "$L__return");
  const uint32_t back = ptx_label_add(s->m, s->k, "$L__back"), number = ++s->calls;
  const ptx_operand sp = ptx_op_reg(s->sp);
  if (at.guarded)
    ptx_guard(ptx_emit(s->m, s->k, &at, "bra", 1, ptx_op_label(end)),
              b->copy ? b->copy->regs[at.guard] : at.guard, !at.guard_neg);
  keep(b, &at, live, false);
  pass_list(b, &at, parts.args, to->frame->slots, to, false);
  jumps j = {b, &at, number, back, b->copy ? b->copy->regs[parts.reg] : parts.reg, false};
  for (uint32_t n = 1; n < count; n++)
    j.mixed |= is_outside(b, list[n]) != is_outside(b, to);
  if (!j.mixed)
    enter(b, &at, number, is_outside(b, to));
  if (parts.f)
    jump(&j, to);
  else
    jump_index(&j, list, 0, count);
  ptx_emit_label(s->m, s->k, &at, back);
  ptx_emit(s->m, s->k, &at, "sub.s32", 3, sp, sp, ptx_op_int((int64_t)b->frame->bytes));
  keep(b, &at, live, true);
  pass_list(b, &at, parts.rets, to->frame->slots + to->f->param_count, to, true);
  ptx_emit_label(s->m, s->k, &at, end);
}

// Names of what is in the frame become places of it.
static void frame_operand(const body *b, ptx_stmt *st, ptx_operand *o) {
  stack *s = b->s;
  for (uint32_t n = 0; n < o->count; n++)
    frame_operand(b, st, &o->items[n]);
  if (!is_slot(o->var))
    return;
  const int64_t offset = (int64_t)o->var->mark + o->value;
  if (o->kind == PTX_ADDR) {
    if (!ptx_has_mod(st, "local") && st->mod_count < PTX_MODS) {  // a generic access
      memmove(st->mods + 1, st->mods, st->mod_count++ * sizeof *st->mods);
      st->mods[0] = "local";
    }
    *o = ptx_op_at(s->sp, offset);
    return;
  }
  ptx_type type = PTX_B64;
  if (st->mod_count)
    ptx_type_find(st->mods[st->mod_count - 1], &type);
  uint32_t reg = ptx_reg_add(s->m, s->k, "%place", PTX_B32);
  ptx_emit(s->m, s->k, st, "add.s32", 3, ptx_op_reg(reg), ptx_op_reg(s->sp), ptx_op_int(offset));
  if (ptx_type_bytes(type) == 8) {
    const uint32_t wide = ptx_reg_add(s->m, s->k, "%place", PTX_B64);
    ptx_emit(s->m, s->k, st, "cvt.u64.u32", 2, ptx_op_reg(wide), ptx_op_reg(reg));
    reg = wide;
  }
  *o = ptx_op_reg(reg);
}

static void write_body(const body *b, const ptx_stmt *stmts, uint32_t count) {
  stack *s = b->s;
  uint32_t calls = 0;
  for (uint32_t n = 0; n < count; n++) {
    if (calls_is(&stmts[n])) {
      call(b, &stmts[n], &b->frame->calls[calls++]);
      continue;
    }
    ptx_stmt made = b->copy ? copy_stmt(s->in, b->copy, &stmts[n]) : stmts[n];
    for (uint32_t o = 0; o < made.operand_count; o++)
      frame_operand(b, &made, &made.operands[o]);
    *ptx_stmt_add(s->m, s->k) = made;
  }
}

static void write_function(stack *s, const standing *x) {
  const ptx_function *f = x->c->f;
  const stack_frame *frame = x->c->frame;
  const uint32_t first = f->param_count + f->ret_count;
  call_copy c;
  copy_start(s->in, &c, f, s->k);
  for (uint32_t n = 0; n < first + f->var_count; n++) {
    ptx_var *v = n < f->param_count ? f->params[n]
                 : n < first        ? f->rets[n - f->param_count]
                                    : f->vars[n - first];
    if (frame->slots[n])
      copy_bind(&c, v, frame->slots[n]);
    else  // shared memory
      ptx_var_add(s->m, s->k, v);
  }
  copy_names(s->in, &c);
  c.end = x->back;
  const ptx_stmt at = {.line = f->line, .col = f->col};
  ptx_emit_label(s->m, s->k, &at, x->start)->function = f->name;
  write_body(&(body){s, frame, &c, x->c->region}, f->stmts, f->stmt_count);
  ptx_emit(s->m, s->k, &at, "bra", 1, ptx_op_label(x->back));
  copy_end(&c);
}

// ---- the way back

static void choose(const stack *s, const ptx_stmt *at, const site *list, uint32_t count,
                   const char *go) {
  if (count == 1) {
    ptx_emit(s->m, s->k, at, go, 1, ptx_op_label(list->label));
    return;
  }
  const uint32_t below = ptx_label_add(s->m, s->k, "$L__below"), middle = count / 2;
  ptx_emit(s->m, s->k, at, "setp.lt.u32", 3, ptx_op_reg(s->p), ptx_op_reg(s->number),
           ptx_op_int(list[middle].number));
  ptx_guard(ptx_emit(s->m, s->k, at, "bra", 1, ptx_op_label(below)), s->p, false);
  choose(s, at, list + middle, count - middle, go);
  ptx_emit_label(s->m, s->k, at, below);
  choose(s, at, list, middle, go);
}

// Calls of `to` from inside of its region, or those of all in a region from outside.
static site *select(const stack *s, const callee *to, bool outside, uint32_t *count) {
  site *list = ptx_alloc(s->m, (s->site_count + 1) * sizeof *list);
  *count = 0;
  for (uint32_t n = 0; n < s->site_count; n++)
    if ((s->sites[n].number >= OUTSIDE) == outside &&
        (outside ? s->sites[n].to->region == to->region : s->sites[n].to == to) &&
        !(*count && list[*count - 1].number == s->sites[n].number))
      list[(*count)++] = s->sites[n];
  return list;
}

static void go_back(const stack *s, const standing *x, uint32_t leave) {
  const ptx_stmt at = {.line = x->c->f->line, .col = x->c->f->col};
  uint32_t count;
  const site *list = select(s, x->c, false, &count);
  ptx_emit_label(s->m, s->k, &at, x->back)->function = x->c->f->name;
  ptx_emit(s->m, s->k, &at, "ld.local.u32", 2, ptx_op_reg(s->number), ptx_op_at(s->sp, 0));
  if (count) {
    ptx_emit(s->m, s->k, &at, "setp.ge.u32", 3, ptx_op_reg(s->p), ptx_op_reg(s->number),
             ptx_op_int(OUTSIDE));
    ptx_guard(ptx_emit(s->m, s->k, &at, "bra", 1, ptx_op_label(leave)), s->p, false);
    choose(s, &at, list, count, "bra");
  } else {
    ptx_emit(s->m, s->k, &at, "bra", 1, ptx_op_label(leave));
  }
}

// All that go back from a region to where it was called from outside do so at one place, where the
// lanes of such a call meet.
static void leave_region(const stack *s, const callee *c, uint32_t leave) {
  const ptx_stmt at = {.line = c->f->line, .col = c->f->col};
  uint32_t count;
  const site *list = select(s, c, true, &count);
  ptx_emit_label(s->m, s->k, &at, leave);
  choose(s, &at, list, count, "bra.ret");
}

static void write_ways_back(stack *s) {
  for (uint32_t n = 0; n < s->count; n++) {
    const callee *c = s->all[n].c;
    bool before = false;
    for (uint32_t k = 0; k < n; k++)
      before |= s->all[k].c->region == c->region;
    if (before)
      continue;
    const uint32_t leave = ptx_label_add(s->m, s->k, "$L__leave");
    for (uint32_t k = n; k < s->count; k++)
      if (s->all[k].c->region == c->region)
        go_back(s, &s->all[k], leave);
    leave_region(s, c, leave);
  }
}

// ---- kernels

static void collect(stack *s, const ptx_function *f);

static void collect_callee(stack *s, callee *c) {
  if (c->state == CALLEE_BUSY)
    return;
  c->state = CALLEE_BUSY;
  if (!c->frame)
    c->frame = lay_out(s->in, c->f);
  s->all[s->count++] = (standing){.c = c};
  collect(s, c->f);
}

static void collect(stack *s, const ptx_function *f) {
  for (uint32_t n = 0; n < f->stmt_count; n++) {
    call_parts parts;
    uint32_t count;
    if (!calls_is(&f->stmts[n]) || !calls_split(s->in, &f->stmts[n], f, &parts))
      continue;
    callee **list = targets(s->in, &parts, &count);
    for (uint32_t k = 0; k < count; k++)
      collect_callee(s, list[k]);
  }
}

static void drop_repeated_shared(ptx_function *f) {
  uint32_t kept = 0;
  for (uint32_t n = 0; n < f->var_count; n++) {
    bool before = false;
    for (uint32_t k = 0; k < kept && f->vars[n]->space == PTX_SHARED; k++)
      before |= f->vars[k] == f->vars[n];
    if (!before)
      f->vars[kept++] = f->vars[n];
  }
  f->var_count = kept;
}

void calls_stack(inliner *in, ptx_function *kernel) {
  stack s = {.in = in, .m = in->m, .k = kernel};
  s.all = ptx_alloc(in->m, (in->m->function_count + 1) * sizeof *s.all);
  collect(&s, kernel);
  if (s.count == 0)
    return;
  const stack_frame *own = lay_out(in, kernel);
  for (uint32_t n = 0; n < s.count; n++) {
    s.all[n].c->state = CALLEE_DONE;
    s.all[n].start = ptx_label_add(s.m, kernel, s.all[n].c->f->name);
    s.all[n].back = ptx_label_add(s.m, kernel, "$L__ret");
  }
  s.sp = ptx_reg_add(s.m, kernel, "%sp", PTX_B32);
  s.number = ptx_reg_add(s.m, kernel, "%number", PTX_B32);
  s.p = ptx_reg_add(s.m, kernel, "%back", PTX_PRED);
  const ptx_stmt *old = kernel->stmts;
  const uint32_t count = kernel->stmt_count;
  const ptx_stmt at = {.line = kernel->line, .col = kernel->col};
  kernel->stmts = NULL;
  kernel->stmt_count = kernel->stmt_capacity = 0;
  ptx_emit(s.m, kernel, &at, "mov.u32", 2, ptx_op_reg(s.sp), ptx_op_sreg("stack_base"));
  write_body(&(body){&s, own, NULL, UINT32_MAX}, old, count);
  ptx_emit(s.m, kernel, &at, "ret", 0);
  for (uint32_t n = 0; n < s.count; n++)
    write_function(&s, &s.all[n]);
  write_ways_back(&s);
  drop_repeated_shared(kernel);
}

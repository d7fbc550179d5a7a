// SPDX-License-Identifier: Apache-2.0
// PTX to MIR: modules, variables, statements, operands.
#include "lower_half.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "csim/isa/mpu_elf.h"

enum { MAX_CONST_BYTES = 65536, MAX_LOCAL_BYTES = 256 << 10, MAX_SHARED_BYTES = 1 << 20 };

const lower_value lower_none = {false, false, 0, ISA_RZ};

void lower_error(lower *l, uint32_t o, const char *format, ...) {
  char text[600], from[PTX_PLACE];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ptx_place(l->p, l->s, from, sizeof from);
  l->failed = true;
  if (o != UINT32_MAX && o < l->s->operand_count)
    diag_error(l->d, l->s->operands[o].line, l->s->operands[o].col, "%s%s", text, from);
  else
    diag_error(l->d, l->s->line, l->s->col, "%s%s", text, from);
}

bool lower_mod(const lower *l, const char *name) {
  return ptx_has_mod(l->s, name);
}

unsigned lower_words(ptx_type t) {
  unsigned bytes = ptx_type_bytes(t);
  return bytes <= 4 ? 1 : bytes / 4;
}

char lower_kind(ptx_type t) {
  const char *name = ptx_type_name(t);
  if (lower_is_half(t))
    return 'F';
  return *name == 'p' ? 'P' : *name == 'u' ? 'U' : *name == 's' ? 'S' : *name == 'f' ? 'F' : 'B';
}

uint8_t lower_isa_type(ptx_type t) {
  static const uint8_t map[PTX_TYPES] = {
      [PTX_PRED] = ISA_TYPE_PRED, [PTX_B8] = ISA_TYPE_U8,   [PTX_B16] = ISA_TYPE_U16,
      [PTX_B32] = ISA_TYPE_B32,   [PTX_B64] = ISA_TYPE_B64, [PTX_B128] = ISA_TYPE_B128,
      [PTX_U8] = ISA_TYPE_U8,     [PTX_U16] = ISA_TYPE_U16, [PTX_U32] = ISA_TYPE_U32,
      [PTX_U64] = ISA_TYPE_U64,   [PTX_S8] = ISA_TYPE_S8,   [PTX_S16] = ISA_TYPE_S16,
      [PTX_S32] = ISA_TYPE_S32,   [PTX_S64] = ISA_TYPE_S64, [PTX_F32] = ISA_TYPE_F32,
      [PTX_F64] = ISA_TYPE_F64};
  return map[t];
}

// ---- emitting

mir_inst *lower_emit(lower *l, isa_inst i) {
  i.guard = l->guard;
  i.guard_neg = l->guard_neg;
  return mir_append(l->k, l->block, i, l->at);
}

isa_reg lower_temp(lower *l, unsigned words) {
  return mir_vreg_new(l->k, words, NULL);
}

isa_reg lower_part(isa_reg r, unsigned word) {
  if (r == ISA_RZ)
    return r;
  unsigned part = ISA_REG_PART(r);
  assert(part == 0 || part >= 5);
  return ISA_VREG_WORD(ISA_REG_ID(r), word + (part >= 5 ? 2 * (part - 5) : 0));
}

isa_reg lower_pair(isa_reg r, unsigned pair) {
  return ISA_VREG_PAIR(ISA_REG_ID(r), pair);
}

lower_value lower_imm(uint32_t imm) {
  return (lower_value){true, false, imm, ISA_RZ};
}
lower_value lower_of(isa_reg r) {
  return (lower_value){false, false, 0, r};
}

void lower_mov(lower *l, isa_reg d, lower_value v, unsigned words) {
  if (v.high) {
    lower_mov(l, lower_part(d, 0), lower_imm(0), 1);
    lower_mov(l, lower_part(d, 1), lower_imm(v.imm), 1);
    return;
  }
  isa_inst i = isa_inst_new(ISA_OP_MOV, words == 2 ? ISA_TYPE_B64 : ISA_TYPE_B32);
  assert(words <= 2);
  i.d = d;
  i.a = v.is_imm ? ISA_RZ : v.reg;
  i.imm_at = v.is_imm ? ISA_IMM_A : ISA_IMM_NONE;
  i.imm = v.imm;
  lower_emit(l, i);
}

// Helper values must exist whatever the guard says: they may feed a later unguarded read only
// through the guarded instruction itself, so an unguarded move is right and simpler to optimise.
static void mov_always(lower *l, isa_reg d, lower_value v, unsigned words) {
  isa_reg guard = l->guard;
  bool neg = l->guard_neg;
  l->guard = ISA_PT;
  l->guard_neg = false;
  lower_mov(l, d, v, words);
  l->guard = guard;
  l->guard_neg = neg;
}

isa_reg lower_reg(lower *l, lower_value v, unsigned words) {
  if (!v.is_imm)
    return v.reg;
  if (v.imm == 0)
    return ISA_RZ;
  isa_reg t = lower_temp(l, words);
  mov_always(l, t, v, words);
  return t;
}

mir_inst *lower_emit3(lower *l, isa_inst i, isa_reg d, lower_value a, lower_value b,
                      lower_value c) {
  lower_value v[3] = {a, b, c};
  isa_reg *to[3] = {&i.a, &i.b, &i.c};
  bool may = (isa_ops[i.op].flags & ISA_F_IMM) != 0;
  for (int n = 2; n >= 0; n--) {  // a constant in c or b is the usual one
    if (v[n].is_imm && v[n].imm && may && !i.imm_at) {
      i.imm_at = (uint8_t)(n + 1);
      i.imm = v[n].imm;
      *to[n] = ISA_RZ;
    } else if (v[n].is_imm) {
      *to[n] = lower_reg(l, v[n], isa_words(&i, (unsigned)n + 1));
    } else {
      *to[n] = v[n].reg;
    }
  }
  i.d = d;
  return lower_emit(l, i);
}

// ---- operands

static isa_reg reg_of(lower *l, const ptx_operand *op) {
  return l->regs[op->reg];
}

static uint32_t operand_index(const lower *l, const ptx_operand *op) {
  for (uint32_t n = 0; n < l->s->operand_count; n++)
    if (&l->s->operands[n] == op)
      return n;
  return 0;
}

isa_reg lower_dst(lower *l, uint32_t o, unsigned words) {
  const ptx_operand *op = &l->s->operands[o];
  if (o >= l->s->operand_count) {
    lower_error(l, UINT32_MAX, "an operand is missing");
  } else if (op->kind == PTX_SINK) {
    return lower_temp(l, words);
  } else if (op->kind != PTX_REG || l->f->regs[op->reg].type == PTX_PRED) {
    lower_error(l, o, "expected a destination register");
  } else if (lower_words(l->f->regs[op->reg].type) != words) {
    lower_error(l, o, "the register %s is .%s, the instruction writes %u bits",
                l->f->regs[op->reg].name, ptx_type_name(l->f->regs[op->reg].type), words * 32);
  } else {
    return reg_of(l, op);
  }
  return lower_temp(l, words);
}

isa_reg lower_dst_pred(lower *l, uint32_t o) {
  const ptx_operand *op = &l->s->operands[o];
  if (o < l->s->operand_count && op->kind == PTX_SINK)
    return ISA_PT;
  if (o >= l->s->operand_count || op->kind != PTX_REG || l->f->regs[op->reg].type != PTX_PRED) {
    lower_error(l, o, "expected a destination predicate");
    return ISA_PT;
  }
  return reg_of(l, op);
}

isa_reg lower_src_pred(lower *l, uint32_t o, bool *negated) {
  const ptx_operand *op = &l->s->operands[o];
  *negated = false;
  if (o < l->s->operand_count && op->kind == PTX_INT) {
    *negated = (op->value == 0) != op->negated;
    return ISA_PT;
  }
  if (o >= l->s->operand_count || op->kind != PTX_REG || l->f->regs[op->reg].type != PTX_PRED) {
    lower_error(l, o, "expected a predicate");
    return ISA_PT;
  }
  *negated = op->negated;
  return reg_of(l, op);
}

// Bits of a constant operand in type t.
static uint64_t constant_bits(lower *l, const ptx_operand *op, ptx_type t) {
  if (op->kind == PTX_INT) {
    if (lower_kind(t) == 'F') {
      lower_error(l, operand_index(l, op), "expected a floating-point constant");
      return 0;
    }
    uint64_t v = (uint64_t)op->value;
    unsigned bytes = ptx_type_bytes(t);
    return bytes >= 8 ? v : v & ((1ull << 8 * bytes) - 1);
  }
  double d;
  float s;
  uint32_t bits;
  if (op->width == 32) {
    if (ptx_type_bytes(t) == 8 && lower_kind(t) == 'F') {
      bits = (uint32_t)op->bits;
      memcpy(&s, &bits, sizeof s);
      d = s;
      uint64_t wide;
      memcpy(&wide, &d, sizeof wide);
      return wide;
    }
    return op->bits;
  }
  memcpy(&d, &op->bits, sizeof d);
  if (t == PTX_F32 || (op->width == 0 && ptx_type_bytes(t) == 4)) {
    s = (float)d;
    memcpy(&bits, &s, sizeof bits);
    return bits;
  }
  return op->bits;
}

static lower_value constant(lower *l, uint64_t bits, ptx_type t) {
  unsigned words = lower_words(t);
  if (words == 1)
    return lower_imm((uint32_t)bits);
  if (lower_kind(t) == 'F' && (uint32_t)bits == 0)
    return (lower_value){true, true, (uint32_t)(bits >> 32), ISA_RZ};
  if (lower_kind(t) != 'F' && (uint64_t)(int64_t)(int32_t)bits == bits)
    return lower_imm((uint32_t)bits);
  isa_reg r = lower_temp(l, 2);
  mov_always(l, lower_part(r, 0), lower_imm((uint32_t)bits), 1);
  mov_always(l, lower_part(r, 1), lower_imm((uint32_t)(bits >> 32)), 1);
  return lower_of(r);
}

bool lower_is_plain(const ptx_var *v) {
  return v->space != PTX_GLOBAL;
}

isa_reg lower_global_address(lower *l, const ptx_var *v, int64_t addend) {
  isa_reg r = lower_temp(l, 2);
  for (unsigned w = 0; w < 2; w++) {
    isa_inst i = isa_inst_new(ISA_OP_MOV, ISA_TYPE_B32);
    i.d = lower_part(r, w);
    i.imm_at = ISA_IMM_A;
    mir_inst *mi = mir_append(l->k, l->block, i, l->at);
    mi->reloc = w ? MIR_RELOC_HI32 : MIR_RELOC_LO32;
    mi->var = v->mark;
    mi->addend = addend;
  }
  return r;
}

lower_value lower_item(lower *l, const ptx_operand *op, ptx_type t) {
  uint32_t o = operand_index(l, op);
  if (op->negated) {
    lower_error(l, o, "'!' is for predicates");
    return lower_none;
  }
  if (op->kind == PTX_INT || op->kind == PTX_FLOAT)
    return constant(l, constant_bits(l, op, t), t);
  if (op->kind == PTX_VAR && ptx_type_bytes(t) >= 4) {
    if (lower_is_plain(op->var))
      return constant(l, (uint64_t)(op->var->mark + op->value), t);
    isa_reg r = lower_global_address(l, op->var, op->value);
    return lower_of(lower_words(t) == 2 ? r : lower_part(r, 0));
  }
  if (op->kind != PTX_REG || l->f->regs[op->reg].type == PTX_PRED) {
    lower_error(l, o, "expected a register or constant");
    return lower_none;
  }
  ptx_type has = l->f->regs[op->reg].type;
  if (lower_words(has) != lower_words(t)) {
    lower_error(l, o, "the register %s is .%s, the instruction reads .%s", l->f->regs[op->reg].name,
                ptx_type_name(has), ptx_type_name(t));
    return lower_none;
  }
  return lower_of(reg_of(l, op));
}

lower_value lower_src(lower *l, uint32_t o, ptx_type t) {
  if (o >= l->s->operand_count) {
    lower_error(l, UINT32_MAX, "an operand is missing");
    return lower_none;
  }
  return lower_item(l, &l->s->operands[o], t);
}

isa_reg lower_src_reg(lower *l, uint32_t o, ptx_type t) {
  return lower_reg(l, lower_src(l, o, t), lower_words(t));
}

lower_value lower_extend(lower *l, lower_value v, ptx_type t) {
  unsigned bytes = ptx_type_bytes(t);
  if (bytes >= 4)
    return v;
  bool is_signed = lower_kind(t) == 'S';
  if (v.is_imm) {
    uint32_t shift = 32 - 8 * bytes;
    return lower_imm(is_signed ? (uint32_t)((int32_t)(v.imm << shift) >> shift)
                               : v.imm << shift >> shift);
  }
  isa_inst i = isa_inst_new(ISA_OP_I2I, is_signed ? ISA_TYPE_S32 : ISA_TYPE_U32);
  i.type2 = lower_isa_type(t);
  i.d = lower_temp(l, 1);
  i.a = v.reg;
  lower_emit(l, i);
  l->k->blocks[l->block].insts[l->k->blocks[l->block].count - 1].i.guard = ISA_PT;
  l->k->blocks[l->block].insts[l->k->blocks[l->block].count - 1].i.guard_neg = false;
  return lower_of(i.d);
}

// ---- statements

static bool has_half_type(const lower *l) {
  for (unsigned n = 0; n < l->mods.type_count; n++)
    if (lower_is_half(l->mods.types[n]))
      return true;
  return false;
}

static bool lower_family(lower *l) {
  if (has_half_type(l))
    return lower_half(l);
  if (lower_more(l))
    return true;
  if (lower_mod(l, "cc") || lower_mod(l, "NaN") || lower_mod(l, "relu") || lower_mod(l, "noftz"))
    return false;
  return lower_alu(l) || lower_convert(l) || lower_memory(l) || lower_control(l);
}

static void lower_stmt(lower *l) {
  char name[120];
  ptx_stmt *s = l->s;
  l->failed = false;
  l->at.ptx_line = s->line;
  l->at.cuda_line = s->cuda_line;
  l->at.cuda_file = 0;
  for (uint32_t n = 0; n < l->p->file_count && s->cuda_file; n++)
    if (l->p->files[n].number == s->cuda_file)
      l->at.cuda_file = mir_file(l->m, l->p->files[n].name);
  l->guard = s->guarded ? l->regs[s->guard] : ISA_PT;
  l->guard_neg = s->guard_neg;
  if (!lower_taken(l) || !lower_sort_mods(l))
    return;
  if (lower_loop_blocks(s)) {
    lower_loop(l);
    return;
  }
  if (lower_family(l))
    return;
  lower_full_name(s, name, sizeof name);
  lower_error(l, UINT32_MAX, "the opcode `%s` is not supported: docs/ptx.md lists what is", name);
}

// ---- kernels

static uint64_t place(uint64_t *end, uint32_t align, uint64_t bytes) {
  uint64_t at = (*end + align - 1) / align * align;
  *end = at + bytes;
  return at;
}

static void use_shared(ptx_operand *o, bool *used, ptx_module *p) {
  for (uint32_t n = 0; n < o->count; n++)
    use_shared(&o->items[n], used, p);
  if (o->var && o->var->space == PTX_SHARED)
    for (uint32_t n = 0; n < p->var_count; n++)
      if (p->vars[n] == o->var)
        used[n] = true;
}

// The place is that of the kernel's first line.
static bool too_large(lower *l, const ptx_var *v, const char *what, const char *instead,
                      uint64_t limit) {
  char from[PTX_PLACE] = "";
  for (uint32_t n = 0; n < l->f->stmt_count && !*from; n++)
    ptx_place(l->p, &l->f->stmts[n], from, sizeof from);
  return diag_error(l->d, v->line, v->col, "%s of kernel %s need more than %llu bytes: %s%s", what,
                    l->f->name, (unsigned long long)limit, instead, from);
}

// Shared variables that this kernel names, then dynamic shared memory; local variables; parameters.
static bool lay_out(lower *l) {
  ptx_function *f = l->f;
  mir_kernel *k = l->k;
  uint64_t shared = 0, local = 0, params = 0;
  bool *used = calloc(l->p->var_count + 1, sizeof *used);
  bool ok = true;
  if (!used)
    abort();
  for (uint32_t n = 0; n < f->stmt_count; n++)
    for (uint32_t o = 0; o < f->stmts[n].operand_count; o++)
      use_shared(&f->stmts[n].operands[o], used, l->p);
  for (int dynamic = 0; dynamic < 2; dynamic++) {
    if (dynamic)
      shared = (shared + 15) / 16 * 16;
    for (uint32_t n = 0; ok && n < l->p->var_count + f->var_count; n++) {
      bool own = n >= l->p->var_count;
      ptx_var *v = own ? f->vars[n - l->p->var_count] : l->p->vars[n];
      if (v->space != PTX_SHARED || (!own && !used[n]) || (v->bytes == 0) != dynamic)
        continue;
      k->dynamic_shared |= dynamic != 0;
      v->mark = (uint32_t)(dynamic ? shared : place(&shared, v->align, v->bytes));
      if (shared > MAX_SHARED_BYTES)
        ok = too_large(l, v, "shared variables", "keep a part in global memory", MAX_SHARED_BYTES);
    }
  }
  free(used);
  for (uint32_t n = 0; ok && n < f->var_count; n++) {
    ptx_var *v = f->vars[n];
    if (v->space != PTX_LOCAL)
      continue;
    v->mark = (uint32_t)place(&local, v->align, v->bytes);
    if (local > MAX_LOCAL_BYTES)
      ok =
          too_large(l, v, "local variables", "keep large arrays in global memory", MAX_LOCAL_BYTES);
  }
  k->params = calloc(f->param_count + 1, sizeof *k->params);
  if (!k->params)
    abort();
  for (uint32_t n = 0; ok && n < f->param_count; n++) {
    ptx_var *v = f->params[n];
    v->mark = (uint32_t)place(&params, v->align, v->bytes);
    if (params > MPU_ELF_PARAM_MOST) {
      ok = too_large(l, v, "parameters", "pass large ones in device or constant memory",
                     MPU_ELF_PARAM_MOST);
      break;
    }
    char *name = malloc(strlen(v->name) + 1);
    if (!name)
      abort();
    strcpy(name, v->name);
    k->params[k->param_count++] = (mir_param){name, v->mark, (uint32_t)v->bytes, v->align};
  }
  k->param_bytes = (uint32_t)params;
  k->shared_bytes = (uint32_t)shared;
  k->local_bytes = (uint32_t)((local + 15) / 16 * 16);
  return ok;
}

// A label starts a block; so does what follows a branch.
static void make_blocks(lower *l) {
  mir_block_add(l->k, "entry");
  for (uint32_t n = 0; n < l->f->label_count; n++)
    l->labels[n] = MIR_NO_BLOCK;
  for (uint32_t n = 0; n < l->f->stmt_count; n++) {
    const ptx_stmt *s = &l->f->stmts[n];
    if (s->is_label) {
      char label[300];
      // inner scopes may repeat a name
      snprintf(label, sizeof label, "%.200s.%u", l->f->labels[s->label], l->k->block_count);
      l->labels[s->label] = mir_block_add(l->k, label);
      mir_block_function(l->k, l->labels[s->label], s->function);
    } else if (strcmp(s->op, "bra") == 0 || strcmp(s->op, "brx") == 0 ||
               (!s->guarded && (strcmp(s->op, "ret") == 0 || strcmp(s->op, "exit") == 0 ||
                                strcmp(s->op, "trap") == 0))) {
      uint32_t extra = 1;
      if (strcmp(s->op, "brx") == 0)  // a chain of compares: one block each
        for (uint32_t t = 0; t < l->f->target_count; t++)
          if (s->operand_count > 1 && s->operands[1].name &&
              strcmp(l->f->targets[t].name, s->operands[1].name) == 0)
            extra = l->f->targets[t].count;
      while (extra--)
        mir_block_add(l->k, NULL);
    }
    for (unsigned extra = s->is_label ? 0 : lower_loop_blocks(s); extra; extra--)
      mir_block_add(l->k, NULL);
  }
}

static bool lower_kernel(lower *l) {
  ptx_function *f = l->f;
  l->k = mir_kernel_add(l->m, f->name);
  l->has_carry = false;
  for (int n = 0; n < 3; n++)
    l->k->reqntid[n] = f->reqntid[n];
  l->k->max_threads = f->maxntid[0] * f->maxntid[1] * f->maxntid[2];
  if (!lay_out(l))
    return false;
  l->regs = calloc(f->reg_count + 1, sizeof *l->regs);
  l->labels = calloc(f->label_count + 1, sizeof *l->labels);
  if (!l->regs || !l->labels)
    abort();
  for (uint32_t n = 0; n < f->reg_count; n++)
    l->regs[n] = f->regs[n].type == PTX_PRED
                     ? mir_pred_new(l->k)
                     : mir_vreg_new(l->k, lower_words(f->regs[n].type), f->regs[n].name);
  make_blocks(l);
  l->block = 0;
  for (uint32_t n = 0; n < f->stmt_count; n++) {
    l->s = &f->stmts[n];
    if (l->s->is_label)
      l->block = l->labels[l->s->label];
    else
      lower_stmt(l);
  }
  // Falling off the end returns.
  mir_append(l->k, l->k->block_count - 1, isa_inst_new(ISA_OP_EXIT, ISA_TYPE_NONE), l->at);
  free(l->regs);
  free(l->labels);
  return true;
}

// ---- variables

static bool lower_var(lower *l, ptx_var *v, uint64_t *const_end) {
  if (v->space == PTX_SHARED)
    return true;
  if (v->is_extern)
    return diag_error(l->d, v->line, v->col,
                      "the variable %s is not defined; when another file has it, compile both "
                      "with nvcc -rdc=true",
                      v->name);
  uint32_t index = l->m->var_count;
  mir_var *m = mir_var_add(l->m, v->name);
  m->is_const = v->space == PTX_CONST;
  m->align = v->align;
  m->bytes = v->bytes;
  v->mark = index;
  if (m->is_const) {
    m->offset = place(const_end, v->align, v->bytes);
    v->mark = (uint32_t)m->offset;
    if (*const_end > MAX_CONST_BYTES)
      return diag_error(l->d, v->line, v->col, "constant variables need more than %d bytes",
                        MAX_CONST_BYTES);
    if (v->relocs)
      return diag_error(
          l->d, v->line, v->col,
          "addresses in constant memory are not supported: keep %s in __device__ memory", v->name);
  }
  if (v->init) {
    m->init = malloc(v->bytes ? (size_t)v->bytes : 1);
    if (!m->init)
      abort();
    memcpy(m->init, v->init, (size_t)v->bytes);
  }
  return true;
}

// Addresses in initial values, once every variable has its index.
static bool lower_init(lower *l, const ptx_var *v) {
  if (!v->relocs || v->space != PTX_GLOBAL)
    return true;
  mir_var *m = &l->m->vars[v->mark];
  for (const ptx_init *r = v->relocs; r; r = r->next) {
    if (r->var->space != PTX_GLOBAL)
      return diag_error(l->d, v->line, v->col, "the address of %s is not a global one",
                        r->var->name);
    mir_init_reloc *more = realloc(m->relocs, (m->reloc_count + 1) * sizeof *more);
    if (!more)
      abort();
    m->relocs = more;
    m->relocs[m->reloc_count++] = (mir_init_reloc){r->offset, r->var->mark, r->addend};
  }
  return true;
}

mir_module *mir_lower(ptx_module *p, diag *d) {
  lower l = {.m = mir_module_new(), .p = p, .d = d};
  uint64_t const_end = 0;
  bool ok = true;
  for (uint32_t n = 0; n < p->var_count; n++)
    ok = lower_var(&l, p->vars[n], &const_end) && ok;
  for (uint32_t n = 0; n < p->function_count; n++)
    for (uint32_t k = 0; k < p->functions[n]->var_count; k++)
      if (p->functions[n]->vars[k]->space == PTX_GLOBAL ||
          p->functions[n]->vars[k]->space == PTX_CONST)
        ok = lower_var(&l, p->functions[n]->vars[k], &const_end) && ok;
  for (uint32_t n = 0; ok && n < p->var_count; n++)
    ok = lower_init(&l, p->vars[n]);
  for (uint32_t n = 0; ok && n < p->function_count; n++) {
    l.f = p->functions[n];
    if (l.f->is_entry && l.f->has_body)
      ok = lower_kernel(&l);
  }
  if (!ok || diag_errors(d)) {
    mir_module_free(l.m);
    return NULL;
  }
  return l.m;
}

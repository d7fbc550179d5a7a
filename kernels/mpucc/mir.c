// SPDX-License-Identifier: Apache-2.0
#include "mir.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "mem.h"

static void *grow(void *array, uint32_t count, uint32_t *capacity, size_t size) {
  if (count < *capacity)
    return array;
  *capacity = *capacity ? 2 * *capacity : 16;
  array = realloc(array, *capacity * size);
  if (!array) {
    fputs("mpucc: out of memory\n", stderr);
    abort();
  }
  return array;
}

static char *copy_string(const char *s) {
  if (!s)
    return NULL;
  size_t bytes = strlen(s) + 1;
  char *c = malloc(bytes);
  if (!c)
    abort();
  return memcpy(c, s, bytes);
}

mir_module *mir_module_new(void) {
  mir_module *m = calloc(1, sizeof *m);
  if (!m)
    abort();
  mir_file(m, "");
  return m;
}

static void kernel_free(mir_kernel *k) {
  free(k->name);
  for (uint32_t n = 0; n < k->param_count; n++)
    free(k->params[n].name);
  free(k->params);
  for (uint32_t n = 0; n < k->vreg_count; n++)
    free(k->vregs[n].name);
  free(k->vregs);
  for (uint32_t n = 0; n < k->block_count; n++) {
    free(k->blocks[n].label);
    free(k->blocks[n].function);
    free(k->blocks[n].insts);
  }
  free(k->blocks);
}

void mir_module_free(mir_module *m) {
  if (!m)
    return;
  for (uint32_t n = 0; n < m->kernel_count; n++)
    kernel_free(&m->kernels[n]);
  free(m->kernels);
  for (uint32_t n = 0; n < m->var_count; n++) {
    free(m->vars[n].name);
    free(m->vars[n].init);
    free(m->vars[n].relocs);
  }
  free(m->vars);
  for (uint32_t n = 0; n < m->file_count; n++)
    free(m->files[n]);
  free(m->files);
  free(m);
}

mir_kernel *mir_kernel_add(mir_module *m, const char *name) {
  m->kernels = grow(m->kernels, m->kernel_count, &m->kernel_capacity, sizeof *m->kernels);
  mir_kernel *k = &m->kernels[m->kernel_count++];
  *k = (mir_kernel){.name = copy_string(name)};
  return k;
}

mir_kernel mir_kernel_copy(const mir_kernel *k) {
  mir_kernel c = *k;
  c.vregs = mem_new(k->vreg_count, sizeof *c.vregs);
  c.vreg_capacity = k->vreg_count;
  c.blocks = mem_new(k->block_count, sizeof *c.blocks);
  c.block_capacity = k->block_count;
  if (k->vreg_count)
    memcpy(c.vregs, k->vregs, k->vreg_count * sizeof *c.vregs);
  for (uint32_t b = 0; b < k->block_count; b++) {
    mir_block *from = &k->blocks[b], *to = &c.blocks[b];
    *to = *from;
    to->capacity = from->count;
    to->insts = mem_new(from->count, sizeof *to->insts);
    if (from->count)
      memcpy(to->insts, from->insts, from->count * sizeof *to->insts);
  }
  return c;
}

void mir_kernel_free_copy(mir_kernel *k) {
  for (uint32_t b = 0; b < k->block_count; b++)
    free(k->blocks[b].insts);
  free(k->blocks);
  free(k->vregs);
}

mir_var *mir_var_add(mir_module *m, const char *name) {
  m->vars = grow(m->vars, m->var_count, &m->var_capacity, sizeof *m->vars);
  mir_var *v = &m->vars[m->var_count++];
  *v = (mir_var){.name = copy_string(name)};
  return v;
}

uint32_t mir_file(mir_module *m, const char *name) {
  for (uint32_t n = 0; n < m->file_count; n++)
    if (strcmp(m->files[n], name) == 0)
      return n;
  uint32_t capacity = m->file_count;
  m->files = grow(m->files, m->file_count, &capacity, sizeof *m->files);
  m->files[m->file_count] = copy_string(name);
  return m->file_count++;
}

isa_reg mir_vreg_new(mir_kernel *k, unsigned words, const char *name) {
  k->vregs = grow(k->vregs, k->vreg_count, &k->vreg_capacity, sizeof *k->vregs);
  k->vregs[k->vreg_count] =
      (mir_vreg){.name = copy_string(name), .words = (uint8_t)words, .phys = ISA_RZ};
  return ISA_VREG(k->vreg_count++);
}

isa_reg mir_pred_new(mir_kernel *k) {
  return ISA_VREG(k->pred_count++);
}

uint32_t mir_block_add(mir_kernel *k, const char *label) {
  char made[24];
  k->blocks = grow(k->blocks, k->block_count, &k->block_capacity, sizeof *k->blocks);
  if (!label) {
    snprintf(made, sizeof made, ".b%u", k->block_count);
    label = made;
  }
  k->blocks[k->block_count] = (mir_block){.label = copy_string(label)};
  return k->block_count++;
}

mir_inst *mir_insert(mir_block *b, uint32_t pos, isa_inst i, mir_place at) {
  b->insts = grow(b->insts, b->count, &b->capacity, sizeof *b->insts);
  memmove(&b->insts[pos + 1], &b->insts[pos], (b->count - pos) * sizeof *b->insts);
  b->count++;
  b->insts[pos] = (mir_inst){.i = i, .at = at};
  return &b->insts[pos];
}

void mir_block_function(mir_kernel *k, uint32_t block, const char *name) {
  if (name) {
    free(k->blocks[block].function);
    k->blocks[block].function = copy_string(name);
  }
}

mir_inst *mir_append(mir_kernel *k, uint32_t block, isa_inst i, mir_place at) {
  mir_block *b = &k->blocks[block];
  return mir_insert(b, b->count, i, at);
}

unsigned mir_uses(const mir_inst *i, isa_reg out[4]) {
  const isa_reg regs[3] = {i->i.a, i->i.b, i->i.c};
  unsigned count = 0;
  for (unsigned n = 0; n < 3; n++)
    if (regs[n] != ISA_RZ && isa_words(&i->i, n + 1))
      out[count++] = regs[n];
  return count;
}

isa_reg mir_def(const mir_inst *i) {
  return isa_words(&i->i, 0) ? i->i.d : ISA_RZ;
}

bool mir_writes_whole(const mir_kernel *k, const mir_inst *i) {
  isa_reg d = mir_def(i);
  if (i->i.guard != ISA_PT)
    return false;
  return !ISA_REG_IS_VIRTUAL(d) || ISA_REG_PART(d) == 0 ||
         mir_reg_words(k, d) == k->vregs[ISA_REG_ID(d)].words;
}

unsigned mir_pred_uses(const mir_inst *i, isa_reg out[3]) {
  uint32_t flags = isa_ops[i->i.op].flags;
  unsigned count = 0;
  if (i->i.guard != ISA_PT)
    out[count++] = i->i.guard;
  if ((flags & ISA_F_PS) && i->i.ps != ISA_PT)
    out[count++] = i->i.ps;
  if ((flags & ISA_F_PS2) && i->i.pq != ISA_PT)
    out[count++] = i->i.pq;
  return count;
}

unsigned mir_pred_defs(const mir_inst *i, isa_reg out[2]) {
  uint32_t flags = isa_ops[i->i.op].flags;
  unsigned count = 0;
  if ((flags & ISA_F_PD) && i->i.pd != ISA_PT)
    out[count++] = i->i.pd;
  if ((flags & ISA_F_PQ) && i->i.pq != ISA_PT)
    out[count++] = i->i.pq;
  return count;
}

unsigned mir_reg_words(const mir_kernel *k, isa_reg r) {
  unsigned part = ISA_REG_PART(r);
  assert(ISA_REG_IS_VIRTUAL(r) && ISA_REG_ID(r) < k->vreg_count);
  return part == 0 ? k->vregs[ISA_REG_ID(r)].words : part <= 4 ? 1 : 2;
}

bool mir_is_memory(const isa_inst *i) {
  return (isa_ops[i->op].flags & ISA_F_MEM) != 0;
}

bool mir_has_data(const isa_inst *i) {
  return mir_is_memory(i) && i->space != ISA_SPACE_PARAM && i->space != ISA_SPACE_CONST;
}

bool mir_has_side_effect(const mir_inst *i) {
  switch (i->i.op) {
    case ISA_OP_ST:
    case ISA_OP_ATOM:
    case ISA_OP_RED:
    case ISA_OP_MEMBAR:
    case ISA_OP_BRA:
    case ISA_OP_EXIT:
    case ISA_OP_TRAP:
    case ISA_OP_BAR:
    case ISA_OP_BARW:
      return true;
    case ISA_OP_LD:
      return i->i.order != ISA_ORDER_WEAK;
    case ISA_OP_S2R:
      return i->i.fn == ISA_SREG_CLOCK || i->i.fn == ISA_SREG_CLOCK_HI;
    default:
      return false;
  }
}

bool mir_is_call(const isa_inst *i) {
  return i->op == ISA_OP_BRA && i->reconv != MIR_NO_BLOCK && i->reconv != i->imm;
}
bool mir_is_return(const isa_inst *i) {
  return i->op == ISA_OP_BRA && i->reconv != MIR_NO_BLOCK && i->reconv == i->imm;
}

unsigned mir_succs(const mir_kernel *k, uint32_t block, uint32_t out[2]) {
  const mir_block *b = &k->blocks[block];
  const isa_inst *last = b->count ? &b->insts[b->count - 1].i : NULL;
  bool always = last && last->guard == ISA_PT && !last->guard_neg;
  unsigned count = 0;
  if (last && last->op == ISA_OP_BRA)
    out[count++] = last->imm;
  if (!(last && always &&
        (last->op == ISA_OP_BRA || last->op == ISA_OP_EXIT || last->op == ISA_OP_TRAP)) &&
      block + 1 < k->block_count && !(count && out[0] == block + 1))
    out[count++] = block + 1;
  return count;
}

static void verify_inst(const mir_module *m, const mir_kernel *k, const mir_inst *mi, bool last) {
  const isa_inst *i = &mi->i;
  isa_inst copy = *i;
  bool branch = (isa_ops[i->op].flags & ISA_F_TARGET) != 0;
  if (branch) {
    assert(last && i->imm < k->block_count);
    assert(i->reconv == MIR_NO_BLOCK || i->reconv < k->block_count);
    copy.imm = copy.reconv = 0;
  }
  const char *why = isa_check(&copy);
  if (why) {
    fprintf(stderr, "mpucc: internal error: %s: %s (ptx line %u): %s\n", k->name,
            isa_ops[i->op].name ? isa_ops[i->op].name : "?", mi->at.ptx_line, why);
    abort();
  }
  const isa_reg regs[4] = {i->d, i->a, i->b, i->c};
  for (unsigned o = 0; o < 4; o++)
    if (ISA_REG_IS_VIRTUAL(regs[o])) {
      assert(m->stage < MIR_ALLOCATED);
      assert(mir_reg_words(k, regs[o]) == isa_words(i, o));
    }
  isa_reg preds[5];
  unsigned count = mir_pred_uses(mi, preds);
  count += mir_pred_defs(mi, preds + count);
  for (unsigned n = 0; n < count; n++)
    assert(m->stage == MIR_ALLOCATED
               ? preds[n] < ISA_PT
               : ISA_REG_IS_VIRTUAL(preds[n]) && ISA_REG_ID(preds[n]) < k->pred_count);
  assert(!mi->reloc || mi->reloc >= MIR_RELOC_STACK || mi->var < m->var_count);
  assert(mi->at.cuda_file < m->file_count);
}

void mir_verify(const mir_module *m) {
  for (uint32_t n = 0; n < m->kernel_count; n++) {
    const mir_kernel *k = &m->kernels[n];
    assert(k->block_count);
    for (uint32_t b = 0; b < k->block_count; b++)
      for (uint32_t j = 0; j < k->blocks[b].count; j++)
        verify_inst(m, k, &k->blocks[b].insts[j], j + 1 == k->blocks[b].count);
  }
}

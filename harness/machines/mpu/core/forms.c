// SPDX-License-Identifier: Apache-2.0
#include "forms.h"

#include "csim/mpu/tsv_packet.h"

uint32_t forms_number(const op *o, uint32_t n_forms) {
  return o->pc / ISA_BYTES % n_forms;
}

static const enum tsv_field exec_regs[4] = {TSV_DN_EXEC_D, TSV_DN_EXEC_A, TSV_DN_EXEC_B,
                                            TSV_DN_EXEC_C};
static const enum tsv_field shm_regs[4] = {TSV_DN_SHM_D, TSV_DN_SHM_A, TSV_DN_SHM_B, TSV_DN_SHM_C};

// Registers that a shared memory access has, a bit each: d, a, b, c.
static uint32_t shm_used(uint64_t head) {
  const uint64_t mop = tsv_get(head, TSV_DN_SHM_MOP), zero = tsv_get(head, TSV_DN_SHM_ZERO);
  const bool atomic = mop >= TSV_MOP_ATOM;
  const uint32_t d = mop == TSV_MOP_LD || (atomic && tsv_get(head, TSV_DN_SHM_RET));
  const uint32_t b = mop != TSV_MOP_LD, c = mop == TSV_MOP_ATOM + ISA_ATOM_CAS;
  return (d | 1u << 1 | b << 2 | c << 3) & ~(uint32_t)(zero << 1);
}

static uint32_t exec_used(const decoded *d) {
  uint32_t used = 0;
  for (uint32_t k = 0; k < 4; k++)
    used |= (uint32_t)(d->reg[k] >= 0) << k;
  return used;
}

// All lanes, and nothing that differs from time to time.
static bool make(const op *o, const uint64_t *flits, uint32_t n, form *f) {
  const uint64_t kind = tsv_get(flits[0], TSV_DN_ANY_KIND);
  const enum tsv_field *regs = kind == TSV_DN_EXEC ? exec_regs : shm_regs;
  if (n > 2 || (kind != TSV_DN_EXEC && kind != TSV_DN_SHM))
    return false;
  if (kind == TSV_DN_EXEC
          ? tsv_get(flits[0], TSV_DN_EXEC_HAS_MASK) || o->p->d->i.op == ISA_OP_SELP
          : tsv_get(flits[0], TSV_DN_SHM_HAS_MASK) || tsv_get(flits[0], TSV_DN_SHM_INLINE))
    return false;
  f->head = flits[0] & ~tsv_put(TSV_DN_ANY_TAG, 255);
  f->imm = n > 1 ? (uint32_t)flits[1] : 0;
  f->relative = kind == TSV_DN_EXEC ? exec_used(o->p->d) : shm_used(flits[0]);
  for (uint32_t k = 0; k < 4; k++) {
    const uint64_t place = tsv_get(f->head, regs[k]);
    if (f->relative >> k & 1 || kind == TSV_DN_SHM)  // EXEC may have a type there
      f->head &= ~tsv_put(regs[k], 127);
    if (f->relative >> k & 1)
      f->head |= tsv_put(regs[k], place - o->w->near_base);
  }
  if (kind == TSV_DN_SHM)
    f->head &= ~tsv_put(TSV_DN_SHM_WIN, 15);
  return true;
}

static bool equal(const form *a, const form *b) {
  return a->head == b->head && a->imm == b->imm && a->relative == b->relative;
}

// KEEP takes two flits, an entry a third of one at best: what each warp of a subcore executes once
// or twice is not worth it.
enum { OFTEN = 6 };

int forms_entry(forms *f, uint32_t n_forms, const op *o, const uint64_t *flits, uint32_t n,
                uint32_t room, uint64_t before[3]) {
  form now;
  if (!make(o, flits, n, &now))
    return -1;
  const uint32_t number = forms_number(o, n_forms);
  form_slot *s = &f->slots[o->w->slot];
  const bool same = equal(&now, &f->kept[number]);
  const bool window = tsv_get(flits[0], TSV_DN_ANY_KIND) == TSV_DN_SHM;
  const bool known =
      s->known && s->base == o->w->near_base && (!window || s->window == o->w->block_slot);
  const uint64_t tag = tsv_put(TSV_DN_ANY_TAG, tsv_get(flits[0], TSV_DN_ANY_TAG));
  int sent = 0;
  if (!equal(&now, &f->asked[number]))
    f->again[number] = 0;
  else if (f->again[number] < OFTEN)
    f->again[number]++;
  f->asked[number] = now;
  if ((!same && f->again[number] < OFTEN) || (same ? 0u : 2u) + (known ? 0u : 1u) + 1 > room)
    return -1;
  if (!same) {
    f->kept[number] = now;
    before[sent++] =
        TSV_DN_KEEP | tag | tsv_put(TSV_DN_ANY_LEN, 1) | tsv_put(TSV_DN_KEEP_FORM, number) |
        tsv_put(TSV_DN_KEEP_RELATIVE, now.relative) | tsv_put(TSV_DN_KEEP_IMM, now.imm);
    before[sent++] = now.head;
  }
  if (!known) {
    *s = (form_slot){o->w->near_base, o->w->block_slot, true};
    before[sent++] = TSV_DN_SLOT | tag | tsv_put(TSV_DN_SLOT_SLOT, o->w->slot) |
                     tsv_put(TSV_DN_SLOT_BASE, s->base) | tsv_put(TSV_DN_SLOT_WIN, s->window);
  }
  return sent;
}

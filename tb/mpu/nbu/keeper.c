// SPDX-License-Identifier: Apache-2.0
#include "keeper.h"

#include "csim/isa/isa.h"
#include "csim/mpu/tsv_packet.h"

enum { NO_TAG = 255 };

static bool is_exec(uint64_t head) {
  return tsv_get(head, TSV_DN_ANY_KIND) == TSV_DN_EXEC;
}

// Its register D, A, B, C.
static unsigned place(uint64_t head, unsigned k) {
  return (is_exec(head) ? 30 : 26) + 7 * k;
}

static bool has_type(uint64_t head) {
  return is_exec(head) && isa_ops[tsv_get(head, TSV_DN_EXEC_OP)].types2;
}

static uint64_t without_tag(uint64_t head) {
  return head & ~tsv_put(TSV_DN_ANY_TAG, 255);
}

// `base` is added to those of `relative`, and the window is `win`.
static uint64_t moved(uint64_t head, uint32_t relative, uint32_t base, uint64_t win) {
  for (unsigned k = 0; k < 4; k++)
    if (relative >> k & 1) {
      const unsigned at = place(head, k);
      head = (head & ~(127ull << at)) | ((head >> at) + base) % 128 << at;
    }
  if (!is_exec(head))
    head = (head & ~tsv_put(TSV_DN_SHM_WIN, 15)) | tsv_put(TSV_DN_SHM_WIN, win);
  return head;
}

static uint64_t made(const keeper *k, uint32_t form, uint32_t slot) {
  return moved(k->kept[form].head, k->kept[form].relative, k->slots[slot].base, k->slots[slot].win);
}

bool keeper_can(uint64_t head) {
  if (is_exec(head))
    return !tsv_get(head, TSV_DN_EXEC_HAS_MASK) && tsv_get(head, TSV_DN_EXEC_OP) != ISA_OP_SELP;
  return tsv_get(head, TSV_DN_ANY_KIND) == TSV_DN_SHM && !tsv_get(head, TSV_DN_SHM_HAS_MASK) &&
         !tsv_get(head, TSV_DN_SHM_INLINE);
}

bool keeper_again(keeper *k, uint32_t random, uint32_t regs, uint64_t *head, uint32_t *imm) {
  k->form = random % k->forms, k->slot = random >> 8 & 15;
  if (!k->kept[k->form].used || !k->slots[k->slot].used)
    return false;
  *head = made(k, k->form, k->slot), *imm = k->kept[k->form].imm;
  for (unsigned n = 0; n < (has_type(*head) ? 3 : 4); n++)
    if ((*head >> place(*head, n)) % 128 >= regs)
      return false;
  return k->again = true;
}

uint32_t keeper_flits(keeper *k, uint64_t head, uint32_t imm, uint32_t random, bool open,
                      uint64_t flits[KEEPER_FLITS], bool *joins) {
  const uint64_t tag = tsv_get(head, TSV_DN_ANY_TAG);
  const uint64_t win = tsv_get(head, TSV_DN_SHM_WIN);
  if (!k->again)
    k->form = random % k->forms, k->slot = random >> 8 & 15;
  const uint32_t form = k->form, slot = k->slot,
                 relative = random >> 12 & (has_type(head) ? 7 : 15);
  const bool sets = !k->slots[slot].used || (!k->again && (random >> 16 & 7) == 0);
  const bool slots = sets || (!is_exec(head) && k->slots[slot].win != win);
  const bool keeps = slots || !k->kept[form].used || k->kept[form].imm != imm ||
                     made(k, form, slot) != without_tag(head);
  k->again = false;
  *joins = open && k->entries < 3 && tag != NO_TAG;
  for (uint32_t n = 0; n < k->entries; n++)
    *joins &= !(keeps && k->used_forms[n] == form) && !(slots && k->used_slots[n] == slot);
  uint32_t n = 0;
  if (slots) {
    if (sets)
      k->slots[slot].base = random >> 20 & 124, k->slots[slot].used = true;
    if (!is_exec(head))
      k->slots[slot].win = (uint32_t)win;
    flits[n++] = TSV_DN_SLOT | tsv_put(TSV_DN_ANY_TAG, tag) | tsv_put(TSV_DN_SLOT_SLOT, slot) |
                 tsv_put(TSV_DN_SLOT_BASE, k->slots[slot].base) |
                 tsv_put(TSV_DN_SLOT_WIN, k->slots[slot].win);
  }
  if (keeps) {
    k->kept[form].head = moved(without_tag(head), relative, 128 - k->slots[slot].base, 0);
    k->kept[form].imm = imm, k->kept[form].relative = relative, k->kept[form].used = true;
    flits[n++] = TSV_DN_KEEP | tsv_put(TSV_DN_ANY_TAG, NO_TAG) | tsv_put(TSV_DN_ANY_LEN, 1) |
                 tsv_put(TSV_DN_KEEP_FORM, form) | tsv_put(TSV_DN_KEEP_RELATIVE, relative) |
                 tsv_put(TSV_DN_KEEP_IMM, imm);
    flits[n++] = k->kept[form].head;
  }
  static const uint8_t tags[] = {4, 27, 45};
  if (!*joins)
    k->entries = 0,
    k->run = TSV_DN_RUN | tsv_put(TSV_DN_RUN_TAG1, NO_TAG) | tsv_put(TSV_DN_RUN_TAG2, NO_TAG);
  const uint32_t e = k->entries++;
  k->used_forms[e] = form, k->used_slots[e] = slot;
  k->run &= ~(255ull << tags[e]);
  k->run |= tag << tags[e] | (uint64_t)form << (17 + 18 * e) | (uint64_t)slot << (23 + 18 * e);
  flits[n++] = k->run;
  return n;
}

// SPDX-License-Identifier: Apache-2.0
#include "forms.h"

#include <stdlib.h>

#include "tsv_packet.h"

#define BLOCK forms
#include "csim/base/block_table.h"

enum { NO_TAG = 255 };

static const uint16_t tag_of[] = {TSV_DN_ANY_TAG, TSV_DN_RUN_TAG1, TSV_DN_RUN_TAG2},
                      form_of[] = {TSV_DN_RUN_FORM0, TSV_DN_RUN_FORM1, TSV_DN_RUN_FORM2},
                      slot_of[] = {TSV_DN_RUN_SLOT0, TSV_DN_RUN_SLOT1, TSV_DN_RUN_SLOT2};

void forms_init(forms *f, const structure *sizes) {
  const uint32_t n = structure_or_default(sizes)->forms;
  *f = (forms){.mask = (n ? n : FORMS_STANDARD) - 1, .out.in_ready = 1};
}

static uint64_t with(uint64_t head, enum tsv_field field, uint64_t value) {
  return (head & ~tsv_put(field, tsv_get(~0ull, field))) | tsv_put(field, value);
}

// Rule 4: the packet that the next entry stands for.
static void show(forms *f) {
  static const uint16_t registers[2][4] = {
      {TSV_DN_EXEC_D, TSV_DN_EXEC_A, TSV_DN_EXEC_B, TSV_DN_EXEC_C},
      {TSV_DN_SHM_D, TSV_DN_SHM_A, TSV_DN_SHM_B, TSV_DN_SHM_C}};
  const uint32_t n = (uint32_t)tsv_get(f->run, form_of[f->at]) & f->mask;
  const uint32_t base = f->slot[tsv_get(f->run, slot_of[f->at])].base;
  uint64_t head = f->kept[n].head;
  const bool shared = tsv_get(head, TSV_DN_ANY_KIND) != TSV_DN_EXEC;
  for (uint32_t m = f->kept[n].relative; m; m &= m - 1) {
    const enum tsv_field reg = registers[shared][__builtin_ctz(m)];
    head = with(head, reg, (tsv_get(head, reg) + base) & 127);
  }
  if (shared)
    head = with(head, TSV_DN_SHM_WIN, f->slot[tsv_get(f->run, slot_of[f->at])].win);
  head = with(head, TSV_DN_ANY_TAG, tsv_get(f->run, tag_of[f->at]));
  f->out.out_head[0] = (uint32_t)head, f->out.out_head[1] = (uint32_t)(head >> 32);
  f->out.out_body[0] = f->kept[n].imm;
  f->at++;
}

static void take(forms *f, const forms_in *in) {
  const uint64_t head = tsv_flit(in->in_head);
  switch (tsv_get(head, TSV_DN_ANY_KIND)) {
    case TSV_DN_KEEP: {
      const uint32_t n = (uint32_t)tsv_get(head, TSV_DN_KEEP_FORM) & f->mask;
      f->kept[n].head = tsv_flit(in->in_body);  // its tag is never looked at
      f->kept[n].imm = (uint32_t)tsv_get(head, TSV_DN_KEEP_IMM);
      f->kept[n].relative = (uint32_t)tsv_get(head, TSV_DN_KEEP_RELATIVE);
      break;
    }
    case TSV_DN_SLOT: {
      const uint64_t n = tsv_get(head, TSV_DN_SLOT_SLOT);
      f->slot[n].base = (uint32_t)tsv_get(head, TSV_DN_SLOT_BASE);
      f->slot[n].win = (uint32_t)tsv_get(head, TSV_DN_SLOT_WIN);
      break;
    }
    case TSV_DN_RUN:
      f->run = head, f->at = 0;
      f->n = tsv_get(head, TSV_DN_RUN_TAG1) == NO_TAG   ? 1
             : tsv_get(head, TSV_DN_RUN_TAG2) == NO_TAG ? 2
                                                        : 3;
  }
}

void forms_edge(forms *f, const forms_in *in) {
  if (in->in_valid & f->out.in_ready)
    take(f, in);
  if (!in->rst_n)
    f->at = f->n;
  if (!f->out.out_valid || in->out_ready || !in->rst_n) {
    f->out.out_valid = f->out.busy = f->at < f->n;
    if (f->out.out_valid)
      show(f);
    else
      f->out.out_head[0] = f->out.out_head[1] = f->out.out_body[0] = 0;
  }
  f->out.in_ready = f->at == f->n;
}

void forms_step(forms *f, const forms_in *in, forms_out *out) {
  forms_clock(f, in);
  *out = f->out;
}

#define BLOCK forms
#define BLOCK_INIT(block, sizes) forms_init(block, sizes)
#include "csim/base/block_twin.h"

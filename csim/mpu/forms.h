// SPDX-License-Identifier: Apache-2.0
// Twin of the block that keeps packets of a near-bank unit (docs/blocks/forms.md has the rules).
#pragma once

#define BLOCK forms
#include "structure.h"
#include "csim/base/block_declare.h"

enum { FORMS_STANDARD = 64, FORMS_SLOTS = 16 };

typedef struct forms {
  uint32_t mask;   // FORMS - 1
  uint32_t at, n;  // entries of the RUN: those that were on the outputs, all
  uint64_t run;
  forms_out out;
  struct {
    uint32_t base, win;
  } slot[FORMS_SLOTS];
  struct {
    uint64_t head;
    uint32_t imm, relative;
  } kept[STRUCTURE_MAX_FORMS];
} forms;

// NULL, or no forms: as many as the block has by itself.
void forms_init(forms *f, const structure *sizes);
// One clock edge; the outputs after it are in f->out.
void forms_edge(forms *f, const forms_in *in);
// The same; costs nothing when there is nothing to do.
static inline void forms_clock(forms *f, const forms_in *in) {
  if (in->in_valid | f->out.out_valid)
    forms_edge(f, in);
}
void forms_step(forms *f, const forms_in *in, forms_out *out);

static inline bool forms_idle(const forms *f) {
  return !f->out.busy;
}

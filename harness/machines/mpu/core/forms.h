// SPDX-License-Identifier: Apache-2.0
// What the base die knows of the packets that a near-bank unit keeps (docs/blocks/forms.md, "The
// base die"): which of its packets can be an entry of a RUN, and what must be sent for that.
#ifndef NEARBANK_CORE_FORMS_H
#define NEARBANK_CORE_FORMS_H

#include "op.h"

enum { FORMS = STRUCTURE_MAX_FORMS };

typedef struct form {
  uint64_t head;
  uint32_t imm, relative;
} form;

typedef struct form_slot {
  uint32_t base, window;
  bool known;
} form_slot;

typedef struct forms {
  form kept[FORMS], asked[FORMS];  // what the unit has; what was sent last that could be kept there
  uint8_t again[FORMS];            // how often that was asked for again, one after another
  form_slot slots[SLOTS];
} forms;

// The packet of `o`, whose flits these are, as an entry: the packets that must go before it, in
// flits; their number, or -1 when it goes whole. `room`: flits that may be sent, 4 are enough.
int forms_entry(forms *f, uint32_t n_forms, const op *o, const uint64_t *flits, uint32_t n,
                uint32_t room, uint64_t before[3]);
// The number of its form.
uint32_t forms_number(const op *o, uint32_t n_forms);

#endif

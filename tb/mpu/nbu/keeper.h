// SPDX-License-Identifier: Apache-2.0
// What the base die of the tests knows of the forms of a unit (docs/blocks/forms.md): it makes
// entries of RUN from packets.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { KEEPER_FLITS = 4 };  // at most, of a packet

typedef struct keeper {
  uint32_t forms;  // 0: none
  uint32_t form, slot;
  bool again;  // the next packet is of these two
  uint64_t run;
  uint32_t entries, used_forms[3], used_slots[3];  // of run
  struct {
    uint64_t head;
    uint32_t imm, relative;
    bool used;
  } kept[64];
  struct {
    uint32_t base, win;
    bool used;
  } slots[16];
} keeper;

// A packet, head with its tag, that can be an entry.
bool keeper_can(uint64_t head);
// The flits that bring it about, RUN last. With `open`, the last one of the call before has not
// left yet: with *joins the new ones take its place.
uint32_t keeper_flits(keeper *k, uint64_t head, uint32_t imm, uint32_t random, bool open,
                      uint64_t flits[KEEPER_FLITS], bool *joins);
// A packet without tag of something that is kept and of any slot, whose registers are below `regs`;
// the next call of keeper_flits is for it. False: none was found.
bool keeper_again(keeper *k, uint32_t random, uint32_t regs, uint64_t *head, uint32_t *imm);

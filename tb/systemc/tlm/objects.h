// SPDX-License-Identifier: Apache-2.0
// What these tests take of C: the kernels of tb/systemc/card, compiled, a machine that executes
// them, and a SpaceA.
#ifndef NEARBANK_TB_TLM_OBJECTS_H
#define NEARBANK_TB_TLM_OBJECTS_H

#include "harness/systemc/card/card_machine.h"

#ifdef __cplusplus
extern "C" {
#endif

// The link of the machine: times that are whole ps for multiples of 16 bytes.
enum { LINK_DOWN = 16000, LINK_UP = 4000, LINK_LATENCY = 700 };  // MB/s, ns

card_machine *objects_machine(void);
card_machine *objects_spacea(void);  // spacea-small, with the same link
const uint8_t *objects_kernels(size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif

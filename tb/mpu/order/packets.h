// SPDX-License-Identifier: Apache-2.0
// Packets for the tests of order: what one uses by the table of docs/blocks/order.md, and random
// ones that meet on few registers, lines and windows.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "csim/mpu/tsv_packet.h"
#include "tb/cosim/cosim.h"

typedef struct packet {
  uint64_t head, body;  // body: its first flit
} packet;

typedef struct packet_use {
  uint64_t reads[2], writes[2];  // places of the register file
  uint32_t memory;               // a number of its own for each line and window; 0: none
  uint32_t asks;                 // of SYNC with SHARED: the window, as memory; 0: all packets
  bool is_long;
  bool opc, lsux, regm;  // whose room it needs
  bool collects;         // operand collectors will tell when its operands are read
  bool answers;          // its end is told by DONE
  bool has_up;           // its end is an answer that goes up
} packet_use;

packet_use packet_use_of(const packet *p);

// Few registers and lines, so that packets meet. Tags are any.
typedef struct packet_mix {
  uint16_t exec, shm, line, sect, base, regwr, regrd, win, sync;  // weights
  uint8_t regs;   // places that packets name, from 0: at most 128
  uint8_t lines;  // lines and windows
} packet_mix;

packet packet_any(cosim_rng *rng, const packet_mix *mix);

static inline bool places_meet(const uint64_t a[2], const uint64_t b[2]) {
  return (a[0] & b[0]) || (a[1] & b[1]);
}

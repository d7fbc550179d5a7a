// SPDX-License-Identifier: Apache-2.0
// A netlist of cells, as Yosys writes it: one module, gates in an order in which they can be
// computed.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cells.h"

enum { NET_LOW, NET_HIGH, NET_FIRST };  // nets that are 0 and 1; the first other one

// What a net is of the clock clk_i: the clock, behind an inverter, behind a clock gate
enum { CLOCK = 1, CLOCK_INVERTED = 2, CLOCK_GATED = 4 };

typedef struct gate {
  const cell *cell;
  // A register: it keeps its value for a cycle. Not so a latch that is open while the clock is low:
  // at the end of a cycle it gives what it takes, as its clock gate asks for.
  bool stores;
  bool clock;  // it drives a clock
  char *name;
  uint32_t nets[CELL_PINS];  // of its pins
} gate;

// A net whose values come from outside or from a register.
typedef struct net_source {
  char *name;  // as waves have it: without the i_ of instances
  uint32_t net;
  bool is_register;
  size_t gate;  // of a register
  double load;  // fF
} net_source;

typedef struct netlist {
  gate *gates;  // registers are among them
  size_t n_gates, gates_room;
  net_source *sources;  // by their names
  size_t n_sources, sources_room;
  uint32_t n_nets;
  uint8_t *clocks;    // of nets
  double clock_load;  // fF, of clk_i
} netlist;

// False: `why` says why.
bool netlist_read(netlist *n, const char *file, const cells *c, char *why, size_t why_bytes);
void netlist_free(netlist *n);
uint32_t gate_clock(const gate *g);  // the net at the clock pin of a register; UINT32_MAX: none

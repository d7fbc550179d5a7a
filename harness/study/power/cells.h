// SPDX-License-Identifier: Apache-2.0
// The cells of a Liberty file: pins, and what they do.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CELL_PINS = 16, CELL_CODE = 48 };

typedef struct cell_pin {
  char *name;
  bool output, clock, data;  // data: what a flip-flop or a latch takes
  double femtofarads;
  // What an output is, of the pins in their order: a number is a pin, '!', '^', '&' and '|' take
  // what the ones before them left. Of a latch: while it is open. None of a flip-flop.
  char *function;
  int16_t code[CELL_CODE];
  size_t n_code;
} cell_pin;

typedef struct cell {
  char *name;
  bool stores;      // a flip-flop or a latch
  bool latch, low;  // low: open while its clock is low; of a flip-flop: it takes the falling edge
  char *states[2], *data, *enable;  // names of its state, functions of pins
  cell_pin pins[CELL_PINS];
  size_t n_pins;
} cell;

typedef struct cells {
  cell *all;
  size_t n, room;
} cells;

// False: `why` says why.
bool cells_read(cells *c, const char *file, char *why, size_t why_bytes);
void cells_free(cells *c);
const cell *cells_named(const cells *c, const char *name);  // NULL: there is none
// 64 values at once of an output, of those of all pins.
uint64_t cell_value(const cell_pin *output, const uint64_t *pins);

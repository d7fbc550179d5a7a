// SPDX-License-Identifier: Apache-2.0
// A block of the machine, seen from outside: ports and a clock. The C twin of a block and its
// verilated Verilog have the same interface, so that either can stand where the other does, and
// both can run side by side and be compared.
//
// Ports of a block are in csim/*/ports/<block>.def, one line a port. From it come the structs
// `<block>_in` and `<block>_out` (BLOCK_DECLARE), the table of ports (block_port), and the code
// that copies to and from the verilated model. A port of up to 32 bits is a uint32_t; a wider one
// an array of them, lowest word first. Bits above a port's width are zero.
//
// Every block is a Moore machine: its outputs depend on its registers only. So one step is all
// there is: the inputs as they are before the clock edge go in, the outputs as they are after it
// come out, and blocks that are wired to one another may be stepped in any order.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum block_dir { BLOCK_IN, BLOCK_OUT } block_dir;

typedef struct block_port {
  const char *name;
  const char *doc;
  uint32_t bits;
  block_dir dir;
  size_t offset;  // in <block>_in or <block>_out
} block_port;

typedef struct block_ops {
  const char *name;
  const block_port *ports;  // in the order of the .def; inputs and outputs mixed
  size_t n_ports, in_bytes, out_bytes;
  // A block after reset: as if clocked with rst_n low. NULL when memory is short. `sizes` are those
  // of a twin, of a type that its header names, NULL: the default ones; a verilated model has its
  // own and takes no notice.
  void *(*create)(const void *sizes);
  void (*destroy)(void *block);
  // One rising clock edge. `in` and `out` are the block's structs. `out` is the same one in every
  // step of a block, so that what holds its value need not be written again; the first step writes
  // all.
  void (*step)(void *block, const void *in, void *out);
  // Outputs do not change and no input is pending: with `quiet` inputs (all valids low) a step
  // would change nothing, so the clock may be stopped.
  bool (*idle)(const void *block);
} block_ops;

#define BLOCK_WORDS(bits) (((bits) + 31) / 32)

// The two structs of a block, from its list of ports: BLOCK_DECLARE is
//   #define BLOCK fifo
//   #include "block_declare.h"
// and BLOCK_TABLE the same with block_table.h, in one source file.

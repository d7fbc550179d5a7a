// SPDX-License-Identifier: Apache-2.0
// What memory packets do, one after the other, a lane at a time: the reference of the tests of
// lsux. Independent of the twin, and without any idea of time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
  MODEL_LANES = 32,
  MODEL_ROWS = 4,  // rows of a bank that packets use
  MODEL_COLS = 32,
  MODEL_BANKS = 4,
  MODEL_SECTOR = 32,         // bytes
  MODEL_SHARED = 64 * 1024,  // bytes
  MODEL_BODY = 12,           // words
};

typedef struct model_operands {
  uint32_t a[MODEL_LANES], b[MODEL_LANES], c[MODEL_LANES];
} model_operands;

typedef struct model_packet {
  uint64_t head;
  uint32_t body[MODEL_BODY];
  uint32_t n_operands;
  model_operands operands[4];
} model_packet;

typedef struct model_write {
  uint32_t reg, mask, data[MODEL_LANES];
} model_write;

typedef struct model_up {
  uint64_t head;
  uint32_t len, body[8];
} model_up;

// A request to shared memory, and its answer.
typedef struct model_shared {
  uint32_t op, mtype, mask;
  uint32_t addr[MODEL_LANES];  // of the word
  uint32_t be[MODEL_LANES], b[MODEL_LANES], c[MODEL_LANES], old[MODEL_LANES];
} model_shared;

// All that a packet makes.
typedef struct model_result {
  uint32_t n_writes, n_shared;
  model_write writes[4];
  model_shared shared[4];
  bool done, up;  // at most one
  model_up packet;
} model_result;

typedef struct model {
  uint32_t rows[MODEL_ROWS];  // numbers of the rows
  uint8_t banks[MODEL_ROWS][MODEL_COLS][MODEL_BANKS][MODEL_SECTOR];
  uint8_t shared[MODEL_SHARED];
  bool skews;  // windows can have one
  struct {
    uint32_t base, size, skew;
  } windows[16];
} model;

// The sector of a row that packets use, or NULL.
uint8_t *model_sector(model *m, uint32_t row, uint32_t col, uint32_t bank);
// Operand sets that a packet waits for.
uint32_t model_needs(uint64_t head);
uint32_t model_bytes(uint64_t head);
void model_run(model *m, const model_packet *p, model_result *r);

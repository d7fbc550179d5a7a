// SPDX-License-Identifier: Apache-2.0
// Twin of the LSU-Extension (docs/blocks/lsux.md has the rules).
#pragma once

#define BLOCK lsux
#include "structure.h"
#include "csim/base/block_declare.h"

enum {
  LSUX_CMDS = 4,  // packets of queue
  LSUX_LANES = 32,
  LSUX_BANKS = 4,
  LSUX_SECTOR = 8,  // words
  LSUX_WINDOWS = 16,
  LSUX_ASKED = 4,  // requests of shared memory under way
};

typedef struct lsux_cmd {
  uint64_t head;
  uint32_t body[12];
} lsux_cmd;

typedef enum lsux_type { LSUX_REG, LSUX_NONE, LSUX_DATA, LSUX_WORD, LSUX_FAULT } lsux_type;

typedef struct lsux_entry {
  lsux_type type;
  uint32_t tag, last, reg, mask, missing;
  uint32_t mtype, chunks;
  uint32_t word;              // of the sector; what goes up of WORD
  uint32_t lane, align;       // of FAULT, with its address in word
  bool lined_up;              // word i of sector s is lane 8s + i
  uint8_t place[LSUX_LANES];  // byte in the line of four sectors
  uint32_t data[LSUX_LANES];
} lsux_entry;

typedef enum lsux_b {
  LSUX_B_FREE,
  LSUX_B_ISSUE,
  LSUX_B_MERGE,
  LSUX_B_READ,
  LSUX_B_WAIT,
  LSUX_B_APPLY,
  LSUX_B_WRITE,
} lsux_b;

typedef enum lsux_s {
  LSUX_S_IDLE,
  LSUX_S_ADDR,
  LSUX_S_CHECK,
  LSUX_S_FAULT,
} lsux_s;

typedef struct lsux {
  lsux_cmd queue[LSUX_CMDS];
  uint32_t queue_head, queue_n;
  // stage A
  bool a_valid;
  lsux_cmd a;
  uint32_t a_beat, a_beats;
  bool a_needs;  // operands
  uint32_t opd_a[LSUX_LANES], opd_b[LSUX_LANES], opd_c[LSUX_LANES];
  // bank requests: what is written is known when a beat enters, how long it takes is counted
  struct {
    lsux_b state;
    bool we, merged, f32, is_signed;
    uint32_t entry, sectors, row, col;  // sectors: banks that have not been asked
    uint32_t edges;                     // of MERGE or APPLY to go
    uint32_t op, mask;
    uint32_t wdata[LSUX_BANKS][LSUX_SECTOR], wmask[LSUX_BANKS];
    uint32_t b[LSUX_LANES], c[LSUX_LANES];
  } b;
  // shared memory: the beat whose request is prepared
  struct {
    lsux_s state;
    uint32_t entry, op, mtype, mask, shift;  // shift: 4k
    uint32_t base, fault;                    // lanes at fault
    uint32_t size, skew;                     // of the window
    uint32_t addr[LSUX_LANES], b[LSUX_LANES], c[LSUX_LANES];
  } s;
  struct {
    uint32_t base, size, skew;
  } windows[LSUX_WINDOWS];
  lsux_entry table[STRUCTURE_MAX_ENTRIES];
  uint32_t oldest, used;
  uint32_t asked[LSUX_ASKED], asked_head, asked_n;  // entries, of requests of shared memory
  uint32_t entries;                                 // of the table, a power of two
  uint32_t column_bits;                             // of a sector's number
  bool skews;                                       // windows may have one
  // the write to the register file; then its completion may wait
  bool w_last, waits;
  uint32_t w_tag;
  lsux_out out;
} lsux;

void lsux_init(lsux *l, const structure *sizes);  // NULL: the default ones
// One clock edge; the outputs after it are in l->out.
void lsux_edge(lsux *l, const lsux_in *in);
// The same; costs nothing when there is nothing to do.
static inline void lsux_clock(lsux *l, const lsux_in *in) {
  if (l->out.busy | in->cmd_valid | in->opd_valid || !in->rst_n)
    lsux_edge(l, in);
}
void lsux_step(lsux *l, const lsux_in *in, lsux_out *out);
// An edge changes nothing, if nothing comes: all that is here waits for an answer, or for sm_ready.
bool lsux_waits(const lsux *l);

static inline bool lsux_idle(const lsux *l) {
  return !l->out.busy;
}

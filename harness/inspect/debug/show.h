// SPDX-License-Identifier: Apache-2.0
// What is in a core, as text: for the debugger. To be called between cycles, while the core has a
// launch, which has an observer from its beginning (core_observe).
#ifndef NEARBANK_SHOW_H
#define NEARBANK_SHOW_H

#include <stdio.h>
#include "harness/machines/mpu/core/core.h"

// A warp: linear index of its block, index in the block.
typedef struct show_warp {
  uint32_t block, warp;
} show_warp;

uint32_t show_live(const core *c);                       // warps that it has
bool show_oldest(const core *c, show_warp *w);           // false: it has none
bool show_faulty(const core *c, show_warp *w);           // the one at fault, if it has it
bool show_has(const core *c, show_warp w);               // false: no such warp is on the core
bool show_pc(const core *c, show_warp w, uint32_t *pc);  // of what it issues next, if anything

// ---- values
typedef enum show_type {
  SHOW_X32,
  SHOW_U32,
  SHOW_S32,
  SHOW_F32,
  SHOW_U64,
  SHOW_F64,
  SHOW_U8,
  SHOW_TYPES
} show_type;
extern const char *const show_type_names[SHOW_TYPES];
uint32_t show_bytes(show_type t);
void show_value(FILE *f, show_type t, const void *value);
// Some values in lines, each with the address of its first one.
void show_memory(FILE *f, uint64_t address, const uint8_t *bytes, uint32_t count, show_type t);

void show_block(FILE *f, const launch *l, uint32_t block);  // "block 5", with x, y, z where it has
void show_place(FILE *f, const launch *l, uint32_t pc);     // pc, instruction, PTX and CUDA line
const char *show_file(const char *path);                    // without its directories

// ---- of a core
void show_warps(FILE *f, const core *c, const show_warp *selected);
// ---- of a warp that it has
// In these lanes: what both sides hold, and which of it is valid, or will be when what is under way
// has ended. The kernel has the register.
void show_register(FILE *f, const core *c, show_warp w, uint32_t reg, uint32_t lanes, show_type t);
void show_registers(FILE *f, const core *c, show_warp w);  // a line each
void show_predicate(FILE *f, const core *c, show_warp w, uint32_t p);
void show_predicates(FILE *f, const core *c, show_warp w);
void show_stack(FILE *f, const core *c, show_warp w);  // SIMT
void show_scoreboard(FILE *f, const core *c, show_warp w);

// ---- packets under way: what was seen of them (EVENT_SEND)
typedef struct show_packet {
  uint64_t cycle;
  uint8_t kind, flits;
} show_packet;
typedef struct show_packets {
  show_packet of[NEAR_NBUS][256];  // by tag
} show_packets;
extern const char *const show_down[], *const show_up[];  // names of packets; NULL: no more

void show_queues(FILE *f, const core *c, const show_packets *seen);
void show_banks(FILE *f, const core *c, uint32_t nbu);
// The bytes of shared memory of a block on the core, to be freed; NULL: they are in Verilog, or the
// core does not have the block (*bytes is 0).
uint8_t *show_shared(const core *c, uint32_t block, uint32_t *bytes);

#endif

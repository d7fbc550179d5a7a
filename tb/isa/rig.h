// SPDX-License-Identifier: Apache-2.0
// The bench of the instruction tests: kernels written instruction by instruction, run on a machine
// of their own, and a record of which instructions have been under test.
#ifndef NEARBANK_TB_ISA_RIG_H
#define NEARBANK_TB_ISA_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "csim/isa/machine.h"

// One for a whole test program. `covered` has a bit for each (op, type, type2, fn).
typedef struct bench {
  uint64_t seed;
  bool brief;  // fewer values and variants
  const char *program;
  unsigned failures, printed;
  uint8_t *covered;
  uint64_t checks;  // values compared
} bench;

// ---- random numbers: the same for a seed on any host
typedef struct dice {
  uint64_t state;
} dice;
dice dice_new(const bench *b, uint64_t salt);
uint64_t dice_u64(dice *d);
uint32_t dice_below(dice *d, uint32_t n);
uint64_t dice_int(dice *d, unsigned bits);           // special, small, sparse or uniform
uint64_t dice_float(dice *d, unsigned type);         // ISA_TYPE_F32 or F64
uint64_t dice_operand(dice *d, unsigned type);       // by kind of type
unsigned specials(unsigned type, uint64_t out[64]);  // how many

// ---- code under construction
enum { CODE_MAX = 1024 };
typedef struct code {
  isa_inst inst[CODE_MAX];
  unsigned count;
} code;
void code_put(code *c, isa_inst i);
void code_3(code *c, unsigned op, unsigned type, unsigned d, unsigned a, unsigned b);
void code_3i(code *c, unsigned op, unsigned type, unsigned d, unsigned a, uint32_t imm);
void code_load(code *c, unsigned space, unsigned type, unsigned d, unsigned a, int32_t offset);
void code_store(code *c, unsigned space, unsigned type, unsigned a, int32_t offset, unsigned b);
void code_s2r(code *c, unsigned d, unsigned sreg);
void code_setp(code *c, unsigned cmp, unsigned type, unsigned p, unsigned a, uint32_t imm);
// d = imm where p (else where not p), 0 elsewhere
void code_select(code *c, unsigned d, uint32_t imm, unsigned p);
// d (a pair) = 64-bit parameter at `offset` + the launch's linear thread index * stride; leaves the
// index in r0, clobbers r1 to r3.
void code_thread_address(code *c, unsigned d, uint32_t offset, uint32_t stride);
// The same once the index is in r0.
void code_indexed(code *c, unsigned d, uint32_t offset, uint32_t stride);
// Moves p0 to p(n-1) as bits into d; clobbers `scratch`.
void code_predicates(code *c, unsigned d, unsigned scratch, unsigned n);
void code_exit(code *c);
uint32_t code_here(const code *c);  // pc of the next instruction

// ---- running
typedef struct rig rig;
typedef struct rig_setup {
  launch_shape shape;
  uint32_t shared_bytes, local_bytes;
  const void *constants;
  uint32_t constant_bytes;
  const void *params;
  uint32_t param_bytes;
} rig_setup;
// Adds the code as a module and runs it. The machine's message is printed when the launch fails
// and no failure was `expected` (MACHINE_OK: none).
machine_error rig_run(bench *b, rig *r, const code *c, const rig_setup *setup,
                      machine_error expected);
// A machine with up to 4 buffers. It holds a limited number of modules: rig_begin, called before
// the buffers of a run are filled, starts afresh when it is full; the buffers keep their places.
struct rig {
  machine *m;
  void *timed;  // see timed.h
  uint64_t bytes[4], at[4];
  unsigned buffers, runs;
};
void rig_open(rig *r);
void rig_close(rig *r);
uint64_t rig_buffer(rig *r, uint64_t bytes);
void rig_begin(rig *r);
void rig_write(rig *r, uint64_t to, const void *from, uint64_t bytes);
void rig_read(rig *r, void *to, uint64_t from, uint64_t bytes);

// ---- verdicts
void bench_cover(bench *b, const isa_inst *i);
bool bench_covered(const bench *b, const isa_inst *i);
// Counts a failure; true if it should be printed. Follow with printing and bench_hint.
bool bench_fail(bench *b);
void bench_hint(const bench *b);
void inst_print(const isa_inst *i);
// Calls `visit` for each legal (op, type, type2, fn) with a legal instruction of it.
void inst_each(unsigned op, void (*visit)(void *ctx, const isa_inst *i), void *ctx);

// ---- the tests, one file each
void ops_alu(bench *b, unsigned op);
bool ops_alu_has(unsigned op);
void ops_memory(bench *b);
void ops_atomics(bench *b);
void ops_warp(bench *b);
void ops_sreg(bench *b);
void ops_control(bench *b);
void ops_barrier(bench *b);

#endif

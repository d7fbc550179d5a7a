// SPDX-License-Identifier: Apache-2.0
// The functional machine: executes MPU programs warp by warp, untimed. It is the golden memory and
// the golden retire trace that cycle models are compared with.
//
// One machine is one device: 32 GB of global memory, allocated to the byte, and modules. A launch
// is a grid in execution. `launch_run` executes it in the machine's own order; a cycle model
// instead starts blocks and steps warps itself, in the order in which it performs them.
// Not thread safe: one machine belongs to one thread at a time. Deterministic.
#ifndef NEARBANK_MACHINE_H
#define NEARBANK_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "isa.h"
#include "module.h"

typedef struct machine machine;
typedef struct launch launch;

enum { MACHINE_REGS = 4 };

typedef struct machine_config {
  uint64_t memory_bytes;      // 32 GB
  uint32_t cores;             // 128: %nsmid, and how many blocks are live at most = cores * slots
  uint32_t warps_per_core;    // 64: %nwarpid
  uint32_t shared_per_block;  // 65536
  // Of a subcore; a block's warps must fit, each with its registers in pieces of MACHINE_REGS. 0,
  // the default: no limit. A cycle model sets the sizes of its register files (32768 and 16384).
  uint32_t far_rf_bytes, near_rf_bytes;
  // Of allocations, 0: 256 and no rows. A cycle model wants lanes and banks in step: `align` is
  // what its cores cover with one line an NBU, row_bytes what one row number covers in all banks.
  uint64_t align, row_bytes;
  // They lie at addresses from `first` on and before `limit`; 0: all of memory is theirs.
  uint64_t first, limit;
  bool trail;                 // for machine_trail
  bool count_bytes;           // for machine_compulsory
  bool page_reads;            // lanes may read outside of allocations; see machine_page_reads
  uint64_t max_instructions;  // warp instructions a launch may take, 0: no limit
  FILE *trace;                // retire trace, NULL: none; see retire_record
} machine_config;

machine_config machine_config_default(void);

typedef enum machine_error {
  MACHINE_OK,
  MACHINE_OUT_OF_MEMORY,
  MACHINE_BAD_POINTER,       // not an allocation, or past its end
  MACHINE_BAD_LAUNCH,        // grid, block or parameters are none that a kernel can have
  MACHINE_OUT_OF_REGISTERS,  // the block's registers or warps do not fit a core
  MACHINE_OUT_OF_SHARED,     // its shared memory does not
  MACHINE_FAULT_ADDRESS,     // out-of-range access
  MACHINE_FAULT_ALIGN,       // misaligned access
  MACHINE_FAULT_TRAP,        // trap, or a barrier used in a way that has no meaning
  MACHINE_FAULT_DEADLOCK,    // no warp can go on
  MACHINE_FAULT_LIMIT,       // max_instructions, or cycles
  MACHINE_STOPPED,           // the caller ended it
  MACHINE_MODEL,             // models of the machine differ: no fault of the program
} machine_error;

// `machine_message` is one paragraph for the user about the last error: what, which thread
// (block and thread index), kernel, pc, disassembly, PTX and CUDA line.
machine *machine_new(const machine_config *config);  // NULL: no host memory
void machine_free(machine *m);
const char *machine_message(const machine *m);

// ---- memory. Allocations are at least 256-byte aligned, never at 0, first fit.
machine_error machine_malloc(machine *m, uint64_t bytes, uint64_t *address);
// No other begins in the `room` bytes from its first one on, of which it has so many: a cycle model
// may keep its bytes anywhere in them.
machine_error machine_malloc_room(machine *m, uint64_t bytes, uint64_t room, uint64_t *address);
machine_error machine_release(machine *m, uint64_t address);
// Whether machine_write and machine_read could: MACHINE_OK, or what they would return.
machine_error machine_reach(machine *m, uint64_t address, uint64_t bytes);
machine_error machine_write(machine *m, uint64_t to, const void *from, uint64_t bytes);
machine_error machine_read(machine *m, void *to, uint64_t from, uint64_t bytes);
machine_error machine_copy(machine *m, uint64_t to, uint64_t from, uint64_t bytes);  // may overlap
machine_error machine_fill(machine *m, uint64_t to, uint8_t byte, uint64_t bytes);
// Host memory that kernels access where it is: pages of the file `fd` take the place of device
// memory at the highest free addresses that end at `below` or before (0: a little before the end,
// so that there is room for local memory). Every owner may access them. They count neither as
// device memory nor in the trail, and machine_release_all leaves them.
machine_error machine_map(machine *m, int fd, uint64_t bytes, uint64_t below, uint64_t *address);
void machine_unmap(machine *m, uint64_t address);
// The allocation around an address; false when there is none.
bool machine_find(const machine *m, uint64_t address, uint64_t *base, uint64_t *bytes);
// With machine_config.page_reads: whether an access of these bytes outside of an allocation is in
// one page of 4 KB with a byte of one of the current owner or before the first one, and touches
// nothing of another. Kernels may read there: bytes of no allocation are zero. Writes and atomics
// must be inside all the same.
bool machine_page_reads(const machine *m, uint64_t address, uint64_t bytes);
// Says more about the allocation at `base` in messages about accesses outside of it: ": d_x,
// allocated at x.cu:12", or nothing. NULL: nobody does.
typedef void machine_named(void *ctx, uint64_t base, char *to, size_t bytes);
void machine_set_named(machine *m, machine_named *name, void *ctx);
// Several owners can share a machine; each is one bit. Without this call there is one owner, 1.
// From now on allocations and modules belong to `owner`, and calls and new launches access only
// what it owns. An allocation with several owners is freed when the last of them has released it.
void machine_set_owner(machine *m, uint32_t owner);
// Adds owners to the allocation that begins at `address` and belongs to the current owner.
machine_error machine_share(machine *m, uint64_t address, uint32_t owners);
// Releases all memory and modules of the current owner. Not during one of its launches.
void machine_release_all(machine *m);
// With machine_config.trail: a sum of all these calls so far, and of the bytes that they wrote.
// Where it is the same again, and launches left the same behind, memory is the same.
uint64_t machine_trail(const machine *m);
// A sum of bytes inside one allocation, by their place in it; 0 when they are not.
uint64_t machine_sum(const machine *m, uint64_t address, uint64_t bytes);
void machine_memory_info(const machine *m, uint64_t *free_bytes, uint64_t *total_bytes);
// With machine_config.count_bytes: bytes of global memory, in whole sectors of 32 (sectors.h), that
// any machine has to move at least once for what launch_run and launch_step have executed so far.
// Reads are of sectors that no kernel wrote before. Each sector counts once while its allocation
// lives. Atomics read and write.
typedef struct machine_bytes {
  uint64_t read, written;
} machine_bytes;
machine_bytes machine_compulsory(const machine *m);

// ---- modules. The machine takes ownership of `mod`, allocates its segment and binds it;
// machine_release_all frees it.
machine_error machine_add_module(machine *m, module *mod);
// Device address of a symbol of an added module: a global address, or one in the constant window.
// machine_write and machine_read take both, and so do kernels of any module.
uint64_t machine_symbol_address(const machine *m, const module *mod, const module_symbol *s);

// ---- launches
typedef struct launch_shape {
  uint32_t grid[3], block[3];
  uint32_t dynamic_shared;
} launch_shape;

// One retired warp instruction. A barrier reduction retires when the warp arrives; its result is
// not part of the record, it is there when the warp is ready again.
//
// The trace has a line for each, in the order of execution, numbers in hexadecimal but block, warp
// and register:
//   block warp pc lanes N|F { rR v0 ... v31 } { pP bits }
// N or F is the location, a v the value of a lane after the instruction, `-` where the lane did not
// execute; 64-bit results are two registers, low word first. Without lanes no registers follow.
typedef struct retire_record {
  uint32_t block;  // linear block index
  uint32_t warp;   // in the block
  uint32_t pc;
  uint32_t lanes;  // lanes that executed it: active and guard true
  bool near;       // where the location rules put it
  isa_reg reg;     // register written, ISA_RZ if none
  uint8_t words;   // registers written from `reg` on
  bool has_pred;   // predicate written: `pred`, and pred_bits a bit a lane
  uint8_t pred;
  uint32_t pred_bits;
  bool has_pred2;  // setp with two results: the second one
  uint8_t pred2;
  uint32_t pred2_bits;
} retire_record;

typedef struct launch_stats {
  uint64_t warp_instructions;                    // retired, guard-false-everywhere included
  uint64_t near_instructions, far_instructions;  // by the location rules; they add up to the above
  uint64_t thread_instructions;                  // lanes that executed
  uint64_t global_bytes;     // bytes that global and generic-to-global accesses moved
  uint64_t shared_accesses;  // warp-level accesses of shared memory
} launch_stats;

typedef enum warp_state {
  WARP_READY,
  WARP_AT_BARRIER,
  WARP_DONE,   // all lanes exited
  WARP_FAULT,  // the launch is over; see machine_message
} warp_state;

// `params` is the parameter block of the kernel, kernel->param_bytes long (copied).
machine_error launch_new(machine *m, module *mod, const module_kernel *k, const launch_shape *shape,
                         const void *params, size_t param_bytes, launch **out);
void launch_free(launch *l);

machine_error launch_run(launch *l);  // to the end
// Whether a kernel can have this shape on this machine: what launch_new says.
machine_error launch_check(machine *m, const module_kernel *k, const launch_shape *shape);

// A cycle model takes over: launch_run calls it instead of executing in the machine's own order.
// NULL: not any more. It returns what launch_run would, and has given the message.
typedef machine_error machine_runner(void *ctx, launch *l);
void machine_set_runner(machine *m, machine_runner *run, void *ctx);

// Is told of each warp instruction that retires by launch_run or launch_step. NULL: nobody is.
typedef void machine_retired(void *ctx, const launch *l, const retire_record *r);
void machine_set_retired(machine *m, machine_retired *tell, void *ctx);

typedef struct machine_access {
  uint64_t address, exact;  // of the sector; of the first lane that accesses it, to the byte
  bool reads, writes;
  uint32_t block, warp, pc;  // warp: in the block
} machine_access;
// Is told of the sectors of global memory (sectors.h) that a warp instruction of launch_run or
// launch_step accesses, each once, before its data move: what reads and writes is an atomic. NULL:
// nobody is.
typedef void machine_accessed(void *ctx, const machine_access *x);
void machine_set_accessed(machine *m, machine_accessed *tell, void *ctx);

// Is told of the bytes of global memory that a lane has written by launch_run or launch_step, and
// that the host has written (l is NULL then). An atomic that leaves them as they were has written
// nothing. NULL: nobody is.
typedef void machine_written(void *ctx, const launch *l, uint64_t address, uint64_t bytes,
                             uint32_t pc);
void machine_set_written(machine *m, machine_written *tell, void *ctx);

// The stepping interface: start blocks (each once), step their warps in any order.
uint32_t launch_blocks(const launch *l);
uint32_t launch_warps(const launch *l);  // of a block
machine_error launch_start_block(launch *l, uint32_t block);
warp_state launch_warp_state(const launch *l, uint32_t block, uint32_t warp);
// Executes one instruction of a ready warp. `record` may be NULL; after a fault it is unspecified.
warp_state launch_step(launch *l, uint32_t block, uint32_t warp, retire_record *record);
// Next pc and active lanes of a warp that is not done.
uint32_t launch_pc(const launch *l, uint32_t block, uint32_t warp, uint32_t *lanes);
// Value of a register or predicate of a lane, for comparison and debugging.
uint32_t launch_reg(const launch *l, uint32_t block, uint32_t warp, uint32_t lane, uint32_t reg);
bool launch_pred(const launch *l, uint32_t block, uint32_t warp, uint32_t lane, uint32_t pred);
bool launch_done(const launch *l);  // every block ran to its end
launch_stats launch_get_stats(const launch *l);
void launch_stats_add(launch_stats *to, launch_stats s);

#endif

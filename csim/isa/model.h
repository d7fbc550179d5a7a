// SPDX-License-Identifier: Apache-2.0
// What cycle models use of the functional machine, and those who look at them: decoded programs,
// the blocks and warps of a launch, and what happens to these in parts, at times of the model's own
// (exec.h has the parts of an instruction). Plain structs: a cycle model works on the registers,
// the SIMT stack and the memory of the launch itself. A caller of machine.h alone needs none of it.
#ifndef NEARBANK_MODEL_H
#define NEARBANK_MODEL_H

#include "lanes.h"
#include "machine.h"

enum { STACK_DEPTH = 2 * ISA_LANES + 4, BARRIERS = 16 };

// A decoded instruction. Constants come last: most instructions do not touch them.
typedef struct decoded {
  isa_inst i;
  lanes_fn fn;               // register computation, or NULL
  lanes_cmp_fn cmp;          // setp
  int32_t reg[4];            // first register of d, a, b, c; -1: none, or reads as zero
  const uint32_t *fixed[4];  // the constant's lanes, or zeros; NULL: a register
  uint8_t words[4];
  uint8_t where;  // WHERE_*
  bool data_far;  // an access whose data are on the base die on any machine with these dies
  bool mem;
  struct {
    uint8_t word;
    uint64_t mask;
  } near[4];  // near-valid bits of d, a, b, c
  struct {
    isa_reg reg;
    uint8_t words, pred, pred2;
  } retired;                         // what the retire record says
  uint32_t constant[2 * ISA_LANES];  // the immediate as lanes
} decoded;

enum { WHERE_FAR, WHERE_NEAR, WHERE_SOURCES };  // of the location rules

typedef struct code {  // a decoded kernel
  const module_kernel *kernel;
  decoded *insts;  // and a trap behind the last one
  uint32_t regs;
} code;

typedef struct stack_entry {
  uint32_t pc, rpc, mask;
} stack_entry;

typedef struct warp {
  warp_state state;
  uint32_t index;  // in the block
  uint32_t alive;  // lanes that have not ended
  uint32_t depth;
  stack_entry stack[STACK_DEPTH];
  uint32_t preds[16];  // a bit a lane; 15 is always all ones
  uint64_t near[4];    // registers with a valid near copy
  uint32_t barrier;    // waits there
  uint32_t performed;  // lanes of the next access that its step leaves out: a cycle model does them
  uint32_t *regs;      // [reg][lane]
  const uint32_t (*tid)[ISA_LANES];  // of the launch
} warp;

typedef struct barrier {
  uint32_t arrived;   // threads
  uint32_t expected;  // threads, 0: all that are alive
  uint32_t came;      // warps that have arrived, a bit each
  uint32_t waiting;   // those of them that wait
  uint32_t count;     // reduction: threads with a true predicate, and all threads
  uint32_t voters;
} barrier;

typedef struct block {
  uint32_t index;
  uint32_t id[3];
  uint32_t core, subcore;  // where it runs; subcore: its warp 0, of a cycle model
  uint32_t live_warps;
  warp *warps;
  uint8_t *shared, *local;
  uint32_t *regs;
  barrier barriers[BARRIERS];
  uint32_t under_way;  // of a cycle model: instructions that have not ended
  bool over;           // and its warps have
  struct block *next;  // in the pool
} block;

struct launch {
  machine *m;
  module *mod;
  const module_kernel *kernel;
  code code;
  launch_shape shape;
  uint8_t *params;
  uint32_t blocks, warps, threads;
  uint32_t shared_bytes;
  uint64_t number;
  uint32_t (*tids)[3][ISA_LANES];  // thread indices, by warp
  block **all;                     // by block index: NULL before the start, &ended after the end
  block *pool;                     // ended blocks, to use again
  block ended;
  uint32_t done;
  launch_stats stats;
  bool clocked;  // %clock is `clock`, of a cycle model, not the number of instructions
  uint64_t clock;
  bool failed;
  machine_error error;
  uint32_t failed_block, failed_warp;  // warp: in the block
  retire_record record;                // of the instruction being executed
  launch *whole;                       // of a part: what it is one of
};

// ---- the machine
uint8_t *machine_memory(const machine *m);        // device address 0
uint64_t machine_memory_bytes(const machine *m);  // how large it is
// Allocations in the order of their addresses; false: there is no such one.
typedef struct allocation {
  uint64_t base, bytes;
  uint64_t room;    // bytes up to which no other begins
  uint32_t owners;  // machine_set_owner
  bool mapped;      // machine_map
} allocation;
bool machine_allocation(const machine *m, size_t n, allocation *a);
const module *machine_module(const machine *m, unsigned n);  // NULL: there is no such one
// Whether the current owner is one of these.
bool machine_owns(const machine *m, uint32_t owners);
// A machine with the same memory and modules as they are now, for one launch beside it. Its modules
// stay those of `m`.
machine *machine_shadow(const machine *m);
void machine_shadow_free(machine *shadow);
// Sets the message of the last error, and returns it.
machine_error machine_fail(machine *m, machine_error e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// ---- a launch
// A launch for one core of several, which may run on threads of their own: its blocks are its own,
// and what it counts, remembers and says. Code, memory, parameters and `all` are those of `l`.
// NULL: no memory. launch_join adds what it counted to `l`, passes an error on, and frees it.
launch *launch_split(launch *l);
void launch_join(launch *l, launch *part);
void launch_end_block(launch *l, block *b);  // its memory is free for the next one
size_t trace_place(const launch *l, uint32_t pc, char *to, size_t bytes);  // "kernel k, pc ..."
// Ends the launch: `lane` of warp w did `what` at `pc`.
void trace_fault(launch *l, block *b, warp *w, uint32_t pc, unsigned lane, machine_error e,
                 const char *what);
machine_error trace_deadlock(launch *l, const block *b);

// ---- a warp
static inline stack_entry *warp_top(warp *w) {
  return &w->stack[w->depth - 1];
}
void simt_settle(warp *w);  // pops what has reached its end
void simt_branch(warp *w, uint32_t taken, uint32_t target, uint32_t reconv);
void barrier_arrive(launch *l, block *b, warp *w, const decoded *d, uint32_t lanes);
// Executes the instruction at the warp's pc. Returns the warp's state afterwards. launch_step does
// it too, and says what it was to all who want to know.
warp_state exec_step(launch *l, block *b, warp *w);

#endif

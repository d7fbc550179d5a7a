// SPDX-License-Identifier: Apache-2.0
// MIR: the compiler's program between PTX and the object file. Machine instructions of the ISA over
// virtual registers, in basic blocks.
//
// The flow (mpucc.c): PTX -> ptx_parse -> ptx_inline -> lower -> simplify -> reconverge ->
// (near predicates) -> locate -> (reorder) -> allocate -> elf_write. Each MIR pass takes a module
// of the stage before it and leaves one of its own stage, and so does a pass that is not asked for;
// mir_print writes any stage as text, mir_read reads it back, so that a run can start from any
// dump. A pass states below what it requires and what it leaves.
#ifndef NEARBANK_MIR_H
#define NEARBANK_MIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "csim/isa/isa.h"
#include "diag.h"

typedef enum mir_stage {
  MIR_LOWERED,      // by lower
  MIR_SIMPLIFIED,   // by simplify
  MIR_RECONVERGED,  // by reconverge
  MIR_MASKED,       // by near predicates
  MIR_LOCATED,      // by locate
  MIR_REORDERED,    // by reorder
  MIR_ALLOCATED,    // by allocate: no virtual register is left
} mir_stage;

// Location annotation, the table L of Algorithm 1.
typedef enum mir_loc { MIR_LOC_U, MIR_LOC_N, MIR_LOC_F, MIR_LOC_B } mir_loc;

// Which register files a virtual register needs a place in (a bit set).
enum { MIR_FILE_NEAR = 1, MIR_FILE_FAR = 2 };

typedef struct mir_vreg {
  char *name;     // PTX name for listings, may be NULL; owned
  uint8_t words;  // 1, 2 or 4
  uint8_t loc;    // mir_loc, from locate
  uint8_t files;  // MIR_FILE_*, from locate: L widened by where instructions really execute
  bool temp;      // made by spilling: never spilled again
  bool mask;      // a predicate near the banks
  isa_reg phys;   // from allocate, ISA_RZ before
} mir_vreg;

typedef struct mir_place {  // where an instruction comes from
  uint32_t ptx_line;
  uint32_t cuda_file;  // index into mir_module.files, 0: none
  uint32_t cuda_line;
} mir_place;

// Why --locate=cost has put an instruction where it is. Not part of dumps.
typedef enum mir_why_kind {
  MIR_WHY_NONE,  // another policy
  MIR_WHY_ONLY,  // there is no choice
  MIR_WHY_COST,  // the least cost
  MIR_WHY_KEPT,  // as paper has it: another place is not worth it
} mir_why_kind;
typedef struct mir_why {
  uint8_t kind;
  uint8_t crossing;    // operands that would cross if it were on the other side: bit 0 d, 1 a, ...
  double here, there;  // flits an execution, if only this instruction is moved
} mir_why;

// STACK: i.imm is where the stack begins, behind all other local memory of a thread.
// POINTER: no relocation, but a note on the trap of a call through a pointer that means no
// function.
enum { MIR_RELOC_NONE, MIR_RELOC_LO32, MIR_RELOC_HI32, MIR_RELOC_STACK, MIR_RELOC_POINTER };

// One instruction. Branches: i.imm is the target's block index, i.reconv that of the block where
// lanes meet (from reconverge), MIR_NO_BLOCK if they only meet at the exit. Before reconverge
// i.reconv marks calls and returns: a call comes back at this block, and a return has its target
// there (mir_is_call, mir_is_return).
#define MIR_NO_BLOCK ISA_NO_RECONV
typedef struct mir_inst {
  isa_inst i;
  mir_place at;
  uint8_t loc;    // mir_loc of the instruction, from locate
  uint8_t reloc;  // MIR_RELOC_*: i.imm comes from the address of a device variable
  uint32_t var;   // index into mir_module.vars
  int64_t addend;
  mir_why why;  // from locate
} mir_inst;

// Blocks stand in layout order. A block's last instruction may be a branch or an exit; when it can
// fall through (no terminator, or a guarded one) it goes on with the next block. Branches, exits
// and traps that are unguarded end a block; guarded branches end a block too. A guarded exit may
// stand inside a block.
typedef struct mir_block {
  char *label;     // owned, unique in the kernel
  char *function;  // owned: of the function whose body begins here, NULL: as before
  mir_inst *insts;
  uint32_t count, capacity;
} mir_block;

typedef struct mir_param {
  char *name;
  uint32_t offset, bytes, align;
} mir_param;

typedef struct mir_kernel {
  char *name;
  mir_param *params;
  uint32_t param_count, param_bytes;
  mir_vreg *vregs;  // index = id of ISA_VREG
  uint32_t vreg_count, vreg_capacity;
  uint32_t pred_count;  // virtual predicates ISA_VREG(0 .. pred_count - 1); none after allocate
  mir_block *blocks;    // blocks[0] is the entry
  uint32_t block_count, block_capacity;
  uint32_t shared_bytes, local_bytes, max_threads, reqntid[3];
  bool dynamic_shared;
  bool stack;  // as a MIR_RELOC_STACK says, of code that is final
  isa_dies dies;
  uint8_t skew;  // of near shared memory (skew.h)
  bool forms;    // of the machine: packets of near instructions are known by heart
  uint16_t regs_both, regs_near, regs_far, preds;  // from allocate
} mir_kernel;

typedef struct mir_init_reloc {  // .data at `offset` holds the address of vars[var] + addend
  uint64_t offset;
  uint32_t var;
  int64_t addend;
} mir_init_reloc;

typedef struct mir_var {  // device variable: global or constant
  char *name;
  bool is_const;
  uint32_t align;
  uint64_t bytes;
  uint64_t offset;  // constants: offset in the constant bank, fixed by lower
  uint8_t *init;    // `bytes` long, or NULL: zero
  mir_init_reloc *relocs;
  uint32_t reloc_count;
} mir_var;

typedef struct mir_module {
  mir_stage stage;
  mir_kernel *kernels;
  uint32_t kernel_count, kernel_capacity;
  mir_var *vars;
  uint32_t var_count, var_capacity;
  char **files;  // files[0] is ""
  uint32_t file_count;
} mir_module;

// ---- building (mir.c). Out of memory aborts with a message: this is a compiler.
mir_module *mir_module_new(void);
void mir_module_free(mir_module *m);
mir_kernel *mir_kernel_add(mir_module *m, const char *name);
// A copy to try things on. Names and labels stay the original's.
mir_kernel mir_kernel_copy(const mir_kernel *k);
void mir_kernel_free_copy(mir_kernel *k);
mir_var *mir_var_add(mir_module *m, const char *name);
uint32_t mir_file(mir_module *m, const char *name);  // index, added when new
isa_reg mir_vreg_new(mir_kernel *k, unsigned words, const char *name);
isa_reg mir_pred_new(mir_kernel *k);
uint32_t mir_block_add(mir_kernel *k, const char *label);  // index; label NULL: made up
void mir_block_function(mir_kernel *k, uint32_t block, const char *name);  // NULL: no matter
mir_inst *mir_append(mir_kernel *k, uint32_t block, isa_inst i, mir_place at);
// Makes room for one instruction before position `pos` of a block and returns it.
mir_inst *mir_insert(mir_block *b, uint32_t pos, isa_inst i, mir_place at);

// ---- questions about one instruction (mir.c)
// Register operands: fills out[] (at most 4 of each) and returns how many. A register appears with
// its part as written; rz and predicates do not appear. A partial or guarded write leaves the rest
// of the register as it was: then the register is also a use of liveness (mir_writes_whole false).
unsigned mir_uses(const mir_inst *i, isa_reg out[4]);
isa_reg mir_def(const mir_inst *i);  // ISA_RZ: none
bool mir_writes_whole(const mir_kernel *k, const mir_inst *i);
// Predicates read (guard, sources; at most 3) and written (at most 2); pt does not appear.
unsigned mir_pred_uses(const mir_inst *i, isa_reg out[3]);
unsigned mir_pred_defs(const mir_inst *i, isa_reg out[2]);
unsigned mir_reg_words(const mir_kernel *k, isa_reg r);  // of a virtual register or a part
bool mir_is_call(const isa_inst *i);                     // before reconverge, as the next
bool mir_is_return(const isa_inst *i);
bool mir_is_memory(const isa_inst *i);        // an access of memory
bool mir_has_data(const isa_inst *i);         // of other memory than parameters and constants
bool mir_has_side_effect(const mir_inst *i);  // stores, atomics, barriers, control, volatile loads
// Successors of a block: at most 2, returns how many.
unsigned mir_succs(const mir_kernel *k, uint32_t block, uint32_t out[2]);
// Internal consistency (asserts): operand sizes match, branches to existing blocks, isa_check.
void mir_verify(const mir_module *m);

// ---- text (mir_text.c)
void mir_print(const mir_module *m, FILE *f);
// NULL after reporting to `d` what is wrong and where.
mir_module *mir_read(const char *text, size_t bytes, const char *filename, diag *d);

// ---- passes
struct ptx_module;
// Requires a parsed and inlined PTX module. NULL after reporting unsupported opcodes with place.
mir_module *mir_lower(struct ptx_module *p, diag *d);
// Copy propagation, constant folding into immediates, narrowing of 64-bit values of which only the
// low word matters, dead code, unreachable blocks, branches to the next block.
void mir_simplify(mir_module *m);
// Sets i.reconv of every branch to the immediate post-dominator of its block. First, where lanes
// of a branch would come to functions of warps one part after the other, gathers them.
void mir_reconverge(mir_module *m);
void mir_gather(mir_kernel *k);

// How often a program's blocks were executed in a run. What is here belongs to the caller.
typedef struct mir_profile_kernel {
  const char *name;
  uint64_t shape;  // mir_shape
  uint32_t blocks;
  struct mir_ran {
    uint64_t count;
    bool partial;  // not always by all lanes
  } * ran;         // of each block
} mir_profile_kernel;
typedef struct mir_profile {
  const char *file;  // for messages
  mir_profile_kernel *kernels;
  uint32_t count;
} mir_profile;
// Of its blocks and how they follow one another: two kernels with different blocks have different
// shapes. Passes from locate on do not change it.
uint64_t mir_shape(const mir_kernel *k);
// False after reporting to `d` that it is of another program, or of another version of this one.
bool mir_profile_fits(const mir_profile *p, const mir_module *m, diag *d);

typedef enum mir_policy {
  MIR_LOCATE_PAPER,
  MIR_LOCATE_NEAR,
  MIR_LOCATE_FAR,
  MIR_LOCATE_NONE,
  MIR_LOCATE_COST,
  MIR_POLICIES
} mir_policy;
extern const char *const mir_policy_names[MIR_POLICIES];  // of --locate
// Sets loc of registers and instructions, hints, and the files each register needs a place in.
// `profile` is for MIR_LOCATE_COST, and may be NULL.
void mir_locate(mir_module *m, mir_policy policy, const mir_profile *profile);
// Returns the cost of MIR_LOCATE_COST, hundredths of a flit.
int64_t mir_locate_kernel(mir_kernel *k, mir_policy policy, const mir_profile *profile);
// Comparisons whose operands will be near write masks to registers instead of predicates, and
// selections take these. Requires `dies` and meeting blocks; locations do not matter yet. Adds
// registers.
void mir_near_predicates(mir_module *m, mir_policy policy, const mir_profile *profile);
void mir_near_predicates_kernel(mir_kernel *k, mir_policy policy, const mir_profile *profile);
// Of kernels for both-shared: near shared memory, or with MIR_LOCATE_COST that of the base die
// where it costs less. `masks`: with near predicates.
void mir_choose_dies(mir_module *m, mir_policy policy, const mir_profile *profile, bool masks);

// By how many banks each row of near shared memory is turned: as often as the lanes of the kernel's
// accesses then meet in fewer banks. Requires `dies` and meeting blocks.
void mir_choose_skew(mir_module *m, const mir_profile *profile);

// Puts the instructions of each block in an order in which they wait less for each other. Requires
// locations and files, and leaves them as they are. With `max_regs`, as of mir_allocate, a kernel
// that fits without spilling still does. One that does not keeps its order.
void mir_reorder(mir_module *m, uint32_t max_regs);

// Chaitin-Briggs with near and far files as classes; coalesces; spills to local memory. `max_regs`
// bounds the registers of a thread on either side (both + near, both + far); 0: 254. So does the
// room for a block of a kernel that says how large its blocks are.
// False after reporting to `d` a kernel that cannot fit (max_regs below what one instruction
// needs).
bool mir_allocate(mir_module *m, uint32_t max_regs, bool spread, diag *d);
// The registers of a thread on a side, 0 near, 1 far, with which a block finds room in a core;
// UINT32_MAX of a kernel that does not say how many threads its blocks have.
uint32_t mir_room(const mir_kernel *k, unsigned side);
// How many registers of each file, near and far, it would give a kernel. False: it would spill.
bool mir_registers(const mir_kernel *k, uint32_t max_regs, uint32_t registers[2]);

// Writes the listing of -S: every instruction with location letters on it and on each register,
// PTX and CUDA lines, and a kernel's totals of registers by location (N, F, B) and of instructions.
// `located` is the module after locate (virtual names, as Fig. 7) or after allocate.
void mir_listing(const mir_module *located, FILE *f);
// The totals of --counts, as JSON.
void mir_counts(const mir_module *located, FILE *f);

#endif

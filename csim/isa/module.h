// SPDX-License-Identifier: Apache-2.0
// A loaded MPU object: the ELF of mpu_elf.h checked, decoded and ready to be bound to a machine.
// Safe on any bytes: a module that loads has only legal instructions, branch targets inside their
// kernel, register numbers inside the kernel's counts, and tables inside their sections.
#ifndef NEARBANK_MODULE_H
#define NEARBANK_MODULE_H

#include <stddef.h>
#include <stdint.h>
#include "affine.h"
#include "isa.h"

typedef struct module_param {
  const char *name;
  uint32_t offset, bytes, align;
} module_param;

typedef struct module_line {
  uint32_t pc, ptx_line;
  const char *cuda_file;  // "" when unknown
  uint32_t cuda_line;
  uint32_t block;  // basic block of the compiler
} module_line;

typedef struct module_note {
  uint32_t pc, kind;  // MPU_NOTE_*
  const char *name;
} module_note;

typedef struct module_kernel {
  const char *name;
  isa_inst *insts;  // insts[pc / ISA_BYTES]
  uint32_t inst_count;
  const module_param *params;
  uint32_t param_count, param_bytes;
  uint32_t shared_bytes, max_threads, reqntid[3];
  uint32_t local_bytes;  // of a thread, with its stack
  uint32_t stack_at;     // where that begins; local_bytes without one
  uint16_t regs_both, regs_near, regs_far, preds;
  uint32_t flags;
  uint64_t shape;            // of these blocks
  const module_line *lines;  // sorted by pc
  uint32_t line_count;
  const module_note *notes;  // sorted by pc
  uint32_t note_count;
  affine_kernel addresses;  // empty: the object says nothing of them
} module_kernel;

typedef struct module_symbol {
  const char *name;
  uint64_t offset;  // in the global segment, or in the constant bank
  uint64_t bytes;
  bool is_const;
} module_symbol;

typedef struct module {
  module_kernel *kernels;
  uint32_t kernel_count;
  module_symbol *symbols;  // device variables
  uint32_t symbol_count;
  uint8_t *data;                   // image of .data after the last module_bind
  uint64_t data_bytes, bss_bytes;  // .bss follows .data, 256-byte aligned
  uint64_t segment_bytes;          // of both together
  uint8_t *constants;
  uint64_t constant_bytes;
  void *priv;
} module;

// Copies what it needs from `image`. NULL on failure, with one line in `why` (at least 1 byte).
module *module_load(const void *image, size_t bytes, char *why, size_t why_bytes);
void module_free(module *m);
// Kernels that have a stack get one of so many bytes a thread, at most MODULE_STACK_MOST; when
// loaded, one of MODULE_STACK.
enum { MODULE_STACK = 1024, MODULE_STACK_MOST = 256 << 10 };
void module_set_stack(module *m, uint32_t bytes);
isa_dies module_dies(const module_kernel *k);  // that it is compiled for
uint32_t module_skew(const module_kernel *k);  // of near shared memory (skew.h); 0: none

// Applies the relocations for a global segment at `base`: patches insts and data. May be repeated.
void module_bind(module *m, uint64_t base);

const module_kernel *module_find_kernel(const module *m, const char *name);
const module_symbol *module_find_symbol(const module *m, const char *name);

// The line entry of a pc, NULL when there is none.
const module_line *module_line_at(const module_kernel *k, uint32_t pc);
// Where the line of a pc is in another file than the kernel's end, as in a header whose function
// was inlined: the entry before it that is in the file of the kernel. NULL: it is not so, or there
// is none.
const module_line *module_line_near(const module_kernel *k, uint32_t pc);

// The name of the function of a pc, "" where that is the kernel itself.
const char *module_function_at(const module_kernel *k, uint32_t pc);
// Whether the trap at pc is that of a call through a pointer.
bool module_is_pointer_trap(const module_kernel *k, uint32_t pc);

#endif

// SPDX-License-Identifier: Apache-2.0
// The MPU object file: what is in the ELF that mpucc writes and the loader reads.
//
// ELF64, little endian, ET_REL, e_machine MPU_ELF_MACHINE. Sections:
//   .text.<kernel>        instructions of one kernel, 16 bytes each; symbol <kernel>, STT_FUNC
//   .rela.text.<kernel>   relocations against .data and .bss symbols (R_MPU_LO32, R_MPU_HI32)
//   .data .bss            device variables, initialised and zero; symbols STT_OBJECT with sizes
//   .rela.data            R_MPU_64
//   .mpu.const            image of the constant bank; symbols STT_OBJECT, value = bank offset
//   .mpu.kernels          mpu_elf_kernel, one a kernel
//   .mpu.params           mpu_elf_param, all kernels
//   .mpu.lines            mpu_elf_line, sorted by kernel and pc: the place of pc up to the next
//   entry
//   .mpu.notes            mpu_elf_note, sorted by kernel and pc; may be absent
//   .mpu.affine           addresses of global accesses as sums (affine.h), may be absent
//   .mpu.strings          NUL-terminated strings; offset 0 is the empty string
// Addresses of shared, local and constant variables are final; global ones move with the segment
// that the loader allocates for .data (first) and .bss.
#ifndef NEARBANK_MPU_ELF_H
#define NEARBANK_MPU_ELF_H

#include <stdint.h>

enum { MPU_ELF_MACHINE = 0x4e42, MPU_ELF_VERSION = 2 };  // e_machine "BN", e_flags = version
enum { MPU_ELF_PARAM_MOST = 32764 };                     // bytes of the parameters of a kernel
enum { R_MPU_NONE = 0, R_MPU_LO32 = 1, R_MPU_HI32 = 2, R_MPU_64 = 3 };
// R_MPU_LO32 and HI32: r_offset is the instruction's; its immediate becomes that half of S + A.
// A binds to the 64-bit generic address, so constant-bank symbols count from ISA_WINDOW_CONST.

// flags: dynamic shared memory; the machine's dies (isa_dies) from bit 1 on; a stack behind
// local_bytes of a thread, as large as the loader is told; the skew of shared memory (skew.h) from
// bit 9 on
enum {
  MPU_KERNEL_DYNAMIC_SHARED = 1,
  MPU_KERNEL_DIES = 1,
  MPU_KERNEL_STACK = 256,
  MPU_KERNEL_SKEW = 9
};

typedef struct mpu_elf_kernel {
  uint32_t name;                 // .mpu.strings
  uint32_t text;                 // section index of .text.<kernel>
  uint32_t first_param, params;  // .mpu.params
  uint32_t param_bytes;
  uint32_t shared_bytes;  // static; dynamic shared memory follows it, 16-byte aligned
  uint32_t local_bytes;   // a thread, a multiple of 16: variables and spills
  uint32_t max_threads;   // .maxntid product, 0: none given
  uint32_t reqntid[3];    // .reqntid, 0: none given
  uint16_t regs_both;     // r0 ... are on both sides
  uint16_t regs_near;     // then near only
  uint16_t regs_far;      // then far only
  uint16_t preds;         // p0 ...
  uint32_t flags;         // MPU_KERNEL_*
  uint32_t shape[2];      // of its basic blocks, the low half first: what a profile knows it by
} mpu_elf_kernel;

typedef struct mpu_elf_param {
  uint32_t name;  // .mpu.strings
  uint32_t offset, bytes, align;
} mpu_elf_param;

typedef struct mpu_elf_line {
  uint32_t kernel;  // index into .mpu.kernels
  uint32_t pc;
  uint32_t ptx_line;   // 0: none
  uint32_t cuda_file;  // .mpu.strings, 0: none
  uint32_t cuda_line;  // 0: none
  uint32_t block;      // basic block of the compiler
} mpu_elf_line;

// FUNCTION: the body of a function begins at pc, and goes on up to the next such note. POINTER: the
// trap at pc is that of a call through a pointer that means no function of its type.
enum { MPU_NOTE_FUNCTION, MPU_NOTE_POINTER, MPU_NOTES };

typedef struct mpu_elf_note {
  uint32_t kernel;  // index into .mpu.kernels
  uint32_t pc, kind;
  uint32_t name;  // .mpu.strings, of FUNCTION
} mpu_elf_note;

#endif

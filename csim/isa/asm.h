// SPDX-License-Identifier: Apache-2.0
// Text of one instruction, both ways; docs/isa.md describes it. The assembler, the disassembler,
// the compiler's dumps and listings and the machine's messages all use it.
//
//   @!p3 fma.rn.ftz.f32.N r5, r2, r3, 0f3f800000
//   ld.global.b32 r1, [rd4+16]        setp.lt.and.s32 p1|p2, r1, 7, !p3      bra 0x40, 0x80
//
// Registers: r4, pairs rd4, fours rq4, rz; p3, pt. Virtual: %v12, its words %v12.w0 to .w3, its
// pairs %v12.p0 and .p1; predicates %p7. The suffix .N or .F is the location hint.
#ifndef NEARBANK_ASM_H
#define NEARBANK_ASM_H

#include <stdbool.h>
#include <stddef.h>
#include "isa.h"

// How branch targets are written. With NULL, or where a function is NULL or fails, as numbers.
typedef struct asm_labels {
  const char *(*name)(void *context, uint32_t target);  // NULL: it has none
  bool (*find)(void *context, const char *name, size_t length, uint32_t *target);
  void *context;
} asm_labels;

enum { ASM_TEXT = 160 };  // bytes that hold any instruction without labels

// As snprintf: writes at most `bytes`, returns the length of the whole text.
size_t asm_print(const isa_inst *i, const asm_labels *labels, char *to, size_t bytes);

// Parses exactly one instruction. On failure *at is the offset of the trouble, and `why` (at least
// 1 byte) says what it is. What parses passes isa_check.
bool asm_parse(const char *text, size_t length, const asm_labels *labels, isa_inst *out, size_t *at,
               char *why, size_t why_bytes);

#endif

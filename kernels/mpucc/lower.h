// SPDX-License-Identifier: Apache-2.0
// Inside of the lowering: what its files share. One `lower` is the lowering of one module.
//
// Conventions of values: a 16- or 8-bit PTX value lives in a 32-bit register whose upper bits are
// undefined; who cares for them extends first (lower_extend).
#ifndef NEARBANK_LOWER_H
#define NEARBANK_LOWER_H

#include "mir.h"
#include "ptx.h"

enum { LOWER_TYPES = 4 };

// Modifiers of a statement, sorted.
typedef struct lower_mods {
  ptx_type types[LOWER_TYPES];
  unsigned type_count;
  uint8_t rnd;     // ISA_RND_*
  uint8_t boolop;  // ISA_BOOL_*
  uint8_t order, scope;
  bool ftz, sat, has_space;
  ptx_space space;
  unsigned vec;  // 1, 2, 4, 8
} lower_mods;

// A source: a register or a constant that fits the immediate of an instruction.
typedef struct lower_value {
  bool is_imm;
  bool high;  // an f64 constant: imm is its high word, the low one is zero
  uint32_t imm;
  isa_reg reg;
} lower_value;

typedef struct lower {
  mir_module *m;
  ptx_module *p;
  diag *d;
  ptx_function *f;
  mir_kernel *k;
  uint32_t block;    // where instructions go
  isa_reg *regs;     // PTX register -> virtual register or predicate
  uint32_t *labels;  // PTX label -> block
  ptx_stmt *s;       // the statement being lowered
  lower_mods mods;
  mir_place at;
  isa_reg guard;
  bool guard_neg;
  bool failed;    // of this statement
  isa_reg carry;  // of the kernel; ISA_RZ: it has none
} lower;

// Reports an error at operand `o` (or at the opcode, o == UINT32_MAX) and marks the statement.
void lower_error(lower *l, uint32_t o, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

bool lower_mod(const lower *l, const char *name);  // the statement has the modifier

unsigned lower_words(ptx_type t);
char lower_kind(ptx_type t);         // U S F B P
uint8_t lower_isa_type(ptx_type t);  // the same type in the ISA; b8 is u8, b16 u16

mir_inst *lower_emit(lower *l, isa_inst i);  // with the statement's guard
isa_reg lower_temp(lower *l, unsigned words);
isa_reg lower_part(isa_reg r, unsigned word);  // word of a 64-bit register (rz stays)
isa_reg lower_pair(isa_reg r, unsigned pair);

// Operand `o` as a destination of `words` words; a sink becomes a fresh register.
isa_reg lower_dst(lower *l, uint32_t o, unsigned words);
isa_reg lower_dst_pred(lower *l, uint32_t o);
isa_reg lower_src_pred(lower *l, uint32_t o, bool *negated);
// Operand `o` as a source of PTX type `t`.
lower_value lower_src(lower *l, uint32_t o, ptx_type t);
isa_reg lower_src_reg(lower *l, uint32_t o, ptx_type t);
lower_value lower_item(lower *l, const ptx_operand *op, ptx_type t);
isa_reg lower_reg(lower *l, lower_value v, unsigned words);  // constants into a register
lower_value lower_imm(uint32_t imm);
lower_value lower_of(isa_reg r);
// Sub-word values extended to 32 bits by `t`; others as they are.
lower_value lower_extend(lower *l, lower_value v, ptx_type t);
void lower_mov(lower *l, isa_reg d, lower_value v, unsigned words);

// Sets the operands of *i and emits it; of several constants all but one go to registers.
mir_inst *lower_emit3(lower *l, isa_inst i, isa_reg d, lower_value a, lower_value b, lower_value c);
extern const lower_value lower_none;

// The families. True when the statement's opcode belongs to the family.
bool lower_alu(lower *l);
bool lower_carry(lower *l);
bool lower_convert(lower *l);
bool lower_memory(lower *l);
bool lower_control(lower *l);

// Offset of a shared, local, constant or parameter variable in its space.
bool lower_is_plain(const ptx_var *v);  // its address is a number, not a relocation
// A 64-bit register with the address of a global variable + addend.
isa_reg lower_global_address(lower *l, const ptx_var *v, int64_t addend);

#endif

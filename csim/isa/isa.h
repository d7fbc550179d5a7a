// SPDX-License-Identifier: Apache-2.0
// The instruction set: what isa.def says, for C.
//
// An `isa_inst` is one instruction, in the compiler (virtual registers), in the assembler and after
// decoding (physical registers). `isa_encode` makes the 128-bit word of a legal instruction with
// physical registers; `isa_decode` takes any 128 bits and says whether they are one.
//
// Registers: r0 to r254 are 32 bits wide, rz (255) reads zero and swallows writes. 64-bit values
// take an even-numbered pair, 128-bit ones four registers from a multiple of four; the first holds
// the low word. A register file location is not part of its number: the kernel's counts say which
// numbers exist on both sides, near only, far only (docs/isa.md, "Register files").
// Predicates: p0 to p14, pt (15) is always true and swallows writes. They live on the far side.
#ifndef NEARBANK_ISA_H
#define NEARBANK_ISA_H

#include <stdbool.h>
#include <stdint.h>

enum {
#define ISA_TYPE(n, N, ...) ISA_TYPE_##N = n,
#include "isa.def"
  ISA_TYPES = 18
};
enum {
#define ISA_LAT(n, N, ...) ISA_LAT_##N = n,
#include "isa.def"
  ISA_LATS = 9
};
enum {
#define ISA_SPACE(n, N, ...) ISA_SPACE_##N = n,
#include "isa.def"
  ISA_SPACES = 6
};
enum {
#define ISA_RND(n, N, ...) ISA_RND_##N = n,
#include "isa.def"
  ISA_RNDS = 11
};
enum {
#define ISA_CMP(n, N, ...) ISA_CMP_##N = n,
#include "isa.def"
  ISA_CMPS = 14
};
enum {
#define ISA_ATOM(n, N, ...) ISA_ATOM_##N = n,
#include "isa.def"
  ISA_ATOMS = 10
};
enum {
#define ISA_SREG(n, N, ...) ISA_SREG_##N = n,
#include "isa.def"
  ISA_SREGS = 27
};
enum {
#define ISA_OP(n, N, ...) ISA_OP_##N = n,
#include "isa.def"
  ISA_OPS = 128  // opcode numbers are below this; not all are taken
};
enum {
#define ISA_SUB(OP, n, N, ...) ISA_##OP##_##N = n,
#include "isa.def"
};

// Which fields an opcode uses, and what it is.
enum {
  ISA_F_IMM = 1 << 0,      // one of a, b, c may be the immediate (imm_at)
  ISA_F_RND = 1 << 1,      // fn is a rounding
  ISA_F_CMP = 1 << 2,      // fn is a comparison
  ISA_F_SUB = 1 << 3,      // fn is a sub-operation (ISA_SUB, ISA_ATOM or ISA_SREG)
  ISA_F_FTZ = 1 << 4,      // .ftz: subnormal inputs and results become zeros of their sign (f32)
  ISA_F_SAT = 1 << 5,      // .sat
  ISA_F_BOOL = 1 << 6,     // boolop combines with ps (setp) or ps with pq (plop)
  ISA_F_PD = 1 << 7,       // writes predicate pd
  ISA_F_PQ = 1 << 8,       // writes a second predicate pq
  ISA_F_PS = 1 << 9,       // reads predicate ps
  ISA_F_PS2 = 1 << 10,     // reads predicate pq (plop)
  ISA_F_SPACE = 1 << 11,   // names a state space
  ISA_F_ORDER = 1 << 12,   // memory order and scope
  ISA_F_OFFSET = 1 << 13,  // imm is added to the address in a
  ISA_F_TARGET = 1 << 14,  // imm is a branch target, reconv the reconvergence PC
  ISA_F_LUT = 1 << 15,     // imm[7:0] is the table of lop3, and no operand
  ISA_F_MEM = 1 << 16,     // accesses memory
};

// FAR_DATA: of ld and st of global memory only, data in the far file too.
enum { ISA_HINT_NONE = 0, ISA_HINT_NEAR = 1, ISA_HINT_FAR = 2, ISA_HINT_FAR_DATA = 3, ISA_HINTS };
enum { ISA_LOC_FAR, ISA_LOC_NEAR, ISA_LOC_SMEM };
enum { ISA_BOOL_NONE = 0, ISA_BOOL_AND = 1, ISA_BOOL_OR = 2, ISA_BOOL_XOR = 3 };
enum { ISA_IMM_NONE = 0, ISA_IMM_A = 1, ISA_IMM_B = 2, ISA_IMM_C = 3 };
enum {
  ISA_ORDER_WEAK,
  ISA_ORDER_VOLATILE,
  ISA_ORDER_RELAXED,
  ISA_ORDER_ACQUIRE,
  ISA_ORDER_RELEASE,
  ISA_ORDER_ACQ_REL,
  ISA_ORDERS
};
enum { ISA_SCOPE_NONE, ISA_SCOPE_CTA, ISA_SCOPE_GPU, ISA_SCOPE_SYS, ISA_SCOPES };

// Bytes of one encoded instruction; a PC is a byte offset from the kernel's first instruction.
enum { ISA_BYTES = 16 };
enum { ISA_RZ = 255, ISA_PT = 15, ISA_LANES = 32 };

// Register numbers. Below 256: physical. With ISA_VIRTUAL: virtual register `id`, or a part of it:
// part 0 the whole, 1 to 4 its words 0 to 3, 5 and 6 its pairs 0 and 1. Predicates: no parts.
typedef uint32_t isa_reg;
#define ISA_VIRTUAL 0x80000000u
#define ISA_VREG(id) (ISA_VIRTUAL | (uint32_t)(id))
#define ISA_VREG_WORD(id, w) (ISA_VIRTUAL | ((uint32_t)(w) + 1u) << 28 | (uint32_t)(id))
#define ISA_VREG_PAIR(id, p) (ISA_VIRTUAL | ((uint32_t)(p) + 5u) << 28 | (uint32_t)(id))
#define ISA_REG_IS_VIRTUAL(r) (((r)&ISA_VIRTUAL) != 0)
#define ISA_REG_ID(r) ((r)&0x0fffffffu)
#define ISA_REG_PART(r) ((r) >> 28 & 7u)

typedef struct isa_inst {
  uint8_t op;      // ISA_OP_*
  uint8_t type;    // ISA_TYPE_*, NONE where the opcode has no type
  uint8_t type2;   // source type of conversions and of `set`, else NONE
  uint8_t hint;    // ISA_HINT_*: the compiler's location
  uint8_t imm_at;  // ISA_IMM_*: which operand is the immediate (its register field is then rz)
  uint8_t fn;      // rounding, comparison or sub-operation, by the opcode's flags
  uint8_t boolop;  // ISA_BOOL_*
  uint8_t space;   // ISA_SPACE_*
  uint8_t order;   // ISA_ORDER_*
  uint8_t scope;   // ISA_SCOPE_*
  bool ftz, sat;
  bool guard_neg;  // execute where the guard is false
  bool ps_neg, ps2_neg;
  isa_reg guard;       // predicate, ISA_PT: always
  isa_reg pd, pq;      // ISA_PT when unused
  isa_reg ps;          // ISA_PT when unused
  isa_reg d, a, b, c;  // ISA_RZ when unused
  uint32_t imm;        // immediate, address offset (signed), branch target PC, or lop3 table
  uint32_t reconv;     // branches: reconvergence PC, ISA_NO_RECONV if lanes only meet at exit
} isa_inst;

// A 32-bit immediate in a 64-bit operand is sign extended; in an f64 operand it is the high word.
#define ISA_NO_RECONV 0xffffffffu

// Operand size kinds of the table.
enum { ISA_W_NO, ISA_W_T, ISA_W_T2, ISA_W_W, ISA_W_R, ISA_W_RR, ISA_W_AD, ISA_W_M };

typedef struct isa_op_info {
  const char *name;        // mnemonic; NULL for a free opcode number
  uint8_t width[4];        // ISA_W_* of d, a, b, c
  uint8_t loc;             // ISA_LOC_*
  uint8_t lat;             // ISA_LAT_*
  uint32_t types, types2;  // legal types, a bit each; 0: the field is NONE
  uint32_t near, near2;    // near-capable types
  uint32_t flags;          // ISA_F_*
  const char *doc;
} isa_op_info;

typedef struct isa_type_info {
  const char *name;
  uint8_t bits;
  char kind;  // N P U S F B
} isa_type_info;

extern const isa_op_info isa_ops[256];
extern const isa_type_info isa_types[32];

// The instruction with every field unused; set what you need.
isa_inst isa_inst_new(unsigned op, unsigned type);

// Why an instruction is not legal, or NULL if it is: types, sub-operation, immediates, fields that
// the opcode does not have. Physical registers must be aligned and in range; virtual ones pass.
const char *isa_check(const isa_inst *i);

// `i` must be legal with physical registers. word[0] is at the lower address (little endian).
void isa_encode(const isa_inst *i, uint64_t word[2]);

// False when the bits are no legal instruction; then *i is unspecified. A decoded instruction
// encodes to the same bits.
bool isa_decode(const uint64_t word[2], isa_inst *i);

// 32-bit words of operand 0 to 3 (d, a, b, c); 0 when the opcode has no such operand.
unsigned isa_words(const isa_inst *i, unsigned operand);

// An instruction that may have FAR_DATA.
bool isa_may_have_far_data(const isa_inst *i);
// True when the opcode and its types can execute in the NBU (the first rule of location).
bool isa_near_capable(const isa_inst *i);

// Sides (ISA_NEAR, ISA_FAR bits) on which the register of operand 0 to 3 must have a place,
// wherever the location rules can put the instruction:
//   far only: far; near-capable: the hint's side, both without a hint. Memory is special: addresses
//   of global, generic and local accesses are far (the LSU needs them), those of shared ones on the
//   side of the hint; data are near (where the memory is), but local data is on the side of the
//   hint, and global data far with FAR_DATA; constants and parameters are far. So it is with the
//   dies of the machine. With shared memory on the base die accesses of it execute there, data
//   and all; with all lanes there, for comparison, everything is far.
enum { ISA_NEAR = 1, ISA_FAR = 2 };
typedef enum isa_dies {
  ISA_DIES_HYBRID,
  ISA_DIES_FAR_SHARED,
  ISA_DIES_BASE,
  ISA_DIES_BOTH_SHARED,  // of a machine: each of its kernels is one of the first two
  ISA_DIES
} isa_dies;
extern const char *const isa_dies_names[ISA_DIES];  // as options spell them
bool isa_dies_execute(isa_dies machine, isa_dies kernel);
// An instruction that executes on the base die, whatever its hint.
bool isa_far_only(const isa_inst *i, isa_dies dies);
unsigned isa_sides(const isa_inst *i, unsigned operand, isa_dies dies);

// Name of a sub-operation (also atomics and special registers), NULL when there is none.
const char *isa_sub_name(unsigned op, unsigned sub);
const char *isa_space_name(unsigned space);
const char *isa_rnd_name(unsigned rnd);
const char *isa_cmp_name(unsigned cmp);
const char *isa_order_name(unsigned order);
const char *isa_scope_name(unsigned scope);
unsigned isa_latency(unsigned lat);  // cycles of a latency class
// Latency class of an instruction on the base die: the opcode's, but wider or floating types have
// their own.
unsigned isa_latency_class(const isa_inst *i);

// Generic address windows. A generic address outside of them is a global address.
#define ISA_WINDOW_SHARED 0x10000000000ull
#define ISA_WINDOW_LOCAL 0x20000000000ull
#define ISA_WINDOW_CONST 0x30000000000ull
#define ISA_WINDOW_PARAM 0x40000000000ull
#define ISA_WINDOW_BYTES 0x1000000ull  // size of each

#endif

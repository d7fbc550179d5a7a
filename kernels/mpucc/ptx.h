// SPDX-License-Identifier: Apache-2.0
// PTX as a tree. Names are resolved while parsing: an operand says which register, variable, label
// or function it means. Everything belongs to the module's arena and lives until ptx_free.
#ifndef NEARBANK_PTX_H
#define NEARBANK_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "diag.h"

typedef enum ptx_type {
  PTX_NOTYPE,
  PTX_PRED,
  PTX_B8,
  PTX_B16,
  PTX_B32,
  PTX_B64,
  PTX_B128,
  PTX_U8,
  PTX_U16,
  PTX_U32,
  PTX_U64,
  PTX_S8,
  PTX_S16,
  PTX_S32,
  PTX_S64,
  PTX_F16,
  PTX_F16X2,
  PTX_BF16,
  PTX_BF16X2,
  PTX_F32,
  PTX_F64,
  PTX_TYPES
} ptx_type;

typedef enum ptx_space {
  PTX_GENERIC,
  PTX_GLOBAL,
  PTX_SHARED,
  PTX_LOCAL,
  PTX_CONST,
  PTX_PARAM,
  PTX_SPACES
} ptx_space;

typedef struct ptx_reg {
  const char *name;
  ptx_type type;
} ptx_reg;

struct ptx_var;
struct ptx_function;
typedef struct ptx_init {  // the address of `var` + addend stands at byte `offset`; by offset
  uint64_t offset;
  struct ptx_var *var;        // NULL: of `func`
  struct ptx_function *func;  // none is left after ptx_inline
  int64_t addend;
  bool generic;
  struct ptx_init *next;
} ptx_init;

typedef struct ptx_var {
  const char *name;
  ptx_space space;
  ptx_type type;
  uint32_t align;  // as written or natural
  uint64_t bytes;  // 0: `extern .shared x[]`
  bool is_extern, is_array;
  bool is_reference;    // to a texture or surface
  const char *linkage;  // ".visible", ".weak", ".common", ".extern" or ""
  uint8_t *init;        // bytes, or NULL
  ptx_init *relocs;
  uint32_t line, col;
  uint32_t mark;  // for the passes
} ptx_var;

typedef enum ptx_kind {
  PTX_REG,
  PTX_INT,
  PTX_FLOAT,
  PTX_VAR,
  PTX_SREG,
  PTX_ADDR,
  PTX_VEC,
  PTX_LABEL,
  PTX_FUNC,
  PTX_SINK,
  PTX_LIST,  // the parenthesised operands of a call
  PTX_NAME   // a name that means nothing here: an undeclared function or a prototype of a call
} ptx_kind;

typedef struct ptx_operand {
  ptx_kind kind;
  bool negated;  // !p, or -reg where PTX allows it
  uint32_t line, col;
  uint32_t reg;  // REG; ADDR: base register when `var` is NULL and has_reg
  bool has_reg;
  int64_t value;        // INT; ADDR and VAR: offset; LABEL: label index
  uint64_t bits;        // FLOAT: its bits, `width` of them
  uint32_t width;       // FLOAT: 32, 64; 0 for a decimal constant (then bits are those of a double)
  struct ptx_var *var;  // VAR, ADDR
  struct ptx_function *func;  // FUNC
  const char *name;           // SREG without %, NAME
  struct ptx_operand *items;  // VEC, LIST
  uint32_t count;
} ptx_operand;

enum { PTX_MODS = 12, PTX_OPERANDS = 8 };

typedef struct ptx_stmt {
  bool is_label;
  uint32_t label;        // labels: index into function->labels
  const char *function;  // labels: of the function whose body begins here in a kernel, or NULL
  const char *op;        // "ld"
  const char *mods[PTX_MODS];  // "global", "v2", "f32": without dots
  uint32_t mod_count;
  bool guarded, guard_neg;
  uint32_t guard;  // register
  ptx_operand operands[PTX_OPERANDS];
  uint32_t operand_count;
  uint32_t pair;       // register of q in p|q of operand 0, UINT32_MAX: none, sink counts as none
  uint32_t line, col;  // of the opcode
  uint32_t cuda_file, cuda_line;  // from .loc; file number, 0: none
} ptx_stmt;

typedef struct ptx_targets {  // .branchtargets
  const char *name;           // once in its function; `brx` names it by a PTX_NAME operand
  uint32_t *labels;
  uint32_t count;
} ptx_targets;

typedef struct ptx_prototype {  // .callprototype
  const char *name;             // once in its function
  const char *text;             // what stands behind the directive
} ptx_prototype;

typedef struct ptx_function {
  const char *name;
  bool is_entry, has_body;
  const char *linkage;
  ptx_var **params, **rets;
  uint32_t param_count, ret_count;
  ptx_var **vars;  // declared inside: shared, local, param
  uint32_t var_count, var_capacity;
  ptx_reg *regs;
  uint32_t reg_count, reg_capacity;
  const char **labels;
  uint32_t label_count, label_capacity;
  ptx_stmt *stmts;
  uint32_t stmt_count, stmt_capacity;
  ptx_targets *targets;
  uint32_t target_count, target_capacity;
  ptx_prototype *prototypes;
  uint32_t prototype_count, prototype_capacity;
  uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg;  // 0: not given
  uint32_t line, col;
  struct callee *callee;  // while calls are worked on
} ptx_function;

typedef struct ptx_file {
  uint32_t number;
  const char *name;
} ptx_file;

typedef struct ptx_module {
  void *arena;
  size_t arena_bytes;
  uint32_t version_major, version_minor, address_size;
  uint64_t hash;  // of its text
  const char *target;
  ptx_var **vars;
  uint32_t var_count, var_capacity;
  ptx_function **functions;
  uint32_t function_count, function_capacity;
  ptx_file *files;
  uint32_t file_count, file_capacity;
} ptx_module;

// A program that needs more memory than this is refused, by the parser and by the inliner.
#define PTX_MAX_MEMORY ((size_t)512 << 20)

// NULL after reporting errors. Safe on any bytes; `text` need not end with a NUL.
ptx_module *ptx_parse(const char *text, size_t bytes, const char *filename, diag *d);
void ptx_free(ptx_module *m);

// Prints PTX that parses to an equal module: printing that one gives the same text.
void ptx_print(const ptx_module *m, FILE *f);

// Leaves no call in any entry (ptx_calls.h). False after reporting calls of functions without a
// body and other wrong ones.
bool ptx_inline(ptx_module *m, diag *d);

unsigned ptx_type_bytes(ptx_type t);  // 1 for predicates
const char *ptx_type_name(ptx_type t);
bool ptx_type_find(const char *name, ptx_type *t);  // "u32"; false: no type
const char *ptx_space_name(ptx_space s);
bool ptx_has_mod(const ptx_stmt *s, const char *mod);
// Where a statement comes from in a CUDA file, for messages: "; from a.cu:3", or nothing.
enum { PTX_PLACE = 300 };
void ptx_place(const ptx_module *m, const ptx_stmt *s, char *to, size_t bytes);

// For passes that build PTX: memory that lives as long as the module, zeroed.
void *ptx_alloc(ptx_module *m, size_t bytes);
char *ptx_strdup(ptx_module *m, const char *text, size_t bytes);
uint32_t ptx_reg_add(ptx_module *m, ptx_function *f, const char *name, ptx_type type);
uint32_t ptx_label_add(ptx_module *m, ptx_function *f, const char *name);
// The array, or a larger copy when `count` fills its capacity.
void *ptx_grow(ptx_module *m, void *array, uint32_t count, uint32_t *capacity, size_t size);
ptx_stmt *ptx_stmt_add(ptx_module *m, ptx_function *f);
void ptx_var_add(ptx_module *m, ptx_function *f, ptx_var *v);  // f NULL: module scope

#endif

// SPDX-License-Identifier: Apache-2.0
// Inside of the parser: what its files share. Every parse function returns false after having
// reported an error; its caller gives up the statement.
#ifndef NEARBANK_PTX_PARSE_H
#define NEARBANK_PTX_PARSE_H

#include "ptx.h"
#include "ptx_lex.h"

enum { PARSE_MAX_DEPTH = 64 };  // nested scopes, nested operands

typedef struct scope {
  struct scope *parent;
  uint32_t number;       // part of the key of its names
  uint32_t range_count;  // of registers
  struct symbol *symbols;
} scope;

typedef enum sym_kind {
  SYM_STRING,  // no name, just text that is kept once
  SYM_RANGE,   // `.reg .b32 %r<9>`: "%r", 9 of them
  SYM_REG,
  SYM_VAR,
  SYM_LABEL,
  SYM_FUNC,
  SYM_TABLE  // .branchtargets, .callprototype, .calltargets
} sym_kind;

typedef struct symbol {
  struct symbol *next;  // in the scope
  const char *name;
  size_t length;
  uint32_t hash, scope;
  sym_kind kind;
  uint32_t index;  // register or label; size of a range
  ptx_type type;   // of a range
  void *pointer;   // ptx_var, ptx_function; char of a table: its name within the function
} symbol;

typedef struct parser {
  ptx_module *m;
  diag *d;
  lexer lex;
  token t, next;  // current and following token
  scope *module_scope, *scope, *table_scope;
  uint32_t scope_count;
  symbol **table;  // open addressing
  uint32_t table_size, symbol_count;
  ptx_function *f;
  uint32_t cuda_file, cuda_line;
  unsigned depth;
  size_t init_bytes;
  bool full;
} parser;

// ---- names: ptx_names.c

scope *scope_new(parser *p, scope *parent);
// The text, once, for the life of the module.
const char *name_intern(parser *p, const char *text, size_t length);
symbol *name_find(const parser *p, const scope *s, const char *name, size_t length);
symbol *name_add(parser *p, scope *s, const char *name, sym_kind kind, uint32_t index,
                 void *pointer);
// What the name means in scope `from` and around it. Registers of ranges come to be here.
symbol *name_lookup(parser *p, scope *from, const char *name, size_t length);
// Adds a name to the current scope, unless it means something there already.
bool name_declare(parser *p, const token *at, const char *name, sym_kind kind, uint32_t index,
                  void *pointer);
bool name_declare_range(parser *p, const token *at, const char *prefix, uint32_t count,
                        ptx_type type);
// `name`, or with a number behind it, so that it is new in scope s; and adds it there.
const char *name_unique(parser *p, scope *s, const char *name);

// ---- tokens and numbers: ptx_operand.c

void parse_advance(parser *p);
bool parse_error(parser *p, const token *t, const char *what);  // "<what>, not '<t>'"
bool parse_is(const parser *p, char punct);
bool parse_is_dot(const parser *p, const char *name);
bool parse_is_word(const token *t, const char *name);
bool parse_accept(parser *p, char punct);
bool parse_expect(parser *p, char punct);
const char *parse_text(parser *p);  // of the current token, interned
// After an error: to behind the next `;`, or before a brace that starts a line.
void parse_skip(parser *p);
bool parse_int(parser *p, int64_t *value);
bool parse_u32(parser *p, uint32_t *value);
bool parse_float(parser *p, ptx_operand *o, bool negative);
bool parse_memory(parser *p);  // false: the program takes too much
bool parse_operand(parser *p, ptx_operand *o);

// ---- declarations: ptx_decl.c

bool parse_regs(parser *p);
bool parse_space(const parser *p, ptx_space *space);
// Behind the word of the space: [.align n] [.v2|.v4] .type [.ptr ...] name[...]... [= init].
// A parameter ends after its array bounds, others with their `;`. *made is the last variable.
bool parse_var(parser *p, ptx_space space, const char *linkage, bool is_param, ptx_var **made);

#endif

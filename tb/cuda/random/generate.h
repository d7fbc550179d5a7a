// SPDX-License-Identifier: Apache-2.0
// The parts of the generator: what a place of the program can name, expressions, statements.
#ifndef NEARBANK_TB_RANDOM_GENERATE_H
#define NEARBANK_TB_RANDOM_GENERATE_H
#include "program.h"

// Types are letters: c C s S i u l L f d, in capitals unsigned; b is a condition.
#define TYPES "cCsSiulLfd"
enum { VALUES_MAX = 64, ARRAYS_MAX = 8, FUNCTIONS_MAX = 3, STRUCTS_MAX = 2, FIELDS_MAX = 6 };

typedef struct value {
  char type;
  const char *text;
  bool fixed;  // may not be assigned
} value;

typedef struct array {
  char type;
  const char *text;  // name[..] with the index between
  unsigned count;    // a power of two
  bool fixed;
} array;

typedef struct record {
  const char *name;
  char types[FIELDS_MAX];
  const char *fields[FIELDS_MAX];  // as ".name"
  unsigned count;
  bool bit_fields;
} record;

typedef struct function {
  const char *name;
  char result, args[4];
  unsigned arg_count;
  int by_reference;  // a record, as last argument; -1: none
  char pointer;      // elements of an array of 8, before that; 0: none
  bool of_records;   // takes the record by value and gives one back
  bool templated;    // template <class T, int N>, T is its result
} function;

typedef struct scope {
  value values[VALUES_MAX];
  unsigned value_count;
  array arrays[ARRAYS_MAX];
  unsigned array_count;
  unsigned loops, depth;  // around this place
  const char *mask;       // the lanes that execute it; NULL: not known
  bool uniform;           // all threads of the block that have not ended do
  bool breaks;            // a loop is around it, without a barrier or exchange behind
  char result;            // of the function; 0: a kernel
} scope;

typedef struct generator {
  program *p;
  uint64_t x;
  unsigned names;
  record records[STRUCTS_MAX];
  unsigned record_count;
  function functions[FUNCTIONS_MAX];
  unsigned function_count;
  array tables[2];
  unsigned table_count;
  kernel *k;            // NULL: a function
  unsigned threads;     // of a block of the kernel
  unsigned prev;        // bytes of memory of the launch before: a power of two
  unsigned statements;  // that may still be made
  unsigned shared;      // bytes
} generator;

// ---- text and choice
char *say(generator *g, const char *form, ...) __attribute__((format(printf, 2, 3)));
unsigned below(generator *g, unsigned n);
bool chance(generator *g, unsigned percent);
uint64_t draw(generator *g);
char any_type(generator *g);
char integer_type(generator *g);
bool is_float(char type);
const char *type_name(char type);
unsigned type_bytes(char type);
const char *fresh(generator *g, const char *stem);

// ---- the tree of statements
stmt *stmt_new(generator *g, const char *text, const char *end);
void stmt_keep(generator *g, const stmt *n);  // the newest one is not left out by the reducer
void stmt_add(stmt *to, stmt *n);

// ---- expressions and statements
const char *expression(generator *g, const scope *s, char type, unsigned depth);
const char *literal(generator *g, char type);
// A value of this type that may be assigned; NULL: there is none.
const char *assignable(generator *g, const scope *s, char type);
void see(generator *g, stmt *in, const char *value);
void statements(generator *g, scope *s, stmt *in, unsigned count);
void exchange(generator *g, scope *s, stmt *in);  // over shared memory, or in a warp
void warp_exchange(generator *g, scope *s, stmt *in);

// ---- declarations
void scope_value(scope *s, char type, const char *text, bool fixed);
void scope_array(scope *s, char type, const char *text, unsigned count, bool fixed);
void declare_record(generator *g, scope *s, stmt *in, unsigned which, const char *init);
#endif

// SPDX-License-Identifier: Apache-2.0
// Addresses of global accesses as sums, as the compiler finds them: each term is a number times
// indices of block and thread, counts of loops, and what a launch gives (arguments, sizes). In the
// object file they are section .mpu.affine (mpu_elf.h). A hint: a launch is right without them.
//
// A sum is the address modulo 2 to the power of 64. Programs compute most of it in 32 bits, and
// that is the same number only while it does not wrap. So an access has ranges: sums that must be
// within bounds where it happens. Out of them its address is not known.
#ifndef NEARBANK_AFFINE_H
#define NEARBANK_AFFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Of a factor; `index` is x, y or z of the first four. TID and CTAID may be shifted to the right:
// tid.x / 32. Of ARGUMENT `index` is the offset in the parameters, and `shift` the type (ISA_TYPE);
// of LOOP and VARIABLE (its address) it is a number.
enum {
  AFFINE_NONE,
  AFFINE_TID,
  AFFINE_CTAID,
  AFFINE_NTID,
  AFFINE_NCTAID,
  AFFINE_ARGUMENT,
  AFFINE_LOOP,
  AFFINE_VARIABLE,
  AFFINE_KINDS
};
typedef struct affine_symbol {
  uint8_t kind, shift;
  uint16_t index;
} affine_symbol;

enum { AFFINE_FACTORS = 4 };
typedef struct affine_term {
  int64_t factor;
  affine_symbol of[AFFINE_FACTORS];  // in order; NONE behind the last
} affine_term;

typedef struct affine_range {
  int64_t least, most;
  uint32_t first, terms;
} affine_range;

// Why an address is no such sum, and at which instruction: what it writes, that paths meet there
// with different values, that a loop begins there in which a value does not grow evenly or whose
// last round the value is of, that the sum is too long.
enum { AFFINE_IS, AFFINE_VALUE, AFFINE_PATHS, AFFINE_UNEVEN, AFFINE_LONG, AFFINE_REASONS };
typedef struct affine_access {
  uint32_t pc;
  uint32_t first, terms;  // terms: none when it is not affine
  uint32_t first_range, ranges;
  uint32_t reason, at;  // at: the pc of the instruction
  uint32_t zero;
} affine_access;

// Its count is how often a thread has come back from `back` since it entered the loop.
typedef struct affine_loop {
  uint32_t head, back;  // pcs: of the first instruction, and of the one before it comes back
} affine_loop;

typedef struct affine_kernel {
  affine_term *terms;
  affine_range *ranges;
  affine_access *accesses;  // by pc; all that may be of global memory
  affine_loop *loops;
  uint32_t n_terms, n_ranges, n_accesses, n_loops;
} affine_kernel;

void affine_free(affine_kernel *k);

// ---- the section

enum { AFFINE_VERSION = 1 };
// Of all kernels of an object, malloc'ed. NULL: no memory.
uint8_t *affine_write(const affine_kernel *kernels, uint32_t count, size_t *bytes);
typedef enum affine_read_result { AFFINE_READ, AFFINE_DAMAGED, AFFINE_OTHER } affine_read_result;
// Fills kernels[count]. OTHER: it is of another version, and nothing is known of the kernels.
affine_read_result affine_read(const uint8_t *from, size_t bytes, affine_kernel *kernels,
                               uint32_t count);

// ---- with the numbers of a launch

typedef struct affine_point {
  const uint8_t *params;
  size_t param_bytes;
  uint32_t tid[3], ctaid[3], ntid[3], nctaid[3];
  const uint32_t *loops;      // counts
  const uint64_t *variables;  // addresses
  uint32_t n_loops, n_variables;
} affine_point;

// The access of a pc; NULL: there is none.
const affine_access *affine_at(const affine_kernel *k, uint32_t pc);
// The address of an access; false: it is not known.
bool affine_address(const affine_kernel *k, const affine_access *a, const affine_point *p,
                    uint64_t *address);
// The sum of terms[0 .. n) as far as a launch gives it: in `to`, which has room for n, terms are
// left of indices and loops. Returns how many.
uint32_t affine_fold(const affine_term *terms, uint32_t n, const affine_point *p, affine_term *to);
// Adds a term to a sum of n in order, which has room for one more, and returns how many there are.
uint32_t affine_add(affine_term *sum, uint32_t n, affine_term t);

// ---- as text

typedef struct affine_names {
  // Of arguments and variables; NULL is a symbol without a name.
  const char *(*name)(const void *context, affine_symbol s);
  const void *context;
} affine_names;
void affine_print(const affine_term *terms, uint32_t n, const affine_names *names, FILE *f);

#endif

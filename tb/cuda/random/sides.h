// SPDX-License-Identifier: Apache-2.0
// Some programs on both sides: compiled for the CPU, and by clang to PTX; and what they leave
// behind there and on a machine.
#ifndef NEARBANK_TB_RANDOM_SIDES_H
#define NEARBANK_TB_RANDOM_SIDES_H
#include "kernels/mpucc/mpucc.h"
#include "program.h"

enum { WHY = 1000 };

typedef struct sides sides;

// What a program leaves behind: of each launch its output, then the words for atomics.
typedef struct results {
  uint8_t *out[PROGRAM_KERNELS];
  size_t bytes[PROGRAM_KERNELS];
  uint8_t sums[PROGRAM_SUMS];
} results;

typedef struct machine_side machine_side;

// Files are made in `dir`. `level`: of the device's compiler, 0 to 3. `checked`: what C++ leaves
// undefined ends the process. NULL: why.
sides *sides_build(const char *dir, const char *name, program *const *programs, unsigned count,
                   unsigned level, bool checked, char why[WHY]);
void sides_free(sides *s);

// On the CPU. False: why.
bool sides_cpu(sides *s, const program *p, bool descending, results *r, char why[WHY]);

// A machine with all programs, as MPU_NEAR says; NULL: why. `number` chooses how the lines of input
// and atomics lie on several cores (timed_malloc).
machine_side *sides_machine(sides *s, const mpucc_options *o, unsigned number, char why[WHY]);
bool machine_side_run(machine_side *m, const program *p, results *r, char why[WHY]);
uint64_t machine_side_cycles(const machine_side *m);
void machine_side_free(machine_side *m);

void results_free(results *r);
// True: the same. False: the first that differs.
bool results_same(const program *p, const results *want, const results *got, char why[WHY]);
uint64_t results_digest(const program *p, const results *r, uint64_t so_far);
#endif

// SPDX-License-Identifier: Apache-2.0
// Sizes that are fixed when hardware is built. A machine has a table of them,
// csim/<machine>/structure.def: parameters of its Verilog, and fields of a struct that its twins
// get when they are created. All fields are uint32_t, in the order of the table.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct size_row {
  const char *name;  // of the parameter
  uint32_t standard, min, max, step;
} size_row;

typedef struct size_table {
  const size_row *sizes;
  size_t count;
} size_table;

// A row of the table.
#define SIZE(field, PARAMETER, standard, min, max, step, doc) \
  {#PARAMETER, standard, min, max, step},

#ifdef __cplusplus
extern "C" {
#endif
void sizes_default(const size_table *t, void *sizes);
// False: a value out of its range; `why` says which, and what is allowed.
bool sizes_check(const size_table *t, const void *sizes, char *why, size_t bytes);
// The parameters whose values are not the default, as "QUEUE=8 ENTRIES=4"; "" for the default.
const char *sizes_text(const size_table *t, const void *sizes, char *to, size_t bytes);
// The opposite: sets what the text names. False: `why` says what is wrong with it.
bool sizes_read(const size_table *t, void *sizes, const char *text, char *why, size_t bytes);
#ifdef __cplusplus
}
#endif

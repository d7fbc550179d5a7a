// SPDX-License-Identifier: Apache-2.0
// The sizes of what is below the TSVs (structure.def is their table): fixed when hardware is built,
// parameters of the Verilog, values that a twin gets when it is created. A verilated model has
// those that it was built with.
#pragma once

#include "csim/base/sizes.h"

typedef struct structure {
#define STRUCTURE(field, PARAMETER, standard, min, max, step, doc) uint32_t field;
#include "structure.def"
#undef STRUCTURE
} structure;

enum {
#define STRUCTURE(field, PARAMETER, standard, min, max, step, doc) \
  STRUCTURE_##PARAMETER = standard, STRUCTURE_MAX_##PARAMETER = max,
#include "structure.def"
#undef STRUCTURE
  STRUCTURE_TEXT = 512  // bytes that any text of structure_parameters fits in
};

#ifdef __cplusplus
extern "C" {
#endif
extern const structure structure_default;
extern const size_table structure_table;
// `s`, or for NULL the default.
static inline const structure *structure_or_default(const structure *s) {
  return s ? s : &structure_default;
}
bool structure_is_default(const structure *s);
// False: a value out of its range; `why` says which, and what is allowed.
bool structure_check(const structure *s, char *why, size_t bytes);
// The parameters whose values are not the default, as "QUEUE=8 ENTRIES=4"; "" for the default.
const char *structure_parameters(const structure *s, char *to, size_t bytes);
// The opposite: sets what the text names. False: `why` says what is wrong with it.
bool structure_read(structure *s, const char *text, char *why, size_t bytes);
#ifdef __cplusplus
}
#endif

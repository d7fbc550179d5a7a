// SPDX-License-Identifier: Apache-2.0
// The sizes of the blocks of SpaceA (structure.def is their table): fixed when hardware is built,
// parameters of the Verilog, values that a twin gets when it is created.
#pragma once

#include "csim/base/sizes.h"

typedef struct spacea_structure {
#define STRUCTURE(field, PARAMETER, standard, min, max, step, doc) uint32_t field;
#include "structure.def"
#undef STRUCTURE
} spacea_structure;

enum {
#define STRUCTURE(field, PARAMETER, standard, min, max, step, doc) \
  SPACEA_##PARAMETER = standard, SPACEA_MAX_##PARAMETER = max,
#include "structure.def"
#undef STRUCTURE
};

extern const spacea_structure spacea_structure_default;
extern const size_table spacea_structure_table;
// `s`, or for NULL the default.
static inline const spacea_structure *spacea_structure_or_default(const spacea_structure *s) {
  return s ? s : &spacea_structure_default;
}

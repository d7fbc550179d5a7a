// SPDX-License-Identifier: Apache-2.0
#include "structure.h"

const spacea_structure spacea_structure_default = {
#define STRUCTURE(field, PARAMETER, standard, min, max, step, doc) .field = standard,
#include "structure.def"
#undef STRUCTURE
};

static const size_row sizes[] = {
#define STRUCTURE SIZE
#include "structure.def"
#undef STRUCTURE
};
const size_table spacea_structure_table = {sizes, sizeof sizes / sizeof *sizes};

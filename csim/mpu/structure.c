// SPDX-License-Identifier: Apache-2.0
#include "structure.h"

#include <string.h>

const structure structure_default = {
#define STRUCTURE(field, PARAMETER, standard, min, max, step, doc) .field = standard,
#include "structure.def"
#undef STRUCTURE
};

static const size_row sizes[] = {
#define STRUCTURE SIZE
#include "structure.def"
#undef STRUCTURE
};
const size_table structure_table = {sizes, sizeof sizes / sizeof *sizes};

bool structure_is_default(const structure *s) {
  return memcmp(s, &structure_default, sizeof *s) == 0;
}

bool structure_check(const structure *s, char *why, size_t bytes) {
  return sizes_check(&structure_table, s, why, bytes);
}

const char *structure_parameters(const structure *s, char *to, size_t bytes) {
  return sizes_text(&structure_table, s, to, bytes);
}

bool structure_read(structure *s, const char *text, char *why, size_t bytes) {
  return sizes_read(&structure_table, s, text, why, bytes);
}

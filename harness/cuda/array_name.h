// SPDX-License-Identifier: Apache-2.0
// The name of a variable that a program allocates device memory for, from its source.
#ifndef NEARBANK_ARRAY_NAME_H
#define NEARBANK_ARRAY_NAME_H

#include <stdbool.h>
#include <stddef.h>

enum { ARRAY_NAME = 64 };

// The first argument of the call of `call` at this line and column of a file, both from 1 on: "d_x"
// of cudaMalloc((void **)&d_x, bytes). Of a call in the arguments of a macro the place is the end
// of these, as clang has it. False: the file cannot be read, or there is no such call there.
bool array_name(const char *file, int line, int column, const char *call, char *to, size_t bytes);

#endif

// SPDX-License-Identifier: Apache-2.0
// Commands of other programs, and the two of clang that a CUDA file needs.
#ifndef NEARBANK_COMMAND_H
#define NEARBANK_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define CLANG "clang-19"
#define LIBCLC "/usr/lib/clc/nvptx64--nvidiacl.bc"

// Words of a command, up to a NULL. It has copies of them, until command_clear.
typedef struct command {
  char **words;
  size_t count;
} command;

void command_add(command *c, const char *word);
void command_add_all(command *c, ...) __attribute__((sentinel));  // up to a NULL
void command_clear(command *c);                                   // to no words
// Starts it and waits; its exit status, 128 + signal when it was killed. `quiet`: without output.
int command_start(const command *c, bool quiet);

// What both sides of a CUDA file share, with the headers of the folder `include`.
void clang_common(command *c, const char *include);
// The device side, to PTX: `level` 0 to 3; mathematics come from `bitcode`, when it is there.
void clang_device(command *c, int level, const char *bitcode);
// The host side, around the object of the device side.
void clang_host(command *c, const char *object);

#endif

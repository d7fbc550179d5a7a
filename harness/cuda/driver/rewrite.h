// SPDX-License-Identifier: Apache-2.0
// Old syntax that the vendor's compiler takes and clang refuses, brought into today's: launches
// with blanks inside of their brackets, `<< <grid, block>> >`; __global__ __device__; __device__
// beside __shared__; alignas behind __shared__, __device__ or __constant__; names of registers in
// assembly behind one percent sign. Each text keeps its length and its lines, so that places in
// messages stay right.
#ifndef NEARBANK_REWRITE_H
#define NEARBANK_REWRITE_H

#include <stdbool.h>
#include <stddef.h>

// Rewrites in place; whether anything was.
bool rewrite_text(char *text, size_t bytes);

// Rewrites `source` and the files that it includes by name in quotes, as far as they are found in
// their folders or one of `folders` (up to a NULL), and <NAME.cu> and <NAME.cuh> of `folders`. New
// texts go into the folder `dir`, with a file that makes clang read them in place of the old ones
// (-ivfsoverlay): its name goes to `overlay`, an empty one when nothing had to be rewritten. 0, or
// EXIT_USAGE after a message.
int rewrite_files(const char *source, const char *const *folders, const char *dir, char *overlay,
                  size_t bytes);

#endif

// SPDX-License-Identifier: Apache-2.0
// An instruction trace as text on standard output, and two of them compared.
#ifndef NEARBANK_RETIRE_SHOW_H
#define NEARBANK_RETIRE_SHOW_H

#include "retire_file.h"

const char *retire_show_file(const char *path);  // without its directories
void retire_show_columns(const char *indent);
void retire_show_launch(const retire_launch *l, const retire_kernel *k);  // no end of line
void retire_show_entry(const char *indent, const retire_kernel *k, const retire_entry *e);
// "axpy.cu:9", or the PTX line when there is no other, or nothing.
void retire_show_line(const retire_inst *i, char *to, size_t bytes);
// The message about a file that ends too early, after RETIRE_CUT, in the launch of `r`, if it had
// begun: EXIT_FAILED.
int retire_show_cut(const retire_reader *r, const char *file, uint64_t cycle);

// Compares two files; `timing`: with the cycles. EXIT_OK: they agree; EXIT_FAILED; EXIT_USAGE.
int retire_diff(const char *const files[2], bool timing);

#endif

// SPDX-License-Identifier: Apache-2.0
// What mpu retire prints, and its comparison of two files.
#ifndef NEARBANK_RETIRE_SHOW_H
#define NEARBANK_RETIRE_SHOW_H

#include "harness/inspect/retire/retire_file.h"

void retire_show_columns(const char *indent);
void retire_show_launch(const retire_launch *l, const retire_kernel *k);  // no end of line
void retire_show_entry(const char *indent, const retire_kernel *k, const retire_entry *e);
// "axpy.cu:9", or the PTX line when there is no other, or nothing.
void retire_show_line(const retire_inst *i, char *to, size_t bytes);
// The message about a file that ends too early, after RETIRE_CUT, in the launch of `r`, if it had
// begun: TOOL_FAILED.
int retire_show_cut(const retire_reader *r, const char *file, uint64_t cycle);

// Exit status of mpu retire --diff.
int retire_diff(const char *const files[2], bool timing);

#endif

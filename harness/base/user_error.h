// SPDX-License-Identifier: Apache-2.0
// Messages to users, exit statuses, and files that are read and written whole, with such messages.
#ifndef NEARBANK_USER_ERROR_H
#define NEARBANK_USER_ERROR_H

#include <stdbool.h>
#include <stddef.h>

// Of commands: all well; something failed, or two things differ; wrong use, or a file or a program
// that is missing.
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

// One line on stderr, `mpu: ...`; returns EXIT_USAGE.
int user_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Reads a whole file into malloc'ed memory, with a 0 behind it; "-": standard input; `bytes` may be
// NULL. NULL: errno says why.
char *file_contents(const char *name, size_t *bytes);
// The same; NULL after a message.
char *read_file(const char *name, size_t *bytes);
// Writes a whole file (out_file.h). False after a message.
bool write_file(const char *name, const void *from, size_t bytes);
// Says that `name` could not be written, and why (errno); EXIT_USAGE.
int cannot_write(const char *name);

#endif

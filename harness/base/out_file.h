// SPDX-License-Identifier: Apache-2.0
// Files that a command or a run writes. Such a file has its name only when it is whole: it is
// written beside it, under NAME.part or NAME.PID.part, brought to the disk, and then renamed. A
// file that was there before stays as it was when writing fails. What is not a regular file (a
// pipe, a terminal, /dev/null) is written in place; so is a file in a folder where none can be
// made.
#ifndef NEARBANK_OUT_FILE_H
#define NEARBANK_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct out_file out_file;

// NULL: errno says why. "-" is standard output.
out_file *out_open(const char *name);
FILE *out_stream(out_file *o);  // lives as long as the file
// Ends the file. False when anything of it could not be written: errno is that of the first
// failure, and there is no new file.
bool out_close(out_file *o);
void out_drop(out_file *o);  // without a file; also NULL
// out_open, all bytes, out_close.
bool out_write(const char *name, const void *from, size_t bytes);
// For those who let another program write: what it wrote under `aside`, in the same folder, gets
// the name `name`.
bool out_publish(const char *aside, const char *name);
// Can it be opened? Nothing stays of the attempt. False: errno says why not.
bool out_can(const char *name);

// For those who write with descriptors, and whose file can be read while it grows: it is NAME.part
// until it is whole.
typedef struct out_place {
  char *name, *aside;  // aside NULL: written in place
} out_place;

int out_place_open(out_place *p, const char *name);  // -1: errno says why
// Closes the descriptor; `whole`: and gives the file its name. False: it does not have it, errno
// says why; what there is stays under NAME.part.
bool out_place_close(out_place *p, int fd, bool whole);

// Is all that was printed there? False: errno says why not.
bool out_printed(void);

// Descriptors 0, 1 and 2 of a process that was started without them: nothing that is opened later
// gets their numbers. Reading from such a standard input and writing to such an output fails.
void out_standard(void);

#endif

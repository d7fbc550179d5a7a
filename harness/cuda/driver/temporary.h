// SPDX-License-Identifier: Apache-2.0
// Files and folders for the time of a command, where the system has such: in TMPDIR.
#ifndef NEARBANK_TEMPORARY_H
#define NEARBANK_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>

// A new empty one whose name begins with `name`; its whole name into `to`, also when it could not
// be made. False: errno says why not.
bool temporary_file(const char *name, char *to, size_t bytes);
bool temporary_folder(const char *name, char *to, size_t bytes);
void temporary_remove(const char *folder);  // with what is in it

#endif

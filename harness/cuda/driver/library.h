// SPDX-License-Identifier: Apache-2.0
// The libraries of the tree that programs may be linked with (harness/cuda/libraries): cuBLAS and
// so on. Each is an archive of compiled CUDA files, which is made when it is first needed and kept
// in the cache of programs. 0, or an exit status after a message.
#ifndef NEARBANK_LIBRARY_H
#define NEARBANK_LIBRARY_H

#include <stddef.h>

#include "command.h"

extern const char *const library_names[];  // as of -l, up to a NULL

// Makes it unless it is there; `archive` is the name of its file.
int library_make(const char *name, char *archive, size_t bytes);
// Adds the archives to a linker's command whose headers, of the folder `include`, the make rule in
// the file `rule` has. What the archive is made of goes into the rule.
int library_add_used(command *link, const char *rule, const char *include);

#endif

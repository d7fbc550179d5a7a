// SPDX-License-Identifier: Apache-2.0
// What the compile driver and its cache share.
#ifndef NEARBANK_COMPILE_PRIV_H
#define NEARBANK_COMPILE_PRIV_H

#include <stdint.h>
#include <time.h>

#include "compile.h"

enum { PATH = 4096 };

// Compiles with the intermediate files in the folder `dir`, which stay.
int compile_in(const char *dir, const char *source, const char *out, const compile_options *o);
// The same up to the object dir/host.o, with a make rule of what it is made of in dir/host.d.
int compile_object(const char *dir, const char *source, const compile_options *o);

// ---- the cache: folders with a product, host.d, and a sum of the files that host.d names

static const uint64_t CACHE_HASH = 14695981039346656037ull;
uint64_t cache_hash(uint64_t h, const char *s);
bool cache_dir(char *dir, size_t bytes, const char *name);  // made, when it is not there
// Is the product there, and younger than what it was made of, which is still the same? So it must
// be than these files of the build, up to a NULL.
bool cache_fresh(const char *dir, const char *product, const char *const *of_build);

// What goes into `dir` is made in a folder of its own: several runs may make the same, and the last
// rename wins. A product is as old as the start, so that what is saved meanwhile counts.
typedef struct cache_work {
  char folder[PATH];
  struct timespec begun;
} cache_work;

int cache_begin(const char *dir, cache_work *w);
// Moves the files `kept`, up to a NULL, unless `status` is not 0; and removes the folder.
int cache_end(const char *dir, const cache_work *w, const char *const *kept, int status);

#endif

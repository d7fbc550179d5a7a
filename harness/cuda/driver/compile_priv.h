// SPDX-License-Identifier: Apache-2.0
// What the compile driver and its cache share.
#ifndef NEARBANK_COMPILE_PRIV_H
#define NEARBANK_COMPILE_PRIV_H

#include "compile.h"

enum { PATH = 4096 };

// Compiles with the intermediate files in the folder `dir`, which stay.
int compile_in(const char *dir, const char *source, const char *out, const compile_options *o);

#endif

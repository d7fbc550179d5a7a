// SPDX-License-Identifier: Apache-2.0
// Leaves out what a program that differs does not need for that.
#ifndef NEARBANK_TB_RANDOM_REDUCE_H
#define NEARBANK_TB_RANDOM_REDUCE_H
#include "sides.h"

// Whether it still does; `name` of its files.
typedef bool still_differs(void *ctx, program *p, const char *name, char why[WHY]);

// False: as it was given it does not differ. `why`: how what remains does.
bool reduce(program *p, still_differs *test, void *ctx, char why[WHY]);
#endif

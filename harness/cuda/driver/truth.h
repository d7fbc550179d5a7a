// SPDX-License-Identifier: Apache-2.0
// A mistake of clang 19: where its optimiser makes a conversion of one bit to floating point out of
// that of 0 or -1, as (float)-(int)(a && b) may become, the code generator takes 1 for -1.
#ifndef NEARBANK_TRUTH_H
#define NEARBANK_TRUTH_H

#include "command.h"

// Of a command for the device side that has ended well: makes its PTX again, from the intermediate
// code with such conversions by way of 32 bits, if there is one. The exit status.
int truth_mend(const command *c, bool quiet);

#endif

// SPDX-License-Identifier: Apache-2.0
// What to do instead, where clang refuses a CUDA file for what this machine does not have.
#ifndef NEARBANK_ADVICE_H
#define NEARBANK_ADVICE_H

#include "command.h"

// Of a command that has failed: starts it again, reads its messages, and adds a line for each that
// has advice.
void advise(const command *c);

#endif

// SPDX-License-Identifier: Apache-2.0
// Where the warps of a core are, and what they wait for, for messages.
#ifndef NEARBANK_CORE_REPORT_H
#define NEARBANK_CORE_REPORT_H

#include "core_state.h"

size_t report_warps(const core *c, char *to, size_t bytes);  // a line each, the oldest ones
size_t report_stall(const core *c, char *to, size_t bytes);  // who waits for whom
// What an instruction under way does, or waits for.
size_t report_op(const core *c, const op *o, char *to, size_t bytes);

#endif

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Cores or other nodes that an option names: "5", "0,8-11". False: it is no such list, or has a
// number that is not below `n`. Those named become true.
bool number_list(const char *text, uint32_t n, bool *in);

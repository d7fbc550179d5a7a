// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Reads a list of numbers below `n`, as an option has it ("5", "0,8-11"), and sets in[k] for each
// number k. False: the text is not such a list, or a number is too large.
bool number_list(const char *text, uint32_t n, bool *in);

// SPDX-License-Identifier: Apache-2.0
#ifndef NEARBANK_WINDOW_H
#define NEARBANK_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

// "A:B", "A:" or ":B"; what is left out stays what it is.
bool window_pair(const char *text, uint64_t *a, uint64_t *b);

// A window of cycles: from A on and before B.
extern const char window_forms[];  // for messages
// False: it is none, or there are no cycles in it.
bool window_parse(const char *text, uint64_t *from, uint64_t *until);

#endif

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>

// May the file grow by so many bytes, as far as its disk and the limits of the process go? False:
// `why`.
bool wave_room(const char *file, size_t bytes, char *why, size_t why_bytes);

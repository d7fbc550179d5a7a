// SPDX-License-Identifier: Apache-2.0
// How many random cases a test of units has: so many in each run, so many with MPU_LONG, or what
// NEARBANK_LONG says. Behind cmocka.h.
#include <stdint.h>
#include <stdlib.h>

static uint64_t random_count(uint64_t each, uint64_t with_long) {
  const char *count = getenv("NEARBANK_LONG");
  if (!count)
    return getenv("MPU_LONG") ? with_long : each;
  char *end;
  const uint64_t n = strtoull(count, &end, 0);
  if (!n || *end)
    fail_msg("NEARBANK_LONG takes a number from 1, not '%s'", count);
  return n;
}

// SPDX-License-Identifier: Apache-2.0
// Rounded rows that add up.
#include <inttypes.h>
#include "diff_priv.h"

static int64_t tenths_of(int64_t sum, int64_t per_cycle) {
  int64_t whole = sum / per_cycle, rest = sum % per_cycle;
  if (rest < 0)
    rest += per_cycle, whole--;
  return 10 * whole + (20 * rest + per_cycle) / (2 * per_cycle);
}

void diff_round(diff_column *c, const int64_t cycles[2], int64_t tenths[2]) {
  for (int s = 0; s < 2; s++) {
    c->sum[s] += cycles[s];
    tenths[s] = tenths_of(c->sum[s], c->per_cycle) - c->shown[s];
    c->shown[s] += tenths[s];
  }
}

const char *diff_tenths(int64_t tenths, bool sign, char to[DIFF_NUMBER]) {
  const uint64_t size = tenths < 0 ? -(uint64_t)tenths : (uint64_t)tenths;
  snprintf(to, DIFF_NUMBER, "%s%" PRIu64 ".%" PRIu64,
           tenths < 0       ? "-"
           : sign && tenths ? "+"
                            : "",
           size / 10, size % 10);
  return to;
}

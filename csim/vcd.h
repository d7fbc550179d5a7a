// SPDX-License-Identifier: Apache-2.0
// Identifier codes of VCD text, as Verilator writes them: number n in digits '!' to '~', lowest
// first, where a code of k digits is not one of k + 1.
#pragma once

#include <stdint.h>

enum { VCD_DIGITS = 94, VCD_CODE = 8 };

// Returns its end.
static inline char *vcd_put_code(char *to, uint32_t n) {
  *to++ = (char)('!' + n % VCD_DIGITS);
  for (n /= VCD_DIGITS; n; n /= VCD_DIGITS) {
    n--;
    *to++ = (char)('!' + n % VCD_DIGITS);
  }
  return to;
}

static inline uint32_t vcd_get_code(const char *code, const char *end) {
  uint32_t n = 0;
  for (const char *at = end; at > code;) {
    const uint32_t digit = (uint32_t)(*--at - '!');
    n = at + 1 == end ? digit : digit + VCD_DIGITS * (n + 1);
  }
  return n;
}

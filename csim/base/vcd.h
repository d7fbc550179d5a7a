// SPDX-License-Identifier: Apache-2.0
// Lines of VCD text, with identifier codes as Verilator writes them: number n in digits '!' to '~',
// lowest first, where a code of k digits is not one of k + 1.
#pragma once

#include <stdint.h>
#include <stdio.h>

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

// The declaration of a signal, and a line with its value: bits + VCD_CODE + 3 characters. Both
// return their length.
static inline size_t vcd_put_var(char *to, size_t bytes, uint32_t code, const char *name,
                                 const char *suffix, uint32_t bits) {
  char text[VCD_CODE], range[16] = "";
  if (bits > 1)
    snprintf(range, sizeof range, " [%u:0]", bits - 1);
  const int length = (int)(vcd_put_code(text, code) - text);
  return (size_t)snprintf(to, bytes, "$var wire %u %.*s %s%s%s $end\n", bits, length, text, name,
                          suffix, range);
}

static inline size_t vcd_put_value(char *to, uint32_t code, uint32_t bits, const uint32_t *words) {
  char *at = to;
  if (bits > 1)
    *at++ = 'b';
  for (uint32_t b = bits; b-- > 0;)
    *at++ = (char)('0' + (words[b / 32] >> b % 32 & 1));
  if (bits > 1)
    *at++ = ' ';
  at = vcd_put_code(at, code);
  *at++ = '\n';
  return (size_t)(at - to);
}

// SPDX-License-Identifier: Apache-2.0
// A sum of bytes, which tells that they are others: what differs in one word of eight bytes has
// another sum for certain. Not against forgers.
#ifndef NEARBANK_SUM_H
#define NEARBANK_SUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Goes on from `sum`, 0 at first. In pieces it is the same where all but the last one are multiples
// of 8 bytes.
static inline uint64_t sum_bytes(uint64_t sum, const void *from, size_t bytes) {
  const uint8_t *at = from;
  while (bytes) {
    const size_t n = bytes < 8 ? bytes : 8;
    uint64_t word = 0;
    memcpy(&word, at, n);
    sum = (sum ^ word ^ (8 - n)) * 0x9e3779b97f4a7c15u + 1;
    sum ^= sum >> 32;
    at += n, bytes -= n;
  }
  return sum;
}

// Of memory in pages, of which those that are one byte all over do not count: `at` is the offset of
// the first of these bytes. In pieces it is the same where all but the last one are whole pages.
enum { SUM_PAGE = 4096 };
static inline uint64_t sum_memory(uint64_t sum, uint64_t at, const uint8_t *from, uint64_t bytes) {
  for (const uint8_t *const end = from + bytes; from < end; from += SUM_PAGE, at += SUM_PAGE) {
    const size_t n = end - from < SUM_PAGE ? (size_t)(end - from) : SUM_PAGE;
    if (*from || memcmp(from, from + 1, n - 1) != 0)
      sum = sum_bytes(sum_bytes(sum, &at, sizeof at), from, n);
  }
  return sum;
}

#endif

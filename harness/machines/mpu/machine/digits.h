// SPDX-License-Identifier: Apache-2.0
// A number taken apart into digits of any radices, each of which belongs to a core, to an NBU or to
// neither: how a placement says where lines of memory and blocks of a grid go (docs/placement.md).
#ifndef NEARBANK_DIGITS_H
#define NEARBANK_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DIGITS_MOST = 16, DIGITS_TEXT = 400, DIGITS_MANY = 1 << 30, DIGITS_RADIX = 1 << 24 };
enum { DIGITS_LINE = 128, DIGITS_PITCH = 1 << 24 };  // bytes

typedef enum digit_of { DIGIT_REST, DIGIT_NBU, DIGIT_CORE, DIGIT_KINDS } digit_of;

// The lowest digit first. What is left above the last one belongs to DIGIT_REST.
// `pitch`: lines fall into groups of so many bytes, each into that of its first byte, and each
// group is numbered from a multiple of digits_group on; 0: there are no groups.
typedef struct digits {
  uint32_t n, pitch;
  struct {
    uint32_t radix;
    digit_of of;
  } digit[DIGITS_MOST];
} digits;

// "nbu 4, core 32, line 8, core 4", where `rest` is the word for what belongs to neither ("line").
// Lines may have "pitch 16900" before that. False: `why` says what is wrong.
bool digits_read(digits *d, const char *text, const char *rest, char *why, size_t why_bytes);
void digits_print(const digits *d, const char *rest, char *to, size_t bytes);

// How many values the digits of a kind have together, without what is left; DIGITS_MANY: so many,
// or more.
uint64_t digits_count(const digits *d, digit_of of);

// With a pitch: how many numbers a group of lines has, a multiple of four; the number of a line,
// and the line of a number, which need not have one.
uint32_t digits_group(uint32_t pitch);
uint64_t digits_number(uint32_t pitch, uint64_t line);
uint64_t digits_line(uint32_t pitch, uint64_t number);

// What the digits of each kind make, put together, and the number again.
void digits_split(const digits *d, uint64_t number, uint32_t to[DIGIT_KINDS]);
uint64_t digits_join(const digits *d, const uint32_t from[DIGIT_KINDS]);

#endif

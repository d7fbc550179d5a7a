// SPDX-License-Identifier: Apache-2.0
// How often the bits of a wave change in a window of it, and how long they are 0 and 1.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct activity_bit {
  uint64_t low, high, toggles;  // ps, ps, changes between 0 and 1; the rest of the window: unknown
  uint64_t since;
  char now;
} activity_bit;

typedef struct activity_signal {
  char *scope, *name;  // "core0.nbu1.opc", "op_q[1]"
  size_t below;        // of the scope's name, so much is that of what the pattern fits
  uint32_t bits, lowest;
  bool vector;  // it has a range
  uint32_t number;
  activity_bit *counts;  // the lowest bit first; of all signals of one number the same ones
} activity_signal;

typedef struct activity activity;

// Goes along with a wave: begin() is told of the signals, change() of the values of a signal from a
// cycle on (and before the next one that it is told of; the last ones of a cycle count), end() when
// there are no more.
typedef struct activity_follower {
  bool (*begin)(void *ctx, const activity *a);  // false: out of memory
  void (*change)(void *ctx, uint64_t cycle, uint32_t number, const unsigned char *digits,
                 uint32_t bits);
  void (*end)(void *ctx);
} activity_follower;

struct activity {
  uint64_t from, until;  // cycles
  activity_signal *signals;
  size_t n, scopes;       // scopes: that the patterns fit
  uint64_t ps;            // of the window
  activity_bit **counts;  // by number
  size_t n_counts;
};

// Counts what is in scopes, and below scopes, that a pattern fits (NULL: everything), from one
// cycle on and before another (0, UINT64_MAX: of the whole wave). Patterns are between commas; `*`
// and `?` stay in one scope, an i_ before the name of a scope does not count. With a follower (or
// NULL) the window must have no gap. False: `why` says why.
bool activity_read(activity *a, const char *file, const char *scopes, uint64_t from, uint64_t until,
                   const activity_follower *follower, void *ctx, char *why, size_t why_bytes);
// Signals one after the other that patterns fit in different scopes.
bool activity_other_scope(const activity_signal *a, const activity_signal *b);
void activity_free(activity *a);

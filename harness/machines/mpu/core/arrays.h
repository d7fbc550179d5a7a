// SPDX-License-Identifier: Apache-2.0
// Which arrays of device memory the accesses of a core's banks are for: told by the arrays of the
// DRAM of each access, and by LSU-Remote which of them other cores have asked for. An array is a
// number; ranges of addresses say which bytes are whose.
#ifndef NEARBANK_CORE_ARRAYS_H
#define NEARBANK_CORE_ARRAYS_H

#include <stdbool.h>
#include <stdint.h>

enum { ARRAY_NONE, ARRAY_LOCAL, ARRAY_FIRST };  // none of them; local memory; those of the caller

typedef struct array_range {  // from a multiple of 32 on
  uint64_t from, until;
  uint32_t array;
} array_range;

// In sectors of 32 bytes.
typedef struct array_counts {
  uint64_t read, written;                // for this core
  uint64_t remote_read, remote_written;  // for others
  uint64_t atomics;  // of all these, pairs that an atomic operation has read and written
  uint64_t row_hits, row_misses, row_conflicts;
} array_counts;

typedef struct core_arrays core_arrays;

core_arrays *arrays_new(void);  // NULL: no memory
void arrays_free(core_arrays *a);
// Between launches: the ranges of the next one, in ascending order, which stay the caller's until
// then; arrays have numbers below `arrays`. Counters go on. False: no memory.
bool arrays_set(core_arrays *a, const array_range *ranges, uint32_t count, uint32_t arrays);
array_counts arrays_counted(const core_arrays *a, uint32_t array);
// Between launches, after arrays_set: what an array below its number of them has counted so far.
void arrays_set_counted(core_arrays *a, uint32_t array, const array_counts *counts);
// An access of a machine without banks and cores: it is counted as one for this core.
void arrays_access(core_arrays *a, uint64_t address, bool reads, bool writes);

// ---- for the core
struct near;
// A launch begins. `memory`: where address 0 is.
void arrays_begin(core_arrays *a, struct near *n, const uint8_t *memory);
// A packet for another core goes to an NBU: it will read, write or both the sector of an address.
void arrays_expect(core_arrays *a, uint32_t nbu, uint64_t address, bool reads, bool writes);
void arrays_atomic(core_arrays *a, uint32_t nbu, uint64_t address, uint32_t pairs);

#endif

// SPDX-License-Identifier: Apache-2.0
// Which sectors of device memory kernels have read and written. A sector is 32 bytes, the least
// that the DRAM of a GPU moves. What follows is the traffic that no cache can save: data that no
// kernel has written come from DRAM once, and results go there once.
#ifndef NEARBANK_SECTORS_H
#define NEARBANK_SECTORS_H

#include <stdbool.h>
#include <stdint.h>

enum { SECTOR_BYTES = 32, SECTORS_ALIGN = 8 * SECTOR_BYTES };

typedef struct sectors sectors;

// Of a memory of this size. The host's memory grows with the sectors that are accessed, two bits
// each. NULL: no host memory.
sectors *sectors_new(uint64_t memory_bytes);
void sectors_free(sectors *s);  // also NULL

// One access: [address, address + bytes) lies in memory, and bytes is not 0. What reads and writes
// (an atomic) reads first.
void sectors_access(sectors *s, uint64_t address, uint64_t bytes, bool reads, bool writes);

// The allocation at this multiple of SECTORS_ALIGN is freed: what is there later is other data. It
// shares no SECTORS_ALIGN bytes with another one.
void sectors_forget(sectors *s, uint64_t address, uint64_t bytes);

uint64_t sectors_read(const sectors *s);  // bytes of sectors read that were not written before
uint64_t sectors_written(const sectors *s);

#endif

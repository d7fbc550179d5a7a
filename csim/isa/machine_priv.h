// SPDX-License-Identifier: Apache-2.0
// Inside of the functional machine.
//
// memory.c    device memory and its allocations
// simt.c      the SIMT stack, barriers
// exec.c      one warp instruction
// exec_mem.c  its accesses of memory
// launch.c    grids, blocks, the order of launch_run, decoding of kernels
// trace.c     the retire trace, what faults and deadlocks say
#ifndef NEARBANK_MACHINE_PRIV_H
#define NEARBANK_MACHINE_PRIV_H

#include "model.h"
#include "sectors.h"

enum { MESSAGE_BYTES = 4096, MAX_MODULES = 64 };

struct machine {
  machine_config config;
  uint8_t *memory;          // config.memory_bytes, reserved, filled by the host on first touch
  allocation *allocations;  // sorted by base
  size_t count, capacity;
  allocation last;  // the allocation hit last: most accesses hit it again
  module *modules[MAX_MODULES];
  uint64_t segments[MAX_MODULES];
  uint32_t module_owners[MAX_MODULES];
  unsigned module_count;
  uint32_t owner;
  uint64_t trail;
  sectors *sectors;  // NULL: bytes are not counted
  uint64_t large;    // allocations of a row number or more so far
  const lanes_table *lanes;
  uint64_t launches;
  machine_runner *runner;
  void *runner_ctx;
  machine_accessed *accessed;
  void *accessed_ctx;
  machine_written *written;
  void *written_ctx;
  machine_named *named;
  void *named_ctx;
  machine_retired *retired;
  void *retired_ctx;
  char message[MESSAGE_BYTES];
};

// ---- memory.c
// Host address of [address, address + bytes) when it lies in one allocation, else NULL.
uint8_t *memory_at(machine *m, uint64_t address, uint64_t bytes);

// ---- simt.c
void simt_exit(warp *w, uint32_t lanes);
void barrier_check_all(launch *l, block *b);  // after a warp ended

// ---- trace.c
void trace_record(launch *l, const warp *w);

#endif

// SPDX-License-Identifier: Apache-2.0
// A way to a card whose registers and host window are memory that host and card share: one doorbell
// for all pages, and an eventfd that counts interrupts. How the memory came here is the matter of
// shm.h and vfio.h.
#ifndef NEARBANK_MAPPED_H
#define NEARBANK_MAPPED_H

#include "driver.h"

enum {
  MAPPED_LEAST = CARD_REGISTERS + (256 << 10),  // bytes of shared memory that a driver needs
  MAPPED_PEER = 0,                              // number of the card among the peers of ivshmem
};

typedef struct mapped {
  uint8_t *memory;  // registers, and the host window right behind them
  uint64_t bytes;
  int interrupt;                   // eventfd
  int hangup;                      // hangs up when the card is gone; -1: nothing does
  void (*ring)(struct mapped *m);  // the doorbell
  int doorbell;                    // the transport's: an eventfd, or -1
  volatile uint32_t *bar;          // the transport's: its doorbell register, or NULL
  uint64_t interrupts;             // that came so far
  int patience;                    // ms that the next wait takes without an interrupt
} mapped;

// `m` has the transport's part; it stays the caller's, and outlives the driver.
driver_transport mapped_transport(mapped *m);

#endif

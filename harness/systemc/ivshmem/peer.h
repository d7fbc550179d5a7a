// SPDX-License-Identifier: Apache-2.0
// The card as a peer of ivshmem: registers and host window are memory that it shares with one
// client, which is an unmodified QEMU (-device ivshmem-doorbell), or a process with
// harness/systemc/driver/shm.h. Client and card ring each other by eventfds. docs/guest.md has the
// layout.
//
// Nothing that it makes has a name in a file system: memory and eventfds are gone with the last
// process that has them. It trusts nothing in the shared memory.
#ifndef NEARBANK_PEER_H
#define NEARBANK_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "harness/systemc/card/card.h"
#include "harness/systemc/card/card_machine.h"

enum { PEER_CARD = 0, PEER_CLIENT = 1 };  // ids of both

typedef struct peer peer;

// bytes: of the shared memory, a power of two (it is a BAR of a PCI device), at least 1 MB. The
// machine stays the caller's. NULL: `why` is one line.
peer *peer_new(card_machine *m, uint64_t bytes, char *why, size_t why_bytes);
void peer_free(peer *p);

typedef struct peer_end {
  bool greeted;       // the client got memory and doorbells
  uint32_t contexts;  // that were on when the client went away: it did not leave of its own will
} peer_end;

// Serves the client of a connected socket until that hangs up; then all contexts are off, and the
// next client gets other memory. `listener`: others that connect there meanwhile are turned away;
// -1: none. The descriptors stay the caller's.
peer_end peer_serve(peer *p, int client, int listener);

const card *peer_card(const peer *p);

#endif

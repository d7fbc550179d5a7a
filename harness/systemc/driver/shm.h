// SPDX-License-Identifier: Apache-2.0
// The way to a card in another process, over a UNIX socket on which it serves ivshmem
// (docs/guest.md): this process does what QEMU does for a guest.
#ifndef NEARBANK_SHM_H
#define NEARBANK_SHM_H

#include "driver.h"

// socket: a path; @NAME: an abstract one. False: `why` is one line. When the card goes away, waits
// end and registers keep their last values.
bool shm_transport(const char *socket, driver_transport *t, char *why, size_t why_bytes);
// The same on a connected socket, which is the transport's from then on.
bool shm_transport_on(int socket, driver_transport *t, char *why, size_t why_bytes);
void shm_transport_close(driver_transport *t);
uint64_t shm_interrupts(const driver_transport *t);  // that came so far

#endif

// SPDX-License-Identifier: Apache-2.0
// A card that serves ivshmem in a thread, or in a process, and clients of it in the test.
#ifndef NEARBANK_TB_IVSHMEM_RIG_H
#define NEARBANK_TB_IVSHMEM_RIG_H

#include <pthread.h>
#include "harness/systemc/driver/shm.h"
#include "harness/systemc/ivshmem/peer.h"
#include "tb/systemc/driver/rig.h"

enum { SHARED = 4 << 20 };

typedef struct serving {
  rig *r;  // its machine and program; its card is not used
  peer *p;
  int card, client, listener;  // sockets
  pthread_t thread;
  peer_end end;
  char why[1000];
} serving;

void serving_open(serving *s);
// Serves one client in a thread; the client's socket is s->client.
void serving_begin(serving *s);
// Waits until the card has seen that its client is gone.
peer_end serving_end(serving *s);
void serving_close(serving *s);

// A client of what has begun, and a driver on it.
driver_transport client_of(serving *s);
driver *driver_of(serving *s, const driver_transport *t, uint32_t context);

#endif

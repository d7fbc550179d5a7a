// SPDX-License-Identifier: Apache-2.0
// Calls of the host in streams: cudaLaunchHostFunc, cudaStreamAddCallback. One thread of the
// runtime makes them, outside of the runtime, in the order in which they were asked for.
#ifndef NEARBANK_CALLBACKS_H
#define NEARBANK_CALLBACKS_H

#include "rt.h"

typedef struct callback {
  cudaHostFn_t f;             // or, if it is NULL,
  cudaStreamCallback_t told;  // with the stream
  cudaStream_t stream;
  void *data;
} callback;

// Its number, from 1 on. 0: the host has no memory, or no thread.
uint64_t callbacks_add(const callback *b);
// Whether the call of this number, and all before it, have ended.
bool callbacks_ended(uint64_t number);
// Waits for that. False: this is the call itself, which would wait for its own end.
bool callbacks_wait(uint64_t number);

#endif

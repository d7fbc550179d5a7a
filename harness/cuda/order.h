// SPDX-License-Identifier: Apache-2.0
// The order of operations in streams. Their contents are computed in the order of the calls, which
// is one that streams allow. Calls of the host in streams (callbacks.h) are waited for.
#ifndef NEARBANK_ORDER_H
#define NEARBANK_ORDER_H

#include "rt.h"

// Makes a call whose operations are in the stream, and which does not wait for them.
#define ORDER_ASYNC(s, call) \
  (order_in(s) ? order_out(call) : rt_done(cudaErrorInvalidResourceHandle))
bool order_in(cudaStream_t s);  // false: it is not a stream
cudaError_t order_out(cudaError_t e);

// An operation, in the stream of the call; may be nested, then all of it is one.
cudaError_t order_begin(void);  // cudaErrorNotPermitted: it waits for the call that asks for it
cudaError_t order_end(cudaError_t e);

// What a stream was asked for so far, and what it waits for.
rt_point order_at(cudaStream_t s);
void order_after(cudaStream_t s, rt_point p);  // what it is asked for next comes after that
bool order_has(rt_point p);                    // it has happened
cudaError_t order_wait(rt_point p);            // the host
// Asks for a call of the host in the stream.
struct callback;
cudaError_t order_call(cudaStream_t s, const struct callback *b);

#endif

// SPDX-License-Identifier: Apache-2.0
// The order of operations in streams. Their contents are computed in the order of the calls, which
// is one that streams allow. Calls of the host in streams (callbacks.h) are waited for. Where there
// is simulated time (engines.h), an operation begins when its stream allows, and the host, which
// takes no time itself: it waits for what synchronous calls ask for.
#ifndef NEARBANK_ORDER_H
#define NEARBANK_ORDER_H

#include "engines.h"
#include "rt.h"

// Makes a call whose operations are in the stream, and which does not wait for them.
#define ORDER_ASYNC(s, call) \
  (order_in(s) ? order_out(call) : rt_done(cudaErrorInvalidResourceHandle))
bool order_in(cudaStream_t s);  // false: it is not a stream
cudaError_t order_out(cudaError_t e);

// An operation, in the stream of the call; may be nested, then all of it is one.
cudaError_t order_begin(void);  // cudaErrorNotPermitted: it waits for the call that asks for it
cudaError_t order_end(cudaError_t e);
// What the operation does, beside what it has been said to do.
engines_work *order_work(void);
void order_pageable(void);  // it copies from or to memory that is not pinned: the host waits

// Until the next of these, operations are in this queue in place of the stream's. NULL: they are in
// the stream's. Returns the one before.
rt_queue *order_into(rt_queue *q);

rt_point order_later(rt_point a, rt_point b);
// What a stream was asked for so far, and what it waits for.
rt_point order_at(cudaStream_t s);
void order_after(cudaStream_t s, rt_point p);  // what it is asked for next comes after that
rt_point order_record(cudaStream_t s);         // of an event in it
bool order_has(rt_point p);                    // it has happened, when the host waits for it
cudaError_t order_wait(rt_point p);            // the host
void order_wait_device(const rt_context *c);   // but not for calls of the host
uint64_t order_until(const rt_context *c);     // the end of all operations
// Asks for a call of the host in the stream.
struct callback;
cudaError_t order_call(cudaStream_t s, const struct callback *b);

#endif

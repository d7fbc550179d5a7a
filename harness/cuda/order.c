// SPDX-License-Identifier: Apache-2.0
#include "order.h"

#include "callbacks.h"

typedef struct operation {
  unsigned async;       // calls that do not wait, one in the other
  cudaStream_t stream;  // of the outermost
  unsigned depth;
  rt_queue *queue;
  rt_point since;  // what it comes after
} operation;
static _Thread_local operation op;

static rt_point later(rt_point a, rt_point b) {
  return (rt_point){a.ps > b.ps ? a.ps : b.ps, a.call > b.call ? a.call : b.call};
}

// The legacy default stream waits for all blocking streams, and these for it.
static rt_point before(const rt_queue *q) {
  return q->apart ? q->at : later(q->at, q->legacy ? q->of->blocking : q->of->legacy.at);
}

static void reached(rt_queue *q, rt_point p) {
  q->at = p;
  q->of->all = later(q->of->all, p);
  if (!q->apart)
    q->of->blocking = later(q->of->blocking, p);
}

bool order_in(cudaStream_t s) {
  if (!rt_stream_ok(s))
    return false;
  if (!op.async++)
    op.stream = s;
  return true;
}
cudaError_t order_out(cudaError_t e) {
  if (!--op.async)
    op.stream = NULL;
  return e;
}

cudaError_t order_begin(void) {
  if (op.depth++)
    return cudaSuccess;
  op.queue = rt_queue_of(op.stream);
  if (!op.queue)
    return cudaErrorInitializationError;
  if (!callbacks_wait(before(op.queue).call))
    return cudaErrorNotPermitted;
  op.since = before(op.queue);
  return cudaSuccess;
}

cudaError_t order_end(cudaError_t e) {
  if (--op.depth || e != cudaSuccess)
    return e;
  reached(op.queue, op.since);
  return e;
}

rt_point order_at(cudaStream_t s) {
  const rt_queue *q = rt_queue_of(s);
  return q ? before(q) : (rt_point){0};
}
void order_after(cudaStream_t s, rt_point p) {
  rt_queue *q = rt_queue_of(s);
  if (q)
    reached(q, later(before(q), p));
}

cudaError_t order_call(cudaStream_t s, const struct callback *b) {
  const uint64_t number = callbacks_add(b);
  if (!number)
    return cudaErrorMemoryAllocation;
  order_after(s, (rt_point){.call = number});
  return cudaSuccess;
}

bool order_has(rt_point p) {
  return callbacks_ended(p.call);
}
cudaError_t order_wait(rt_point p) {
  return callbacks_wait(p.call) ? cudaSuccess : cudaErrorNotPermitted;
}

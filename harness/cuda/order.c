// SPDX-License-Identifier: Apache-2.0
#include "order.h"

#include "callbacks.h"

typedef struct operation {
  unsigned async;       // calls that do not wait, one in the other
  cudaStream_t stream;  // of the outermost
  rt_queue *into;       // in place of the stream's
  unsigned depth;
  rt_queue *queue;
  rt_point since;  // what it comes after
  engines_work work;
  bool pageable;
} operation;
static _Thread_local operation op;

// Simulated time of the host: of this thread, which begins where the furthest one is.
static uint64_t furthest;
static _Thread_local uint64_t own_time;
static _Thread_local bool has_time;

static uint64_t host_time(void) {
  own_time = has_time ? own_time : furthest;
  has_time = true;
  return own_time;
}
static void host_reaches(uint64_t ps) {
  own_time = host_time() > ps ? own_time : ps;
  furthest = own_time > furthest ? own_time : furthest;
}

// ---- queues

rt_point order_later(rt_point a, rt_point b) {
  return (rt_point){a.ps > b.ps ? a.ps : b.ps, a.call > b.call ? a.call : b.call};
}

// The legacy default stream waits for all blocking streams, and these for it.
static rt_point before(const rt_queue *q) {
  return q->apart ? q->at : order_later(q->at, q->legacy ? q->of->blocking : q->of->legacy.at);
}

static void reached(rt_queue *q, rt_point p) {
  q->at = p;
  q->of->all = order_later(q->of->all, p);
  if (!q->apart)
    q->of->blocking = order_later(q->of->blocking, p);
}

static rt_queue *queue_of(cudaStream_t s) {
  return op.into ? op.into : rt_queue_of(s);
}
rt_queue *order_into(rt_queue *q) {
  rt_queue *was = op.into;
  op.into = q;
  return was;
}

// ---- operations

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
  op.queue = queue_of(op.stream);
  op.work = (engines_work){0};
  op.pageable = false;
  if (!op.queue)
    return cudaErrorInitializationError;
  if (!callbacks_wait(before(op.queue).call))
    return cudaErrorNotPermitted;
  op.since = before(op.queue);
  return cudaSuccess;
}

engines_work *order_work(void) {
  return &op.work;
}
void order_pageable(void) {
  op.pageable = true;
}

// Copies between host and device are waited for in synchronous calls, and if their memory is
// pageable; other operations are not.
static void place(void) {
  const bool copies = op.work.bytes_down || op.work.bytes_up;
  const uint64_t now = host_time();
  rt_point p = op.since;
  p.ps = engines_place(op.queue->of, op.queue->number, p.ps > now ? p.ps : now, &op.work);
  reached(op.queue, p);
  if (copies && !op.into && (!op.async || op.pageable))
    host_reaches(p.ps);
}

cudaError_t order_end(cudaError_t e) {
  if (--op.depth || e != cudaSuccess)
    return e;
  if (engines_run(op.queue->of))
    place();
  else
    reached(op.queue, op.since);
  return e;
}

// ---- points

rt_point order_at(cudaStream_t s) {
  const rt_queue *q = queue_of(s);
  return q ? before(q) : (rt_point){0};
}
void order_after(cudaStream_t s, rt_point p) {
  rt_queue *q = queue_of(s);
  if (q)
    reached(q, order_later(before(q), p));
}

rt_point order_record(cudaStream_t s) {
  order_after(s, (rt_point){.ps = host_time()});
  return order_at(s);
}

cudaError_t order_call(cudaStream_t s, const struct callback *b) {
  const uint64_t number = callbacks_add(b);
  if (!number)
    return cudaErrorMemoryAllocation;
  order_after(s, (rt_point){.call = number});
  return cudaSuccess;
}

bool order_has(rt_point p) {
  if (!callbacks_ended(p.call))
    return false;
  host_reaches(p.ps);
  return true;
}
cudaError_t order_wait(rt_point p) {
  if (!callbacks_wait(p.call))
    return cudaErrorNotPermitted;
  host_reaches(p.ps);
  return cudaSuccess;
}
void order_wait_device(const rt_context *c) {
  if (!op.async)
    host_reaches(c->all.ps);
}

uint64_t order_until(const rt_context *c) {
  return c->all.ps > furthest ? c->all.ps : furthest;
}

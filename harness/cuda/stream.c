// SPDX-License-Identifier: Apache-2.0
// CUDA stream, event and error calls. A device does one thing at a time in the order of the calls,
// and only a launch of a card, or a call of the host, may still be running when a call returns.
// Events remember simulated time (order.h), or that of a card, else the host's.
#include <stdlib.h>
#include <string.h>
#include "callbacks.h"
#include "graph.h"
#include "order.h"
#include "target.h"

struct CUstream_st {
  unsigned flags;
  rt_context *of;
  rt_queue queue;
  struct CUstream_st *next;
  cudaGraph_t capture;  // NULL: what it is asked for is done
  graph_tail tail;
  rt_stream_attributes attributes;
};
struct CUevent_st {
  unsigned flags;
  rt_context *of;
  bool recorded;
  double at;    // seconds
  bool behind;  // the launch that is running there: it has not happened
  rt_point point;
  struct CUevent_st *next;
  cudaGraph_t capture;  // that it was recorded in
  graph_tail tail;
};

// ---- streams

static bool is_own(cudaStream_t s) {
  return !s || s == cudaStreamLegacy || s == cudaStreamPerThread;
}

static bool is_live(cudaStream_t s) {
  cudaStream_t at = process.streams;
  while (at && at != s)
    at = at->next;
  return at;
}
cudaGraph_t rt_capture_of(cudaStream_t s) {
  return !is_own(s) && is_live(s) ? s->capture : NULL;
}
void rt_capture_set(cudaStream_t s, cudaGraph_t g) {
  s->capture = g;
}
graph_tail *rt_capture_tail(cudaStream_t s) {
  return &s->tail;
}
void rt_capture_end(cudaGraph_t g) {
  for (cudaStream_t s = process.streams; s; s = s->next)
    if (s->capture == g) {
      s->capture = NULL;
      graph_forget(&s->tail);
    }
  for (cudaEvent_t e = process.events; e; e = e->next)
    if (e->capture == g) {
      e->capture = NULL;
      graph_forget(&e->tail);
    }
}

bool rt_stream_ok(cudaStream_t s) {
  return is_own(s) || (is_live(s) && !s->capture);
}
bool rt_stream_here(cudaStream_t s) {
  return rt_stream_ok(s) && (is_own(s) || s->of == rt_get());
}
// Streams of a thread, one for each device.
static rt_queue *own_of_thread(rt_context *c) {
  static _Thread_local rt_queue own[RT_DEVICES];
  rt_queue *q = &own[c - process.contexts];
  q->of = c;
  return q;
}
rt_queue *rt_queue_of(cudaStream_t s) {
  rt_context *c = rt_get();
  if (!is_own(s))
    return &s->queue;
  if (!c)
    return NULL;
  if (s == cudaStreamPerThread || (!s && process.per_thread))
    return own_of_thread(c);
  c->legacy.of = c;
  c->legacy.legacy = true;
  return &c->legacy;
}
uint32_t rt_stream_number(cudaStream_t s) {
  const rt_queue *q = rt_queue_of(s);
  return q ? q->number : 0;
}
void mpu_default_stream_per_thread(void) {
  process.per_thread = true;
}
static cudaError_t on_stream(cudaStream_t s) {
  if (rt_capture_of(s))
    return rt_done(cudaErrorStreamCaptureUnsupported);
  if (!rt_stream_ok(s))
    return rt_done(cudaErrorInvalidResourceHandle);
  return rt_done(is_own(s) ? rt_settle_current() : rt_settle(s->of));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned int flags, int priority) {
  rt_context *c;
  cudaError_t e;
  (void)priority;  // there is one: 0
  if (!rt_ready(&c, &e))
    return rt_done(e);
  if (!s || flags > cudaStreamNonBlocking)
    return rt_done(cudaErrorInvalidValue);
  *s = malloc(sizeof **s);
  if (!*s)
    return rt_done(cudaErrorMemoryAllocation);
  **s = (struct CUstream_st){.flags = flags, .of = c, .next = process.streams};
  (*s)->queue = (rt_queue){
      .of = c, .apart = flags == cudaStreamNonBlocking, .number = ++process.streams_made};
  process.streams = *s;
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t *s) {
  return cudaStreamCreateWithPriority(s, 0, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned int flags) {
  return cudaStreamCreateWithPriority(s, flags, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t s) {
  for (cudaStream_t *at = &process.streams; *at; at = &(*at)->next)
    if (*at == s) {
      *at = s->next;
      graph_forget(&s->tail);
      free(s);
      return cudaSuccess;
    }
  return rt_done(cudaErrorInvalidResourceHandle);
}
rt_stream_attributes *rt_stream_attributes_of(cudaStream_t s) {
  static rt_stream_attributes own;
  if (is_own(s))
    return &own;
  return is_live(s) ? &s->attributes : NULL;
}
cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  const cudaError_t e = on_stream(s);
  return e != cudaSuccess ? e : rt_done(order_wait(order_at(s)));
}
cudaError_t cudaStreamQuery(cudaStream_t s) {
  const cudaError_t e = on_stream(s);
  return e != cudaSuccess || order_has(order_at(s)) ? e : cudaErrorNotReady;
}
cudaError_t cudaStreamGetPriority(cudaStream_t s, int *priority) {
  if (!priority || !rt_stream_ok(s))
    return rt_done(priority ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
  *priority = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned int *flags) {
  if (!flags || !rt_stream_ok(s))
    return rt_done(flags ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
  *flags = is_own(s) ? 0 : s->flags;
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f, void *data,
                                  unsigned int flags) {
  cudaError_t e = !f || flags ? cudaErrorInvalidValue : on_stream(s);
  if (e == cudaSuccess)
    e = order_call(s, &(callback){.told = f, .stream = s, .data = data});
  return rt_done(e);
}
cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void *data) {
  if (f && rt_capture_of(s))
    return graph_call(s, f, data);
  cudaError_t e = f ? on_stream(s) : cudaErrorInvalidValue;
  if (e == cudaSuccess)
    e = order_call(s, &(callback){.f = f, .data = data});
  return rt_done(e);
}

// ---- events

static bool event_ok(cudaEvent_t e) {
  for (cudaEvent_t at = process.events; at; at = at->next)
    if (at == e)
      return true;
  return false;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  rt_context *c;
  cudaError_t e;
  if (!rt_ready(&c, &e))
    return rt_done(e);
  if (!event || flags > 7)
    return rt_done(cudaErrorInvalidValue);
  *event = calloc(1, sizeof **event);
  if (!*event)
    return rt_done(cudaErrorMemoryAllocation);
  (*event)->flags = flags;
  (*event)->of = c;
  (*event)->next = process.events;
  process.events = *event;
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *e) {
  return cudaEventCreateWithFlags(e, 0);
}
cudaError_t cudaEventDestroy(cudaEvent_t e) {
  for (cudaEvent_t *at = &process.events; *at; at = &(*at)->next)
    if (*at == e) {
      *at = e->next;
      graph_forget(&e->tail);
      free(e);
      return cudaSuccess;
    }
  return rt_done(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
  rt_context *c = rt_get();
  if (event_ok(e))
    graph_forget(&e->tail);
  if (event_ok(e) && (e->capture = rt_capture_of(s)))
    return rt_done(graph_join(&e->tail, &s->tail) ? cudaSuccess : cudaErrorMemoryAllocation);
  if (!event_ok(e) || e->of != c || !rt_stream_here(s))
    return rt_done(cudaErrorInvalidResourceHandle);
  e->recorded = true;
  e->point = order_record(s);
  e->behind = c->running.program != NULL;
  if (e->behind)
    return cudaSuccess;
  e->at = target_seconds(c);
  return rt_done(rt_settle_current());
}
void rt_events_happen(const rt_context *c) {
  for (cudaEvent_t e = process.events; e; e = e->next)
    if (e->behind && e->of == c) {
      e->at = target_ended(c);
      e->behind = false;
    }
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned int flags) {
  return flags > 1 ? rt_done(cudaErrorInvalidValue) : cudaEventRecord(e, s);
}
static cudaError_t on_event(cudaEvent_t e) {
  return rt_done(event_ok(e) ? rt_settle(e->of) : cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventSynchronize(cudaEvent_t e) {
  const cudaError_t wrong = on_event(e);
  return wrong != cudaSuccess ? wrong : rt_done(order_wait(e->point));
}
cudaError_t cudaEventQuery(cudaEvent_t e) {
  const cudaError_t wrong = on_event(e);
  return wrong != cudaSuccess || order_has(e->point) ? wrong : cudaErrorNotReady;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned int flags) {
  if (event_ok(e) && e->capture && !is_own(s) && is_live(s)) {  // the stream joins the capture
    if (s->capture && s->capture != e->capture)
      return rt_done(cudaErrorStreamCaptureUnsupported);
    s->capture = e->capture;
    return rt_done(graph_join(&s->tail, &e->tail) ? cudaSuccess : cudaErrorMemoryAllocation);
  }
  if (event_ok(e) && rt_capture_of(s))  // what it waits for has happened
    return rt_done(e->recorded || flags ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
  if (!event_ok(e) || !rt_stream_ok(s))
    return rt_done(cudaErrorInvalidResourceHandle);
  order_after(s, e->point);
  return rt_done(flags ? cudaErrorInvalidValue : rt_settle(e->of));
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
  if (!ms)
    return rt_done(cudaErrorInvalidValue);
  if (!event_ok(from) || !event_ok(to) || !from->recorded || !to->recorded ||
      ((from->flags | to->flags) & cudaEventDisableTiming))
    return rt_done(cudaErrorInvalidResourceHandle);
  if (!order_has(from->point) || !order_has(to->point))
    return cudaErrorNotReady;
  cudaError_t e = rt_settle(from->of);
  if (e == cudaSuccess)
    e = rt_settle(to->of);
  *ms = engines_run(from->of) ? (float)(1e-9 * ((double)to->point.ps - (double)from->point.ps))
                              : (float)(1e3 * (to->at - from->at));
  return rt_done(e);
}

// ---- errors

cudaError_t cudaGetLastError(void) {
  rt_context *c = rt_get();
  if (!c)
    return cudaErrorInitializationError;
  cudaError_t e = thread.last;
  thread.last = c->sticky;
  return e;
}
cudaError_t cudaPeekAtLastError(void) {
  rt_context *c = rt_get();
  return c ? thread.last : cudaErrorInitializationError;
}
const char *cudaGetErrorName(cudaError_t e) {
  switch (e) {
#define X(name, number, text) \
  case name:                  \
    return #name;
    CUDA_ERRORS(X)
#undef X
    default:
      return "unrecognized error code";
  }
}
const char *cudaGetErrorString(cudaError_t e) {
  switch (e) {
#define X(name, number, text) \
  case name:                  \
    return text;
    CUDA_ERRORS(X)
#undef X
    default:
      return "unrecognized error code";
  }
}

// SPDX-License-Identifier: Apache-2.0
// Host threads that do many small jobs together, again and again.
#ifndef NEARBANK_THREAD_POOL_H
#define NEARBANK_THREAD_POOL_H

#include <stdint.h>

typedef struct thread_pool thread_pool;

// `threads` with the caller's own, at least 1. NULL: no memory, or no threads.
thread_pool *thread_pool_new(uint32_t threads);
void thread_pool_free(thread_pool *c);

// job(ctx, k, next) for each k below n, on any of the threads; returns when all are done. `next`:
// what the same thread does next; k when that is nothing.
typedef void thread_pool_job(void *ctx, uint32_t k, uint32_t next);
void thread_pool_run(thread_pool *c, thread_pool_job *job, void *ctx, uint32_t n);

// In a forked process, which has no thread but the caller's: it does all jobs from now on.
void thread_pool_alone(thread_pool *c);

#endif

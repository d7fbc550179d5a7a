// SPDX-License-Identifier: Apache-2.0
// Host threads that do many small jobs together, again and again.
#ifndef NEARBANK_CREW_H
#define NEARBANK_CREW_H

#include <stdint.h>

typedef struct crew crew;

// `threads` with the caller's own, at least 1. NULL: no memory, or no threads.
crew *crew_new(uint32_t threads);
void crew_free(crew *c);

// job(ctx, k, next) for each k below n, on any of the threads; returns when all are done. `next`:
// what the same thread does next; k when that is nothing.
typedef void crew_job(void *ctx, uint32_t k, uint32_t next);
void crew_run(crew *c, crew_job *job, void *ctx, uint32_t n);

// In a forked process, which has no thread but the caller's: it does all jobs from now on.
void crew_alone(crew *c);

#endif

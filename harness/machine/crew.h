// SPDX-License-Identifier: Apache-2.0
// Host threads that do many small jobs together, again and again.
#ifndef NEARBANK_CREW_H
#define NEARBANK_CREW_H

#include <stdbool.h>
#include <stdint.h>

typedef struct crew crew;

// `threads` with the caller's own, at least 1. NULL: no memory, or no threads.
crew *crew_new(uint32_t threads);
void crew_free(crew *c);

// job(ctx, k, more) for each k below n, on any of the threads; returns when all are done. `more`:
// the same thread does k + 1 next.
typedef void crew_job(void *ctx, uint32_t k, bool more);
void crew_run(crew *c, crew_job *job, void *ctx, uint32_t n);

#endif

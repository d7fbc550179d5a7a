// SPDX-License-Identifier: Apache-2.0
#include "grid.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK = 256 * 1024 };

typedef enum state { RUNS, AT_BARRIER, EXCHANGES, ENDED } state;

typedef struct thread {
  ucontext_t context;
  state state;
  int p;  // of a barrier
  uint32_t mask;
  uint64_t value;  // of an exchange
} thread;

typedef struct grid {
  ucontext_t scheduler;
  thread threads[GRID_THREADS];
  uint32_t count, now;
  uint32_t counted, alive;                               // of the last barrier
  uint64_t values[GRID_THREADS / GRID_WARP][GRID_WARP];  // of the last exchange of a warp
  uint32_t taking[GRID_THREADS];
  grid_kernel *kernel;
  const uint8_t *params;
  uint8_t *stacks;
} grid;

// One at a time: a context has no argument that holds a pointer.
static grid one;

static void wait_as(state s) {
  thread *t = &one.threads[one.now];
  t->state = s;
  swapcontext(&t->context, &one.scheduler);
}

static uint32_t barrier(int p, uint32_t *alive) {
  one.threads[one.now].p = p;
  wait_as(AT_BARRIER);
  *alive = one.alive;
  return one.counted;
}

static uint32_t exchange(uint32_t mask, uint64_t value, uint64_t values[GRID_WARP]) {
  thread *t = &one.threads[one.now];
  t->mask = mask;
  t->value = value;
  wait_as(EXCHANGES);
  memcpy(values, one.values[one.now / GRID_WARP], sizeof one.values[0]);
  return one.taking[one.now];
}

const grid_calls grid_table = {barrier, exchange};

static void body(void) {
  one.kernel(one.params);
  wait_as(ENDED);
}

static void start_block(void) {
  for (uint32_t n = 0; n < one.count; n++) {
    thread *t = &one.threads[n];
    t->state = RUNS;
    getcontext(&t->context);
    t->context.uc_stack.ss_sp = one.stacks + (size_t)n * STACK;
    t->context.uc_stack.ss_size = STACK;
    t->context.uc_link = NULL;
    makecontext(&t->context, body, 0);
  }
}

// When nobody runs and somebody waits at the barrier: all go on.
static bool release_barrier(void) {
  uint32_t counted = 0, alive = 0;
  for (uint32_t n = 0; n < one.count; n++) {
    const thread *t = &one.threads[n];
    if (t->state == EXCHANGES)
      return false;
    alive += t->state == AT_BARRIER;
    counted += t->state == AT_BARRIER && t->p != 0;
  }
  one.counted = counted;
  one.alive = alive;
  for (uint32_t n = 0; n < one.count; n++)
    if (one.threads[n].state == AT_BARRIER)
      one.threads[n].state = RUNS;
  return alive != 0;
}

// The lanes of a mask exchange when each of them that has not ended waits with this mask.
static bool release_lanes(uint32_t first, uint32_t mask) {
  uint32_t take = 0;
  uint64_t *values = one.values[first / GRID_WARP];
  for (uint32_t lane = 0; lane < GRID_WARP && first + lane < one.count; lane++) {
    const thread *t = &one.threads[first + lane];
    if (!(mask >> lane & 1) || t->state == ENDED)
      continue;
    if (t->state != EXCHANGES || t->mask != mask)
      return false;
    take |= 1u << lane;
  }
  for (uint32_t lane = 0; lane < GRID_WARP; lane++) {
    values[lane] = 0x5a5a5a5a5a5a5a5a;
    if (take >> lane & 1) {
      values[lane] = one.threads[first + lane].value;
      one.taking[first + lane] = take;
      one.threads[first + lane].state = RUNS;
    }
  }
  return true;
}

static void resume(uint32_t n, grid_place *place) {
  one.now = n;
  place->linear = n;
  place->thread[0] = n % place->threads[0];
  place->thread[1] = n / place->threads[0] % place->threads[1];
  place->thread[2] = n / place->threads[0] / place->threads[1];
  swapcontext(&one.scheduler, &one.threads[n].context);
}

// The lanes that exchange are resumed before others of their warp do, as they share its values.
static bool run_lanes(bool descending, grid_place *place) {
  bool any = false;
  for (uint32_t k = 0; k < one.count; k++) {
    const uint32_t n = descending ? one.count - 1 - k : k;
    while (one.threads[n].state == RUNS) {
      resume(n, place);
      any = true;
    }
  }
  return any;
}

static const char *run_block(bool descending, grid_place *place) {
  start_block();
  for (;;) {
    bool any = run_lanes(descending, place);
    for (uint32_t n = 0; n < one.count; n++)
      if (one.threads[n].state == EXCHANGES &&
          release_lanes(n / GRID_WARP * GRID_WARP, one.threads[n].mask)) {
        any = true;
        run_lanes(descending, place);
      }
    if (any)
      continue;
    if (release_barrier())
      continue;
    for (uint32_t n = 0; n < one.count; n++)
      if (one.threads[n].state != ENDED)
        return "threads wait for each other on the CPU";
    return NULL;
  }
}

const char *grid_run(grid_kernel *kernel, const uint8_t *params, const uint32_t blocks[3],
                     const uint32_t threads[3], bool descending, grid_place *place) {
  one.count = threads[0] * threads[1] * threads[2];
  assert(one.count <= GRID_THREADS);
  if (!one.stacks)
    one.stacks = mmap(NULL, (size_t)GRID_THREADS * STACK, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  assert(one.stacks != MAP_FAILED);
  one.kernel = kernel;
  one.params = params;
  memcpy(place->blocks, blocks, sizeof place->blocks);
  memcpy(place->threads, threads, sizeof place->threads);
  const uint32_t total = blocks[0] * blocks[1] * blocks[2];
  for (uint32_t n = 0; n < total; n++) {
    place->block[0] = n % blocks[0];
    place->block[1] = n / blocks[0] % blocks[1];
    place->block[2] = n / blocks[0] / blocks[1];
    const char *why = run_block(descending, place);
    if (why)
      return why;
  }
  return NULL;
}

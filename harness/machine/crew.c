// SPDX-License-Identifier: Apache-2.0
#include "crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

// Rounds follow each other within microseconds, so a thread looks for the next one for a while
// before it sleeps.
enum { LOOKS = 4000, MEMBERS = 64, LINE = 64, FEW = 4 };

// The jobs [next, end) of a member; others take from it when theirs are done.
typedef struct member {
  _Alignas(LINE) atomic_uint next;
  uint32_t end;
  pthread_t thread;
  crew *crew;
} member;

struct crew {
  _Alignas(LINE) atomic_uint round;
  _Alignas(LINE) atomic_uint left;  // members that work on it
  atomic_uint asleep;
  atomic_bool ended;
  crew_job *job;
  void *ctx;
  uint32_t threads;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  member members[MEMBERS];
};

static void work(crew *c, uint32_t me) {
  for (uint32_t n = 0; n < c->threads; n++) {
    member *m = &c->members[(me + n) % c->threads];
    uint32_t k;
    while ((k = atomic_fetch_add_explicit(&m->next, 1, memory_order_relaxed)) < m->end)
      c->job(c->ctx, k);
  }
}

static bool looked(const crew *c, uint32_t seen) {
  for (uint32_t n = 0; n < LOOKS; n++) {
    if (atomic_load_explicit(&c->round, memory_order_acquire) != seen)
      return true;
    __builtin_ia32_pause();
  }
  return false;
}

static void *live(void *arg) {
  member *m = arg;
  crew *c = m->crew;
  for (uint32_t seen = 0;;) {
    if (!looked(c, seen)) {
      pthread_mutex_lock(&c->mutex);
      atomic_fetch_add(&c->asleep, 1);
      while (atomic_load(&c->round) == seen)
        pthread_cond_wait(&c->wake, &c->mutex);
      atomic_fetch_sub(&c->asleep, 1);
      pthread_mutex_unlock(&c->mutex);
    }
    seen = atomic_load_explicit(&c->round, memory_order_acquire);
    if (atomic_load(&c->ended))
      return NULL;
    work(c, (uint32_t)(m - c->members));
    atomic_fetch_sub_explicit(&c->left, 1, memory_order_release);
  }
}

static void call(crew *c) {
  atomic_fetch_add(&c->round, 1);
  if (!atomic_load(&c->asleep))
    return;
  pthread_mutex_lock(&c->mutex);
  pthread_cond_broadcast(&c->wake);
  pthread_mutex_unlock(&c->mutex);
}

crew *crew_new(uint32_t threads) {
  crew *c = aligned_alloc(LINE, sizeof *c);
  if (!c)
    return NULL;
  *c = (crew){.threads = 1};
  pthread_mutex_init(&c->mutex, NULL);
  pthread_cond_init(&c->wake, NULL);
  for (; c->threads < threads && c->threads < MEMBERS; c->threads++) {
    member *m = &c->members[c->threads];
    m->crew = c;
    if (pthread_create(&m->thread, NULL, live, m)) {
      crew_free(c);
      return NULL;
    }
  }
  return c;
}

void crew_free(crew *c) {
  if (!c)
    return;
  atomic_store(&c->ended, true);
  call(c);
  for (uint32_t n = 1; n < c->threads; n++)
    pthread_join(c->members[n].thread, NULL);
  pthread_cond_destroy(&c->wake);
  pthread_mutex_destroy(&c->mutex);
  free(c);
}

void crew_run(crew *c, crew_job *job, void *ctx, uint32_t n) {
  if (c->threads == 1 || n < FEW * c->threads) {  // not worth waking anybody
    for (uint32_t k = 0; k < n; k++)
      job(ctx, k);
    return;
  }
  c->job = job, c->ctx = ctx;
  for (uint32_t m = 0; m < c->threads; m++) {
    atomic_store_explicit(&c->members[m].next, (uint32_t)((uint64_t)n * m / c->threads),
                          memory_order_relaxed);
    c->members[m].end = (uint32_t)((uint64_t)n * (m + 1) / c->threads);
  }
  atomic_store_explicit(&c->left, c->threads - 1, memory_order_relaxed);
  call(c);
  work(c, 0);
  while (atomic_load_explicit(&c->left, memory_order_acquire))
    __builtin_ia32_pause();
}

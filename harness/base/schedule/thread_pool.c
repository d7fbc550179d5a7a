// SPDX-License-Identifier: Apache-2.0
#include "thread_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "cpu_relax.h"

// Rounds follow each other within microseconds, so a thread looks for the next one for a while
// before it sleeps.
enum { LOOKS = 4000, MEMBERS = 64, LINE = 64, FEW = 4 };
static const double STEP = 0.1;

// A member has the jobs [from, to) of a round, the more of them the faster it was in those before.
typedef struct member {
  _Alignas(LINE) uint32_t from, to;
  double share, took;  // of all jobs, shares together 1; seconds
  pthread_t thread;
  thread_pool *pool;
} member;

struct thread_pool {
  _Alignas(LINE) atomic_uint round;
  _Alignas(LINE) atomic_uint left;  // members that work on it
  atomic_uint asleep;
  atomic_bool ended;
  thread_pool_job *job;
  void *ctx;
  bool backwards;
  uint32_t threads;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  member members[MEMBERS];
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Every other round begins with the last job: what that has used is still in the host's caches.
static void go_through(const thread_pool *c, uint32_t from, uint32_t to) {
  for (uint32_t n = from; n < to; n++) {
    const uint32_t k = c->backwards ? to - 1 - (n - from) : n;
    c->job(c->ctx, k, n + 1 == to ? k : c->backwards ? k - 1 : k + 1);
  }
}

static void work(const thread_pool *c, member *m) {
  const double begin = now();
  go_through(c, m->from, m->to);
  m->took = now() - begin;
}

static bool looked(const thread_pool *c, uint32_t seen) {
  for (uint32_t n = 0; n < LOOKS; n++) {
    if (atomic_load_explicit(&c->round, memory_order_acquire) != seen)
      return true;
    cpu_relax();
  }
  return false;
}

static void *live(void *arg) {
  member *m = arg;
  thread_pool *c = m->pool;
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
    work(c, m);
    atomic_fetch_sub_explicit(&c->left, 1, memory_order_release);
  }
}

static void call(thread_pool *c) {
  atomic_fetch_add(&c->round, 1);
  if (!atomic_load(&c->asleep))
    return;
  pthread_mutex_lock(&c->mutex);
  pthread_cond_broadcast(&c->wake);
  pthread_mutex_unlock(&c->mutex);
}

thread_pool *thread_pool_new(uint32_t threads) {
  thread_pool *c = aligned_alloc(LINE, sizeof *c);
  if (!c)
    return NULL;
  *c = (thread_pool){.threads = 1};
  pthread_mutex_init(&c->mutex, NULL);
  pthread_cond_init(&c->wake, NULL);
  const uint32_t most = threads < MEMBERS ? threads : MEMBERS;
  for (uint32_t n = 0; n < most; n++)
    c->members[n].share = 1.0 / most, c->members[n].pool = c;
  for (; c->threads < most; c->threads++) {
    member *m = &c->members[c->threads];
    if (pthread_create(&m->thread, NULL, live, m)) {
      thread_pool_free(c);
      return NULL;
    }
  }
  return c;
}

void thread_pool_free(thread_pool *c) {
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

// Shares for the next round: a step towards what would have let all end together.
static void learn(thread_pool *c) {
  double mean = 0, all = 0;
  for (uint32_t n = 0; n < c->threads; n++)
    mean += c->members[n].took / c->threads;
  for (uint32_t n = 0; n < c->threads; n++) {
    member *m = &c->members[n];
    const double more = m->took > 0 ? mean / m->took - 1 : 0;
    m->share *= 1 + STEP * (more < 1 ? more : 1);
    all += m->share;
  }
  for (uint32_t n = 0; n < c->threads; n++)
    c->members[n].share /= all;
}

static void divide(thread_pool *c, uint32_t n) {
  double to = 0;
  for (uint32_t m = 0, from = 0; m < c->threads; m++) {
    to += c->members[m].share * n;
    c->members[m].from = from;
    from = m + 1 == c->threads ? n : (uint32_t)(to + 0.5);
    from = from < c->members[m].from ? c->members[m].from : from > n ? n : from;
    c->members[m].to = from;
  }
}

void thread_pool_run(thread_pool *c, thread_pool_job *job, void *ctx, uint32_t n) {
  c->job = job, c->ctx = ctx;
  c->backwards = !c->backwards;
  if (c->threads == 1 || n < FEW * c->threads) {  // not worth waking anybody
    go_through(c, 0, n);
    return;
  }
  divide(c, n);
  atomic_store_explicit(&c->left, c->threads - 1, memory_order_relaxed);
  call(c);
  work(c, &c->members[0]);
  while (atomic_load_explicit(&c->left, memory_order_acquire))
    cpu_relax();
  learn(c);
}

void thread_pool_alone(thread_pool *c) {
  c->threads = 1;
}

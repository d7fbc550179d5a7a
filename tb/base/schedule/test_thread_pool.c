// SPDX-License-Identifier: Apache-2.0
// Host threads that share jobs: each is done once, whatever their number, and all are done when
// thread_pool_run returns. Also when the threads have gone to sleep.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "harness/base/schedule/thread_pool.h"

enum { MOST = 300, NONE = UINT32_MAX };

typedef struct board {
  uint32_t done[MOST];  // not atomic: nobody else does this job, and thread_pool_run waits for it
  pthread_t by[MOST];
  uint32_t next[MOST];
  bool other[MOST];  // than this thread said
  uint32_t work;
  volatile uint32_t sink[MOST];
} board;

static _Thread_local uint32_t said = NONE;

static void job(void *ctx, uint32_t k, uint32_t next) {
  board *b = ctx;
  b->done[k]++;
  b->by[k] = pthread_self(), b->next[k] = next;
  b->other[k] = said != NONE && said != k;
  said = next == k ? NONE : next;
  for (uint32_t n = 0; n < (k % 7 ? 1 : b->work); n++)
    b->sink[k] += n;
}

static void rounds(uint32_t threads, uint32_t times, uint32_t work, long sleep_ns) {
  static board b;
  thread_pool *c = thread_pool_new(threads);
  assert_non_null(c);
  for (uint32_t t = 0; t < times; t++) {
    const uint32_t n = t < 20 ? t : (t * 37) % (MOST + 1);
    memset(&b, 0, sizeof b);
    b.work = work;
    thread_pool_run(c, job, &b, n);
    for (uint32_t k = 0; k < MOST; k++)
      if (b.done[k] != (k < n))
        fail_msg("%u threads, %u jobs: job %u was done %u times", threads, n, k, b.done[k]);
    // to and fro: what a thread did last it does first in the next round
    const uint32_t step = t % 2 ? 1 : NONE;
    for (uint32_t k = 0; k < n; k++) {
      const uint32_t then = k + step;
      const bool more = then < n && pthread_equal(b.by[k], b.by[then]);
      if (b.next[k] != (more ? then : k) || b.other[k])
        fail_msg("%u threads, round %u, %u jobs: job %u says that %u comes next%s", threads, t, n,
                 k, b.next[k], b.other[k] ? "; another one was to come" : "");
    }
    if (sleep_ns && t % 8 == 0)
      nanosleep(&(struct timespec){.tv_nsec = sleep_ns}, NULL);
  }
  thread_pool_free(c);
}

static void each_once(void **state) {
  (void)state;
  static const uint32_t threads[] = {1, 2, 3, 5, 16, 64};
  for (unsigned n = 0; n < 6; n++) {
    rounds(threads[n], 400 / threads[n] + 30, 2000, 0);
    rounds(threads[n], 30, 10, 2000000);  // they sleep in between
  }
}

// A job of a round must not see another round's.
static void short_rounds(void **state) {
  (void)state;
  rounds(3, 3000, 1, 0);
}

// Never asked to do anything; more threads than there may be.
static void idle(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 200; n++)
    thread_pool_free(thread_pool_new(n % 5));
  thread_pool_free(thread_pool_new(1000));
  thread_pool_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_once), cmocka_unit_test(short_rounds),
                                     cmocka_unit_test(idle)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

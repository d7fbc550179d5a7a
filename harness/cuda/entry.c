// SPDX-License-Identifier: Apache-2.0
#include "entry.h"

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static _Thread_local unsigned inside;

void entry_begin(void) {
  if (!inside++)
    pthread_mutex_lock(&lock);
}
void entry_end(void) {
  assert(inside);
  if (!--inside)
    pthread_mutex_unlock(&lock);
}

unsigned entry_leave(void) {
  const unsigned times = inside;
  inside = 0;
  if (times)
    pthread_mutex_unlock(&lock);
  return times;
}
void entry_return(unsigned times) {
  if (times)
    pthread_mutex_lock(&lock);
  inside = times;
}

void entry_wait(void) {
  assert(inside);
  const unsigned times = inside;
  pthread_cond_wait(&changed, &lock);
  inside = times;
}
void entry_wake(void) {
  pthread_cond_broadcast(&changed);
}

// SPDX-License-Identifier: Apache-2.0
#include "tb/systemc/ivshmem/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

void serving_open(serving *s) {
  *s = (serving){.r = rig_open(), .card = -1, .client = -1, .listener = -1};
  card_free(s->r->card);
  s->r->card = NULL;
  s->p = peer_new(s->r->m, SHARED, s->why, sizeof s->why);
  if (!s->p)
    fail_msg("%s", s->why);
}

static void *serve(void *ctx) {
  serving *s = ctx;
  s->end = peer_serve(s->p, s->card, s->listener);
  return NULL;
}

void serving_begin(serving *s) {
  int pair[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  s->card = pair[0], s->client = pair[1];
  assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

peer_end serving_end(serving *s) {
  assert_int_equal(pthread_join(s->thread, NULL), 0);
  close(s->card);
  s->card = -1;
  return s->end;
}

void serving_close(serving *s) {
  peer_free(s->p);
  rig_close(s->r);
}

driver_transport client_of(serving *s) {
  driver_transport t;
  if (!shm_transport_on(s->client, &t, s->why, sizeof s->why))
    fail_msg("%s", s->why);
  s->client = -1;
  return t;
}

driver *driver_of(serving *s, const driver_transport *t, uint32_t context) {
  driver *d = driver_open(t, context, s->why, sizeof s->why);
  if (!d)
    fail_msg("%s", s->why);
  return d;
}

// SPDX-License-Identifier: Apache-2.0
#include "timeline_out.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

// Bytes that were written at `at`.
static size_t put(const timeline_out *f, const char *from, size_t bytes, uint64_t at) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t n = f->seeks ? pwrite(f->fd, from + done, bytes - done, (off_t)(at + done))
                               : write(f->fd, from + done, bytes - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    done += (size_t)n;
  }
  return done;
}

static void cut(timeline_out *f, const text *t, size_t written) {
  const size_t tail = strlen(f->format->tail);
  f->error = strerror(errno ? errno : EIO);
  if (!f->seeks)
    return;
  // over bytes that are there: the tail needs no room of its own
  f->events += written > tail ? f->format->whole(t, written - tail) : 0;
  if (f->events)
    put(f, f->format->tail, tail, f->events);
  if (ftruncate(f->fd, f->events ? (off_t)(f->events + tail) : 0))
    f->events = 0;  // no file of the usual kind
}

void timeline_out_write(timeline_out *f, text *t) {
  const size_t events = t->used;
  if (f->seeks)
    text_string(t, f->format->tail);
  if (t->lost && !f->error)
    f->error = "out of host memory";
  errno = 0;
  const size_t written = f->error || !events ? t->used : put(f, t->at, t->used, f->events);
  if (written < t->used)
    cut(f, t, written);
  else if (!f->error)
    f->events += events;
  t->used = 0;
}

bool timeline_out_open(timeline_out *f, const timeline_format *format, const char *name,
                       text *head) {
  *f = (timeline_out){.format = format, .fd = -1};
  f->fd = out_place_open(&f->place, name);
  if (f->fd < 0)
    return false;
  f->seeks = f->place.aside;
  timeline_out_write(f, head);
  return true;
}

void timeline_out_close(timeline_out *f) {
  if (!f->seeks && !f->error)
    put(f, f->format->tail, strlen(f->format->tail), 0);
  if (!out_place_close(&f->place, f->fd, !f->error) && !f->error)
    f->error = strerror(errno);
  f->fd = -1;
}

// SPDX-License-Identifier: Apache-2.0
#include "timeline_json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- text

enum { ROOM = 1 << 16 };

void text_free(text *t) {
  free(t->at);
  *t = (text){0};
}

static bool make_room(text *t, size_t bytes) {
  if (t->lost || t->room - t->used >= bytes)
    return !t->lost;
  const size_t room = 2 * t->room + bytes + ROOM;
  char *at = realloc(t->at, room);
  t->lost = !at;
  if (at)
    t->at = at, t->room = room;
  return at;
}

void text_put(text *t, const char *from, size_t bytes) {
  if (!bytes || !make_room(t, bytes))
    return;
  memcpy(t->at + t->used, from, bytes);
  t->used += bytes;
}

void text_string(text *t, const char *s) {
  text_put(t, s, strlen(s));
}

void text_escaped(text *t, const char *s) {
  for (; *s; s++) {
    if (*s == '"' || *s == '\\')
      TEXT(t, "\\");
    if ((unsigned char)*s < ' ' || (unsigned char)*s > '~')
      TEXT(t, "\\u00"), text_hex(t, (unsigned char)*s, 2);
    else
      text_put(t, s, 1);
  }
}

void text_number(text *t, uint64_t n) {
  char digits[20];
  size_t k = sizeof digits;
  do
    digits[--k] = (char)('0' + n % 10);
  while (n /= 10);
  text_put(t, digits + k, sizeof digits - k);
}

void text_hex(text *t, uint64_t n, unsigned digits) {
  char all[16];
  for (unsigned k = 0; k < digits; k++)
    all[k] = "0123456789abcdef"[n >> 4 * (digits - 1 - k) & 15];
  text_put(t, all, digits);
}

void text_cycles(text *t, uint64_t n) {
  const char rest[4] = {'.', (char)('0' + n / 100 % 10), (char)('0' + n / 10 % 10),
                        (char)('0' + n % 10)};
  text_number(t, n / 1000);
  text_put(t, rest, sizeof rest);
}

void text_event(text *t, char phase, uint32_t pid, uint32_t tid) {
  if (phase == 't' || phase == 'f')  // on the line of its 's': never without it
    TEXT(t, ",{\"ph\":\"");
  else
    TEXT(t, ",\n{\"ph\":\"");
  text_put(t, &phase, 1);
  TEXT(t, "\",\"pid\":");
  text_number(t, pid);
  TEXT(t, ",\"tid\":");
  text_number(t, tid);
}

// ---- the file

static const char tail[] = "\n]}\n";
enum { TAIL = sizeof tail - 1 };

// Bytes that were written at `at`.
static size_t put(const json_file *f, const char *from, size_t bytes, uint64_t at) {
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

// Where the last line begins of those behind which there are `bytes` bytes at most; 0: nowhere.
static size_t last_whole(const text *t, size_t bytes) {
  size_t n = bytes;
  while (n && (t->at[n] != ',' || t->at[n + 1] != '\n'))
    n--;
  return n;
}

static void cut(json_file *f, const text *t, size_t written) {
  f->error = strerror(errno ? errno : EIO);
  if (!f->seeks)
    return;
  // over bytes that are there: the end needs no room of its own
  const size_t whole = written > TAIL ? last_whole(t, written - TAIL) : 0;
  f->events += whole;
  if (f->events)
    put(f, tail, TAIL, f->events);
  if (ftruncate(f->fd, f->events ? (off_t)f->events + TAIL : 0))
    f->events = 0;  // no file of the usual kind
}

void json_write(json_file *f, text *t) {
  const size_t events = t->used;
  if (f->seeks)
    text_put(t, tail, TAIL);
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

bool json_open(json_file *f, const char *name, text *head) {
  *f = (json_file){.fd = -1};
  f->fd = out_place_open(&f->place, name);
  if (f->fd < 0)
    return false;
  f->seeks = f->place.aside;
  json_write(f, head);
  return true;
}

void json_close(json_file *f) {
  if (!f->seeks && !f->error)
    put(f, tail, TAIL, 0);
  if (!out_place_close(&f->place, f->fd, !f->error) && !f->error)
    f->error = strerror(errno);
  f->fd = -1;
}

// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "csim/base/sum.h"

// Before the bytes of head and records; behind them is their sum.
typedef struct frame {
  char magic[12];
  uint32_t version;
  uint64_t bytes, sum;  // of what follows; of what precedes
} frame;

static const char magic[12] = "nearbank-cp";
enum { FRAME = sizeof(frame), SUM = 8 };

static frame frame_of(uint64_t bytes) {
  frame f = {.version = CHECKPOINT_VERSION, .bytes = bytes};
  memcpy(f.magic, magic, sizeof magic);
  f.sum = sum_bytes(0, &f, offsetof(frame, sum));
  return f;
}

static bool all_of(ssize_t (*call)(int, void *, size_t), int fd, void *at, size_t bytes) {
  for (uint8_t *p = at; bytes;) {
    const ssize_t n = call(fd, p, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      errno = n ? errno : EIO;  // shorter than it was
      return false;
    }
    p += n, bytes -= (size_t)n;
  }
  return true;
}

static ssize_t put(int fd, void *at, size_t bytes) {
  return write(fd, at, bytes);
}

static bool read_all(int fd, void *to, size_t bytes) {
  return all_of(read, fd, to, bytes);
}
static bool write_all(int fd, const void *from, size_t bytes) {
  return all_of(put, fd, (void *)(uintptr_t)from, bytes);
}

static bool write_frame(int fd, const checkpoint_part *parts, size_t count) {
  uint64_t bytes = 0, sum = 0;
  for (size_t n = 0; n < count; n++)
    bytes += parts[n].bytes;
  const frame f = frame_of(bytes);
  bool ok = write_all(fd, &f, sizeof f);
  for (size_t n = 0; ok && n < count; n++) {
    assert(parts[n].bytes % 8 == 0);
    sum = sum_bytes(sum, parts[n].from, parts[n].bytes);
    ok = write_all(fd, parts[n].from, parts[n].bytes);
  }
  return ok && write_all(fd, &sum, sizeof sum) && fdatasync(fd) == 0;
}

// ---- the head

bool checkpoint_create(const char *name, const void *head, size_t bytes, char *why,
                       size_t why_bytes) {
  const int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  struct stat s;
  bool ok = fd >= 0 && fstat(fd, &s) == 0;
  if (ok && s.st_size) {
    snprintf(why, why_bytes, "'%s' exists: continue it with mpu resume, or remove it", name);
    close(fd);
    return false;
  }
  uint8_t *padded = ok ? calloc(1, bytes + 7) : NULL;
  if (padded) {
    memcpy(padded, head, bytes);
    const checkpoint_part part = {padded, (bytes + 7) / 8 * 8};
    ok = write_frame(fd, &part, 1);
  }
  ok = ok && padded;
  if (!ok) {
    snprintf(why, why_bytes, "cannot write '%s': %s", name, strerror(errno));
    ok = fd >= 0 && ftruncate(fd, 0) && false;
  }
  free(padded);
  if (fd >= 0)
    close(fd);
  return ok;
}

// A frame at `at`, of a file of `size` bytes. False and an empty `why`: it is torn.
static bool look(int fd, const char *name, uint64_t at, uint64_t size, frame *f, char *why,
                 size_t why_bytes) {
  *why = 0;
  const bool whole = size - at >= FRAME;
  const size_t bytes = whole ? FRAME : (size_t)(size - at);
  memset(f, 0, sizeof *f);
  if (lseek(fd, (off_t)at, SEEK_SET) < 0 || !read_all(fd, f, bytes)) {
    snprintf(why, why_bytes, "cannot read '%s': %s", name, strerror(errno));
    return false;
  }
  if (memcmp(f->magic, magic, bytes < sizeof magic ? bytes : sizeof magic) != 0 && at == 0) {
    snprintf(why, why_bytes, "'%s' is not a checkpoint", name);
    return false;
  }
  if (!whole)
    return false;
  if (f->version != CHECKPOINT_VERSION && at == 0) {
    snprintf(why, why_bytes,
             "'%s' is a checkpoint of version %u, or its first bytes are damaged; this nearbank "
             "has version %d",
             name, f->version, CHECKPOINT_VERSION);
    return false;
  }
  const frame want = frame_of(f->bytes);
  if (memcmp(f, &want, sizeof want) != 0 || f->bytes % 8) {
    snprintf(why, why_bytes,
             at ? "'%s' is damaged after byte %" PRIu64 "; truncate -s %" PRIu64
                  " drops the rest, and mpu resume then executes it again"
                : "'%s' is damaged in its first bytes",
             name, at, at);
    return false;
  }
  return f->bytes <= size - at - FRAME && size - at - FRAME - f->bytes >= SUM;
}

char *checkpoint_head(const char *name, size_t *bytes, char *why, size_t why_bytes) {
  const int fd = open(name, O_RDONLY | O_CLOEXEC);
  struct stat s;
  frame f;
  uint64_t sum = 0;
  char *head = NULL;
  *why = 0;
  if (fd < 0 || fstat(fd, &s))
    snprintf(why, why_bytes, "cannot read '%s': %s", name, strerror(errno));
  else if (look(fd, name, 0, (uint64_t)s.st_size, &f, why, why_bytes)) {
    head = malloc(f.bytes + 1);
    if (!head || !read_all(fd, head, f.bytes) || !read_all(fd, &sum, sizeof sum))
      snprintf(why, why_bytes, "cannot read '%s': %s", name, strerror(errno));
    else if (sum != sum_bytes(0, head, f.bytes))
      snprintf(why, why_bytes, "'%s' is damaged in its first bytes", name);
    else
      head[ *bytes = f.bytes] = 0;
  } else if (!*why) {
    snprintf(why, why_bytes, "'%s' is empty: the run ended before its first launch", name);
  }
  if (fd >= 0)
    close(fd);
  if (*why) {
    free(head);
    head = NULL;
  }
  return head;
}

// ---- records

static bool fails(checkpoint *c, const char *what) {
  snprintf(c->why, sizeof c->why, "cannot %s '%s': %s", what, c->name, strerror(errno));
  return false;
}

bool checkpoint_open(checkpoint *c, const char *name) {
  struct stat s;
  frame f;
  *c = (checkpoint){.name = name, .fd = open(name, O_RDWR | O_CLOEXEC)};
  if (c->fd < 0)
    return fails(c, "open");
  // one that copies of the process, as a post-mortem keeps them, do not have: they end after it
  struct flock mine = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(c->fd, F_SETLK, &mine) && (errno == EAGAIN || errno == EACCES)) {
    snprintf(c->why, sizeof c->why, "'%s' is the checkpoint of a run that is still going", name);
    return false;
  }
  if (fstat(c->fd, &s))
    return fails(c, "read");
  const uint64_t size = (uint64_t)s.st_size;
  while (c->end < size && look(c->fd, name, c->end, size, &f, c->why, sizeof c->why)) {
    c->records += c->end != 0;
    c->at = c->at ? c->at : FRAME + f.bytes + SUM;
    c->end += FRAME + f.bytes + SUM;
  }
  c->torn = c->end < size;
  if (!c->end && !*c->why)
    snprintf(c->why, sizeof c->why, "'%s' is empty: the run ended before its first launch", name);
  if (*c->why)
    return false;
  return !c->torn || ftruncate(c->fd, (off_t)c->end) == 0 || fails(c, "write");
}

void checkpoint_close(checkpoint *c) {
  if (c->fd >= 0)
    close(c->fd);
  c->fd = -1;
}

static bool damaged(checkpoint *c) {
  snprintf(c->why, sizeof c->why,
           "'%s' is damaged after byte %" PRIu64 "; truncate -s %" PRIu64
           " drops the rest, and mpu resume then executes it again",
           c->name, c->at, c->at);
  return false;
}

// All bytes of a frame, and their sum.
static bool check_sum(checkpoint *c, uint64_t bytes) {
  uint64_t sum = 0, want = 0, buffer[8192];
  for (uint64_t left = bytes; left;) {
    const size_t n = left < sizeof buffer ? (size_t)left : sizeof buffer;
    if (!read_all(c->fd, buffer, n))
      return fails(c, "read");
    sum = sum_bytes(sum, buffer, n);
    left -= n;
  }
  if (!read_all(c->fd, &want, sizeof want))
    return fails(c, "read");
  return sum == want || damaged(c);
}

bool checkpoint_next(checkpoint *c) {
  frame f;
  if (!look(c->fd, c->name, c->at, c->end, &f, c->why, sizeof c->why))
    return *c->why ? false : damaged(c);
  if (!check_sum(c, f.bytes))
    return false;
  c->bytes = c->left = f.bytes;
  return lseek(c->fd, (off_t)c->at + FRAME, SEEK_SET) >= 0 || fails(c, "read");
}

bool checkpoint_read(checkpoint *c, void *to, size_t bytes) {
  if (bytes > c->left)
    return damaged(c);
  if (!read_all(c->fd, to, bytes))
    return fails(c, "read");
  c->left -= bytes;
  c->at += c->left || !bytes ? 0 : FRAME + c->bytes + SUM;
  return true;
}

bool checkpoint_append(checkpoint *c, const checkpoint_part *parts, size_t count) {
  const off_t end = (off_t)c->end;
  if (lseek(c->fd, end, SEEK_SET) == end && write_frame(c->fd, parts, count)) {
    c->end = c->at = (uint64_t)lseek(c->fd, 0, SEEK_CUR);
    c->records++;
    return true;
  }
  fails(c, "write");
  while (ftruncate(c->fd, end) && errno == EINTR)
    ;
  return false;
}

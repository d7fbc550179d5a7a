// SPDX-License-Identifier: Apache-2.0
#include "shm.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "mapped.h"

enum { SECONDS = 10 };  // that the card may take for an answer

__attribute__((format(printf, 3, 4))) static bool no(char *why, size_t bytes, const char *format,
                                                     ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(why, bytes, format, args);
  va_end(args);
  return false;
}

// ---- the protocol: numbers of 64 bits, some with a descriptor

// *fd: -1 when none came with it.
static bool receive(int socket, int64_t *number, int *fd) {
  uint64_t raw = 0;
  union {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  struct iovec data = {&raw, sizeof raw};
  struct msghdr m = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t n;
  do
    n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  while (n < 0 && errno == EINTR);
  *fd = -1;
  const struct cmsghdr *c = n >= 0 ? CMSG_FIRSTHDR(&m) : NULL;
  if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
      c->cmsg_len == CMSG_LEN(sizeof(int)))
    memcpy(fd, CMSG_DATA(c), sizeof *fd);
  if (n != sizeof raw && *fd >= 0)
    close(*fd);
  if (n >= 0)
    errno = 0;
  *number = (int64_t)le64toh(raw);
  return n == sizeof raw;
}

static bool number(int socket, int64_t *n, char *why, size_t bytes) {
  int fd;
  if (!receive(socket, n, &fd))
    return no(
        why, bytes,
        errno == EAGAIN ? "the card does not answer" : "the card serves somebody else, or is gone");
  if (fd >= 0)
    close(fd);
  return fd < 0 || no(why, bytes, "this is not a card: a descriptor came with number %" PRId64, *n);
}

static bool descriptor(int socket, int64_t expected, int *fd, char *why, size_t bytes) {
  int64_t n;
  if (!receive(socket, &n, fd))
    return no(why, bytes, "the card went away while it was being opened");
  if (n == expected && *fd >= 0)
    return true;
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
  return no(why, bytes, "this is not a card: number %" PRId64 " where %" PRId64 " was due", n,
            expected);
}

static bool map(mapped *m, int memory, char *why, size_t bytes) {
  struct stat s;
  if (fstat(memory, &s) || s.st_size < MAPPED_LEAST)
    return no(why, bytes, "this is not a card: its memory is too small");
  m->bytes = (uint64_t)s.st_size;
  void *at = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (at == MAP_FAILED)
    return no(why, bytes, "cannot map the memory of the card: %s", strerror(errno));
  m->memory = at;
  return true;
}

static void ring(mapped *m) {
  const uint64_t one = 1;
  if (write(m->doorbell, &one, sizeof one) != sizeof one && errno != EAGAIN)
    perror("the doorbell of the card");
}

static bool set_up(mapped *m, char *why, size_t bytes) {
  int64_t version, id;
  int memory = -1;
  if (!number(m->hangup, &version, why, bytes))
    return false;
  if (version)
    return no(why, bytes, "the card speaks version %" PRId64 " of ivshmem, not 0", version);
  if (!number(m->hangup, &id, why, bytes) || !descriptor(m->hangup, -1, &memory, why, bytes))
    return false;
  const bool mapped = map(m, memory, why, bytes);
  close(memory);
  return mapped && descriptor(m->hangup, MAPPED_PEER, &m->doorbell, why, bytes) &&
         descriptor(m->hangup, id, &m->interrupt, why, bytes);
}

// ---- begin and end

static void drop(mapped *m) {
  const int fds[] = {m->doorbell, m->interrupt, m->hangup};
  for (size_t k = 0; k < sizeof fds / sizeof *fds; k++)
    if (fds[k] >= 0)
      close(fds[k]);
  if (m->memory)
    munmap(m->memory, m->bytes);
  free(m);
}

bool shm_transport_on(int socket, driver_transport *t, char *why, size_t bytes) {
  const struct timeval limit = {.tv_sec = SECONDS};
  mapped *m = calloc(1, sizeof *m);
  if (!m) {
    close(socket);
    return no(why, bytes, "the host has no memory for a driver");
  }
  *m = (mapped){.interrupt = -1, .hangup = socket, .doorbell = -1, .ring = ring};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (!set_up(m, why, bytes)) {
    drop(m);
    return false;
  }
  *t = mapped_transport(m);
  return true;
}

bool shm_transport(const char *path, driver_transport *t, char *why, size_t bytes) {
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  const size_t length = strlen(path);
  if (!length || length >= sizeof a.sun_path)
    return no(why, bytes, "the name of a socket has 1 to %zu bytes", sizeof a.sun_path - 1);
  memcpy(a.sun_path, path, length);
  if (*path == '@')
    a.sun_path[0] = 0;
  const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (s < 0 ||
      connect(s, (void *)&a, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length))) {
    no(why, bytes, "no card at '%s': %s", path, strerror(errno));
    if (s >= 0)
      close(s);
    return false;
  }
  return shm_transport_on(s, t, why, bytes);
}

void shm_transport_close(driver_transport *t) {
  if (t->ctx)
    drop(t->ctx);
  *t = (driver_transport){0};
}

uint64_t shm_interrupts(const driver_transport *t) {
  return ((const mapped *)t->ctx)->interrupts;
}

// SPDX-License-Identifier: Apache-2.0
#include "snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A snapshot a so much longer time than one takes; and that many seconds, because after it each
// page that is written is copied first.
static const double DEAR = 30, PAUSE = 0.5;

typedef struct copy {
  uint64_t at;
  pid_t pid;
  int to, from;  // pipes
} copy;

struct snapshots {
  copy copies[SNAPSHOTS];
  size_t n;
  double took, last;  // seconds
  int answer;         // in a copy: where it goes
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

snapshots *snapshots_new(void) {
  return calloc(1, sizeof(snapshots));
}

// Closing its pipe ends a copy that sleeps.
static void drop(snapshots *s, size_t n) {
  copy *c = &s->copies[n];
  close(c->to);
  close(c->from);
  while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
    ;
  memmove(c, c + 1, (--s->n - n) * sizeof *c);
}

void snapshots_forget(snapshots *s) {
  while (s->n)
    drop(s, s->n - 1);
}

void snapshots_free(snapshots *s) {
  if (s)
    snapshots_forget(s);
  free(s);
}

bool snapshots_is_time(const snapshots *s) {
  const double passed = now() - s->last;
  return passed > PAUSE && passed > DEAR * s->took;
}

static bool read_all(int fd, void *to, size_t bytes) {
  char *at = to;
  while (bytes) {
    const ssize_t n = read(fd, at, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    at += n, bytes -= (size_t)n;
  }
  return true;
}

static bool write_all(int fd, const void *from, size_t bytes) {
  const char *at = from;
  while (bytes) {
    const ssize_t n = write(fd, at, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    at += n, bytes -= (size_t)n;
  }
  return true;
}

// The copy: sleeps until it is told something. What it would print has been printed.
static void sleep_until_told(snapshots *s, int told, int answer, void *order, size_t bytes) {
  for (size_t n = 0; n < s->n; n++)
    close(s->copies[n].to), close(s->copies[n].from);
  s->n = 0;
  s->answer = answer;
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  signal(SIGUSR1, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  if (!read_all(told, order, bytes))
    _exit(0);
  close(told);
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0)
    dup2(nowhere, STDOUT_FILENO), dup2(nowhere, STDERR_FILENO);
}

bool snapshots_take(snapshots *s, uint64_t at, void *order, size_t bytes) {
  int to[2], from[2];
  const double begun = now();
  if (s->n == SNAPSHOTS)
    drop(s, 1);
  if (pipe2(to, O_CLOEXEC))
    return false;
  if (pipe2(from, O_CLOEXEC)) {
    close(to[0]), close(to[1]);
    return false;
  }
  const pid_t pid = fork();
  if (pid == 0) {
    close(to[1]), close(from[0]);
    sleep_until_told(s, to[0], from[1], order, bytes);
    return true;
  }
  close(to[0]), close(from[1]);
  if (pid < 0)
    close(to[1]), close(from[0]);
  else
    s->copies[s->n++] = (copy){at, pid, to[1], from[0]};
  s->last = now();
  s->took = s->last - begun;
  return false;
}

bool snapshots_wake(snapshots *s, uint64_t at, const void *order, size_t bytes,
                    snapshot_answer *a) {
  size_t n = s->n;
  while (n-- > 1 && s->copies[n].at > at)
    ;
  if (!s->n)
    return false;
  const copy *c = &s->copies[n];
  void (*before)(int) = signal(SIGPIPE, SIG_IGN);
  const bool ok = write_all(c->to, order, bytes) && read_all(c->from, a, sizeof *a);
  signal(SIGPIPE, before);
  drop(s, n);
  return ok;
}

void snapshots_answer(snapshots *s, const snapshot_answer *a) {
  write_all(s->answer, a, sizeof *a);
  _exit(0);
}

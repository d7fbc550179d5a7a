// SPDX-License-Identifier: Apache-2.0
#include "children.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void lines_read(lines *l, void (*take)(void *ctx, const char *line), void *ctx) {
  char text[4096];
  const ssize_t got = read(l->fd, text, sizeof text);
  if (got < 0 && (errno == EINTR || errno == EAGAIN))
    return;
  for (ssize_t k = 0; k < got; k++)
    if (text[k] == '\n') {
      l->line[l->n] = 0;
      l->n = 0;
      take(ctx, l->line);
    } else if (text[k] != '\r' && text[k] && l->n + 1 < sizeof l->line) {
      l->line[l->n++] = text[k];
    }
  if (got > 0)
    return;
  l->line[l->n] = 0;
  if (l->n)
    take(ctx, l->line);
  close(l->fd);
  l->fd = -1;
}

bool child_fork(child *c) {
  const pid_t parent = getpid();
  sigset_t none;
  fflush(NULL);
  *c = (child){.pid = fork()};
  if (c->pid)
    return false;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  setpgid(0, 0);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) {
    dup2(nothing, STDIN_FILENO);
    close(nothing);
  }
  return true;
}

bool child_ended(child *c) {
  if (c->pid > 0 && !c->ended)
    c->ended = waitpid(c->pid, &c->status, WNOHANG) == c->pid;
  return c->pid > 0 && c->ended;
}

void child_kill(child *c) {
  if (c->pid <= 0 || c->ended)
    return;
  kill(-c->pid, SIGKILL);  // its group, if it has one by now
  kill(c->pid, SIGKILL);
  while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR) {
  }
  c->ended = true;
}

const char *child_end(const child *c, char *to, size_t bytes) {
  if (WIFSIGNALED(c->status))
    snprintf(to, bytes, "was killed by signal %d", WTERMSIG(c->status));
  else
    snprintf(to, bytes, "ended with status %d", WEXITSTATUS(c->status));
  return to;
}

// SPDX-License-Identifier: Apache-2.0
#include "ask.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness/base/children.h"

enum { MISSING = 127 };

// A file in memory, which takes any number of bytes.
static int memory(const char *text) {
  const int fd = memfd_create("ask", MFD_CLOEXEC);
  if (fd < 0)
    abort();
  for (size_t n = text ? strlen(text) : 0; n;) {
    const ssize_t put = write(fd, text, n);
    if (put < 0)
      abort();
    text += put, n -= (size_t)put;
  }
  lseek(fd, 0, SEEK_SET);
  return fd;
}

static char *contents(int fd) {
  const off_t bytes = lseek(fd, 0, SEEK_END);
  char *text = calloc(1, (size_t)bytes + 1);
  if (!text || pread(fd, text, (size_t)bytes, 0) != bytes)
    abort();
  close(fd);
  return text;
}

// True: in time.
static bool wait_for(child *c, double seconds) {
  const double begun = seconds_now();
  struct pollfd p = {.fd = pidfd_open(c->pid, 0), .events = POLLIN};
  while (!child_ended(c) && seconds_now() - begun < seconds)
    poll(&p, 1, 100);
  if (p.fd >= 0)
    close(p.fd);
  return c->ended;
}

// The last line that is not empty, without "sbatch: error: ".
static void last_line(char *text, const char *program, char *to, size_t bytes) {
  char *rest = NULL;
  *to = 0;
  for (char *line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
    const char *heads[] = {program, ": ", "error: ", "fatal: "};
    const char *at = line;
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
      if (strncmp(at, heads[k], strlen(heads[k])) == 0)
        at += strlen(heads[k]);
    if (at[strspn(at, " ")])
      snprintf(to, bytes, "%s", at);
  }
}

bool ask(const char *const *words, const char *input, double seconds, asked *to) {
  child c;
  const int in = memory(input), out = memory(NULL), err = memory(NULL);
  if (child_fork(&c)) {
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execvp(words[0], (char *const *)words);
    _exit(MISSING);
  }
  *to = (asked){0};
  const int error = errno;
  const bool begun = c.pid > 0, in_time = begun && wait_for(&c, seconds);
  child_kill(&c);
  to->out = contents(out);
  char *said = contents(err), end[64];
  close(in);
  last_line(said, words[0], to->said, sizeof to->said);
  free(said);
  if (!begun) {
    snprintf(to->said, sizeof to->said, "cannot start a process: %s", strerror(error));
    return false;
  }
  to->missing = in_time && WIFEXITED(c.status) && WEXITSTATUS(c.status) == MISSING && !*to->said;
  if (!in_time)
    snprintf(to->said, sizeof to->said, "%s has not answered in %.0f seconds", words[0], seconds);
  else if (to->missing)
    snprintf(to->said, sizeof to->said, "%s is missing", words[0]);
  else if (!*to->said)
    snprintf(to->said, sizeof to->said, "%s %s", words[0], child_end(&c, end, sizeof end));
  return in_time && c.status == 0;
}

// SPDX-License-Identifier: Apache-2.0
// Jobs as processes of this host. They end when this process ends, however it does.
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness/base/children.h"
#include "place.h"

typedef struct one {
  child process;
  int fd;  // of it; -1: none
  char *folder;
  bool started;
} one;

typedef struct here {
  place is;
  one *jobs;  // capacity of them; without a folder: free
} here;

static here *of(place *p) {
  return (here *)(void *)p;
}

static one *job_of(place *p, const char *folder) {
  for (size_t k = 0; k < p->capacity; k++)
    if (of(p)->jobs[k].folder && strcmp(of(p)->jobs[k].folder, folder) == 0)
      return &of(p)->jobs[k];
  return NULL;
}

static bool can_open(place *p, char *why) {
  (void)p, (void)why;
  return true;
}

// None outlives the process that has started it.
static bool find(place *p, const char *folder, bool *found, char *why) {
  (void)p, (void)folder, (void)why;
  *found = false;
  return true;
}

static bool add(place *p, const char *folder, const job_what *what, char *why) {
  (void)what;
  for (size_t k = 0; k < p->capacity; k++)
    if (!of(p)->jobs[k].folder) {
      of(p)->jobs[k] = (one){.folder = strdup(folder), .fd = -1};
      return true;
    }
  snprintf(why, PLACE_WHY, "more than %zu jobs at a time", p->capacity);
  return false;
}

static bool start(one *j, char *why) {
  j->started = true;
  if (child_fork(&j->process)) {
    execl("/proc/self/exe", "mpu", "job", j->folder, (char *)NULL);
    _exit(127);
  }
  if (j->process.pid < 0) {
    snprintf(why, PLACE_WHY, "cannot start a process: %s; use fewer --jobs", strerror(errno));
    return false;
  }
  j->fd = pidfd_open(j->process.pid, 0);
  return true;
}

static bool flush(place *p, char *why) {
  for (size_t k = 0; k < p->capacity; k++)
    if (of(p)->jobs[k].folder && !of(p)->jobs[k].started && !start(&of(p)->jobs[k], why))
      return false;
  return true;
}

// With a status that is not 0 it has not begun; it has said why.
static place_end gone(place *p, const char *folder, place_how *how) {
  one *j = job_of(p, folder);
  char end[64];
  if (j && !child_ended(&j->process))
    return PLACE_BUSY;
  snprintf(how->outcome, sizeof how->outcome, "killed");
  snprintf(how->message, sizeof how->message, "its process %s before it wrote a result",
           j ? child_end(&j->process, end, sizeof end) : "was gone");
  return j && WIFEXITED(j->process.status) ? PLACE_LOST : PLACE_DIED;
}

static void wait_for(place *p, int ms) {
  struct pollfd all[p->capacity];
  nfds_t n = 0;
  for (size_t k = 0; k < p->capacity; k++)
    if (of(p)->jobs[k].folder && of(p)->jobs[k].fd >= 0)
      all[n++] = (struct pollfd){.fd = of(p)->jobs[k].fd, .events = POLLIN};
  poll(all, n, ms);
}

static void forget(place *p, const char *folder) {
  one *j = job_of(p, folder);
  if (!j)
    return;
  child_kill(&j->process);
  if (j->fd >= 0)
    close(j->fd);
  free(j->folder);
  *j = (one){0};
}

static bool left(place *p, char to[PLACE_WHY]) {
  (void)p, (void)to;
  return false;
}

static void stop(place *p) {
  for (size_t k = 0; k < p->capacity; k++)
    if (of(p)->jobs[k].folder)
      forget(p, of(p)->jobs[k].folder);
  free(of(p)->jobs);
  free(p);
}

place *place_here(size_t jobs) {
  static const place_ops ops = {"here", "running", can_open, find,   add,  flush, NULL,
                                NULL,   gone,      wait_for, forget, left, stop};
  here *h = calloc(1, sizeof *h);
  if (!h || !(h->jobs = calloc(jobs, sizeof *h->jobs)))
    abort();
  h->is = (place){.ops = &ops, .capacity = jobs};
  return &h->is;
}

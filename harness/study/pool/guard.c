// SPDX-License-Identifier: Apache-2.0
// Between this process and the program stands a process that becomes the parent of all orphans
// below it. It is told when its own parent ends.
#include "guard.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MISSING = 127, POLITE_S = 2, STOP_S = 10 };

static void wait_a_little(void) {
  nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
}

static pid_t parent_of(pid_t pid) {
  char name[64], text[256] = "";
  int parent = 0;
  snprintf(name, sizeof name, "/proc/%d/stat", (int)pid);
  FILE *f = fopen(name, "re");
  if (f && !fgets(text, sizeof text, f))
    *text = 0;
  if (f)
    fclose(f);
  // the name of the program is in brackets and can have any character
  const char *rest = strrchr(text, ')');
  return rest && sscanf(rest, ") %*c %d", &parent) == 1 ? parent : 0;
}

static void kill_children(void) {
  DIR *d = opendir("/proc");
  for (struct dirent *e; d && (e = readdir(d));)
    if (isdigit((unsigned char)*e->d_name) && parent_of(atoi(e->d_name)) == getpid())
      kill(atoi(e->d_name), SIGKILL);
  if (d)
    closedir(d);
}

// Until no process is left below this one. Children of those that are killed become its own.
static void kill_all(void) {
  for (;;) {
    kill_children();
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
    if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
      return;
    wait_a_little();
  }
}

// Reaps what has ended; whether that was the program.
static bool program_ended(pid_t program, int *status) {
  bool ended = false;
  int s;
  for (pid_t pid; (pid = waitpid(-1, &s, WNOHANG)) > 0;)
    if (pid == program)
      ended = true, *status = s;
  return ended;
}

static void guard(pid_t program, const sigset_t *signals) {
  int status = 0, signal = 0;
  bool ended = false;
  while (!ended && signal != SIGTERM && sigwait(signals, &signal) == 0)
    ended = program_ended(program, &status);
  if (!ended)
    kill(program, SIGTERM);
  const double begun = seconds_now();
  while (!ended && seconds_now() - begun < POLITE_S) {
    wait_a_little();
    ended = program_ended(program, &status);
  }
  kill_all();
  _exit(ended && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
}

bool guard_start(child *c, char *const *words, int in, int out, int err) {
  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGCHLD);
  if (!child_fork(c))
    return c->pid > 0;
  sigprocmask(SIG_BLOCK, &signals, &before);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t program = fork();
  if (program == 0) {
    sigprocmask(SIG_SETMASK, &before, NULL);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execvp(words[0], words);
    _exit(MISSING);
  }
  if (program < 0)
    _exit(EXIT_FAILURE);
  close(in);
  close(out);
  close(err);
  guard(program, &signals);
  return false;
}

void guard_stop(child *c) {
  if (c->pid > 0 && !child_ended(c))
    kill(c->pid, SIGTERM);
  for (const double begun = seconds_now(); !child_ended(c) && seconds_now() - begun < STOP_S;)
    wait_a_little();
  child_kill(c);
}

// SPDX-License-Identifier: Apache-2.0
// A picture of a view: GTKWave draws it on a display that nobody sees. Both end with this process,
// whatever becomes of it.
#include "waves_picture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/out_file.h"
#include "tool.h"

#define VIEWS NEARBANK_ROOT "/waves"
#define SCREEN "1400x2100x24"
enum { PATH = 4096, START = 300, DRAW = 300, NO_PROGRAM = 127, FD = 3 };  // START, DRAW: seconds

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Starts a program that is silent and ends when we do. `fd` is its descriptor FD, -1: none.
static pid_t begin(const char *const *command, int fd) {
  const pid_t us = getpid(), pid = fork();
  if (pid)
    return pid;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != us)
    _exit(0);
  const int nowhere = open("/dev/null", O_RDWR);
  if (nowhere >= 0)
    dup2(nowhere, STDIN_FILENO), dup2(nowhere, STDOUT_FILENO), dup2(nowhere, STDERR_FILENO);
  if (fd >= 0 && fd != FD)
    dup2(fd, FD);
  else if (fd >= 0)
    fcntl(fd, F_SETFD, 0);
  execvp(command[0], (char *const *)command);
  _exit(NO_PROGRAM);
}

// Waits for its end. False: it has not come; then it is brought about.
static bool wait_for(pid_t pid, int seconds, int *status) {
  const double until = now() + seconds;
  pid_t ended;
  while ((ended = waitpid(pid, status, WNOHANG)) == 0 && now() < until)
    poll(NULL, 0, 20);
  if (ended)
    return true;
  kill(pid, SIGKILL);
  waitpid(pid, status, 0);
  return false;
}

static void end(pid_t pid) {
  int status;
  kill(pid, SIGTERM);
  wait_for(pid, 5, &status);
}

// Until a line has come, which says that a display is there. False: the time is over, or the end.
static bool wait_for_line(int fd, int seconds) {
  char c = 0;
  for (const double until = now() + seconds; c != '\n';) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (now() > until || poll(&p, 1, 1000 * seconds) <= 0 || read(fd, &c, 1) != 1)
      return false;
  }
  return true;
}

// A display of its own; its number is of this process, so that nobody else wants the same. False:
// there is none; a message was given.
static bool start_display(const char *name, pid_t *pid) {
  int at[2], status = 0;
  if (pipe2(at, O_CLOEXEC)) {
    user_error("no display: %s", strerror(errno));
    return false;
  }
  const char *const command[] = {"Xvfb", name,   "-displayfd", "3",   "-screen",
                                 "0",    SCREEN, "-nolisten",  "tcp", NULL};
  *pid = begin(command, at[1]);
  close(at[1]);
  const bool there = *pid > 0 && wait_for_line(at[0], START);
  close(at[0]);
  if (there)
    return true;
  if (*pid > 0)
    wait_for(*pid, 1, &status);
  if (WIFEXITED(status) && WEXITSTATUS(status) == NO_PROGRAM)
    user_error("a picture needs Xvfb (Debian: xvfb)");
  else
    user_error("Xvfb has not started");
  return false;
}

static bool is_picture(const char *file) {
  static const char png[] = "\x89PNG\r\n";
  char first[sizeof png - 1];
  FILE *f = fopen(file, "rb");
  const bool is = f && fread(first, sizeof first, 1, f) && !memcmp(first, png, sizeof first);
  if (f)
    fclose(f);
  return is;
}

static void set_environment(const char *display, const char *picture) {
  setenv("DISPLAY", display, 1);
  unsetenv("WAYLAND_DISPLAY");
  setenv("NEARBANK_PICTURE", picture, 1);
  // it talks to nobody, and nobody is started to be talked to
  setenv("GDK_BACKEND", "x11", 1);
  setenv("NO_AT_BRIDGE", "1", 1);
  setenv("GSETTINGS_BACKEND", "memory", 1);
  setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:", 1);
}

int waves_picture(const char *file, const char *view, const char *picture) {
  if (!out_can(picture))
    return cannot_write(picture);
  char aside[PATH];
  if (snprintf(aside, sizeof aside, "%s.%ld.part.png", picture, (long)getpid()) >= PATH)
    return user_error("the name of the picture is too long");
  pid_t server;
  int status = 0;
  char display[16];
  snprintf(display, sizeof display, ":%d", 1000 + (int)getpid() % 50000);
  if (!start_display(display, &server))
    return EXIT_USAGE;
  set_environment(display, aside);
  const char *const command[] = {
      "gtkwave", "-M", "-r", VIEWS "/picture.rc", "-S", VIEWS "/open.tcl", file, view, NULL};
  const pid_t pid = begin(command, -1);
  const bool ended = pid > 0 && wait_for(pid, DRAW, &status);
  end(server);
  if (ended && WIFEXITED(status) && WEXITSTATUS(status) == NO_PROGRAM)
    status = user_error("a picture needs GTKWave (Debian: gtkwave)");
  else if (!ended)
    status = user_error("GTKWave has not drawn '%s' in %d seconds", file, DRAW);
  else if (!is_picture(aside))
    status = user_error("GTKWave has not written '%s'", picture);
  else if (!out_publish(aside, picture))
    status = cannot_write(picture);
  else
    return EXIT_OK;
  unlink(aside);
  return status;
}

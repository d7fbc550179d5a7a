// SPDX-License-Identifier: Apache-2.0
// mpu job FOLDER: executes a job where it is called, within its limits of time and memory.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include "harness/base/children.h"
#include "harness/base/user_error.h"
#include "harness/cuda/driver/compile.h"
#include "harness/study/plan/plan.h"
#include "harness/study/tree/tree.h"
#include "job_priv.h"

enum { LOOK_MS = 200 };  // how often its memory is looked at

typedef struct running {
  const char *folder;
  char *text;  // of its command
  char *words[JOB_WORDS + 2];
  double seconds, megabytes;
  char build[64];
  pid_t pid;
  int status;
  struct rusage used;
  const char *killed;  // "time", "memory"; NULL: not by us
} running;

// A word as it is here.
static char *here(const running *r, const char *word) {
  char place[2 * JOB_PATH];
  if (strncmp(word, JOB_STATISTICS, strlen(JOB_STATISTICS)) == 0)
    snprintf(place, sizeof place, "%s/statistics%s", r->folder, word + strlen(JOB_STATISTICS));
  else if (strncmp(word, JOB_ROOT, strlen(JOB_ROOT)) == 0)
    snprintf(place, sizeof place, "%s%s", compile_root(), word + strlen(JOB_ROOT));
  else
    snprintf(place, sizeof place, "%s", word);
  char *copy = strdup(place);
  if (!copy)
    abort();
  return copy;
}

static bool read_command(running *r) {
  char name[JOB_PATH];
  job_path(r->folder, "command", name);
  r->text = read_file(name, NULL);
  if (!r->text)
    return false;
  size_t n = 0;
  char *rest = NULL, *line = strtok_r(r->text, "\n", &rest);
  const bool ok = line && sscanf(line, "seconds %lf", &r->seconds) == 1 &&
                  (line = strtok_r(NULL, "\n", &rest)) &&
                  sscanf(line, "megabytes %lf", &r->megabytes) == 1 &&
                  (line = strtok_r(NULL, "\n", &rest)) && sscanf(line, "build %63s", r->build) == 1;
  r->words[n++] = strdup("mpu");
  while (ok && (line = strtok_r(NULL, "\n", &rest)) && n <= JOB_WORDS)
    r->words[n++] = here(r, line);
  if (ok && n > 1 && n <= JOB_WORDS)
    return true;
  user_error("'%s' is not the command of a job", name);
  return false;
}

// Would another build execute here than the one that the result is for?
static bool check_build(const running *r) {
  static const char option[] = "--near=";
  char hash[PLAN_HASH], why[JOB_WHY], host[64] = "this host";
  const char *near = "none";
  if (strcmp(r->build, "any") == 0)
    return true;
  for (char *const *w = r->words; *w; w++)
    if (strncmp(*w, option, strlen(option)) == 0)
      near = *w + strlen(option);
  if (!hash_build(r->words[1], near, hash, why, sizeof why)) {
    user_error("%s", why);
    return false;
  }
  gethostname(host, sizeof host - 1);
  if (strcmp(hash, r->build) == 0)
    return true;
  user_error("%s has another build of nearbank: check out the same commit there and build it",
             host);
  return false;
}

static int open_to(const running *r, const char *file) {
  char name[JOB_PATH];
  job_path(r->folder, file, name);
  return open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

static void begin(running *r) {
  child c;
  const int out = open_to(r, "output"), log = open_to(r, "log");
  if (child_fork(&c)) {
    if (out >= 0)
      dup2(out, STDOUT_FILENO);
    if (log >= 0)
      dup2(log, STDERR_FILENO);
    execv("/proc/self/exe", r->words);
    user_error("cannot start mpu: %s", strerror(errno));
    _exit(EXIT_USAGE);
  }
  r->pid = c.pid;
  close(out);
  close(log);
}

static double megabytes_of(pid_t pid) {
  char name[64], line[256];
  double kilobytes = 0;
  snprintf(name, sizeof name, "/proc/%d/status", (int)pid);
  FILE *f = fopen(name, "re");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "VmRSS: %lf", &kilobytes) == 1)
      break;
  if (f)
    fclose(f);
  return kilobytes / 1024;
}

static void end(running *r, const char *why) {
  r->killed = why;
  kill(-r->pid, SIGKILL);
  kill(r->pid, SIGKILL);
}

static void watch(running *r) {
  const double begun = seconds_now();
  struct pollfd p = {.fd = pidfd_open(r->pid, 0), .events = POLLIN};
  while (p.fd >= 0 && poll(&p, 1, LOOK_MS) <= 0) {
    if (r->seconds > 0 && seconds_now() - begun > r->seconds)
      end(r, "time");
    else if (r->megabytes > 0 && megabytes_of(r->pid) > r->megabytes)
      end(r, "memory");
    if (r->killed)
      break;
  }
  if (p.fd >= 0)
    close(p.fd);
  while (wait4(r->pid, &r->status, 0, &r->used) < 0 && errno == EINTR) {
  }
}

// ---- how it ended

// The last line of the log that says what went wrong, without control characters.
static void last_line(const running *r, char *to, size_t bytes) {
  char name[JOB_PATH];
  job_path(r->folder, "log", name);
  char *text = file_contents(name, NULL), *rest = NULL;
  const char *said = "";
  *to = 0;
  if (!text)
    return;
  for (char *line = strtok_r(text, "\n\r", &rest); line; line = strtok_r(NULL, "\n\r", &rest))
    if (*line && (!strncmp(line, "mpu: ", 5) || !strncmp(line, "FAIL", 4) || !said[0] ||
                  (strncmp(said, "mpu: ", 5) != 0 && strncmp(said, "FAIL", 4) != 0)))
      said = line;
  snprintf(to, bytes, "%.600s", said);
  for (char *c = to; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127)
      *c = ' ';
  free(text);
}

static const char *word_of(const tree_file *f, const char *key) {
  return f ? tree_text(tree_in(tree_top(f), key), "") : "";
}

static const char *outcome_of(const running *r, const tree_file *f) {
  if (r->killed)
    return r->killed;
  if (WIFSIGNALED(r->status))
    return "killed";
  const char *result = word_of(f, "result"), *end = word_of(f, "end");
  switch (WEXITSTATUS(r->status)) {
    case EXIT_OK:
      return !f || strcmp(result, "pass") == 0 || !*result ? "pass" : "none";
    case EXIT_FAILED:
      return f ? "fail" : "error";  // of the program, or before it could begin
    case 3:
      return strcmp(end, "differ") == 0 ? "differ" : "fault";
    case 130:
      return "killed";
    default:
      return "error";
  }
}

static void describe(const running *r, const char *outcome, char *to, size_t bytes) {
  char said[700];
  last_line(r, said, sizeof said);
  if (!strcmp(outcome, "time"))
    snprintf(to, bytes, "took more than %g seconds, its limit", r->seconds);
  else if (!strcmp(outcome, "memory"))
    snprintf(to, bytes, "took more than %g MB of the host, its limit", r->megabytes);
  else if (WIFSIGNALED(r->status))
    snprintf(to, bytes, "was killed by signal %d; %s", WTERMSIG(r->status), said);
  else if (!strcmp(outcome, "pass") || !strcmp(outcome, "none"))
    *to = 0;
  else
    snprintf(to, bytes, "%s", *said ? said : "ended without a message");
}

static double seconds_of(const struct timeval *t) {
  return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

static bool write_result(const running *r, const char *started, double seconds) {
  char name[JOB_PATH], why[256], message[1024], host[64] = "", *text = NULL;
  size_t bytes;
  job_path(r->folder, "statistics", name);
  tree_file *statistics = tree_read(name, why, sizeof why);
  const char *outcome = outcome_of(r, statistics);
  describe(r, outcome, message, sizeof message);
  gethostname(host, sizeof host - 1);
  FILE *f = open_memstream(&text, &bytes);
  if (!f)
    abort();
  fprintf(f, "outcome %s\nmessage %s\nhost %s\nstarted %s\n", outcome, message, host, started);
  fprintf(f, "seconds %.6f\ncpu_seconds %.6f\nmemory %llu\n", seconds,
          seconds_of(&r->used.ru_utime) + seconds_of(&r->used.ru_stime),
          (unsigned long long)r->used.ru_maxrss * 1024);
  fclose(f);
  tree_free(statistics);
  job_path(r->folder, "result", name);
  const bool ok = job_write(name, text, bytes);
  free(text);
  return ok || cannot_write(name) == EXIT_OK;
}

int job_run(const char *folder) {
  running r = {.folder = folder};
  char started[32];
  const time_t now = time(NULL);
  struct tm utc;
  strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  if (!read_command(&r) || !check_build(&r))
    return EXIT_USAGE;
  const double begun = seconds_now();
  begin(&r);
  watch(&r);
  const bool ok = write_result(&r, started, seconds_now() - begun);
  for (char **w = r.words; *w; w++)
    free(*w);
  free(r.text);
  return ok ? EXIT_OK : EXIT_FAILED;
}

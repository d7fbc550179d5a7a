// SPDX-License-Identifier: Apache-2.0
// Jobs for hosts that do not see their folder: a job as a word of a command line, and what came out
// of it as lines. In both, %XX stands for a byte.
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness/base/children.h"
#include "harness/base/out_file.h"
#include "harness/base/user_error.h"
#include "harness/cuda/driver/temporary.h"
#include "job_priv.h"

static const char *const files[] = {"log", "output", "statistics", "result"};  // result last
enum { FILES = sizeof files / sizeof *files };

// `word`: no shell changes it; otherwise only control characters are replaced.
static void put(FILE *f, const char *text, size_t bytes, bool word) {
  for (size_t k = 0; k < bytes; k++) {
    const unsigned char c = (unsigned char)text[k];
    const bool plain = word ? c < 128 && (isalnum(c) || (c && strchr("_./=+,:@-", c)))
                            : c >= ' ' && c != 127 && c != '%';
    if (plain)
      fputc(c, f);
    else
      fprintf(f, "%%%02x", c);
  }
}

// malloc'ed, with a 0 behind it; NULL: `from` is not such a text.
static char *take(const char *from, size_t *bytes) {
  char *to = malloc(strlen(from) + 1);
  if (!to)
    abort();
  *bytes = 0;
  for (const char *p = from; *p; p++) {
    unsigned byte = (unsigned char)*p;
    if (*p == '%') {
      if (!isxdigit((unsigned char)p[1]) || !isxdigit((unsigned char)p[2])) {
        free(to);
        return NULL;
      }
      sscanf((char[]){p[1], p[2], 0}, "%x", &byte);
      p += 2;
    }
    to[(*bytes)++] = (char)byte;
  }
  to[*bytes] = 0;
  return to;
}

char *job_text(const char *folder, char *why) {
  char name[JOB_PATH], here[JOB_PATH] = "", *text = NULL;
  size_t bytes = 0, all;
  job_path(folder, "command", name);
  char *command = file_contents(name, &bytes);
  if (!command) {
    snprintf(why, JOB_WHY, "cannot read '%.512s': %s", name, strerror(errno));
    return NULL;
  }
  if (!getcwd(here, sizeof here))
    *here = 0;
  FILE *f = open_memstream(&text, &all);
  if (!f)
    abort();
  put(f, here, strlen(here), true);
  put(f, "\n", 1, true);
  put(f, command, bytes, true);
  fclose(f);
  free(command);
  return text;
}

// ---- there

// The folder with its command; the place where the job was made becomes the directory, if it is
// here, too.
static bool make_folder(const char *text, char folder[JOB_PATH]) {
  char name[JOB_PATH];
  size_t bytes = 0;
  char *all = take(text, &bytes), *command = all ? strchr(all, '\n') : NULL;
  if (!command || strlen(all) != bytes) {
    free(all);
    return user_error("'%.80s' is not a job", text), false;
  }
  *command++ = 0;
  if (!temporary_folder("mpu-job", folder, JOB_PATH)) {
    free(all);
    return user_error("cannot make the folder '%s': %s", folder, strerror(errno)), false;
  }
  if (chdir(all))
    errno = 0;  // it is not here: words that name files beside it will say so
  job_path(folder, "command", name);
  const bool ok = out_write(name, command, strlen(command)) || cannot_write(name) == EXIT_OK;
  free(all);
  return ok;
}

static void print_files(const char *folder) {
  for (size_t k = 0; k < FILES; k++) {
    char name[JOB_PATH];
    size_t bytes = 0;
    job_path(folder, files[k], name);
    char *text = file_contents(name, &bytes);
    if (!text)
      continue;
    printf("%s ", files[k]);
    put(stdout, text, bytes, false);
    putchar('\n');
    free(text);
  }
}

int job_run_text(const char *text) {
  char folder[JOB_PATH];
  child c;
  sigset_t ends;
  sigemptyset(&ends);
  for (const int *s = (const int[]){SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGCHLD, 0}; *s; s++)
    sigaddset(&ends, *s);
  sigprocmask(SIG_BLOCK, &ends, NULL);
  if (!make_folder(text, folder))
    return EXIT_USAGE;
  if (child_fork(&c))
    _exit(job_run(folder));
  int signal = 0;
  while (c.pid > 0 && !child_ended(&c) && (!signal || signal == SIGCHLD))
    if (sigwait(&ends, &signal))
      abort();
  const bool ended = child_ended(&c);
  child_kill(&c);
  if (ended && c.status == 0)
    print_files(folder);
  job_remove(folder);
  return ended && WIFEXITED(c.status) ? WEXITSTATUS(c.status) : EXIT_FAILED;
}

// ---- here

bool job_take(const char *folder, const char *line, bool *result, char *why) {
  char name[JOB_PATH];
  const size_t n = strcspn(line, " ");
  size_t bytes = 0;
  *result = false;
  for (size_t k = 0; k < FILES; k++) {
    if (strlen(files[k]) != n || strncmp(files[k], line, n) || !line[n])
      continue;
    char *text = take(line + n + 1, &bytes);
    if (!text)
      break;
    job_path(folder, files[k], name);
    const bool ok = out_write(name, text, bytes);
    free(text);
    if (!ok)
      snprintf(why, JOB_WHY, "cannot write '%.512s': %s", name, strerror(errno));
    *result = ok && k == FILES - 1;
    return ok;
  }
  snprintf(why, JOB_WHY, "'%.80s' is not a file of a job", line);
  return false;
}

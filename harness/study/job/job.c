// SPDX-License-Identifier: Apache-2.0
// Folders of jobs: made, read, removed.
#include "job.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "harness/base/user_error.h"
#include "job_priv.h"

void job_path(const char *folder, const char *file, char *to) {
  snprintf(to, JOB_PATH, "%.4000s/%s", folder, file);
}

static bool failed(const char *what, const char *name, char *why) {
  snprintf(why, JOB_WHY, "cannot %s '%.512s': %s", what, name, strerror(errno));
  return false;
}

// A file that appears whole. It is not brought to the disk, which would take longer than a short
// run: after a power failure a job is made again.
bool job_write(const char *name, const char *text, size_t bytes) {
  char aside[JOB_PATH + 8];
  snprintf(aside, sizeof aside, "%s.part", name);
  FILE *f = fopen(aside, "we");
  if (!f)
    return false;
  const bool ok = fwrite(text, 1, bytes, f) == bytes;
  return (fclose(f) == 0) && ok && rename(aside, name) == 0;
}

static void empty(const char *folder) {
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));) {
    char name[JOB_PATH];
    job_path(folder, e->d_name, name);
    if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
      unlink(name);
  }
  if (d)
    closedir(d);
}

void job_remove(const char *folder) {
  empty(folder);
  rmdir(folder);
}

bool job_make(const char *folder, const job_what *what, char *why) {
  char name[JOB_PATH], *text = NULL;
  size_t bytes;
  if (mkdir(folder, 0777) && errno != EEXIST)
    return failed("make the folder", folder, why);
  empty(folder);
  FILE *f = open_memstream(&text, &bytes);
  if (!f)
    abort();
  fprintf(f, "seconds %g\nmegabytes %g\nbuild %s\n", what->seconds, what->megabytes,
          what->build ? what->build : "any");
  for (size_t k = 0; k < what->n; k++)
    fprintf(f, "%s\n", what->words[k]);
  fclose(f);
  job_path(folder, "command", name);
  const bool ok = job_write(name, text, bytes);
  free(text);
  return ok || failed("write", name, why);
}

// ---- result: lines of a key, a blank and the rest

static const char *line_of(const char *text, const char *key, char *to, size_t bytes) {
  const size_t n = strlen(key);
  *to = 0;
  for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n')
    if (strncmp(p, key, n) == 0 && p[n] == ' ')
      snprintf(to, bytes, "%.*s", (int)strcspn(p + n + 1, "\n"), p + n + 1);
  return to;
}

bool job_read(const char *folder, job_result *to, bool *there, char *why) {
  char name[JOB_PATH], word[64];
  job_path(folder, "result", name);
  char *text = file_contents(name, NULL);
  *to = (job_result){0};
  *there = text || errno != ENOENT;
  if (!text)
    return failed("read", name, why);
  line_of(text, "outcome", to->outcome, sizeof to->outcome);
  line_of(text, "message", to->message, sizeof to->message);
  line_of(text, "host", to->host, sizeof to->host);
  line_of(text, "started", to->started, sizeof to->started);
  to->seconds = strtod(line_of(text, "seconds", word, sizeof word), NULL);
  to->cpu_seconds = strtod(line_of(text, "cpu_seconds", word, sizeof word), NULL);
  to->memory = strtoull(line_of(text, "memory", word, sizeof word), NULL, 10);
  free(text);
  if (!*to->outcome) {
    snprintf(why, JOB_WHY, "'%.512s' is not the result of a run", name);
    return false;
  }
  job_path(folder, "statistics", name);
  to->statistics = file_contents(name, NULL);
  if (to->statistics)
    return true;
  job_path(folder, "output", name);
  to->statistics = file_contents(name, NULL);
  if (to->statistics && *to->statistics != '{') {
    free(to->statistics);
    to->statistics = NULL;
  }
  return true;
}

// SPDX-License-Identifier: Apache-2.0
#include "advice.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const struct {
  const char *message, *advice;
} known[] = {
    {": error: reference to __global__ function",
     "kernels cannot launch kernels (dynamic parallelism): launch from the host, or call a "
     "__device__ function"},
    {": error: no matching function for call to 'cudaDeviceSynchronize'",
     "kernels cannot wait for kernels (dynamic parallelism): wait on the host"},
};

// A message that has advice: the place in front of it, and what to do.
static void advise_line(char *line) {
  for (size_t n = 0; n < sizeof known / sizeof *known; n++) {
    char *at = strstr(line, known[n].message);
    if (!at)
      continue;
    *at = 0;
    fprintf(stderr, "mpu: %s: %s\n", line, known[n].advice);
    return;
  }
}

// The messages of the command as a stream, and its process. NULL: it did not start.
static FILE *messages_of(const command *c, pid_t *child) {
  posix_spawn_file_actions_t actions;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return NULL;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  const int e = posix_spawnp(child, c->words[0], &actions, NULL, c->words, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  FILE *f = e ? NULL : fdopen(ends[0], "r");
  if (!f)
    close(ends[0]);
  return f;
}

void advise(const command *c) {
  char *line = NULL;
  size_t bytes = 0;
  pid_t child = 0;
  FILE *f = messages_of(c, &child);
  while (f && getline(&line, &bytes, f) > 0)
    advise_line(line);
  free(line);
  if (f)
    fclose(f);
  if (child > 0)
    waitpid(child, NULL, 0);
}

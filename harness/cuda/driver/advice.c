// SPDX-License-Identifier: Apache-2.0
#include "advice.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATH_BYTES = 4200 };

#define CLUSTERS \
  "there are no clusters of blocks: use the block, or the grid of a cooperative launch"
#define DEVICES "a grid is on one device: use cooperative_groups::this_grid()"
#define LIBRARY "this library of the vendor is not there: docs/libraries.md lists those that are"
#define HOST                                                                                   \
  "device code cannot call a function of the host: make it __host__ __device__; calls of the " \
  "runtime belong on the host"

// What clang says, from the colon behind the place on.
static const struct {
  const char *message, *advice;
} known[] = {
    {": error: reference to __global__ function",
     "kernels cannot launch kernels (dynamic parallelism): launch from the host, or call a "
     "__device__ function"},
    {": error: no matching function for call to 'cudaDeviceSynchronize'",
     "kernels cannot wait for kernels (dynamic parallelism): wait on the host"},
    {": error: \"mma.h: there are no tensor cores",
     "there are no tensor cores (nvcuda::wmma): multiply with fma, or compile the program's other "
     "path"},
    {": error: Support for dynamic alloca",
     "the stack has a fixed size: use an array of constant size, or malloc"},
    {": error: cannot use 'throw' in",
     "kernels have no exceptions: return what is wrong, or use assert or __trap()"},
    {": error: cannot use 'try' in",
     "kernels have no exceptions: return what is wrong, or use assert or __trap()"},
    {": error: CUDA device code does not support variadic functions",
     "device code has no variadic functions: use a variadic template"},
    {": error: there are no clusters of blocks", CLUSTERS},
    {": error: no type named 'cluster_group'", CLUSTERS},
    {": error: no member named 'this_cluster'", CLUSTERS},
    {": error: no type named 'multi_grid_group'", DEVICES},
    {": error: no member named 'this_multi_grid'", DEVICES},
    {": fatal error: 'cuda_fp8.h' file not found",
     "there are no numbers of 8 bits: use cuda_fp16.h or cuda_bf16.h"},
    {": fatal error: 'cusparse", LIBRARY},
    {": fatal error: 'cudnn", LIBRARY},
    {": fatal error: 'cusolver", LIBRARY},
    {": fatal error: 'cutensor", LIBRARY},
    {": fatal error: 'npp", LIBRARY},
    {": fatal error: 'nccl.h'", LIBRARY},
    {": fatal error: 'nvml.h'", LIBRARY},
    {": fatal error: 'nvJitLink.h'", LIBRARY},
    {": fatal error: 'nvjpeg.h'", LIBRARY},
    {": error: reference to __host__ function", HOST},
    {": error: reference to __host__ variable",
     "the host's variables are not on the device: make it __device__ or __constant__, or pass it"},
};
// In a note behind the error that it explains.
static const char host_note[] = "call to __host__ function from";

static void say(const char *place, const char *text) {
  fprintf(stderr, "mpu: %s: %s\n", place, text);
}

typedef struct reading {      // of the messages
  char includer[PATH_BYTES];  // of the header that the next one is about, FILE:LINE
  char open[PATH_BYTES];      // the place of an error without advice so far
} reading;

static void keep(char to[PATH_BYTES], const char *text, size_t length) {
  snprintf(to, PATH_BYTES, "%.*s", (int)length, text);
}

static bool advise_error(reading *r, char *line) {
  for (size_t n = 0; n < sizeof known / sizeof *known; n++) {
    char *at = strstr(line, known[n].message);
    if (!at)
      continue;
    *at = 0;  // of an #error in our headers the place is that of the #include
    say(strchr(known[n].message, '"') && *r->includer ? r->includer : line, known[n].advice);
    return true;
  }
  return false;
}

// A message that has advice: the place in front of it, and what to do.
static void advise_line(reading *r, char *line) {
  static const char included[] = "In file included from ";
  char *at;
  if (strncmp(line, included, sizeof included - 1) == 0) {
    const char *from = line + sizeof included - 1;
    keep(r->includer, from, strcspn(from, "\n") - 1);
  } else if (advise_error(r, line)) {
    *r->open = 0;
  } else if ((at = strstr(line, ": error: "))) {
    keep(r->open, line, (size_t)(at - line));
    *r->includer = 0;
  } else if (*r->open && strstr(line, host_note)) {
    say(r->open, HOST);
    *r->open = 0;
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
  reading r = {0};
  char *line = NULL;
  size_t bytes = 0;
  pid_t child = 0;
  FILE *f = messages_of(c, &child);
  while (f && getline(&line, &bytes, f) > 0)
    advise_line(&r, line);
  free(line);
  if (f)
    fclose(f);
  if (child > 0)
    waitpid(child, NULL, 0);
}

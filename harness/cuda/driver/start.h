// SPDX-License-Identifier: Apache-2.0
// How mpu starts a compiled program: with settings in its environment (docs/cuda.md), and with a
// checkpoint, which says all of this again.
#ifndef NEARBANK_START_H
#define NEARBANK_START_H

#include <stdbool.h>
#include <stddef.h>

enum { START_SETTINGS = 48 };

// Strings stay the caller's.
typedef struct start {
  const char *program;
  char **arguments;
  size_t count;
  size_t settings;
  struct {
    const char *name, *value;  // NULL: to be unset
  } setting[START_SETTINGS];
} start;

// With no setting: what the environment has of a run's settings does not reach the program, but for
// what it may say for all runs.
start start_of(const char *program, char **arguments, size_t count);
void start_set(start *s, const char *name, const char *value);  // also once more

// Programs get large pages of the host where it has them: what 128 cores keep is more than its
// tables of small ones reach.
void start_large_pages(void);

bool start_threads_ok(const char *value);     // else there was a message
int start_checkpoint_free(const char *file);  // 0, or EXIT_USAGE: it is one already

// Returns only when it cannot. With the checkpoint `file`, or NULL; `create`: which gets its head.
int start_program(const start *s, const char *file, bool create);
// The program of a checkpoint, from there on; threads NULL: as many as it was started with;
// `unchecked`: what it did before is not compared. Returns only when it cannot.
int start_resume(const char *file, const char *threads, bool unchecked);

#endif

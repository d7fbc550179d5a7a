// SPDX-License-Identifier: Apache-2.0
// Where jobs are executed: on this host, by a batch system, on other hosts. A place starts jobs and
// says which of them cannot come to an end any more; what came out is in their folders
// (study/job), which all places can read and write.
#ifndef NEARBANK_PLACE_H
#define NEARBANK_PLACE_H

#include <stdbool.h>
#include <stddef.h>

enum { PLACE_WHY = 1024 };

typedef struct place place;

typedef struct place_ops {
  const char *name;  // "here", "slurm", "ssh"
  // The job is to be started at the next flush. False: `why`.
  bool (*add)(place *p, const char *folder, char *why);
  bool (*flush)(place *p, char *why);
  // After flush: what names the job for other processes, when it outlives this one; NULL: it does
  // not.
  const char *(*where)(place *p, const char *folder);
  // Goes on with a job that another process has started, and that `where` names. False: it is not
  // one of this place.
  bool (*adopt)(place *p, const char *folder, const char *where);
  // It neither waits nor runs: a result that is not there now will not come.
  bool (*gone)(place *p, const char *folder);
  // Returns when a job may have ended, or after so many milliseconds.
  void (*wait)(place *p, int ms);
  // The job is not needed any more: its result was read, or it is gone.
  void (*forget)(place *p, const char *folder);
  // Ends everything that would end with this process, and frees the place.
  void (*stop)(place *p);
} place_ops;

// The head of each place.
struct place {
  const place_ops *ops;
  size_t capacity;  // jobs at a time, running or waiting
};

// Processes of this host, `jobs` at a time.
place *place_here(size_t jobs);

#endif

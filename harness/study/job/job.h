// SPDX-License-Identifier: Apache-2.0
// A job: one run of the tool as a folder, wherever it is executed. Who wants a run makes the
// folder, `mpu job FOLDER` executes it there, and what came out is read from the folder:
//   command     limits and build in the first three lines; words of the command line behind `mpu`
//   output, log standard output and error
//   statistics  what --stats wrote
//   result      how it ended; it appears last, whole
#ifndef NEARBANK_JOB_H
#define NEARBANK_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JOB_WORDS = 128, JOB_WHY = 1024 };

// Words of a command in which these stand for places that differ between hosts.
#define JOB_STATISTICS "@statistics@"  // the file `statistics`; with more behind it, one beside it
#define JOB_ROOT "@root@"              // at the beginning of a word: the checkout

typedef struct job_what {
  double seconds, megabytes;  // limits; 0: none
  const char *build;          // hash_build of it, which has to be the same there; NULL: any
  size_t n;
  const char *words[JOB_WORDS];
} job_what;

typedef struct job_result {
  char outcome[16], message[1024], host[64], started[32];
  double seconds, cpu_seconds;
  uint64_t memory;   // bytes
  char *statistics;  // JSON; NULL: none. The caller frees it
} job_result;

// Makes the folder; one that is there is emptied. False: `why`.
bool job_make(const char *folder, const job_what *what, char *why);
// Executes it; the exit status of `mpu job`: 0 when `result` was written, whatever the run did.
int job_run(const char *folder);
// False with *there: `why` says what is wrong with it; without: it has not ended.
bool job_read(const char *folder, job_result *to, bool *there, char *why);
void job_remove(const char *folder);

// ---- job_text.c: for hosts that do not see the folder, as texts without control characters

// The job as one word that no shell changes, with the folder where this process is. NULL: `why`;
// the caller frees it.
char *job_text(const char *folder, char *why);
// Executes it in a folder of its own, prints what came out, a line a file, the result last, and
// removes the folder. Returns an exit status as job_run does.
int job_run_text(const char *text);
// Such a line: puts the file into the folder. *result: it was the result. False: `why`.
bool job_take(const char *folder, const char *line, bool *result, char *why);

#endif

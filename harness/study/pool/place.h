// SPDX-License-Identifier: Apache-2.0
// Where jobs are executed: on this host, by a batch system, on other hosts. A place starts jobs and
// says which of them cannot come to an end any more; what came out is in their folders
// (study/job), which this process reads.
#ifndef NEARBANK_PLACE_H
#define NEARBANK_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "harness/study/job/job.h"

enum { PLACE_WHY = 1024, PLACE_MANY = 10000 };

typedef struct place place;

// What became of a job.
typedef enum place_end {
  PLACE_BUSY,  // waits or runs
  PLACE_DIED,  // is over; if it left no result, the run itself is to blame: `outcome`, `message`
  PLACE_LOST,  // is over without a result, and the run is not to blame: `message`
} place_end;

typedef struct place_how {
  char outcome[16];  // as of a run: killed, time, memory
  char message[PLACE_WHY];
} place_how;

typedef struct place_ops {
  const char *name;   // "here", "slurm", "ssh"
  const char *doing;  // what its jobs do, for progress: "running"
  // Called once, before all others but stop, and only when there is something to run. False: the
  // place cannot be used, `why`.
  bool (*open)(place *p, char *why);
  // Looks whether a process that was killed has left a job of this folder, which still waits or
  // runs: goes on with it. Called before the folder is made. False: nobody can say, `why`.
  bool (*find)(place *p, const char *folder, bool *found, char *why);
  // The job is to be started at the next flush. False: `why`.
  bool (*add)(place *p, const char *folder, const job_what *what, char *why);
  // False: some could not be started, `why`.
  bool (*flush)(place *p, char *why);
  // After flush: what names the job for other processes; NULL: it is over. This and adopt are
  // themselves NULL where jobs end with this process.
  const char *(*where)(place *p, const char *folder);
  // Goes on with a job that another process has started, and that `where` names. False: it is not
  // one of this place.
  bool (*adopt)(place *p, const char *folder, const char *where);
  // Unless it is PLACE_BUSY, a result that is not there now will not come. *how: of one that left
  // none.
  place_end (*gone)(place *p, const char *folder, place_how *how);
  // Returns when a job may have ended, after a signal, or after so many milliseconds.
  void (*wait)(place *p, int ms);
  // The job is not needed any more: its result was read, or it is gone.
  void (*forget)(place *p, const char *folder);
  // What goes on after stop, and how to end it, as a sentence; false: nothing does.
  bool (*left)(place *p, char to[PLACE_WHY]);
  // Ends everything that would end with this process, and frees the place.
  void (*stop)(place *p);
} place_ops;

// The head of each place.
struct place {
  const place_ops *ops;
  size_t capacity;       // jobs at a time, running or waiting
  char note[PLACE_WHY];  // what users should know now (place_say); who has shown it empties it
};

typedef struct place_options {
  const char *on;     // "here", "slurm", "ssh:HOSTS"; NULL: here
  const char *slurm;  // options of sbatch, in one text; NULL: none
  size_t jobs;        // at a time: here, of an array job, of each host; 0: what the place can do
  unsigned threads;   // of each job; 0: 1
} place_options;

// Jobs at a time on this host, if nothing is asked for: one for each of its processors, or fewer
// if each has several threads.
size_t place_jobs(unsigned threads);

// NULL: `why`. A place that is not here takes PLACE_MANY jobs at a time.
place *place_named(const place_options *o, char *why);

// For places: adds a line to the note, "mpu: " before it unless it is the first.
void place_say(place *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

// For places: the beginning of a command line that starts the tool that runs now, for a shell of
// another host.
void place_put_tool(FILE *f);

// Processes of this host, `jobs` at a time.
place *place_here(size_t jobs);
// Array jobs of Slurm (slurm.c), of which `jobs` run at a time (0: any). NULL: `why`.
place *place_slurm(const place_options *o, char *why);
// Jobs of GNU parallel on other hosts (ssh.c), `jobs` a host (0: as many as its processors have
// room for). `hosts`: as --sshlogin has them, or the name of a file, as --sshloginfile has it.
place *place_ssh(const char *hosts, const place_options *o);

#endif

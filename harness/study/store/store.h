// SPDX-License-Identifier: Apache-2.0
// The store of runs: an SQLite file, one row a run, which several processes may use at a time. What
// its tables hold is described in docs/study.md, for those who read it with other programs.
//
// A run is named by its key, a text that says all that its result depends on (study/plan). Whoever
// wants to execute it claims the key first. A claim lasts as long as the process that made it:
// each process that has opened a store for writing holds a lock on a byte of STORE.lock, the byte
// of its number, which the system takes away however the process ends. A claim whose owner is gone
// is void. A claim can be handed over to a batch system (store_hand), and is void then when the
// caller says so.
//
// Nothing here prints; false and NULL come with a line in `why`: what is wrong, where, what to do.
#ifndef NEARBANK_STORE_H
#define NEARBANK_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "harness/study/tree/tree.h"

enum { STORE_SCHEMA = 1, STORE_WHY = 1024 };

typedef struct store store;

// What a run is. Texts are the caller's; of a run that was read they live until store_run_free.
typedef struct store_run {
  int64_t id;
  const char *key;            // all that the result depends on: hash of the lines below
  const char *tool;           // command of mpu that was run: run, dram, noc, machine
  const char *program;        // kernels/tiled/axpy; empty for tools without one
  const char *arguments;      // of the program, as a shell has them
  const char *command;        // the whole command line
  const char *machine;        // preset or file, and --set, as a command line has them
  const char *configuration;  // flat form; empty for tools without one
  const char *near;           // c, rtl, lockstep, none
  const char *program_hash, *configuration_hash, *build_hash;
  // the result
  const char *outcome;  // pass, none (no check), fail, fault, differ, killed, memory, time, error
  const char *message;  // of what is not pass or none: what the run said last
  const char *build;    // release and commit, as the statistics have it
  const char *host;     // where it ran
  const char *started;  // UTC, 2026-01-31T12:00:00Z
  double seconds, cpu_seconds;
  uint64_t memory;         // bytes, at most, of the host
  const char *statistics;  // JSON as the run wrote it (kept compressed); NULL: none
} store_run;

typedef enum store_state {
  STORE_NONE,     // nobody has run it
  STORE_DONE,     // outcome pass or none
  STORE_FAILED,   // another outcome
  STORE_RUNNING,  // claimed by a process that lives, or handed to a batch system
  STORE_MINE      // claimed by this process
} store_state;

// Opens or makes it. `write` false: it must be there, and is only read. A store of a later schema
// is refused, an older one is brought up to date.
store *store_open(const char *file, bool write, char *why);
void store_close(store *s);  // also NULL; gives up claims
const char *store_name(const store *s);

// Of a key; *id: its row, when there is one.
store_state store_look(store *s, const char *key, int64_t *id);
// Takes the key for this process, when it is none, was claimed by somebody who is gone, or has
// failed and `again`. *to: STORE_MINE when it worked, otherwise what it is. False: the store
// failed.
bool store_claim(store *s, const store_run *what, bool again, store_state *to, char *why);
// Ends a claim of this process with its result and its counters. The row is complete in one
// transaction, or not there.
bool store_finish(store *s, const store_run *result, const values *counters, char *why);
// Gives a claim back, as if it had not been made.
bool store_drop(store *s, const char *key, char *why);
// A claim that outlives the process: `where` names the job ("slurm 17_3"). Any process may finish
// it or take it back.
bool store_hand(store *s, const char *key, const char *where, char *why);
const char *store_handed(store *s, const char *key, char *to, size_t bytes);  // NULL: it is not
bool store_take_back(store *s, const char *key, char *why);

// The row of a run: by its id. False: there is none, or it cannot be read.
bool store_read(store *s, int64_t id, bool statistics, store_run *to, char *why);
void store_run_free(store_run *r);
bool store_counters(store *s, int64_t id, values *to, char *why);
// The median of seconds of runs that ended well, with this program, these arguments and this near
// side: of the same machine, or of any. 0: none.
double store_seconds(store *s, const char *program, const char *arguments, const char *near,
                     const char *configuration_hash);
// The latest run with the same tool, program, arguments, machine and near side, whatever its
// program and build were: for telling why it has to be run again. 0: none.
int64_t store_before(store *s, const store_run *what);
// All rows, latest first: false from `take` ends it.
bool store_each(store *s, bool (*take)(void *ctx, const store_run *r), void *ctx, char *why);

#endif

// SPDX-License-Identifier: Apache-2.0
// The store of runs: an SQLite file, one row a run, which several processes may use at a time. What
// its tables hold is described in docs/store.md, for those who read it with other programs.
//
// A run is named by its key, a text that says all that its result depends on (study/plan). Whoever
// wants to execute it claims the key first. A claim lasts as long as the process that made it:
// each process that has opened a store for writing holds a lock on a byte of STORE.lock, the byte
// of its number, which the system takes away however the process ends. A claim whose owner is gone
// is void: it counts as not made, and the row that it made, if any, is not shown. A claim can be
// handed over to a batch system (store_hand), and is void then when the caller says so.
//
// Nothing here prints; false and NULL come with a line in `why`: what is wrong, where, what to do.
// Nothing is changed then. Calls wait up to STORE_WAIT seconds for other processes.
//
// A store belongs to one thread of the process that opened it. A child of fork may not use it: it
// may exec, which closes what the store has open, or end; store_close does nothing there. Until
// then it keeps the claims of its parent, should that be killed. While a store is open, its process
// must not open the file in another way: closing that would take away the locks of SQLite.
#ifndef NEARBANK_STORE_H
#define NEARBANK_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "harness/study/tree/tree.h"

enum { STORE_SCHEMA = 1, STORE_WHY = 1024, STORE_WAIT = 60 };

typedef struct store store;

// What a run is. Texts are the caller's, NULL is as good as empty; of a run that was read they live
// until store_run_free, and only `statistics` can be NULL. In texts that are kept, each byte that
// is not UTF-8 becomes '?', because other programs could not read the row.
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
  // pass, none (no check), fail, fault, differ, killed, memory, time, error; of a row that was read
  // also empty: it has no result yet
  const char *outcome;
  const char *message;  // of what is not pass or none: what the run said last
  const char *build;    // release and commit, as the statistics have it
  const char *host;     // where it ran
  const char *started;  // UTC, 2026-01-31T12:00:00Z
  double seconds, cpu_seconds;
  uint64_t memory;         // bytes, at most, of the host
  const char *statistics;  // JSON as the run wrote it (kept compressed); NULL: none
  // of a row that was read: who executes it now ("HOST process 123", or what store_hand was told);
  // empty: nobody
  const char *claimed;
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

// Of a key. *id: its row, or 0.
bool store_look(store *s, const char *key, store_state *state, int64_t *id, char *why);
// Takes the key for this process, when it is none, was claimed by somebody who is gone, or has
// failed and `again`. *to: STORE_MINE when it worked, or was its own already; otherwise what it is.
// A failed run keeps its result until store_finish. False: the store failed.
bool store_claim(store *s, const store_run *what, bool again, store_state *to, char *why);
// Ends a claim of this process, or one that was handed over, with its result and its counters
// (after values_done; NULL: none). The row is complete in one transaction, or as it was. False: the
// claim stays (so that it can be tried again, after a full disk), or somebody else has it.
bool store_finish(store *s, const store_run *result, const values *counters, char *why);
// Gives a claim back, as if it had not been made.
bool store_drop(store *s, const char *key, char *why);
// Makes a claim of this process one that outlives it: `where`, not empty, names the job
// ("slurm 17_3"). Any process may finish it, or take it back when the job is gone: it counts as not
// made then. Taking back fails when it is not (or no longer) handed over to `where`.
bool store_hand(store *s, const char *key, const char *where, char *why);
bool store_take_back(store *s, const char *key, const char *where, char *why);
// To whom it was handed over. NULL: to nobody, or the store cannot be read.
const char *store_handed(store *s, const char *key, char *to, size_t bytes);

// The row of a run: by its id. False: there is none, or it cannot be read; *to can be freed.
bool store_read(store *s, int64_t id, bool statistics, store_run *to, char *why);
void store_run_free(store_run *r);
// Adds the counters of a run to *to; values_done is done.
bool store_counters(store *s, int64_t id, values *to, char *why);
// The median of seconds of runs that ended well, with this program, these arguments and this near
// side: of those with the same configuration; when there are none, or it is NULL, of any. 0: none,
// or the store cannot be read.
double store_seconds(store *s, const char *program, const char *arguments, const char *near,
                     const char *configuration_hash);
// The latest result with the same tool, program, arguments, machine and near side, whatever its
// program and build were: for telling why it has to be run again. 0: none, or the store cannot be
// read.
int64_t store_before(store *s, const store_run *what);
// All rows with a result or a claim, without statistics, latest first; those without a result
// before all. False from `take` ends it. The store is not locked meanwhile: `take` may use it.
bool store_each(store *s, bool (*take)(void *ctx, const store_run *r), void *ctx, char *why);

#endif

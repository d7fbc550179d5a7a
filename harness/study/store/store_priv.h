// SPDX-License-Identifier: Apache-2.0
// What the parts of the store share.
#ifndef NEARBANK_STORE_PRIV_H
#define NEARBANK_STORE_PRIV_H

#include <sqlite3.h>
#include <sys/types.h>
#include "store.h"

struct store {
  sqlite3 *db;
  char *file;       // as the caller named it
  char *lock_file;  // beside the file that this leads to
  int lock;         // -1: not open
  int64_t owner;    // its number; 0: only reads
  pid_t pid;        // that opened it
  int code;         // of SQLite, without its details: why the last call failed that did
};

// ---- sql.c: statements; each that fails says why

// `kinds`: a letter for each value: t text (NULL is empty), n text or NULL, i int64_t.
sqlite3_stmt *sql_start(store *s, char *why, const char *sql, const char *kinds, ...);
// The next row: 1; the end: 0; -1: failed.
int sql_step(store *s, sqlite3_stmt *q, char *why);
// All of a statement whose rows, if any, do not matter.
bool sql_do(store *s, char *why, const char *sql, const char *kinds, ...);
bool sql_all(store *s, char *why, const char *sql);  // statements without values
// The first number of the first row; `otherwise` when there is none, or it is NULL.
bool sql_number(store *s, char *why, int64_t otherwise, int64_t *to, const char *sql,
                const char *kinds, ...);
bool sql_text(sqlite3_stmt *q, int at,
              const char *text);              // as of t; each byte that is not UTF-8 as '?'
char *sql_copy(sqlite3_stmt *q, int column);  // NULL becomes ""
bool sql_begin(store *s, char *why);          // waits until it can write
// Keeps what was done since sql_begin when `ok`, and undoes it otherwise.
bool sql_end(store *s, bool ok, char *why);
// False, with why the last call of SQLite failed; errno was 0 before it.
bool sql_failed(store *s, char *why);
bool store_says(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- schema.c

// Is it a store, with a schema that can be read or, when `write`, brought up to date? *version:
// what it is, 0 of an empty file.
bool schema_look(store *s, bool write, int64_t *version, char *why);
bool schema_update(store *s, char *why);

// ---- owner.c

bool owner_lock(store *s, char *why);          // opens the lock file
bool owner_new(store *s, char *why);           // a number of its own, and the lock of its byte
bool owner_lives(store *s, int64_t number);    // also itself
void owner_end(store *s);                      // gives up the claims and the lock
char *utc_now(char *to, size_t bytes);         // 2026-01-31T12:00:00Z
const char *host_now(char *to, size_t bytes);  // its name

// ---- row.c: columns of a run, which are named like the members of store_run

// In their order. Those of a result are NULL until there is one.
#define STORE_WHAT(X) \
  X(key)              \
  X(tool)             \
  X(program)          \
  X(arguments)        \
  X(command) X(machine) X(configuration) X(near) X(program_hash) X(configuration_hash) X(build_hash)
#define STORE_RESULT(X) X(outcome) X(message) X(build) X(host) X(started)

// The row of a key as claims see it.
typedef struct claim {
  int64_t id;  // 0: none
  bool has_result, ended_well, handed;
  int64_t owner;  // 0: nobody, or somebody who is gone
} claim;

bool row_claim(store *s, const char *key, claim *to, char *why);
// A row without a result.
bool row_new(store *s, const store_run *what, const char *now, char *why);
// Its result, which ends a claim.
bool row_finish(store *s, int64_t id, const store_run *result, char *why);
// For row_read. Between its calls the statement keeps nothing locked.
sqlite3_stmt *row_select(store *s, bool statistics, char *why);
// 1: *to is the caller's; 0: no such row, or one without a result whose claim is void; -1: failed.
int row_read(store *s, sqlite3_stmt *q, int64_t id, store_run *to, char *why);

// ---- pack.c

// As zlib compresses it.
void *pack(const char *text, size_t *bytes);
// NULL: it is not `length` bytes, compressed so.
char *unpack(const void *from, size_t bytes, int64_t length);

#endif

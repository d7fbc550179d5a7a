// SPDX-License-Identifier: Apache-2.0
// A folder for the stores of a test, and runs to put into them.
#ifndef NEARBANK_STORE_FIXTURE_H
#define NEARBANK_STORE_FIXTURE_H

#include <sys/types.h>
#include "harness/study/store/store.h"

extern char why[STORE_WHY];
extern bool network;  // all file systems are taken for one

int folder_new(void **state);  // for cmocka_run_group_tests
int folder_end(void **state);
const char *in_folder(const char *name);  // lives as long

store *open_or_fail(const char *file);                          // for writing
void no_store(const char *file, bool write, const char *said);  // cannot be opened, and says so
bool says(const char *text);                                    // is it in `why`?
store_run a_run(const char *key);
void keep(store *s, const store_run *r);  // claims and finishes it, without counters
void claim_is(store *s, const char *key, bool again, store_state expected);
void look_is(store *s, const char *key, store_state expected);

// With SQLite alone: statements, and one number.
void raw(const char *file, const char *sql);
long long raw_number(const char *file, const char *sql);
void is_whole(const char *file);

// In a child process, which ends with what `body` returns.
pid_t apart(int (*body)(void));
int ended(pid_t pid);  // its status; 256 when a signal ended it

#endif

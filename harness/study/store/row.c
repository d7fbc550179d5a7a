// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "store_priv.h"

// ---- texts of a run, in the order of the columns

#define AT(member) offsetof(store_run, member),
static const size_t texts[] = {STORE_WHAT(AT) STORE_RESULT(AT)};
#define ONE(member) +1
enum { WHAT = 0 STORE_WHAT(ONE), TEXTS = WHAT STORE_RESULT(ONE) };

static const char **text_of(store_run *r, int k) {
  return (const char **)((char *)r + texts[k]);
}

static bool bind_texts(sqlite3_stmt *q, const store_run *r, int n) {
  bool ok = true;
  for (int k = 0; k < n; k++)
    ok = ok && sql_text(q, k + 1, *text_of((store_run *)r, k));
  return ok;
}

// ---- claims

bool row_claim(store *s, const char *key, claim *to, char *why) {
  sqlite3_stmt *q = sql_start(s, why,
                              "select id, outcome is not null, outcome in ('pass', 'none'), "
                              "handed is not null, owner from runs where key = ?",
                              "t", key);
  const int got = q ? sql_step(s, q, why) : -1;
  *to = (claim){0};
  if (got > 0)
    *to = (claim){.id = sqlite3_column_int64(q, 0),
                  .has_result = sqlite3_column_int(q, 1),
                  .ended_well = sqlite3_column_int(q, 2),
                  .handed = sqlite3_column_int(q, 3),
                  .owner = sqlite3_column_int64(q, 4)};
  sqlite3_finalize(q);
  if (to->owner && !owner_lives(s, to->owner))
    to->owner = 0;
  return got >= 0;
}

// ---- writing

#define NAME(member) #member ", "
#define MARK(member) "?, "
#define OF_RUN(member) "runs." #member ", "
#define SET(member) #member " = ?, "

bool row_new(store *s, const store_run *what, const char *now, char *why) {
  sqlite3_stmt *q = sql_start(s, why,
                              "insert into runs(" STORE_WHAT(NAME) "owner, claimed) values("  //
                              STORE_WHAT(MARK) "?, ?)",
                              "");
  const bool ok =
      q && (bind_texts(q, what, WHAT) && sqlite3_bind_int64(q, WHAT + 1, s->owner) == SQLITE_OK &&
                    sql_text(q, WHAT + 2, now)
                ? sql_step(s, q, why) == 0
                : sql_failed(s, why));
  sqlite3_finalize(q);
  return ok;
}

bool row_finish(store *s, int64_t id, const store_run *r, char *why) {
  sqlite3_stmt *q = sql_start(s, why,
                              "update runs set " STORE_WHAT(SET) STORE_RESULT(SET)  //
                              "seconds = ?, cpu_seconds = ?, memory = ?, owner = null, "
                              "handed = null, claimed = null where id = ?",
                              "");
  const int64_t memory = r->memory > INT64_MAX ? INT64_MAX : (int64_t)r->memory;
  const bool ok =
      q && (bind_texts(q, r, TEXTS) && sqlite3_bind_double(q, TEXTS + 1, r->seconds) == SQLITE_OK &&
                    sqlite3_bind_double(q, TEXTS + 2, r->cpu_seconds) == SQLITE_OK &&
                    sqlite3_bind_int64(q, TEXTS + 3, memory) == SQLITE_OK &&
                    sqlite3_bind_int64(q, TEXTS + 4, id) == SQLITE_OK
                ? sql_step(s, q, why) == 0
                : sql_failed(s, why));
  sqlite3_finalize(q);
  return ok;
}

// ---- reading

enum { SECONDS = TEXTS, CPU_SECONDS, MEMORY, OWNER, HANDED, HOST, PID, BYTES, JSON };

sqlite3_stmt *row_select(store *s, bool statistics, char *why) {
  return sql_start(s, why,
                   "select " STORE_WHAT(OF_RUN) STORE_RESULT(OF_RUN)  //
                   "seconds, cpu_seconds, memory, owner, handed, owners.host, pid, bytes, json "
                   "from runs left join owners on owners.id = owner "
                   "left join statistics on statistics.run = runs.id and ?1 where runs.id = ?2",
                   "i", (int64_t)statistics);
}

static char *claimed_by(store *s, sqlite3_stmt *q) {
  if (sqlite3_column_type(q, HANDED) != SQLITE_NULL)
    return sql_copy(q, HANDED);
  const int64_t owner = sqlite3_column_int64(q, OWNER);
  char *text = owner && owner_lives(s, owner)
                   ? sqlite3_mprintf("%s process %lld", sqlite3_column_text(q, HOST),
                                     (long long)sqlite3_column_int64(q, PID))
                   : sqlite3_mprintf("");
  if (!text)
    abort();
  char *copy = strdup(text);
  if (!copy)
    abort();
  sqlite3_free(text);
  return copy;
}

int row_read(store *s, sqlite3_stmt *q, int64_t id, store_run *to, char *why) {
  *to = (store_run){0};
  sqlite3_bind_int64(q, 2, id);
  const int got = sql_step(s, q, why);
  if (got <= 0)
    return got;
  to->id = id;
  for (int k = 0; k < TEXTS; k++)
    *text_of(to, k) = sql_copy(q, k);
  to->seconds = sqlite3_column_double(q, SECONDS);
  to->cpu_seconds = sqlite3_column_double(q, CPU_SECONDS);
  to->memory = (uint64_t)sqlite3_column_int64(q, MEMORY);
  to->claimed = claimed_by(s, q);
  int found = 1;
  if (sqlite3_column_type(q, JSON) != SQLITE_NULL) {
    to->statistics = unpack(sqlite3_column_blob(q, JSON), (size_t)sqlite3_column_bytes(q, JSON),
                            sqlite3_column_int64(q, BYTES));
    if (!to->statistics) {
      found = -1;
      store_says(why,
                 "'%s' is damaged: the statistics of run %lld cannot be unpacked; run it again "
                 "in a new store, or use a copy from before",
                 s->file, (long long)id);
    }
  }
  // a claim of somebody who is gone has left no result
  if (found > 0 && !*to->outcome && !*to->claimed)
    found = 0;
  sqlite3_reset(q);  // ends its transaction
  if (found <= 0)
    store_run_free(to);
  return found;
}

void store_run_free(store_run *r) {
  for (int k = 0; k < TEXTS; k++)
    free((char *)*text_of(r, k));
  free((char *)r->statistics);
  free((char *)r->claimed);
  *r = (store_run){0};
}

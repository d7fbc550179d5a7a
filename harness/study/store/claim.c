// SPDX-License-Identifier: Apache-2.0
// Who executes what, and results. Each call that writes is one transaction that looks first and
// then changes; writers take turns, so nobody changes in between what was looked at.
#include <assert.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "store_priv.h"

static store_state state_of(const store *s, const claim *c) {
  if (c->handed || c->owner)
    return !c->handed && c->owner == s->owner ? STORE_MINE : STORE_RUNNING;
  return c->ended_well ? STORE_DONE : c->has_result ? STORE_FAILED : STORE_NONE;
}

bool store_look(store *s, const char *key, store_state *state, int64_t *id, char *why) {
  claim c;
  const bool ok = row_claim(s, key, &c, why);
  *state = state_of(s, &c);
  *id = *state == STORE_NONE ? 0 : c.id;
  return ok;
}

static bool take(store *s, const store_run *what, const claim *c, char *why) {
  char now[32];
  utc_now(now, sizeof now);
  if (c->has_result)
    return sql_do(s, why, "update runs set owner = ?, claimed = ? where id = ?", "iti", s->owner,
                  now, c->id);
  return sql_do(s, why, "delete from runs where id = ?", "i", c->id) && row_new(s, what, now, why);
}

bool store_claim(store *s, const store_run *what, bool again, store_state *to, char *why) {
  claim c = {0};
  assert(s->owner);
  *to = STORE_NONE;
  if (!sql_begin(s, why))
    return false;
  bool ok = row_claim(s, what->key, &c, why);
  *to = state_of(s, &c);
  if (ok && (*to == STORE_NONE || (*to == STORE_FAILED && again))) {
    *to = STORE_MINE;
    ok = take(s, what, &c, why);
  }
  return sql_end(s, ok, why);
}

// ---- results

static bool put_counters(store *s, int64_t id, const values *counters, char *why) {
  sqlite3_stmt *q =
      sql_start(s, why, "insert into counters(run, name, value) values(?, ?, ?)", "i", id);
  bool ok = q;
  for (size_t k = 0; ok && k < counters->n; k++) {
    const value *v = &counters->all[k];
    assert(!k || strcmp(counters->all[k - 1].name, v->name) < 0);  // values_done
    ok = sqlite3_reset(q) == SQLITE_OK && sql_text(q, 2, v->name) &&
         sqlite3_bind_double(q, 3, v->number) == SQLITE_OK;
    ok = ok ? sql_step(s, q, why) == 0 : sql_failed(s, why);
  }
  sqlite3_finalize(q);
  return ok;
}

static bool put_statistics(store *s, int64_t id, const void *json, size_t bytes, size_t length,
                           char *why) {
  sqlite3_stmt *q = sql_start(s, why, "insert into statistics(run, bytes, json) values(?, ?, ?)",
                              "ii", id, (int64_t)length);
  bool ok = q && (sqlite3_bind_blob64(q, 3, json, bytes, SQLITE_STATIC) == SQLITE_OK ||
                  sql_failed(s, why));
  ok = ok && sql_step(s, q, why) == 0;
  sqlite3_finalize(q);
  return ok;
}

bool store_finish(store *s, const store_run *r, const values *counters, char *why) {
  claim c;
  size_t bytes = 0;
  assert(s->owner && r->outcome && *r->outcome);
  void *json = r->statistics ? pack(r->statistics, &bytes) : NULL;  // before others have to wait
  bool ok = sql_begin(s, why);
  if (ok) {
    ok = row_claim(s, r->key, &c, why);
    if (ok && !c.handed && c.owner != s->owner)
      ok = store_says(why,
                      "the result of run %s is not kept in '%s': this process does not have the "
                      "claim (any more)",
                      r->key, s->file);
    ok = ok && row_finish(s, c.id, r, why) &&
         sql_do(s, why, "delete from statistics where run = ?", "i", c.id) &&
         sql_do(s, why, "delete from counters where run = ?", "i", c.id) &&
         (!json || put_statistics(s, c.id, json, bytes, strlen(r->statistics), why)) &&
         (!counters || put_counters(s, c.id, counters, why));
    ok = sql_end(s, ok, why);
  }
  free(json);
  return ok;
}

// ---- without results

// The claim of `owner`, or of the job `handed`.
static bool give_up(store *s, const char *key, int64_t owner, const char *handed, char *why) {
  assert(s->owner);
  if (!sql_begin(s, why))
    return false;
  bool ok = sql_do(s, why,
                   "delete from runs where key = ? and (owner = ? or handed = ?) and "
                   "outcome is null",
                   "tin", key, owner, handed);
  if (ok && !sqlite3_changes(s->db)) {
    ok = sql_do(s, why,
                "update runs set owner = null, handed = null, claimed = null where key = ? and "
                "(owner = ? or handed = ?)",
                "tin", key, owner, handed);
    if (ok && !sqlite3_changes(s->db))
      ok = handed ? store_says(why, "run %s of '%s' is not handed over to '%s' (any more)", key,
                               s->file, handed)
                  : store_says(why, "run %s of '%s' is not claimed by this process (any more)", key,
                               s->file);
  }
  return sql_end(s, ok, why);
}

bool store_drop(store *s, const char *key, char *why) {
  return give_up(s, key, s->owner, NULL, why);
}

bool store_take_back(store *s, const char *key, const char *where, char *why) {
  return give_up(s, key, 0, where, why);
}

bool store_hand(store *s, const char *key, const char *where, char *why) {
  assert(s->owner && *where);
  if (!sql_begin(s, why))
    return false;
  bool ok = sql_do(s, why, "update runs set owner = null, handed = ? where key = ? and owner = ?",
                   "tti", where, key, s->owner);
  if (ok && !sqlite3_changes(s->db))
    ok = store_says(why, "run %s of '%s' is not claimed by this process (any more)", key, s->file);
  return sql_end(s, ok, why);
}

const char *store_handed(store *s, const char *key, char *to, size_t bytes) {
  char why[STORE_WHY];
  sqlite3_stmt *q =
      sql_start(s, why, "select handed from runs where key = ? and handed is not null", "t", key);
  const bool found = q && sql_step(s, q, why) > 0;
  if (found)
    snprintf(to, bytes, "%s", (const char *)sqlite3_column_text(q, 0));
  sqlite3_finalize(q);
  return found ? to : NULL;
}

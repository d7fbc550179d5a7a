// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include "store_priv.h"

bool store_read(store *s, int64_t id, bool statistics, store_run *to, char *why) {
  sqlite3_stmt *q = row_select(s, statistics, why);
  *to = (store_run){0};
  const int got = q ? row_read(s, q, id, to, why) : -1;
  sqlite3_finalize(q);
  return got ? got > 0 : store_says(why, "'%s' has no run %lld", s->file, (long long)id);
}

bool store_counters(store *s, int64_t id, values *to, char *why) {
  sqlite3_stmt *q =
      sql_start(s, why, "select name, value from counters where run = ? order by name", "i", id);
  int got = q ? 1 : -1;
  while (got > 0 && (got = sql_step(s, q, why)) > 0)
    values_add(to, (const char *)sqlite3_column_text(q, 0),
               sqlite3_column_type(q, 1) == SQLITE_NULL ? NAN : sqlite3_column_double(q, 1));
  sqlite3_finalize(q);
  values_done(to);
  return got == 0;
}

double store_seconds(store *s, const char *program, const char *arguments, const char *near,
                     const char *configuration_hash) {
  static const char median[] =
      "with all_of as (select seconds from runs where program = ?1 and arguments = ?2 and "
      "near = ?3 and (?4 is null or configuration_hash = ?4) and outcome in ('pass', 'none')) "
      "select avg(seconds) from (select seconds from all_of order by seconds "
      "limit 2 - (select count(*) from all_of) % 2 "
      "offset (select (count(*) - 1) / 2 from all_of))";
  char why[STORE_WHY];
  sqlite3_stmt *q = sql_start(s, why, median, "tttn", program, arguments, near, configuration_hash);
  const bool some = q && sql_step(s, q, why) > 0 && sqlite3_column_type(q, 0) != SQLITE_NULL;
  const double seconds = some ? sqlite3_column_double(q, 0) : 0;
  sqlite3_finalize(q);
  return some || !configuration_hash ? seconds : store_seconds(s, program, arguments, near, NULL);
}

int64_t store_before(store *s, const store_run *what) {
  char why[STORE_WHY];
  int64_t id;
  sql_number(s, why, 0, &id,
             "select id from runs where program = ? and arguments = ? and near = ? and "
             "machine = ? and tool = ? and outcome is not null order by started desc, id desc",
             "ttttt", what->program, what->arguments, what->near, what->machine, what->tool);
  return id;
}

bool store_each(store *s, bool (*take)(void *ctx, const store_run *r), void *ctx, char *why) {
  int64_t *ids = NULL;
  size_t n = 0, room = 0;
  sqlite3_stmt *q = sql_start(
      s, why, "select id from runs order by started is not null, started desc, id desc", "");
  int got = q ? 1 : -1;
  while (got > 0 && (got = sql_step(s, q, why)) > 0) {
    if (n == room && !(ids = realloc(ids, (room = 2 * room + 256) * sizeof *ids)))
      abort();
    ids[n++] = sqlite3_column_int64(q, 0);
  }
  sqlite3_finalize(q);
  // each row by itself: a long look at one must not make others wait
  q = got < 0 ? NULL : row_select(s, false, why);
  got = q ? 1 : -1;
  for (size_t k = 0; got >= 0 && k < n; k++) {
    store_run r;
    got = row_read(s, q, ids[k], &r, why);
    const bool more = got <= 0 || take(ctx, &r);
    store_run_free(&r);
    if (!more)
      break;
  }
  sqlite3_finalize(q);
  free(ids);
  return got >= 0;
}

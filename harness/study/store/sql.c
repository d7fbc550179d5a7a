// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "store_priv.h"

// ---- what went wrong

bool store_says(char *why, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(why, STORE_WHY, format, args);
  va_end(args);
  return false;
}

bool sql_failed(store *s, char *why) {
  const int error = errno;
  s->code = sqlite3_errcode(s->db) & 0xff;
  // SQLite knows of one way in which a file cannot grow; a quota and a limit of files are others
  const bool full = s->code == SQLITE_FULL || error == ENOSPC || error == EDQUOT || error == EFBIG;
  if (full && (s->code == SQLITE_FULL || s->code == SQLITE_IOERR))
    return store_says(why,
                      "cannot write '%s': %s; what it holds is whole: free some space there, or "
                      "move it to where there is more, and start again",
                      s->file, strerror(s->code == SQLITE_FULL ? ENOSPC : error));
  // a journal that was played back, and cannot be removed
  const bool closed = s->code == SQLITE_IOERR && (error == EACCES || error == EPERM);
  switch (closed ? SQLITE_CANTOPEN : s->code) {
    case SQLITE_BUSY:
      return store_says(why,
                        "'%s' has been locked by another program for %d s: end what writes it "
                        "('fuser %s' shows its processes), and start again",
                        s->file, STORE_WAIT, s->file);
    case SQLITE_CORRUPT:
      return store_says(why,
                        "'%s' is damaged (%s): save what can be read of it with: sqlite3 '%s' "
                        ".recover | sqlite3 NEW.db",
                        s->file, sqlite3_errmsg(s->db), s->file);
    case SQLITE_NOTADB:
      return store_says(why,
                        "'%s' is not a store of runs, or its beginning is damaged: it is not an "
                        "SQLite file; name another one",
                        s->file);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return store_says(why,
                        "cannot use '%s' where it is: SQLite has to write files beside it (%s); "
                        "copy it, with %s-wal or %s-journal, to a folder that can be written",
                        s->file, sqlite3_errmsg(s->db), s->file, s->file);
    case SQLITE_IOERR:
      return store_says(why, "cannot read or write '%s': %s (%s)", s->file,
                        error ? strerror(error) : "input or output failed", sqlite3_errmsg(s->db));
    default:
      return store_says(why, "cannot use '%s': %s", s->file, sqlite3_errmsg(s->db));
  }
}

// ---- texts

// Bytes of the character of UTF-8 that `at` begins with; 0: none does.
static size_t character(const unsigned char *at) {
  static const struct {
    unsigned char from, to, second_from, second_to;
    size_t bytes;
  } kinds[] = {
      {0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
      {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
      {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (*at < kinds[k].from || *at > kinds[k].to)
      continue;
    if (kinds[k].bytes > 1 && (at[1] < kinds[k].second_from || at[1] > kinds[k].second_to))
      return 0;
    for (size_t b = 2; b < kinds[k].bytes; b++)
      if ((at[b] & 0xc0) != 0x80)
        return 0;
    return kinds[k].bytes;
  }
  return 0;
}

bool sql_text(sqlite3_stmt *q, int at, const char *text) {
  char *copy = strdup(text ? text : "");
  if (!copy)
    abort();
  for (char *c = copy; *c;) {
    const size_t bytes = character((const unsigned char *)c);
    if (!bytes)
      *c = '?';
    c += bytes ? bytes : 1;
  }
  return sqlite3_bind_text(q, at, copy, -1, free) == SQLITE_OK;
}

char *sql_copy(sqlite3_stmt *q, int column) {
  const char *text = (const char *)sqlite3_column_text(q, column);
  char *copy = strdup(text ? text : "");
  if (!copy)
    abort();
  return copy;
}

// ---- statements

static sqlite3_stmt *start(store *s, char *why, const char *sql, const char *kinds, va_list args) {
  sqlite3_stmt *q = NULL;
  errno = 0;
  bool ok = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK;
  for (int at = 1; ok && kinds[at - 1]; at++) {
    if (kinds[at - 1] == 'i') {
      ok = sqlite3_bind_int64(q, at, va_arg(args, int64_t)) == SQLITE_OK;
    } else {
      const char *text = va_arg(args, const char *);
      ok = (!text && kinds[at - 1] == 'n') || sql_text(q, at, text);
    }
  }
  if (ok)
    return q;
  sql_failed(s, why);
  sqlite3_finalize(q);
  return NULL;
}

sqlite3_stmt *sql_start(store *s, char *why, const char *sql, const char *kinds, ...) {
  va_list args;
  va_start(args, kinds);
  sqlite3_stmt *q = start(s, why, sql, kinds, args);
  va_end(args);
  return q;
}

int sql_step(store *s, sqlite3_stmt *q, char *why) {
  errno = 0;
  const int got = sqlite3_step(q);
  if (got == SQLITE_ROW || got == SQLITE_DONE)
    return got == SQLITE_ROW;
  sql_failed(s, why);
  return -1;
}

bool sql_do(store *s, char *why, const char *sql, const char *kinds, ...) {
  va_list args;
  va_start(args, kinds);
  sqlite3_stmt *q = start(s, why, sql, kinds, args);
  va_end(args);
  int got = q ? 1 : -1;
  while (got > 0)
    got = sql_step(s, q, why);
  sqlite3_finalize(q);
  return got == 0;
}

bool sql_number(store *s, char *why, int64_t otherwise, int64_t *to, const char *sql,
                const char *kinds, ...) {
  va_list args;
  va_start(args, kinds);
  sqlite3_stmt *q = start(s, why, sql, kinds, args);
  va_end(args);
  const int got = q ? sql_step(s, q, why) : -1;
  *to = otherwise;
  if (got > 0 && sqlite3_column_type(q, 0) != SQLITE_NULL)
    *to = sqlite3_column_int64(q, 0);
  sqlite3_finalize(q);
  return got >= 0;
}

bool sql_all(store *s, char *why, const char *sql) {
  errno = 0;
  return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK || sql_failed(s, why);
}

// ---- transactions

bool sql_begin(store *s, char *why) {
  return sql_do(s, why, "begin immediate", "");
}

bool sql_end(store *s, bool ok, char *why) {
  char more[STORE_WHY];
  if (ok && sql_do(s, why, "commit", ""))
    return true;
  // some failures have undone it already
  if (!sqlite3_get_autocommit(s->db))
    sql_do(s, more, "rollback", "");
  return false;
}

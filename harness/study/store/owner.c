// SPDX-License-Identifier: Apache-2.0
// Who is alive: a process with number N holds an OFD lock on byte N of the lock file, which stays
// empty. Such a lock belongs to what open() made. It goes when the last descriptor of that is
// closed: when the process ends, however it does, and its children have called exec or ended. It
// does not go when another descriptor of the same file is closed, as POSIX locks do, and two stores
// in one process are two owners. A number is given once, and its lock is taken before the number
// can be seen, so a number whose byte is not locked belongs to nobody any more.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "store_priv.h"

char *utc_now(char *to, size_t bytes) {
  const time_t now = time(NULL);
  struct tm parts;
  gmtime_r(&now, &parts);
  strftime(to, bytes, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return to;
}

const char *host_now(char *to, size_t bytes) {
  if (gethostname(to, bytes))
    snprintf(to, bytes, "unknown");
  to[bytes - 1] = 0;
  return to;
}

static struct flock byte_of(int64_t number, short kind) {
  return (struct flock){.l_type = kind, .l_whence = SEEK_SET, .l_start = number, .l_len = 1};
}

bool owner_lives(store *s, int64_t number) {
  if (number == s->owner)
    return true;
  if (s->lock < 0)
    s->lock = open(s->lock_file, O_RDONLY | O_CLOEXEC);
  if (s->lock < 0)
    return errno != ENOENT;
  struct flock f = byte_of(number, F_WRLCK);
  // who cannot be asked for may be alive
  return fcntl(s->lock, F_OFD_GETLK, &f) || f.l_type != F_UNLCK;
}

// What owners have left that are gone.
static bool clean(store *s, char *why) {
  sqlite3_stmt *q = sql_start(s, why, "select id from owners", "");
  int got = -1;
  bool ok = q;
  while (ok && (got = sql_step(s, q, why)) > 0) {
    const int64_t n = sqlite3_column_int64(q, 0);
    ok = owner_lives(s, n) ||
         (sql_do(s, why, "delete from runs where owner = ? and outcome is null", "i", n) &&
          sql_do(s, why, "update runs set owner = null, claimed = null where owner = ?", "i", n) &&
          sql_do(s, why, "delete from owners where id = ?", "i", n));
  }
  sqlite3_finalize(q);
  return ok && got == 0;
}

// In a transaction. A copy of an older state of the file that took its place may give a number
// again that somebody has.
static bool take(store *s, char *why) {
  char host[256], now[32];
  for (;;) {
    if (!sql_do(s, why, "insert into owners(host, pid, opened) values(?, ?, ?)", "tit",
                host_now(host, sizeof host), (int64_t)getpid(), utc_now(now, sizeof now)))
      return false;
    const int64_t n = sqlite3_last_insert_rowid(s->db);
    struct flock f = byte_of(n, F_WRLCK);
    if (fcntl(s->lock, F_OFD_SETLK, &f) == 0) {
      s->owner = n;
      return true;
    }
    if (errno != EAGAIN && errno != EACCES)
      return store_says(why,
                        "cannot lock '%s': %s; claims of runs need a file system with locks: put "
                        "the store into another folder",
                        s->lock_file, strerror(errno));
    if (!sql_do(s, why, "delete from owners where id = ?", "i", n))
      return false;
  }
}

bool owner_lock(store *s, char *why) {
  s->lock = open(s->lock_file, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (s->lock < 0)
    return store_says(why,
                      "cannot open '%s': %s; runs are claimed with it: give leave to write it and "
                      "its folder, or name a store in another one",
                      s->lock_file, strerror(errno));
  return true;
}

bool owner_new(store *s, char *why) {
  if (!sql_begin(s, why))
    return false;
  const bool ok = sql_end(s, clean(s, why) && take(s, why), why);
  if (!ok)
    s->owner = 0;
  return ok;
}

void owner_end(store *s) {
  char why[STORE_WHY];
  if (!s->owner)
    return;
  // claims that stay because this fails are void
  sqlite3_busy_timeout(s->db, 1000);
  if (sql_begin(s, why))
    sql_end(s,
            sql_do(s, why, "delete from runs where owner = ? and outcome is null", "i", s->owner) &&
                sql_do(s, why, "update runs set owner = null, claimed = null where owner = ?", "i",
                       s->owner) &&
                sql_do(s, why, "delete from owners where id = ?", "i", s->owner),
            why);
  // not by closing it: a child may not have called exec yet
  struct flock f = byte_of(s->owner, F_UNLCK);
  fcntl(s->lock, F_OFD_SETLK, &f);
  s->owner = 0;
}

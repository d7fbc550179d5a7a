// SPDX-License-Identifier: Apache-2.0
// Opens and closes the file. On file systems of this host it has a write-ahead log (WAL): a result
// costs no wait for the disk, and those who read never stop those who write. A process that is
// killed loses nothing; a host that loses its power may lose the last results, but the file stays
// whole. The log needs memory that its processes share, which those of two hosts cannot: on file
// systems that several hosts may see, or that are not known, the file has a rollback journal.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>
#include "store_priv.h"

static bool is_local(int fd) {
  static const uint32_t local[] = {
      0xef53,      // ext2, ext3, ext4
      0x58465342,  // XFS
      0x9123683e,  // Btrfs
      0x01021994,  // tmpfs
      0x794c7630,  // overlay, of containers
      0x2fc12fc1,  // ZFS
      0xf2f52010,  // F2FS
      0xca451a4e,  // bcachefs
  };
  struct statfs f;
  if (fstatfs(fd, &f))
    return false;
  for (size_t k = 0; k < sizeof local / sizeof *local; k++)
    if ((uint32_t)f.f_type == local[k])
      return true;
  return false;
}

static char *joined(const char *a, const char *b) {
  char *to = malloc(strlen(a) + strlen(b) + 1);
  if (!to)
    abort();
  return strcat(strcpy(to, a), b);
}

// ---- before SQLite, whose messages say less

static bool can_write_beside(const char *file, char *why) {
  char *folder = joined(file, "");
  char *slash = strrchr(folder, '/');
  const char *in = !slash ? "." : slash == folder ? "/" : (*slash = 0, folder);
  bool ok = access(in, W_OK | X_OK) == 0;
  if (!ok && errno == ENOENT)
    store_says(why, "cannot make '%s': the folder '%s' is missing; make it, or name another one",
               file, in);
  else if (!ok)
    store_says(why,
               "cannot write in the folder of '%s': %s; use a store in a folder that can be "
               "written (a copy of this one can be used too)",
               file, strerror(errno));
  free(folder);
  return ok;
}

static bool can_be(const char *file, bool write, char *why) {
  struct stat st;
  if (!*file)
    return store_says(why, "a store needs the name of a file");
  if (stat(file, &st)) {
    if (errno == ENOENT && write)
      return can_write_beside(file, why);
    return store_says(why, "cannot open the store '%s': %s; %s", file, strerror(errno),
                      errno == ENOENT ? "the first run that is kept makes it" : "name another one");
  }
  if (S_ISDIR(st.st_mode))
    return store_says(why, "'%s' is a folder: name a file in it, such as '%s/study.db'", file,
                      file);
  if (!S_ISREG(st.st_mode))
    return store_says(why, "'%s' is not a regular file: name another one", file);
  if (access(file, R_OK))
    return store_says(why, "cannot read '%s': %s; ask its owner for leave to read it", file,
                      strerror(errno));
  if (!write)
    return true;
  if (access(file, W_OK))
    return store_says(why, "cannot write '%s': %s; use a copy of it in a place that can be written",
                      file, strerror(errno));
  return can_write_beside(file, why);
}

// ---- open

static bool open_file(store *s, const char *name, int flags, char *why) {
  sqlite3_close(s->db);
  s->db = NULL;
  errno = 0;
  const int got = sqlite3_open_v2(name, &s->db, flags | SQLITE_OPEN_PRIVATECACHE, NULL);
  if (!s->db)
    abort();
  sqlite3_extended_result_codes(s->db, 1);
  if (got != SQLITE_OK)
    return sql_failed(s, why);
  sqlite3_busy_timeout(s->db, STORE_WAIT * 1000);
  // where links have led to, so that all agree about it
  if (!s->lock_file)
    s->lock_file = joined(sqlite3_db_filename(s->db, "main"), ".lock");
  return true;
}

static bool rests(const char *path, const char *ending) {
  char *name = joined(path, ending);
  struct stat st;
  const bool none = stat(name, &st) || !st.st_size;
  free(name);
  return none;
}

// A file with a write-ahead log in a folder where SQLite cannot make the files that it uses beside
// it. It can be read when no writer has left anything there, and is told not to change.
static bool open_still(store *s, int64_t *version, char *why) {
  char *path = joined(sqlite3_db_filename(s->db, "main"), "");
  bool ok = false;
  if (rests(path, "-wal") && rests(path, "-journal")) {
    sqlite3_str *uri = sqlite3_str_new(NULL);
    sqlite3_str_appendall(uri, "file:");
    for (const char *c = path; *c; c++)
      sqlite3_str_appendf(uri, strchr("%?#", *c) ? "%%%02x" : "%c", *c);
    sqlite3_str_appendall(uri, "?immutable=1");
    char *name = sqlite3_str_finish(uri);
    ok = open_file(s, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, why) &&
         schema_look(s, false, version, why);
    sqlite3_free(name);
  }
  free(path);
  return ok;
}

static bool open_to_read(store *s, const char *name, char *why) {
  int64_t version;
  // what a writer that was killed has left is put in order by the next one who can write
  if (!open_file(s, name, SQLITE_OPEN_READWRITE, why))
    return false;
  if (!schema_look(s, false, &version, why)) {
    if ((s->code != SQLITE_CANTOPEN && s->code != SQLITE_READONLY) || !open_still(s, &version, why))
      return false;
  }
  return true;
}

// SQLite does not always wait when somebody else uses a file whose journal changes.
static bool set_journal(store *s, char *why) {
  const struct timespec pause = {.tv_nsec = 10000000};
  const char *sql = is_local(s->lock) ? "pragma journal_mode = wal; pragma synchronous = normal"
                                      : "pragma journal_mode = delete; pragma synchronous = full";
  for (unsigned k = 0; k < 100 * STORE_WAIT; k++) {
    if (sql_all(s, why, sql))
      return true;
    if (s->code != SQLITE_BUSY)
      return false;
    nanosleep(&pause, NULL);
  }
  return false;
}

static bool open_to_write(store *s, const char *name, char *why) {
  int64_t version;
  return open_file(s, name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, why) &&
         schema_look(s, true, &version, why) && owner_lock(s, why) && set_journal(s, why) &&
         (version == STORE_SCHEMA || schema_update(s, why)) &&
         sql_do(s, why, "pragma foreign_keys = 1", "") && owner_new(s, why);
}

store *store_open(const char *file, bool write, char *why) {
  if (!can_be(file, write, why))
    return NULL;
  store *s = calloc(1, sizeof *s);
  if (!s)
    abort();
  s->lock = -1;
  s->pid = getpid();
  s->file = joined(file, "");
  // SQLite has other meanings for :memory: and file:
  char *name = joined(*file == '/' ? "" : "./", file);
  const bool ok = write ? open_to_write(s, name, why) : open_to_read(s, name, why);
  free(name);
  if (ok)
    return s;
  store_close(s);
  return NULL;
}

void store_close(store *s) {
  if (!s || s->pid != getpid())
    return;
  owner_end(s);
  sqlite3_close(s->db);
  if (s->lock >= 0)
    close(s->lock);
  free(s->lock_file);
  free(s->file);
  free(s);
}

const char *store_name(const store *s) {
  return s->file;
}

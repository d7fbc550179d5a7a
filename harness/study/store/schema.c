// SPDX-License-Identifier: Apache-2.0
// The tables. docs/store.md describes them: keep both in step.
#include <stdio.h>
#include "store_priv.h"

enum { APPLICATION = 0x6e656172 };  // of the file's header: "near"

// From schema k to k + 1. A step that has been released is never changed.
static const char *const steps[STORE_SCHEMA] = {
    "create table owners (\n"
    "  id integer primary key autoincrement,  -- its byte of the lock file\n"
    "  host text not null,\n"
    "  pid integer not null,\n"
    "  opened text not null                   -- UTC\n"
    ");\n"
    "create table runs (\n"
    "  id integer primary key autoincrement,\n"
    "  key text not null unique,              -- of all that the result depends on\n"
    "  tool text not null,                    -- command of mpu\n"
    "  program text not null,\n"
    "  arguments text not null,               -- of the program\n"
    "  command text not null,                 -- the whole command line\n"
    "  machine text not null,                 -- preset or file, and --set\n"
    "  configuration text not null,           -- flat\n"
    "  near text not null,                    -- c, rtl, lockstep, none\n"
    "  program_hash text not null,\n"
    "  configuration_hash text not null,\n"
    "  build_hash text not null,\n"
    "  outcome text check (outcome <> ''),    -- null: no result yet\n"
    "  message text,\n"
    "  build text,                            -- release and commit\n"
    "  host text,\n"
    "  started text,                          -- UTC\n"
    "  seconds real,\n"
    "  cpu_seconds real,\n"
    "  memory integer,                        -- bytes of the host, at most\n"
    "  owner integer references owners(id),   -- claims: the process that has it\n"
    "  handed text,                           -- or the job that has it\n"
    "  claimed text,                          -- UTC: since when\n"
    "  check (owner is null or handed is null)\n"
    ");\n"
    "create index runs_before on runs(program, arguments, near, machine, tool, started);\n"
    "create index runs_seconds on runs(program, arguments, near, configuration_hash, outcome,\n"
    "  seconds);\n"
    "create index runs_started on runs(started);\n"
    "create index runs_owner on runs(owner);\n"
    "create table statistics (\n"
    "  run integer primary key references runs(id) on delete cascade,\n"
    "  bytes integer not null,                -- of the text\n"
    "  json blob not null                     -- compressed with zlib\n"
    ");\n"
    "create table counters (\n"
    "  run integer not null references runs(id) on delete cascade,\n"
    "  name text not null,\n"
    "  value real,                            -- null: not a number\n"
    "  primary key (run, name)\n"
    ") without rowid;\n",
};

static bool numbers(store *s, char *why, int64_t *application, int64_t *version, int64_t *tables) {
  return sql_number(s, why, 0, application, "pragma application_id", "") &&
         sql_number(s, why, 0, version, "pragma user_version", "") &&
         sql_number(s, why, 0, tables, "select count(*) from sqlite_master", "");
}

bool schema_look(store *s, bool write, int64_t *version, char *why) {
  int64_t application, tables;
  // of one moment: another process may be making it
  if (!sql_do(s, why, "begin", "") ||
      !sql_end(s, numbers(s, why, &application, version, &tables), why))
    return false;
  const bool empty = !application && !*version && !tables;
  if (!empty && (application != APPLICATION || *version < 1))
    return store_says(why, "'%s' is an SQLite file, but not a store of runs: name another one",
                      s->file);
  if (*version > STORE_SCHEMA)
    return store_says(why,
                      "'%s' was made by a later release (its schema is %lld, this release knows "
                      "%d): use that release, or name another store",
                      s->file, (long long)*version, STORE_SCHEMA);
  if (write || *version == STORE_SCHEMA)
    return true;
  if (empty)
    return store_says(why, "'%s' is empty: the first run that is kept makes it a store", s->file);
  return store_says(why,
                    "'%s' was made by an earlier release (its schema is %lld, this release needs "
                    "%d): open it for writing once, which brings it up to date",
                    s->file, (long long)*version, STORE_SCHEMA);
}

bool schema_update(store *s, char *why) {
  int64_t application, version, tables;
  char marks[96];
  if (!sql_begin(s, why))
    return false;
  // somebody else may have done it meanwhile
  bool ok = numbers(s, why, &application, &version, &tables);
  for (; ok && version < STORE_SCHEMA; version++)
    ok = sql_all(s, why, steps[version]);
  snprintf(marks, sizeof marks, "pragma application_id = %d; pragma user_version = %d", APPLICATION,
           STORE_SCHEMA);
  return sql_end(s, ok && sql_all(s, why, marks), why);
}

// SPDX-License-Identifier: Apache-2.0
// The cache of compiled programs: a directory for a source and its options. What is in it is fresh
// while it is younger than all that went into it and the files say what they said then: a file that
// was moved into place may be old and another.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compile_priv.h"
#include "harness/base/user_error.h"
#include "temporary.h"

static const uint64_t HASH_START = 14695981039346656037ull;

static uint64_t hash_bytes(uint64_t h, const char *s, size_t bytes) {
  for (size_t n = 0; n < bytes; n++)
    h = (h ^ (unsigned char)s[n]) * 1099511628211ull;
  return h;
}

static uint64_t hash(uint64_t h, const char *s) {
  return hash_bytes(h, s, strlen(s) + 1);
}

static bool hash_file(uint64_t *h, const char *name) {
  size_t bytes;
  char *text = read_file(name, &bytes);
  if (!text)
    return false;
  *h = hash_bytes(hash(*h, name), text, bytes);
  free(text);
  return true;
}

static bool younger(const char *file, const struct stat *than) {
  struct stat s;
  if (stat(file, &s))
    return true;  // gone: build again
  return s.st_mtim.tv_sec > than->st_mtim.tv_sec ||
         (s.st_mtim.tv_sec == than->st_mtim.tv_sec && s.st_mtim.tv_nsec > than->st_mtim.tv_nsec);
}

// The contents of the files behind the colon of a make rule; blanks in names are escaped with
// backslashes. False when one is gone, or younger than `built` (NULL: any age).
static bool deps_hash(const char *deps, const struct stat *built, uint64_t *h) {
  size_t bytes;
  *h = HASH_START;
  if (access(deps, R_OK))
    return false;
  char *text = read_file(deps, &bytes);
  bool ok = text != NULL;
  const char *end = text + bytes, *at = text ? memchr(text, ':', bytes) : NULL;
  char name[PATH];
  for (at = at ? at + 1 : end; ok && at < end;) {
    size_t n = 0;
    while (at < end &&
           (*at == ' ' || *at == '\n' || (*at == '\\' && at + 1 < end && at[1] == '\n')))
      at++;
    for (; at < end && *at != ' ' && *at != '\n' && n + 1 < sizeof name; at++)
      if (*at != '\\' || at + 1 == end || at[1] != ' ')
        name[n++] = *at;
      else
        name[n++] = *++at;
    name[n] = 0;
    if (n)
      ok = access(name, R_OK) == 0 && !(built && younger(name, built)) && hash_file(h, name);
  }
  free(text);
  return ok;
}

static bool cache_fresh(const char *deps, const char *sum, const struct stat *built) {
  uint64_t now;
  char expected[20];
  size_t bytes;
  if (access(sum, R_OK) || !deps_hash(deps, built, &now))
    return false;
  char *text = read_file(sum, &bytes);
  snprintf(expected, sizeof expected, "%016" PRIx64 "\n", now);
  bool same = text && bytes == strlen(expected) && memcmp(text, expected, bytes) == 0;
  free(text);
  return same;
}

static bool make_dirs(char *path) {
  for (char *c = path + 1; *c; c++)
    if (*c == '/') {
      *c = 0;
      mkdir(path, 0777);
      *c = '/';
    }
  return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static bool cache_dir(char *dir, size_t bytes, const char *name) {
  const char *given = getenv("MPU_CACHE"), *home = getenv("HOME");
  if (given && *given) {
    snprintf(dir, bytes, "%s/%s", given, name);
    return make_dirs(dir);
  }
  snprintf(dir, bytes, "%s/build/cache/%s", compile_root(), name);
  if (make_dirs(dir) && access(dir, W_OK) == 0)
    return true;
  snprintf(dir, bytes, "%s/.cache/nearbank/%s", home ? home : "/tmp", name);
  return make_dirs(dir);
}

// Compiles into `dir` by way of a directory of its own: several runs may build the same program,
// and the last rename wins. The program is as old as the start, so that what is saved meanwhile
// counts. The PTX is kept for those who show it.
static int cache_fill(const char *dir, const char *source, const compile_options *o) {
  static const char *const kept[] = {"device.ptx", "host.d", "sum", "program"};
  char work[PATH], deps[PATH + 16], sum[PATH + 16], made[PATH + 16], from[PATH + 16], to[PATH + 16];
  struct timespec begun[2];
  uint64_t h;
  clock_gettime(CLOCK_REALTIME, &begun[0]);
  begun[1] = begun[0];
  snprintf(work, sizeof work, "%s/build.XXXXXX", dir);
  if (!mkdtemp(work))
    return user_error("cannot write to '%s': %s", dir, strerror(errno));
  snprintf(deps, sizeof deps, "%s/host.d", work);
  snprintf(sum, sizeof sum, "%s/sum", work);
  snprintf(made, sizeof made, "%s/program", work);
  int status = compile_in(work, source, made, o);
  if (!status) {
    char text[20] = "none\n";
    if (deps_hash(deps, NULL, &h))
      snprintf(text, sizeof text, "%016" PRIx64 "\n", h);
    if (!write_file(sum, text, strlen(text)))
      status = EXIT_USAGE;
    utimensat(AT_FDCWD, made, begun, 0);
  }
  for (int n = o->device != NULL; n < 4 && !status; n++) {
    snprintf(from, sizeof from, "%s/%s", work, kept[n]);
    snprintf(to, sizeof to, "%s/%s", dir, kept[n]);
    if (rename(from, to))
      status = user_error("cannot write to '%s': %s", dir, strerror(errno));
  }
  temporary_remove(work);
  return status;
}

int compile_cached(const char *source, const compile_options *o, char *out, size_t out_bytes) {
  char dir[PATH - 64], name[64], full[PATH], deps[PATH], sum[PATH], self[PATH], runtime[PATH];
  uint64_t h = HASH_START;
  struct stat built;
  if (!realpath(source, full))
    return user_error("cannot read '%s': %s", source, strerror(errno));
  h = hash(h, full);
  h = hash(h, NEARBANK_BUILD);  // whose runtime it has
  const char *base = strrchr(full, '/') + 1;
  for (size_t n = 0; n < o->clang_count; n++)
    h = hash(h, o->clang[n]);
  char here[PATH];
  if (o->clang_count)  // a relative -I means another folder elsewhere
    h = hash(h, getcwd(here, sizeof here) ? here : "");
  if ((o->device && !hash_file(&h, o->device)) || (o->profile_in && !hash_file(&h, o->profile_in)))
    return EXIT_USAGE;
  snprintf(name, sizeof name, "%.20s-%016" PRIx64 "-O%d-%d-%d-%d%d%d-%u", base, h, o->level,
           (int)o->mpucc.locate, (int)o->mpucc.dies, (int)o->mpucc.forms,
           (int)o->mpucc.near_predicates, (int)o->mpucc.reorder, o->mpucc.max_regs);
  if (!cache_dir(dir, sizeof dir, name))
    return user_error("cannot make the cache directory '%s': %s", dir, strerror(errno));
  snprintf(out, out_bytes, "%s/program", dir);
  snprintf(deps, sizeof deps, "%s/host.d", dir);
  snprintf(sum, sizeof sum, "%s/sum", dir);
  snprintf(self, sizeof self, "%s/mpu-tool", NEARBANK_BUILD);
  snprintf(runtime, sizeof runtime, "%s/libmpurt.a", NEARBANK_BUILD);
  if (!o->listing && !o->counts && !o->ptx && stat(out, &built) == 0 && !younger(self, &built) &&
      !younger(runtime, &built) && cache_fresh(deps, sum, &built))
    return EXIT_OK;
  return cache_fill(dir, source, o);
}

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

static uint64_t hash_bytes(uint64_t h, const char *s, size_t bytes) {
  for (size_t n = 0; n < bytes; n++)
    h = (h ^ (unsigned char)s[n]) * 1099511628211ull;
  return h;
}

uint64_t cache_hash(uint64_t h, const char *s) {
  return hash_bytes(h, s, strlen(s) + 1);
}

static bool hash_file(uint64_t *h, const char *name) {
  size_t bytes;
  char *text = read_file(name, &bytes);
  if (!text)
    return false;
  *h = hash_bytes(cache_hash(*h, name), text, bytes);
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
  *h = CACHE_HASH;
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

static bool sum_is(const char *deps, const char *sum, const struct stat *built) {
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

bool cache_dir(char *dir, size_t bytes, const char *name) {
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

static bool build_younger(const char *name, const struct stat *than) {
  char file[PATH];
  snprintf(file, sizeof file, NEARBANK_BUILD "/%s", name);
  return younger(file, than);
}

bool cache_fresh(const char *dir, const char *product, const char *const *of_build) {
  char file[PATH + 16], deps[PATH + 16], sum[PATH + 16];
  struct stat built;
  snprintf(file, sizeof file, "%s/%s", dir, product);
  snprintf(deps, sizeof deps, "%s/host.d", dir);
  snprintf(sum, sizeof sum, "%s/sum", dir);
  if (stat(file, &built))
    return false;
  for (; *of_build; of_build++)
    if (build_younger(*of_build, &built))
      return false;
  return sum_is(deps, sum, &built);
}

int cache_begin(const char *dir, cache_work *w) {
  clock_gettime(CLOCK_REALTIME, &w->begun);
  snprintf(w->folder, sizeof w->folder, "%s/build.XXXXXX", dir);
  return mkdtemp(w->folder) ? EXIT_OK
                            : user_error("cannot write to '%s': %s", dir, strerror(errno));
}

int cache_end(const char *dir, const cache_work *w, const char *const *kept, int status) {
  char deps[PATH + 16], sum[PATH + 16], from[PATH + 16], to[PATH + 16], text[20] = "none\n";
  const struct timespec begun[2] = {w->begun, w->begun};
  uint64_t h;
  snprintf(deps, sizeof deps, "%s/host.d", w->folder);
  snprintf(sum, sizeof sum, "%s/sum", w->folder);
  if (!status && deps_hash(deps, NULL, &h))
    snprintf(text, sizeof text, "%016" PRIx64 "\n", h);
  if (!status && !write_file(sum, text, strlen(text)))
    status = EXIT_USAGE;
  for (; *kept && !status; kept++) {
    snprintf(from, sizeof from, "%s/%s", w->folder, *kept);
    snprintf(to, sizeof to, "%s/%s", dir, *kept);
    utimensat(AT_FDCWD, from, begun, 0);
    if (rename(from, to))
      status = user_error("cannot write to '%s': %s", dir, strerror(errno));
  }
  temporary_remove(w->folder);
  return status;
}

static int cache_fill(const char *dir, const char *source, const compile_options *o) {
  static const char *const kept[] = {"device.ptx", "host.d", "sum", "program", NULL};
  cache_work w;
  char made[PATH + 16];
  int status = cache_begin(dir, &w);
  if (status)
    return status;
  snprintf(made, sizeof made, "%s/program", w.folder);
  status = compile_in(w.folder, source, made, o);
  return cache_end(dir, &w, kept + (o->device != NULL), status);
}

int compile_cached(const char *source, const compile_options *o, char *out, size_t out_bytes) {
  static const char *const of_build[] = {"mpu-tool", "libmpurt.a", NULL};
  char dir[PATH - 64], name[64], full[PATH];
  uint64_t h = CACHE_HASH;
  if (!realpath(source, full))
    return user_error("cannot read '%s': %s", source, strerror(errno));
  h = cache_hash(h, full);
  h = cache_hash(h, NEARBANK_BUILD);  // whose runtime it has
  const char *base = strrchr(full, '/') + 1;
  for (size_t n = 0; n < o->clang_count; n++)
    h = cache_hash(h, o->clang[n]);
  char here[PATH];
  if (o->clang_count)  // a relative -I means another folder elsewhere
    h = cache_hash(h, getcwd(here, sizeof here) ? here : "");
  if ((o->device && !hash_file(&h, o->device)) || (o->profile_in && !hash_file(&h, o->profile_in)))
    return EXIT_USAGE;
  snprintf(name, sizeof name, "%.20s-%016" PRIx64 "-O%d-%d%d-%d-%d%d%d%d-%u", base, h, o->level,
           (int)o->mpucc.locate, (int)o->mpucc.located, (int)o->mpucc.dies, (int)o->mpucc.forms,
           (int)o->mpucc.near_predicates, (int)o->mpucc.reorder, (int)o->mpucc.skew,
           o->mpucc.max_regs);
  if (!cache_dir(dir, sizeof dir, name))
    return user_error("cannot make the cache directory '%s': %s", dir, strerror(errno));
  snprintf(out, out_bytes, "%s/program", dir);
  if (!o->listing && !o->counts && !o->ptx && cache_fresh(dir, "program", of_build))
    return EXIT_OK;
  return cache_fill(dir, source, o);
}

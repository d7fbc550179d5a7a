// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile_priv.h"
#include "harness/base/children.h"
#include "harness/base/user_error.h"

const char *const library_names[] = {"cublas", "curand", "cufft", NULL};
// Of each, the header that all who call it include.
static const char *const headers[] = {"cublas_api.h", "curand.h", "cufft.h"};

static int find_sources(const char *name, glob_t *g) {
  char pattern[PATH];
  snprintf(pattern, sizeof pattern, "%s/harness/cuda/libraries/%s/*.cu", compile_root(), name);
  if (glob(pattern, 0, NULL, g))
    return user_error("there are no files '%s' to make the library of", pattern);
  return EXIT_OK;
}

static void part_folder(const char *work, size_t part, char *to) {
  snprintf(to, PATH + 32, "%s/%zu", work, part);
}

// In a child of its own, so that several are compiled at a time.
static void compile_part(const char *work, size_t part, const char *source) {
  static const char *words[] = {"-Xarch_host", "-fPIC", "-std=c++17"};
  compile_options o = compile_options_default();
  char folder[PATH + 32];
  o.clang = words;
  o.clang_count = sizeof words / sizeof *words;
  part_folder(work, part, folder);
  int status = EXIT_OK;
  if (mkdir(folder, 0777))
    status = user_error("cannot make the folder '%s': %s", folder, strerror(errno));
  _exit(status ? status : compile_object(folder, source, &o));
}

static int compile_parts(const char *work, const glob_t *g) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const size_t at_a_time = processors > 1 ? (size_t)processors : 1;
  child *parts = calloc(g->gl_pathc, sizeof *parts);
  size_t begun = 0, ended = 0;
  bool failed = false;
  if (!parts)
    abort();
  while (ended < g->gl_pathc) {
    for (; begun < g->gl_pathc && begun < ended + at_a_time; begun++)
      if (child_fork(parts + begun))
        compile_part(work, begun, g->gl_pathv[begun]);
    if (parts[ended].pid < 0)
      failed = true, ended++;
    else if (child_ended(parts + ended))
      failed |= parts[ended++].status != 0;
    else
      usleep(10000);
  }
  free(parts);
  return failed ? EXIT_FAILED : EXIT_OK;
}

// What is behind the colon of a rule; NULL after a message. To be freed.
static char *rule_of(const char *file) {
  char *text = read_file(file, NULL), *colon = text ? strchr(text, ':') : NULL;
  if (!colon) {
    free(text);
    return NULL;
  }
  memmove(text, colon + 1, strlen(colon));
  return text;
}

static int add_rule(const char *from, const char *to, const char *mode) {
  char *text = rule_of(from);
  FILE *f = text ? fopen(to, mode) : NULL;
  if (f)
    fprintf(f, "%s", mode[0] == 'w' ? "all:" : "");
  const bool written = f && fprintf(f, "%s", text) >= 0;
  free(text);
  return f && fclose(f) == 0 && written ? EXIT_OK : cannot_write(to);
}

// The archive of the parts' objects, and one rule.
static int join_parts(const char *work, const char *archive, const glob_t *g) {
  char folder[PATH + 32], file[PATH + 64], rule[PATH + 16];
  command c = {0};
  int status = EXIT_OK;
  snprintf(rule, sizeof rule, "%s/host.d", work);
  command_add_all(&c, "ar", "qcs", archive, NULL);
  for (size_t n = 0; n < g->gl_pathc && !status; n++) {
    char object[PATH + 64];
    const char *base = strrchr(g->gl_pathv[n], '/') + 1;
    part_folder(work, n, folder);
    snprintf(file, sizeof file, "%s/host.d", folder);
    status = add_rule(file, rule, n ? "a" : "w");
    snprintf(file, sizeof file, "%s/host.o", folder);
    snprintf(object, sizeof object, "%s/%.*s.o", folder, (int)strcspn(base, "."), base);
    if (!status && rename(file, object))
      status = cannot_write(object);
    command_add(&c, object);
  }
  if (!status && command_start(&c, false))
    status = EXIT_FAILED;
  command_clear(&c);
  return status;
}

static int fill(const char *dir, const char *product, const glob_t *g) {
  const char *const kept[] = {"host.d", "sum", product, NULL};
  char archive[PATH + 32];
  cache_work w;
  int status = cache_begin(dir, &w);
  if (status)
    return status;
  snprintf(archive, sizeof archive, "%s/%s", w.folder, product);
  status = compile_parts(w.folder, g);
  if (!status)
    status = join_parts(w.folder, archive, g);
  return cache_end(dir, &w, kept, status);
}

int library_make(const char *name, char *archive, size_t bytes) {
  static const char *const of_build[] = {"mpu-tool", NULL};
  char dir[PATH - 64], folder[64], product[32];
  uint64_t h = cache_hash(CACHE_HASH, NEARBANK_BUILD);
  glob_t g;
  int status = find_sources(name, &g);
  if (status)
    return status;
  for (size_t n = 0; n < g.gl_pathc; n++)
    h = cache_hash(h, g.gl_pathv[n]);
  snprintf(folder, sizeof folder, "lib%s-%016" PRIx64, name, h);
  snprintf(product, sizeof product, "lib%s.a", name);
  if (!cache_dir(dir, sizeof dir, folder))
    status = user_error("cannot make the cache directory '%s': %s", dir, strerror(errno));
  else if (!cache_fresh(dir, product, of_build))
    status = fill(dir, product, &g);
  globfree(&g);
  if (!status && snprintf(archive, bytes, "%s/%s", dir, product) >= (int)bytes)
    status = user_error("the name of the folder '%s' is too long", dir);
  return status;
}

int library_add_used(command *link, const char *rule, const char *include) {
  char *text = rule_of(rule), header[PATH + 32], archive[PATH], others[PATH];
  int status = text ? EXIT_OK : EXIT_USAGE;
  for (size_t n = 0; library_names[n] && !status; n++) {
    snprintf(header, sizeof header, "%s/%s", include, headers[n]);
    if (!strstr(text, header))
      continue;
    status = library_make(library_names[n], archive, sizeof archive);
    if (status)
      break;
    command_add(link, archive);
    snprintf(others, sizeof others, "%.*s/host.d", (int)(strrchr(archive, '/') - archive), archive);
    status = add_rule(others, rule, "a");
  }
  free(text);
  return status;
}

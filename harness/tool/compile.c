// SPDX-License-Identifier: Apache-2.0
// CUDA to a program: clang makes PTX of the device side, mpucc an object of the PTX, clang the host
// side around the object, and the linker joins it with the runtime library.
#include "tool.h"

#include "harness/base/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CLANG "clang-19"
#define LIBCLC "/usr/lib/clc/nvptx64--nvidiacl.bc"

enum { ARGS = 256, PATH = 4096 };
extern char **environ;

// ---- files and processes

char *read_file(const char *name, size_t *bytes) {
  FILE *f = fopen(name, "rb");
  char *text = NULL;
  size_t count = 0, capacity = 0, got = 1;
  while (f && got) {
    if (count == capacity) {
      char *more = realloc(text, capacity = 2 * capacity + 65536);
      if (!more)
        abort();
      text = more;
    }
    got = fread(text + count, 1, capacity - count, f);
    count += got;
  }
  if (!f || ferror(f)) {
    tool_error("cannot read '%s': %s", name, strerror(errno));
    free(text);
    text = NULL;
  }
  if (f)
    fclose(f);
  *bytes = count;
  return text;
}

int cannot_write(const char *name) {
  if (strcmp(name, "-") == 0)
    return tool_error("cannot write to standard output: %s", strerror(errno));
  return tool_error("cannot write '%s': %s", name, strerror(errno));
}

bool write_file(const char *name, const void *from, size_t bytes) {
  const bool ok = out_write(name, from, bytes);
  if (!ok)
    cannot_write(name);
  return ok;
}

int run_command(const char *const *argv, bool quiet) {
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status;
  fflush(stdout);
  posix_spawn_file_actions_init(&actions);
  if (quiet)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  int e = posix_spawnp(&child, argv[0], &actions, NULL, (char *const *)argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (e) {
    tool_error("cannot start '%s': %s", argv[0], strerror(e));
    return 127;
  }
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// ---- options

compile_options compile_options_default(void) {
  return (compile_options){.mpucc = mpucc_options_default(), .level = 2};
}

int compile_option(compile_options *o, const args *a) {
  static const char *const policies[] = {"paper", "near", "far", "none"};
  const char *v = a->value;
  if (args_is(a, "--locate")) {
    for (int p = 0; p < 4; p++)
      if (strcmp(v, policies[p]) == 0)
        o->mpucc.locate = (mir_policy)p;
  } else if (args_is(a, "--dies")) {
    mpucc_parse_dies(v, &o->mpucc.dies);
  } else if (args_is(a, "--maxregs")) {
    char *end;
    unsigned long regs = strtoul(v, &end, 10);
    if (!*v || *end || regs < 8 || regs > 254)
      return tool_error("--maxregs takes a number from 8 to 254, not '%s'", v);
    o->mpucc.max_regs = (uint32_t)regs;
  } else if (args_is(a, "-O")) {
    if (*v < '0' || *v > '3' || v[1])
      return tool_error("there are -O0, -O1, -O2 and -O3, not '%s'", a->word);
    o->level = *v - '0';
  } else if (args_is(a, "-S")) {
    o->listing = v;
  } else if (args_is(a, "--ptx")) {
    o->ptx = v;
  } else if (args_is(a, "--device-ptx")) {
    o->device = v;
    return access(v, R_OK) == 0 ? 1 : tool_error("--device-ptx: cannot read '%s'", v);
  } else if (args_is(a, "-D") || args_is(a, "-U") || args_is(a, "-I") || args_is(a, "-std=")) {
    o->clang = realloc(o->clang, (o->clang_count + 1) * sizeof *o->clang);
    if (!o->clang)
      abort();
    o->clang[o->clang_count++] = a->word;
  } else {
    return 0;
  }
  return 1;
}

// ---- one compilation

typedef struct job {
  const char *source, *out;
  const compile_options *o;
  const char *args[ARGS];
  size_t count;
  char dir[PATH], ptx[PATH + 16], object[PATH + 16], host[PATH + 16], deps[PATH + 16];
  char include[PATH], runtime[PATH];
} job;

static void add_one(job *j, const char *a) {
  if (j->count + 1 < ARGS)
    j->args[j->count++] = a;
  j->args[j->count] = NULL;
}

static void add(job *j, ...) {
  va_list list;
  va_start(list, j);
  for (const char *a; (a = va_arg(list, const char *));)
    add_one(j, a);
  va_end(list);
}

static const char *root(void) {
  const char *r = getenv("MPU_ROOT");
  return r && *r ? r : NEARBANK_ROOT;
}

// What both compiles share. The SDK version makes clang use the launch sequence of today, the
// impossible path keeps an installed SDK from leaking in.
static void common(job *j) {
  j->count = 0;
  add(j, CLANG, "-x", "cuda", "--cuda-gpu-arch=sm_70", "--cuda-path=/nonexistent", "-nocudainc",
      "-nocudalib", "-Xclang", "-target-sdk-version=11.8", "-I", j->include, "-include",
      "cuda_runtime.h", NULL);
  for (size_t n = 0; n < j->o->clang_count; n++)
    add_one(j, j->o->clang[n]);
}

// Fusing only within an expression: across statements the code generator would fuse inside of
// libclc too, whose reductions then go wrong. Pointers to shared, constant and local memory take
// 32 bits; clang's front end and its code generator each need to be told.
static int device_side(job *j) {
  static const char *const levels[] = {"-O0", "-O1", "-O2", "-O3"};
  common(j);
  add(j, "--cuda-device-only", "-S", levels[j->o->level], "-gline-tables-only",
      "--cuda-feature=+ptx63", "-ffp-contract=on", "-fcuda-short-ptr", "-mllvm",
      "--nvptx-short-ptr", "-Wno-linker-warnings", "-Wno-unused-command-line-argument", NULL);
  if (access(LIBCLC, R_OK) == 0)
    add(j, "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBCLC, NULL);
  if (j->o->level)
    add(j, "-mllvm", "-force-attribute=alwaysinline", NULL);
  add(j, j->source, "-o", j->ptx, NULL);
  return run_command(j->args, false) ? TOOL_FAILED : TOOL_OK;
}

int compile_ptx(const char *file, const char *out, const compile_options *co) {
  size_t bytes, image_bytes;
  uint8_t *image = NULL;
  mpucc_options o = co->mpucc;
  char *text = read_file(file, &bytes);
  if (!text)
    return TOOL_USAGE;
  out_file *listing = co->listing ? out_open(co->listing) : NULL;
  if (co->listing && !listing) {
    free(text);
    return cannot_write(co->listing);
  }
  o.listing = listing ? out_stream(listing) : NULL;
  int status = mpucc_compile(text, bytes, file, &o, &image, &image_bytes);
  if (listing && status)
    out_drop(listing);
  else if (listing && !out_close(listing))
    status = cannot_write(co->listing);
  if (status == 0 && !write_file(out, image, image_bytes))
    status = TOOL_USAGE;
  if (status == 0 && co->ptx && !write_file(co->ptx, text, bytes))
    status = TOOL_USAGE;
  free(image);
  free(text);
  return status;
}

static int host_side(job *j) {
  common(j);
  add(j, "--cuda-host-only", "-O1", "-Wno-unused-command-line-argument", "-Xclang",
      "-fcuda-include-gpubinary", "-Xclang", j->object, "-MD", "-MF", j->deps, "-c", j->source,
      "-o", j->host, NULL);
  if (run_command(j->args, false))
    return TOOL_FAILED;
  j->count = 0;
  add(j, CLANG, j->host, j->runtime, "-lelf", "-lstdc++", "-lm", "-lpthread", "-o", j->out, NULL);
  return run_command(j->args, false) ? TOOL_FAILED : TOOL_OK;
}

static int compile_in(const char *dir, const char *source, const char *out,
                      const compile_options *o) {
  job *j = calloc(1, sizeof *j);
  if (!j)
    abort();
  j->source = source;
  j->out = out;
  j->o = o;
  snprintf(j->include, sizeof j->include, "%s/harness/cuda/include", root());
  snprintf(j->runtime, sizeof j->runtime, "%s/libmpurt.a", NEARBANK_BUILD);
  snprintf(j->ptx, sizeof j->ptx, "%s/device.ptx", dir);
  snprintf(j->object, sizeof j->object, "%s/device.elf", dir);
  snprintf(j->host, sizeof j->host, "%s/host.o", dir);
  snprintf(j->deps, sizeof j->deps, "%s/host.d", dir);
  if (o->device)
    snprintf(j->ptx, sizeof j->ptx, "%s", o->device);
  int status = o->device ? TOOL_OK : device_side(j);
  if (!status)
    status = compile_ptx(j->ptx, j->object, o);
  if (!status)
    status = host_side(j);
  free(j);
  return status;
}

static void remove_dir(const char *dir) {
  const char *const rm[] = {"rm", "-rf", dir, NULL};
  run_command(rm, true);
}

int compile_program(const char *source, const char *out, const compile_options *o) {
  char dir[PATH], aside[PATH];
  struct stat s;
  const bool special = stat(out, &s) == 0 && !S_ISREG(s.st_mode);
  if (!out_can(out))
    return cannot_write(out);
  if (snprintf(aside, sizeof aside, "%s.%ld.part", out, (long)getpid()) >= PATH)
    return tool_error("the name '%.100s...' is too long", out);
  const char *tmp = getenv("TMPDIR");
  snprintf(dir, sizeof dir, "%s/mpu.XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!mkdtemp(dir))
    return tool_error("cannot make a directory in '%s': %s", tmp ? tmp : "/tmp", strerror(errno));
  int status = compile_in(dir, source, special ? out : aside, o);
  remove_dir(dir);
  if (!special && !status && !out_publish(aside, out))
    status = cannot_write(out);
  if (!special && status)
    unlink(aside);
  return status;
}

// ---- the cache: a directory for a source and its options. What is in it is fresh while it is
// younger than all that went into it and the files say what they said then: a file that was moved
// into place may be old and another.

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
  snprintf(dir, bytes, "%s/build/cache/%s", root(), name);
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
    return tool_error("cannot write to '%s': %s", dir, strerror(errno));
  snprintf(deps, sizeof deps, "%s/host.d", work);
  snprintf(sum, sizeof sum, "%s/sum", work);
  snprintf(made, sizeof made, "%s/program", work);
  int status = compile_in(work, source, made, o);
  if (!status) {
    char text[20] = "none\n";
    if (deps_hash(deps, NULL, &h))
      snprintf(text, sizeof text, "%016" PRIx64 "\n", h);
    if (!write_file(sum, text, strlen(text)))
      status = TOOL_USAGE;
    utimensat(AT_FDCWD, made, begun, 0);
  }
  for (int n = o->device != NULL; n < 4 && !status; n++) {
    snprintf(from, sizeof from, "%s/%s", work, kept[n]);
    snprintf(to, sizeof to, "%s/%s", dir, kept[n]);
    if (rename(from, to))
      status = tool_error("cannot write to '%s': %s", dir, strerror(errno));
  }
  remove_dir(work);
  return status;
}

int compile_cached(const char *source, const compile_options *o, char *out, size_t out_bytes) {
  char dir[PATH - 64], name[64], full[PATH], deps[PATH], sum[PATH], self[PATH], runtime[PATH];
  uint64_t h = HASH_START;
  struct stat built;
  if (!realpath(source, full))
    return tool_error("cannot read '%s': %s", source, strerror(errno));
  h = hash(h, full);
  const char *base = strrchr(full, '/') + 1;
  for (size_t n = 0; n < o->clang_count; n++)
    h = hash(h, o->clang[n]);
  char here[PATH];
  if (o->clang_count)  // a relative -I means another folder elsewhere
    h = hash(h, getcwd(here, sizeof here) ? here : "");
  if (o->device && !hash_file(&h, o->device))
    return TOOL_USAGE;
  snprintf(name, sizeof name, "%.20s-%016" PRIx64 "-O%d-%d-%d-%u", base, h, o->level,
           (int)o->mpucc.locate, (int)o->mpucc.dies, o->mpucc.max_regs);
  if (!cache_dir(dir, sizeof dir, name))
    return tool_error("cannot make the cache directory '%s': %s", dir, strerror(errno));
  snprintf(out, out_bytes, "%s/program", dir);
  snprintf(deps, sizeof deps, "%s/host.d", dir);
  snprintf(sum, sizeof sum, "%s/sum", dir);
  snprintf(self, sizeof self, "%s/mpu-tool", NEARBANK_BUILD);
  snprintf(runtime, sizeof runtime, "%s/libmpurt.a", NEARBANK_BUILD);
  if (!o->listing && !o->ptx && stat(out, &built) == 0 && !younger(self, &built) &&
      !younger(runtime, &built) && cache_fresh(deps, sum, &built))
    return TOOL_OK;
  return cache_fill(dir, source, o);
}

int find_source(const char *given, char *source, size_t bytes) {
  struct stat s;
  if (stat(given, &s))
    return tool_error("cannot read '%s': %s", given, strerror(errno));
  if (!S_ISDIR(s.st_mode)) {
    size_t length = strlen(given);
    if (length < 4 || strcmp(given + length - 3, ".cu") != 0)
      return tool_error("'%s' is neither a CUDA program (.cu) nor a directory of one", given);
    snprintf(source, bytes, "%s", given);
    return TOOL_OK;
  }
  char full[PATH];
  if (!realpath(given, full))
    return tool_error("cannot read '%s': %s", given, strerror(errno));
  snprintf(source, bytes, "%s/%s.cu", full, strrchr(full, '/') + 1);
  if (access(source, R_OK))
    return tool_error("the directory '%s' has no %s.cu", given, strrchr(full, '/') + 1);
  return TOOL_OK;
}

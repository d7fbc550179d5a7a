// SPDX-License-Identifier: Apache-2.0
// CUDA to a program: clang makes PTX of the device side, mpucc an object of the PTX, clang the host
// side around the object, and the linker joins it with the runtime library.
#include "tool.h"

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

const char compile_help[] =
    "  --locate=POLICY        where instructions execute: paper (Algorithm 1, the default), near,\n"
    "                         far, or none (the hardware decides)\n"
    "  --dies=DIES            the machine: hybrid (the default), far-shared (shared memory on the\n"
    "                         base die), or base-die (that and all lanes); mpu run takes it\n"
    "                         from --config\n"
    "  --maxregs=N            registers a thread may use on either side, 8 to 254\n"
    "  -O0 -O1 -O2 -O3        optimisation of the device code (-O2)\n"
    "  -D... -U... -I... -std=...   passed to clang\n"
    "  -S FILE                listing with a location on each register and instruction\n"
    "  --ptx FILE             keep the PTX\n"
    "  --device-ptx FILE      take the device side from this PTX, of any compiler\n";

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

bool write_file(const char *name, const void *from, size_t bytes) {
  FILE *f = fopen(name, "wb");
  bool ok = f && fwrite(from, 1, bytes, f) == bytes;
  if (f)
    ok = fclose(f) == 0 && ok;
  if (!ok)
    tool_error("cannot write '%s': %s", name, strerror(errno));
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

const char *option_value(const char *name, int argc, char **argv, int *n) {
  size_t length = strlen(name);
  if (strncmp(argv[*n], name, length) != 0)
    return NULL;
  if (argv[*n][length] == '=')
    return argv[*n] + length + 1;
  if (argv[*n][length] == 0)
    return *n + 1 < argc ? argv[++*n] : "";
  return NULL;
}

static int bad(const char *format, const char *v) {
  fputs("mpu: ", stderr);
  fprintf(stderr, format, v);
  fputc('\n', stderr);
  return 2;
}

int compile_option(compile_options *o, int argc, char **argv, int *n) {
  static const char *const policies[] = {"paper", "near", "far", "none"};
  const char *a = argv[*n], *v;
  if ((v = option_value("--locate", argc, argv, n))) {
    for (int p = 0; p < 4; p++)
      if (strcmp(v, policies[p]) == 0) {
        o->mpucc.locate = (mir_policy)p;
        return 1;
      }
    return bad("--locate takes paper, near, far or none, not '%s'", v);
  }
  if ((v = option_value("--dies", argc, argv, n)))
    return mpucc_parse_dies(v, &o->mpucc.dies)
               ? 1
               : bad("--dies takes hybrid, far-shared or base-die, not '%s'", v);
  if ((v = option_value("--maxregs", argc, argv, n))) {
    char *end;
    unsigned long regs = strtoul(v, &end, 10);
    if (!*v || *end || regs < 8 || regs > 254)
      return bad("--maxregs takes a number from 8 to 254, not '%s'", v);
    o->mpucc.max_regs = (uint32_t)regs;
    return 1;
  }
  if (strncmp(a, "-O", 2) == 0) {
    if (a[2] < '0' || a[2] > '3' || a[3])
      return bad("there are -O0, -O1, -O2 and -O3, not '%s'", a);
    o->level = a[2] - '0';
    return 1;
  }
  if ((v = option_value("-S", argc, argv, n))) {
    o->listing = v;
    return *v ? 1 : bad("-S needs a file%s", "");
  }
  if ((v = option_value("--ptx", argc, argv, n))) {
    o->ptx = v;
    return *v ? 1 : bad("--ptx needs a file%s", "");
  }
  if ((v = option_value("--device-ptx", argc, argv, n))) {
    o->device = v;
    return access(v, R_OK) == 0 ? 1 : bad("--device-ptx: cannot read '%s'", v);
  }
  if (strncmp(a, "-D", 2) == 0 || strncmp(a, "-U", 2) == 0 || strncmp(a, "-I", 2) == 0 ||
      strncmp(a, "-std=", 5) == 0) {
    if (!a[2])
      return bad("%s needs its value in the same word", a);
    o->clang = realloc(o->clang, (o->clang_count + 1) * sizeof *o->clang);
    if (!o->clang)
      abort();
    o->clang[o->clang_count++] = a;
    return 1;
  }
  return 0;
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

static void arg(job *j, const char *a) {
  if (j->count + 1 < ARGS)
    j->args[j->count++] = a;
  j->args[j->count] = NULL;
}

static void args(job *j, ...) {
  va_list list;
  va_start(list, j);
  for (const char *a; (a = va_arg(list, const char *));)
    arg(j, a);
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
  args(j, CLANG, "-x", "cuda", "--cuda-gpu-arch=sm_70", "--cuda-path=/nonexistent", "-nocudainc",
       "-nocudalib", "-Xclang", "-target-sdk-version=11.8", "-I", j->include, "-include",
       "cuda_runtime.h", NULL);
  for (size_t n = 0; n < j->o->clang_count; n++)
    arg(j, j->o->clang[n]);
}

// Fusing only within an expression: across statements the code generator would fuse inside of
// libclc too, whose reductions then go wrong. Pointers to shared, constant and local memory take
// 32 bits; clang's front end and its code generator each need to be told.
static int device_side(job *j) {
  static const char *const levels[] = {"-O0", "-O1", "-O2", "-O3"};
  common(j);
  args(j, "--cuda-device-only", "-S", levels[j->o->level], "-gline-tables-only",
       "--cuda-feature=+ptx63", "-ffp-contract=on", "-fcuda-short-ptr", "-mllvm",
       "--nvptx-short-ptr", "-Wno-linker-warnings", "-Wno-unused-command-line-argument", NULL);
  if (access(LIBCLC, R_OK) == 0)
    args(j, "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBCLC, NULL);
  if (j->o->level)
    args(j, "-mllvm", "-force-attribute=alwaysinline", NULL);
  args(j, j->source, "-o", j->ptx, NULL);
  return run_command(j->args, false) ? TOOL_FAILED : TOOL_OK;
}

int compile_ptx(const char *file, const char *out, const compile_options *co) {
  size_t bytes, image_bytes;
  uint8_t *image = NULL;
  mpucc_options o = co->mpucc;
  char *text = read_file(file, &bytes);
  if (!text)
    return TOOL_USAGE;
  if (co->listing && !(o.listing = fopen(co->listing, "w"))) {
    free(text);
    return tool_error("cannot write '%s': %s", co->listing, strerror(errno));
  }
  int status = mpucc_compile(text, bytes, file, &o, &image, &image_bytes);
  if (o.listing)
    fclose(o.listing);
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
  args(j, "--cuda-host-only", "-O1", "-Wno-unused-command-line-argument", "-Xclang",
       "-fcuda-include-gpubinary", "-Xclang", j->object, "-MD", "-MF", j->deps, "-c", j->source,
       "-o", j->host, NULL);
  if (run_command(j->args, false))
    return TOOL_FAILED;
  j->count = 0;
  args(j, CLANG, j->host, j->runtime, "-lelf", "-lstdc++", "-lm", "-lpthread", "-o", j->out, NULL);
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
  snprintf(j->include, sizeof j->include, "%s/harness/runtime/include", root());
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
  char dir[PATH];
  const char *tmp = getenv("TMPDIR");
  snprintf(dir, sizeof dir, "%s/mpu.XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!mkdtemp(dir))
    return tool_error("cannot make a directory in '%s': %s", tmp ? tmp : "/tmp", strerror(errno));
  int status = compile_in(dir, source, out, o);
  remove_dir(dir);
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
      return tool_error("'%s' is not a CUDA program (.cu) and no directory of one", given);
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

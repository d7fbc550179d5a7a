// SPDX-License-Identifier: Apache-2.0
// CUDA to a program: clang makes PTX of the device side, mpucc an object of the PTX, clang the host
// side around the object, and the linker joins it with the runtime library.
#include "compile_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/out_file.h"
#include "harness/base/user_error.h"
#include "kernels/mpucc/image.h"
#include "command.h"
#include "library.h"
#include "rewrite.h"
#include "temporary.h"

extern char **environ;

compile_options compile_options_default(void) {
  return (compile_options){.mpucc = mpucc_options_default(), .level = 2};
}

// ---- processes

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
    user_error("cannot start '%s': %s", argv[0], strerror(e));
    return 127;
  }
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// ---- one compilation

typedef struct job {
  const char *source;
  const compile_options *o;
  command command;
  char overlay[PATH + 16], ptx[PATH + 16], object[PATH + 16], image[PATH + 16], host[PATH + 16],
      deps[PATH + 16];
  char include[PATH];
} job;

const char *compile_root(void) {
  const char *r = getenv("MPU_ROOT");
  return r && *r ? r : NEARBANK_ROOT;
}

// Options of the user, old syntax rewritten.
static void begin(job *j) {
  command_clear(&j->command);
  clang_common(&j->command, j->include);
  if (*j->overlay)
    command_add_all(&j->command, "-ivfsoverlay", j->overlay, NULL);
  for (size_t n = 0; n < j->o->clang_count; n++)
    command_add(&j->command, j->o->clang[n]);
}

static int device_side(job *j) {
  begin(j);
  clang_device(&j->command, j->o->level, LIBCLC);
  command_add_all(&j->command, j->source, "-o", j->ptx, NULL);
  return command_start(&j->command, false) ? EXIT_FAILED : EXIT_OK;
}

int compile_ptx(const char *file, const char *out, const compile_options *co) {
  size_t bytes, image_bytes;
  uint8_t *image = NULL;
  mpucc_options o = co->mpucc;
  char *text = read_file(file, &bytes);
  if (!text)
    return EXIT_USAGE;
  out_file *listing = co->listing ? out_open(co->listing) : NULL;
  if (co->listing && !listing) {
    free(text);
    return cannot_write(co->listing);
  }
  out_file *counts = co->counts ? out_open(co->counts) : NULL;
  if (co->counts && !counts) {
    free(text);
    out_drop(listing);
    return cannot_write(co->counts);
  }
  o.listing = listing ? out_stream(listing) : NULL;
  o.counts = counts ? out_stream(counts) : NULL;
  int status = mpucc_compile(text, bytes, file, &o, &image, &image_bytes);
  if (listing && status)
    out_drop(listing);
  else if (listing && !out_close(listing))
    status = cannot_write(co->listing);
  if (counts && status)
    out_drop(counts);
  else if (counts && !out_close(counts))
    status = cannot_write(co->counts);
  if (status == 0 && !write_file(out, image, image_bytes))
    status = EXIT_USAGE;
  if (status == 0 && co->ptx && !write_file(co->ptx, text, bytes))
    status = EXIT_USAGE;
  free(image);
  free(text);
  return status;
}

int compile_image(const char *object_file, const char *ptx_file, const mpucc_options *o,
                  const char *out) {
  char options[MPUCC_OPTIONS_TEXT];
  size_t object_bytes = 0, ptx_bytes, bytes;
  uint8_t *image = NULL;
  char *object = object_file ? read_file(object_file, &object_bytes) : NULL;
  char *ptx = read_file(ptx_file, &ptx_bytes);
  mpucc_options_text(o, options);
  if ((object || !object_file) && ptx)
    image = mpucc_image_make(
        &(mpucc_image){(uint8_t *)object, object_bytes, ptx, ptx_bytes, options}, &bytes);
  const bool ok = image && write_file(out, image, bytes);
  free(image);
  free(object);
  free(ptx);
  return ok ? EXIT_OK : EXIT_USAGE;
}

static int host_side(job *j) {
  begin(j);
  clang_host(&j->command, j->image);
  command_add_all(&j->command, "-O1", "-MD", "-MF", j->deps, "-c", j->source, "-o", j->host, NULL);
  return command_start(&j->command, false) ? EXIT_FAILED : EXIT_OK;
}

static int link_program(job *j, const char *out) {
  char runtime[] = NEARBANK_BUILD "/libmpurt.a";
  command_clear(&j->command);
  command_add_all(&j->command, CLANG, j->host, NULL);
  if (library_add_used(&j->command, j->deps, j->include))
    return EXIT_FAILED;
  command_add_all(&j->command, runtime, "-lelf", "-lstdc++", "-lm", "-lpthread", "-o", out, NULL);
  return command_start(&j->command, false) ? EXIT_FAILED : EXIT_OK;
}

// The folders of -I, for files that are included; as many as there are.
static int rewrite(job *j, const char *dir) {
  const char **folders = calloc(j->o->clang_count + 1, sizeof *folders);
  if (!folders)
    abort();
  for (size_t n = 0, to = 0; n < j->o->clang_count; n++)
    if (strncmp(j->o->clang[n], "-I", 2) == 0)
      folders[to++] = j->o->clang[n] + 2;
  const int status = rewrite_files(j->source, folders, dir, j->overlay, sizeof j->overlay);
  free(folders);
  return status;
}

static job *job_new(const char *dir, const char *source, const compile_options *o) {
  job *j = calloc(1, sizeof *j);
  if (!j)
    abort();
  j->source = source;
  j->o = o;
  snprintf(j->include, sizeof j->include, "%s/harness/cuda/include", compile_root());
  snprintf(j->ptx, sizeof j->ptx, "%s/device.ptx", dir);
  snprintf(j->object, sizeof j->object, "%s/device.elf", dir);
  snprintf(j->image, sizeof j->image, "%s/device.image", dir);
  snprintf(j->host, sizeof j->host, "%s/host.o", dir);
  snprintf(j->deps, sizeof j->deps, "%s/host.d", dir);
  if (o->device)
    snprintf(j->ptx, sizeof j->ptx, "%s", o->device);
  return j;
}

static void job_free(job *j) {
  command_clear(&j->command);
  free(j);
}

static int make_object(job *j, const char *dir) {
  int status = rewrite(j, dir);
  if (!status && !j->o->device)
    status = device_side(j);
  if (!status)
    status = compile_ptx(j->ptx, j->object, j->o);
  if (!status)
    status = compile_image(j->object, j->ptx, &j->o->mpucc, j->image);
  return status ? status : host_side(j);
}

int compile_object(const char *dir, const char *source, const compile_options *o) {
  job *j = job_new(dir, source, o);
  const int status = make_object(j, dir);
  job_free(j);
  return status;
}

int compile_in(const char *dir, const char *source, const char *out, const compile_options *o) {
  job *j = job_new(dir, source, o);
  int status = make_object(j, dir);
  if (!status)
    status = link_program(j, out);
  job_free(j);
  return status;
}

int compile_program(const char *source, const char *out, const compile_options *o) {
  char dir[PATH], aside[PATH];
  struct stat s;
  const bool special = stat(out, &s) == 0 && !S_ISREG(s.st_mode);
  if (!out_can(out))
    return cannot_write(out);
  if (snprintf(aside, sizeof aside, "%s.%ld.part", out, (long)getpid()) >= PATH)
    return user_error("the name '%.100s...' is too long", out);
  if (!temporary_folder("mpu", dir, sizeof dir))
    return user_error("cannot make a directory like '%s': %s", dir, strerror(errno));
  int status = compile_in(dir, source, special ? out : aside, o);
  temporary_remove(dir);
  if (!special && !status && !out_publish(aside, out))
    status = cannot_write(out);
  if (!special && status)
    unlink(aside);
  return status;
}

// A name that leads nowhere, with plain/ before its first part that is missing. False when that
// leads nowhere too.
static bool in_plain(const char *given, char *found, struct stat *s) {
  size_t from = 0, to = 0;
  do {
    from = to + strspn(given + to, "/");
    to = from + strcspn(given + from, "/");
    if (from == to || snprintf(found, PATH, "%.*s", (int)to, given) >= PATH)
      return false;
  } while (stat(found, s) == 0);
  return snprintf(found, PATH, "%.*splain/%s", (int)from, given, given + from) < PATH &&
         stat(found, s) == 0;
}

bool compile_is_program(const char *given) {
  char begin[4] = "";
  struct stat s;
  FILE *f = stat(given, &s) == 0 && S_ISREG(s.st_mode) && access(given, X_OK) == 0
                ? fopen(given, "r")
                : NULL;
  const size_t n = f ? fread(begin, 1, sizeof begin, f) : 0;
  if (f)
    fclose(f);
  return n >= 2 && (memcmp(begin, "#!", 2) == 0 || memcmp(begin, "\177ELF", 4) == 0);
}

int find_source(const char *given, char *source, size_t bytes) {
  char found[PATH];
  struct stat s;
  if (stat(given, &s)) {
    const int e = errno;
    if (e != ENOENT || !in_plain(given, found, &s))
      return user_error("cannot read '%s': %s", given, strerror(e));
    given = found;
  }
  if (!S_ISDIR(s.st_mode)) {
    size_t length = strlen(given);
    if (length < 4 || strcmp(given + length - 3, ".cu") != 0)
      return user_error(
          "'%s' is neither a CUDA program (.cu) nor a directory of one, and cannot be executed",
          given);
    snprintf(source, bytes, "%s", given);
    return EXIT_OK;
  }
  char full[PATH];
  if (!realpath(given, full))
    return user_error("cannot read '%s': %s", given, strerror(errno));
  snprintf(source, bytes, "%s/%s.cu", full, strrchr(full, '/') + 1);
  if (access(source, R_OK))
    return user_error("the directory '%s' has no %s.cu", given, strrchr(full, '/') + 1);
  return EXIT_OK;
}

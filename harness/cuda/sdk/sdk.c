// SPDX-License-Identifier: Apache-2.0
#include "sdk.h"

#include <dirent.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/user_error.h"
#include "harness/cuda/driver/command.h"
#include "harness/cuda/driver/compile.h"
#include "harness/cuda/driver/library.h"
#include "harness/cuda/driver/temporary.h"

enum { PATH = 4096 };
#define MARKER ".nearbank-sdk"
#define SHARED "libcudart.so.11.0"
#define ARCHIVE "!<arch>\n"  // an empty one

typedef struct sdk {
  char folder[PATH], work[PATH];
} sdk;

// A name in the folder; up to four at a time.
static const char *in(const sdk *s, const char *name) {
  static char names[4][PATH * 2];
  static unsigned next;
  char *to = names[next++ % 4];
  snprintf(to, sizeof names[0], "%s/%s", s->folder, name);
  return to;
}

static int run(const char *what, ...) {
  command c = {0};
  va_list list;
  va_start(list, what);
  for (; what; what = va_arg(list, const char *))
    command_add(&c, what);
  va_end(list);
  const int status = command_start(&c, false);
  command_clear(&c);
  return status ? EXIT_FAILED : EXIT_OK;
}

// ---- the folder

static bool is_empty(const char *folder) {
  DIR *d = opendir(folder);
  size_t count = 0;
  while (d && readdir(d))
    count++;
  if (d)
    closedir(d);
  return d && count <= 2;
}

static int take_folder(sdk *s, const char *folder) {
  char marker[PATH * 2];
  if (mkdir(folder, 0777) && errno != EEXIST)
    return user_error("cannot make the folder '%s': %s", folder, strerror(errno));
  if (!realpath(folder, s->folder))
    return user_error("cannot use the folder '%s': %s", folder, strerror(errno));
  snprintf(marker, sizeof marker, "%s/" MARKER, s->folder);
  if (access(marker, F_OK) && !is_empty(s->folder))
    return user_error(
        "'%s' is not an empty folder and not one that mpu sdk made; remove it, or name another",
        folder);
  if (strpbrk(s->folder, "\"\n,$"))
    return user_error("'%s': the linker cannot take a name with one of \" , $ in it", s->folder);
  const char text[] = "Written by mpu sdk, which may overwrite it.\n";
  return write_file(marker, text, sizeof text - 1) ? EXIT_OK : EXIT_USAGE;
}

static int make_folders(const sdk *s) {
  static const char *const names[] = {"bin",
                                      "include",
                                      "include/clang",
                                      "lib64",
                                      "lib64/stubs",
                                      "nvvm",
                                      "nvvm/libdevice",
                                      "targets",
                                      "targets/x86_64-linux"};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    if (mkdir(in(s, names[n]), 0777) && errno != EEXIST)
      return user_error("cannot make the folder '%s': %s", in(s, names[n]), strerror(errno));
  return EXIT_OK;
}

static int link_to(const sdk *s, const char *target, const char *name) {
  unlink(in(s, name));
  return symlink(target, in(s, name)) ? cannot_write(in(s, name)) : EXIT_OK;
}

static int write_text(const sdk *s, const char *name, const char *text) {
  return write_file(in(s, name), text, strlen(text)) ? EXIT_OK : EXIT_USAGE;
}

// ---- the runtime library

static bool is_public(const char *symbol) {
  return strncmp(symbol, "cuda", 4) == 0 || strncmp(symbol, "__cuda", 6) == 0 ||
         (strncmp(symbol, "cu", 2) == 0 && isupper((unsigned char)symbol[2])) ||
         strncmp(symbol, "nvrtc", 5) == 0 || strncmp(symbol, "mpu", 3) == 0;
}

// Names that programs use, of an archive: each once a line, behind `before`.
static int public_symbols(const char *archive, const char *before, FILE *to) {
  char line[1024], type, symbol[512];
  size_t count = 0;
  snprintf(line, sizeof line, "nm -g --defined-only '%s'", archive);
  FILE *f = popen(line, "r");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "%*x %c %511s", &type, symbol) == 2 && is_public(symbol)) {
      fprintf(to, "%s%s\n", before, symbol);
      count++;
    }
  if (!f || pclose(f) || !count)
    return user_error("cannot read the symbols of '%s' (nm, of Debian's binutils)", archive);
  return EXIT_OK;
}

// What the linker is told: the runtime's parts that programs can call, and with them what they
// need.
static int write_symbols(const char *archive, const char *file, const char *before) {
  FILE *f = fopen(file, "w");
  if (!f)
    return cannot_write(file);
  const int status = public_symbols(archive, before, f);
  return fclose(f) && !status ? cannot_write(file) : status;
}

// One object of the runtime, in which only what programs call is visible: their own functions may
// have any other name.
static int make_object(const sdk *s, const char *archive, char *object) {
  char undefined[PATH + 32], keep[PATH + 32], word[PATH + 64];
  snprintf(undefined, sizeof undefined, "%s/undefined", s->work);
  snprintf(keep, sizeof keep, "%s/keep", s->work);
  snprintf(object, PATH + 32, "%s/runtime.o", s->work);
  int status = write_symbols(archive, undefined, "-u ");
  if (!status)
    status = write_symbols(archive, keep, "");
  snprintf(word, sizeof word, "@%s", undefined);
  if (!status)
    status = run("ld", "-r", word, archive, "-o", object, NULL);
  snprintf(word, sizeof word, "--keep-global-symbols=%s", keep);
  return status ? status : run("objcopy", word, object, NULL);
}

// NAME is a text of the linker: a library of the folder, and others that it needs. So is the C++
// library, for programs that are linked as C.
static int make_script(const sdk *s, const char *name, const char *library, const char *others) {
  char text[PATH + 256];
  snprintf(text, sizeof text, "/* GNU ld script */\nINPUT(\"%s/lib64/%s\" %s)\n", s->folder,
           library, others);
  unlink(in(s, name));
  return write_text(s, name, text);
}

static int make_static(const sdk *s, const char *object) {
  const char *archive = "lib64/libnearbank_runtime.a";
  unlink(in(s, archive));
  const int status = run("ar", "qcs", in(s, archive), object, NULL);
  return status ? status
                : make_script(s, "lib64/libcudart_static.a", "libnearbank_runtime.a",
                              "-lelf -lm -lpthread -ldl AS_NEEDED(-lstdc++)");
}

static int make_shared(const sdk *s, const char *object) {
  char soname[PATH + 64], part[PATH + 64];
  snprintf(soname, sizeof soname, "-Wl,-soname,%s/lib64/" SHARED, s->folder);
  snprintf(part, sizeof part, "%s/lib64/" SHARED ".part", s->folder);
  int status = run("gcc", "-shared", soname, "-Wl,-Bsymbolic-functions", "-Wl,-z,defs", "-o", part,
                   object, "-lelf", "-lm", "-lpthread", "-ldl", NULL);
  if (!status && rename(part, in(s, "lib64/" SHARED)))
    status = cannot_write(in(s, "lib64/" SHARED));
  return status ? status : make_script(s, "lib64/libcudart.so", SHARED, "AS_NEEDED(-lstdc++)");
}

static int make_runtime(sdk *s) {
  static const char *const empty[] = {"lib64/libcudadevrt.a", "lib64/libculibos.a"};
  char archive[] = NEARBANK_BUILD "/libmpurt.a", object[PATH + 32];
  if (access(archive, R_OK))
    return user_error("'%s' is missing: build the target mpurt first", archive);
  if (!temporary_folder("sdk", s->work, sizeof s->work))
    return user_error("cannot make a folder like '%s': %s", s->work, strerror(errno));
  int status = make_object(s, archive, object);
  if (!status)
    status = make_static(s, object);
  if (!status)
    status = make_shared(s, object);
  for (size_t n = 0; n < 2 && !status; n++)
    status = write_text(s, empty[n], ARCHIVE);
  temporary_remove(s->work);
  return status;
}

static int copy(const sdk *s, const char *from, const char *to) {
  return run("cp", "-RL", "--remove-destination", from, in(s, to), NULL);
}

// ---- cuBLAS and so on: archives; what is linked of them, needs the runtime

static int make_library(const sdk *s, const char *name) {
  char archive[PATH], base[64], to[96];
  int status = library_make(name, archive, sizeof archive);
  snprintf(base, sizeof base, "lib%s_static.a", name);
  snprintf(to, sizeof to, "lib64/%s", base);
  if (!status)
    status = copy(s, archive, to);
  snprintf(to, sizeof to, "lib64/lib%s.so", name);
  return status ? status : make_script(s, to, base, "-lm");
}

static int make_libraries(const sdk *s) {
  int status = EXIT_OK;
  for (size_t n = 0; library_names[n] && !status; n++)
    status = make_library(s, library_names[n]);
  // the functions of cublasLt are in cublas: a program may name both, in any order
  if (!status)
    status = link_to(s, "libcublas_static.a", "lib64/libcublasLt_static.a");
  return status ? status : make_script(s, "lib64/libcublasLt.so", "libcublas_static.a", "-lm");
}

// ---- programs, headers, texts

static int make_programs(const sdk *s) {
  static const char *const names[] = {"bin/ptxas", "bin/fatbinary", "bin/nvlink", "bin/cuobjdump"};
  const char *nvcc = NEARBANK_BUILD "/nvcc";
  if (access(nvcc, X_OK))
    return user_error("'%s' is missing: build the target nvcc first", nvcc);
  int status = copy(s, nvcc, "bin/nvcc");
  for (size_t n = 0; n < sizeof names / sizeof *names && !status; n++)
    status = link_to(s, "nvcc", names[n]);
  return status;
}

static int make_headers(const sdk *s) {
  char from[PATH];
  snprintf(from, sizeof from, "%s/harness/cuda/include/.", compile_root());
  int status = copy(s, from, "include");
  snprintf(from, sizeof from, "%s/harness/cuda/sdk/include/.", compile_root());
  if (!status)
    status = copy(s, from, "include/clang");
  // where version 13 has them
  snprintf(from, sizeof from, "%s", in(s, "include/cccl"));
  if (!status && mkdir(from, 0777) && errno != EEXIST)
    status = cannot_write(from);
  if (!status)
    status = link_to(s, "../cuda", "include/cccl/cuda");
  return status ? status : link_to(s, "../nv", "include/cccl/nv");
}

static int make_texts(const sdk *s) {
  int status = write_text(s, "version.txt", "CUDA Version 11.8.89\n");
  if (!status)
    status =
        write_text(s, "version.json",
                   "{\n  \"cuda\": {\"name\": \"CUDA SDK\", \"version\": \"11.8.89\"},\n"
                   "  \"cuda_nvcc\": {\"name\": \"CUDA NVCC\", \"version\": \"11.8.89\"}\n}\n");
  if (!status && access(LIBCLC, R_OK) == 0)
    return copy(s, LIBCLC, "nvvm/libdevice/libdevice.10.bc");
  return status;
}

static int make_links(const sdk *s) {
  static const char *const links[][2] = {{"libcudart.so", "lib64/libcuda.so"},
                                         {"libcudart.so", "lib64/libnvrtc.so"},
                                         {"../libcudart.so", "lib64/stubs/libcuda.so"},
                                         {"lib64", "lib"},
                                         {"../../lib64", "targets/x86_64-linux/lib"},
                                         {"../../include", "targets/x86_64-linux/include"}};
  for (size_t n = 0; n < sizeof links / sizeof *links; n++)
    if (link_to(s, links[n][0], links[n][1]))
      return EXIT_USAGE;
  return EXIT_OK;
}

int sdk_write(const char *folder) {
  static sdk s;
  int status = take_folder(&s, folder);
  if (!status)
    status = make_folders(&s);
  if (!status)
    status = make_programs(&s);
  if (!status)
    status = make_headers(&s);
  if (!status)
    status = make_runtime(&s);
  if (!status)
    status = make_libraries(&s);
  if (!status)
    status = make_texts(&s);
  return status ? status : make_links(&s);
}

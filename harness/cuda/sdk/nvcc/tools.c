// SPDX-License-Identifier: Apache-2.0
// The other programs of the folder that mpu sdk writes, in the forms that build systems call.
#include <stdlib.h>
#include <string.h>

#include "harness/base/user_error.h"
#include "harness/cuda/driver/compile.h"
#include "kernels/mpucc/ptx.h"
#include "nvcc_priv.h"

void tool_version(const char *tool) {
  static const char *const names[][2] = {{"nvcc", "Cuda compiler driver"},
                                         {"ptxas", "Ptx optimizing assembler"},
                                         {"fatbinary", "Fatbinary creation tool"},
                                         {"nvlink", "Cuda linker"},
                                         {"cuobjdump", "Cuda object dump tool"}};
  const char *what = tool;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    what = strcmp(tool, names[k][0]) == 0 ? names[k][1] : what;
  printf("%s: NVIDIA (R) %s\n", tool, what);
  puts("is what build systems look for. This one is nearbank's, by clang 19 and mpucc.");
  printf("Cuda compilation tools, release %d.%d, V%d.%d.%d\n", NVCC_MAJOR, NVCC_MINOR, NVCC_MAJOR,
         NVCC_MINOR, NVCC_BUILD);
}

static int wrong(const char *tool, const char *what, const char *word) {
  fprintf(stderr, "%s: error: %s '%s'\n", tool, what, word);
  return EXIT_FAILED;
}

static bool word_is(const char *word, const char *a, const char *b) {
  const char *name = word + 1 + (word[1] == '-');
  const size_t n = strcspn(name, "=");
  return (strlen(a) == n && strncmp(name, a, n) == 0) ||
         (strlen(b) == n && strncmp(name, b, n) == 0);
}

// The value of a word: behind =, or the next word.
static const char *value_of(int argc, char **argv, int *n) {
  const char *equals = strchr(argv[*n], '=');
  return equals ? equals + 1 : *n + 1 < argc ? argv[++*n] : "";
}

// -c: the PTX as it is, when it is without errors, for the device linker.
static int relocatable(const char *in, const char *out, const compile_options *o) {
  size_t bytes;
  char *ptx = read_file(in, &bytes);
  if (!ptx)
    return EXIT_FAILED;
  diag *d = diag_new(in, ptx, bytes);
  ptx_module *m = ptx_parse(ptx, bytes, in, d);
  diag_print(d, stderr);
  diag_free(d);
  const bool ok = m;
  ptx_free(m);
  free(ptx);
  return ok ? compile_image(NULL, in, &o->mpucc, out) : EXIT_FAILED;
}

static int ptxas(int argc, char **argv) {
  compile_options o = compile_options_default();
  const char *in = NULL, *out = "elf.o";
  bool to_link = false;
  for (int n = 1; n < argc; n++) {
    const char *word = argv[n];
    if (*word != '-') {
      in = in ? NULL : word;
      if (!in)
        return wrong("ptxas", "one file at a time, not also", word);
    } else if (word_is(word, "arch", "gpu-name") || word_is(word, "O", "opt-level")) {
      value_of(argc, argv, &n);
    } else if (word_is(word, "o", "output-file")) {
      out = value_of(argc, argv, &n);
    } else if (word_is(word, "c", "compile-only")) {
      to_link = true;
    } else if (word_is(word, "maxrregcount", "maxrregcount")) {
      const long count = strtol(value_of(argc, argv, &n), NULL, 10);
      if (count < 8)
        return wrong("ptxas", "-maxrregcount takes a number from 8 on, not", argv[n]);
      o.mpucc.max_regs = count < 255 ? (uint32_t)count : 0;
    } else if (!word_is(word, "m64", "v") && !word_is(word, "verbose", "lineinfo") &&
               !word_is(word, "O0", "O1") && !word_is(word, "O2", "O3")) {
      return wrong("ptxas", "unknown option", word);
    }
  }
  if (!in)
    return wrong("ptxas", "which file? See", "docs/sdk.md");
  return to_link ? relocatable(in, out, &o) : compile_ptx(in, out, &o);
}

// Of an MPU object, or of one with its PTX, which a program can be compiled from again.
static int fatbinary(int argc, char **argv) {
  const char *out = NULL, *in = NULL, *ptx = NULL;
  mpucc_options o = mpucc_options_default();
  for (int n = 1; n < argc; n++) {
    if (word_is(argv[n], "create", "create")) {
      out = value_of(argc, argv, &n);
    } else if (word_is(argv[n], "image", "image3")) {
      const char *file = strstr(argv[n], ",file="),
                 **to = strstr(argv[n], "=compute_") ? &ptx : &in;
      if (!file || *to)
        return wrong("fatbinary", file ? "one image of a kind, not also" : "no file= in", argv[n]);
      *to = file + 6;
    } else if (word_is(argv[n], "cmdline", "cmdline")) {
      const char *count = strstr(argv[n], "maxrregcount=");
      o.max_regs = count ? (uint32_t)strtoul(count + 13, NULL, 10) : 0;
    } else if (!word_is(argv[n], "64", "m64")) {
      return wrong("fatbinary", "unknown option", argv[n]);
    }
  }
  if (!out || !in)
    return wrong("fatbinary", "it takes --create=FILE and", "--image=profile=sm_N,file=FILE");
  size_t bytes;
  char *image = read_file(in, &bytes);
  const bool elf = image && bytes > 4 && memcmp(image, "\177ELF", 4) == 0;
  int status = EXIT_FAILED;
  if (image && !elf)
    status = wrong("fatbinary", "not an MPU object:", in);
  else if (image && ptx)
    status = compile_image(in, ptx, &o, out) ? EXIT_FAILED : EXIT_OK;
  else if (image)
    status = write_file(out, image, bytes) ? EXIT_OK : EXIT_FAILED;
  free(image);
  return status;
}

int tool_main(const char *tool, int argc, char **argv) {
  if (argc > 1 && (word_is(argv[1], "version", "V"))) {
    tool_version(tool);
    return EXIT_OK;
  }
  if (strcmp(tool, "ptxas") == 0)
    return ptxas(argc, argv);
  if (strcmp(tool, "fatbinary") == 0)
    return fatbinary(argc, argv);
  if (strcmp(tool, "nvlink") == 0)
    return nvlink_main(argc, argv);
  if (strcmp(tool, "cuobjdump") == 0)
    return wrong(tool, "it only has --version; device code is printed by mpu dis, instead of",
                 argc > 1 ? argv[1] : "cuobjdump");
  return wrong(tool, "unknown name of this program", tool);
}

// SPDX-License-Identifier: Apache-2.0
#include "command.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advice.h"
#include "compile.h"
#include "truth.h"

void command_add(command *c, const char *word) {
  char **words = realloc(c->words, (c->count + 2) * sizeof *words);
  char *copy = strdup(word);
  if (!words || !copy)
    abort();
  c->words = words;
  words[c->count++] = copy;
  words[c->count] = NULL;
}

void command_add_all(command *c, ...) {
  va_list list;
  va_start(list, c);
  for (const char *word; (word = va_arg(list, const char *));)
    command_add(c, word);
  va_end(list);
}

void command_clear(command *c) {
  for (size_t n = 0; n < c->count; n++)
    free(c->words[n]);
  free(c->words);
  *c = (command){0};
}

static bool is_device_side(const command *c) {
  for (size_t n = 0; n < c->count; n++)
    if (strcmp(c->words[n], "--cuda-device-only") == 0)
      return true;
  return false;
}

int command_start(const command *c, bool quiet) {
  const int status = run_command((const char *const *)c->words, quiet);
  if (!is_device_side(c))
    return status;
  if (status == 1 && !quiet)
    advise(c);
  return status ? status : truth_mend(c, quiet);
}

// The SDK version makes clang use the launch sequence of today, the impossible path keeps an
// installed SDK from leaking in. What the vendor's compiler and g++ take with a warning, clang
// shall take too.
void clang_common(command *c, const char *include) {
  command_add_all(c, CLANG, "-x", "cuda", "--cuda-gpu-arch=sm_70", "--cuda-path=/nonexistent",
                  "-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=11.8", "-I", include,
                  "-include", "cuda_runtime.h", NULL);
  command_add_all(c, "-Wno-error=c++11-narrowing", "-Wno-error=reserved-user-defined-literal",
                  "-Wno-error=register", NULL);
}

// Fusing only within an expression: across statements the code generator would fuse inside of
// libclc too, whose reductions then go wrong. Pointers to shared, constant and local memory take
// 32 bits; clang's front end and its code generator each need to be told. A loop that a pragma
// wants unrolled and that cannot be is nothing to warn of. Where the first value of a static
// variable is computed, clang crashes when threads shall wait for it; when they need not, mpucc
// refuses the variable, with file and line.
void clang_device(command *c, int level, const char *bitcode) {
  static const char *const levels[] = {"-O0", "-O1", "-O2", "-O3"};
  command_add_all(c, "--cuda-device-only", "-S", levels[level], "-gline-tables-only",
                  "--cuda-feature=+ptx63", "-ffp-contract=on", "-fcuda-short-ptr", "-mllvm",
                  "--nvptx-short-ptr", "-Wno-linker-warnings", "-Wno-unused-command-line-argument",
                  "-Wno-pass-failed", "-fno-threadsafe-statics", NULL);
  if (access(bitcode, R_OK) == 0)
    command_add_all(c, "-Xclang", "-mlink-builtin-bitcode", "-Xclang", bitcode, NULL);
  if (level)
    command_add_all(c, "-mllvm", "-force-attribute=alwaysinline", NULL);
}

void clang_host(command *c, const char *object) {
  command_add_all(c, "--cuda-host-only", "-fwrapv", "-Wno-unused-command-line-argument", "-Xclang",
                  "-fcuda-include-gpubinary", "-Xclang", object, NULL);
}

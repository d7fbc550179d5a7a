// SPDX-License-Identifier: Apache-2.0
// What nvcc prints and executes, and its last step.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/shell.h"
#include "harness/base/user_error.h"
#include "nvcc_priv.h"

// Scripts look for the linker's command, with quotes around what is linked and its output.
static bool in_quotes(const command *c, size_t k) {
  const char *word = c->words[k], *dot = strrchr(word, '.');
  const bool object = dot && strcmp(dot, ".o") == 0 && *word != '-';
  return (object || (k && strcmp(c->words[k - 1], "-o") == 0)) && !strpbrk(word, "\"\\$`");
}

int nvcc_do(const nvcc *n, const command *c) {
  if (n->dryrun || n->verbose) {
    fputs("#$", stderr);
    for (size_t k = 0; k < c->count; k++)
      if (in_quotes(c, k))
        fprintf(stderr, " \"%s\"", c->words[k]);
      else
        shell_put_word(stderr, c->words[k]);
    fputc('\n', stderr);
  }
  return n->dryrun ? 0 : command_start(c, false);
}

// What is behind the libraries of the command line; CMake looks for these words in a line.
static void folders(const nvcc *n, command *c) {
  char word[PATH + 64];
  snprintf(word, sizeof word, "-L%s/stubs", n->libraries);
  command_add(c, word);
  snprintf(word, sizeof word, "-L%s", n->libraries);
  command_add(c, word);
}

void nvcc_print(const nvcc *n) {
  command c = {0};
  if (!n->dryrun && !n->verbose)
    return;
  folders(n, &c);
  fprintf(stderr, "#$ _NVVM_BRANCH_=nvvm\n#$ TOP=%s\n#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n",
          n->top, n->top);
  fprintf(stderr, "#$ PATH=%s/bin:%s\n", n->top, getenv("PATH") ? getenv("PATH") : "");
  fputs("#$ INCLUDES=", stderr);
  char include[PATH + 32];
  snprintf(include, sizeof include, "-I%s", n->include);
  shell_put_word(stderr, include);
  fputs("\n#$ SYSTEM_INCLUDES=\n#$ LIBRARIES=", stderr);
  for (size_t k = 0; k < c.count; k++)
    shell_put_word(stderr, c.words[k]);
  fputs("\n#$ CUDAFE_FLAGS=\n#$ PTXAS_FLAGS=\n", stderr);
  command_clear(&c);
}

int nvcc_link(nvcc *n, const command *objects) {
  command c = {0};
  char device[PATH] = "";
  if (!n->nodlink && rdc_link(n, objects, device))
    return EXIT_FAILED;
  command_add_all(&c, n->host, "-m64", "-o", n->out ? n->out : "a.out", NULL);
  if (n->shared)
    command_add(&c, "-shared");
  for (size_t k = 0; k < n->outer.count; k++)
    command_add(&c, n->outer.words[k]);
  command_add(&c, "-Wl,--start-group");
  if (*device)
    command_add(&c, device);
  for (size_t k = 0; k < objects->count; k++)
    command_add(&c, objects->words[k]);
  folders(n, &c);
  if (n->runtime == STATIC)
    command_add_all(&c, "-lcudadevrt", "-lcudart_static", "-lrt", "-lpthread", "-ldl", NULL);
  else if (n->runtime == SHARED)
    command_add_all(&c, "-lcudadevrt", "-lcudart", NULL);
  command_add(&c, "-Wl,--end-group");
  int status = nvcc_do(n, &c);
  command_clear(&c);
  if (status || !n->run)
    return status;
  char program[PATH];
  snprintf(program, sizeof program, "%s%s", n->out && strchr(n->out, '/') ? "" : "./",
           n->out ? n->out : "a.out");
  command_add(&c, program);
  status = nvcc_do(n, &c);
  command_clear(&c);
  return status;
}

// SPDX-License-Identifier: Apache-2.0
#include "verilated.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell.h"

// dlsym() gives an object pointer for functions too.
void *verilated_symbol(const verilated_library *l, const char *block, const char *suffix) {
  char name[64];
  snprintf(name, sizeof name, "%s_rtl%s", block, suffix);
  return dlsym(l->handle, name);
}

void verilated_close(verilated_library *l) {
  if (l->handle)
    dlclose(l->handle);
  l->handle = NULL;
}

bool verilated_command(const char *root, const char *build, const char *target, const char *sizes,
                       char *to, size_t bytes) {
  char script[4096];
  FILE *f = fmemopen(to, bytes, "w");
  if (!f)
    return false;
  snprintf(script, sizeof script, "%s/harness/base/verilated.sh", root);
  fputs("bash", f);
  shell_put_word(f, script);
  shell_put_word(f, build);
  shell_put_word(f, target);
  shell_put_word(f, sizes);
  const bool whole = !fflush(f) && ftell(f) + 1 < (long)bytes;
  return !fclose(f) && whole;
}

static bool in_build(const char *file) {
  static const char build[] = NEARBANK_BUILD "/";
  char *real = realpath(file, NULL);
  const bool in = real && !strncmp(real, build, strlen(build));
  free(real);
  return in;
}

// The length of the folder of libnearbank.so or libnearbank-spmv.so, with its /, when this code is
// in one of them: that of an installation, which may be anywhere. 0: this is a build, which has a
// place.
static int installation(const char **file) {
  static const char card[] = "/libnearbank.so", spmv[] = "/libnearbank-spmv.so";
  Dl_info here;
  const char *slash = dladdr(card, &here) ? strrchr(here.dli_fname, '/') : NULL;
  if (!slash || (strncmp(slash, card, strlen(card)) && strncmp(slash, spmv, strlen(spmv))) ||
      in_build(here.dli_fname))
    return 0;
  *file = here.dli_fname;
  return (int)(slash + 1 - here.dli_fname);
}

static void place(verilated_library *l) {
  const char *installed;
  const int n = installation(&installed);
  if (n)
    snprintf(l->file, sizeof l->file, "%.*snearbank/lib%s.so", n, installed, l->target);
  else
    snprintf(l->file, sizeof l->file, "%s/lib%s.so", NEARBANK_BUILD, l->target);
}

// What a user does about a library that is missing or old.
static const char *remedy(const verilated_library *l, char *to, size_t bytes) {
  const char *installed;
  if (installation(&installed))
    snprintf(to, bytes, "in the target sdk, with Verilator, and install again");
  else
    snprintf(to, bytes, "with: cmake --build %s --target %s", NEARBANK_BUILD, l->target);
  return to;
}

// The library with these sizes, built when it is not there.
static bool build(verilated_library *l, const char *sizes, char *why, size_t why_bytes) {
  const char *installed;
  if (installation(&installed)) {
    snprintf(
        why, why_bytes,
        "the verilated models of an installation have the default sizes, not %s; near=c has all",
        sizes);
    return false;
  }
  char command[3 * sizeof l->file + 1024];
  if (!verilated_command(NEARBANK_ROOT, NEARBANK_BUILD, l->target, sizes, command,
                         sizeof command)) {
    snprintf(why, why_bytes, "the path '%s' is too long", NEARBANK_ROOT);
    return false;
  }
  fflush(NULL);
  FILE *f = popen(command, "r");
  const bool named = f && fgets(l->file, sizeof l->file, f);
  const int status = f ? pclose(f) : -1;
  l->file[strcspn(l->file, "\n")] = 0;
  if (named && status == 0)
    return true;
  snprintf(why, why_bytes, "the verilated models with %s cannot be built", sizes);
  return false;
}

// The sizes of a library are its own: those that are wanted?
static bool same_sizes(verilated_library *l, const char *of, const char *sizes, char *why,
                       size_t why_bytes) {
  const char *const *built = verilated_symbol(l, of, "_sizes");
  if (!built || !strcmp(*built, sizes))
    return true;
  snprintf(why, why_bytes, "%s has the sizes '%s', not '%s'", l->file, *built, sizes);
  verilated_close(l);
  return false;
}

bool verilated_open(verilated_library *l, const char *target, const char *sizes, const char *file,
                    const char *variable, const char *of, char *why, size_t why_bytes) {
  *l = (verilated_library){.target = target};
  const bool named = file && variable;
  char how[2048];
  if (file)
    snprintf(l->file, sizeof l->file, "%s", file);
  else
    place(l);
  if (!file && *sizes && !build(l, sizes, why, why_bytes))
    return false;
  if (access(l->file, F_OK)) {
    snprintf(why, why_bytes,
             "the verilated models are missing: cannot find %s%s%s%s; build them %s", l->file,
             named ? " (" : "", named ? variable : "", named ? ")" : "",
             remedy(l, how, sizeof how));
    return false;
  }
  l->handle = dlopen(l->file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!l->handle) {
    snprintf(why, why_bytes, "cannot load the verilated models: %s", dlerror());
    return false;
  }
  return same_sizes(l, of, sizes, why, why_bytes);
}

static bool same_ports(const block_ops *a, const block_ops *b) {
  if (a->in_bytes != b->in_bytes || a->out_bytes != b->out_bytes || a->n_ports != b->n_ports)
    return false;
  for (size_t k = 0; k < a->n_ports; k++)
    if (strcmp(a->ports[k].name, b->ports[k].name) || a->ports[k].bits != b->ports[k].bits)
      return false;
  return true;
}

bool verilated_block(verilated_library *l, model *m, const char *block, const block_ops *twin,
                     char *why, size_t why_bytes) {
  void *failed = verilated_symbol(l, block, "_failed"),
       *set = verilated_symbol(l, block, "_mutant");
  void *trace = verilated_symbol(l, block, "_trace"),
       *off = verilated_symbol(l, block, "_trace_off");
  void *still = verilated_symbol(l, block, "_trace_inputs");
  char how[2048];
  m->ops = verilated_symbol(l, block, "");
  memcpy(&m->failed, &failed, sizeof failed);
  memcpy(&m->set_mutant, &set, sizeof set);
  memcpy(&m->trace, &trace, sizeof trace);
  memcpy(&m->trace_inputs, &still, sizeof still);
  memcpy(&m->trace_off, &off, sizeof off);
  if (m->ops && m->failed && same_ports(m->ops, twin))
    return true;
  snprintf(why, why_bytes, "%s was built from other sources; build it again %s", l->file,
           remedy(l, how, sizeof how));
  verilated_close(l);
  return false;
}

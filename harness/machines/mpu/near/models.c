// SPDX-License-Identifier: Apache-2.0
#include "models.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csim/dram/bankctl.h"
#include "csim/mpu/nbu.h"
#include "csim/mpu/rtt.h"
#include "csim/mpu/smem.h"

#define PRODUCT NEARBANK_BUILD "/libnearrtl.so"
#define BANKCTL NEARBANK_BUILD "/libbankctlrtl.so"
#define MUTANTS NEARBANK_BUILD "/libnearmutants.so"

// What a mutated library has a mutant of, from number 1 on: tb/mpu/near/plant.sh.
static const char *const mutants[] = {"tsv",     "opc",     "regfile", "valu", "fpu", "lsux",
                                      "regmove", "bankctl", "smem",    "rtt",  "nbu"};
enum { MUTANTS_COUNT = sizeof mutants / sizeof *mutants };

static bool same_ports(const block_ops *a, const block_ops *b) {
  if (a->in_bytes != b->in_bytes || a->out_bytes != b->out_bytes || a->n_ports != b->n_ports)
    return false;
  for (size_t k = 0; k < a->n_ports; k++)
    if (strcmp(a->ports[k].name, b->ports[k].name) || a->ports[k].bits != b->ports[k].bits)
      return false;
  return true;
}

// dlsym() gives an object pointer for functions too.
static void *symbol(void *library, const char *block, const char *suffix) {
  char name[64];
  snprintf(name, sizeof name, "%s_rtl%s", block, suffix);
  return dlsym(library, name);
}

static bool find(model *m, void *library, const char *block, const block_ops *twin) {
  m->ops = symbol(library, block, "");
  void *failed = symbol(library, block, "_failed"), *set = symbol(library, block, "_mutant");
  void *trace = symbol(library, block, "_trace"), *off = symbol(library, block, "_trace_off");
  void *still = symbol(library, block, "_trace_inputs");
  memcpy(&m->failed, &failed, sizeof failed);
  memcpy(&m->set_mutant, &set, sizeof set);
  memcpy(&m->trace, &trace, sizeof trace);
  memcpy(&m->trace_inputs, &still, sizeof still);
  memcpy(&m->trace_off, &off, sizeof off);
  return m->ops && m->failed && same_ports(m->ops, twin);
}

static bool load(models *m, const char *target, const char *file, const char *note, char *why,
                 size_t why_bytes) {
  m->file = file;
  if (access(file, F_OK)) {
    snprintf(why, why_bytes,
             "the verilated models are missing: there is no %s%s; build them with: cmake --build "
             "%s --target %s",
             file, note, NEARBANK_BUILD, target);
    return false;
  }
  m->library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!m->library)
    snprintf(why, why_bytes, "can't load the verilated models: %s", dlerror());
  return m->library;
}

static bool other_sources(models *m, const char *target, char *why, size_t why_bytes) {
  snprintf(why, why_bytes,
           "%s was built from other sources; build it again with: cmake --build %s --target %s",
           m->file, NEARBANK_BUILD, target);
  models_close(m);
  return false;
}

// A word of a shell command.
static void put_word(FILE *to, const char *word) {
  fputs(" '", to);
  for (; *word; word++)
    fputs(*word == '\'' ? "'\\''" : (const char[]){*word, 0}, to);
  fputc('\'', to);
}

bool models_command(const char *root, const char *build, const char *sizes, char *to,
                    size_t bytes) {
  FILE *f = fmemopen(to, bytes, "w");
  if (!f)
    return false;
  char script[4096];
  snprintf(script, sizeof script, "%s/harness/machines/mpu/near/build_models.sh", root);
  fputs("bash", f);
  put_word(f, script);
  put_word(f, build);
  put_word(f, sizes);
  const bool whole = !fflush(f) && ftell(f) + 1 < (long)bytes;
  return !fclose(f) && whole;
}

// The library with these sizes, built when it is not there: its name goes to m->built.
static bool build(models *m, const char *sizes, char *why, size_t why_bytes) {
  char command[3 * sizeof m->built + STRUCTURE_TEXT];
  if (!models_command(NEARBANK_ROOT, NEARBANK_BUILD, sizes, command, sizeof command)) {
    snprintf(why, why_bytes, "the path '%s' is too long", NEARBANK_ROOT);
    return false;
  }
  fflush(NULL);
  FILE *f = popen(command, "r");
  const bool named = f && fgets(m->built, sizeof m->built, f);
  const int status = f ? pclose(f) : -1;
  m->built[strcspn(m->built, "\n")] = 0;
  if (named && status == 0)
    return true;
  snprintf(why, why_bytes, "there are no verilated models with %s, and they cannot be built",
           sizes);
  return false;
}

// The sizes of a library are its own: those that are wanted?
static bool same_sizes(models *m, const char *sizes, char *why, size_t why_bytes) {
  const char *const *built = symbol(m->library, "nbu", "_sizes");
  if (!built || !strcmp(*built, sizes))
    return true;
  snprintf(why, why_bytes, "%s has the sizes '%s', not '%s'", m->file, *built, sizes);
  models_close(m);
  return false;
}

bool models_open(models *m, const structure *sizes, const char *mutant, const char *given,
                 char *why, size_t why_bytes) {
  char text[STRUCTURE_TEXT];
  const char *const product = PRODUCT, *target = mutant ? "nearmutants" : "nearrtl";
  const char *file = mutant ? MUTANTS : product;
  const char *named = mutant ? NULL : given, *note = "";
  *m = (models){0};
  for (unsigned k = 0; mutant && k < MUTANTS_COUNT; k++)
    if (!strcmp(mutant, mutants[k]))
      m->mutant = k + 1;
  if (mutant && !m->mutant) {
    snprintf(why, why_bytes, "there is no mutant '%s' of the Verilog", mutant);
    return false;
  }
  if (named && !mutant)
    file = named, note = " (MPU_RTL_LIBRARY)";
  structure_parameters(structure_or_default(sizes), text, sizeof text);
  if (*text && file == product) {
    if (!build(m, text, why, why_bytes))
      return false;
    file = m->built;
  }
  if (!load(m, target, file, note, why, why_bytes) || !same_sizes(m, text, why, why_bytes))
    return false;
  void *part = symbol(m->library, "nbu", "_part"), *fpu = symbol(m->library, "nbu", "_fpu");
  void *glue = symbol(m->library, "nbu", "_glue");
  memcpy(&m->glue, &glue, sizeof glue);
  memcpy(&m->part, &part, sizeof part);
  memcpy(&m->fpu, &fpu, sizeof fpu);
  if (find(&m->nbu, m->library, "nbu", &nbu_twin) &&
      find(&m->smem, m->library, "smem", &smem_twin) && find(&m->rtt, m->library, "rtt", &rtt_twin))
    return true;
  return other_sources(m, target, why, why_bytes);
}

bool models_open_bankctl(models *m, char *why, size_t why_bytes) {
  *m = (models){0};
  if (!load(m, "bankctlrtl", BANKCTL, "", why, why_bytes))
    return false;
  return find(&m->bankctl, m->library, "bankctl", &bankctl_twin) ||
         other_sources(m, "bankctlrtl", why, why_bytes);
}

void models_close(models *m) {
  if (m->library)
    dlclose(m->library);
  *m = (models){0};
}

void *model_new(const models *m, const model *block) {
  void *b = block->ops->create(NULL);
  if (b && m->mutant && block->set_mutant)
    block->set_mutant(b, m->mutant);
  return b;
}

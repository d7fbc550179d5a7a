// SPDX-License-Identifier: Apache-2.0
// Options of how a CUDA file is compiled: those of `cc`, `run` and `bench`.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tool.h"

// For programs that were compiled before, which contain the PTX.
static void note(compile_options *o, const args *a) {
  const size_t n = strlen(o->given);
  if (args_is(a, "--locate") || args_is(a, "--dies") || args_is(a, "--maxregs"))
    snprintf(o->given + n, sizeof o->given - n, " %s=%s", a->name, a->value);
  else if (args_is(a, "--forms") || args_is(a, "--near-predicates") || args_is(a, "--reorder") ||
           args_is(a, "--skew"))
    snprintf(o->given + n, sizeof o->given - n, " %s", a->name);
  else
    o->of_source = a->name;
}

static int take(compile_options *o, const args *a) {
  const char *v = a->value;
  if (args_is(a, "--locate")) {
    for (int p = 0; p < MIR_POLICIES; p++)
      if (strcmp(v, mir_policy_names[p]) == 0)
        o->mpucc.locate = (mir_policy)p;
    o->mpucc.located = true;
  } else if (args_is(a, "--profile-in")) {
    o->profile_in = v;
    return (o->mpucc.profile = profile_in(v)) ? 1 : EXIT_USAGE;
  } else if (args_is(a, "--dies")) {
    mpucc_parse_dies(v, &o->mpucc.dies);
  } else if (args_is(a, "--forms")) {
    o->mpucc.forms = true;
  } else if (args_is(a, "--near-predicates")) {
    o->mpucc.near_predicates = true;
  } else if (args_is(a, "--reorder")) {
    o->mpucc.reorder = true;
  } else if (args_is(a, "--skew")) {
    o->mpucc.skew = true;
  } else if (args_is(a, "--maxregs")) {
    char *end;
    unsigned long regs = strtoul(v, &end, 10);
    if (!*v || *end || regs < 8 || regs > 254)
      return user_error("--maxregs takes a number from 8 to 254, not '%s'", v);
    o->mpucc.max_regs = (uint32_t)regs;
  } else if (args_is(a, "-O")) {
    if (*v < '0' || *v > '3' || v[1])
      return user_error("there are -O0, -O1, -O2 and -O3, not '%s'", a->word);
    o->level = *v - '0';
  } else if (args_is(a, "-S")) {
    o->listing = v;
  } else if (args_is(a, "--counts")) {
    o->counts = v;
  } else if (args_is(a, "--ptx")) {
    o->ptx = v;
  } else if (args_is(a, "--device-ptx")) {
    o->device = v;
    return access(v, R_OK) == 0 ? 1 : user_error("--device-ptx: cannot read '%s'", v);
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

int compile_option(compile_options *o, const args *a) {
  const int taken = take(o, a);
  if (taken == 1)
    note(o, a);
  return taken;
}

// ---- the program of a command

int program_find(const char *given, const compile_options *o, given_program *p) {
  p->compiled = compile_is_program(given);
  const char *slash;
  int end;
  if (p->compiled && o->of_source)
    return user_error("%s is for CUDA sources; '%s' is compiled", o->of_source, given);
  if (p->compiled && !realpath(given, p->file))
    return user_error("cannot read '%s': %s", given, strerror(errno));
  const int status = p->compiled ? EXIT_OK : find_source(given, p->file, sizeof p->file);
  if (status)
    return status;
  slash = strrchr(p->file, '/');
  const char *name = slash ? slash + 1 : p->file;
  end = (int)strlen(name) - (p->compiled ? 0 : 3);  // .cu
  snprintf(p->name, sizeof p->name, "%.*s", end < 250 ? end : 250, name);
  return EXIT_OK;
}

int program_make(const given_program *p, const compile_options *o, char *program, size_t bytes) {
  if (!p->compiled)
    return compile_cached(p->file, o, program, bytes);
  snprintf(program, bytes, "%s", p->file);
  return EXIT_OK;
}

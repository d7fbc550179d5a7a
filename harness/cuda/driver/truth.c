// SPDX-License-Identifier: Apache-2.0
// In PTX the mistake looks as the right conversion of an int that is 0 or 1 does, which optimised
// code seldom has. Where it looks so, the intermediate code says which of the two it is.
#include "truth.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile.h"
#include "harness/base/user_error.h"

static const char *output_of(const command *c) {
  for (size_t n = 0; n + 1 < c->count; n++)
    if (strcmp(c->words[n], "-o") == 0)
      return c->words[n + 1];
  return NULL;
}

static const char *level_of(const command *c) {
  for (size_t n = 0; n < c->count; n++)
    if (strncmp(c->words[n], "-O", 2) == 0 && c->words[n][2] > '0' && !c->words[n][3])
      return c->words[n];
  return NULL;
}

// Registers of a function that are 0 or 1 by a predicate.
typedef struct bits {
  unsigned *regs;
  size_t count, room;
} bits;

static void add(bits *b, unsigned reg) {
  if (b->count == b->room) {
    b->room = 2 * b->room + 16;
    b->regs = realloc(b->regs, b->room * sizeof *b->regs);
    if (!b->regs)
      abort();
  }
  b->regs[b->count++] = reg;
}

static bool has(const bits *b, unsigned reg) {
  for (size_t n = 0; n < b->count; n++)
    if (b->regs[n] == reg)
      return true;
  return false;
}

static bool looks_wrong(FILE *ptx) {
  char *line = NULL, type[8];
  size_t room = 0;
  unsigned reg;
  bits b = {0};
  bool wrong = false;
  while (!wrong && getline(&line, &room, ptx) > 0)
    if (*line == '{')
      b.count = 0;
    else if (sscanf(line, " selp.u32 %%r%u, 1, 0, %%p", &reg) == 1)
      add(&b, reg);
    else if (sscanf(line, " cvt.rn.%7[^.].s32 %%%*[a-z]%*u, %%r%u;", type, &reg) == 2)
      wrong = has(&b, reg);
  free(line);
  free(b.regs);
  return wrong;
}

// %x = sitofp i1 %c to float: %"x.w" = sext i1 %c to i32, and a conversion of that. The same of
// vectors.
static bool widen(FILE *to, const char *line) {
  const char *at = strstr(line, " = sitofp "), *name = strchr(line, '%');
  if (!at || !name || name > at)
    return false;
  const char *type = at + strlen(" = sitofp "), *one = type, *end;
  if (*type == '<' && (one = strstr(type, " x ")))
    one += strlen(" x ");
  if (!one || strncmp(one, "i1", 2) != 0 || (one[2] != ' ' && one[2] != '>'))
    return false;
  const char *value = strchr(one, ' ');
  if (!value || !(end = strstr(value, " to ")))
    return false;
  name += 1 + (name[1] == '"');
  const int name_length = (int)(at - name) - (at[-1] == '"');
  const int of = (int)(one - type), behind = (int)(value - one) - 2;
  fprintf(to, "  %%\"%.*s.w\" = sext %.*s%.*s to %.*si32%.*s\n", name_length, name,
          (int)(value - type), type, (int)(end - value), value, of, type, behind, type + of + 2);
  fprintf(to, "%.*s = sitofp %.*si32%.*s %%\"%.*s.w\"%s", (int)(at - line), line, of, type, behind,
          type + of + 2, name_length, name, end);
  return true;
}

// False: one of the files fails.
static bool widen_all(const char *from, const char *to, bool *any) {
  FILE *in = fopen(from, "r"), *out = fopen(to, "w");
  char *line = NULL;
  size_t room = 0;
  bool ok = in && out;
  while (ok && getline(&line, &room, in) > 0)
    if (widen(out, line))
      *any = true;
    else
      fputs(line, out);
  free(line);
  ok = ok && !ferror(in) && !ferror(out);
  if (in)
    fclose(in);
  if (out)
    ok &= fclose(out) == 0;
  return ok;
}

// The same command with other output.
static int intermediate(const command *c, const char *out, bool quiet) {
  command again = {0};
  for (size_t n = 0; n < c->count; n++)
    command_add(&again, n && strcmp(c->words[n - 1], "-o") == 0 ? out : c->words[n]);
  command_add_all(&again, "-emit-llvm", "-w", NULL);
  const int status = run_command((const char *const *)again.words, quiet);
  command_clear(&again);
  return status;
}

static int code(const char *from, const char *ptx, const char *level, bool quiet) {
  command c = {0};
  command_add_all(&c, CLANG, "-cc1", "-triple", "nvptx64-nvidia-cuda", "-target-cpu", "sm_70",
                  "-target-feature", "+ptx63", "-S", level, "-disable-llvm-passes",
                  "-ffp-contract=on", "-fcuda-short-ptr", "-fno-dwarf-directory-asm", "-mllvm",
                  "--nvptx-short-ptr", "-w", "-x", "ir", from, "-o", ptx, NULL);
  const int status = run_command((const char *const *)c.words, quiet);
  command_clear(&c);
  return status;
}

int truth_mend(const command *c, bool quiet) {
  const char *ptx = output_of(c), *level = level_of(c);
  FILE *f = ptx && level ? fopen(ptx, "r") : NULL;
  if (!f)
    return 0;
  const bool wrong = looks_wrong(f);
  fclose(f);
  if (!wrong)
    return 0;
  char from[PATH_MAX], to[PATH_MAX];
  snprintf(from, sizeof from, "%s.ll", ptx);
  snprintf(to, sizeof to, "%s.wide.ll", ptx);
  int status = intermediate(c, from, quiet);
  bool any = false;
  if (!status && !widen_all(from, to, &any))
    status = cannot_write(to);
  else if (!status && any)
    status = code(to, ptx, level, quiet);
  unlink(from);
  unlink(to);
  return status;
}

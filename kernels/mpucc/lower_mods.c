// SPDX-License-Identifier: Apache-2.0
// PTX to MIR: opcodes and modifiers of statements.
#include <stdio.h>
#include <string.h>
#include "lower.h"
#include "ptx_ops.h"

static bool find(const char *const *names, const char *name, unsigned *index) {
  for (unsigned n = 0; names[n]; n++)
    if (strcmp(names[n], name) == 0) {
      *index = n;
      return true;
    }
  return false;
}

// Words that the families look for by themselves, and cache and eviction hints without a meaning.
static const char *const known_words[] = {
    "to",       "lo",     "hi",           "wide",       "uni",       "idx",      "sync",  "aligned",
    "arrive",   "red",    "popc",         "all",        "any",       "ballot",   "up",    "down",
    "bfly",     "warp",   "cta",          "gl",         "eq",        "ne",       "lt",    "le",
    "gt",       "ge",     "ls",           "hs",         "equ",       "neu",      "ltu",   "leu",
    "gtu",      "geu",    "num",          "nan",        "add",       "min",      "max",   "inc",
    "dec",      "exch",   "cas",          "l",          "r",         "wrap",     "clamp", "f4e",
    "b4e",      "rc8",    "ecl",          "ecr",        "rc16",      "shiftamt", "sc",    "finite",
    "infinite", "number", "notanumber",   "normal",     "subnormal", "ca",       "cg",    "cs",
    "lu",       "cv",     "wb",           "wt",         "nc",        "noinc",    "proxy", "NaN",
    "cc",       "async",  "commit_group", "wait_group", "wait_all",  "L1",       "L2",    "relu",
    "noftz",    "call",   "ret",          "pointer",    NULL};

void lower_full_name(const ptx_stmt *s, char *to, size_t bytes) {
  size_t n = (size_t)snprintf(to, bytes, "%s", s->op);
  for (uint32_t k = 0; k < s->mod_count && n < bytes; k++)
    n += (size_t)snprintf(to + n, bytes - n, ".%s", s->mods[k]);
}

bool lower_sort_mods(lower *l) {
  static const char *const rounds[] = {"",    "rn",  "rz",  "rm",     "rp",   "rni",
                                       "rzi", "rmi", "rpi", "approx", "full", NULL};
  static const char *const bools[] = {"", "and", "or", "xor", NULL};
  static const char *const orders[] = {"weak",    "volatile", "relaxed", "acquire",
                                       "release", "acq_rel",  NULL};
  static const char *const scopes[] = {"", "cta", "gpu", "sys", NULL};
  lower_mods *m = &l->mods;
  *m = (lower_mods){.vec = 1};
  for (uint32_t n = 0; n < l->s->mod_count; n++) {
    const char *w = l->s->mods[n];
    unsigned index;
    ptx_type type;
    if (ptx_type_find(w, &type)) {
      if (m->type_count < LOWER_TYPES)
        m->types[m->type_count++] = type;
    } else if (find(rounds, w, &index)) {
      m->rnd = (uint8_t)index;
    } else if (find(bools, w, &index)) {
      m->boolop = (uint8_t)index;
    } else if (find(orders, w, &index)) {
      m->order = (uint8_t)index;
    } else if (find(scopes, w, &index)) {
      m->scope = (uint8_t)index;
    } else if (strcmp(w, "ftz") == 0) {
      m->ftz = true;
    } else if (strcmp(w, "sat") == 0) {
      m->sat = true;
    } else if (w[0] == 'v' && (w[1] == '2' || w[1] == '4' || w[1] == '8') && !w[2]) {
      m->vec = (unsigned)(w[1] - '0');
    } else if (strncmp(w, "L1::", 4) == 0 || strncmp(w, "L2::", 4) == 0) {
      // cache hints: there is no cache
    } else {
      bool space = false;
      char base[16];
      snprintf(base, sizeof base, "%s", w);
      char *colon = strchr(base, ':');
      if (colon && (strcmp(colon, "::cta") == 0 || strcmp(colon, "::entry") == 0))
        *colon = 0;
      for (int s = PTX_GLOBAL; s < PTX_SPACES; s++)
        if (strcmp(ptx_space_name((ptx_space)s), base) == 0) {
          m->space = (ptx_space)s;
          m->has_space = space = true;
        }
      if (!space && !find(known_words, w, &index)) {
        char name[120];
        lower_full_name(l->s, name, sizeof name);
        lower_error(l, UINT32_MAX,
                    "the opcode `%s` is not supported: the modifier .%s; docs/ptx.md "
                    "lists what is",
                    name, w);
        return false;
      }
    }
  }
  return true;
}

static void add_types(char *to, size_t bytes, const char *types) {
  const size_t used = strlen(to);
  snprintf(to + used, bytes - used, " %s", types);
}

// What is wrong with the opcode, where the table of instructions says so.
bool lower_taken(lower *l) {
  char name[120], takes[200] = "";
  bool fits;
  const ptx_not *no = ptx_refused(l->s);
  const ptx_op *o = ptx_op_find(l->s, &fits);
  if (o && fits && !no)
    return true;
  for (const ptx_op *k = ptx_ops; o && k->name; k++)
    if (strcmp(k->name, o->name) == 0 && k->types)
      add_types(takes, sizeof takes, k->types);
  lower_full_name(l->s, name, sizeof name);
  if (no || !o)
    lower_error(l, UINT32_MAX, "the opcode `%s` is not supported: %s", name,
                no ? no->text : "docs/ptx.md lists what is");
  else
    lower_error(l, UINT32_MAX, "the opcode `%s` is not supported: `%s` takes%s", name, o->name,
                takes);
  return false;
}

// SPDX-License-Identifier: Apache-2.0
#include "placer_sums.h"

#include <stdlib.h>
#include <string.h>

typedef struct lines {
  const sums_launch *l;
  placer_name *name;
  const void *context;
  char *text;
  size_t bytes;
  uint32_t unknown;  // accesses
} lines;

// The pointer that is an argument and a term by itself. False: there is none.
static bool pointer_of(const lines *x, const affine_access *a, uint64_t *address) {
  const affine_kernel *k = &x->l->kernel->addresses;
  for (uint32_t t = a->first; t < a->first + a->terms; t++) {
    const affine_term *term = &k->terms[t];
    const affine_symbol s = term->of[0];
    if (s.kind != AFFINE_ARGUMENT || isa_types[s.shift].bits != 64 || term->of[1].kind ||
        term->factor != 1 || s.index + sizeof *address > x->l->kernel->param_bytes)
      continue;
    memcpy(address, x->l->params + s.index, sizeof *address);
    return true;
  }
  return false;
}

static char *line_of(const lines *x, const affine_access *a) {
  const affine_kernel *k = &x->l->kernel->addresses;
  const affine_point p = sums_point(x->l);
  const affine_names names = {0};
  uint64_t base, begins = 0;
  char *line = NULL;
  size_t bytes;
  affine_term *to = malloc((a->terms + 2) * sizeof *to);
  const char *name = pointer_of(x, a, &base) ? x->name(x->context, base, &begins) : NULL;
  FILE *f = to && name ? open_memstream(&line, &bytes) : NULL;
  if (f) {
    uint32_t n = affine_fold(k->terms + a->first, a->terms, &p, to);
    n = affine_add(to, n, (affine_term){.factor = -(int64_t)begins});
    fprintf(f, "# %s + ", name);
    affine_print(to, n, &names, f);
    fputc('\n', f);
    fclose(f);
  }
  free(to);
  return line;
}

static void add(lines *x, const char *line) {
  const size_t more = strlen(line);
  if (x->text && strstr(x->text, line))
    return;
  char *text = realloc(x->text, x->bytes + more + 1);
  if (!text)
    return;
  memcpy(text + x->bytes, line, more + 1);
  x->text = text;
  x->bytes += more;
}

char *placer_sums(const sums_launch *l, placer_name *name, const void *context) {
  lines x = {.l = l, .name = name, .context = context};
  const affine_kernel *k = &l->kernel->addresses;
  for (uint32_t n = 0; n < k->n_accesses; n++) {
    char *line = k->accesses[n].reason == AFFINE_IS ? line_of(&x, &k->accesses[n]) : NULL;
    if (line)
      add(&x, line);
    else
      x.unknown++;
    free(line);
  }
  if (x.unknown) {
    char line[120];
    snprintf(line, sizeof line, "# %u of %u accesses do not follow block, thread and loops so\n",
             x.unknown, k->n_accesses);
    add(&x, line);
  }
  return x.text;
}

// SPDX-License-Identifier: Apache-2.0
// --profile-in: what the compiler wants to know of the profile of a run.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "harness/inspect/profile/profile_data.h"
#include "tool.h"

static void *room(size_t count, size_t size) {
  void *p = calloc(count ? count : 1, size);
  if (!p)
    abort();
  return p;
}

enum { LANES = 32 };

// A block is executed as often as the instruction of it that is executed most.
static mir_profile_kernel counts_of(profile_kernel *k) {
  mir_profile_kernel x = {.name = k->name, .shape = k->shape};
  for (uint32_t n = 0; n + 1 < k->n; n++)
    if (k->instructions[n].block >= x.blocks)
      x.blocks = k->instructions[n].block + 1;
  x.ran = room(x.blocks, sizeof *x.ran);
  for (uint32_t n = 0; n + 1 < k->n; n++) {
    struct mir_ran *r = &x.ran[k->instructions[n].block];
    if (r->count < k->counts[n].issued) {
      r->count = k->counts[n].issued;
      r->partial = k->counts[n].lanes < LANES * k->counts[n].issued;
    }
  }
  k->name = NULL;  // it is x's
  return x;
}

const mir_profile *profile_in(const char *file) {
  static mir_profile m;  // of the last --profile-in, to the end of the command
  profile p;
  FILE *f = fopen(file, "r");
  if (!f) {
    user_error("cannot read '%s': %s", file, strerror(errno));
    return NULL;
  }
  const bool ok = profile_read(&p, f);
  fclose(f);
  if (!ok) {
    user_error("'%s' is not a profile of this version of mpu run --profile-out", file);
    return NULL;
  }
  m = (mir_profile){.file = file, .kernels = room(p.n, sizeof *m.kernels)};
  for (; m.count < p.n; m.count++)
    m.kernels[m.count] = counts_of(&p.kernels[m.count]);
  profile_free(&p);
  return &m;
}

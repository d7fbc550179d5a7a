// SPDX-License-Identifier: Apache-2.0
#include "lockstep.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct lockstep {
  const char *name;
  const block_ops *ops[2];  // the second one only side by side
  void *blocks[2], *out[2];
  bool (*failed)(const void *block);  // a check of the Verilog
  uint32_t verilog;                   // which of the two it is; 2: neither
  uint64_t edges;
  char error[1024];
};

static bool same_ports(const block_ops *a, const block_ops *b) {
  if (a->in_bytes != b->in_bytes || a->out_bytes != b->out_bytes || a->n_ports != b->n_ports)
    return false;
  for (size_t k = 0; k < a->n_ports; k++)
    if (strcmp(a->ports[k].name, b->ports[k].name) || a->ports[k].bits != b->ports[k].bits)
      return false;
  return true;
}

// dlsym() gives an object pointer for functions too. The library stays: what it has is constant.
static const block_ops *load(lockstep *l, const block_ops *twin, const char *library,
                             const char *block, char *why, size_t why_bytes) {
  char name[64];
  void *file = access(library, F_OK) ? NULL : dlopen(library, RTLD_NOW | RTLD_NODELETE);
  if (!file) {
    snprintf(why, why_bytes, "cannot load the verilated model of %s from %s: %s", block, library,
             access(library, F_OK) ? "there is no such file; build it first" : dlerror());
    return NULL;
  }
  snprintf(name, sizeof name, "%s_rtl", block);
  const block_ops *ops = dlsym(file, name);
  snprintf(name, sizeof name, "%s_rtl_failed", block);
  void *failed = dlsym(file, name);
  memcpy(&l->failed, &failed, sizeof failed);
  dlclose(file);
  if (ops && failed && same_ports(ops, twin))
    return ops;
  snprintf(why, why_bytes, "%s was built from other sources; build it again", library);
  return NULL;
}

lockstep *lockstep_new(lockstep_mode mode, const block_ops *twin, const char *library,
                       const char *block, char *why, size_t why_bytes) {
  lockstep *l = calloc(1, sizeof *l);
  snprintf(why, why_bytes, "out of memory");
  if (!l)
    return NULL;
  l->verilog = mode == LOCKSTEP_C ? 2 : mode == LOCKSTEP_BOTH;
  l->name = twin->name, l->ops[0] = twin;
  if (mode != LOCKSTEP_C && !(l->ops[l->verilog] = load(l, twin, library, block, why, why_bytes))) {
    lockstep_free(l);
    return NULL;
  }
  void *in = calloc(1, twin->in_bytes);
  bool good = in;
  for (int k = 0; k < 2 && l->ops[k]; k++) {
    l->blocks[k] = l->ops[k]->create(NULL), l->out[k] = calloc(1, twin->out_bytes);
    good = good && l->blocks[k] && l->out[k];
  }
  if (good && !(good = lockstep_step(l, in)))  // an edge in reset gives the first outputs
    snprintf(why, why_bytes, "%s", l->error);
  free(in);
  if (good)
    return l;
  lockstep_free(l);
  return NULL;
}

void lockstep_free(lockstep *l) {
  for (int k = 0; l && k < 2; k++) {
    if (l->blocks[k])
      l->ops[k]->destroy(l->blocks[k]);
    free(l->out[k]);
  }
  free(l);
}

// Which output it is.
static void differ(lockstep *l) {
  for (size_t k = 0; k < l->ops[0]->n_ports; k++) {
    const block_port *p = &l->ops[0]->ports[k];
    const char *a = (const char *)l->out[0] + p->offset, *b = (const char *)l->out[1] + p->offset;
    uint32_t x, y;
    for (size_t w = 0; p->dir == BLOCK_OUT && w < BLOCK_WORDS(p->bits); w++) {
      memcpy(&x, a + 4 * w, 4), memcpy(&y, b + 4 * w, 4);
      if (x == y)
        continue;
      snprintf(l->error, sizeof l->error,
               "edge %llu: %s and its Verilog differ: %s, word %zu, is %08x and %08x",
               (unsigned long long)l->edges, l->name, p->name, w, x, y);
      return;
    }
  }
}

bool lockstep_step(lockstep *l, const void *in) {
  if (*l->error)
    return false;
  for (int k = 0; k < 2 && l->ops[k]; k++)
    l->ops[k]->step(l->blocks[k], in, l->out[k]);
  if (l->verilog < 2 && l->failed(l->blocks[l->verilog]))
    snprintf(l->error, sizeof l->error, "edge %llu: a check of the Verilog of %s is false",
             (unsigned long long)l->edges, l->name);
  else if (l->ops[1] && memcmp(l->out[0], l->out[1], l->ops[0]->out_bytes) != 0)
    differ(l);
  l->edges++;
  return !*l->error;
}

const void *lockstep_out(const lockstep *l) {
  return l->out[0];
}

bool lockstep_idle(const lockstep *l) {
  return l->ops[0]->idle(l->blocks[0]) && (!l->ops[1] || l->ops[1]->idle(l->blocks[1]));
}

const char *lockstep_error(const lockstep *l) {
  return *l->error ? l->error : NULL;
}

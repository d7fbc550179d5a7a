// SPDX-License-Identifier: Apache-2.0
#include "lockstep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "csim/base/differ.h"
#include "harness/base/block_trace.h"

struct lockstep {
  const char *name;
  const block_ops *ops[2];  // the second one only side by side
  void *blocks[2], *out[2];
  model model;       // the Verilog
  uint32_t verilog;  // which of the two it is; 2: neither
  const void *in;    // at the last edge
  void *still;       // the inputs of an edge that did not come
  block_trace trace;
  uint64_t edges;
  char error[1024];
};

lockstep *lockstep_new(lockstep_mode mode, const block_ops *twin, const void *sizes,
                       const model *verilog, char *why, size_t why_bytes) {
  lockstep *l = calloc(1, sizeof *l);
  snprintf(why, why_bytes, "out of memory");
  if (!l)
    return NULL;
  l->verilog = mode == LOCKSTEP_C ? 2 : mode == LOCKSTEP_BOTH;
  l->name = twin->name, l->ops[0] = twin;
  if (mode != LOCKSTEP_C)
    l->model = *verilog, l->ops[l->verilog] = verilog->ops;
  bool good = (l->in = l->still = calloc(1, twin->in_bytes));
  for (int k = 0; k < 2 && l->ops[k]; k++) {
    l->blocks[k] = l->ops[k]->create(sizes), l->out[k] = calloc(1, twin->out_bytes);
    good = good && l->blocks[k] && l->out[k];
  }
  if (good && !(good = lockstep_step(l, l->still)))  // an edge in reset gives the first outputs
    snprintf(why, why_bytes, "%s", l->error);
  if (good)
    return l;
  lockstep_free(l);
  return NULL;
}

void lockstep_free(lockstep *l) {
  if (!l)
    return;
  block_trace_off(&l->trace);
  free(l->still);
  for (int k = 0; k < 2; k++) {
    if (l->blocks[k])
      l->ops[k]->destroy(l->blocks[k]);
    free(l->out[k]);
  }
  free(l);
}

static void differ(lockstep *l) {
  const int n = snprintf(l->error, sizeof l->error, "edge %llu: %s and its Verilog differ\n",
                         (unsigned long long)l->edges, l->name);
  differ_ports(l->error + n, sizeof l->error - (size_t)n, l->ops[0], l->out[0], l->out[1]);
}

bool lockstep_step(lockstep *l, const void *in) {
  if (*l->error)
    return false;
  for (int k = 0; k < 2 && l->ops[k]; k++)
    l->ops[k]->step(l->blocks[k], in, l->out[k]);
  l->in = in;
  block_trace_step(&l->trace, in, l->out[0]);
  if (l->verilog < 2 && l->model.failed(l->blocks[l->verilog]))
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

const void *lockstep_twin(const lockstep *l) {
  return l->verilog ? l->blocks[0] : NULL;
}

void lockstep_still(lockstep *l) {
  const block_ops *o = l->ops[0];
  memset(l->still, 0, o->in_bytes);
  for (size_t k = 0; k < o->n_ports; k++)
    if (!strcmp(o->ports[k].name, "rst_n"))
      memcpy((char *)l->still + o->ports[k].offset, &(uint32_t){1}, 4);
  l->in = l->still;
  block_trace_still(&l->trace, l->in);
}

bool lockstep_idle(const lockstep *l) {
  return l->ops[0]->idle(l->blocks[0]) && (!l->ops[1] || l->ops[1]->idle(l->blocks[1]));
}

void lockstep_fetch(prefetch *a, const lockstep *l) {
  prefetch_add(a, l, offsetof(lockstep, error) + 1);
}

const char *lockstep_error(const lockstep *l) {
  return *l->error ? l->error : NULL;
}

bool lockstep_trace(lockstep *l, const rtl_trace *to) {
  const bool is = l->verilog < 2;
  if (to)
    return block_trace_on(&l->trace, l->ops[0], is ? &l->model : NULL,
                          l->blocks[is ? l->verilog : 0], to, l->in, l->out[0]);
  block_trace_off(&l->trace);
  return true;
}

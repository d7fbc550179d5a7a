// SPDX-License-Identifier: Apache-2.0
#include "prog.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "csim/isa/asm.h"

enum { MAX_INSTS = 256, MAX_LABELS = 32, SHARED = 4096, LOCAL = 256, CONSTANTS = 256 };

typedef struct label {
  const char *name;
  size_t length;
  uint32_t pc;
} label;

typedef struct labels {
  label at[MAX_LABELS];
  unsigned count;
} labels;

static bool find_label(void *context, const char *name, size_t length, uint32_t *target) {
  const labels *l = context;
  for (unsigned n = 0; n < l->count; n++)
    if (l->at[n].length == length && memcmp(l->at[n].name, name, length) == 0) {
      *target = l->at[n].pc;
      return true;
    }
  return false;
}

// Calls for each line: a label or an instruction. The first pass only places the labels.
static uint32_t pass(const char *text, labels *all, isa_inst *insts) {
  const asm_labels names = {NULL, find_label, all};
  uint32_t count = 0;
  for (const char *line = text; *line;) {
    size_t length = strcspn(line, "\n"), used = length;
    while (used && line[used - 1] == ' ')
      used--;
    if (used && line[used - 1] == ':') {
      if (!insts) {
        assert(all->count < MAX_LABELS);
        all->at[all->count++] = (label){line, used - 1, count * ISA_BYTES};
      }
    } else if (used) {
      char why[200];
      size_t at;
      assert(count < MAX_INSTS);
      if (insts && !asm_parse(line, used, &names, &insts[count], &at, why, sizeof why)) {
        fprintf(stderr, "%.*s\n%*s^ %s\n", (int)used, line, (int)at, "", why);
        abort();
      }
      count++;
    }
    line += length + (line[length] == '\n');
  }
  return count;
}

module *prog_assemble(const char *text) {
  labels all = {.count = 0};
  module *mod = calloc(1, sizeof *mod);
  module_kernel *k = calloc(1, sizeof *k);
  assert(mod && k);
  k->name = "test";
  k->inst_count = pass(text, &all, NULL);
  k->insts = calloc(k->inst_count, sizeof *k->insts);
  assert(k->insts);
  pass(text, &all, k->insts);
  k->param_bytes = sizeof((prog *)NULL)->params;
  k->shared_bytes = SHARED;
  k->local_bytes = LOCAL;
  k->regs_both = 32;
  k->regs_near = k->regs_far = 16;
  k->preds = 15;
  mod->kernels = k;
  mod->kernel_count = 1;
  mod->constants = calloc(1, CONSTANTS);
  mod->constant_bytes = CONSTANTS;
  for (uint32_t n = 0; n < CONSTANTS / 4; n++) {
    uint32_t v = 0xc0000000 + n;
    memcpy(mod->constants + 4 * n, &v, sizeof v);
  }
  return mod;
}

prog prog_open(const machine_config *config) {
  machine_config standard = machine_config_default();
  standard.max_instructions = 10000000;
  prog p = {0};
  p.m = machine_new(config ? config : &standard);
  assert(p.m);
  machine_error e = machine_malloc(p.m, PROG_WORDS * sizeof(uint32_t), &p.out);
  assert(e == MACHINE_OK);
  (void)e;
  memcpy(p.params, &p.out, sizeof p.out);
  return p;
}

void prog_close(prog *p) {
  machine_free(p->m);
}

machine_error prog_launch(prog *p, const char *text, launch_shape shape, launch **l) {
  module *mod = prog_assemble(text);
  *l = NULL;
  machine_error e = machine_add_module(p->m, mod);
  if (!e)
    e = machine_fill(p->m, p->out, 0, PROG_WORDS * sizeof(uint32_t));
  if (!e)
    e = launch_new(p->m, mod, &mod->kernels[0], &shape, p->params, sizeof p->params, l);
  return e;
}

void prog_fetch(prog *p, uint32_t *out) {
  machine_error e = machine_read(p->m, out, p->out, PROG_WORDS * sizeof *out);
  assert(e == MACHINE_OK);
  (void)e;
}

machine_error prog_run(prog *p, const char *text, launch_shape shape, uint32_t *out) {
  launch *l;
  machine_error e = prog_launch(p, text, shape, &l);
  if (!e) {
    e = launch_run(l);
    p->stats = launch_get_stats(l);
    prog_fetch(p, out);
  }
  launch_free(l);
  return e;
}

launch_shape shape_1d(uint32_t blocks, uint32_t threads) {
  return (launch_shape){{blocks, 1, 1}, {threads, 1, 1}, 0};
}

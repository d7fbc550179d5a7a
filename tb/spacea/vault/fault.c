// SPDX-License-Identifier: Apache-2.0
// To be loaded before mpu-tool (LD_PRELOAD): the Verilog of a bank group with a fault. In edge
// FAULT_EDGE of the FAULT_GROUPth group that is made, from 0 on, its bank 1 gets a command: ACT
// when FAULT is "rule", which breaks a rule of the DRAM while a row is open, and else one that is
// none, which no twin gives. When FAULT is "lost", its line FAULT_EDGE does not come.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "csim/spacea/bgroup.h"

enum { GROUPS = 64, NO_COMMAND = 7 };
static struct {
  block_ops real, faulty;
  void *blocks[GROUPS];
  unsigned n;
  unsigned long edges[GROUPS];
  bgroup_out before;
  bool changed, lost;
} all;

static unsigned long number(const char *name) {
  const char *text = getenv(name);
  return text ? strtoul(text, NULL, 10) : 0;
}

static void *create(const void *sizes) {
  void *b = all.real.create(sizes);
  if (all.n < GROUPS)
    all.blocks[all.n++] = b;
  return b;
}

static void step(void *block, const void *in, void *to) {
  bgroup_out *out = to;
  const unsigned long group = number("FAULT_GROUP");
  const bool here = group < all.n && all.blocks[group] == block;
  if (here && all.changed)
    *out = all.before, all.changed = false;
  const char *fault = getenv("FAULT");
  bgroup_in without = *(const bgroup_in *)in;
  if (here && fault && !strcmp(fault, "lost")) {
    if (without.rx_valid && (without.rx_head[0] & 15) == 1 && !all.lost &&
        all.edges[group]++ >= number("FAULT_EDGE"))
      without.rx_valid = 0, all.lost = true;
    all.real.step(block, &without, to);
    return;
  }
  all.real.step(block, in, to);
  if (!here || all.edges[group]++ != number("FAULT_EDGE"))
    return;
  all.before = *out, all.changed = true;
  out->cmd = fault && !strcmp(fault, "rule") ? DRAM_ACT : NO_COMMAND, out->cmd_bank = 1;
}

typedef void *symbol(void *library, const char *name);

void *dlsym(void *library, const char *name) {
  static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
  symbol *real = NULL;
  for (unsigned k = 0; !real && k < sizeof versions / sizeof *versions; k++)
    real = (symbol *)dlvsym(RTLD_NEXT, "dlsym", versions[k]);
  void *found = real ? real(library, name) : NULL;
  if (!found || strcmp(name, "bgroup_rtl"))
    return found;
  all.real = *(const block_ops *)found;
  all.faulty = all.real, all.faulty.create = create, all.faulty.step = step;
  return &all.faulty;
}

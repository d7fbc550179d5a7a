// SPDX-License-Identifier: Apache-2.0
#include "wave_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csim/isa/asm.h"
#include "harness/base/out_file.h"
#include "csim/isa/model.h"
#include "probe.h"

enum { KERNELS = 255, NAME = 4096 };

struct wave_names {
  FILE *f;
  char name[NAME], aside[NAME];
  const module_kernel *kernels[KERNELS];  // by their numbers
};

wave_names *wave_names_new(const char *wave_file, char *why, size_t why_bytes) {
  wave_names *n = calloc(1, sizeof *n);
  if (!n) {
    snprintf(why, why_bytes, "out of host memory");
    return NULL;
  }
  snprintf(n->name, sizeof n->name, "%s.names", wave_file);
  snprintf(n->aside, sizeof n->aside, "%s.part.names", wave_file);
  if (out_can(n->name) && (n->f = fopen(n->aside, "w"))) {
    fprintf(n->f, "%08X -\n", PROBE_NO_PC);
    return n;
  }
  snprintf(why, why_bytes, "cannot write '%.300s': %s", n->name, strerror(errno));
  free(n);
  return NULL;
}

static void put(FILE *f, const launch *l, uint32_t number) {
  const module_kernel *k = l->kernel;
  for (uint32_t i = 0; i < k->inst_count; i++) {
    char text[ASM_TEXT];
    const uint32_t pc = i * ISA_BYTES;
    const module_line *line = module_line_at(k, pc);
    asm_print(&l->code.insts[i].i, NULL, text, sizeof text);
    fprintf(f, "%08X %s", number << PROBE_KERNEL_SHIFT | pc, text);
    if (line && line->cuda_line) {
      const char *slash = strrchr(line->cuda_file, '/');
      fprintf(f, "; %s:%u", slash ? slash + 1 : line->cuda_file, line->cuda_line);
    }
    fputc('\n', f);
  }
  fflush(f);
}

uint32_t wave_names_kernel(wave_names *n, const launch *l) {
  uint32_t at = (uint32_t)(l->kernel - l->mod->kernels), tried = 1;
  at = at < KERNELS ? at : KERNELS - 1;
  for (; n->kernels[at] && n->kernels[at] != l->kernel && tried < KERNELS; tried++)
    at = (at + 1) % KERNELS;
  if (!n->kernels[at]) {
    n->kernels[at] = l->kernel;
    put(n->f, l, at);
  }
  return at;
}

void wave_names_drop(wave_names *n) {
  if (n)
    unlink(n->aside);
  wave_names_close(n, false);
}

void wave_names_close(wave_names *n, bool whole) {
  if (n)
    fclose(n->f);
  if (n && whole)
    rename(n->aside, n->name);
  free(n);
}

// SPDX-License-Identifier: Apache-2.0
#include "wave_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../csim/isa/asm.h"
#include "../../csim/isa/machine_priv.h"
#include "../core/probe.h"

enum { KERNELS = 255, NAME = 4096 };

struct wave_names {
  FILE *f;
  const module_kernel *kernels[KERNELS];  // by their numbers
};

wave_names *wave_names_new(const char *wave_file, char *why, size_t why_bytes) {
  char name[NAME];
  wave_names *n = calloc(1, sizeof *n);
  snprintf(name, sizeof name, "%s.names", wave_file);
  if (n && (n->f = fopen(name, "w"))) {
    fprintf(n->f, "%08X -\n", PROBE_NO_PC);
    return n;
  }
  snprintf(why, why_bytes, "cannot write '%.300s': %s", name, strerror(errno));
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

void wave_names_close(wave_names *n) {
  if (n)
    fclose(n->f);
  free(n);
}

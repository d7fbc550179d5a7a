// SPDX-License-Identifier: Apache-2.0
#include "models.h"

#include <stdio.h>
#include <string.h>

#include "csim/mpu/nbu.h"
#include "csim/mpu/rtt.h"
#include "csim/mpu/smem.h"

#define MUTANTS NEARBANK_BUILD "/libnearmutants.so"

// What a mutated library has a mutant of, from number 1 on: tb/mpu/near/plant.sh.
static const char *const mutants[] = {"tsv",     "opc",     "regfile", "valu", "fpu", "lsux",
                                      "regmove", "bankctl", "smem",    "rtt",  "nbu", "order"};
enum { MUTANTS_COUNT = sizeof mutants / sizeof *mutants };

static void find_parts(models *m) {
  void *part = verilated_symbol(&m->library, "nbu", "_part");
  void *fpu = verilated_symbol(&m->library, "nbu", "_fpu");
  void *glue = verilated_symbol(&m->library, "nbu", "_glue");
  memcpy(&m->glue, &glue, sizeof glue);
  memcpy(&m->part, &part, sizeof part);
  memcpy(&m->fpu, &fpu, sizeof fpu);
}

bool models_open(models *m, const structure *sizes, const char *mutant, const char *given,
                 char *why, size_t why_bytes) {
  char text[STRUCTURE_TEXT];
  *m = (models){0};
  for (unsigned k = 0; mutant && k < MUTANTS_COUNT; k++)
    if (!strcmp(mutant, mutants[k]))
      m->mutant = k + 1;
  if (mutant && !m->mutant) {
    snprintf(why, why_bytes, "unknown mutant '%s' of the Verilog", mutant);
    return false;
  }
  structure_parameters(structure_or_default(sizes), text, sizeof text);
  if (!verilated_open(&m->library, mutant ? "nearmutants" : "nearrtl", text,
                      mutant ? MUTANTS : given, mutant ? NULL : "MPU_RTL_LIBRARY", "nbu", why,
                      why_bytes))
    return false;
  find_parts(m);
  return verilated_block(&m->library, &m->nbu, "nbu", &nbu_twin, why, why_bytes) &&
         verilated_block(&m->library, &m->smem, "smem", &smem_twin, why, why_bytes) &&
         verilated_block(&m->library, &m->rtt, "rtt", &rtt_twin, why, why_bytes);
}

void models_close(models *m) {
  verilated_close(&m->library);
  *m = (models){0};
}

void *model_new(const models *m, const model *block) {
  void *b = block->ops->create(NULL);
  if (b && m->mutant && block->set_mutant)
    block->set_mutant(b, m->mutant);
  return b;
}

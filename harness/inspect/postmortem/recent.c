// SPDX-License-Identifier: Apache-2.0
#include "recent.h"

#include <inttypes.h>
#include <string.h>

#include "csim/isa/asm.h"
#include "csim/isa/model.h"

static recent_record *add(recent *r, uint32_t nbu, uint64_t cycle) {
  recent_record *x = &r->ring[nbu][r->n[nbu]++ % RECENT];
  *x = (recent_record){.cycle = cycle};
  return x;
}

void recent_cycle(recent *r, const core *c, const core_event *events, uint32_t count) {
  for (uint32_t n = 0; n < count; n++) {
    const core_event *e = &events[n];
    if (e->kind != EVENT_END)
      continue;
    recent_record *x = add(r, e->subcore, e->cycle);
    x->block = e->block, x->warp = e->warp, x->pc = e->pc, x->lanes = e->lanes;
  }
  for (uint32_t k = 0; k < NEAR_NBUS; k++) {
    const nbu_out *o = near_pins(core_near(c), k);
    if (!o->cmd)
      continue;
    recent_record *x = add(r, k, core_cycle(c));
    x->command = true;
    x->cmd = (uint8_t)o->cmd, x->bank = (uint8_t)o->cmd_bank;
    x->row = o->cmd_row, x->col = o->cmd_col;
    x->subarray = (uint8_t)(o->cmd_row % core_sizes(c)->subarrays);
  }
}

static void print_command(const recent_record *x, FILE *f) {
  static const char *const names[DRAM_CMDS] = {"none", "ACT", "PRE", "SASEL",
                                               "RD",   "WR",  "REF", "PREA"};
  fprintf(f, "bank %u %-5s", x->bank, names[x->cmd]);
  if (x->cmd == DRAM_ACT)
    fprintf(f, " row %u (subarray %u)", x->row, x->subarray);
  else if (x->cmd != DRAM_REF && x->cmd != DRAM_PREA)
    fprintf(f, " subarray %u", x->subarray);
  if (x->cmd == DRAM_RD || x->cmd == DRAM_WR)
    fprintf(f, " column %u", x->col);
}

static void print_instruction(const recent_record *x, const launch *l, FILE *f) {
  char text[ASM_TEXT] = "the end of the code";
  const module_line *line = module_line_at(l->kernel, x->pc);
  if (x->pc / ISA_BYTES < l->kernel->inst_count)
    asm_print(&l->code.insts[x->pc / ISA_BYTES].i, NULL, text, sizeof text);
  fprintf(f, "block %u warp %u lanes %08x  0x%x %s", x->block, x->warp, x->lanes, x->pc, text);
  if (line && line->cuda_line) {
    const char *slash = strrchr(line->cuda_file, '/');
    fprintf(f, "  %s:%u", slash ? slash + 1 : line->cuda_file, line->cuda_line);
  }
}

void recent_print(const recent *r, uint32_t nbu, uint32_t most, const launch *l, FILE *f) {
  const uint64_t n = r->n[nbu];
  for (uint64_t k = n > most ? n - most : 0; k < n; k++) {
    const recent_record *x = &r->ring[nbu][k % RECENT];
    fprintf(f, "    %8" PRIu64 "  ", x->cycle);
    if (x->command)
      print_command(x, f);
    else
      print_instruction(x, l, f);
    fputc('\n', f);
  }
}

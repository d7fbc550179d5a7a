// SPDX-License-Identifier: Apache-2.0
// What a launch tells: the retire trace, and where and why it failed.
#include <stdio.h>
#include "asm.h"
#include "machine_priv.h"

void trace_record(launch *l, const warp *w) {
  const retire_record *r = &l->record;
  FILE *f = l->m->config.trace;
  fprintf(f, "%u %u %x %08x %c", r->block, r->warp, r->pc, r->lanes, r->near ? 'N' : 'F');
  for (unsigned p = 0; p < r->words && r->lanes; p++) {
    fprintf(f, " r%u", r->reg + p);
    for (unsigned k = 0; k < ISA_LANES; k++)
      if (r->lanes >> k & 1)
        fprintf(f, " %x", w->regs[(r->reg + p) * ISA_LANES + k]);
      else
        fputs(" -", f);
  }
  if (r->has_pred && r->lanes)
    fprintf(f, " p%u %08x", r->pred, r->pred_bits);
  if (r->has_pred2 && r->lanes)
    fprintf(f, " p%u %08x", r->pred2, r->pred2_bits);
  fputc('\n', f);
}

size_t trace_place(const launch *l, uint32_t pc, char *to, size_t bytes) {
  char text[ASM_TEXT] = "the end of the code";
  if (pc / ISA_BYTES < l->kernel->inst_count)
    asm_print(&l->code.insts[pc / ISA_BYTES].i, NULL, text, sizeof text);
  const char *function = module_function_at(l->kernel, pc);
  size_t n = (size_t)snprintf(to, bytes, "kernel %s%s%s, pc 0x%x: %s", l->kernel->name,
                              *function ? ", function " : "", function, pc, text);
  const module_line *line = module_line_at(l->kernel, pc);
  if (line && line->ptx_line && n < bytes)
    n += (size_t)snprintf(to + n, bytes - n, ", PTX line %u", line->ptx_line);
  if (line && line->cuda_line && n < bytes)
    n += (size_t)snprintf(to + n, bytes - n, ", %s:%u", line->cuda_file, line->cuda_line);
  if ((line = module_line_near(l->kernel, pc)) && n < bytes)
    n += (size_t)snprintf(to + n, bytes - n, " (near %s:%u)", line->cuda_file, line->cuda_line);
  return n < bytes ? n : bytes - 1;
}

void trace_fault(launch *l, block *b, warp *w, uint32_t pc, unsigned lane, machine_error e,
                 const char *what) {
  char at[1200];
  trace_place(l, pc, at, sizeof at);
  if (e == MACHINE_FAULT_TRAP && module_is_pointer_trap(l->kernel, pc))
    what = "called through a pointer that is not the address of a function of that type";
  machine_fail(l->m, e, "block (%u,%u,%u) thread (%u,%u,%u) %s\n  in warp %u lane %u at %s",
               b->id[0], b->id[1], b->id[2], w->tid[0][lane], w->tid[1][lane], w->tid[2][lane],
               what, w->index, lane, at);
  l->failed = true;
  l->failed_block = b->index, l->failed_warp = w->index;
  l->error = e;
  w->state = WARP_FAULT;
}

// "; 64 of 96 threads are there" of a barrier with a number of threads, else what it waits for.
static size_t barrier_text(const barrier *bar, char *to, size_t bytes) {
  int n = bar->expected
              ? snprintf(to, bytes, " (%u of %u threads are there)", bar->arrived, bar->expected)
              : snprintf(to, bytes, " (for the whole block)");
  return (size_t)n < bytes ? (size_t)n : bytes - 1;
}

machine_error trace_deadlock(launch *l, const block *b) {
  char text[3600];
  size_t n = 0;
  uint32_t more = 0;
  text[0] = 0;
  for (uint32_t k = 0; k < l->warps; k++) {
    const warp *w = &b->warps[k];
    if (w->state != WARP_AT_BARRIER)
      continue;
    if (n > sizeof text - 600) {
      more++;
      continue;
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "\n  warp %u waits at barrier %u", k,
                          w->barrier);
    n += barrier_text(&b->barriers[w->barrier], text + n, sizeof text - n);
    n += (size_t)snprintf(text + n, sizeof text - n, ", ");
    size_t room = sizeof text - n < 500 ? sizeof text - n : 500;
    n += trace_place(l, w->stack[w->depth - 1].pc - ISA_BYTES, text + n, room);
  }
  if (more)
    snprintf(text + n, sizeof text - n, "\n  and %u more warps", more);
  l->failed = true;
  l->error = MACHINE_FAULT_DEADLOCK;
  return machine_fail(l->m, MACHINE_FAULT_DEADLOCK,
                      "deadlock in block (%u,%u,%u): no warp can go on%s", b->id[0], b->id[1],
                      b->id[2], text);
}

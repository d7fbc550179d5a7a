// SPDX-License-Identifier: Apache-2.0
// Cores encode what ends in them, each by itself; when all of them are past a piece's last cycle,
// the pieces go to the file, in the order of the cores. So its bytes depend on cycles only.
#include "retire_observe.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "csim/isa/asm.h"
#include "csim/isa/model.h"
#include "retire_file.h"

enum {
  SUBCORES = 4,
  UNDER_WAY = EVENT_PLACES + 1
};  // of a subcore, and one that ends as it is issued

typedef struct watched {  // a core
  const retire_observer *o;
  retire_piece pieces[2];  // by number, modulo 2
  struct {
    uint32_t n;
    struct {
      uint32_t number, index;
      uint64_t cycle;
    } at[UNDER_WAY];
  } issued[SUBCORES];
} watched;

struct retire_observer {
  retire_writer w;
  const char *file;
  bool lost;                   // nothing can be written any more
  bool aside;                  // and what there is has another name: FILE.part
  int error;                   // why, until that is said
  uint64_t kept, kept_launch;  // what ended before this cycle; 0: all but the end of the run
  uint64_t done;               // pieces before this cycle are in the file
  uint64_t number;             // functional: of the next instruction
  const module_kernel **kernels;
  uint32_t n_kernels;
  const launch *l;
  uint32_t *next;  // by warp of the grid: index of its next instruction
  uint32_t cores;
  watched core[];
};

// ---- the file

// What there is of the file is closed; said when no line about a launch's progress is drawn.
static void lose(retire_observer *o) {
  o->error = errno;
  o->kept = o->done;
  o->kept_launch = o->l ? o->l->number + 1 : 0;
  o->lost = true;
  o->aside = o->w.place.aside;
  retire_writer_free(&o->w);
}

static void tell_loss(retire_observer *o) {
  if (!o->error)
    return;
  fflush(stdout);
  fprintf(stderr, "mpu: cannot write '%s': %s; '%s%s' ", o->file, strerror(o->error), o->file,
          o->aside ? ".part" : "");
  if (o->kept_launch)
    fprintf(stderr, "ends in launch %" PRIu64 ", with what ended before cycle %" PRIu64 "\n",
            o->kept_launch, o->kept);
  else
    fprintf(stderr, "has all but the end\n");
  o->error = 0;
}

static bool put_kernel(retire_observer *o, const launch *l) {
  const module_kernel *k = l->kernel;
  retire_inst *insts = calloc(k->inst_count + 1, sizeof *insts);
  char *texts = malloc((size_t)k->inst_count * ASM_TEXT + 1);
  for (uint32_t n = 0; insts && texts && n < k->inst_count; n++) {
    const module_line *line = module_line_at(k, n * ISA_BYTES);
    insts[n] = (retire_inst){.text = texts + (size_t)n * ASM_TEXT, .file = ""};
    asm_print(&k->insts[n], NULL, texts + (size_t)n * ASM_TEXT, ASM_TEXT);
    if (line)
      insts[n].ptx_line = line->ptx_line;
    if (line && line->cuda_line)
      insts[n].file = line->cuda_file, insts[n].cuda_line = line->cuda_line;
  }
  const bool ok =
      insts && texts && retire_put_kernel(&o->w, &(retire_kernel){k->name, insts, k->inst_count});
  free(texts);
  free(insts);
  return ok;
}

static bool know_kernel(retire_observer *o, const launch *l, uint32_t *which) {
  for (*which = 0; *which < o->n_kernels; ++*which)
    if (o->kernels[*which] == l->kernel)
      return true;
  const module_kernel **more = realloc(o->kernels, (o->n_kernels + 1) * sizeof *more);
  if (!more)
    return false;
  o->kernels = more;
  o->kernels[o->n_kernels++] = l->kernel;
  return put_kernel(o, l);
}

static void begin_launch(retire_observer *o, const launch *l, uint64_t cycle) {
  retire_launch x = {.number = (uint32_t)l->number + 1, .cycle = cycle};
  o->l = l;
  o->done = cycle - cycle % RETIRE_CYCLES;
  for (uint32_t k = 0; k < o->cores; k++) {
    for (unsigned n = 0; n < SUBCORES; n++)
      o->core[k].issued[n].n = 0;
    for (unsigned n = 0; n < 2; n++)
      retire_piece_begin(&o->core[k].pieces[n], 0);
  }
  tell_loss(o);
  free(o->next);
  o->next = calloc((size_t)l->blocks * l->warps, sizeof *o->next);
  if (!o->next && !o->lost)
    lose(o);
  if (o->lost)
    return;
  memcpy(x.grid, l->shape.grid, sizeof x.grid);
  memcpy(x.block, l->shape.block, sizeof x.block);
  if (!know_kernel(o, l, &x.kernel) || !retire_put_launch(&o->w, &x))
    lose(o);
}

// The pieces from `done` on.
static void write_pieces(retire_observer *o) {
  for (uint32_t k = 0; k < o->cores && !o->lost; k++) {
    retire_piece *p = &o->core[k].pieces[o->done / RETIRE_CYCLES % 2];
    assert(!p->count || p->first == o->done);
    if (!retire_put_piece(&o->w, k, p))
      lose(o);
    p->count = 0;
  }
  o->done += RETIRE_CYCLES;
}

static void end_launch(retire_observer *o, uint64_t cycle, machine_error e) {
  write_pieces(o);  // of a launch that failed, cores may have come further than others
  write_pieces(o);
  if (!o->lost && !retire_put_end(&o->w, cycle, e == MACHINE_OK))
    lose(o);
  o->l = NULL;
}

static void take(watched *x, const retire_entry *e) {
  const uint64_t first = e->end - e->end % RETIRE_CYCLES;
  retire_piece *p = &x->pieces[first / RETIRE_CYCLES % 2];
  if (!p->count && !p->failed)
    retire_piece_begin(p, first);
  assert(p->failed || p->first == first);
  retire_piece_add(p, e);
}

static uint32_t next_index(const retire_observer *o, uint32_t block, uint32_t warp) {
  return o->next[(size_t)block * o->l->warps + warp]++;
}

// ---- cycle by cycle

// A trap that lanes execute, or running off the code, ends the launch: it does not retire.
static bool ends_it(const module_kernel *k, const core_event *e) {
  const uint32_t n = e->pc / ISA_BYTES;
  return e->lanes && (n >= k->inst_count || k->insts[n].op == ISA_OP_TRAP);
}

static void issue(watched *x, const core_event *e) {
  const uint32_t n = x->issued[e->subcore].n++;
  assert(n < UNDER_WAY);
  x->issued[e->subcore].at[n].number = e->number;
  x->issued[e->subcore].at[n].index = next_index(x->o, e->block, e->warp);
  x->issued[e->subcore].at[n].cycle = e->cycle;
}

static void end(watched *x, const core *c, const core_event *e) {
  uint32_t k = 0;
  for (; x->issued[e->subcore].at[k].number != e->number; k++)
    assert(k + 1 < x->issued[e->subcore].n);
  const retire_entry entry = {.issue = x->issued[e->subcore].at[k].cycle,
                              .end = e->cycle,
                              .block = e->block,
                              .index = x->issued[e->subcore].at[k].index,
                              .pc = e->pc,
                              .lanes = e->lanes,
                              .core = (uint8_t)core_index(c),
                              .place = (uint8_t)(e->subcore + SUBCORES * e->slot),
                              .warp = e->warp,
                              .near = e->near};
  const uint32_t last = --x->issued[e->subcore].n;
  x->issued[e->subcore].at[k] = x->issued[e->subcore].at[last];
  if (!ends_it(core_launch(c)->kernel, e))
    take(x, &entry);
}

static void look(void *ctx, const core *c, const core_event *events, uint32_t count) {
  watched *x = ctx;
  for (uint32_t n = 0; n < count && !x->o->lost; n++)
    if (events[n].kind == EVENT_ISSUE)
      issue(x, &events[n]);
    else if (events[n].kind == EVENT_END)
      end(x, c, &events[n]);
}

static void begin(void *ctx, sim *s, const launch *l) {
  begin_launch(ctx, l, sim_cycle(s));
}

static bool window(void *ctx, sim *s, uint64_t until) {
  retire_observer *o = ctx;
  (void)s;
  while (o->done + RETIRE_CYCLES <= until)
    write_pieces(o);
  return false;
}

static void ended(void *ctx, sim *s, machine_error e, uint32_t core) {
  (void)core;
  end_launch(ctx, sim_cycle(s), e);
}

// ---- functional

static void retired(void *ctx, const launch *l, const retire_record *r) {
  retire_observer *o = ctx;
  (void)l;
  if (o->lost)
    return;
  const retire_entry entry = {.issue = o->number,
                              .end = o->number,
                              .block = r->block,
                              .index = next_index(o, r->block, r->warp),
                              .pc = r->pc,
                              .lanes = r->lanes,
                              .place = (uint8_t)r->warp,
                              .warp = (uint8_t)r->warp,
                              .near = r->near && r->lanes};  // else nothing is executed anywhere
  if (o->number - o->done == RETIRE_CYCLES)
    write_pieces(o);
  take(o->core, &entry);
  o->number++;
}

static machine_error run(void *ctx, launch *l) {
  retire_observer *o = ctx;
  begin_launch(o, l, o->number);
  machine_set_runner(l->m, NULL, NULL);
  const machine_error e = launch_run(l);
  machine_set_runner(l->m, run, o);
  end_launch(o, o->number, e);
  return e;
}

// ---- from first to last

retire_observer *retire_observe(const char *file, machine *m, sim *s, char *why, size_t why_bytes) {
  const uint32_t cores = s ? sim_cores(s) : 1;
  retire_observer *o = calloc(1, sizeof *o + cores * sizeof *o->core);
  if (!o || !retire_create(&o->w, file, s ? cores : 0)) {
    snprintf(why, why_bytes, "cannot write '%s': %s", file, strerror(errno));
    free(o);
    return NULL;
  }
  o->file = file, o->cores = cores;
  for (uint32_t k = 0; k < cores; k++)
    o->core[k].o = o;
  if (s) {
    sim_observe(s, &(sim_observer){.ctx = o, .begin = begin, .window = window, .end = ended});
    for (uint32_t k = 0; k < cores; k++)
      sim_observe_core(s, k, (core_observer){look, &o->core[k]});
  } else {
    machine_set_runner(m, run, o);
    machine_set_retired(m, retired, o);
  }
  return o;
}

bool retire_observed(retire_observer *o) {
  if (!o->lost && !o->l && !retire_finish(&o->w))
    lose(o);
  tell_loss(o);
  const bool whole = !o->lost;
  retire_writer_free(&o->w);
  for (uint32_t k = 0; k < o->cores; k++)
    for (unsigned n = 0; n < 2; n++)
      retire_piece_free(&o->core[k].pieces[n]);
  free(o->kernels);
  free(o->next);
  free(o);
  return whole;
}

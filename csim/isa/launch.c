// SPDX-License-Identifier: Apache-2.0
// Launches: kernels decoded for execution, blocks and their memory, the order of launch_run.
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "exec.h"
#include "machine_priv.h"
#include "mpu_elf.h"

enum {
  MAX_THREADS = 1024,
  QUANTUM = 1 << 11,    // instructions of a warp before the next one has its turn
  BLOCK_TURNS = 1 << 4  // turns of the live blocks before others come in
};

static const uint32_t zeros[4 * ISA_LANES];

// ---- decoding

static void decode_operand(decoded *d, unsigned o) {
  const isa_reg regs[4] = {d->i.d, d->i.a, d->i.b, d->i.c};
  d->words[o] = (uint8_t)isa_words(&d->i, o);
  d->reg[o] = regs[o] == ISA_RZ || d->words[o] == 0 ? -1 : (int32_t)regs[o];
  if (d->reg[o] >= 0) {
    d->near[o].word = (uint8_t)(regs[o] / 64);
    d->near[o].mask = ((1ull << d->words[o]) - 1) << regs[o] % 64;
  } else if (o != 0) {
    d->fixed[o] = d->i.imm_at == o ? d->constant : zeros;
  }
}

// The constant as lanes: sign extended to 64 bits, or the high word of a double.
static void decode_constant(decoded *d) {
  bool wide_float = false;
  if (d->i.imm_at) {
    uint8_t w = isa_ops[d->i.op].width[d->i.imm_at];
    unsigned type = w == ISA_W_T2 ? d->i.type2 : d->i.type;
    wide_float = (w == ISA_W_T || w == ISA_W_T2) && type == ISA_TYPE_F64;
  }
  uint32_t low = wide_float ? 0 : d->i.imm;
  uint32_t high = wide_float ? d->i.imm : d->i.imm >> 31 ? 0xffffffff : 0;
  for (unsigned k = 0; k < ISA_LANES; k++) {
    d->constant[k] = low;
    d->constant[k + ISA_LANES] = high;
  }
}

static void decode(const launch *l, decoded *d, const isa_inst *i, const lanes_table *lanes) {
  d->i = *i;
  decode_constant(d);
  for (unsigned o = 0; o < 4; o++) {
    decode_operand(d, o);
    assert(d->reg[o] < 0 || (uint32_t)d->reg[o] + d->words[o] <= l->code.regs);
  }
  assert(i->op != ISA_OP_BRA || i->imm / ISA_BYTES < l->kernel->inst_count);
  d->mem = (isa_ops[i->op].flags & ISA_F_MEM) != 0;
  const isa_dies dies = module_dies(l->kernel);
  d->data_far = d->mem && isa_sides(i, 0, dies) == ISA_FAR && i->space != ISA_SPACE_LOCAL;
  d->where = isa_far_only(i, dies)      ? WHERE_FAR
             : i->hint == ISA_HINT_NEAR ? WHERE_NEAR
             : i->hint == ISA_HINT_FAR  ? WHERE_FAR
                                        : WHERE_SOURCES;
  bool later = i->op == ISA_OP_BAR;  // a reduction's result comes after the record
  d->retired.reg = d->reg[0] < 0 || later ? ISA_RZ : (isa_reg)d->reg[0];
  d->retired.words = d->reg[0] < 0 || later ? 0 : d->words[0];
  d->retired.pred = (isa_ops[i->op].flags & ISA_F_PD) && !later ? (uint8_t)i->pd : ISA_PT;
  d->retired.pred2 = (isa_ops[i->op].flags & ISA_F_PQ) ? (uint8_t)i->pq : ISA_PT;
  d->fn = lanes->find(i);
  if (i->op == ISA_OP_SETP)
    d->cmp = lanes->find_cmp(i);
}

// ---- launches

// Of the registers of a warp.
static uint64_t file_bytes(unsigned regs) {
  return (regs + MACHINE_REGS - 1u) / MACHINE_REGS * MACHINE_REGS * ISA_LANES * 4;
}

machine_error launch_check(machine *m, const module_kernel *k, const launch_shape *s) {
  uint64_t threads = (uint64_t)s->block[0] * s->block[1] * s->block[2];
  uint64_t blocks = (uint64_t)s->grid[0] * s->grid[1] * s->grid[2];
  if (threads == 0 || s->block[0] > MAX_THREADS || s->block[1] > MAX_THREADS || s->block[2] > 64 ||
      threads > MAX_THREADS)
    return machine_fail(m, MACHINE_BAD_LAUNCH,
                        "kernel %s: a block of %u x %u x %u threads; 1 to %d are possible", k->name,
                        s->block[0], s->block[1], s->block[2], MAX_THREADS);
  if (blocks == 0 || s->grid[0] > 0x7fffffff || s->grid[1] > 65535 || s->grid[2] > 65535 ||
      blocks > 0x7fffffff)
    return machine_fail(m, MACHINE_BAD_LAUNCH, "kernel %s: a grid of %u x %u x %u blocks", k->name,
                        s->grid[0], s->grid[1], s->grid[2]);
  if (k->max_threads && threads > k->max_threads)
    return machine_fail(m, MACHINE_BAD_LAUNCH,
                        "kernel %s: a block of %llu threads; it was compiled for at most %u",
                        k->name, (unsigned long long)threads, k->max_threads);
  for (int n = 0; n < 3; n++)
    if (k->reqntid[n] && k->reqntid[n] != s->block[n])
      return machine_fail(m, MACHINE_BAD_LAUNCH,
                          "kernel %s: it was compiled for blocks of %u x %u x %u threads", k->name,
                          k->reqntid[0], k->reqntid[1], k->reqntid[2]);
  uint64_t shared = (uint64_t)k->shared_bytes + s->dynamic_shared;
  if (shared > m->config.shared_per_block)
    return machine_fail(m, MACHINE_OUT_OF_SHARED,
                        "kernel %s: %llu bytes of shared memory a block, there are %u", k->name,
                        (unsigned long long)shared, m->config.shared_per_block);
  uint64_t warps = (threads + 4 * ISA_LANES - 1) / (4 * ISA_LANES);  // of one subcore
  if (warps > m->config.warps_per_core / 4)
    return machine_fail(m, MACHINE_OUT_OF_REGISTERS,
                        "kernel %s: a block of %llu threads has %llu warps, a core has room for %u",
                        k->name, (unsigned long long)threads,
                        (unsigned long long)((threads + ISA_LANES - 1) / ISA_LANES),
                        m->config.warps_per_core);
  uint64_t far = warps * file_bytes(k->regs_both + k->regs_far);
  uint64_t near = warps * file_bytes(k->regs_both + k->regs_near);
  bool far_fits = !m->config.far_rf_bytes || far <= m->config.far_rf_bytes;
  bool near_fits = !m->config.near_rf_bytes || near <= m->config.near_rf_bytes;
  if (!far_fits || !near_fits) {
    uint32_t bytes = far_fits ? m->config.near_rf_bytes : m->config.far_rf_bytes;
    unsigned uses = (unsigned)k->regs_both + (far_fits ? k->regs_near : k->regs_far);
    uint64_t fit = bytes / warps / file_bytes(MACHINE_REGS) * MACHINE_REGS;
    return machine_fail(m, MACHINE_OUT_OF_REGISTERS,
                        "kernel %s: it uses %u %s registers a thread; with blocks of %llu threads "
                        "%llu fit, compile with --maxregs=%llu or take smaller blocks",
                        k->name, uses, far_fits ? "near" : "far", (unsigned long long)threads,
                        (unsigned long long)fit, (unsigned long long)fit);
  }
  return MACHINE_OK;
}

machine_error launch_new(machine *m, module *mod, const module_kernel *k, const launch_shape *shape,
                         const void *params, size_t param_bytes, launch **out) {
  *out = NULL;
  machine_error e = launch_check(m, k, shape);
  if (e)
    return e;
  if (param_bytes != k->param_bytes)
    return machine_fail(m, MACHINE_BAD_LAUNCH, "kernel %s: %zu bytes of parameters, it takes %u",
                        k->name, param_bytes, k->param_bytes);
  launch *l = calloc(1, sizeof *l);
  if (!l)
    return machine_fail(m, MACHINE_OUT_OF_MEMORY, "out of host memory");
  l->m = m;
  l->mod = mod;
  l->kernel = k;
  l->shape = *shape;
  l->number = m->launches++;
  l->threads = shape->block[0] * shape->block[1] * shape->block[2];
  l->warps = (l->threads + ISA_LANES - 1) / ISA_LANES;
  l->blocks = shape->grid[0] * shape->grid[1] * shape->grid[2];
  l->shared_bytes = k->shared_bytes + shape->dynamic_shared;
  l->code.kernel = k;
  l->code.regs = (uint32_t)k->regs_both + k->regs_near + k->regs_far;
  l->code.insts = calloc(k->inst_count + 1u, sizeof *l->code.insts);
  l->params = malloc(k->param_bytes ? k->param_bytes : 1);
  l->all = calloc(l->blocks, sizeof *l->all);
  l->tids = calloc(l->warps, sizeof *l->tids);
  if (!l->code.insts || !l->params || !l->all || !l->tids) {
    launch_free(l);
    return machine_fail(m, MACHINE_OUT_OF_MEMORY, "out of host memory");
  }
  if (param_bytes)
    memcpy(l->params, params, param_bytes);
  for (uint32_t n = 0; n < k->inst_count; n++)
    decode(l, &l->code.insts[n], &k->insts[n], m->lanes);
  const isa_inst trap = isa_inst_new(ISA_OP_TRAP, ISA_TYPE_NONE);
  decode(l, &l->code.insts[k->inst_count], &trap, m->lanes);
  for (uint32_t t = 0; t < l->warps * ISA_LANES; t++) {
    uint32_t(*tid)[ISA_LANES] = l->tids[t / ISA_LANES];
    uint32_t k = t % ISA_LANES;
    tid[0][k] = t % shape->block[0];
    tid[1][k] = t / shape->block[0] % shape->block[1];
    tid[2][k] = t / shape->block[0] / shape->block[1];
  }
  *out = l;
  return MACHINE_OK;
}

// ---- blocks

static void block_free(block *b) {
  if (!b)
    return;
  free(b->warps);
  free(b->shared);
  free(b->local);
  free(b->regs);
  free(b);
}

void launch_free(launch *l) {
  if (!l)
    return;
  for (uint32_t n = 0; l->all && n < l->blocks; n++)
    if (l->all[n] != &l->ended)
      block_free(l->all[n]);
  while (l->pool) {
    block *next = l->pool->next;
    block_free(l->pool);
    l->pool = next;
  }
  free(l->tids);
  free(l->all);
  free(l->code.insts);
  free(l->params);
  free(l);
}

launch *launch_split(launch *l) {
  launch *part = malloc(sizeof *part);
  machine *m = malloc(sizeof *m);
  if (!part || !m) {
    free(part), free(m);
    return NULL;
  }
  *m = *l->m;
  m->message[0] = 0;
  m->sectors = NULL;  // parts may run on threads of their own
  m->accessed = NULL;
  m->written = NULL;
  *part = *l;
  part->m = m;
  part->whole = l;
  part->pool = NULL;
  part->done = 0;
  part->stats = (launch_stats){0};
  return part;
}

void launch_join(launch *l, launch *part) {
  if (!part)
    return;
  l->done += part->done;
  launch_stats_add(&l->stats, part->stats);
  if (part->failed && !l->failed) {
    l->failed = true;
    l->error = part->error;
    machine_fail(l->m, part->error, "%s", part->m->message);
  }
  while (part->pool) {
    block *next = part->pool->next;
    part->pool->next = l->pool;
    l->pool = part->pool;
    part->pool = next;
  }
  free(part->m);
  free(part);
}

// A block with its memory: one that has ended, or a new one.
static block *block_take(launch *l) {
  uint64_t local = (uint64_t)l->kernel->local_bytes * l->warps * ISA_LANES;
  size_t regs = (size_t)l->code.regs * ISA_LANES * l->warps * sizeof(uint32_t);
  block *b = l->pool;
  if (b) {
    l->pool = b->next;
  } else {
    b = calloc(1, sizeof *b);
    if (!b)
      return NULL;
    b->warps = malloc(l->warps * sizeof *b->warps);
    b->shared = malloc(l->shared_bytes + 16);
    b->local = malloc(local + 16);
    b->regs = aligned_alloc(64, (regs + 127) / 64 * 64);
    if (!b->warps || !b->shared || !b->local || !b->regs) {
      block_free(b);
      return NULL;
    }
  }
  memset(b->shared, 0, l->shared_bytes);
  memset(b->local, 0, local);
  memset(b->regs, 0, regs);
  return b;
}

static block *ended_of(launch *l) {
  return l->whole ? &l->whole->ended : &l->ended;
}

// The memory of an ended block waits for the next one.
void launch_end_block(launch *l, block *b) {
  l->all[b->index] = ended_of(l);
  b->next = l->pool;
  l->pool = b;
  l->done++;
}

static bool block_ended(const launch *l, uint32_t index) {
  return l->all[index] == (l->whole ? &l->whole->ended : &l->ended);
}

static void warp_start(launch *l, block *b, uint32_t index) {
  warp *w = &b->warps[index];
  memset(w, 0, sizeof *w);
  uint32_t first = index * ISA_LANES, left = l->threads - first;
  uint32_t lanes = left >= ISA_LANES ? ~0u : (1u << left) - 1;
  w->index = index;
  w->alive = lanes;
  w->depth = 1;
  w->stack[0] = (stack_entry){0, ISA_NO_RECONV, lanes};
  w->preds[ISA_PT] = ~0u;
  w->regs = b->regs + (size_t)index * l->code.regs * ISA_LANES;
  w->tid = (const uint32_t(*)[ISA_LANES])l->tids[index];
}

machine_error launch_start_block(launch *l, uint32_t index) {
  assert(index < l->blocks && !l->all[index]);
  block *b = block_take(l);
  if (!b)
    return machine_fail(l->m, MACHINE_OUT_OF_MEMORY, "out of host memory");
  l->all[index] = b;
  b->index = index;
  b->core = index % l->m->config.cores;
  b->id[0] = index % l->shape.grid[0];
  b->id[1] = index / l->shape.grid[0] % l->shape.grid[1];
  b->id[2] = index / l->shape.grid[0] / l->shape.grid[1];
  b->live_warps = l->warps;
  memset(b->barriers, 0, sizeof b->barriers);
  for (uint32_t n = 0; n < l->warps; n++)
    warp_start(l, b, n);
  return MACHINE_OK;
}

// ---- stepping

uint32_t launch_blocks(const launch *l) {
  return l->blocks;
}
uint32_t launch_warps(const launch *l) {
  return l->warps;
}
bool launch_done(const launch *l) {
  return l->done == l->blocks;
}

void launch_stats_add(launch_stats *to, launch_stats s) {
  to->warp_instructions += s.warp_instructions;
  to->near_instructions += s.near_instructions;
  to->far_instructions += s.far_instructions;
  to->thread_instructions += s.thread_instructions;
  to->global_bytes += s.global_bytes;
  to->shared_accesses += s.shared_accesses;
}

launch_stats launch_get_stats(const launch *l) {
  launch_stats s = l->stats;
  s.far_instructions = s.warp_instructions - s.near_instructions;
  return s;
}

static warp *warp_at(const launch *l, uint32_t block_index, uint32_t w) {
  assert(block_index < l->blocks && l->all[block_index] && w < l->warps);
  return block_ended(l, block_index) ? NULL : &l->all[block_index]->warps[w];
}

warp_state launch_warp_state(const launch *l, uint32_t block_index, uint32_t w) {
  const warp *x = warp_at(l, block_index, w);
  return x ? x->state : WARP_DONE;
}

uint32_t launch_pc(const launch *l, uint32_t block_index, uint32_t w, uint32_t *lanes) {
  const warp *x = warp_at(l, block_index, w);
  assert(x && x->depth);
  if (lanes)
    *lanes = x->stack[x->depth - 1].mask;
  return x->stack[x->depth - 1].pc;
}

uint32_t launch_reg(const launch *l, uint32_t block_index, uint32_t w, uint32_t lane,
                    uint32_t reg) {
  const warp *x = warp_at(l, block_index, w);
  assert(x && lane < ISA_LANES && reg < l->code.regs);
  return x->regs[reg * ISA_LANES + lane];
}

bool launch_pred(const launch *l, uint32_t block_index, uint32_t w, uint32_t lane, uint32_t pred) {
  const warp *x = warp_at(l, block_index, w);
  assert(x && lane < ISA_LANES && pred <= ISA_PT);
  return x->preds[pred] >> lane & 1;
}

static bool over_limit(launch *l, const block *b, warp *w) {
  char at[400];
  if (!l->m->config.max_instructions || l->stats.warp_instructions < l->m->config.max_instructions)
    return false;
  trace_place(l, warp_top(w)->pc, at, sizeof at);
  machine_fail(l->m, MACHINE_FAULT_LIMIT,
               "the launch took more than %llu warp instructions; block (%u,%u,%u) warp %u is at "
               "%s",
               (unsigned long long)l->m->config.max_instructions, b->id[0], b->id[1], b->id[2],
               w->index, at);
  l->failed = true;
  l->error = MACHINE_FAULT_LIMIT;
  w->state = WARP_FAULT;
  return true;
}

warp_state launch_step(launch *l, uint32_t block_index, uint32_t index, retire_record *out) {
  block *b = l->all[block_index];
  warp *w = warp_at(l, block_index, index);
  assert(w && w->state == WARP_READY && !l->failed);
  if (over_limit(l, b, w))
    return WARP_FAULT;
  warp_state s = exec_step(l, b, w);
  if (out)
    *out = l->record;
  if (l->m->config.trace && s != WARP_FAULT)
    trace_record(l, w);
  if (l->m->retired && s != WARP_FAULT)
    l->m->retired(l->m->retired_ctx, l, &l->record);
  if (s == WARP_DONE && b->live_warps == 0)
    launch_end_block(l, b);
  return s;
}

// ---- the machine's own order

// Gives each ready warp of a block a turn. True when any could go on.
static bool turn(launch *l, uint32_t index) {
  block *b = l->all[index];
  bool any = false;
  const bool slow = l->m->config.trace || l->m->retired || l->m->config.max_instructions;
  for (uint32_t n = 0; n < l->warps && !l->failed; n++) {
    warp *w = &b->warps[n];
    for (uint32_t k = 0; k < QUANTUM && w->state == WARP_READY; k++) {
      any = true;
      if (slow) {
        launch_step(l, index, n, NULL);
        if (block_ended(l, index))
          return true;
      } else {
        exec_step(l, b, w);
      }
    }
    if (b->live_warps == 0) {
      launch_end_block(l, b);
      return true;
    }
  }
  return any;
}

void machine_set_runner(machine *m, machine_runner *run, void *ctx) {
  m->runner = run;
  m->runner_ctx = ctx;
}

void machine_set_accessed(machine *m, machine_accessed *tell, void *ctx) {
  m->accessed = tell;
  m->accessed_ctx = ctx;
}

void machine_set_written(machine *m, machine_written *tell, void *ctx) {
  m->written = tell;
  m->written_ctx = ctx;
}

void machine_set_retired(machine *m, machine_retired *tell, void *ctx) {
  m->retired = tell;
  m->retired_ctx = ctx;
}

machine_error launch_run(launch *l) {
  if (l->m->runner)
    return l->m->runner(l->m->runner_ctx, l);
  uint32_t live_max = l->m->config.cores * 16, live = 0, next = 0, turns = 0;
  uint32_t *running = malloc(live_max * sizeof *running);
  if (!running)
    return machine_fail(l->m, MACHINE_OUT_OF_MEMORY, "out of host memory");
  machine_error e = MACHINE_OK;
  while (!e && !l->failed && !launch_done(l)) {
    // one block at a time, unless those that run do not end
    if (live == 0 || turns >= BLOCK_TURNS)
      for (uint32_t n = live ? live : 1; n > 0 && live < live_max && next < l->blocks && !e; n--) {
        turns = 0;
        if (!(e = launch_start_block(l, next)))
          running[live++] = next++;
      }
    for (uint32_t n = 0; n < live && !l->failed && !e; n++) {
      if (!turn(l, running[n]) && !l->failed)
        e = trace_deadlock(l, l->all[running[n]]);
      if (block_ended(l, running[n]))
        running[n--] = running[--live];
    }
    turns++;
  }
  free(running);
  return l->failed ? l->error : e;
}

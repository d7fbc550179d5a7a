// SPDX-License-Identifier: Apache-2.0
// Launches on all cores: which core executes what, what went wrong first, counters. The cycles are
// the scheduler's (harness/base/schedule), whose nodes the cores are.
#include "sim.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "csim/isa/model.h"
#include "csim/isa/mpu_elf.h"
#include "harness/base/schedule/schedule.h"
#include "region.h"

enum { WATCH_CYCLES = 1 << 14, NAME = 24, LOCAL_SLOTS = 16 };

typedef struct part {  // a core's of a launch
  launch *l, *reference;
  core_share share;
} part;

typedef struct running {
  launch *l;          // NULL: no launch
  launch *reference;  // in lockstep: the same on the functional machine `shadow`
  machine *shadow;
  core_uops *uops;
  uint64_t max_cycles;
  schedule_outcome outcome;  // SCHEDULE_PAUSED: not ended
} running;

struct sim {
  sim_config config;
  machine *m;
  address_map map;
  regions regions;
  digits blocks_to;  // n = 0: as configured
  uint32_t n;
  core *cores[SIM_CORES];
  sim_observer observers[SIM_OBSERVERS];
  uint32_t n_observers;
  struct {
    core_observer by[CORE_OBSERVERS];
    uint32_t n;
  } observed[SIM_CORES];  // for cores that are made again
  near *nears[SIM_CORES];
  schedule *schedule;
  uint8_t *written;  // a mark a page of memory, or NULL
  uint64_t cycles;
  bool has_transfers;
  transfers transfers;
  bool spoiled;  // a launch ended in the middle: power up before the next one
  bool lockstep;
  core_references *references;     // then
  core_arrays *arrays[SIM_CORES];  // NULL: nobody asks
  array_range *ranges;             // of the arrays, and one more
  uint32_t n_ranges, n_arrays;
  uint64_t local_bytes;
  // of a launch
  running running;
  part parts[SIM_CORES];
  uint32_t *given, *lists;  // SIM_GIVEN: core of a block; blocks of a core
  uint32_t blocks;
  uint64_t begun, watched;  // cycles: the launch began, `watch` was called
  bool samples;             // of cores are wanted
};

// ---- memory

bool sim_machine(const sim_config *c, machine_config *m, char *why, size_t why_bytes) {
  address_map map;
  if (!map_make(&map, &c->map, why, why_bytes))
    return false;
  const uint64_t lines = 512ull * map.cores;
  m->memory_bytes = map.bytes;
  m->cores = map.cores;
  m->align = map.span > lines && map.span <= MAP_SPAN_ALIGN ? map.span : lines;
  m->row_bytes = map_put(&map.row, 1);
  m->warps_per_core = 4 * c->core.warp_slots;
  m->shared_per_block = c->core.shared_bytes;
  m->far_rf_bytes = c->core.far_rf_bytes, m->near_rf_bytes = c->core.near_rf_bytes;
  return true;
}

// A line a word, slot and NBU. At the end of memory, behind what can be allocated.
static machine_error local_memory(sim *s, const module_kernel *k, uint64_t *address) {
  const machine *m = s->m;
  const uint64_t lines = (uint64_t)(k->local_bytes + 3) / 4 * LOCAL_SLOTS, span = s->map.span;
  const uint64_t bytes = (lines + map_lines(&s->map) - 1) / map_lines(&s->map) * span;
  const uint64_t all = machine_memory_bytes(m);
  allocation last = {0};
  *address = 0;
  if (!lines)
    return MACHINE_OK;
  for (size_t n = 0; machine_allocation(m, n, &last);)
    n++;
  if (all < bytes || last.base + last.room > all - bytes)
    return machine_fail(s->m, MACHINE_OUT_OF_MEMORY,
                        "kernel %s: no device memory for %llu bytes of local memory", k->name,
                        (unsigned long long)bytes);
  *address = all - bytes;
  return MACHINE_OK;
}

// ---- placement

bool sim_may_place(const sim *s, const digits *lines, char *why, size_t why_bytes) {
  return region_fits(lines, &s->map, why, why_bytes);
}

uint64_t sim_room(const sim *s, const digits *lines, uint64_t bytes) {
  return region_round(lines, &s->map, bytes);
}

static void see_regions(sim *s) {
  s->map.regions = s->regions.n ? &s->regions : NULL;
}

bool sim_place(sim *s, uint64_t address, uint64_t room, const digits *lines) {
  assert(!s->running.l);
  const bool ok = region_add(&s->regions, address, room, lines);
  see_regions(s);
  return ok;
}

static transfer_config transfer_config_of(const sim *s) {
  return (transfer_config){.noc = &s->config.noc,
                           .cores = s->n,
                           .processors = s->config.map.processors,
                           .router_cycles = s->config.router_cycles,
                           .interface = s->config.interface,
                           .tsv_flits = s->config.core.sizes.flits};
}

transfers sim_move_cost(const sim *s, uint64_t address, uint64_t bytes, const digits *lines) {
  const transfer_config c = transfer_config_of(s);
  const regions there = {.n = 1, .of = {{.base = address, .bytes = bytes, .lines = *lines}}};
  address_map m = s->map;
  transfers t = {0};
  uint32_t *from_to = calloc((size_t)s->n * s->n, sizeof *from_to);
  m.regions = &there;
  if (!from_to)
    return (transfers){.cycles = UINT64_MAX};
  for (uint64_t at = address; at < address + bytes; at += REGION_LINE) {
    const uint64_t from = map_place_of(&s->map, at), to = map_place_of(&m, at);
    from_to[map_get(&m.core, from) * s->n + map_get(&m.core, to)] += from != to;
  }
  transfer_move(&t, &c, from_to);
  free(from_to);
  return t;
}

bool sim_move(sim *s, uint64_t address, uint64_t bytes, uint64_t room, const digits *lines) {
  const transfers t = sim_move_cost(s, address, bytes, lines);
  sim_unplace(s, address);
  if (!sim_place(s, address, room, lines))
    return false;
  s->has_transfers = true;
  transfers_add(&s->transfers, &t);
  return true;
}

void sim_unplace(sim *s, uint64_t address) {
  region_remove(&s->regions, address);
  see_regions(s);
}

bool sim_may_copy(const sim *s, char *why, size_t why_bytes) {
  return region_may_copy(&s->map, why, why_bytes);
}

uint64_t sim_copies_align(const sim *s) {
  return s->map.span;
}

uint64_t sim_copies_room(const sim *s, uint64_t bytes) {
  return region_copies_bytes(&s->map, bytes);
}

bool sim_copy(sim *s, uint64_t address, uint64_t bytes, uint64_t copies) {
  assert(!s->running.l);
  const bool ok = region_add_copies(&s->regions, &s->map, address, bytes, copies);
  s->has_transfers = true;
  see_regions(s);
  return ok;
}

static void set_fresh(sim *s, uint32_t of, bool fresh) {
  for (; of; of &= of - 1)
    s->regions.of[__builtin_ctz(of)].fresh = fresh;
}

void sim_copies_stale(sim *s, uint64_t address, uint64_t bytes) {
  set_fresh(s, region_copied(&s->regions, address, bytes), false);
}

void sim_copies_renew(sim *s, uint64_t address, uint64_t bytes) {
  const uint32_t stale = region_copied(&s->regions, address, bytes) & ~region_fresh(&s->map);
  const transfer_config c = transfer_config_of(s);
  for (uint32_t m = stale; m; m &= m - 1)
    transfer_copies(&s->transfers, &c, s->regions.of[__builtin_ctz(m)].bytes / REGION_LINE);
  set_fresh(s, stale, true);
}

bool sim_has_transfers(const sim *s) {
  return s->has_transfers;
}
transfers sim_transfers(const sim *s) {
  return s->transfers;
}

// Those that a launch has ended.
static void copies_ended(sim *s) {
  uint32_t read = region_fresh(&s->map);
  for (uint32_t k = 0; k < s->n; k++)
    read &= core_copies(s->cores[k]);
  set_fresh(s, region_fresh(&s->map) & ~read, false);
}

bool sim_may_place_blocks(const sim *s, const digits *blocks, char *why, size_t why_bytes) {
  const uint64_t cores = digits_count(blocks, DIGIT_CORE);
  if (cores > s->n)
    snprintf(why, why_bytes, "its digits are for %llu cores, the machine has %u",
             (unsigned long long)cores, s->n);
  else if (digits_count(blocks, DIGIT_NBU) > 1)
    snprintf(why, why_bytes, "a block has no NBU of its own");
  else
    return true;
  return false;
}

void sim_place_blocks(sim *s, const digits *blocks) {
  s->blocks_to = blocks ? *blocks : (digits){0};
}

// ---- cores

static bool make_core(sim *s, uint32_t k, char *why, size_t why_bytes) {
  char name[NAME];
  const map_place at = map_of_core(&s->map, k);
  near_config n = s->config.near;
  snprintf(name, sizeof name, "core %u", k);
  n.mode = s->config.mode[k];
  n.name = name;
  n.nbu_stride = at.nbu;
  channel_config *channel = &n.channel;
  channel->base = machine_memory(s->m) + at.base;
  channel->bank_stride = at.bank, channel->row = at.row, channel->col = at.col;
  channel->written = s->written, channel->origin = machine_memory(s->m);
  channel->moved = region_address, channel->places = &s->map;
  channel->refresh = s->config.core.trefi ? CHANNEL_GIVEN : CHANNEL_NO_REFRESH;
  n.sizes = &s->config.core.sizes;
  n.like = k ? s->nears[0] : NULL;
  const core_place place = {.index = k,
                            .map = &s->map,
                            .requests = s->n > 1 ? s->config.requests : 0,
                            .serves = s->config.noc.take_packets,
                            .sends = s->config.noc.send_packets,
                            .references = s->references};
  s->nears[k] = near_new(&n, why, why_bytes);
  if (s->nears[k])
    near_skip(s->nears[k], sim_cycle(s));
  if (s->nears[k])
    s->cores[k] = core_new(&s->config.core, &place, s->nears[k], why, why_bytes);
  for (uint32_t n = 0; s->cores[k] && n < s->observed[k].n; n++)
    core_observe(s->cores[k], s->observed[k].by[n]);
  if (s->cores[k] && s->arrays[k])
    core_count_arrays(s->cores[k], s->arrays[k]);
  if (s->cores[k])
    schedule_place(s->schedule, k, core_node(s->cores[k]));
  return s->cores[k] != NULL;
}

static bool power_up(sim *s, char *why, size_t why_bytes) {
  bool ok = true;
  for (uint32_t k = 0; ok && k < s->n; k++) {
    core *before = s->cores[k];
    if (s->nears[k])
      near_free(s->nears[k]);
    s->cores[k] = NULL, s->nears[k] = NULL;
    ok = make_core(s, k, why, why_bytes);
    if (before && ok)
      core_set_statistics(s->cores[k], core_statistics(before));
    core_free(before);
  }
  s->spoiled = false;
  return ok;
}

static machine_error run(void *ctx, launch *l);

sim *sim_new(const sim_config *config, machine *m, char *why, size_t why_bytes) {
  sim *s = calloc(1, sizeof *s);
  if (!s) {
    snprintf(why, why_bytes, "out of host memory");
    return NULL;
  }
  s->config = *config;
  s->m = m;
  if (config->n_given) {
    s->given = malloc(config->n_given * sizeof *s->given);
    if (!s->given) {
      snprintf(why, why_bytes, "out of host memory");
      sim_free(s);
      return NULL;
    }
    memcpy(s->given, config->given, config->n_given * sizeof *s->given);
  }
  if (!map_make(&s->map, &config->map, why, why_bytes)) {
    sim_free(s);
    return NULL;
  }
  if (config->marks && !(s->written = calloc(s->map.bytes / SIM_PAGE, 1))) {
    snprintf(why, why_bytes, "out of host memory");
    sim_free(s);
    return NULL;
  }
  assert(machine_memory_bytes(m) == s->map.bytes && s->map.cores <= SIM_CORES);
  s->n = s->map.cores;
  for (uint32_t k = 0; k < s->n; k++)
    s->lockstep |= config->mode[k] == NEAR_LOCKSTEP;
  if (s->lockstep && !(s->references = core_references_new(s->n))) {
    snprintf(why, why_bytes, "out of host memory");
    sim_free(s);
    return NULL;
  }
  const schedule_config c = {.nodes = s->n,
                             .threads = config->threads,
                             .noc = config->noc,
                             .router_cycles = config->router_cycles,
                             .interface = config->interface,
                             .stall_limit = config->core.stall_limit};
  if (!(s->schedule = schedule_new(&c, why, why_bytes)) || !power_up(s, why, why_bytes)) {
    sim_free(s);
    return NULL;
  }
  machine_set_runner(m, run, s);
  return s;
}

void sim_free(sim *s) {
  if (!s)
    return;
  machine_set_runner(s->m, NULL, NULL);
  for (uint32_t k = 0; k < s->n; k++) {
    core_free(s->cores[k]);
    if (s->nears[k])
      near_free(s->nears[k]);
  }
  schedule_free(s->schedule);
  core_references_free(s->references);
  for (uint32_t k = 0; k < s->n; k++)
    arrays_free(s->arrays[k]);
  free(s->ranges);
  free(s->given);
  free(s->lists);
  free(s->written);
  free(s);
}

// ---- which core executes which blocks

static uint32_t given_core(const sim *s, uint32_t block) {
  uint32_t to[DIGIT_KINDS];
  if (!s->blocks_to.n)
    return s->given[block % s->config.n_given];
  digits_split(&s->blocks_to, block, to);
  return to[DIGIT_CORE];
}

static bool share_given(sim *s, const launch *l) {
  uint32_t *at = s->lists = realloc(s->lists, (l->blocks + 1) * sizeof *s->lists);
  if (!at)
    return false;
  for (uint32_t k = 0; k < s->n; k++) {
    core_share *x = &s->parts[k].share;
    *x = (core_share){.list = at, .step = 1};
    for (uint32_t b = 0; b < l->blocks; b++)
      if (given_core(s, b) == k)
        at[x->count++] = b;
    at += x->count;
  }
  return true;
}

static bool share(sim *s, const launch *l) {
  if (s->config.schedule == SIM_GIVEN || s->blocks_to.n)
    return share_given(s, l);
  const uint32_t piece = (l->blocks + s->n - 1) / s->n;
  for (uint32_t k = 0; k < s->n; k++) {
    core_share *x = &s->parts[k].share;
    const uint64_t first = s->config.schedule == SIM_CONTINUOUS ? (uint64_t)k * piece : k;
    const uint32_t left = first < l->blocks ? l->blocks - (uint32_t)first : 0;
    *x = (core_share){.first = (uint32_t)first};
    if (s->config.schedule == SIM_CONTINUOUS)
      x->step = 1, x->count = left < piece ? left : piece;
    else
      x->step = s->n, x->count = (left + s->n - 1) / s->n;
  }
  return true;
}

// ---- observers

static uint32_t blocks_done(const sim *s) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < s->n; k++)
    n += s->parts[k].l->done;
  return n;
}

static bool all_done(void *ctx) {
  const sim *s = ctx;
  return blocks_done(s) == s->blocks;
}

static uint64_t window_cycles(void *ctx) {
  const sim *s = ctx;
  uint64_t least = UINT64_MAX;
  for (uint32_t n = 0; n < s->n_observers; n++)
    if (s->observers[n].cycles) {
      const uint64_t most = s->observers[n].cycles(s->observers[n].ctx);
      least = most < least ? most : least;
    }
  return least;
}

static bool window_done(void *ctx, uint64_t until) {
  sim *s = ctx;
  bool stop = false;
  for (uint32_t k = 0; s->samples && k < s->n; k++)
    core_sampled(s->cores[k], until);
  for (uint32_t n = 0; n < s->n_observers; n++)
    if (s->observers[n].window)
      stop |= s->observers[n].window(s->observers[n].ctx, s, until);
  if (s->config.watch && (until ^ s->watched) / WATCH_CYCLES &&
      s->config.watch(s->config.ctx, until - s->begun, blocks_done(s), s->blocks))
    stop = true;
  s->watched = until;
  return stop;
}

static void tell_begin(sim *s, const launch *l) {
  for (uint32_t n = 0; n < s->n_observers; n++)
    if (s->observers[n].begin)
      s->observers[n].begin(s->observers[n].ctx, s, l);
}

static void tell_end(sim *s, machine_error e, uint32_t core) {
  for (uint32_t n = 0; n < s->n_observers; n++)
    if (s->observers[n].end)
      s->observers[n].end(s->observers[n].ctx, s, e, core);
}

// ---- a launch

// Local memory is at the end of all.
static bool begin_arrays(sim *s, uint64_t local) {
  uint32_t n = s->n_ranges;
  bool ok = true;
  if (local) {
    const uint64_t bytes = s->map.bytes - local;
    s->ranges[n++] = (array_range){local, s->map.bytes, ARRAY_LOCAL};
    s->local_bytes = bytes > s->local_bytes ? bytes : s->local_bytes;
  }
  for (uint32_t k = 0; ok && k < s->n; k++)
    ok = arrays_set(s->arrays[k], s->ranges, n, s->n_arrays);
  return ok;
}

static bool begin(sim *s, launch *l, launch *reference, const core_uops *uops, uint64_t local) {
  bool ok = share(s, l) && (!s->ranges || begin_arrays(s, local)), busy[SIM_CORES];
  s->blocks = l->blocks;
  s->begun = s->watched = sim_cycle(s);
  s->samples = false;
  for (uint32_t k = 0; ok && k < s->n; k++) {
    part *p = &s->parts[k];
    p->l = launch_split(l);
    p->reference = reference ? launch_split(reference) : NULL;
    ok = p->l && (!reference || p->reference);
    busy[k] = p->share.count;
    ok = ok && core_begin(s->cores[k], p->l, p->reference, uops, &p->share, local, s->begun);
  }
  return ok && schedule_begin(s->schedule, busy);
}

static void end_parts(sim *s, launch *l, launch *reference) {
  for (uint32_t k = 0; k < s->n; k++) {
    launch_join(l, s->parts[k].l);
    launch_join(reference, s->parts[k].reference);
    s->parts[k].l = s->parts[k].reference = NULL;
  }
}

// Compares the memory that the launch could access.
static machine_error compare_memory(sim *s, const launch *l, const launch *reference,
                                    uint32_t *core) {
  const machine *have = s->m, *want = reference->m;
  allocation a;
  for (size_t n = 0; machine_allocation(want, n, &a); n++) {
    const uint8_t *x = machine_memory(have) + a.base, *y = machine_memory(want) + a.base;
    if (!machine_owns(want, a.owners) || !memcmp(x, y, a.bytes))
      continue;
    uint64_t k = 0;
    while (x[k] == y[k])
      k++;
    *core = map_get(&s->map.core, a.base + k);
    return machine_fail(s->m, MACHINE_MODEL,
                        "after the launch of %s byte %" PRIu64 " of the allocation at 0x%" PRIx64
                        " is %02x, that of the functional machine is %02x",
                        l->kernel->name, k, a.base, x[k], y[k]);
  }
  return MACHINE_OK;
}

// Of a launch that ended well. *core: where it did not.
static machine_error compare_end(sim *s, const launch *l, const launch *reference, uint32_t *core) {
  uint32_t done = 0;
  for (uint32_t k = 0; k < s->n; k++)
    done += s->parts[k].reference->done;
  if (done == reference->blocks)
    return compare_memory(s, l, reference, core);
  return machine_fail(s->m, MACHINE_MODEL,
                      "the launch of %s has ended, that of the functional machine has not",
                      l->kernel->name);
}

// Where the warps are, of the first cores that have any.
static void where(const sim *s, char *to, size_t bytes) {
  size_t n = 0;
  to[0] = 0;
  for (uint32_t k = 0; k < s->n && n < bytes / 2; k++) {
    char at[2000];
    core_where(s->cores[k], at, sizeof at);
    if (at[0])
      n += (size_t)snprintf(to + n, bytes - n, s->n > 1 ? "\n core %u:%s" : "%.0u%s", k, at);
  }
}

// What core k says is wrong.
static machine_error failed(sim *s, uint32_t k) {
  const launch *p = s->parts[k].l;
  if (core_failed(s->cores[k]) == CORE_FAULT)
    return machine_fail(s->m, p->failed ? p->error : MACHINE_FAULT_LIMIT, "%s",
                        machine_message(p->m));
  // what the near side says begins with the name of its core
  return s->n > 1 && !near_failed(s->nears[k])
             ? machine_fail(s->m, MACHINE_MODEL, "core %u: %s", k, core_message(s->cores[k]))
             : machine_fail(s->m, MACHINE_MODEL, "%s", core_message(s->cores[k]));
}

static machine_error ended_early(sim *s, const launch *l, schedule_outcome o) {
  char at[4000];
  if (o.end == SCHEDULE_FAILED || o.end == SCHEDULE_STALLED)
    return failed(s, o.node);
  if (o.end == SCHEDULE_NO_MEMORY)
    return machine_fail(s->m, MACHINE_OUT_OF_MEMORY, "out of host memory");
  where(s, at, sizeof at);
  if (o.end == SCHEDULE_LIMIT)
    return machine_fail(s->m, MACHINE_FAULT_LIMIT,
                        "the launch of %s took more than %" PRIu64 " cycles%s", l->kernel->name,
                        s->running.max_cycles, at);
  return machine_fail(s->m, MACHINE_STOPPED, "stopped in the launch of %s%s", l->kernel->name, at);
}

// Frees what exists only during a launch.
static void forget(sim *s) {
  core_uops_free(s->running.uops);
  launch_free(s->running.reference);
  machine_shadow_free(s->running.shadow);
  s->running = (running){0};
}

static machine_error prepare(sim *s, launch *l, uint64_t *local) {
  running *r = &s->running;
  char why[1000];
  if (s->spoiled && !power_up(s, why, sizeof why))
    return machine_fail(s->m, MACHINE_OUT_OF_MEMORY, "%s", why);
  bool ok = (r->uops = core_uops_new(&s->config.core, l));
  if (s->lockstep) {
    ok = ok && (r->shadow = machine_shadow(s->m)) &&
         !launch_new(r->shadow, l->mod, l->kernel, &l->shape, l->params, l->kernel->param_bytes,
                     &r->reference);
    if (ok)
      r->reference->number = l->number, r->reference->clocked = true;
  }
  return ok ? local_memory(s, l->kernel, local)
            : machine_fail(s->m, MACHINE_OUT_OF_MEMORY, "out of host memory");
}

machine_error sim_start(sim *s, launch *l, uint64_t max_cycles) {
  const uint64_t most = s->config.max_cycles;
  const isa_dies dies = module_dies(l->kernel);
  uint64_t local = 0;
  assert(!s->running.l);
  if (!isa_dies_execute(s->config.core.dies, dies))
    return machine_fail(s->m, MACHINE_BAD_LAUNCH,
                        "kernel %s is compiled with --dies=%s; this machine is --dies=%s",
                        l->kernel->name, isa_dies_names[dies], isa_dies_names[s->config.core.dies]);
  machine_error e = prepare(s, l, &local);
  if (!e && !begin(s, l, s->running.reference, s->running.uops, local)) {
    end_parts(s, l, s->running.reference);
    e = machine_fail(s->m, MACHINE_OUT_OF_MEMORY, "out of host memory");
  }
  if (e) {
    s->spoiled = true;
    forget(s);
    return e;
  }
  s->running.l = l;
  s->running.outcome.end = SCHEDULE_PAUSED;
  s->running.max_cycles = max_cycles && (!most || max_cycles < most) ? max_cycles : most;
  tell_begin(s, l);
  return MACHINE_OK;
}

bool sim_advance(sim *s, uint64_t cycles) {
  const schedule_watch watch = {s, window_cycles, window_done, all_done};
  running *r = &s->running;
  const uint64_t until = cycles < UINT64_MAX - s->begun ? s->begun + cycles : UINT64_MAX;
  if (r->outcome.end == SCHEDULE_PAUSED && sim_cycle(s) < until)
    r->outcome = schedule_advance(s->schedule, r->max_cycles, until, &watch);
  // the last block has ended, perhaps before `until`: go on until all is at rest
  if (r->outcome.end == SCHEDULE_PAUSED && all_done(s))
    r->outcome = schedule_advance(s->schedule, r->max_cycles, UINT64_MAX, &watch);
  return r->outcome.end != SCHEDULE_PAUSED;
}

void sim_stop(sim *s) {
  if (s->running.outcome.end == SCHEDULE_PAUSED)
    s->running.outcome.end = SCHEDULE_STOPPED;
}

void sim_wrote(sim *s, uint64_t address, uint64_t bytes) {
  if (s->running.shadow)
    memcpy(machine_memory(s->running.shadow) + address, machine_memory(s->m) + address, bytes);
}

machine_error sim_end(sim *s, uint64_t *cycles) {
  running *r = &s->running;
  launch *l = r->l;
  schedule_outcome o = r->outcome;
  const uint64_t at = schedule_rested(s->schedule);
  uint64_t ended = s->begun;
  assert(l && o.end != SCHEDULE_PAUSED);
  for (uint32_t k = 0; k < s->n; k++)
    ended = core_ended(s->cores[k]) > ended ? core_ended(s->cores[k]) : ended;
  if (o.end)
    ended = at;
  schedule_set_cycle(s->schedule, at);
  *cycles = ended - s->begun;
  s->cycles += *cycles;
  machine_error e = o.end ? ended_early(s, l, o) : MACHINE_OK;
  for (uint32_t k = 0; k < s->n; k++)
    if (core_end(s->cores[k], s->begun, ended, at, !o.end) && !e)
      o.node = k, e = failed(s, k);
  copies_ended(s);
  if (!e && r->reference)
    e = compare_end(s, l, r->reference, &o.node);
  tell_end(s, e, o.node);
  end_parts(s, l, r->reference);
  s->spoiled = e != MACHINE_OK;
  forget(s);
  return e;
}

static machine_error run(void *ctx, launch *l) {
  sim *s = ctx;
  uint64_t cycles;
  const machine_error e = sim_start(s, l, 0);
  if (e)
    return e;
  sim_advance(s, UINT64_MAX);
  return sim_end(s, &cycles);
}

// ---- what was counted

uint32_t sim_cores(const sim *s) {
  return s->n;
}
uint64_t sim_cycles(const sim *s) {
  return s->cycles;
}
uint64_t sim_issued(const sim *s) {
  uint64_t all = 0;
  for (uint32_t k = 0; k < s->n; k++)
    all += stats_issued(core_statistics(s->cores[k]));
  return all;
}
uint64_t sim_cycle(const sim *s) {
  return schedule_cycle(s->schedule);
}
uint64_t sim_reached(const sim *s) {
  return schedule_rested(s->schedule);
}
void sim_observe(sim *s, const sim_observer *o) {
  assert(s->n_observers < SIM_OBSERVERS);
  s->observers[s->n_observers++] = *o;
}
void sim_observe_core(sim *s, uint32_t core, core_observer o) {
  assert(s->observed[core].n < CORE_OBSERVERS);
  s->observed[core].by[s->observed[core].n++] = o;
  core_observe(s->cores[core], o);
}
void sim_alone(sim *s) {
  schedule_alone(s->schedule);
  s->n_observers = 0;
  s->config.watch = NULL;
  for (uint32_t k = 0; k < s->n; k++)
    while (s->observed[k].n)
      sim_unobserve_core(s, k, s->observed[k].by[0].ctx);
}
void sim_unobserve_core(sim *s, uint32_t core, void *ctx) {
  uint32_t left = 0;
  for (uint32_t n = 0; n < s->observed[core].n; n++)
    if (s->observed[core].by[n].ctx != ctx)
      s->observed[core].by[left++] = s->observed[core].by[n];
  s->observed[core].n = left;
  core_unobserve(s->cores[core], ctx);
}
const core *sim_core(const sim *s, uint32_t core) {
  return s->cores[core];
}

// All counters of a core are 64-bit words.
core_stats sim_all(const sim *s) {
  core_stats all = *core_statistics(s->cores[0]);
  for (uint32_t k = 1; k < s->n; k++)
    counters_add(&all, core_statistics(s->cores[k]), sizeof all);
  all.cycles /= s->n, all.cycles_drain /= s->n;  // the same in all
  return all;
}

stats_bounds sim_bounds(const sim *s) {
  stats_bounds b = {0};
  for (uint32_t k = 0; k < s->n; k++) {
    const stats_bounds x = stats_bounds_of(
        core_statistics(s->cores[k]), near_access_cycles(s->nears[k]), s->config.core.sizes.flits);
    b.issue = x.issue > b.issue ? x.issue : b.issue;
    b.tsv = x.tsv > b.tsv ? x.tsv : b.tsv;
    b.banks = x.banks > b.banks ? x.banks : b.banks;
    b.commands = x.commands > b.commands ? x.commands : b.commands;
    b.shared = x.shared > b.shared ? x.shared : b.shared;
  }
  return b;
}

noc_stats sim_network(const sim *s) {
  return schedule_network(s->schedule);
}

bool sim_count_arrays(sim *s) {
  for (uint32_t k = 0; k < s->n; k++) {
    if (!(s->arrays[k] = arrays_new()))
      return false;
    core_count_arrays(s->cores[k], s->arrays[k]);
  }
  return sim_set_arrays(s, NULL, 0, ARRAY_FIRST);
}

bool sim_set_arrays(sim *s, const array_range *ranges, uint32_t count, uint32_t arrays) {
  array_range *more = realloc(s->ranges, (count + 1) * sizeof *more);
  if (!more)
    return false;
  if (count)
    memcpy(more, ranges, count * sizeof *more);
  s->ranges = more, s->n_ranges = count, s->n_arrays = arrays;
  return true;
}

array_counts sim_array(const sim *s, uint32_t array) {
  array_counts all = {0};
  for (uint32_t k = 0; k < s->n; k++) {
    const array_counts of_core = arrays_counted(s->arrays[k], array);
    counters_add(&all, &of_core, sizeof all);
  }
  return all;
}

uint64_t sim_local_bytes(const sim *s) {
  return s->local_bytes;
}

void sim_links_json(const sim *s, json_writer *j) {
  schedule_links_json(s->schedule, j);
}

void sim_sample_cores(sim *s, uint64_t at, core_stats *each) {
  s->samples = at < UINT64_MAX;
  for (uint32_t k = 0; k < s->n; k++)
    core_sample(s->cores[k], at, &each[k]);
}
void sim_sample_network(sim *s, uint64_t at) {
  schedule_sample(s->schedule, at);
}
bool sim_sampled_network(const sim *s, noc_stats *to) {
  return schedule_sampled(s->schedule, to);
}

uint64_t sim_commands(const sim *s, uint32_t core, uint32_t nbu, uint32_t bank, dram_cmd cmd) {
  return near_commands(s->nears[core], nbu, bank, cmd);
}

// ---- to go on elsewhere

enum {
  NOC_WORDS = sizeof(noc_stats) / 8,
  LINK_WORDS = sizeof(noc_link_stats) / 8,
  CORE_WORDS = sizeof(core_stats) / 8,
  TRANSFER_WORDS = sizeof(transfers) / 8,
  COPIES_WORDS = 1 + TRANSFER_WORDS,
  ARRAY_WORDS = sizeof(array_counts) / 8
};

// Arrays come last, for there may be more of them with each launch; each has a sum of all cores.
size_t sim_state_words(const sim *s) {
  return 2 + NOC_WORDS + (size_t)schedule_links(s->schedule) * LINK_WORDS +
         (size_t)s->n * CORE_WORDS + (s->has_transfers ? COPIES_WORDS : 0) +
         (s->ranges ? 1 + (size_t)s->n_arrays * ARRAY_WORDS : 0);
}

static void get_arrays(const sim *s, uint64_t *to) {
  *to++ = s->local_bytes;
  for (uint32_t n = 0; n < s->n_arrays; n++, to += ARRAY_WORDS) {
    const array_counts counts = sim_array(s, n);
    memcpy(to, &counts, sizeof counts);
  }
}

// Core 0 takes the sums.
static bool set_arrays(sim *s, const uint64_t *from) {
  s->local_bytes = *from++;
  for (uint32_t k = 0; k < s->n; k++) {
    if (!arrays_set(s->arrays[k], s->ranges, s->n_ranges, s->n_arrays))
      return false;
    for (uint32_t n = 0; n < s->n_arrays; n++) {
      array_counts counts = {0};
      if (!k)
        memcpy(&counts, from + (size_t)n * ARRAY_WORDS, sizeof counts);
      arrays_set_counted(s->arrays[k], n, &counts);
    }
  }
  return true;
}

void sim_get_state(const sim *s, uint64_t *to) {
  *to++ = sim_cycle(s), *to++ = s->cycles;
  const noc_stats network = sim_network(s);
  memcpy(to, &network, sizeof network);
  to += NOC_WORDS;
  for (uint32_t k = 0; k < schedule_links(s->schedule); k++, to += LINK_WORDS) {
    const noc_link_stats link = schedule_link_counted(s->schedule, k);
    memcpy(to, &link, sizeof link);
  }
  for (uint32_t k = 0; k < s->n; k++, to += CORE_WORDS)
    memcpy(to, core_statistics(s->cores[k]), sizeof(core_stats));
  if (s->has_transfers) {
    *to++ = region_fresh(&s->map);
    memcpy(to, &s->transfers, sizeof s->transfers);
    to += TRANSFER_WORDS;
  }
  if (s->ranges)
    get_arrays(s, to);
}

bool sim_set_state(sim *s, const uint64_t *from) {
  schedule_set_cycle(s->schedule, *from++);
  s->cycles = *from++;
  noc_stats network;
  memcpy(&network, from, sizeof network);
  schedule_set_network(s->schedule, &network);
  from += NOC_WORDS;
  for (uint32_t k = 0; k < schedule_links(s->schedule); k++, from += LINK_WORDS) {
    noc_link_stats link;
    memcpy(&link, from, sizeof link);
    schedule_set_link(s->schedule, k, &link);
  }
  for (uint32_t k = 0; k < s->n; k++, from += CORE_WORDS) {
    core_stats stats;
    memcpy(&stats, from, sizeof stats);
    core_set_statistics(s->cores[k], &stats);
  }
  if (s->has_transfers) {
    const uint32_t all = region_copied(&s->regions, 0, s->map.bytes), fresh = (uint32_t)*from++;
    set_fresh(s, all, false);
    set_fresh(s, all & fresh, true);
    memcpy(&s->transfers, from, sizeof s->transfers);
    from += TRANSFER_WORDS;
  }
  return !s->ranges || set_arrays(s, from);
}

// The next run of marked pages in [page, end): none, when it begins at the end.
static sim_run next_run(const sim *s, uint64_t page, uint64_t end) {
  while (page < end && !s->written[page])
    page++;
  sim_run r = {page, 0};
  while (page + r.count < end && s->written[page + r.count])
    r.count++;
  return r;
}

bool sim_take_written(sim *s, sim_run **runs, size_t *count) {
  const machine *m = s->m;
  size_t capacity = 0;
  uint64_t page = 0;
  *runs = NULL, *count = 0;
  allocation a;
  for (size_t n = 0; machine_allocation(m, n, &a); n++) {
    const uint64_t first = a.base / SIM_PAGE, end = (a.base + a.bytes - 1) / SIM_PAGE + 1;
    for (page = first > page ? first : page; page < end;) {
      const sim_run r = next_run(s, page, end);
      page = r.page + r.count;
      if (!r.count)
        break;
      if (*count == capacity) {
        capacity = capacity ? 2 * capacity : 64;
        sim_run *more = realloc(*runs, capacity * sizeof *more);
        if (!more) {
          free(*runs);
          return false;
        }
        *runs = more;
      }
      (*runs)[(*count)++] = r;
    }
  }
  for (size_t n = 0; n < *count; n++)
    memset(s->written + (*runs)[n].page, 0, (*runs)[n].count);
  return true;
}

uint8_t *sim_page(sim *s, uint64_t page) {
  return machine_memory(s->m) + page * SIM_PAGE;
}
uint64_t sim_pages(const sim *s) {
  return s->map.bytes / SIM_PAGE;
}

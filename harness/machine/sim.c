// SPDX-License-Identifier: Apache-2.0
// Launches on all cores, in windows: each core steps a few cycles by itself, on any thread, and
// meanwhile the network those that the cores have done before. A packet is in the network
// interfaces long enough that neither can have missed what the other one sent.
#include "sim.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "../../csim/isa/machine_priv.h"
#include "../../csim/isa/mpu_elf.h"
#include "crew.h"
#include "post.h"

enum {
  WINDOW = POST_AHEAD,
  STALL_CYCLES = 1 << 13,
  WATCH_CYCLES = 1 << 14,
  NAME = 24,
  LOCAL_SLOTS = 16
};

typedef struct part {  // a core's of a launch
  launch *l, *gold;
  core_share share;
} part;

struct sim {
  sim_config config;
  machine *m;
  address_map map;
  uint32_t n;
  core *cores[SIM_CORES];
  sim_observer observers[SIM_OBSERVERS];
  uint32_t n_observers;
  struct {
    core_observer by[CORE_OBSERVERS];
    uint32_t n;
  } observed[SIM_CORES];  // for cores that are made again
  near *nears[SIM_CORES];
  post *post;  // and the network, NULL: one core
  crew *crew;
  uint8_t *written;  // a mark a page of memory, or NULL
  uint64_t cycle, cycles;
  bool spoiled;  // a launch ended in the middle: power up before the next one
  bool lockstep;
  // of a launch
  part parts[SIM_CORES];
  uint32_t *given, *lists;    // SIM_GIVEN: core of a block; blocks of a core
  uint64_t until;             // the end of the window
  uint32_t network_turn;      // 1: the network steps in it
  uint64_t wakes[SIM_CORES];  // nothing happens in a core before this cycle
  bool rests[SIM_CORES];
  uint32_t resting;
  uint32_t turn[SIM_CORES], n_turn;  // cores that step in this window
  uint32_t blocks;
};

sim_config sim_config_default(near_mode mode) {
  sim_config c = {.core = core_config_default(),
                  .near = {.rows = 4},
                  .map = {.processors = 1, .cores = 1},
                  .noc = noc_config_default(),
                  .router_cycles = 2,
                  .interface = 32,
                  .requests = 64,
                  .threads = 1};
  for (uint32_t k = 0; k < SIM_CORES; k++)
    c.mode[k] = mode;
  return c;
}

// ---- memory

bool sim_machine(const sim_config *c, machine_config *m, char *why, size_t why_bytes) {
  address_map map;
  if (!map_make(&map, &c->map, why, why_bytes))
    return false;
  const uint64_t lines = 512ull * map.cores;
  m->memory_bytes = map.bytes;
  m->cores = map.cores;
  m->align = map.span > lines && map.span <= 1 << 20 ? map.span : lines;
  m->row_bytes = map_put(&map.row, 1);
  return true;
}

// A line a word, slot and NBU. At the end of memory, behind what can be allocated.
static machine_error local_memory(sim *s, const module_kernel *k, uint64_t *address) {
  const machine *m = s->m;
  const uint64_t lines = (uint64_t)(k->local_bytes + 3) / 4 * LOCAL_SLOTS, span = s->map.span;
  const uint64_t bytes = (lines + map_lines(&s->map) - 1) / map_lines(&s->map) * span;
  const allocation *last = m->count ? &m->allocations[m->count - 1] : NULL;
  *address = 0;
  if (!lines)
    return MACHINE_OK;
  if (m->config.memory_bytes < bytes ||
      (last && last->base + last->bytes > m->config.memory_bytes - bytes))
    return machine_fail(s->m, MACHINE_OUT_OF_MEMORY,
                        "kernel %s: no device memory for %llu bytes of local memory", k->name,
                        (unsigned long long)bytes);
  *address = m->config.memory_bytes - bytes;
  return MACHINE_OK;
}

// ---- cores

static bool make_core(sim *s, uint32_t k, char *why, size_t why_bytes) {
  char name[NAME];
  const map_place at = map_of_core(&s->map, k);
  near_config n = s->config.near;
  snprintf(name, sizeof name, "core %u", k);
  n.mode = s->config.mode[k];
  n.name = name;
  n.memory = s->m->memory + at.base;
  n.nbu_stride = at.nbu, n.bank_stride = at.bank, n.row = at.row, n.col = at.col;
  n.written = s->written, n.origin = s->m->memory;
  n.refresh = s->config.core.trefi != 0;
  n.like = k ? s->nears[0] : NULL;
  const core_place place = {.index = k,
                            .map = &s->map,
                            .requests = s->n > 1 ? s->config.requests : 0,
                            .serves = s->config.noc.take_packets,
                            .sends = s->config.noc.send_packets};
  s->nears[k] = near_new(&n, why, why_bytes);
  if (s->nears[k])
    near_skip(s->nears[k], s->cycle);
  if (s->nears[k])
    s->cores[k] = core_new(&s->config.core, &place, s->nears[k], why, why_bytes);
  for (uint32_t n = 0; s->cores[k] && n < s->observed[k].n; n++)
    core_observe(s->cores[k], s->observed[k].by[n]);
  return s->cores[k] != NULL;
}

static bool make_network(sim *s, char *why, size_t why_bytes) {
  post_free(s->post);
  s->post = post_new(&s->config.noc, s->config.router_cycles, s->config.interface, why, why_bytes);
  return s->post;
}

static bool power_up(sim *s, char *why, size_t why_bytes) {
  bool ok = s->n == 1 || s->post || make_network(s, why, why_bytes);
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
  if (!s || !(s->crew = crew_new(config->threads))) {
    snprintf(why, why_bytes, "out of host memory, or no %u threads", config->threads);
    free(s);
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
  assert(m->config.memory_bytes == s->map.bytes && s->map.cores <= SIM_CORES);
  assert(config->interface && config->interface <= POST_AHEAD);
  s->n = s->map.cores;
  for (uint32_t k = 0; k < s->n; k++)
    s->lockstep |= config->mode[k] == NEAR_LOCKSTEP;
  if (!power_up(s, why, why_bytes)) {
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
  post_free(s->post);
  crew_free(s->crew);
  free(s->given);
  free(s->lists);
  free(s->written);
  free(s);
}

// ---- which core executes which blocks

static bool share_given(sim *s, const launch *l) {
  uint32_t *at = s->lists = realloc(s->lists, (l->blocks + 1) * sizeof *s->lists);
  if (!at)
    return false;
  for (uint32_t k = 0; k < s->n; k++) {
    core_share *x = &s->parts[k].share;
    *x = (core_share){.list = at, .step = 1};
    for (uint32_t b = 0; b < l->blocks; b++)
      if (s->given[b % s->config.n_given] == k)
        at[x->count++] = b;
    at += x->count;
  }
  return true;
}

static bool share(sim *s, const launch *l) {
  if (s->config.schedule == SIM_GIVEN)
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

// ---- a window

// The first job is the network's, if it has any.
static void step(void *ctx, uint32_t k, uint32_t then) {
  sim *s = ctx;
  if (k < s->network_turn) {
    post_step(s->post, s->cycle);
    return;
  }
  const uint32_t none = s->network_turn, *turn = s->turn;
  const core *next = then == k || then < none ? NULL : s->cores[turn[then - none]];
  core_advance(s->cores[turn[k - none]], s->until, next);
}

static void wake(void *ctx, uint32_t core, uint64_t cycle) {
  sim *s = ctx;
  assert(cycle >= s->until);  // the core has not done it
  s->wakes[core] = cycle < s->wakes[core] ? cycle : s->wakes[core];
  s->resting -= s->rests[core];
  s->rests[core] = false;
}

// The cores that have something to do before `until`.
static void take_turns(sim *s) {
  s->n_turn = 0;
  for (uint32_t k = 0; k < s->n; k++)
    if (s->wakes[k] < s->until)
      s->turn[s->n_turn++] = k;
}

// What is delivered in a cycle arrives `interface` cycles later, so cores may step so far beyond
// what the network has done; and further by the shortest way when it has nothing to do. Then it is
// as far as they are; else half a window behind, and it steps along with them.
static void step_window(sim *s, uint64_t limit) {
  uint64_t until = s->cycle + WINDOW;
  s->network_turn = 0;
  if (s->post) {
    const uint32_t half = s->config.interface / 2;
    if (post_idle(s->post))
      post_step(s->post, s->cycle);
    else if (s->cycle - post_cycle(s->post) > half)
      post_step(s->post, s->cycle - half), post_deliver(s->post, s->cores, wake, s);
    until = post_cycle(s->post) + post_ahead(s->post);
    s->network_turn = post_cycle(s->post) < s->cycle;
  }
  s->until = limit < until ? limit : until;
  take_turns(s);
  crew_run(s->crew, step, s, s->n_turn + s->network_turn);
  for (uint32_t n = 0; n < s->n_turn; n++)
    s->wakes[s->turn[n]] = core_wakes(s->cores[s->turn[n]]);
}

// What the cores have sent goes to the network, what it has delivered to the cores.
static bool exchange(sim *s) {
  bool ok = true;
  if (!s->post)
    return true;
  for (uint32_t n = 0; n < s->n_turn; n++)
    ok = post_collect(s->post, s->cores[s->turn[n]]) && ok;
  post_deliver(s->post, s->cores, wake, s);
  return ok;
}

// ---- a launch

typedef struct outcome {
  core_result result;
  uint32_t core;
  bool stopped, limit, memory;
} outcome;

// What went wrong first; of several in one cycle, in the first core.
static outcome look(const sim *s) {
  outcome o = {.result = CORE_OK};
  for (uint32_t n = 0; n < s->n_turn; n++) {
    const uint32_t k = s->turn[n];
    const core_result r = core_failed(s->cores[k]);
    if (r && (!o.result || core_cycle(s->cores[k]) < core_cycle(s->cores[o.core])))
      o.result = r, o.core = k;
  }
  return o;
}

static uint32_t blocks_done(const sim *s) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < s->n; k++)
    n += s->parts[k].l->done;
  return n;
}

// No core goes on, and they wait for each other: the one that moved first of all says what for.
static bool look_for_stalls(sim *s, outcome *o) {
  uint64_t moved = 0, least = UINT64_MAX;
  for (uint32_t k = 0; k < s->n; k++)
    if (!s->rests[k]) {
      const uint64_t at = core_moved(s->cores[k]);
      moved = at > moved ? at : moved;
      if (at < least)
        least = at, o->core = k;
    }
  if (s->cycle - moved <= s->config.core.stall_limit || blocks_done(s) == s->blocks)
    return false;
  core_stalled(s->cores[o->core]);
  o->result = CORE_WRONG;
  return true;
}

// What the cores that stepped will do next. Is anything left to do?
static bool settle(sim *s) {
  for (uint32_t n = 0; n < s->n_turn; n++) {
    const uint32_t k = s->turn[n];
    const bool rests = core_rests(s->cores[k]) && !core_expects(s->cores[k]);
    s->resting += (uint32_t)rests - s->rests[k];
    s->rests[k] = rests;
  }
  return s->resting < s->n || (s->post && !post_idle(s->post));
}

// The cycle that the last core has come to.
static uint64_t rested(const sim *s) {
  uint64_t at = 0;
  for (uint32_t k = 0; k < s->n; k++)
    at = core_cycle(s->cores[k]) > at ? core_cycle(s->cores[k]) : at;
  return at;
}

// ---- observers

static uint64_t window_of(const sim *s) {
  uint64_t until = UINT64_MAX;
  for (uint32_t n = 0; n < s->n_observers; n++)
    if (s->observers[n].cycles) {
      const uint64_t most = s->observers[n].cycles(s->observers[n].ctx);
      until = most < until - s->cycle ? s->cycle + most : until;
    }
  return until;
}

static bool tell_window(sim *s) {
  bool stop = false;
  for (uint32_t n = 0; n < s->n_observers; n++)
    if (s->observers[n].window)
      stop |= s->observers[n].window(s->observers[n].ctx, s, s->cycle);
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

static outcome step_all(sim *s, const launch *l) {
  const uint64_t begun = s->cycle;
  const uint64_t limit = s->config.max_cycles ? begun + s->config.max_cycles : UINT64_MAX;
  outcome o = {.result = CORE_OK};
  for (bool left = true; left && !o.result;) {
    const uint64_t from = s->cycle, asked = window_of(s);
    step_window(s, asked < limit ? asked : limit);
    if ((o = look(s)).result)
      break;
    if (!exchange(s)) {
      o.memory = true;
      break;
    }
    left = settle(s);
    s->cycle = left ? s->until : rested(s);
    o.stopped = tell_window(s);
    if (left && (s->cycle ^ from) / STALL_CYCLES && look_for_stalls(s, &o))
      break;
    if (left && s->cycle == limit && blocks_done(s) < l->blocks)
      o.limit = true;
    if (s->config.watch && (s->cycle ^ from) / WATCH_CYCLES &&
        s->config.watch(s->config.ctx, s->cycle - begun, blocks_done(s), l->blocks))
      o.stopped = true;
    if (o.limit || o.stopped)
      break;
  }
  return o;
}

static bool begin(sim *s, launch *l, launch *gold, const core_plans *plans, uint64_t local) {
  bool ok = share(s, l);
  s->resting = 0;
  s->blocks = l->blocks;
  for (uint32_t k = 0; ok && k < s->n; k++) {
    part *p = &s->parts[k];
    p->l = launch_split(l);
    p->gold = gold ? launch_split(gold) : NULL;
    ok = p->l && (!gold || p->gold);
    s->wakes[k] = p->share.count ? s->cycle : UINT64_MAX;
    s->rests[k] = !p->share.count;
    s->resting += s->rests[k];
    ok = ok && core_begin(s->cores[k], p->l, p->gold, plans, &p->share, local, s->cycle);
  }
  return ok;
}

static void end_parts(sim *s, launch *l, launch *gold) {
  for (uint32_t k = 0; k < s->n; k++) {
    launch_join(l, s->parts[k].l);
    launch_join(gold, s->parts[k].gold);
    s->parts[k].l = s->parts[k].gold = NULL;
  }
}

// Memory after a launch.
static machine_error compare_memory(sim *s, const launch *l, const launch *gold, uint32_t *core) {
  const machine *have = s->m, *want = gold->m;
  for (size_t n = 0; n < want->count; n++) {
    const allocation *a = &want->allocations[n];
    const uint8_t *x = have->memory + a->base, *y = want->memory + a->base;
    if (!memcmp(x, y, a->bytes))
      continue;
    uint64_t k = 0;
    while (x[k] == y[k])
      k++;
    *core = map_get(&s->map.core, a->base + k);
    return machine_fail(s->m, MACHINE_MODEL,
                        "after the launch of %s byte %" PRIu64 " of the allocation at 0x%" PRIx64
                        " is %02x, that of the functional machine is %02x",
                        l->kernel->name, k, a->base, x[k], y[k]);
  }
  return MACHINE_OK;
}

// Of a launch that ended well. *core: where it did not.
static machine_error compare_end(sim *s, const launch *l, const launch *gold, uint32_t *core) {
  uint32_t done = 0;
  for (uint32_t k = 0; k < s->n; k++)
    done += s->parts[k].gold->done;
  if (done == gold->blocks)
    return compare_memory(s, l, gold, core);
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

static machine_error failed(sim *s, const launch *l, outcome o) {
  char at[4000];
  if (o.result == CORE_WRONG)
    // what the near side says begins with the name of its core
    return s->n > 1 && !near_failed(s->nears[o.core])
               ? machine_fail(s->m, MACHINE_MODEL, "core %u: %s", o.core,
                              core_message(s->cores[o.core]))
               : machine_fail(s->m, MACHINE_MODEL, "%s", core_message(s->cores[o.core]));
  if (o.result == CORE_FAULT) {
    const launch *p = s->parts[o.core].l;
    return machine_fail(s->m, p->failed ? p->error : MACHINE_FAULT_LIMIT, "%s", p->m->message);
  }
  if (o.memory)
    return machine_fail(s->m, MACHINE_OUT_OF_MEMORY, "out of host memory");
  where(s, at, sizeof at);
  if (o.limit)
    return machine_fail(s->m, MACHINE_FAULT_LIMIT,
                        "the launch of %s took more than %" PRIu64 " cycles%s", l->kernel->name,
                        s->config.max_cycles, at);
  return machine_fail(s->m, MACHINE_STOPPED, "stopped in the launch of %s%s", l->kernel->name, at);
}

static machine_error execute(sim *s, launch *l, launch *gold, const core_plans *plans,
                             uint64_t local) {
  const uint64_t begun = s->cycle;
  uint64_t ended = begun;
  outcome o = {.result = CORE_WRONG};
  if (!begin(s, l, gold, plans, local) || (s->post && !post_reset(s->post, s->cycle))) {
    end_parts(s, l, gold);
    return machine_fail(s->m, MACHINE_OUT_OF_MEMORY, "out of host memory");
  }
  tell_begin(s, l);
  o = step_all(s, l);
  for (uint32_t k = 0; k < s->n; k++)
    ended = core_ended(s->cores[k]) > ended ? core_ended(s->cores[k]) : ended;
  const bool whole = !o.result && !o.limit && !o.stopped && !o.memory;
  const uint64_t at = rested(s);
  if (!whole)
    ended = at;
  s->cycle = at;
  s->cycles += ended - begun;
  machine_error e = whole ? MACHINE_OK : failed(s, l, o);
  for (uint32_t k = 0; k < s->n; k++)
    if (core_end(s->cores[k], begun, ended, at, whole) && !e) {
      o.result = CORE_WRONG, o.core = k;
      e = failed(s, l, o);
    }
  if (!e && gold)
    e = compare_end(s, l, gold, &o.core);
  tell_end(s, e, o.core);
  end_parts(s, l, gold);
  return e;
}

static machine_error run(void *ctx, launch *l) {
  sim *s = ctx;
  launch *gold = NULL;
  machine *shadow = NULL;
  machine_error e = MACHINE_OK;
  uint64_t local = 0;
  char why[1000];
  const uint32_t dies = l->kernel->flags >> MPU_KERNEL_DIES;
  if (dies != s->config.core.dies)
    return machine_fail(s->m, MACHINE_BAD_LAUNCH,
                        "kernel %s is compiled with --dies=%s; this machine is --dies=%s",
                        l->kernel->name, isa_dies_names[dies], isa_dies_names[s->config.core.dies]);
  if (s->spoiled && !power_up(s, why, sizeof why))
    return machine_fail(s->m, MACHINE_OUT_OF_MEMORY, "%s", why);
  core_plans *plans = core_plans_new(&s->config.core, l);
  if (s->lockstep) {
    shadow = machine_shadow(s->m);
    if (!shadow ||
        launch_new(shadow, l->mod, l->kernel, &l->shape, l->params, l->kernel->param_bytes, &gold))
      e = machine_fail(s->m, MACHINE_OUT_OF_MEMORY, "out of host memory");
    else
      gold->number = l->number, gold->clocked = true;
  }
  if (!e && !plans)
    e = machine_fail(s->m, MACHINE_OUT_OF_MEMORY, "out of host memory");
  if (!e)
    e = local_memory(s, l->kernel, &local);
  if (!e)
    e = execute(s, l, gold, plans, local);
  s->spoiled = e != MACHINE_OK;
  core_plans_free(plans);
  launch_free(gold);
  machine_shadow_free(shadow);
  return e;
}

// ---- what was counted

uint32_t sim_cores(const sim *s) {
  return s->n;
}
uint64_t sim_cycles(const sim *s) {
  return s->cycles;
}
uint64_t sim_cycle(const sim *s) {
  return s->cycle;
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
  crew_alone(s->crew);
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
  uint64_t *to = (uint64_t *)&all;
  for (uint32_t k = 1; k < s->n; k++) {
    const uint64_t *from = (const uint64_t *)core_statistics(s->cores[k]);
    for (size_t n = 0; n < sizeof all / sizeof *to; n++)
      to[n] += from[n];
  }
  all.cycles /= s->n, all.cycles_drain /= s->n;  // the same in all
  return all;
}

stats_bounds sim_bounds(const sim *s) {
  stats_bounds b = {0};
  for (uint32_t k = 0; k < s->n; k++) {
    const stats_bounds x = stats_bounds_of(core_statistics(s->cores[k]));
    b.issue = x.issue > b.issue ? x.issue : b.issue;
    b.tsv = x.tsv > b.tsv ? x.tsv : b.tsv;
    b.banks = x.banks > b.banks ? x.banks : b.banks;
  }
  return b;
}

noc_stats sim_network(const sim *s) {
  return s->post ? post_statistics(s->post) : (noc_stats){0};
}

uint64_t sim_commands(const sim *s, uint32_t core, uint32_t nbu, uint32_t bank, dram_cmd cmd) {
  return near_commands(s->nears[core], nbu, bank, cmd);
}

// ---- to go on elsewhere

enum { NOC_WORDS = sizeof(noc_stats) / 8, CORE_WORDS = sizeof(core_stats) / 8 };

size_t sim_state_words(const sim *s) {
  return 2 + NOC_WORDS + (size_t)s->n * CORE_WORDS;
}

void sim_get_state(const sim *s, uint64_t *to) {
  *to++ = s->cycle, *to++ = s->cycles;
  const noc_stats network = sim_network(s);
  memcpy(to, &network, sizeof network);
  to += NOC_WORDS;
  for (uint32_t k = 0; k < s->n; k++)
    memcpy(to + k * CORE_WORDS, core_statistics(s->cores[k]), sizeof(core_stats));
}

void sim_set_state(sim *s, const uint64_t *from) {
  s->cycle = *from++, s->cycles = *from++;
  noc_stats network;
  memcpy(&network, from, sizeof network);
  if (s->post)
    post_set_statistics(s->post, &network);
  from += NOC_WORDS;
  for (uint32_t k = 0; k < s->n; k++) {
    core_stats stats;
    memcpy(&stats, from + k * CORE_WORDS, sizeof stats);
    core_set_statistics(s->cores[k], &stats);
  }
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
  for (size_t n = 0; n < m->count; n++) {
    const allocation *a = &m->allocations[n];
    const uint64_t first = a->base / SIM_PAGE, end = (a->base + a->bytes - 1) / SIM_PAGE + 1;
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
  return s->m->memory + page * SIM_PAGE;
}
uint64_t sim_pages(const sim *s) {
  return s->map.bytes / SIM_PAGE;
}

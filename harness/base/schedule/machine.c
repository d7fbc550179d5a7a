// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "energies.h"
#include "harness/base/made.h"
#include "harness/base/noc/noc_of.h"
#include "harness/base/number_list.h"

struct machine_run {
  const machine_ops *ops;
  config config;
  uint32_t nodes;
  void *states[SCHEDULE_NODES];
  schedule *schedule;
  node list[SCHEDULE_NODES];
  schedule_watch watches[MACHINE_WATCHES];
  uint32_t n_watches;
  bool stopped, failed;
  machine_failure failure;
};

static const machine_part *part_of(const machine_ops *ops, uint32_t k) {
  return &ops->parts[k < ops->n_parts ? k : ops->n_parts - 1];
}
static node node_of(const machine_run *r, uint32_t k) {
  return (node){part_of(r->ops, k)->ops, r->states[k]};
}

// By the nodes of a part.
static const node_kind *declared(const machine_ops *ops, uint32_t part) {
  static const node_kind nothing = {.name = "node", .doc = "declares nothing"};
  const node_kind *k = ops->parts[part].ops->declares;
  return k ? k : &nothing;
}

static bool check_kinds(const machine_ops *ops, char *why, size_t why_bytes) {
  for (uint32_t p = 0; p < ops->n_parts; p++) {
    const node_kind *k = declared(ops, p);
    for (uint32_t q = 0; q < p; q++)
      if (!strcmp(declared(ops, q)->name, k->name) && ops->parts[p].ops->declares) {
        snprintf(why, why_bytes, "node %s: two parts of the machine declare it", k->name);
        return false;
      }
    if (!energies_check(k, why, why_bytes))
      return false;
  }
  return true;
}

bool machine_near(const char *mode, const char *only, uint32_t nodes,
                  lockstep_mode near[SCHEDULE_NODES]) {
  const bool c = strcmp(mode, "c") == 0;
  const lockstep_mode all = c                          ? LOCKSTEP_C
                            : strcmp(mode, "rtl") == 0 ? LOCKSTEP_RTL
                                                       : LOCKSTEP_BOTH;
  bool in[SCHEDULE_NODES] = {false};
  if (only && !number_list(only, nodes, in))
    return false;
  for (uint32_t k = 0; k < nodes; k++)
    near[k] = !only ? all : !in[k] ? LOCKSTEP_C : c ? LOCKSTEP_RTL : all;
  return true;
}

static bool make_nodes(machine_run *r, const lockstep_mode *near, const noc_config *net, char *why,
                       size_t why_bytes) {
  machine_site site = {&r->config, LOCKSTEP_C, net, 0, r->nodes};
  for (uint32_t k = 0; k < r->nodes; k++) {
    const machine_part *p = part_of(r->ops, k);
    site.index = k, site.near = near ? near[k] : LOCKSTEP_C;
    snprintf(why, why_bytes, "out of memory");
    if (!(r->states[k] = calloc(1, p->bytes)) || !p->init(r->states[k], &site, why, why_bytes))
      return false;
    r->list[k] = node_of(r, k);
    schedule_place(r->schedule, k, r->list[k]);
  }
  return true;
}

machine_run *machine_run_new(const machine_ops *ops, const config *c, const lockstep_mode *near,
                             uint32_t threads, char *why, size_t why_bytes) {
  machine_run *r = calloc(1, sizeof *r);
  if (!r) {
    snprintf(why, why_bytes, "out of memory");
    return NULL;
  }
  r->ops = ops, r->config = *c;
  r->nodes = c->machine.processors * c->machine.cores;
  const schedule_config k = {.nodes = r->nodes,
                             .threads = threads,
                             .noc = noc_of_config(c),
                             .router_cycles = noc_steps_a_cycle(c),
                             .interface = c->network.interface,
                             .stall_limit = c->core.stall_limit};
  if (ops->check(c, r->nodes, why, why_bytes) && check_kinds(ops, why, why_bytes) &&
      (r->schedule = schedule_new(&k, why, why_bytes)) &&
      make_nodes(r, near, &k.noc, why, why_bytes))
    return r;
  machine_run_free(r);
  return NULL;
}

void machine_run_free(machine_run *r) {
  for (uint32_t k = 0; r && k < r->nodes; k++)
    if (r->states[k]) {
      part_of(r->ops, k)->finish(r->states[k]);
      free(r->states[k]);
    }
  if (r)
    schedule_free(r->schedule);
  free(r);
}

const node *machine_run_nodes(const machine_run *r, uint32_t *count) {
  *count = r->nodes;
  return r->list;
}

uint64_t machine_run_cycles(const machine_run *r) {
  return schedule_cycle(r->schedule);
}

void machine_run_watch(machine_run *r, const schedule_watch *w) {
  assert(r->n_watches < MACHINE_WATCHES);
  r->watches[r->n_watches++] = *w;
}

void machine_run_alone(machine_run *r) {
  schedule_alone(r->schedule);
  r->n_watches = 0;
  for (uint32_t k = 0; k < r->nodes; k++)
    if (r->list[k].ops->observe)
      r->list[k].ops->observe(r->list[k].state, NULL);
}

bool machine_run_stopped(const machine_run *r) {
  return r->stopped;
}

const machine_failure *machine_run_failure(const machine_run *r) {
  return r->failed ? &r->failure : NULL;
}

static uint64_t least_cycles(void *ctx) {
  const machine_run *r = ctx;
  uint64_t least = UINT64_MAX;
  for (uint32_t n = 0; n < r->n_watches; n++)
    if (r->watches[n].cycles) {
      const uint64_t most = r->watches[n].cycles(r->watches[n].ctx);
      least = most < least ? most : least;
    }
  return least;
}

static bool tell_window(void *ctx, uint64_t until) {
  const machine_run *r = ctx;
  bool stop = false;
  for (uint32_t n = 0; n < r->n_watches; n++)
    if (r->watches[n].window)
      stop |= r->watches[n].window(r->watches[n].ctx, until);
  return stop;
}

bool machine_run_all(machine_run *r, char *why, size_t why_bytes) {
  bool busy[SCHEDULE_NODES];
  const schedule_watch watch = {.ctx = r, .cycles = least_cycles, .window = tell_window};
  for (uint32_t k = 0; k < r->nodes; k++) {
    const node n = node_of(r, k);
    busy[k] = !n.ops->rests(n.state);
  }
  schedule_outcome o = {SCHEDULE_NO_MEMORY, 0};
  if (schedule_begin(r->schedule, busy))
    o = schedule_run(r->schedule, 0, &watch);
  r->failed = o.end == SCHEDULE_FAILED || o.end == SCHEDULE_STALLED;
  r->stopped = o.end == SCHEDULE_STOPPED;
  if (o.end == SCHEDULE_DONE)
    return true;
  if (r->stopped) {
    snprintf(why, why_bytes, "stopped in cycle %" PRIu64, schedule_cycle(r->schedule));
    return false;
  }
  if (o.end == SCHEDULE_NO_MEMORY) {
    snprintf(why, why_bytes, "out of memory");
    return false;
  }
  const node n = node_of(r, o.node);
  const char *error = n.ops->error ? n.ops->error(n.state) : NULL;
  r->failure = (machine_failure){.node = o.node,
                                 .of = n,
                                 .cycle = n.ops->cycle(n.state),
                                 .stalled = o.end == SCHEDULE_STALLED,
                                 .why = error ? error : "it failed"};
  snprintf(why, why_bytes, "%s %" PRIu32 ", cycle %" PRIu64 ": %s", n.ops->kind, o.node,
           r->failure.cycle, r->failure.why);
  return false;
}

// ---- what was counted

// Of all nodes of a part; to be freed. No memory ends the program: a run is over by then.
static uint64_t *sums_of(const machine_run *r, uint32_t part) {
  const node_kind *kind = declared(r->ops, part);
  const uint32_t words = counters_words(kind);
  uint64_t *sums = calloc(words + 1, sizeof *sums);
  assert(sums);
  for (uint32_t k = 0; words && k < r->nodes; k++)
    if (r->list[k].ops->declares == kind)
      counters_add(sums, r->list[k].ops->counters(r->list[k].state), words * sizeof *sums);
  return sums;
}

static energies_part network_part(const machine_run *r, uint32_t n) {
  const noc_stats net = schedule_network(r->schedule);
  return energies_network(n, net.on_chip_flits * r->config.network.on_chip_bits,
                          net.off_flits * r->config.network.off_chip_bits, &r->config);
}

static double energy_total(const machine_run *r) {
  double pj = 0;
  for (uint32_t p = 0; p < r->ops->n_parts; p++) {
    const node_kind *k = declared(r->ops, p);
    uint64_t *sums = sums_of(r, p);
    for (uint32_t n = 0; n < energies_count(k); n++)
      pj += 1e12 * energies_of(k, n, sums, &r->config).joules;
    free(sums);
  }
  for (uint32_t n = 0; n < ENERGIES_NETWORK; n++)
    pj += 1e12 * network_part(r, n).joules;
  return pj;
}

static void write_part(energies_part e, json_writer *j) {
  jw_number(j, e.name, "%.6g", 1e12 * e.joules);
}

static void write_sums(const machine_run *r, json_writer *j) {
  jw_object(j, "sums");
  for (uint32_t p = 0; p < r->ops->n_parts; p++) {
    uint64_t *sums = sums_of(r, p);
    jw_object(j, declared(r->ops, p)->name);
    counters_json(declared(r->ops, p), sums, j);
    jw_end(j);
    free(sums);
  }
  jw_end(j);
  jw_object(j, "energy_pj");
  for (uint32_t p = 0; p < r->ops->n_parts; p++) {
    const node_kind *k = declared(r->ops, p);
    uint64_t *sums = sums_of(r, p);
    jw_object(j, k->name);
    for (uint32_t n = 0; n < energies_count(k); n++)
      write_part(energies_of(k, n, sums, &r->config), j);
    jw_end(j);
    free(sums);
  }
  jw_object(j, "network");
  for (uint32_t n = 0; n < ENERGIES_NETWORK; n++)
    write_part(network_part(r, n), j);
  jw_end(j);
  jw_number(j, "total", "%.6g", energy_total(r));
  jw_end(j);
}

void machine_run_json(const machine_run *r, const build_info *b, FILE *to) {
  json_writer j = jw_to(to);
  const noc_stats net = schedule_network(r->schedule);
  jw_object(&j, NULL);
  jw_text(&j, "machine", r->ops->name);
  made_json(&r->config, b, &j);
  jw_count(&j, "cycles", schedule_cycle(r->schedule));
  jw_object(&j, "network");
  jw_count(&j, "requests", net.packets[NOC_REQUEST]);
  jw_count(&j, "responses", net.packets[NOC_RESPONSE]);
  jw_count(&j, "on_chip_flits", net.on_chip_flits);
  jw_count(&j, "off_chip_flits", net.off_flits);
  jw_count(&j, "on_chip_bits", r->config.network.on_chip_bits);
  jw_count(&j, "off_chip_bits", r->config.network.off_chip_bits);
  if (r->nodes > 1)
    schedule_links_json(r->schedule, &j);
  jw_end(&j);
  jw_object(&j, "results");
  r->ops->results(r->states, r->nodes, &j);
  jw_end(&j);
  write_sums(r, &j);
  jw_list(&j, "nodes");
  for (uint32_t k = 0; k < r->nodes; k++) {
    const node n = node_of(r, k);
    const node_kind *kind = n.ops->declares;
    jw_break(&j, 2);
    jw_object(&j, NULL);
    jw_text(&j, "kind", n.ops->kind);
    if (kind)
      counters_json(kind, n.ops->counters(n.state), &j);
    jw_end(&j);
  }
  jw_end(&j);
  jw_end(&j);
  fputc('\n', to);
}

typedef struct reporting {
  const node_kind *kind;
  const uint64_t *sums;
  FILE *to;
} reporting;

// A counter of a list once, as the sum of it.
static bool report(void *ctx, const char *path, const node_counter *c, uint32_t instance,
                   uint32_t word) {
  const reporting *x = ctx;
  char name[COUNTERS_PATH + 64];
  uint64_t sum;
  (void)c, (void)word;
  if (instance)
    return true;
  snprintf(name, sizeof name, "%s.%s", x->kind->name, path);
  counters_sum(x->kind, x->sums, path, strlen(path), &sum);
  fprintf(x->to, "%-20s %" PRIu64 "\n", name, sum);
  return true;
}

void machine_run_report(const machine_run *r, FILE *to) {
  fprintf(to, "%-20s %" PRIu64 "\n", "cycles", schedule_cycle(r->schedule));
  for (uint32_t p = 0; p < r->ops->n_parts; p++) {
    uint64_t *sums = sums_of(r, p);
    counters_each(declared(r->ops, p), report, &(reporting){declared(r->ops, p), sums, to});
    free(sums);
  }
  fprintf(to, "%-20s %.6g pJ\n", "energy", energy_total(r));
  json_writer j = jw_to(to);
  jw_object(&j, NULL);
  r->ops->results(r->states, r->nodes, &j);
  jw_end(&j);
  fputc('\n', to);
}

static bool print_counter(void *ctx, const char *path, const node_counter *c, uint32_t instance,
                          uint32_t word) {
  const reporting *x = ctx;
  (void)word;
  if (!instance)
    fprintf(x->to, "  counter  %s.%s: %s%s%s\n", x->kind->name, path, c->doc,
            c->energy ? "; costs " : "", c->energy ? c->energy : "");
  return true;
}

static void print_names(const char *before, const char *const *names, FILE *to) {
  for (uint32_t n = 0; n < NODE_VALUES && names[n]; n++)
    fprintf(to, "%s%s", n ? ", " : before, names[n]);
}

void machine_declared(const machine_ops *ops, FILE *to) {
  fprintf(to, "%s: %s\n", ops->name, ops->doc);
  for (size_t n = 0; ops->section && n < CONFIG_FIELDS; n++) {
    const config_field *f = &config_fields[n];
    if (strcmp(f->section, ops->section) == 0)
      fprintf(to, "  key      %s.%s: %s\n", f->section, f->key, f->doc);
  }
  for (uint32_t p = 0; p < ops->n_parts; p++) {
    const node_kind *k = declared(ops, p);
    fprintf(to, "  node     %s: %s\n", k->name, k->doc);
    counters_each(k, print_counter, &(reporting){k, NULL, to});
    for (uint32_t n = 0; n < k->n_energies; n++) {
      const node_energy *e = &k->energies[n];
      fprintf(to, "  energy   %s.%s: %s costs %s", k->name, e->name, e->events, e->key);
      if (e->share > 1)
        fprintf(to, " / %" PRIu32, e->share);
      fputc('\n', to);
    }
    for (uint32_t n = 0; n < k->n_standing; n++)
      fprintf(to, "  power    %s.%s: %" PRIu32 " of %s%s%s\n", k->name, k->standing[n].name,
              k->standing[n].count, k->standing[n].key, k->standing[n].per ? " * " : "",
              k->standing[n].per ? k->standing[n].per : "");
    for (uint32_t n = 0; n < k->n_layers; n++)
      fprintf(to, "  layer    %s.%s: %s, %s mm2%s%s\n", k->name, k->layers[n].name,
              k->layers[n].doc, k->layers[n].area, k->layers[n].per ? " * " : "",
              k->layers[n].per ? k->layers[n].per : "");
    for (uint32_t n = 0; n < k->n_events; n++) {
      const node_event_kind *e = &k->events[n];
      fprintf(to, "  event    %s.%s: %s", k->name, e->name, e->doc);
      print_names("; with ", e->values, to);
      print_names("; ends with ", e->results, to);
      fputc('\n', to);
    }
    for (uint32_t n = 0; n < k->n_area; n++)
      fprintf(to, "  area     %s: %" PRIu32 " of module %s\n", k->name, k->area[n].count,
              k->area[n].module);
  }
}

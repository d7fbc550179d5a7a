// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "harness/base/noc/noc_of.h"

struct machine_run {
  const machine_ops *ops;
  config config;
  uint32_t nodes;
  void *states[SCHEDULE_NODES];
  schedule *schedule;
  node list[SCHEDULE_NODES];
  schedule_watch watches[MACHINE_WATCHES];
  uint32_t n_watches;
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

// The key with the energy of an event. NULL: there is none of that name.
static const config_field *energy_key(const node_counter *c) {
  char section[64];
  const size_t n = strcspn(c->energy, ".");
  snprintf(section, sizeof section, "%.*s", (int)n, c->energy);
  return c->energy[n] ? config_find(section, c->energy + n + 1) : NULL;
}

static bool check_keys(const machine_ops *ops, char *why, size_t why_bytes) {
  for (uint32_t p = 0; p < ops->n_parts; p++) {
    const node_kind *k = declared(ops, p);
    for (uint32_t n = 0; n < k->n_counters; n++)
      if (k->counters[n].energy && !energy_key(&k->counters[n])) {
        snprintf(why, why_bytes, "counter %s.%s: its energy is the key '%s', which does not exist",
                 k->name, k->counters[n].name, k->counters[n].energy);
        return false;
      }
  }
  return true;
}

static bool make_nodes(machine_run *r, lockstep_mode near, const noc_config *net, char *why,
                       size_t why_bytes) {
  machine_site site = {&r->config, near, net, 0, r->nodes};
  for (uint32_t k = 0; k < r->nodes; k++) {
    const machine_part *p = part_of(r->ops, k);
    site.index = k;
    snprintf(why, why_bytes, "out of memory");
    if (!(r->states[k] = calloc(1, p->bytes)) || !p->init(r->states[k], &site, why, why_bytes))
      return false;
    r->list[k] = node_of(r, k);
    schedule_place(r->schedule, k, r->list[k]);
  }
  return true;
}

machine_run *machine_run_new(const machine_ops *ops, const config *c, lockstep_mode near,
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
  if (ops->check(c, r->nodes, why, why_bytes) && check_keys(ops, why, why_bytes) &&
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
  if (o.end == SCHEDULE_DONE)
    return true;
  if (o.end == SCHEDULE_NO_MEMORY) {
    snprintf(why, why_bytes, "out of memory");
    return false;
  }
  const node n = node_of(r, o.node);
  const char *error = n.ops->error ? n.ops->error(n.state) : NULL;
  snprintf(why, why_bytes, "%s %" PRIu32 ", cycle %" PRIu64 ": %s", n.ops->kind, o.node,
           n.ops->cycle(n.state), error ? error : "it failed");
  return false;
}

// ---- what was counted

// pJ of an event of a counter; 0: it costs nothing.
static double price(const machine_run *r, const node_counter *c) {
  const config_field *f = c->energy ? energy_key(c) : NULL;
  const double unit = f && f->type == CONFIG_TYPE_DECIMAL ? CONFIG_DECIMALS : 1;
  return f ? (double)config_get(&r->config, f) / unit : 0;
}

// Of a counter of all nodes of a kind.
static uint64_t sum_of(const machine_run *r, const node_kind *kind, uint32_t counter) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < r->nodes; k++) {
    const node n = node_of(r, k);
    if (n.ops->declares == kind)
      sum += n.ops->counters(n.state)[counter];
  }
  return sum;
}

static double energy_of(const machine_run *r) {
  double pj = 0;
  for (uint32_t p = 0; p < r->ops->n_parts; p++) {
    const node_kind *k = declared(r->ops, p);
    for (uint32_t n = 0; n < k->n_counters; n++)
      pj += (double)sum_of(r, k, n) * price(r, &k->counters[n]);
  }
  return pj;
}

static void write_sums(const machine_run *r, json_writer *j) {
  jw_object(j, "sums");
  for (uint32_t p = 0; p < r->ops->n_parts; p++) {
    const node_kind *k = declared(r->ops, p);
    jw_object(j, k->name);
    for (uint32_t n = 0; n < k->n_counters; n++)
      jw_count(j, k->counters[n].name, sum_of(r, k, n));
    jw_end(j);
  }
  jw_end(j);
  jw_object(j, "energy_pj");
  for (uint32_t p = 0; p < r->ops->n_parts; p++) {
    const node_kind *k = declared(r->ops, p);
    jw_object(j, k->name);
    for (uint32_t n = 0; n < k->n_counters; n++)
      if (k->counters[n].energy)
        jw_number(j, k->counters[n].name, "%.6g",
                  (double)sum_of(r, k, n) * price(r, &k->counters[n]));
    jw_end(j);
  }
  jw_number(j, "total", "%.6g", energy_of(r));
  jw_end(j);
}

static void write_configuration(const machine_run *r, json_writer *j) {
  char text[32];
  const char *section = "";
  jw_object(j, "configuration");
  for (size_t n = 0; n < CONFIG_FIELDS; n++) {
    const config_field *f = &config_fields[n];
    if (strcmp(section, f->section) != 0) {
      if (*section)
        jw_end(j);
      jw_object(j, section = f->section);
    }
    jw_text(j, f->key, config_text(&r->config, f, text, sizeof text));
  }
  jw_end(j);
  jw_end(j);
}

void machine_run_json(const machine_run *r, FILE *to) {
  json_writer j = jw_to(to);
  const noc_stats net = schedule_network(r->schedule);
  jw_object(&j, NULL);
  jw_text(&j, "machine", r->ops->name);
  write_configuration(r, &j);
  jw_count(&j, "cycles", schedule_cycle(r->schedule));
  jw_object(&j, "network");
  jw_count(&j, "requests", net.packets[NOC_REQUEST]);
  jw_count(&j, "responses", net.packets[NOC_RESPONSE]);
  jw_count(&j, "on_chip_flits", net.on_chip_flits);
  jw_count(&j, "off_chip_flits", net.off_flits);
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
    for (uint32_t c = 0; kind && c < kind->n_counters; c++)
      jw_count(&j, kind->counters[c].name, n.ops->counters(n.state)[c]);
    jw_end(&j);
  }
  jw_end(&j);
  jw_end(&j);
  fputc('\n', to);
}

void machine_run_report(const machine_run *r, FILE *to) {
  fprintf(to, "%-20s %" PRIu64 "\n", "cycles", schedule_cycle(r->schedule));
  for (uint32_t p = 0; p < r->ops->n_parts; p++) {
    const node_kind *k = declared(r->ops, p);
    for (uint32_t n = 0; n < k->n_counters; n++) {
      char name[128];
      snprintf(name, sizeof name, "%s.%s", k->name, k->counters[n].name);
      fprintf(to, "%-20s %" PRIu64 "\n", name, sum_of(r, k, n));
    }
  }
  fprintf(to, "%-20s %.6g pJ\n", "energy", energy_of(r));
  json_writer j = jw_to(to);
  jw_object(&j, NULL);
  r->ops->results(r->states, r->nodes, &j);
  jw_end(&j);
  fputc('\n', to);
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
    for (uint32_t n = 0; n < k->n_counters; n++) {
      const node_counter *c = &k->counters[n];
      fprintf(to, "  counter  %s.%s: %s%s%s\n", k->name, c->name, c->doc,
              c->energy ? "; costs " : "", c->energy ? c->energy : "");
    }
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

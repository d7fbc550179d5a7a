// SPDX-License-Identifier: Apache-2.0
#include "energy.h"

#include <assert.h>
#include <string.h>

static const char last_group[] = "rest";  // behind all others

double energy_paper(const char *group) {
  static const struct {
    const char *group;
    double percent;
  } all[] = {{"ALU", 39.82}, {"OPC+RF", 15.47}, {"DRAM", 16.42},
             {"TSV", 16.79}, {"Network", 4.43}, {last_group, 7.07}};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (!strcmp(group, all[k].group))
      return all[k].percent;
  return 0;
}

// ---- parts, by groups

static void add_group(energy_report *to, const char *name) {
  for (unsigned g = 0; g < to->n_groups; g++)
    if (!strcmp(to->group_names[g], name))
      return;
  assert(to->n_groups < ENERGY_GROUPS);
  to->group_names[to->n_groups++] = name;
}

static const char *base_die(const stats_file *s) {
  for (uint32_t k = 0; k < s->n_kinds; k++)
    if (s->kinds[k]->n_layers)
      return s->kinds[k]->layers[s->kinds[k]->n_layers - 1].name;
  return NULL;
}

// All parts: those of the nodes, and of the network.
typedef void take(energy_report *to, const energies_part *p);
static void each_part(const stats_file *s, const config *c, energy_report *to, take *what) {
  for (uint32_t k = 0; k < s->n_kinds; k++)
    for (uint32_t n = 0; n < energies_count(s->kinds[k]); n++) {
      const energies_part p = energies_of(s->kinds[k], n, stats_sums(s, k), c);
      what(to, &p);
    }
  const run_stats *r = &s->run;
  for (uint32_t n = 0; n < ENERGIES_NETWORK; n++) {
    energies_part p = energies_network(n, r->on_chip_flits * r->on_chip_bits,
                                       r->off_chip_flits * r->off_chip_bits, c);
    p.layer = base_die(s);
    what(to, &p);
  }
}

static void note_group(energy_report *to, const energies_part *p) {
  if (strcmp(p->group, last_group) != 0)
    add_group(to, p->group);
}
static void note_last(energy_report *to, const energies_part *p) {
  add_group(to, p->group);
}

static void add_part(energy_report *to, const energies_part *p) {
  unsigned g = 0;
  while (strcmp(to->group_names[g], p->group) != 0)
    g++;
  unsigned at = to->n_parts++;
  assert(at < ENERGY_PARTS);
  for (; at && to->parts[at - 1].group > g; at--)
    to->parts[at] = to->parts[at - 1];
  to->parts[at] = (energy_part){g, *p};
  to->group[g] += p->joules;
  to->total += p->joules;
  if (strcmp(p->constant, "dram_refresh") == 0)
    to->refresh += p->joules;
}

static void add_idle(const stats_file *s, const config *c, energy_report *to) {
  for (uint32_t k = 0; k < s->n_kinds; k++) {
    const node_kind *kind = s->kinds[k];
    const double nodes = (double)(s->machine ? s->nodes[k] : s->run.cores);
    for (uint32_t n = 0; n < kind->n_standing; n++) {
      const node_standing *x = &kind->standing[n];
      const char *key = strncmp(x->key, "energy.", 7) == 0 ? x->key + 7 : x->key;
      assert(to->n_idle < ENERGY_IDLE);
      energy_idle *i = &to->idle[to->n_idle++];
      *i = (energy_idle){x->name, x->doc, key, 0};
      i->joules = energies_standing(kind, n, stats_sums(s, k), nodes, c) * 1e-3 * to->seconds;
      to->idle_joules += i->joules;
    }
  }
}

// ---- layers

static void add_layer(energy_report *to, const node_layer *l, energies_dies d, double nodes,
                      double standing) {
  double joules = standing;
  for (unsigned k = 0; k < to->n_parts; k++)
    if (to->parts[k].is.layer && !strcmp(to->parts[k].is.layer, l->name))
      joules += to->parts[k].is.joules;
  assert(to->n_layers < ENERGY_LAYERS);
  energy_layer *x = &to->layers[to->n_layers++];
  *x = (energy_layer){l->name, l->doc, d.count / nodes, joules / to->seconds, 0};
  x->density = d.count * d.mm2 > 0 ? 1e3 * x->watts / (d.count * d.mm2) : 0;
  to->density += x->count * x->density;
}

// Each kind's, with the standing power of its nodes.
static void add_layers(const stats_file *s, const config *c, energy_report *to) {
  for (uint32_t k = 0; k < s->n_kinds; k++) {
    const node_kind *kind = s->kinds[k];
    const double nodes = (double)(s->machine ? s->nodes[k] : s->run.cores);
    double standing = 0, dies = 0;
    for (uint32_t n = 0; n < kind->n_standing; n++)
      standing += energies_standing(kind, n, stats_sums(s, k), nodes, c) * 1e-3 * to->seconds;
    for (uint32_t n = 0; n + 1 < kind->n_layers; n++)
      dies += energies_layer(kind, n, stats_sums(s, k), nodes, c).count;
    for (uint32_t n = 0; n < kind->n_layers; n++) {
      const energies_dies d = energies_layer(kind, n, stats_sums(s, k), nodes, c);
      add_layer(to, &kind->layers[n], d, nodes,
                n + 1 < kind->n_layers ? standing * d.count / dies : 0);
    }
  }
}

// ---- a report

static uint64_t nodes_of(const stats_file *s) {
  uint64_t n = s->machine ? 0 : s->run.cores;
  for (uint32_t k = 0; s->machine && k < s->n_kinds; k++)
    n += s->nodes[k];
  return n;
}

void energy_of(const stats_file *s, const char *file, const config *constants, energy_report *to) {
  const config paper = config_default();
  *to =
      (energy_report){.file = file,
                      .program = s->program,
                      .end = s->end,
                      .machine = s->machine,
                      .cycles = s->machine ? s->run.cycles : s->core.cycles + s->core.cycles_drain,
                      .cores = nodes_of(s),
                      .per_processor = paper.machine.cores};
  to->seconds = (double)to->cycles / (1e6 * paper.machine.core_mhz);
  each_part(s, constants, to, note_group);
  each_part(s, constants, to, note_last);
  each_part(s, constants, to, add_part);
  add_idle(s, constants, to);
  if (!to->cycles || !to->cores)
    return;
  to->watts = to->total / to->seconds;
  to->idle_watts = to->idle_joules / to->seconds;
  to->refresh_watts = to->refresh / to->seconds;
  to->processor = (to->watts + to->idle_watts) / (double)to->cores * to->per_processor;
  add_layers(s, constants, to);
  if (!to->n_layers && constants->energy.footprint > 0)
    to->density = 1e3 * to->processor / constants->energy.footprint;
}

energy_mean energy_mean_of(const energy_report *all, size_t count) {
  energy_mean m = {0};
  for (size_t k = 0; k < count; k++) {
    const energy_report *r = &all[k];
    for (unsigned g = 0; g < r->n_groups; g++)
      m.percent[g] += r->total > 0 ? 100 * r->group[g] / r->total / (double)count : 0;
    m.processor += r->processor / (double)count;
    m.density += r->density / (double)count;
  }
  return m;
}

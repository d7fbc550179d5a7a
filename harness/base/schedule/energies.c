// SPDX-License-Identifier: Apache-2.0
#include "energies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- keys

static const config_field *field_of(const char *key) {
  char section[64];
  const size_t n = strcspn(key, ".");
  snprintf(section, sizeof section, "%.*s", (int)n, key);
  return key[n] ? config_find(section, key + n + 1) : NULL;
}

static double value_of(const char *key, const config *c) {
  const config_field *f = field_of(key);
  const double unit = f && f->type == CONFIG_TYPE_DECIMAL ? CONFIG_DECIMALS : 1;
  return f ? (double)config_get(c, f) / unit : 0;
}

static const char *short_name(const char *key) {
  return strncmp(key, "energy.", 7) == 0 ? key + 7 : key;
}

// ---- events: "2*nbus.lsux + core.served"

static bool sum_of(const node_kind *k, const char *events, const uint64_t *words, uint64_t *sum) {
  *sum = 0;
  for (const char *at = events; *at; at += strspn(at, " +")) {
    char *end;
    uint64_t factor = 1, counted;
    if (*at >= '0' && *at <= '9') {
      factor = strtoull(at, &end, 10);
      at = end + (*end == '*');
    }
    const size_t length = strcspn(at, " +");
    if (!counters_sum(k, words, at, length, &counted))
      return false;
    *sum += factor * counted;
    at += length;
  }
  return true;
}

// ---- parts

static uint32_t n_keyed(const node_kind *k) {
  uint32_t n = 0;
  for (uint32_t c = 0; c < k->n_counters; c++)
    n += k->counters[c].energy != NULL;
  return n;
}

uint32_t energies_count(const node_kind *k) {
  return n_keyed(k) + k->n_energies;
}

// A counter with a key is declared like this.
static node_energy declared(const node_kind *k, uint32_t n) {
  for (uint32_t c = 0; c < k->n_counters; c++) {
    const node_counter *x = &k->counters[c];
    if (x->energy && n-- == 0)
      return (node_energy){k->name, x->name, x->energy, 1, "events", x->name, NULL};
  }
  return k->energies[n];
}

energies_part energies_of(const node_kind *k, uint32_t n, const uint64_t *sums, const config *c) {
  const node_energy e = declared(k, n);
  energies_part p = {e.group, e.name, short_name(e.key), e.unit, e.layer, 0, 0, 0};
  sum_of(k, e.events, sums, &p.events);
  p.pj = value_of(e.key, c) / e.share;
  p.joules = 1e-12 * p.pj * (double)p.events;
  return p;
}

// What `per` counts, or how many nodes there are.
static double times_of(const node_kind *k, const char *per, const uint64_t *sums, double nodes) {
  uint64_t times;
  return per && sum_of(k, per, sums, &times) ? (double)times : nodes;
}

double energies_standing(const node_kind *k, uint32_t n, const uint64_t *sums, double nodes,
                         const config *c) {
  const node_standing *s = &k->standing[n];
  return value_of(s->key, c) * s->count * times_of(k, s->per, sums, nodes);
}

energies_dies energies_layer(const node_kind *k, uint32_t n, const uint64_t *sums, double nodes,
                             const config *c) {
  const node_layer *l = &k->layers[n];
  return (energies_dies){times_of(k, l->per, sums, nodes), value_of(l->area, c)};
}

energies_part energies_network(uint32_t n, uint64_t on_chip_bits, uint64_t off_chip_bits,
                               const config *c) {
  const energies_part all[ENERGIES_NETWORK] = {
      {"Network", "on_chip_links", "on_chip_bit", "bits", NULL, on_chip_bits, 0, 0},
      {"Network", "off_chip_links", "off_chip_bit", "bits", NULL, off_chip_bits, 0, 0},
      {"Network", "routers", "router_bit", "bits", NULL, on_chip_bits + off_chip_bits, 0, 0}};
  const double pj[ENERGIES_NETWORK] = {c->energy.on_chip_bit, c->energy.off_chip_bit,
                                       c->energy.router_bit};
  energies_part p = all[n];
  p.pj = pj[n];
  p.joules = 1e-12 * p.pj * (double)p.events;
  return p;
}

// ---- what is wrong with a declaration

static bool no_key(const node_kind *k, const char *name, const char *key, char *why,
                   size_t why_bytes) {
  snprintf(why, why_bytes, "counter %s.%s: its energy is the key '%s', which does not exist",
           k->name, name, key);
  return false;
}

static bool no_sum(const node_kind *k, const char *name, const char *events, char *why,
                   size_t why_bytes) {
  snprintf(why, why_bytes, "energy %s.%s: '%s' is not a sum of its counters", k->name, name,
           events);
  return false;
}

static bool has_layer(const node_kind *k, const char *name) {
  for (uint32_t n = 0; name && n < k->n_layers; n++)
    if (strcmp(k->layers[n].name, name) == 0)
      return true;
  return false;
}

static bool check_layers(const node_kind *k, const uint64_t *none, char *why, size_t why_bytes) {
  uint64_t sum;
  for (uint32_t n = 0; n < k->n_layers; n++) {
    const node_layer *l = &k->layers[n];
    const int at = snprintf(why, why_bytes, "layer %s.%s: ", k->name, l->name);
    if (!field_of(l->area)) {
      snprintf(why + at, why_bytes - (size_t)at, "its area is the key '%s', which does not exist",
               l->area);
      return false;
    }
    if (l->per && !sum_of(k, l->per, none, &sum)) {
      snprintf(why + at, why_bytes - (size_t)at, "'%s' is not a sum of its counters", l->per);
      return false;
    }
  }
  for (uint32_t n = 0; k->n_layers && n < energies_count(k); n++) {
    const node_energy e = declared(k, n);
    if (!has_layer(k, e.layer)) {
      snprintf(why, why_bytes, "energy %s.%s: '%s' is not a layer of the node", k->name, e.name,
               e.layer ? e.layer : "");
      return false;
    }
  }
  return true;
}

// A counter of a group whose key nobody would look at.
static bool find_grouped(void *ctx, const char *path, const node_counter *c, uint32_t instance,
                         uint32_t word) {
  (void)instance, (void)word;
  if (c->energy && strchr(path, '.'))
    snprintf(ctx, COUNTERS_PATH, "%s", path);
  return !*(char *)ctx;
}

bool energies_check(const node_kind *k, char *why, size_t why_bytes) {
  const uint32_t words = counters_words(k);
  uint64_t *none = calloc(words + 1, sizeof *none), sum;
  bool good = none;
  if (!none)
    snprintf(why, why_bytes, "out of memory");
  for (uint32_t n = 0; good && n < energies_count(k); n++) {
    const node_energy e = declared(k, n);
    if (!field_of(e.key)) {
      good = no_key(k, e.name, e.key, why, why_bytes);
    } else if (!e.share || !sum_of(k, e.events, none, &sum)) {
      good = no_sum(k, e.name, e.events, why, why_bytes);
    }
  }
  char grouped[COUNTERS_PATH] = "";
  counters_each(k, find_grouped, grouped);
  if (good && *grouped) {
    snprintf(why, why_bytes, "counter %s.%s: its energy belongs in the energies of the node",
             k->name, grouped);
    good = false;
  }
  for (uint32_t n = 0; good && n < k->n_standing; n++) {
    const node_standing *s = &k->standing[n];
    if (!field_of(s->key))
      good = no_key(k, s->name, s->key, why, why_bytes);
    else if (s->per && !sum_of(k, s->per, none, &sum))
      good = no_sum(k, s->name, s->per, why, why_bytes);
  }
  good = good && check_layers(k, none, why, why_bytes);
  free(none);
  return good;
}

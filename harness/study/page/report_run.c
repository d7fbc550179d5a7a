// SPDX-License-Identifier: Apache-2.0
// The report of a run: its sections in their order, and what they read of the statistics.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/config/config.h"
#include "report_priv.h"

// ---- numbers

static bool add(const tree *t, const char *path, double *sum) {
  if (t->kind == TREE_LIST) {
    bool any = false;
    for (const tree *c = t->first; c; c = c->next)
      any |= add(c, path, sum);
    return any;
  }
  if (!*path) {
    if (t->kind == TREE_NUMBER)
      *sum += t->number;
    return t->kind == TREE_NUMBER;
  }
  const size_t n = strcspn(path, ".");
  for (const tree *c = t->kind == TREE_MAP ? t->first : NULL; c; c = c->next)
    if (strncmp(c->key, path, n) == 0 && !c->key[n])
      return add(c, path[n] ? path + n + 1 : "", sum);
  return false;
}

double report_sum(const tree *t, const char *path) {
  double sum = 0;
  return t && add(t, path, &sum) ? sum : NAN;
}

double report_key(const report *r, const char *path) {
  return tree_number(tree_at(r->settings, path), NAN);
}

const tree *report_core(const report *r, size_t n) {
  if (!r->each)
    return n ? NULL : r->core;
  const tree *c = r->each->first;
  while (c && n--)
    c = c->next;
  return c;
}

double report_percent(double part, double of) {
  return of > 0 ? 100 * part / of : NAN;
}

void report_shares(const double *parts, size_t n, double *to) {
  double sum = 0;
  for (size_t k = 0; k < n; k++)
    sum += parts[k];
  long left = sum > 0 ? 1000 : 0;
  for (size_t k = 0; k < n; k++) {
    to[k] = sum > 0 ? floor(1000 * parts[k] / sum) : 0;
    left -= (long)to[k];
  }
  // what rounding took goes to those that lost the most
  for (; left > 0; left--) {
    size_t most = 0;
    double lost = -1;
    for (size_t k = 0; k < n; k++) {
      const double l = 1000 * parts[k] / sum - to[k];
      if (l > lost)
        most = k, lost = l;
    }
    to[most]++;
  }
  for (size_t k = 0; k < n; k++)
    to[k] /= 10;
}

// ---- the run

static bool whole(double v, double most) {
  return v >= 1 && v <= most && v == floor(v);
}

// Cores that can be: so many of each processor.
static bool has_cores(const tree *run, char *why, size_t bytes) {
  const double cores = tree_number(tree_in(run, "cores"), 1);
  const double processors = tree_number(tree_in(run, "processors"), 1);
  if (whole(cores, REPORT_CORES) && whole(processors, cores) && fmod(cores, processors) == 0)
    return true;
  snprintf(why, bytes, "is damaged: it cannot have %g cores of %g processors", cores, processors);
  return false;
}

bool report_can(const tree *run, char *why, size_t bytes) {
  const bool nodes = tree_in(run, "machine") && tree_in(run, "sums");
  const tree *devices = tree_in(run, "devices");
  if (!nodes && !(tree_in(run, "program") && tree_in(run, "launches"))) {
    snprintf(why, bytes,
             "is not the statistics of a run; they come from mpu run --stats FILE or "
             "mpu machine --stats FILE");
    return false;
  }
  for (const tree *d = devices ? devices->first : NULL; d; d = d->next)
    if (!has_cores(d, why, bytes))
      return false;
  return nodes || has_cores(run, why, bytes);
}

const char *report_name(const tree *run) {
  return tree_text(tree_in(run, "program"), tree_text(tree_in(run, "machine"), "run"));
}

config report_constants(const tree *run) {
  config c = config_default();
  char why[CONFIG_WHY];
  for (size_t k = 0; k < CONFIG_FIELDS; k++) {
    const config_field *f = &config_fields[k];
    const tree *value = tree_in(tree_in(tree_in(run, "configuration"), f->section), f->key);
    config changed = c;
    if (value && value->text && config_set(&changed, f, value->text, why, sizeof why))
      c = changed;
  }
  return c;
}

void report_section(const report *r, const char *id, const char *heading) {
  char name[REPORT_ID], text[128];
  if (r->before) {
    snprintf(name, sizeof name, "%.20s-before", id);
    snprintf(text, sizeof text, "%.80s, before", heading);
    page_section(r->p, name, text);
    return;
  }
  if (r->device < 0) {
    page_section(r->p, id, heading);
    return;
  }
  snprintf(name, sizeof name, "%.20s-%d", id, r->device);
  snprintf(text, sizeof text, "%.80s, device %d", heading, r->device);
  page_section(r->p, name, text);
}

void report_lacks(const report *r, const char *text) {
  report_lacking *l = r->lacking;
  for (size_t k = 0; k < l->n; k++)
    if (strcmp(l->texts[k], text) == 0)
      return;
  if (l->n < REPORT_LACKS)
    l->texts[l->n++] = text;
}

static void put_lacking(const report *r) {
  if (!r->lacking->n)
    return;
  page_section(r->p, "missing", "What is missing");
  for (size_t k = 0; k < r->lacking->n; k++)
    page_missing(r->p, "%s", r->lacking->texts[k]);
}

// ---- the page

static report report_of(page *p, const report_input *in, const tree *run, int device,
                        report_lacking *lacking) {
  report r = {.p = p,
              .in = in,
              .run = run,
              .settings = tree_in(run == in->before ? run : in->run, "configuration"),
              .core = tree_in(run, "core"),
              .each = tree_in(run, "each"),
              .device = device,
              .before = run == in->before,
              .lacking = lacking};
  r.cores = tree_number(tree_in(run, "cores"), 1);
  r.processors = tree_number(tree_in(run, "processors"), 1);
  r.cycles = tree_number(tree_in(run, "cycles"), NAN);
  if (r.each && (r.each->kind != TREE_LIST || (double)r.each->n != r.cores))
    r.each = NULL;
  return r;
}

static void put_maps(const report *r) {
  report_maps(r);
  if (r->cores > 1)
    report_network(r);
}

// With the run before behind it, in the same colours.
static void put_where(report *r) {
  if (!r->in->before) {
    put_maps(r);
    return;
  }
  report before = report_of(r->p, r->in, r->in->before, -1, r->lacking);
  r->beside = &before, before.beside = r;
  put_maps(r);
  put_maps(&before);
  r->beside = NULL;
}

static void put_cycles(report *r) {
  report_bounds(r);
  report_cycles(r);
  report_traffic(r);
  if (r->device < 0)
    report_energy(r);
  put_where(r);
  report_latencies(r);
  report_arrays(r);
}

page *report_page(const report_input *in) {
  const tree *devices = tree_in(in->run, "devices");
  const bool nodes = tree_in(in->run, "machine") != NULL;
  page *p = page_new(report_name(in->run),
                     nodes ? "Report of a run of a machine of nodes" : "Report of a run");
  report_lacking lacking = {.n = 0};
  report r = report_of(p, in, in->run, -1, &lacking);
  report_head(&r);
  if (nodes) {
    report_nodes(&r);
    report_energy(&r);
  } else if (devices) {
    int n = 0;
    for (const tree *d = devices->first; d; d = d->next) {
      report one = report_of(p, in, d, n++, &lacking);
      put_cycles(&one);
    }
    report_energy(&r);
  } else if (r.core) {
    put_cycles(&r);
  } else {
    page_missing(p,
                 "This run was executed without cycles (--near=none): only what it computed is "
                 "known. Run it "
                 "with --near=c to see where its cycles went.");
    if (tree_in(in->run, "arrays"))
      report_arrays(&r);
  }
  if (!nodes) {
    report_time(&r);
    report_lines(&r);
  }
  report_settings(&r);
  put_lacking(&r);
  return p;
}

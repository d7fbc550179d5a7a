// SPDX-License-Identifier: Apache-2.0
// Energy reports as text, CSV and JSON; the constants.
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "energy.h"
#include "harness/base/json.h"

static double percent(double x, double of) {
  return of > 0 ? 100 * x / of : 0;
}

typedef struct unit {
  double joules;
  const char *name;
} unit;

static unit unit_of(double joules) {
  static const unit all[] = {{1, "J"}, {1e-3, "mJ"}, {1e-6, "uJ"}, {1e-9, "nJ"}};
  unsigned k = 0;
  while (k < 3 && joules < all[k].joules)
    k++;
  return all[k];
}

// "25.832 uJ"
static const char *joules(double j, char to[24]) {
  const unit u = unit_of(j);
  snprintf(to, 24, "%.3f %s", j / u.joules, u.name);
  return to;
}

static bool ended_early(const energy_report *r) {
  return *r->end && strcmp(r->end, "done") != 0;
}

// ---- one run

static void print_parts(const energy_report *r, FILE *to) {
  const unit u = unit_of(r->total);
  fprintf(to, "\n%-18s %16s %-14s %11s %12s %7s\n", "component", "events", "", "pJ each", u.name,
          "%");
  for (unsigned g = 0; g < r->n_groups; g++) {
    fprintf(to, "%-62s %12.3f %7.2f\n", r->group_names[g], r->group[g] / u.joules,
            percent(r->group[g], r->total));
    for (unsigned k = 0; k < r->n_parts; k++) {
      const energies_part *p = &r->parts[k].is;
      if (r->parts[k].group == g && p->events)
        fprintf(to, "  %-16s %16" PRIu64 " %-14s %11.3f %12.3f %7.2f\n", p->name, p->events,
                p->unit, p->pj, p->joules / u.joules, percent(p->joules, r->total));
    }
  }
  fprintf(to, "%-62s %12.3f %7.2f\n", "all", r->total / u.joules, r->total > 0 ? 100.0 : 0);
}

static void print_breakdown(const energy_report *r, FILE *to) {
  if (r->machine)  // the paper has no such figure of it
    return;
  fprintf(to, "\n%-18s %7s %9s\n", "breakdown", "%", "Fig. 10");
  for (unsigned g = 0; g < r->n_groups; g++)
    fprintf(to, "%-18s %7.2f %9.2f\n", r->group_names[g], percent(r->group[g], r->total),
            energy_paper(r->group_names[g]));
}

static void print_limit(const energy_report *r, const char *name, double limit, FILE *to) {
  fprintf(to, "  %-16s %10.0f mW/mm2: %.1f %% of it\n", name, limit, percent(r->density, limit));
}

static void print_layers(const energy_report *r, const config *c, FILE *to) {
  if (!r->n_layers)
    return;
  fprintf(to, "\n%-18s %10s %10s %10s\n", "layer", "of a node", "W", "mW/mm2");
  for (unsigned k = 0; k < r->n_layers; k++)
    fprintf(to, "%-18s %10.4g %10.4f %10.2f  %s\n", r->layers[k].name, r->layers[k].count,
            r->layers[k].watts, r->layers[k].density, r->layers[k].doc);
  fprintf(to, "%-18s %10s %10.4f %10.2f\n", "all", "", r->watts + r->idle_watts, r->density);
  print_limit(r, "commodity server", c->energy.cooling_commodity, to);
  print_limit(r, "high-end server", c->energy.cooling_high_end, to);
}

static void print_power(const energy_report *r, const config *c, FILE *to) {
  char text[24];
  if (r->n_idle)
    fprintf(to, "\nidle, in addition  %s", joules(r->idle_joules, text));
  for (unsigned k = 0; k < r->n_idle;) {  // those of one kind behind one another as one
    const char *doc = r->idle[k].doc, *before = k ? "," : ":";
    double sum = 0;
    for (; k < r->n_idle && !strcmp(doc, r->idle[k].doc); k++)
      sum += r->idle[k].joules;
    fprintf(to, "%s %s %s", before, doc, joules(sum, text));
  }
  fputc('\n', to);
  if (!r->cycles)
    return;
  fprintf(
      to,
      "power              %.4f W over the run, including refresh %.4f; idle, in addition, %.4f\n",
      r->watts, r->refresh_watts, r->idle_watts);
  if (r->machine) {
    print_layers(r, c, to);
    return;
  }
  fprintf(to,
          "a processor        %.2f W: %u cores like %s\n"
          "density            %.1f mW/mm2 of %.2f mm2\n",
          r->processor, r->per_processor, r->cores == 1 ? "this one" : "the mean of these",
          r->density, c->energy.footprint);
  print_limit(r, "commodity server", c->energy.cooling_commodity, to);
  print_limit(r, "high-end server", c->energy.cooling_high_end, to);
}

void energy_print(const energy_report *r, const config *c, FILE *to) {
  char text[24];
  fprintf(to, "%s: %s in %" PRIu64 " cycles (%.3f us), %" PRIu64 " %s%s\n", r->program,
          joules(r->total, text), r->cycles, 1e6 * r->seconds, r->cores,
          r->machine ? "node" : "core", r->cores == 1 ? "" : "s");
  if (ended_early(r))
    fprintf(to, "the run ended early (%s): energy up to that point\n", r->end);
  print_parts(r, to);
  print_breakdown(r, to);
  print_power(r, c, to);
}

// ---- several

static void print_row(const char *name, const double share[ENERGY_GROUPS], unsigned groups,
                      FILE *to) {
  fprintf(to, "%-12s", name);
  for (unsigned g = 0; g < groups; g++)
    fprintf(to, " %7.2f", share[g]);
}

void energy_print_rows(const energy_report *all, size_t count, const config *c, FILE *to) {
  char text[24];
  fprintf(to, "%-12s", "% of");
  const unsigned groups = all->n_groups;
  for (unsigned g = 0; g < groups; g++)
    fprintf(to, " %7s", all->group_names[g]);
  fprintf(to, " %14s %10s %12s\n", "energy", "W a proc.", "mW/mm2");
  for (size_t k = 0; k < count; k++) {
    const energy_report *r = &all[k];
    double share[ENERGY_GROUPS];
    for (unsigned g = 0; g < groups; g++)
      share[g] = percent(r->group[g], r->total);
    print_row(r->program, share, groups, to);
    fprintf(to, " %14s %10.2f %12.1f%s\n", joules(r->total, text), r->processor, r->density,
            ended_early(r) ? "  ended early" : "");
  }
  const energy_mean m = energy_mean_of(all, count);
  print_row("mean", m.percent, groups, to);
  fprintf(to, " %14s %10.2f %12.1f\n", "", m.processor, m.density);
  if (all->machine)
    return;
  double paper[ENERGY_GROUPS];
  for (unsigned g = 0; g < groups; g++)
    paper[g] = energy_paper(all->group_names[g]);
  print_row("Fig. 10", paper, groups, to);
  fprintf(to, "\n\ncooling allows %.0f mW/mm2 in a commodity server, %.0f in a high-end one\n",
          c->energy.cooling_commodity, c->energy.cooling_high_end);
}

// ---- for other programs

static void csv_text(const char *s, FILE *to) {
  fputc('"', to);
  for (; *s; s++) {
    if (*s == '"')
      fputc('"', to);
    fputc(*s, to);
  }
  fputc('"', to);
}

void energy_print_csv(const energy_report *all, size_t count, FILE *to) {
  fputs("file,program,cycles,cores,group,component,constant,unit,events,pj_each,joules\n", to);
  for (size_t n = 0; n < count; n++) {
    const energy_report *r = &all[n];
    for (unsigned k = 0; k < r->n_parts + r->n_idle; k++) {
      csv_text(r->file, to), fputc(',', to), csv_text(r->program, to);
      fprintf(to, ",%" PRIu64 ",%" PRIu64 ",", r->cycles, r->cores);
      if (k < r->n_parts) {
        const energies_part *p = &r->parts[k].is;
        fprintf(to, "%s,%s,%s,\"%s\",%" PRIu64 ",%.9g,%.9g\n", p->group, p->name, p->constant,
                p->unit, p->events, p->pj, p->joules);
      } else {
        const energy_idle *i = &r->idle[k - r->n_parts];
        fprintf(to, "idle,%s,%s,,,,%.9g\n", i->name, i->constant, i->joules);
      }
    }
  }
}

static void json_run(const energy_report *r, json_writer *j) {
  jw_object(j, NULL);
  jw_text(j, "file", r->file);
  jw_text(j, "program", r->program);
  jw_text(j, "end", r->end);
  jw_count(j, "cycles", r->cycles);
  jw_count(j, "cores", r->cores);
  jw_number(j, "seconds", "%.9g", r->seconds);
  jw_number(j, "joules", "%.9g", r->total);
  jw_break(j, 4);
  jw_list(j, "parts");
  for (unsigned k = 0; k < r->n_parts; k++) {
    const energies_part *p = &r->parts[k].is;
    jw_break(j, 6);
    jw_object(j, NULL);
    jw_text(j, "group", p->group);
    jw_text(j, "component", p->name);
    jw_text(j, "constant", p->constant);
    jw_text(j, "unit", p->unit);
    jw_count(j, "events", p->events);
    jw_number(j, "pj_each", "%.9g", p->pj);
    jw_number(j, "joules", "%.9g", p->joules);
    jw_end(j);
  }
  jw_end(j);
  jw_break(j, 4);
  jw_object(j, "groups");
  for (unsigned g = 0; g < r->n_groups; g++) {
    jw_object(j, r->group_names[g]);
    jw_number(j, "joules", "%.9g", r->group[g]);
    jw_number(j, "percent", "%.9g", percent(r->group[g], r->total));
    if (!r->machine)
      jw_number(j, "paper", "%.4g", energy_paper(r->group_names[g]));
    jw_end(j);
  }
  jw_end(j);
  jw_break(j, 4);
  jw_object(j, "idle");
  for (unsigned k = 0; k < r->n_idle; k++)
    jw_number(j, r->idle[k].name, "%.9g", r->idle[k].joules);
  jw_end(j);
  jw_break(j, 4);
  if (r->n_layers) {
    jw_object(j, "layers");
    for (unsigned k = 0; k < r->n_layers; k++) {
      jw_object(j, r->layers[k].name);
      jw_number(j, "count", "%.9g", r->layers[k].count);
      jw_number(j, "watts", "%.9g", r->layers[k].watts);
      jw_number(j, "density", "%.9g", r->layers[k].density);
      jw_end(j);
    }
    jw_end(j);
    jw_break(j, 4);
  }
  jw_number(j, "watts", "%.9g", r->watts);
  jw_number(j, "refresh_watts", "%.9g", r->refresh_watts);
  jw_number(j, "idle_watts", "%.9g", r->idle_watts);
  jw_number(j, "processor_watts", "%.9g", r->processor);
  jw_number(j, "density", "%.9g", r->density);
  jw_end(j);
}

void energy_print_json(const energy_report *all, size_t count, const config *c, FILE *to) {
  const energy_mean m = energy_mean_of(all, count);
  json_writer j = jw_to(to);
  jw_object(&j, NULL);
  jw_list(&j, "runs");
  for (size_t n = 0; n < count; n++) {
    jw_break(&j, 2);
    json_run(&all[n], &j);
  }
  jw_end(&j);
  jw_break(&j, 2);
  jw_object(&j, "mean");
  for (unsigned g = 0; count && g < all->n_groups; g++)
    jw_number(&j, all->group_names[g], "%.9g", m.percent[g]);
  jw_number(&j, "processor_watts", "%.9g", m.processor);
  jw_number(&j, "density", "%.9g", m.density);
  jw_end(&j);
  jw_break(&j, 2);
  jw_object(&j, "constants");
#define ENERGY(name, value, unit, source, doc) jw_number(&j, #name, "%.9g", c->energy.name);
#include "harness/base/config/energy.def"
  jw_end(&j);
  jw_end(&j);
  fputc('\n', to);
}

// ---- constants

void energy_print_constants(const config *c, FILE *to) {
  char text[32];
#define ENERGY_GROUP(doc) fprintf(to, "%s:\n", doc);
#define ENERGY(name, value, unit, source, doc)      \
  fprintf(to, "  %-18s %12s %-7s %s (%s)\n", #name, \
          config_text(c, config_find("energy", #name), text, sizeof text), unit, doc, source);
#include "harness/base/config/energy.def"
}

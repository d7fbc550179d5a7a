// SPDX-License-Identifier: Apache-2.0
// The head of a report: what ran where, and what holds it.
#include <math.h>
#include <string.h>

#include "report_priv.h"

static const char *text_of(const report *r, const char *path) {
  const char *text = tree_text(tree_at(r->run, path), "");
  return *text ? text : "not known";
}

static const char *count(char to[PAGE_NUMBER], double value) {
  return page_number(to, value);
}

static void put_machine(const report *r) {
  char cores[PAGE_NUMBER], processors[PAGE_NUMBER];
  const tree *m = tree_in(r->run, "machine");
  if (m)
    page_fact(r->p, "Machine", "%s", tree_text(m, ""));
  else if (r->core)
    page_fact(r->p, "Machine", r->cores == 1 ? "one core" : "%s cores of %s processor%s",
              count(cores, r->cores), count(processors, r->processors),
              r->processors == 1 ? "" : "s");
  const char *near = tree_text(tree_in(r->run, "near"), "");
  if (*near)
    page_fact(r->p, "Near side", "%s",
              strcmp(near, "c") == 0     ? "C"
              : strcmp(near, "rtl") == 0 ? "Verilog"
                                         : "C and Verilog, in lockstep");
}

static void put_result(const report *r) {
  const char *result = tree_text(tree_in(r->run, "result"), ""), *end;
  if (*result)
    page_fact(r->p, "Result", "%s",
              strcmp(result, "pass") == 0   ? "its own check passed"
              : strcmp(result, "fail") == 0 ? "its own check failed"
                                            : "it checks nothing");
  end = tree_text(tree_in(r->run, "end"), "done");
  if (strcmp(end, "done") != 0)
    page_fact(r->p, "It ended early", "%s",
              strcmp(end, "fault") == 0    ? "with a fault, or at a limit: all is up to there"
              : strcmp(end, "differ") == 0 ? "models differ: all is up to there"
                                           : "it was interrupted: all is up to there");
}

static void put_times(const report *r) {
  char text[PAGE_NUMBER];
  if (!isfinite(r->cycles))
    return;
  page_fact(r->p, "Cycles", "%s", count(text, r->cycles));
  const double mhz = report_key(r, "machine.core_mhz");
  if (isfinite(mhz) && mhz > 0)
    page_fact(r->p, "Time", "%s us at %.0f MHz", count(text, r->cycles / mhz), mhz);
  const double drain = report_sum(r->core, "cycles_drain"),
               host = report_sum(r->run, "host_seconds");
  if (isfinite(drain) && drain > 0)
    page_fact(r->p, "Drain", "%s cycles after the last block of a launch", count(text, drain));
  if (isfinite(host))
    page_fact(r->p, "Time of the host", "%s s in kernels", count(text, host));
}

static void put_work(const report *r) {
  char text[PAGE_NUMBER];
  const double warps = report_sum(r->run, "warp_instructions");
  const double near = report_sum(r->run, "near_instructions");
  const double launches = report_sum(r->run, "launches");
  if (isfinite(launches))
    page_fact(r->p, "Launches", "%s", count(text, launches));
  if (isfinite(warps)) {
    if (isfinite(near) && warps > 0)
      page_fact(r->p, "Warp instructions", "%s, %.1f %% of them near the bank", count(text, warps),
                report_percent(near, warps));
    else
      page_fact(r->p, "Warp instructions", "%s", count(text, warps));
  }
  const double rate = warps / r->cycles;
  if (isfinite(rate))
    page_fact(r->p, "Rate", "%s warp instructions a cycle", count(text, rate));
}

// ---- what holds it

static const report_class *largest(const report_class *all, size_t n) {
  const report_class *most = NULL;
  for (size_t k = 0; k < n; k++)
    if (strcmp(all[k].name, "issue") != 0 && (!most || all[k].cycles > most->cycles))
      most = &all[k];
  return most;
}

static void put_verdict(const report *r) {
  report_bound bounds[REPORT_BOUNDS], *most = NULL;
  report_class classes[REPORT_CLASSES];
  report_bounds_of(r, bounds);
  for (size_t k = 0; k < REPORT_BOUNDS; k++)
    if (isfinite(bounds[k].cycles) && (!most || bounds[k].cycles > most->cycles))
      most = &bounds[k];
  const size_t n = report_classes(r, r->core, -1, classes);
  if (!most || !(r->cycles > 0) || !n)
    return;
  double all = 0;
  for (size_t k = 0; k < n; k++)
    all += classes[k].cycles;
  const report_class *wait = largest(classes, n);
  const double share = report_percent(most->cycles, r->cycles);
  const double waits = wait ? report_percent(wait->cycles, all) : NAN;
  if (share >= 75)
    page_claim(r->p, "The %s holds it: %s %.0f\u00a0%% of the cycles.", most->name, most->where,
               share);
  else if (share >= 40)
    page_claim(r->p,
               "The %s is nearest to its bound: %s %.0f\u00a0%% of the cycles. Subcores %s in "
               "%.0f\u00a0%% of "
               "theirs.",
               most->name, most->where, share, wait->doing, waits);
  else
    page_claim(
        r->p,
        "No part of the machine is near its bound: subcores %s in %.0f\u00a0%% of their cycles. "
        "The nearest is the %s: %s %.0f\u00a0%% of the cycles.",
        wait->doing, waits, most->name, most->where, share);
}

// Cores without a block, if there are any.
static void put_idle(const report *r) {
  size_t idle = 0, all = 0;
  for (const tree *c; (c = report_core(r, all)); all++)
    idle += report_sum(c, "blocks") == 0;
  if (idle)
    page_note(r->p, "%zu of %zu cores have no block to run.", idle, all);
}

void report_head(const report *r) {
  put_verdict(r);
  if (r->core)
    put_idle(r);
  page_facts_begin(r->p);
  if (!tree_in(r->run, "machine"))
    page_fact(r->p, "Program", "%s", report_name(r->run));
  put_result(r);
  put_machine(r);
  put_times(r);
  put_work(r);
  if (r->in->command)
    page_fact(r->p, "Command", "%s", r->in->command);
  if (r->in->started)
    page_fact(r->p, "Made", "%s on %s", r->in->started, r->in->host ? r->in->host : "some host");
  if (tree_in(r->run, "build"))
    page_fact(r->p, "Build", "release %s, commit %s", text_of(r, "build.release"),
              text_of(r, "build.commit"));
  if (tree_in(r->run, "configuration_hash"))
    page_fact(r->p, "Configuration", "%s", text_of(r, "configuration_hash"));
  if (tree_in(r->run, "memory_digest"))
    page_fact(r->p, "Memory at the end", "%s", text_of(r, "memory_digest"));
  page_facts_end(r->p);
}

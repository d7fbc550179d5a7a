// SPDX-License-Identifier: Apache-2.0
#include "postmortem_nodes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "harness/base/out_file.h"
#include "harness/inspect/wave/wave_nodes.h"
#include "snapshot.h"

enum { NAME = 1024 };

// What a copy is told.
typedef struct errand {
  uint64_t from, until;
  char file[NAME], scope[32];
} errand;

struct postmortem_nodes {
  postmortem_nodes_order order;
  machine_run *run;
  snapshots *copies;
  uint64_t taken;  // cycle of the newest copy
  errand errand;
  wave_nodes *waves;  // in a copy
};

// ---- in a copy that was woken

static void begin_waves(postmortem_nodes *p) {
  snapshot_answer a = {0};
  wave_nodes_config c = {.file = p->errand.file,
                         .scopes = p->errand.scope,
                         .from = p->errand.from,
                         .until = p->errand.until};
  machine_run_alone(p->run);
  c.nodes = machine_run_nodes(p->run, &c.count);
  p->waves = wave_nodes_new(&c, a.why, sizeof a.why);
  if (!p->waves)
    snapshots_answer(p->copies, &a);
  wave_nodes_window(p->waves, machine_run_cycles(p->run));
  machine_run_watch(
      p->run,
      &(schedule_watch){.ctx = p->waves, .cycles = wave_nodes_cycles, .window = wave_nodes_window});
}

static void come_back(postmortem_nodes *p) {
  const snapshot_answer a = {.ok = true, .waves = wave_nodes_close(p->waves, p->errand.until)};
  snapshots_answer(p->copies, &a);
}

// ---- looking on

static void take(postmortem_nodes *p, uint64_t cycle) {
  p->taken = cycle;
  if (snapshots_take(p->copies, cycle, &p->errand, sizeof p->errand))
    begin_waves(p);
}

static bool window(void *ctx, uint64_t until) {
  postmortem_nodes *p = ctx;
  if (until - p->taken > p->order.before && snapshots_is_time(p->copies))
    take(p, until);
  return false;
}

postmortem_nodes *postmortem_nodes_new(const postmortem_nodes_order *o, machine_run *r) {
  postmortem_nodes *p = calloc(1, sizeof *p);
  if (!p || !(p->copies = snapshots_new())) {
    free(p);
    return NULL;
  }
  p->order = *o, p->run = r;
  if (o->no_waves)
    return p;
  machine_run_watch(r, &(schedule_watch){.ctx = p, .window = window});
  take(p, machine_run_cycles(r));
  return p;
}

// ---- telling

static void write_waves(postmortem_nodes *p, const machine_failure *f, const char *file) {
  snapshot_answer a = {0};
  errand x = {.from = f->cycle > p->order.before ? f->cycle - p->order.before : 0,
              .until = f->cycle + 1};
  snprintf(x.file, sizeof x.file, "%s", file);
  snprintf(x.scope, sizeof x.scope, "%s%" PRIu32, f->of.ops->kind, f->node);
  fflush(NULL);
  if (!snapshots_wake(p->copies, x.from, &x, sizeof x, &a))
    fprintf(stderr, "mpu: no waves: no snapshot of the run from before cycle %" PRIu64 " is left\n",
            x.from);
  else if (!a.ok)
    fprintf(stderr, "mpu: no waves: %s\n", a.why);
  else if (a.waves.full)
    fprintf(stderr, "mpu: cannot write '%s': %s\n", file, a.waves.lost);
  else
    fprintf(stderr,
            "mpu: waves of %s %" PRIu32 ", cycles %" PRIu64 " to %" PRIu64
            ": %s, %.1f MB; look at them with: mpu waves %s\n",
            f->of.ops->kind, f->node, a.waves.first, a.waves.last, file,
            1e-6 * (double)a.waves.bytes, file);
}

static void write_text(const postmortem_nodes *p, const machine_failure *f, const char *file) {
  char name[NAME + 8];
  const size_t n = strlen(file);
  const bool fst = n > 4 && !strcmp(file + n - 4, ".fst");
  snprintf(name, sizeof name, "%.*s.txt", (int)(fst ? n - 4 : n), file);
  out_file *o = out_open(name);
  if (o) {
    fprintf(out_stream(o), "%s\n\n", f->why);
    p->order.describe(&f->of, out_stream(o));
  }
  if (o && out_close(o))
    fprintf(stderr, "mpu: the state of %s %" PRIu32 ": %s\n", f->of.ops->kind, f->node, name);
  else
    fprintf(stderr, "mpu: cannot write '%s'\n", name);
}

static void tell_again(const postmortem_nodes *p, const machine_failure *f) {
  const uint64_t from = f->cycle > p->order.before ? f->cycle - p->order.before : 0;
  fprintf(stderr, "mpu: to repeat it%s: %s", p->order.no_waves ? "" : " with waves",
          p->order.command);
  if (!p->order.no_waves)
    fprintf(stderr,
            " --wave again.fst --wave-window %" PRIu64 ":%" PRIu64 " --wave-scope %s%" PRIu32, from,
            f->cycle + 1, f->of.ops->kind, f->node);
  fputc('\n', stderr);
}

static const char *name_of(const machine_failure *f) {
  return f->stalled ? "deadlock.fst" : strstr(f->why, "Verilog") ? "mismatch.fst" : "violation.fst";
}

void postmortem_nodes_end(postmortem_nodes *p) {
  if (!p)
    return;
  if (p->waves)
    come_back(p);
  const machine_failure *f = machine_run_failure(p->run);
  const char *file = f && !p->order.file ? name_of(f) : p->order.file;
  if (f && p->order.describe)
    write_text(p, f, file);
  if (f && !p->order.no_waves)
    write_waves(p, f, file);
  if (f && p->order.command)
    tell_again(p, f);
  snapshots_free(p->copies);
  free(p);
}

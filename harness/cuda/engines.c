// SPDX-License-Identifier: Apache-2.0
#include "engines.h"

#include <stdlib.h>
#include "harness/inspect/timeline/timeline.h"
#include "harness/systemc/card/card.h"

typedef struct span {
  uint64_t begin, end;
} span;
typedef struct engine {
  span *spans;  // in which it is busy, one after the other
  size_t n, capacity;
  uint64_t busy;
} engine;

// In the order in which an operation needs them.
enum { DOWN, MACHINE, UP, ENGINES };
static engine engines[ENGINES];
static uint64_t kernels;  // ps of the machine

bool engines_run(const rt_context *c) {
  return c->timed && !c->target;
}

static uint64_t ps_of_cycles(uint64_t cycles) {
  return cycles * (1000000 / process.settings.machine.machine.core_mhz);
}

// As the engine of a card: so many bytes of each core a cycle.
static uint64_t cycles_within(const rt_context *c, uint64_t bytes, uint64_t of_core) {
  const uint64_t each = of_core * sim_cores(c->timed);
  return (bytes + each - 1) / each;
}

// Busy from the first free time behind `since` on.
static uint64_t occupy(engine *e, uint64_t since, uint64_t ps) {
  const span *last = e->n ? &e->spans[e->n - 1] : NULL;
  const uint64_t begin = last && last->end > since ? last->end : since;
  e->busy += ps;
  if (last && last->end == begin) {
    e->spans[e->n - 1].end += ps;
    return begin + ps;
  }
  if (e->n == e->capacity) {
    e->capacity = e->capacity ? 2 * e->capacity : 256;
    e->spans = realloc(e->spans, e->capacity * sizeof *e->spans);
    if (!e->spans)
      rt_wrong("out of host memory");
  }
  e->spans[e->n++] = (span){begin, begin + ps};
  return begin + ps;
}

static void draw(const rt_context *c, timeline_part x) {
  if (c->timeline && x.busy > x.begin)
    timeline_stream_part(c->timeline, &x);
}

static uint64_t transfer(const rt_context *c, uint32_t stream, unsigned of, uint64_t since,
                         uint64_t bytes) {
  const uint32_t mb =
      of == DOWN ? process.settings.machine.link.down : process.settings.machine.link.up;
  const uint64_t ps = card_link_time(bytes, mb);
  if (!bytes)
    return since;
  const uint64_t busy = occupy(&engines[of], since, ps),
                 end = busy + 1000ull * process.settings.machine.link.latency;
  draw(c, (timeline_part){.name = of == DOWN ? "copy to the device" : "copy to the host",
                          .stream = stream,
                          .engine = of,
                          .begin = busy - ps,
                          .busy = busy,
                          .end = end,
                          .bytes = bytes});
  return end;
}

// It begins at a full cycle.
static uint64_t execute(const rt_context *c, uint32_t stream, uint64_t since,
                        const engines_work *w) {
  enum { COPY = 32, FILL = 64 };  // bytes of a core, each cycle
  const uint64_t kernel = ps_of_cycles(w->cycles), cycle = ps_of_cycles(1);
  const uint64_t other = ps_of_cycles(cycles_within(c, w->bytes_copied, COPY) +
                                      cycles_within(c, w->bytes_filled, FILL));
  kernels += kernel;
  if (!kernel && !other)
    return since;
  const uint64_t end =
      occupy(&engines[MACHINE], (since + cycle - 1) / cycle * cycle, kernel + other);
  draw(c, (timeline_part){.name = w->kernel         ? w->kernel
                                  : w->bytes_filled ? "fill"
                                                    : "copy within the device",
                          .stream = stream,
                          .engine = MACHINE,
                          .begin = end - kernel - other,
                          .busy = end,
                          .end = end,
                          .cycles = w->cycles,
                          .bytes = w->bytes_copied + w->bytes_filled});
  return end;
}

uint64_t engines_place(const rt_context *c, uint32_t stream, uint64_t since,
                       const engines_work *w) {
  const uint64_t there = transfer(c, stream, DOWN, since, w->bytes_down),
                 done = execute(c, stream, there, w);
  return transfer(c, stream, UP, done, w->bytes_up);
}

// ---- what they did

// The first time behind `t` at which an engine begins or ends to be busy; `*busy` counts those that
// are so until then. UINT64_MAX: nothing more.
static uint64_t next_change(uint64_t t, size_t at[ENGINES], unsigned *busy) {
  uint64_t next = UINT64_MAX;
  *busy = 0;
  for (unsigned k = 0; k < ENGINES; k++) {
    const engine *e = &engines[k];
    while (at[k] < e->n && e->spans[at[k]].end <= t)
      at[k]++;
    if (at[k] == e->n)
      continue;
    const span *s = &e->spans[at[k]];
    const uint64_t change = s->begin > t ? s->begin : s->end;
    *busy += s->begin <= t;
    next = change < next ? change : next;
  }
  return next;
}

static uint64_t overlapped(void) {
  size_t at[ENGINES] = {0};
  uint64_t sum = 0, t = 0, next;
  unsigned busy;
  while ((next = next_change(t, at, &busy)) != UINT64_MAX) {
    sum += busy > 1 ? next - t : 0;
    t = next;
  }
  return sum;
}

void engines_json(const rt_context *c, uint64_t until, json_writer *j) {
  if (!engines_run(c))
    return;
  jw_object(j, "stream_time");
  jw_count(j, "ps", until);
  jw_count(j, "ps_kernels", kernels);
  jw_count(j, "ps_machine", engines[MACHINE].busy);
  jw_count(j, "ps_down", engines[DOWN].busy);
  jw_count(j, "ps_up", engines[UP].busy);
  jw_count(j, "ps_overlapped", overlapped());
  jw_end(j);
}

void engines_report(const rt_context *c, uint64_t until, FILE *f) {
  if (engines_run(c))
    fprintf(f,
            "streams            %.3f us in all: kernels %.3f us, copies down %.3f us, up %.3f us; "
            "%.3f us overlapped\n",
            1e-6 * (double)until, 1e-6 * (double)kernels, 1e-6 * (double)engines[DOWN].busy,
            1e-6 * (double)engines[UP].busy, 1e-6 * (double)overlapped());
}

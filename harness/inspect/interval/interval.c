// SPDX-License-Identifier: Apache-2.0
// Rows of intervals. The counters at the end of a row are known when cores and network have come
// there. It is written when a core has passed its end: a launch that is ended early ends where its
// cores are, and they may all have stood still.
#include "interval.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "csim/isa/model.h"
#include "harness/base/out_file.h"
#include "harness/base/schedule/mailbox.h"
#include "harness/base/schedule/schedule.h"

_Static_assert((int)INTERVAL_LEAST >= (int)MAILBOX_AHEAD, "two intervals end in a window");

static const char head[] =
    "launch,kernel,cycle,cycles"
#define INTERVAL(name, value) "," #name
#include "interval.def"
#undef INTERVAL
    "\n";

typedef struct counts {
#define INTERVAL(name, value) uint64_t name;
#include "interval.def"
#undef INTERVAL
} counts;
enum { COLUMNS = sizeof(counts) / sizeof(uint64_t), DIGITS = 21 };

typedef struct row {
  uint64_t until;
  counts now;  // what was counted before that cycle
} row;

struct interval {
  const char *name;
  uint64_t cycles;
  out_place place;
  int fd;
  const char *error;  // NULL: all was written; nothing more comes into the file
  off_t whole;        // bytes of whole lines
  core_stats each[SIM_CORES];
  uint32_t cores;
  // of the launch
  const launch *l;
  uint64_t next;  // cycle of the cores' samples
  bool waits;     // those of cycle `until`, which are `all` together, for the network
  uint64_t until;
  core_stats all;
  row *rows;  // to be written
  uint32_t n_rows, room;
  row last;  // that was
};

// ---- the file

static void lose(interval *x, const char *why) {
  x->error = why;
  if (x->place.aside && ftruncate(x->fd, x->whole))
    x->whole = 0;
}

static void put(interval *x, const char *line, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t n = write(x->fd, line + done, bytes - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      lose(x, strerror(n ? errno : EIO));
      return;
    }
    done += (size_t)n;
  }
  x->whole += (off_t)bytes;
}

static void put_row(interval *x, const row *r) {
  const uint64_t *now = (const uint64_t *)&r->now, *before = (const uint64_t *)&x->last.now;
  const char *kernel = x->l->kernel->name;
  const size_t room = strlen(kernel) + (COLUMNS + 4) * DIGITS;
  char *line = malloc(room);
  if (!line) {
    lose(x, "out of host memory");
    return;
  }
  size_t n = (size_t)snprintf(line, room, "%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64, x->l->number + 1,
                              kernel, x->last.until, r->until - x->last.until);
  for (uint32_t k = 0; k < COLUMNS; k++)
    n += (size_t)snprintf(line + n, room - n, ",%" PRIu64, now[k] - before[k]);
  line[n++] = '\n';
  put(x, line, n);
  free(line);
  if (!x->error)
    x->last = *r;
}

// Those that end before a cycle.
static void put_rows(interval *x, uint64_t before) {
  uint32_t done = 0;
  for (; done < x->n_rows && x->rows[done].until < before && !x->error; done++)
    put_row(x, &x->rows[done]);
  x->n_rows -= done;
  memmove(x->rows, x->rows + done, x->n_rows * sizeof *x->rows);
}

// ---- rows

static uint64_t banks(const core_stats *s, size_t counter) {
  uint64_t all = 0;
  for (unsigned n = 0; n < NEAR_NBUS; n++)
    for (unsigned b = 0; b < DRAM_BANKS; b++)
      all += *(const uint64_t *)((const char *)&s->nbu[n].bank[b] + counter);
  return all;
}

#define SUBS(x) (s->sub[0].x + s->sub[1].x + s->sub[2].x + s->sub[3].x)
#define NBUS(x) (s->nbu[0].x + s->nbu[1].x + s->nbu[2].x + s->nbu[3].x)
#define BANKS(x) banks(s, offsetof(bank_stats, x))

static counts counted(const core_stats *s, const noc_stats *n) {
  return (counts){
#define INTERVAL(name, value) .name = value,
#include "interval.def"
#undef INTERVAL
  };
}

static void add_row(interval *x, row r) {
  if (x->n_rows == x->room) {
    const uint32_t room = 2 * x->room + 4;
    row *more = realloc(x->rows, room * sizeof *more);
    if (!more) {
      lose(x, "out of host memory");
      return;
    }
    x->rows = more, x->room = room;
  }
  x->rows[x->n_rows++] = r;
}

// The cores have come to the end of a row.
static void cores_there(interval *x) {
  x->all = x->each[0];
  for (uint32_t k = 1; k < x->cores; k++)
    counters_add(&x->all, &x->each[k], sizeof x->all);
  x->waits = true, x->until = x->next;
  x->next += x->cycles;
}

// Has the network, too? It has when the launch has ended, or will not.
static void network_there(interval *x, sim *s, bool ended) {
  noc_stats network;
  if (!x->waits || (!sim_sampled_network(s, &network) && !ended))
    return;
  x->waits = false;
  add_row(x, (row){x->until, counted(&x->all, &network)});
  sim_sample_network(s, x->next);
}

static row row_now(const sim *s, uint64_t until) {
  const core_stats all = sim_all(s);
  const noc_stats network = sim_network(s);
  return (row){until, counted(&all, &network)};
}

static void begin(void *ctx, sim *s, const launch *l) {
  interval *x = ctx;
  if (x->error)
    return;
  x->l = l;
  x->last = row_now(s, sim_cycle(s));
  x->next = (x->last.until / x->cycles + 1) * x->cycles;
  sim_sample_cores(s, x->next, x->each);
  sim_sample_network(s, x->next);
}

static bool window(void *ctx, sim *s, uint64_t until) {
  interval *x = ctx;
  if (x->error)
    return false;
  network_there(x, s, false);
  if (x->n_rows)
    put_rows(x, sim_reached(s));
  if (until >= x->next) {
    cores_there(x);
    sim_sample_cores(s, x->next, x->each);
  }
  if (x->error)
    sim_sample_cores(s, UINT64_MAX, x->each);
  return false;
}

// Its last row ends where the launch does.
static void end(void *ctx, sim *s, machine_error e, uint32_t core) {
  interval *x = ctx;
  const uint64_t now = sim_cycle(s);
  (void)e, (void)core;
  if (x->error)
    return;
  network_there(x, s, true);
  if (x->next < now) {  // a core has failed before that, and others have come further
    cores_there(x);
    network_there(x, s, true);
  }
  put_rows(x, now);
  const row last = row_now(s, now);
  x->n_rows = 0;
  if (!x->error)
    put_row(x, &last);
}

// ---- the run

interval *interval_new(const char *file, uint64_t cycles, sim *s, char *why, size_t why_bytes) {
  interval *x = calloc(1, sizeof *x);
  if (!x) {
    snprintf(why, why_bytes, "out of host memory");
    return NULL;
  }
  assert(cycles >= INTERVAL_LEAST);
  x->name = file, x->cycles = cycles;
  x->cores = s ? sim_cores(s) : 0;
  if ((x->fd = out_place_open(&x->place, file)) < 0) {
    snprintf(why, why_bytes, "cannot write '%s': %s", file, strerror(errno));
    free(x);
    return NULL;
  }
  put(x, head, sizeof head - 1);
  if (s)
    sim_observe(s, &(sim_observer){x, begin, window, end, NULL});
  return x;
}

bool interval_end(interval *x) {
  const bool aside = x->place.aside;
  if (!out_place_close(&x->place, x->fd, !x->error) && !x->error)
    x->error = strerror(errno);
  const bool ok = !x->error;
  if (!ok && aside && x->whole)
    fprintf(stderr, "mpu: cannot write '%s': %s; '%s.part' ends before cycle %" PRIu64 "\n",
            x->name, x->error, x->name, x->last.until);
  else if (!ok)
    fprintf(stderr, "mpu: cannot write '%s': %s; nothing of the intervals is kept\n", x->name,
            x->error);
  free(x->rows);
  free(x);
  return ok;
}

// SPDX-License-Identifier: Apache-2.0
// mpu bench spacea: entries of a matrix a second of SpaceA with time, and what the second thread
// brings.
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "harness/base/children.h"
#include "harness/base/user_error.h"
#include "harness/machines/spacea/map/mapping.h"
#include "harness/machines/spacea/matrix/matrix.h"
#include "harness/machines/spacea/vault/spacea_machine.h"

enum { RUNS = 3, THREADS = 2 };
static const char matrix[] = "cant";
static const double floor_speed = 0.5;  // M entries a second

typedef struct work {
  csr m;
  mapping p;
  product f;
  double *x, *y;
  const config *c;
} work;

// Seconds of a multiplication. Below 0 after a message.
static double multiply(const work *w, uint32_t threads, uint64_t *cycles) {
  char why[2048];
  spacea_machine *s = spacea_machine_new(w->c, &w->f, NULL, threads, why, sizeof why);
  const double begin = seconds_now();
  const bool good = s && spacea_machine_multiply(s, w->x, w->y, why, sizeof why);
  const double seconds = seconds_now() - begin;
  if (good)
    *cycles = machine_run_cycles(spacea_machine_run(s));
  else
    user_error("%s", why);
  spacea_machine_free(s);
  return good ? seconds : -1;
}

static bool ready(work *w) {
  const mapping_machine by = mapping_machine_of(w->c);
  if (!matrix_open(&w->m, matrix, 1, VALUES_UNIFORM))
    return false;
  w->x = malloc(w->m.cols * sizeof *w->x), w->y = calloc(w->m.rows, sizeof *w->y);
  if (!w->x || !w->y || !mapping_make(&w->p, &w->m, &by, MAPPING_SPACEA, 1))
    return user_error("%s: out of memory", matrix), false;
  for (uint32_t c = 0; c < w->m.cols; c++)
    w->x[c] = 1;
  w->f = (product){&w->m, &w->p, SEMIRING_PLUS_TIMES};
  return true;
}

static void print(bool json, const char *name, const char *unit, double value, double least) {
  const bool ok = value >= least;
  char whole[80];
  snprintf(whole, sizeof whole, "spacea.%s", name);
  if (json) {
    bench_json(whole, unit, "%.9g", value, least, 0, ok);
    return;
  }
  printf("%-36s %12.6g %s", whole, value, unit);
  if (least > 0)
    printf("  (at least %g) %s", least, ok ? "ok" : "OUT OF BOUNDS");
  printf("\n");
}

static double least_of(const double *of) {
  double least = of[0];
  for (int r = 1; r < RUNS; r++)
    least = of[r] < least ? of[r] : least;
  return least;
}

static int measure(bool json, const work *w) {
  double seconds[THREADS][RUNS];
  uint64_t cycles = 0;
  for (int r = 0; r < RUNS; r++)  // in turns: a host that becomes slower does so for both
    for (uint32_t t = 0; t < THREADS; t++)
      if ((seconds[t][r] = multiply(w, t + 1, &cycles)) < 0)
        return EXIT_USAGE;
  const double one = least_of(seconds[0]), two = least_of(seconds[1]);
  const double speed = 1e-6 * (double)csr_count(&w->m) / one;
  print(json, "entries", "M entries a second", speed, floor_speed);
  print(json, "second_thread", "times as fast", one / two, 0);
  print(json, "cycles", "cycles", (double)cycles, 0);
  return speed >= floor_speed ? EXIT_OK : EXIT_FAILED;
}

int bench_spacea(bool json, const config *c) {
  work w = {.c = c};
  const int status = ready(&w) ? measure(json, &w) : EXIT_USAGE;
  csr_free(&w.m), mapping_free(&w.p), free(w.x), free(w.y);
  return status;
}

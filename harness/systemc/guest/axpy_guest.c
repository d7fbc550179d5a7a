// SPDX-License-Identifier: Apache-2.0
// axpy_guest OBJECT [N [TIMES [SOCKET]]]: y = a * x + y on N numbers, TIMES times, by the driver of
// the card alone: no CUDA, no runtime. In a guest the card is a PCI device; with SOCKET it is
// another process. OBJECT is what `mpu cc` makes of axpy.ptx.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "harness/systemc/driver/shm.h"
#include "harness/systemc/driver/vfio.h"

enum { THREADS = 128, WHY = 1000 };

typedef struct parameters {
  uint32_t n;
  float a;
  uint64_t x, y;
} parameters;

static uint8_t *contents(const char *name, uint64_t *bytes) {
  FILE *f = fopen(name, "rb");
  uint8_t *data = NULL;
  if (f && !fseek(f, 0, SEEK_END)) {
    *bytes = (uint64_t)ftell(f);
    rewind(f);
    data = malloc(*bytes + 1);
    if (data && fread(data, 1, *bytes, f) != *bytes) {
      free(data);
      data = NULL;
    }
  }
  if (f)
    fclose(f);
  return data;
}

// Status of the first call that failed.
static uint32_t execute(driver *d, const uint8_t *object, uint64_t object_bytes, parameters p,
                        uint32_t times, const float *x, float *y, uint64_t *cycles) {
  card_record r;
  const uint64_t bytes = p.n * sizeof *x;
  uint32_t program, s;
  card_launch what = {.grid = {(p.n + THREADS - 1) / THREADS, 1, 1}, .block = {THREADS, 1, 1}};
  if ((s = driver_load(d, object, object_bytes, &program)) ||
      (s = driver_kernel(d, program, "axpy", &what.kernel, &what.parameter_bytes)) ||
      (s = driver_alloc(d, bytes, &p.x)) || (s = driver_alloc(d, bytes, &p.y)) ||
      (s = driver_write(d, p.x, x, bytes)) || (s = driver_write(d, p.y, y, bytes)))
    return s;
  what.program = program;
  for (uint32_t k = 0; k < times; k++) {
    if ((s = driver_launch(d, &what, &p, &r)))
      return s;
    *cycles += r.words[CARD_LAUNCH_GIVES_CYCLES];
  }
  return driver_read(d, y, p.y, bytes);
}

static int run(const driver_transport *t, const char *file, uint32_t n, uint32_t times) {
  char why[WHY];
  uint64_t bytes = 0, cycles = 0;
  uint8_t *object = contents(file, &bytes);
  float *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
  if (!object || !x || !y) {
    fprintf(stderr, "axpy_guest: cannot read '%s', or no memory\n", file);
    return 2;
  }
  for (uint32_t k = 0; k < n; k++)
    x[k] = (float)(k % 1000), y[k] = (float)(k % 7);
  driver *d = driver_open(t, 0, why, sizeof why);
  if (!d) {
    fprintf(stderr, "axpy_guest: %s\n", why);
    return 2;
  }
  uint32_t wrong = 0;
  printf("axpy: n %" PRIu32 ", %" PRIu32 " launches\n", n, times);
  fflush(stdout);
  const uint32_t status =
      execute(d, object, bytes, (parameters){.n = n, .a = 3}, times, x, y, &cycles);
  if (status)
    fprintf(stderr, "axpy_guest: %s\n", driver_message(d));
  for (uint32_t k = 0; k < n && !status; k++)
    wrong += y[k] != (float)times * 3 * (float)(k % 1000) + (float)(k % 7);
  if (!status)
    printf("axpy: %s, %" PRIu64 " cycles of the machine\n", wrong ? "FAIL" : "PASS", cycles);
  driver_close(d);
  free(object);
  free(x);
  free(y);
  return status || wrong;
}

int main(int argc, char **argv) {
  char why[WHY];
  driver_transport t;
  if (argc < 2 || argc > 5) {
    fputs("usage: axpy_guest OBJECT [N [TIMES [SOCKET]]]\n", stderr);
    return 2;
  }
  const uint32_t n = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 16384;
  const uint32_t times = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 1;
  const bool far = argc > 4;
  if (!(far ? shm_transport(argv[4], &t, why, sizeof why) : vfio_transport(&t, why, sizeof why))) {
    fprintf(stderr, "axpy_guest: %s\n", why);
    return 2;
  }
  const int status = run(&t, argv[1], n, times);
  (far ? shm_transport_close : vfio_transport_close)(&t);
  return status;
}

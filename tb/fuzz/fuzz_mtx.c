// SPDX-License-Identifier: Apache-2.0
// Any bytes as a Matrix Market file. What is read is the same after it was written and read again;
// what is not has one line that names the file.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "harness/machines/spacea/matrix/mtx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DIGITS = 5 };  // of a number: with more, rows would need all memory

static bool has_large_numbers(const uint8_t *data, size_t size) {
  size_t digits = 0;
  for (size_t k = 0; k < size; k++) {
    digits = isdigit(data[k]) ? digits + 1 : 0;
    if (digits > DIGITS)
      return true;
  }
  return false;
}

static void same_again(const csr *m) {
  char name[64];
  csr back;
  const int file = memfd_create("again", 0);
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  assert(mtx_write(m, name) && mtx_read(&back, name));
  assert(back.rows == m->rows && back.cols == m->cols && csr_count(&back) == csr_count(m));
  const size_t n = csr_count(m);
  assert(memcmp(back.begin, m->begin, (m->rows + 1) * sizeof *m->begin) == 0);
  assert(!n || memcmp(back.col, m->col, n * sizeof *m->col) == 0);
  for (size_t k = 0; k < n; k++)
    assert(back.value[k] == m->value[k] ||
           (m->value[k] != m->value[k] && back.value[k] != back.value[k]));
  csr_free(&back);
  close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char name[64], *said = NULL;
  size_t bytes;
  csr m;
  if (has_large_numbers(data, size))
    return -1;
  FILE *terminal = stderr;
  stderr = open_memstream(&said, &bytes);
  const int file = memfd_create("file", 0);
  assert(stderr && write(file, data, size) == (ssize_t)size);
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  const bool good = mtx_read(&m, name);
  if (good) {
    same_again(&m);
    csr_free(&m);
  }
  fclose(stderr);
  stderr = terminal;
  close(file);
  char begins[80];
  const int n = snprintf(begins, sizeof begins, "mpu: %s:", name);
  assert(good ? !bytes : strncmp(said, begins, (size_t)n) == 0);
  assert(good || strchr(said, '\n') == said + bytes - 1);
  free(said);
  return 0;
}

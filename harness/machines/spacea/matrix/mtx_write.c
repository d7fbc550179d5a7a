// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "harness/base/out_file.h"
#include "harness/base/user_error.h"
#include "mtx.h"

static bool all_ones(const csr *m) {
  for (uint64_t k = 0; k < csr_count(m); k++)
    if (m->value[k] != 1)
      return false;
  return true;
}

static bool put(gzFile to, const csr *m) {
  const bool ones = all_ones(m);
  bool good = gzprintf(to,
                       "%%%%MatrixMarket matrix coordinate %s general\n%" PRIu32 " %" PRIu32
                       " %" PRIu64 "\n",
                       ones ? "pattern" : "real", m->rows, m->cols, csr_count(m)) > 0;
  for (uint32_t r = 0; r < m->rows && good; r++)
    for (uint64_t k = m->begin[r]; k < m->begin[r + 1] && good; k++)
      good = (ones ? gzprintf(to, "%" PRIu32 " %" PRIu32 "\n", r + 1, m->col[k] + 1)
                   : gzprintf(to, "%" PRIu32 " %" PRIu32 " %.17g\n", r + 1, m->col[k] + 1,
                              m->value[k])) > 0;
  return good;
}

bool mtx_write(const csr *m, const char *file) {
  const size_t n = strlen(file);
  const bool packed = n > 3 && !strcmp(file + n - 3, ".gz");
  out_place out;
  const int fd = out_place_open(&out, strcmp(file, "-") ? file : "/dev/stdout");
  if (fd < 0)
    return cannot_write(file), false;
  gzFile to = gzdopen(dup(fd), packed ? "wb6" : "wbT");
  bool good = to && put(to, m);
  if (to)
    good = gzclose_w(to) == Z_OK && good;
  const int why = errno;
  if (out_place_close(&out, fd, good) && good)
    return true;
  errno = good ? errno : why;
  return cannot_write(file), false;
}

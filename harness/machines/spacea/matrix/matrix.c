// SPDX-License-Identifier: Apache-2.0
#include "matrix.h"
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "harness/base/user_error.h"
#include "mtx.h"

bool matrix_open(csr *m, const char *given, uint64_t seed, matrix_values values) {
  const bool file = !strcmp(given, "-") || strchr(given, '/') || !access(given, F_OK);
  const matrix_named *named = matrix_find(given);
  if (file || (!named && strstr(given, ".mtx")))
    return mtx_read(m, given);
  if (!named) {
    user_error("'%s' is neither a file nor the name of a matrix; mpu matrix list has the names",
               given);
    return false;
  }
  if (matrix_generate(m, named, seed, values))
    return true;
  user_error("%s: out of memory", named->name);
  return false;
}

void matrix_list(FILE *to) {
  fprintf(to, "%-18s %8s %9s %7s %9s  %s\n", "name", "rows", "entries", "a row", "deviation",
          "what it is");
  for (const matrix_named *n = matrices_named; n->name; n++) {
    const double entries = n->mean > 0 ? n->mean * n->rows : (double)n->printed;
    fprintf(to, "%-18s %8" PRIu32 " %9.0f %7.2f ", n->name, n->rows, entries, entries / n->rows);
    if (n->mean > 0)
      fprintf(to, "%9.2f", n->deviation);
    else
      fprintf(to, "%9s", "");
    fprintf(to, "  %s\n", n->what);
  }
}

void matrix_info(FILE *to, const char *name, const csr *m) {
  const csr_facts f = csr_look(m);
  fprintf(to, "matrix        %s\n", name);
  fprintf(to, "rows          %" PRIu32 ", %" PRIu64 " of them empty\n", m->rows, f.empty);
  fprintf(to, "columns       %" PRIu32 "\n", m->cols);
  fprintf(to, "entries       %" PRIu64 ", %.3g %% of all places\n", csr_count(m),
          100.0 * (double)csr_count(m) / m->rows / m->cols);
  fprintf(to, "in a row      %.2f, deviation %.2f, at most %" PRIu64 "\n", f.mean, f.deviation,
          f.longest);
  fprintf(to, "distance      %.0f from the diagonal on average, at most %" PRIu64 "\n", f.distance,
          f.bandwidth);
  fprintf(to, "structure     %s\n", f.symmetric ? "symmetric" : "not symmetric");
}

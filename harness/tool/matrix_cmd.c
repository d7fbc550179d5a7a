// SPDX-License-Identifier: Apache-2.0
// mpu matrix.
#include <string.h>
#include "harness/base/out_file.h"
#include "harness/machines/spacea/matrix/matrix.h"
#include "harness/machines/spacea/matrix/mtx.h"
#include "tool.h"

enum { NAMES = 64 };

typedef struct asked {
  const char *what, *names[NAMES];
  size_t n;
  uint64_t seed;
  matrix_values values;
} asked;

// Writes or draws the matrix to the second name, and frees it.
static int put(const asked *q, csr *m, bool drawn) {
  const bool good = drawn ? matrix_spy(m, q->names[0], q->names[1]) : mtx_write(m, q->names[1]);
  csr_free(m);
  return good ? EXIT_OK : EXIT_USAGE;
}

static int gen(const asked *q) {
  csr m;
  if (q->n != 2)
    return user_error("which matrix, and where to? mpu matrix gen NAME FILE.mtx");
  if (!matrix_find(q->names[0]))
    return user_error("'%s' is not the name of a matrix; mpu matrix list has the names",
                      q->names[0]);
  if (check_writable(q->names[1]) || !matrix_open(&m, q->names[0], q->seed, q->values))
    return EXIT_USAGE;
  return put(q, &m, false);
}

static int convert(const asked *q) {
  csr m;
  if (q->n != 2)
    return user_error("which file, and where to? mpu matrix convert FILE.mtx FILE.mtx");
  if (check_writable(q->names[1]) || !mtx_read(&m, q->names[0]))
    return EXIT_USAGE;
  return put(q, &m, false);
}

static int info(const asked *q) {
  if (!q->n)
    return user_error("which matrix? mpu matrix info FILE.mtx|NAME");
  for (size_t k = 0; k < q->n; k++) {
    csr m;
    if (!matrix_open(&m, q->names[k], q->seed, q->values))
      return EXIT_USAGE;
    matrix_info(stdout, q->names[k], &m);
    csr_free(&m);
  }
  return EXIT_OK;
}

static int spy(const asked *q) {
  csr m;
  if (q->n != 2)
    return user_error("which matrix, and where to? mpu matrix spy FILE.mtx|NAME FILE.svg");
  if (check_writable(q->names[1]) || !matrix_open(&m, q->names[0], q->seed, q->values))
    return EXIT_USAGE;
  return put(q, &m, true);
}

static int list(const asked *q) {
  if (q->n)
    return user_error("mpu matrix list takes no names");
  matrix_list(stdout);
  return EXIT_OK;
}

static const struct {
  const char *name;
  int (*run)(const asked *q);
} parts[] = {{"list", list}, {"gen", gen}, {"convert", convert}, {"info", info}, {"spy", spy}};

static bool take(asked *q, const args *a) {
  if (args_is(a, "--seed"))
    return whole_number(a, &q->seed);
  q->values = matrix_values_named(a->value);
  return true;
}

int command_matrix(int argc, char **argv) {
  asked q = {.seed = 1};
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  for (args_item item; (item = args_next(&a)) != ARGS_END;)
    if (item == ARGS_WRONG || (item == ARGS_OPTION && !take(&q, &a)))
      return EXIT_USAGE;
    else if (item == ARGS_OPERAND && q.n == NAMES)
      return user_error("more than %d names", NAMES);
    else if (item == ARGS_OPERAND && !q.what)
      q.what = a.value;
    else if (item == ARGS_OPERAND)
      q.names[q.n++] = a.value;
  for (size_t k = 0; q.what && k < sizeof parts / sizeof *parts; k++)
    if (!strcmp(q.what, parts[k].name)) {
      const int status = parts[k].run(&q);
      return out_printed() ? status : user_error("cannot write the output");
    }
  return q.what
             ? user_error("'%s' is not one of list, gen, convert, info, spy; see mpu matrix --help",
                          q.what)
             : user_error(
                   "what is to be done? list, gen, convert, info or spy; see mpu matrix --help");
}

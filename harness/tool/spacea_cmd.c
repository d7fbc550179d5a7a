// SPDX-License-Identifier: Apache-2.0
// mpu spacea.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "harness/base/out_file.h"
#include "harness/inspect/spacea/vault_show.h"
#include "harness/machines/spacea/function/program.h"
#include "harness/machines/spacea/matrix/matrix.h"
#include "harness/machines/spacea/matrix/mtx.h"
#include "harness/machines/spacea/matrix/random.h"
#include "harness/machines/spacea/vault/spacea_machine.h"
#include "nodes.h"
#include "seeing.h"

typedef struct asked {
  machine_args machine;
  nodes_args nodes;
  seeing_args seeing;
  const char *what, *matrix, *x, *out;
  mapping_kind map;
  matrix_values values;
  uint64_t seed, times, from;
  spacea_program program;
} asked;

enum { WHY = 2048 };

typedef struct state {
  csr m;
  mapping p;
  double *x, *y;
  spacea_machine *machine;  // NULL: the functional one
  char why[WHY];            // it has failed
} state;

static spacea_program_kind program_named(const char *name) {
  return !strcmp(name, "pagerank") ? PROGRAM_PAGERANK
         : !strcmp(name, "sssp")   ? PROGRAM_SSSP
                                   : PROGRAM_NONE;
}

static bool take(asked *q, const args *a) {
  if (args_is(a, "--map"))
    q->map = mapping_kind_of(a->value);
  else if (args_is(a, "--x"))
    q->x = a->value;
  else if (args_is(a, "--out"))
    q->out = a->value;
  else if (args_is(a, "--semiring"))
    q->program.semiring = strcmp(a->value, "min-plus") ? SEMIRING_PLUS_TIMES : SEMIRING_MIN_PLUS;
  else if (args_is(a, "--program"))
    q->program.kind = program_named(a->value);
  else if (args_is(a, "--values"))
    q->values = matrix_values_named(a->value);
  else
    return whole_number(a, args_is(a, "--seed")      ? &q->seed
                           : args_is(a, "--iterate") ? &q->times
                                                     : &q->from);
  return true;
}

// X of a file: a column; what it does not name is 0.
static bool read_x(const char *file, const csr *m, double *x) {
  csr v;
  if (!mtx_read(&v, file))
    return false;
  const bool good = v.cols == 1 && v.rows == m->cols;
  if (!good)
    user_error("%s: X is a column of %" PRIu32 " rows, this has %" PRIu32 " and %" PRIu32
               " columns",
               file, m->cols, v.rows, v.cols);
  for (uint32_t r = 0; good && r < v.rows; r++)
    x[r] = v.begin[r] < v.begin[r + 1] ? v.value[v.begin[r]] : 0;
  csr_free(&v);
  return good;
}

static bool write_y(const char *file, const state *s) {
  uint64_t *begin = malloc((s->m.rows + 1) * sizeof *begin);
  uint32_t *col = calloc(s->m.rows, sizeof *col);
  bool good = begin && col;
  for (uint32_t r = 0; good && r <= s->m.rows; r++)
    begin[r] = r;
  if (good)
    good = mtx_write(&(csr){s->m.rows, 1, begin, col, s->y}, file);
  else
    user_error("%s: out of memory", file);
  free(begin), free(col);
  return good;
}

static bool fill_x(const asked *q, state *s) {
  dice d = {q->seed};
  for (uint32_t c = 0; c < s->m.cols; c++)
    s->x[c] = 2 * dice_unit(&d) - 1;
  return !q->x || read_x(q->x, &s->m, s->x);
}

static void print(const asked *q, const state *s, const spacea_result *r) {
  if (!s->machine)
    printf("functional machine: results only, no cycles\n");
  printf("matrix          %" PRIu32 " x %" PRIu32 ", %" PRIu64 " entries, on %" PRIu32 " PEs\n",
         s->m.rows, s->m.cols, csr_count(&s->m), s->p.n);
  printf("multiplied      %" PRIu32 " time%s%s\n", r->times, r->times == 1 ? "" : "s",
         r->settled                        ? ", until nothing changed"
         : q->program.kind != PROGRAM_NONE ? ", and still changes: --iterate allows no more"
                                           : "");
  if (r->worst.error <= 1)
    printf("check           right: at most %.2g of what rounding allows\n", r->worst.error);
  else
    printf("check           WRONG in row %" PRIu32 "\n", r->worst.row + 1);
  if (s->machine)
    spacea_machine_report(s->machine, stdout);
}

static bool multiply(void *ctx, const product *f, const double *x, double *y) {
  state *s = ctx;
  (void)f;
  return spacea_machine_multiply(s->machine, x, y, s->why, sizeof s->why);
}

static int compute(const asked *q, state *s) {
  const spacea_multiplier by = {multiply, s};
  spacea_result r;
  if (!spacea_run(&q->program, &s->m, &s->p, s->machine ? &by : NULL, s->x, s->y, &r)) {
    if (r.failed && machine_run_stopped(spacea_machine_run(s->machine)))
      return EXIT_STOPPED;
    user_error("%s: %s", q->matrix, r.failed ? s->why : "out of memory");
    return r.failed ? EXIT_MACHINE : EXIT_USAGE;
  }
  print(q, s, &r);
  if (r.worst.error > 1)
    return EXIT_FAILED;
  return q->out && !write_y(q->out, s) ? EXIT_USAGE : EXIT_OK;
}

static bool has_time(const asked *q) {
  return strcmp(q->nodes.near, "none") != 0;
}

static int compute_and_see(const asked *q, state *s, nodes_watch *w, seeing *seen) {
  const int status = compute(q, s);
  nodes_postmortem(w);
  return seeing_close(&q->seeing, seen, status);
}

static int compute_in_time(const asked *q, const config *c, state *s) {
  const product f = {&s->m, &s->p, spacea_semiring(&q->program)};
  lockstep_mode near[SCHEDULE_NODES];
  nodes_watch w;
  seeing seen;
  if (nodes_near(&q->nodes, (uint32_t)(c->spacea.cubes * c->spacea.vaults), near))
    return EXIT_USAGE;
  if (!(s->machine =
            spacea_machine_new(c, &f, near, nodes_threads(&q->nodes), s->why, sizeof s->why)))
    return user_error("%s", s->why);
  machine_run *r = spacea_machine_run(s->machine);
  int status = nodes_open(&q->nodes, r, &w);
  if (!status) {
    status = seeing_open(&q->seeing, c, r, near, &seen);
    status = status ? seeing_close(&q->seeing, &seen, status) : compute_and_see(q, s, &w, &seen);
  }
  return nodes_close(&q->nodes, r, &w, status);
}

static int run_on(asked *q, state *s) {
  char why[256];
  config c;
  if (machine_config_of(&q->machine, "spacea", &c))
    return EXIT_USAGE;
  if (!spacea_takes(&q->program, &s->m, why, sizeof why))
    return user_error("%s: %s", q->matrix, why);
  const mapping_machine w = mapping_machine_of(&c);
  s->x = malloc((s->m.cols + 1) * sizeof *s->x), s->y = malloc((s->m.rows + 1) * sizeof *s->y);
  if (!s->x || !s->y || !mapping_make(&s->p, &s->m, &w, q->map, q->seed))
    return user_error("%s: out of memory", q->matrix);
  if (!product_fits(&(product){&s->m, &s->p, 0}, why, sizeof why))
    return user_error("%s does not fit: %s", q->matrix, why);
  if (!fill_x(q, s))
    return EXIT_USAGE;
  return has_time(q) ? compute_in_time(q, &c, s) : compute(q, s);
}

static uint32_t at_most(uint64_t n) {
  return n < CSR_MAX ? (uint32_t)n : CSR_MAX;
}

static int run(asked *q) {
  state s = {0};
  if (!q->matrix)
    return user_error("which matrix? mpu spacea %s FILE.mtx|NAME", q->what);
  if ((q->nodes.stats || q->nodes.timeline || q->nodes.wave) && !has_time(q))
    return user_error("--stats, --timeline and --wave: the functional machine has no time");
  if (seeing_any(&q->seeing) && !has_time(q))
    return user_error("the functional machine has no time, and no PEs to look at: --near c");
  if (q->x && q->program.kind)
    return user_error("--x: a program begins with an X of its own");
  q->program.most = at_most(q->times ? q->times : q->program.kind ? 1000 : 1);
  q->program.from = at_most(q->from - 1);
  if (check_output("--out", q->out) || nodes_check(&q->nodes) || seeing_check(&q->seeing) ||
      !matrix_open(&s.m, q->matrix, q->seed, q->values))
    return EXIT_USAGE;
  const int status = run_on(q, &s);
  spacea_machine_free(s.machine);
  csr_free(&s.m), mapping_free(&s.p), free(s.x), free(s.y);
  return out_printed() ? status : user_error("cannot write the output");
}

static void describe(const node *n, FILE *to) {
  vault_show(n->state, &(vault_place){0, VAULT_SHOW_ALL, VAULT_SHOW_ALL}, to);
}

int command_spacea(int argc, char **argv) {
  asked q = {.nodes = {.near = "c", .threads = "1", .describe = describe},
             .map = MAPPING_SPACEA,
             .seeing = {.top = 5},
             .seed = 1,
             .from = 1,
             .program = {.damping = 0.85, .less = 1e-9}};
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  for (args_item item; (item = args_next(&a)) != ARGS_END;) {
    int took = item == ARGS_OPTION ? machine_take(&q.machine, &a) : 0;
    if (item == ARGS_OPTION && !took)
      took = nodes_take(&q.nodes, &a);
    if (item == ARGS_OPTION && !took)
      took = seeing_take(&q.seeing, &a);
    if (item == ARGS_WRONG || took == EXIT_USAGE || (item == ARGS_OPTION && !took && !take(&q, &a)))
      return EXIT_USAGE;
    if (item == ARGS_OPERAND && q.matrix)
      return user_error("one matrix; see mpu spacea --help");
    if (item == ARGS_OPERAND)
      *(q.what ? &q.matrix : &q.what) = a.value;
  }
  q.nodes.command = command_text(argc, argv);
  q.seeing.table = q.what && !strcmp(q.what, "profile");
  q.seeing.debug = q.what && !strcmp(q.what, "debug");
  if (!q.what || (strcmp(q.what, "run") && !q.seeing.table && !q.seeing.debug))
    return user_error("what is to be done? mpu spacea run, profile or debug FILE.mtx|NAME");
  if (q.seeing.debug && !q.nodes.postmortem)
    q.nodes.postmortem = "none";
  const int status = run(&q);
  free(q.nodes.command);
  return status;
}

// SPDX-License-Identifier: Apache-2.0
// Random CUDA programs on the CPU and on machines: what they leave behind has to be the same, bit
// for bit.
//   test_random_programs [--seed N] [--first N] [--count N] [--near LIST] [--jobs N] [--keep
//   DIRECTORY]
//                        [--print]
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tb/cosim/timed.h"
#include "reduce.h"
#include "sides.h"

enum {
  BATCH = 25,
  SHORT_COUNT = 100,
  LONG_COUNT = 100000,
  MAX_REDUCED = 3,
  MODES_MAX = 8,
  OPTIONS = 160
};

typedef struct run {
  const char *program;
  uint64_t seed, digest;
  unsigned first, count, jobs;
  const char *modes[MODES_MAX];
  unsigned mode_count;
  char dir[PATH_MAX / 2];
  unsigned done, failures, reduced;
  uint64_t cycles;
} run;

// ---- signals

static volatile unsigned now;

// What clang's checks of undefined behaviour do is SIGILL; a fault of the generator. All else is
// one of the tree.
static void ended(int signal) {
  char text[200];
  const int n =
      snprintf(text, sizeof text, "program %u: %s (signal %d)\n", now,
               signal == SIGILL ? "C++ leaves undefined what it does" : "the test ends", signal);
  _exit(write(STDERR_FILENO, text, (size_t)n) < 0 ? 2 : 1);
}

// ---- one batch

// The programs of a batch share the level of the front end and, on each machine, mpucc's options.
static unsigned level_of(unsigned number) {
  static const unsigned levels[] = {2, 0, 3, 1, 2, 2};
  return levels[number / BATCH % 6];
}

// For timed.h: the mode; on some batches other dies, or several cores.
static void set_machine(unsigned number, const char *mode) {
  static const char *const cores[] = {"1", "1", "2", "1", "4"};
  const unsigned batch = number / BATCH;
  setenv("MPU_NEAR", mode, 1);
  setenv("MPU_CORES", cores[batch % 5], 1);
  setenv("MPU_DIES", isa_dies_names[batch % 4 == 3 ? batch / 4 % ISA_DIES : 0], 1);
}

// After set_machine.
static mpucc_options options_of(unsigned number, unsigned mode, char text[OPTIONS]) {
  static const uint32_t regs[] = {0, 0, 16, 24};
  mpucc_options o = mpucc_options_default();
  const unsigned k = number / BATCH * 7 + mode * 3;
  o.locate = mode == 0 && k % 2 == 0 ? o.locate : (mir_policy)(k % MIR_POLICIES);
  o.max_regs = regs[k / 2 % 4];
  if (!o.max_regs && strcmp(getenv("MPU_NEAR"), "none") != 0)
    o.max_regs = 64;  // a core has room for the largest of the blocks then
  o.dies = timed_dies();
  o.near_predicates = k / 3 & 1;
  o.reorder = k / 5 & 1;
  o.forms = o.locate == MIR_LOCATE_COST && k / 7 & 1;
  o.skew = k / 11 & 1;
  snprintf(text, OPTIONS, "-O%u --locate=%s --maxregs=%u%s%s%s%s --dies=%s, %s cores",
           level_of(number), mir_policy_names[o.locate], o.max_regs,
           o.near_predicates ? " --near-predicates" : "", o.reorder ? " --reorder" : "",
           o.forms ? " --forms" : "", o.skew ? " --skew" : "", isa_dies_names[o.dies],
           getenv("MPU_CORES"));
  return o;
}

typedef struct trial {
  const run *r;
  unsigned mode;
} trial;

// Whether this program alone differs from what it is on the CPU, on one machine.
static bool differs(void *ctx, program *p, const char *name, char why[WHY]) {
  const trial *t = ctx;
  char text[OPTIONS];
  results want = {0}, got = {0};
  sides *s = sides_build(t->r->dir, name, &p, 1, level_of(p->number), false, why);
  if (!s)
    return false;
  set_machine(p->number, t->r->modes[t->mode]);
  const mpucc_options o = options_of(p->number, t->mode, text);
  bool is = false;
  results other = {0};
  if (sides_cpu(s, p, false, &want, why) && sides_cpu(s, p, true, &other, why) &&
      results_same(p, &want, &other, why)) {
    machine_side *m = sides_machine(s, &o, p->number / BATCH, why);
    is = !m || !machine_side_run(m, p, &got, why) || !results_same(p, &want, &got, why);
    if (m)
      machine_side_free(m);
  }
  results_free(&want);
  results_free(&other);
  results_free(&got);
  sides_free(s);
  return is;
}

static void report(run *r, program *p, unsigned mode, const char *why) {
  char text[OPTIONS], path[PATH_MAX], last[WHY];
  options_of(p->number, mode, text);
  printf("program %u differs (--near=%s, %s): %s\n  repeat it: %s --seed %" PRIu64
         " --first %u --count 1 --near ",
         p->number, r->modes[mode], text, why, r->program, r->seed, p->number);
  for (unsigned n = 0; n <= mode; n++)  // its place in the list chooses the options
    printf("%s%s", n ? "," : "", r->modes[n]);
  printf("\n");
  r->failures++;
  if (r->reduced++ < MAX_REDUCED) {
    trial t = {r, mode};
    snprintf(path, sizeof path, "%s/program_%u.cu", r->dir, p->number);
    if (reduce(p, differs, &t, last))
      printf("  reduced to %s: %s\n", path, last);
    else
      printf("  by itself it does not differ: %s\n", path);
    FILE *f = fopen(path, "w");
    if (f) {
      program_write(p, f);
      fclose(f);
    }
  }
  fflush(stdout);
}

// A file that cannot be compiled: the first program for which this is so alone.
static void report_refused(run *r, program **programs, unsigned n, unsigned mode) {
  char why[WHY];
  trial t = {r, mode};
  for (unsigned k = 0; k < n; k++)
    if (differs(&t, programs[k], "alone", why)) {
      report(r, programs[k], mode, why);
      return;
    }
}

// Programs without undefined behaviour and races, or the generator is wrong.
static void check_cpu(run *r, sides *s, const program *p, const results *want) {
  char why[WHY];
  results other = {0};
  if (!sides_cpu(s, p, true, &other, why) || !results_same(p, want, &other, why)) {
    printf("program %u has a race: %s\n", p->number, why);
    r->failures++;
  }
  results_free(&other);
}

static void run_machine(run *r, sides *s, program **programs, unsigned n, unsigned mode,
                        const results *want) {
  char why[WHY], text[OPTIONS];
  set_machine(programs[0]->number, r->modes[mode]);
  const mpucc_options o = options_of(programs[0]->number, mode, text);
  machine_side *m = sides_machine(s, &o, programs[0]->number / BATCH, why);
  if (!m) {
    printf("programs %u to %u: %s\n", programs[0]->number, programs[n - 1]->number, why);
    report_refused(r, programs, n, mode);
    r->failures++;
    return;
  }
  for (unsigned k = 0; k < n; k++) {
    results got = {0};
    now = programs[k]->number;
    if (!machine_side_run(m, programs[k], &got, why) ||
        !results_same(programs[k], &want[k], &got, why))
      report(r, programs[k], mode, why);
    results_free(&got);
  }
  r->cycles += machine_side_cycles(m);
  machine_side_free(m);
}

static void run_batch(run *r, unsigned first, unsigned n) {
  program *programs[BATCH];
  results want[BATCH] = {0};
  char name[64], why[WHY];
  const bool checked = first / BATCH % 8 == 0;
  for (unsigned k = 0; k < n; k++)
    programs[k] = program_generate(r->seed, first + k);
  snprintf(name, sizeof name, "batch_%u", first);
  sides *s = sides_build(r->dir, name, programs, n, level_of(first), checked, why);
  bool ok = s != NULL;
  for (unsigned k = 0; k < n && ok; k++) {
    now = programs[k]->number;
    ok = sides_cpu(s, programs[k], false, &want[k], why);
    if (ok && checked)
      check_cpu(r, s, programs[k], &want[k]);
    if (ok)
      r->digest = results_digest(programs[k], &want[k], r->digest);
  }
  if (!ok) {
    printf("programs %u to %u: %s\n", first, first + n - 1, why);
    r->failures++;
  }
  for (unsigned mode = 0; mode < r->mode_count && ok; mode++)
    run_machine(r, s, programs, n, mode, want);
  r->done += n;
  for (unsigned k = 0; k < n; k++) {
    results_free(&want[k]);
    program_free(programs[k]);
  }
  if (s)
    sides_free(s);
}

// ---- many

// The batches of a worker: each jobs-th.
static void run_share(run *r, unsigned worker) {
  const unsigned end = r->first + r->count;
  char path[PATH_MAX];
  for (unsigned at = r->first, k = 0; at < end; k++) {
    unsigned n = BATCH - at % BATCH;
    n = n < end - at ? n : end - at;
    if (k % r->jobs == worker) {
      const unsigned failed = r->failures;
      run_batch(r, at, n);
      for (unsigned f = 0; f < 2 && r->failures == failed; f++) {
        snprintf(path, sizeof path, "%s/batch_%u.%s", r->dir, at, f ? "ptx" : "cu");
        unlink(path);
      }
    }
    at += n;
  }
}

static void print_share(const run *r, double seconds) {
  printf("%u programs, %u differ, %.0f s", r->done, r->failures, seconds);
  if (r->cycles)
    printf(", %" PRIu64 " cycles", r->cycles);
  printf(", digest %016" PRIx64 "\n", r->digest);
  fflush(stdout);
}

static int run_all(run *r) {
  const time_t start = time(NULL);
  int failed = 0, status;
  for (unsigned worker = 1; worker < r->jobs; worker++)
    if (fork() == 0) {
      run_share(r, worker);
      print_share(r, difftime(time(NULL), start));
      _exit(r->failures != 0);
    }
  run_share(r, 0);
  print_share(r, difftime(time(NULL), start));
  while (wait(&status) > 0)
    failed |= status;
  return r->failures != 0 || failed;
}

static int usage(const char *program) {
  fprintf(stderr,
          "usage: %s [--seed N] [--first N] [--count N] [--near LIST] [--jobs N] [--keep "
          "DIRECTORY] [--print]\n"
          "  LIST: of none, c, rtl, lockstep; as none,c\n",
          program);
  return 2;
}

static bool read_modes(run *r, char *list) {
  r->mode_count = 0;
  for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
    near_mode mode;
    if (r->mode_count == MODES_MAX || (strcmp(word, "none") != 0 && !near_mode_named(word, &mode)))
      return false;
    r->modes[r->mode_count++] = word;
  }
  return r->mode_count != 0;
}

static bool read_option(run *r, const char *name, char *value, const char **keep) {
  if (strcmp(name, "--seed") == 0)
    r->seed = strtoull(value, NULL, 0);
  else if (strcmp(name, "--first") == 0)
    r->first = (unsigned)strtoul(value, NULL, 0);
  else if (strcmp(name, "--count") == 0)
    r->count = (unsigned)strtoul(value, NULL, 0);
  else if (strcmp(name, "--jobs") == 0)
    r->jobs = (unsigned)strtoul(value, NULL, 0);
  else if (strcmp(name, "--keep") == 0)
    *keep = value;
  else
    return strcmp(name, "--near") == 0 && read_modes(r, value);
  return true;
}

static int print_programs(const run *r) {
  for (unsigned n = 0; n < r->count; n++) {
    program *p = program_generate(r->seed, r->first + n);
    program_write(p, stdout);
    program_free(p);
  }
  return 0;
}

static bool make_folder(run *r, const char *keep) {
  const char *tmp = getenv("TMPDIR");
  if (keep) {
    snprintf(r->dir, sizeof r->dir, "%s", keep);
    mkdir(keep, 0777);  // may exist
    return true;
  }
  snprintf(r->dir, sizeof r->dir, "%s/nearbank-random-XXXXXX", tmp ? tmp : "/tmp");
  if (mkdtemp(r->dir))
    return true;
  perror(r->dir);
  return false;
}

int main(int argc, char **argv) {
  const char *keep = NULL;
  char modes[] = "none,none,c";
  run r = {.program = argv[0], .seed = 1, .jobs = 1, .digest = 0xcbf29ce484222325u};
  r.count = SHORT_COUNT;
  if (getenv("MPU_LONG")) {
    r.count = LONG_COUNT;
    r.jobs = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
  }
  bool print = false;
  read_modes(&r, modes);
  for (int k = 1; k < argc; k++)
    if (strcmp(argv[k], "--print") == 0)
      print = true;
    else if (k + 1 == argc || !read_option(&r, argv[k], argv[k + 1], &keep))
      return usage(argv[0]);
    else
      k++;
  if (!r.jobs)
    return usage(argv[0]);
  if (print)
    return print_programs(&r);
  if (!make_folder(&r, keep))
    return 2;
  const int signals[] = {SIGILL, SIGSEGV, SIGABRT, SIGFPE};
  for (int n = 0; n < 4; n++)
    signal(signals[n], ended);
  const int failed = run_all(&r);
  if (!failed && !keep)
    rmdir(r.dir);
  return failed;
}

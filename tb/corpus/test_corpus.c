// SPDX-License-Identifier: Apache-2.0
// Random PTX programs against the same programs compiled for the host: the memory that they leave
// must be the same bit for bit, whatever the locations and however few the registers.
//   test_corpus [--seed N] [--first N] [--count N] [--long] [--keep DIRECTORY]
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <assert.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "csim/isa/machine.h"
#include "kernels/mpucc/mpucc.h"
#include "prog.h"
#include "tb/cosim/timed.h"

typedef void (*host_fn)(const uint8_t *in, uint8_t *out, uint32_t *red);

typedef struct corpus {
  const char *program;
  uint64_t seed;
  unsigned first, count, failures;
  uint64_t cycles;  // of all cores, with MPU_NEAR
  char dir[PATH_MAX / 2];
  uint8_t in[PROG_IN];
} corpus;

enum { BATCH = 100, DEFAULT_COUNT = 360, LONG_COUNT = 5000, MAX_REDUCED = 3 };

static void input_fill(uint8_t *in, uint64_t seed) {
  uint64_t x = seed * 0x9e3779b97f4a7c15u + 12345;
  for (unsigned k = 0; k < PROG_IN / 4; k++) {
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u + k;
    uint32_t v = (uint32_t)(x >> 20);
    switch (x >> 60 & 3) {
      case 0:
        v %= 100;
        break;
      case 1:
        v = (v & 0x807fffff) | (110 + (v >> 23 & 31)) << 23;
        break;  // floats near 1
      case 2:
        v = (v & 0x800fffff) | (1000 + (v >> 20 & 31)) << 20;
        break;  // upper half of doubles
      default:
        break;
    }
    if (k % 13 == 5)
      v &= 0x807fffff;  // subnormal
    memcpy(in + 4 * k, &v, 4);
  }
}

// ---- the host's side
static const char *source_dir(char *to, size_t bytes) {
  snprintf(to, bytes, "%s", __FILE__);
  char *slash = strrchr(to, '/');
  assert(slash);
  *slash = 0;
  return to;
}

static void *host_build(const corpus *c, const char *name, prog *const *programs, unsigned n) {
  char path[PATH_MAX], command[3 * PATH_MAX], here[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s.c", c->dir, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fprintf(f, "#include \"host.h\"\n");
  for (unsigned k = 0; k < n; k++)
    prog_write_c(programs[k], f);
  fclose(f);
  snprintf(command, sizeof command,
           "cc -std=gnu17 -O1 -fwrapv -ffp-contract=off -w -shared -fPIC -I'%s' -o '%s/%s.so' "
           "'%s/%s.c' -lm",
           source_dir(here, sizeof here), c->dir, name, c->dir, name);
  if (system(command) != 0)
    fail_msg("cannot compile the host's programs: %s", command);
  snprintf(path, sizeof path, "%s/%s.so", c->dir, name);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail_msg("%s", dlerror());
  return library;
}

static host_fn host_find(void *library, unsigned number) {
  char name[32];
  host_fn fn;
  snprintf(name, sizeof name, "prog_%u", number);
  void *symbol = dlsym(library, name);
  assert_non_null(symbol);
  memcpy(&fn, &symbol, sizeof fn);
  return fn;
}

// ---- the machine's side
typedef struct memory {
  size_t bytes;
  uint8_t *out;
  uint32_t red[PROG_REDS];
} memory;

static memory memory_new(const prog *p) {
  memory m = {.bytes = (size_t)p->blocks * p->threads * PROG_REGION};
  m.out = calloc(m.bytes, 1);
  assert_non_null(m.out);
  return m;
}

// The features of the compiler are drawn; a machine executes programs with and without each.
static void options_for(unsigned number, mpucc_options *o, char text[128]) {
  static const uint32_t regs[] = {0, 16, 8};
  *o = mpucc_options_default();
  o->locate = (mir_policy)(number % MIR_POLICIES);
  o->max_regs = regs[number / MIR_POLICIES % 3];
  const unsigned drawn = number / (3 * MIR_POLICIES);
  o->dies = timed_dies();
  o->near_predicates = drawn & 1;
  o->reorder = drawn >> 1 & 1;
  o->forms = o->locate == MIR_LOCATE_COST && drawn >> 2 & 1;
  o->skew = drawn >> 3 & 1;
  snprintf(text, 128, "--locate=%s --maxregs=%u%s%s%s%s", mir_policy_names[o->locate], o->max_regs,
           o->near_predicates ? " --near-predicates" : "", o->reorder ? " --reorder" : "",
           o->forms ? " --forms" : "", o->skew ? " --skew" : "");
}

static char *ptx_text(const prog *p, size_t *bytes) {
  char *text = NULL;
  FILE *f = open_memstream(&text, bytes);
  assert_non_null(f);
  prog_write_ptx(p, f);
  fclose(f);
  return text;
}

// NULL, or what went wrong, in `why`.
static const char *machine_side(corpus *c, const prog *p, memory *mem, char why[512]) {
  mpucc_options o;
  char flags[128], *messages = NULL;
  size_t bytes, message_bytes, image_bytes = 0;
  uint8_t *image = NULL;
  options_for(p->number, &o, flags);
  o.messages = open_memstream(&messages, &message_bytes);
  char *text = ptx_text(p, &bytes);
  int status = mpucc_compile(text, bytes, "program.ptx", &o, &image, &image_bytes);
  fclose(o.messages);
  free(text);
  if (status != 0) {
    snprintf(why, 512, "mpucc: %.400s", messages);
    free(messages);
    return why;
  }
  free(messages);
  char load_why[256];
  module *mod = module_load(image, image_bytes, load_why, sizeof load_why);
  free(image);
  if (!mod) {
    snprintf(why, 512, "loader: %s", load_why);
    return why;
  }
  machine_config config = machine_config_default();
  config.max_instructions = 50000000;
  timed_config(&config);
  machine *m = machine_new(&config);
  assert_non_null(m);
  void *timed = timed_attach(m);
  const char *result = NULL;
  uint64_t params[3];
  launch *l = NULL;
  const launch_shape shape = {{p->blocks, 1, 1}, {p->threads, 1, 1}, 0};
  machine_error e = machine_add_module(m, mod);
  e = e ? e : timed_malloc(timed, m, p->number + 0, PROG_IN, &params[0]);
  e = e ? e : timed_malloc(timed, m, p->number + 1, mem->bytes, &params[1]);
  e = e ? e : timed_malloc(timed, m, p->number + 2, sizeof mem->red, &params[2]);
  e = e ? e : machine_write(m, params[0], c->in, PROG_IN);
  e = e ? e : machine_fill(m, params[1], 0, mem->bytes);
  e = e ? e : machine_fill(m, params[2], 0, sizeof mem->red);
  e = e ? e : launch_new(m, mod, &mod->kernels[0], &shape, params, sizeof params, &l);
  e = e ? e : launch_run(l);
  e = e ? e : machine_read(m, mem->out, params[1], mem->bytes);
  e = e ? e : machine_read(m, mem->red, params[2], sizeof mem->red);
  if (e) {
    snprintf(why, 512, "machine: %.480s", machine_message(m));
    result = why;
  }
  launch_free(l);
  c->cycles += timed_cycles(timed);
  timed_detach(timed);
  machine_free(m);
  return result;
}

// NULL when both sides agree.
static const char *compare_sides(corpus *c, const prog *p, host_fn host, char why[512]) {
  memory want = memory_new(p), got = memory_new(p);
  host(c->in, want.out, want.red);
  const char *result = machine_side(c, p, &got, why);
  for (size_t k = 0; k < want.bytes && !result; k++)
    if (want.out[k] != got.out[k]) {
      size_t word = k / 4 * 4;
      uint32_t w, g;
      memcpy(&w, want.out + word, 4);
      memcpy(&g, got.out + word, 4);
      snprintf(why, 512, "thread %zu of block %zu, region word at %zu: want 0x%08x, got 0x%08x",
               k / PROG_REGION % p->threads, k / PROG_REGION / p->threads, word % PROG_REGION, w,
               g);
      result = why;
    }
  for (unsigned k = 0; k < PROG_REDS && !result; k++)
    if (want.red[k] != got.red[k]) {
      snprintf(why, 512, "reduction word %u: want 0x%08x, got 0x%08x", k, want.red[k], got.red[k]);
      result = why;
    }
  free(want.out);
  free(got.out);
  return result;
}

// ---- failures
// Drops statements as long as the program still fails.
static void reduce(corpus *c, prog *p) {
  char why[512], name[64];
  for (unsigned k = 0; k < p->count; k++) {
    p->all[k]->off = true;
    snprintf(name, sizeof name, "reduce_%u_%u", p->number, k);
    void *library = host_build(c, name, &p, 1);
    if (!compare_sides(c, p, host_find(library, p->number), why))
      p->all[k]->off = false;
    dlclose(library);
  }
}

static void report(corpus *c, prog *p, const char *why, bool keep_short) {
  mpucc_options o;
  char flags[128], path[PATH_MAX];
  options_for(p->number, &o, flags);
  printf("program %u (%s): %s\n  reproduce: %s --seed %" PRIu64 " --first %u --count 1\n",
         p->number, flags, why, c->program, p->seed, p->number);
  if (keep_short) {
    reduce(c, p);
    snprintf(path, sizeof path, "%s/program_%u.ptx", c->dir, p->number);
    FILE *f = fopen(path, "w");
    if (f) {
      prog_write_ptx(p, f);
      fclose(f);
      printf("  reduced program: %s\n", path);
    }
  }
  fflush(stdout);
}

static void test_programs(void **state) {
  corpus *c = *state;
  for (unsigned at = 0; at < c->count; at += BATCH) {
    prog *programs[BATCH];
    char name[64], why[512];
    unsigned n = c->count - at < BATCH ? c->count - at : BATCH;
    for (unsigned k = 0; k < n; k++)
      programs[k] = prog_generate(c->seed, c->first + at + k);
    snprintf(name, sizeof name, "batch_%u", c->first + at);
    void *library = host_build(c, name, programs, n);
    for (unsigned k = 0; k < n; k++) {
      if (compare_sides(c, programs[k], host_find(library, programs[k]->number), why)) {
        c->failures++;
        report(c, programs[k], why, c->failures <= MAX_REDUCED);
      }
      prog_free(programs[k]);
    }
    dlclose(library);
  }
  if (c->cycles)
    printf("%" PRIu64 " cycles of cores: ", c->cycles);
  printf("%u programs, %u differ\n", c->count, c->failures);
  assert_int_equal(c->failures, 0);
}

static int usage(const char *program) {
  fprintf(stderr, "usage: %s [--seed N] [--first N] [--count N] [--long] [--keep DIRECTORY]\n",
          program);
  return 2;
}

int main(int argc, char **argv) {
  corpus c = {.program = argv[0], .seed = 1, .count = DEFAULT_COUNT};
  bool keep = false;
  for (int k = 1; k < argc; k++) {
    const char *next = k + 1 < argc ? argv[k + 1] : NULL;
    if (strcmp(argv[k], "--long") == 0) {
      c.count = LONG_COUNT;
      continue;
    }
    if (!next)
      return usage(argv[0]);
    if (strcmp(argv[k], "--seed") == 0) {
      c.seed = strtoull(next, NULL, 0);
    } else if (strcmp(argv[k], "--first") == 0) {
      c.first = (unsigned)strtoul(next, NULL, 0);
    } else if (strcmp(argv[k], "--count") == 0) {
      c.count = (unsigned)strtoul(next, NULL, 0);
    } else if (strcmp(argv[k], "--keep") == 0) {
      keep = true;
      snprintf(c.dir, sizeof c.dir, "%s", next);
      mkdir(c.dir, 0777);  // may exist
    } else {
      return usage(argv[0]);
    }
    k++;
  }
  if (!keep) {
    const char *tmp = getenv("TMPDIR");
    snprintf(c.dir, sizeof c.dir, "%s/nearbank-corpus-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(c.dir)) {
      perror(c.dir);
      return 2;
    }
  }
  input_fill(c.in, c.seed);
  const struct CMUnitTest tests[] = {
      {"programs", test_programs, NULL, NULL, &c},
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (!failed && !keep) {
    char command[PATH_MAX];
    snprintf(command, sizeof command, "rm -rf '%s'", c.dir);
    if (system(command) != 0)
      fprintf(stderr, "cannot remove %s\n", c.dir);
  }
  return failed != 0;
}

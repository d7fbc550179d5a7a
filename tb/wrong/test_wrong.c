// SPDX-License-Identifier: Apache-2.0
// What the published simulator of this machine gets wrong, one file a case, named after the point.
// A case is PTX with directives in comments, executed from the top:
//   //! buffer NAME WORDS = EXPR       32-bit words; i is the index
//   //! write NAME = EXPR              the host rewrites a buffer
//   //! launch KERNEL gx gy gz bx by bz DYNAMIC : ARGUMENT...   a buffer's name, or a number; a
//                                      structure takes one for each of its words
//   //! expect NAME = EXPR             every word, now; NAME[...] then means what the machine has
// Each case runs with every location policy and with few registers.
//   test_wrong [FILE.ptx...]
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "expr.h"
#include "csim/isa/machine.h"
#include "kernels/mpucc/mpucc.h"
#include "tb/cosim/timed.h"

enum { MAX_BUFFERS = 8, MAX_CASES = 128, NAME = 32 };

typedef struct buffer {
  char name[NAME];
  uint64_t address;
  uint32_t words;
  uint32_t *data;  // the host's copy
} buffer;

typedef struct run {
  const char *path;
  char flags[64];
  unsigned line;
  machine *m;
  module *mod;
  buffer buffers[MAX_BUFFERS];
  unsigned buffer_count, launches, expectations;
  int64_t i;  // the index in expressions
} run;

static void complain(const run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void complain(const run *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  printf("%s:%u: (%s) ", r->path, r->line, r->flags);
  vprintf(format, args);
  printf("\n");
  va_end(args);
  fflush(stdout);
  fail();
}

static buffer *buffer_find(run *r, const char *name) {
  for (unsigned k = 0; k < r->buffer_count; k++)
    if (strcmp(r->buffers[k].name, name) == 0)
      return &r->buffers[k];
  return NULL;
}

static bool lookup(void *ctx, const char *name, const int64_t *index, int64_t *value) {
  run *r = ctx;
  if (!index) {
    *value = r->i;
    return strcmp(name, "i") == 0;
  }
  const buffer *b = buffer_find(r, name);
  if (!b || *index < 0 || *index >= b->words)
    return false;
  *value = b->data[*index];
  return true;
}

static uint32_t evaluate(run *r, const char *text, int64_t i) {
  int64_t value;
  const char *error;
  r->i = i;
  if (!expr_eval(text, lookup, r, &value, &error))
    complain(r, "no expression at '%s'", error);
  return (uint32_t)value;
}

static void check(run *r, machine_error e) {
  if (e)
    complain(r, "%s", machine_message(r->m));
}

static void fill(run *r, buffer *b, const char *text) {
  uint32_t *fresh = calloc(b->words, sizeof *fresh);
  assert_non_null(fresh);
  for (uint32_t k = 0; k < b->words; k++)
    fresh[k] = evaluate(r, text, k);
  free(b->data);
  b->data = fresh;
  check(r, machine_write(r->m, b->address, b->data, b->words * sizeof *b->data));
}

// The text behind " = ".
static const char *right_side(run *r, const char *line) {
  const char *eq = strstr(line, " = ");
  if (!eq)
    complain(r, "' = ' is missing");
  return eq + 3;
}

static void do_buffer(run *r, const char *line) {
  buffer *b = &r->buffers[r->buffer_count];
  if (r->buffer_count == MAX_BUFFERS || sscanf(line, " %31s %u", b->name, &b->words) != 2)
    complain(r, "buffer NAME WORDS = EXPR");
  check(r, machine_malloc(r->m, b->words * sizeof *b->data, &b->address));
  r->buffer_count++;
  fill(r, b, right_side(r, line));
}

static void do_launch(run *r, const char *line) {
  char kernel[64], argument[NAME];
  launch_shape s;
  const char *at = strchr(line, ':');
  uint32_t *g = s.grid, *b = s.block;
  if (!at || sscanf(line, " %63s %u %u %u %u %u %u %u", kernel, &g[0], &g[1], &g[2], &b[0], &b[1],
                    &b[2], &s.dynamic_shared) != 8)
    complain(r, "launch KERNEL gx gy gz bx by bz DYNAMIC : ARGUMENT...");
  const module_kernel *k = module_find_kernel(r->mod, kernel);
  if (!k)
    complain(r, "no kernel %s", kernel);
  uint8_t *params = calloc(k->param_bytes + 8, 1);
  int used;
  at++;
  for (uint32_t p = 0, filled = 0; sscanf(at, " %31s%n", argument, &used) == 1; at += used) {
    const buffer *buf = buffer_find(r, argument);
    uint64_t value = buf ? buf->address : strtoull(argument, NULL, 0);
    if (p >= k->param_count)
      complain(r, "kernel %s has %u parameters", kernel, k->param_count);
    bool structure = k->params[p].bytes > 8;  // takes as many numbers as it has words
    memcpy(params + k->params[p].offset + filled, &value, structure ? 4 : k->params[p].bytes);
    filled += 4;
    if (!structure || filled >= k->params[p].bytes)
      p++, filled = 0;
  }
  launch *l;
  check(r, launch_new(r->m, r->mod, k, &s, params, k->param_bytes, &l));
  check(r, launch_run(l));
  launch_free(l);
  free(params);
  r->launches++;
}

static void do_expect(run *r, const char *line) {
  char name[NAME];
  buffer *b = sscanf(line, " %31s", name) == 1 ? buffer_find(r, name) : NULL;
  if (!b)
    complain(r, "expect NAME = EXPR");
  const char *text = right_side(r, line);
  uint32_t *got = calloc(b->words, sizeof *got);
  assert_non_null(got);
  check(r, machine_read(r->m, got, b->address, b->words * sizeof *got));
  for (uint32_t k = 0; k < b->words; k++) {
    uint32_t want = evaluate(r, text, k);
    if (got[k] != want)
      complain(r, "%s[%u]: want 0x%08x, got 0x%08x", name, k, want, got[k]);
  }
  free(b->data);
  b->data = got;
  r->expectations++;
}

static void directive(run *r, const char *line) {
  char word[16];
  int used = 0;
  if (sscanf(line, " %15s%n", word, &used) != 1)
    complain(r, "an empty directive");
  if (strcmp(word, "buffer") == 0) {
    do_buffer(r, line + used);
  } else if (strcmp(word, "write") == 0) {
    char name[NAME];
    buffer *b = sscanf(line + used, " %31s", name) == 1 ? buffer_find(r, name) : NULL;
    if (!b)
      complain(r, "write NAME = EXPR");
    fill(r, b, right_side(r, line));
  } else if (strcmp(word, "launch") == 0) {
    do_launch(r, line + used);
  } else if (strcmp(word, "expect") == 0) {
    do_expect(r, line + used);
  } else {
    complain(r, "unknown directive '%s'", word);
  }
}

static char *file_text(const char *path, size_t *bytes) {
  FILE *f = fopen(path, "rb");
  if (!f)
    fail_msg("cannot read %s", path);
  fseek(f, 0, SEEK_END);
  *bytes = (size_t)ftell(f);
  rewind(f);
  char *text = malloc(*bytes + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, *bytes, f), *bytes);
  text[*bytes] = 0;
  fclose(f);
  return text;
}

static void case_run(const char *path, mir_policy policy, const char *policy_name, uint32_t regs) {
  run r = {.path = path};
  size_t bytes, image_bytes;
  uint8_t *image;
  char *text = file_text(path, &bytes), why[256];
  mpucc_options o = mpucc_options_default();
  o.locate = policy;
  o.max_regs = regs;
  o.dies = timed_dies();
  snprintf(r.flags, sizeof r.flags, "--locate=%s --maxregs=%u", policy_name, regs);
  if (mpucc_compile(text, bytes, path, &o, &image, &image_bytes) != 0)
    complain(&r, "does not compile");
  r.mod = module_load(image, image_bytes, why, sizeof why);
  free(image);
  if (!r.mod)
    complain(&r, "%s", why);
  machine_config config = machine_config_default();
  config.max_instructions = 50000000;
  timed_config(&config);
  r.m = machine_new(&config);
  assert_non_null(r.m);
  void *timed = timed_attach(r.m);
  check(&r, machine_add_module(r.m, r.mod));
  for (char *line = text, *next; line; line = next) {
    next = strchr(line, '\n');
    if (next)
      *next++ = 0;
    r.line++;
    if (strncmp(line, "//!", 3) == 0)
      directive(&r, line + 3);
  }
  if (!r.launches || !r.expectations)
    complain(&r, "the case launches or expects nothing");
  for (unsigned k = 0; k < r.buffer_count; k++)
    free(r.buffers[k].data);
  timed_detach(timed);
  machine_free(r.m);
  free(text);
}

static void test_case(void **state) {
  static const uint32_t regs[] = {0, 16, 8};
  for (unsigned p = 0; p < MIR_POLICIES; p++)
    for (unsigned n = 0; n < 3; n++)
      case_run(*state, (mir_policy)p, mir_policy_names[p], regs[n]);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// Paths of the cases beside this file.
static size_t cases_find(char *paths[MAX_CASES]) {
  char dir[PATH_MAX] = __FILE__, path[PATH_MAX];
  size_t n = 0;
  char *slash = strrchr(dir, '/');
  if (slash)
    *slash = 0;
  DIR *d = opendir(slash ? dir : ".");
  for (struct dirent *e; d && (e = readdir(d));) {
    size_t length = strlen(e->d_name);
    if (length < 4 || strcmp(e->d_name + length - 4, ".ptx") != 0 || n == MAX_CASES)
      continue;
    if (snprintf(path, sizeof path, "%s/%s", slash ? dir : ".", e->d_name) < (int)sizeof path)
      paths[n++] = strdup(path);
  }
  if (d)
    closedir(d);
  qsort(paths, n, sizeof *paths, by_name);
  return n;
}

// Each of the points 1 to 8 has a case.
static void test_points(void **state) {
  char **paths = *state;
  unsigned seen = 0;
  for (unsigned k = 0; paths[k]; k++) {
    const char *name = strrchr(paths[k], '/');
    if (name && isdigit((unsigned char)name[1]))
      seen |= 1u << (name[1] - '0');
  }
  assert_int_equal(seen, 0x1fe);
}

int main(int argc, char **argv) {
  char *found[MAX_CASES + 1] = {0};
  size_t n = argc > 1 ? 0 : cases_find(found);
  for (int k = 1; k < argc && n < MAX_CASES; k++)
    found[n++] = strdup(argv[k]);
  struct CMUnitTest tests[MAX_CASES + 1] = {{0}};
  for (size_t k = 0; k < n; k++) {
    const char *name = strrchr(found[k], '/');
    tests[k] = (struct CMUnitTest){name ? name + 1 : found[k], test_case, NULL, NULL, found[k]};
  }
  size_t count = n;
  if (argc == 1)
    tests[count++] = (struct CMUnitTest){"points 1 to 8", test_points, NULL, NULL, found};
  int failed = _cmocka_run_group_tests("wrong", tests, count, NULL, NULL);
  for (size_t k = 0; k < n; k++)
    free(found[k]);
  return failed != 0;
}

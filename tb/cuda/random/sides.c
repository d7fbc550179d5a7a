// SPDX-License-Identifier: Apache-2.0
#include "sides.h"

#include <assert.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csim/isa/machine.h"
#include "harness/base/user_error.h"
#include "harness/cuda/driver/command.h"
#include "tb/cosim/timed.h"
#include "grid.h"

#define HERE NEARBANK_ROOT "/tb/cuda/random"

struct sides {
  void *library;
  grid_place *place;
  char *ptx, path[PATH_MAX];
  size_t ptx_bytes;
  uint8_t in[PROGRAM_IN], sums[PROGRAM_SUMS];
};

struct machine_side {
  machine *m;
  void *timed;
  module *mod;
  const sides *s;
  uint64_t in, sums;
};

// ---- building

// Small numbers, floats near 1, doubles near 1, anything; some subnormal.
static void fill_input(sides *s) {
  uint64_t x = 12345;
  for (unsigned k = 0; k < PROGRAM_IN / 4; k++) {
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u + k + 1;
    uint32_t v = (uint32_t)(x >> 20);
    const unsigned kind = x >> 60 & 3;
    if (kind == 0)
      v %= 100;
    else if (kind == 1)
      v = (v & 0x807fffff) | (110 + (v >> 23 & 31)) << 23;
    else if (kind == 2)
      v = (v & 0x800fffff) | (1000 + (v >> 20 & 31)) << 20;
    if (k % 13 == 5)
      v &= 0x807fffff;
    memcpy(s->in + 4 * k, &v, 4);
  }
  memcpy(s->sums, s->in, 768);  // floats begin at 0
}

static bool write_source(const char *path, program *const *programs, unsigned count) {
  FILE *f = fopen(path, "w");
  if (!f)
    return false;
  for (unsigned n = 0; n < count; n++)
    program_write(programs[n], f);
  return fclose(f) == 0;
}

static int compile_cpu(const char *source, const char *library, bool checked) {
  command c = {0};
  command_add_all(&c, CLANG, "-x", "c++", "-std=c++17", "-O0", "-ffp-contract=off", "-w", "-shared",
                  "-fPIC", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-include",
                  HERE "/emulate.h", "-include", HERE "/exact.h", "-I", HERE, NULL);
  if (checked)
    command_add_all(&c, "-fsanitize=undefined", "-fsanitize-trap=undefined",
                    "-fno-sanitize=function,vptr", "-g", NULL);
  command_add_all(&c, source, "-o", library, "-lm", NULL);
  const int status = command_start(&c, false);
  command_clear(&c);
  return status;
}

static int compile_device(const char *source, const char *ptx, unsigned level) {
  command c = {0};
  clang_common(&c, NEARBANK_ROOT "/harness/cuda/include");
  clang_device(&c, (int)level, LIBCLC);
  command_add_all(&c, "-w", "-include", HERE "/exact.h", source, "-o", ptx, NULL);
  const int status = command_start(&c, false);
  command_clear(&c);
  return status;
}

static bool open_library(sides *s, const char *path, char why[WHY]) {
  s->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!s->library) {
    snprintf(why, WHY, "%s", dlerror());
    return false;
  }
  s->place = dlsym(s->library, "place");
  const grid_calls **calls = dlsym(s->library, "calls");
  assert(s->place && calls);
  *calls = &grid_table;
  return true;
}

sides *sides_build(const char *dir, const char *name, program *const *programs, unsigned count,
                   unsigned level, bool checked, char why[WHY]) {
  char source[PATH_MAX], library[PATH_MAX], ptx[PATH_MAX];
  sides *s = calloc(1, sizeof *s);
  assert(s);
  snprintf(source, sizeof source, "%s/%s.cu", dir, name);
  snprintf(library, sizeof library, "%s/%s.so", dir, name);
  snprintf(ptx, sizeof ptx, "%s/%s.ptx", dir, name);
  *why = 0;
  if (!write_source(source, programs, count))
    snprintf(why, WHY, "cannot write %.900s", source);
  else if (compile_cpu(source, library, checked) != 0)
    snprintf(why, WHY, "clang for the CPU refuses %.900s", source);
  else if (compile_device(source, ptx, level) != 0)
    snprintf(why, WHY, "clang for the device refuses %.900s (-O%u)", source, level);
  else if (!(s->ptx = read_file(ptx, &s->ptx_bytes)))
    snprintf(why, WHY, "cannot read %.900s", ptx);
  else if (open_library(s, library, why)) {
    fill_input(s);
    snprintf(s->path, sizeof s->path, "%s", library);
    return s;
  }
  sides_free(s);
  return NULL;
}

void sides_free(sides *s) {
  if (s->library)
    dlclose(s->library);
  if (*s->path)
    unlink(s->path);
  free(s->ptx);
  free(s);
}

// ---- both

static void results_begin(const sides *s, const program *p, results *r) {
  *r = (results){0};
  memcpy(r->sums, s->sums, sizeof r->sums);
  for (unsigned n = 0; n < p->kernel_count; n++) {
    const kernel *k = &p->kernels[n];
    r->bytes[n] = (size_t)k->blocks[0] * k->blocks[1] * k->blocks[2] * k->threads[0] *
                  k->threads[1] * k->threads[2] * PROGRAM_REGION;
    r->out[n] = calloc(r->bytes[n], 1);
    assert(r->out[n]);
  }
}

void results_free(results *r) {
  for (unsigned n = 0; n < PROGRAM_KERNELS; n++)
    free(r->out[n]);
  *r = (results){0};
}

static void set_params(const kernel *k, uint64_t in, uint64_t prev, uint64_t out, uint64_t sums,
                       uint8_t params[PROGRAM_PARAMS]) {
  const uint64_t pointers[] = {in, prev, out, sums};
  memcpy(params, k->params, PROGRAM_PARAMS);
  memcpy(params, pointers, sizeof pointers);
}

// ---- the CPU

bool sides_cpu(sides *s, const program *p, bool descending, results *r, char why[WHY]) {
  results_begin(s, p, r);
  for (unsigned n = 0; n < p->kernel_count; n++) {
    const kernel *k = &p->kernels[n];
    uint8_t params[PROGRAM_PARAMS];
    char name[64];
    grid_kernel *call;
    snprintf(name, sizeof name, "%s_call", k->name);
    void *symbol = dlsym(s->library, name);
    assert(symbol);
    memcpy(&call, &symbol, sizeof call);
    set_params(k, (uint64_t)s->in, (uint64_t)(n ? r->out[n - 1] : NULL), (uint64_t)r->out[n],
               (uint64_t)r->sums, params);
    const char *wrong = grid_run(call, params, k->blocks, k->threads, descending, s->place);
    if (wrong) {
      snprintf(why, WHY, "%s: %s", k->name, wrong);
      return false;
    }
  }
  return true;
}

// ---- the machine

static module *compile_module(const sides *s, const mpucc_options *given, char why[WHY]) {
  mpucc_options o = *given;
  char *messages = NULL, load_why[256];
  size_t message_bytes, image_bytes = 0;
  uint8_t *image = NULL;
  o.messages = open_memstream(&messages, &message_bytes);
  const int status = mpucc_compile(s->ptx, s->ptx_bytes, "programs.ptx", &o, &image, &image_bytes);
  fclose(o.messages);
  if (status)
    snprintf(why, WHY, "mpucc: %.900s", messages);
  free(messages);
  if (status)
    return NULL;
  module *mod = module_load(image, image_bytes, load_why, sizeof load_why);
  free(image);
  if (!mod)
    snprintf(why, WHY, "loader: %s", load_why);
  return mod;
}

machine_side *sides_machine(sides *s, const mpucc_options *o, unsigned number, char why[WHY]) {
  module *mod = compile_module(s, o, why);
  if (!mod)
    return NULL;
  machine_side *x = calloc(1, sizeof *x);
  machine_config config = machine_config_default();
  assert(x);
  config.max_instructions = 50000000;
  timed_config(&config);
  x->s = s;
  x->mod = mod;
  x->m = machine_new(&config);
  assert(x->m);
  x->timed = timed_attach(x->m);
  machine_error e = machine_add_module(x->m, mod);
  e = e ? e : timed_malloc(x->timed, x->m, number, PROGRAM_IN, &x->in);
  e = e ? e : machine_write(x->m, x->in, s->in, PROGRAM_IN);
  e = e ? e : timed_malloc(x->timed, x->m, number + 1, PROGRAM_SUMS, &x->sums);
  if (e) {
    snprintf(why, WHY, "machine: %.900s", machine_message(x->m));
    machine_side_free(x);
    return NULL;
  }
  return x;
}

uint64_t machine_side_cycles(const machine_side *x) {
  return timed_cycles(x->timed);
}

void machine_side_free(machine_side *x) {
  timed_detach(x->timed);
  machine_free(x->m);
  free(x);
}

static const module_kernel *find_kernel(const module *mod, const char *name) {
  for (uint32_t n = 0; n < mod->kernel_count; n++)
    if (strcmp(mod->kernels[n].name, name) == 0)
      return &mod->kernels[n];
  return NULL;
}

static machine_error launch_kernel(machine_side *x, const kernel *k, uint64_t prev, uint64_t out) {
  uint8_t params[PROGRAM_PARAMS];
  const module_kernel *found = find_kernel(x->mod, k->name);
  launch_shape shape = {.dynamic_shared = k->dynamic_shared};
  launch *l = NULL;
  assert(found);
  assert(found->param_bytes == k->param_bytes);
  memcpy(shape.grid, k->blocks, sizeof shape.grid);
  memcpy(shape.block, k->threads, sizeof shape.block);
  set_params(k, x->in, prev, out, x->sums, params);
  machine_error e = launch_new(x->m, x->mod, found, &shape, params, k->param_bytes, &l);
  e = e ? e : launch_run(l);
  launch_free(l);
  return e;
}

bool machine_side_run(machine_side *x, const program *p, results *r, char why[WHY]) {
  uint64_t out[PROGRAM_KERNELS] = {0};
  results_begin(x->s, p, r);
  machine_error e = machine_write(x->m, x->sums, r->sums, PROGRAM_SUMS);
  for (unsigned n = 0; n < p->kernel_count; n++) {
    e = e ? e : machine_malloc(x->m, r->bytes[n], &out[n]);
    e = e ? e : machine_fill(x->m, out[n], 0, r->bytes[n]);
    e = e ? e : launch_kernel(x, &p->kernels[n], n ? out[n - 1] : 0, out[n]);
    e = e ? e : machine_read(x->m, r->out[n], out[n], r->bytes[n]);
  }
  e = e ? e : machine_read(x->m, r->sums, x->sums, PROGRAM_SUMS);
  if (e)
    snprintf(why, WHY, "machine: %.900s", machine_message(x->m));
  for (unsigned n = 0; n < p->kernel_count; n++)
    if (out[n])
      machine_release(x->m, out[n]);
  return e == MACHINE_OK;
}

// ---- comparison

static void describe(const kernel *k, size_t at, const results *want, const results *got,
                     unsigned n, char why[WHY]) {
  const size_t word = at / 8 * 8, thread = at / PROGRAM_REGION, place = word % PROGRAM_REGION;
  const unsigned threads = k->threads[0] * k->threads[1] * k->threads[2];
  const unsigned t = (unsigned)(thread % threads);
  uint64_t w, g;
  char what[64];
  memcpy(&w, want->out[n] + word, 8);
  memcpy(&g, got->out[n] + word, 8);
  if (place / 8 < k->var_count)
    snprintf(what, sizeof what, "%s", k->vars[place / 8]);
  else
    snprintf(what, sizeof what, "byte %zu of its memory", place - 8 * PROGRAM_VARS);
  snprintf(why, WHY,
           "%s, block %zu, thread %u (%u, %u, %u), %s: 0x%" PRIx64 " on the CPU, 0x%" PRIx64,
           k->name, thread / threads, t, t % k->threads[0], t / k->threads[0] % k->threads[1],
           t / k->threads[0] / k->threads[1], what, w, g);
}

bool results_same(const program *p, const results *want, const results *got, char why[WHY]) {
  for (unsigned n = 0; n < p->kernel_count; n++)
    for (size_t at = 0; at < want->bytes[n]; at++)
      if (want->out[n][at] != got->out[n][at]) {
        describe(&p->kernels[n], at, want, got, n, why);
        return false;
      }
  for (unsigned at = 0; at < PROGRAM_SUMS; at += 4)
    if (memcmp(want->sums + at, got->sums + at, 4) != 0) {
      uint32_t w, g;
      memcpy(&w, want->sums + at, 4);
      memcpy(&g, got->sums + at, 4);
      snprintf(why, WHY, "word %u of sums: 0x%x on the CPU, 0x%x", at / 4, w, g);
      return false;
    }
  return true;
}

uint64_t results_digest(const program *p, const results *r, uint64_t so_far) {
  for (unsigned n = 0; n < p->kernel_count; n++)
    for (size_t at = 0; at < r->bytes[n]; at++)
      so_far = (so_far ^ r->out[n][at]) * 0x100000001b3u;
  for (unsigned at = 0; at < PROGRAM_SUMS; at++)
    so_far = (so_far ^ r->sums[at]) * 0x100000001b3u;
  return so_far;
}

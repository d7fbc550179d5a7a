// SPDX-License-Identifier: Apache-2.0
// A library of models in the place of libnearrtl.so: passes every clock edge on to the models of
// the library MPU_RECORD_OF, and keeps its inputs. At the end of the process it clocks fresh models
// with the same inputs and with nothing in between, several times, and writes to the file
// MPU_RECORD how long the fastest time took, in seconds, and the number of edges. For `mpu bench
// core`: what models cost when nobody is around them.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "csim/base/block.h"

enum { NBU, SMEM, RTT, KINDS, BLOCKS = 16, RUNS = 2 };

typedef struct wrapped {
  void *block;
  unsigned kind;
  void *last;  // outputs after the last edge
} wrapped;

static struct {
  const block_ops *ops[KINDS];
  bool (*failed[KINDS])(const void *);
  wrapped *blocks[BLOCKS];  // in the order in which they were made
  unsigned n_blocks;
  unsigned char *edges;  // number of the block, 8 bytes, then its inputs
  size_t bytes, room, count;
} tape;

block_ops nbu_rtl, smem_rtl, rtt_rtl;
bool nbu_rtl_failed(const void *w), smem_rtl_failed(const void *w), rtt_rtl_failed(const void *w);

__attribute__((noreturn)) static void fatal(const char *what) {
  fprintf(stderr, "mpu: recording models: %s\n", what);
  exit(2);
}

static void *need(void *p) {
  if (!p)
    fatal("out of memory");
  return p;
}

static void *make(unsigned kind) {
  wrapped *w = need(calloc(1, sizeof *w));
  if (tape.n_blocks == BLOCKS)
    fatal("more than one near side");
  *w = (wrapped){need(tape.ops[kind]->create(NULL)), kind,
                 need(calloc(1, tape.ops[kind]->out_bytes))};
  tape.blocks[tape.n_blocks++] = w;
  return w;
}

static void unmake(void *p) {
  const wrapped *w = p;
  tape.ops[w->kind]->destroy(w->block);
}

static void step(void *p, const void *in, void *out) {
  wrapped *w = p;
  const block_ops *ops = tape.ops[w->kind];
  const size_t bytes = 8 + (ops->in_bytes + 7) / 8 * 8;
  if (tape.bytes + bytes > tape.room) {
    tape.room = 2 * tape.room + (1 << 20);
    tape.edges = need(realloc(tape.edges, tape.room));
  }
  uint64_t number = 0;
  while (tape.blocks[number] != w)
    number++;
  memcpy(tape.edges + tape.bytes, &number, 8);
  memcpy(tape.edges + tape.bytes + 8, in, ops->in_bytes);
  tape.bytes += bytes;
  tape.count++;
  ops->step(w->block, in, out);
  memcpy(w->last, out, ops->out_bytes);
}

static bool failed(const void *p) {
  const wrapped *w = p;
  return tape.failed[w->kind](w->block);
}

static void *make_nbu(const void *sizes) {
  (void)sizes;
  return make(NBU);
}
static void *make_smem(const void *sizes) {
  (void)sizes;
  return make(SMEM);
}
static void *make_rtt(const void *sizes) {
  (void)sizes;
  return make(RTT);
}
bool nbu_rtl_failed(const void *w) {
  return failed(w);
}
bool smem_rtl_failed(const void *w) {
  return failed(w);
}
bool rtt_rtl_failed(const void *w) {
  return failed(w);
}

__attribute__((constructor)) static void begin(void) {
  static const char *const names[KINDS] = {"nbu_rtl", "smem_rtl", "rtt_rtl"};
  static void *(*const makers[KINDS])(const void *) = {make_nbu, make_smem, make_rtt};
  block_ops *const outside[KINDS] = {&nbu_rtl, &smem_rtl, &rtt_rtl};
  const char *file = getenv("MPU_RECORD_OF");
  void *library = file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library)
    fatal(file ? dlerror() : "MPU_RECORD_OF names no library");
  for (unsigned k = 0; k < KINDS; k++) {
    char name[32];
    snprintf(name, sizeof name, "%s_failed", names[k]);
    tape.ops[k] = dlsym(library, names[k]);
    void *f = dlsym(library, name);
    memcpy(&tape.failed[k], &f, sizeof f);
    if (!tape.ops[k] || !f)
      fatal("not a library of models");
    *outside[k] = *tape.ops[k];
    outside[k]->create = makers[k];
    outside[k]->destroy = unmake;
    outside[k]->step = step;
  }
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double replay(void) {
  void *blocks[BLOCKS], *outs[BLOCKS];
  void (*steps[BLOCKS])(void *, const void *, void *);
  size_t bytes[BLOCKS];
  for (unsigned k = 0; k < tape.n_blocks; k++) {
    const block_ops *ops = tape.ops[tape.blocks[k]->kind];
    blocks[k] = need(ops->create(NULL));
    outs[k] = need(calloc(1, ops->out_bytes));
    steps[k] = ops->step;
    bytes[k] = (ops->in_bytes + 7) / 8 * 8;
  }
  const double start = seconds();
  for (const unsigned char *at = tape.edges; at < tape.edges + tape.bytes;) {
    uint64_t k;
    memcpy(&k, at, 8);
    steps[k](blocks[k], at + 8, outs[k]);
    at += 8 + bytes[k];
  }
  const double took = seconds() - start;
  for (unsigned k = 0; k < tape.n_blocks; k++) {
    const block_ops *ops = tape.ops[tape.blocks[k]->kind];
    if (memcmp(outs[k], tape.blocks[k]->last, ops->out_bytes))
      fatal("the replay gives other outputs");
    ops->destroy(blocks[k]);
    free(outs[k]);
  }
  return took;
}

__attribute__((destructor)) static void end(void) {
  const char *file = getenv("MPU_RECORD");
  FILE *f = file ? fopen(file, "w") : NULL;
  if (!f) {
    fprintf(stderr, "mpu: recording models: cannot write the file that MPU_RECORD names\n");
    return;
  }
  double best = replay();
  for (unsigned n = 1; n < RUNS; n++) {
    const double t = replay();
    best = t < best ? t : best;
  }
  fprintf(f, "{\"seconds\": %.9f, \"edges\": %zu}\n", best, tape.count);
  fclose(f);
}

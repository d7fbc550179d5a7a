// SPDX-License-Identifier: Apache-2.0
#include "races.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "csim/base/sum.h"
#include "csim/isa/model.h"
#include "harness/base/plain_name.h"
#include "named.h"
#include "races_file.h"
#include "target.h"

// Sums of pages by address: open addressing, `capacity` a power of two. Address 0 has no page.
typedef struct table {
  races_page *slots;
  size_t capacity, count;
} table;

static struct {
  FILE *record;
  uint64_t launches;  // that have ended
  uint64_t zeros;     // sum of a page of zeros
  table seen;
  races_page *changed;
  size_t n_changed, room_changed;
  // a look
  uint64_t at;  // launch, 0: none
  races_bytes *pages;
  size_t n_pages, last;
  races_writer *writers;
  uint32_t n_writers;
  const launch *of;  // of_pc is of this launch: index + 1 of writers, by instruction
  uint32_t *of_pc;
} races;

static void *more(void *p, size_t count, size_t bytes) {
  if (!(p = realloc(p, count * bytes)))
    rt_wrong("out of host memory");
  return p;
}

static void put(FILE *f, const void *from, size_t count, size_t bytes) {
  if (fwrite(from, bytes, count, f) != count)
    rt_wrong("cannot write '%s': %s", process.settings.races, strerror(errno));
}

// ---- sums of pages

static races_page *slot_of(const table *t, uint64_t address) {
  size_t n = (size_t)(address / RACES_PAGE * 0x9e3779b97f4a7c15u >> 20);
  while (t->slots[n & (t->capacity - 1)].address &&
         t->slots[n & (t->capacity - 1)].address != address)
    n++;
  return &t->slots[n & (t->capacity - 1)];
}

static void grow(table *t) {
  const table old = *t;
  t->capacity = old.capacity ? 2 * old.capacity : 1024;
  if (!(t->slots = calloc(t->capacity, sizeof *t->slots)))
    rt_wrong("out of host memory");
  for (size_t n = 0; n < old.capacity; n++)
    if (old.slots[n].address)
      *slot_of(t, old.slots[n].address) = old.slots[n];
  free(old.slots);
}

// Whether it is another sum than the last time.
static bool renewed(table *t, uint64_t address, uint64_t sum) {
  if (2 * t->count >= t->capacity)
    grow(t);
  races_page *s = slot_of(t, address);
  if (s->address ? s->sum == sum : sum == races.zeros)
    return false;
  t->count += !s->address;
  *s = (races_page){address, sum};
  return true;
}

// A page without the buffer of kernels that print, whose order is that of the threads.
static const uint8_t *page_of(const rt_context *c, uint64_t address, uint8_t own[RACES_PAGE]) {
  const uint8_t *at = machine_memory(c->m) + address;
  for (const rt_program *p = c->programs; p; p = p->next) {
    const uint64_t from = p->output ? target_symbol(c, p, p->output) : 0;
    const uint64_t until = p->output ? from + p->output->bytes : 0;
    if (until <= address || from >= address + RACES_PAGE)
      continue;
    if (at != own)
      memcpy(own, at, RACES_PAGE);
    at = own;
    const uint64_t first = from > address ? from - address : 0;
    const uint64_t end = until < address + RACES_PAGE ? until - address : RACES_PAGE;
    memset(own + first, 0, end - first);
  }
  return at;
}

static void look_at_page(const rt_context *c, uint64_t address) {
  uint8_t own[RACES_PAGE];
  const uint64_t sum = sum_bytes(0, page_of(c, address, own), RACES_PAGE);
  if (!renewed(&races.seen, address, sum))
    return;
  if (races.n_changed == races.room_changed) {
    races.room_changed = races.room_changed ? 2 * races.room_changed : 256;
    races.changed = more(races.changed, races.room_changed, sizeof *races.changed);
  }
  races.changed[races.n_changed++] = (races_page){address, sum};
}

static void look_at_memory(const rt_context *c) {
  allocation a;
  uint64_t next = RACES_PAGE;
  races.n_changed = 0;
  for (size_t n = 0; machine_allocation(c->m, n, &a); n++) {
    const uint64_t first = a.base / RACES_PAGE * RACES_PAGE;
    for (next = first > next ? first : next; next < a.base + a.bytes; next += RACES_PAGE)
      look_at_page(c, next);
  }
}

// ---- a look: the bytes of some pages, and who has written them

static void put_line(const module_line *line, char *to, size_t bytes) {
  if (!line || !line->cuda_line)
    return;
  const char *slash = strrchr(line->cuda_file, '/');
  snprintf(to, bytes, "%.180s:%u", slash ? slash + 1 : line->cuda_file, line->cuda_line);
}

static uint32_t add_writer(const launch *l, uint32_t pc) {
  const isa_inst *i = &l->kernel->insts[pc / ISA_BYTES];
  const bool atomic = i->op == ISA_OP_ATOM || i->op == ISA_OP_RED;
  const bool floats = isa_types[i->type].kind == 'F';
  races_writer w = {.launch = races.launches + 1, .pc = pc};
  w.floats = atomic && floats ? isa_types[i->type].bits : 0;
  char *name = plain_name(l->kernel->name);
  snprintf(w.kernel, sizeof w.kernel, "%.190s", name);
  free(name);
  put_line(module_line_at(l->kernel, pc), w.line, sizeof w.line);
  put_line(module_line_near(l->kernel, pc), w.near, sizeof w.near);
  races.writers = more(races.writers, races.n_writers + 1, sizeof w);
  races.writers[races.n_writers] = w;
  return ++races.n_writers;
}

static uint32_t writer_of(const launch *l, uint32_t pc) {
  if (races.of != l) {
    races.of = l;
    races.of_pc = more(races.of_pc, l->kernel->inst_count + 1, sizeof *races.of_pc);
    memset(races.of_pc, 0, (l->kernel->inst_count + 1) * sizeof *races.of_pc);
  }
  uint32_t *w = &races.of_pc[pc / ISA_BYTES];
  if (!*w)
    *w = add_writer(l, pc);
  return *w;
}

static int by_address(const void *key, const void *page) {
  const uint64_t a = *(const uint64_t *)key, p = ((const races_bytes *)page)->address;
  return a < p ? -1 : a >= p + RACES_PAGE;
}

static void written(void *ctx, const launch *l, uint64_t address, uint64_t bytes, uint32_t pc) {
  (void)ctx;
  const uint64_t end = address + bytes;
  const uint32_t w = l ? writer_of(l, pc) : 0;
  for (uint64_t next; address < end; address = next) {
    next = address / RACES_PAGE * RACES_PAGE + RACES_PAGE;
    next = next < end ? next : end;
    races_bytes *p = bsearch(&address, races.pages, races.n_pages, sizeof *p, by_address);
    for (uint64_t k = address; p && k < next; k++)
      p->writer[k - p->address] = w;
  }
}

static void put_names(const rt_context *c, FILE *f) {
  rt_named x;
  for (uint32_t n = 0; named_of(c, n, &x); n++) {
    races_name name = {.address = x.address, .bytes = x.bytes};
    snprintf(name.name, sizeof name.name, "%s", x.name);
    snprintf(name.place, sizeof name.place, "%s", x.place);
    put(f, &name, 1, sizeof name);
  }
}

static void put_look(const rt_context *c) {
  char file[4200];
  rt_named x;
  races_look_head head = {.pages = races.n_pages, .writers = races.n_writers};
  while (named_of(c, (uint32_t)head.names, &x))
    head.names++;
  snprintf(file, sizeof file, "%.4096s.look", process.settings.races);
  FILE *f = fopen(file, "w");
  if (!f)
    rt_wrong("cannot write '%s': %s", file, strerror(errno));
  for (size_t n = 0; n < races.n_pages; n++) {
    uint8_t own[RACES_PAGE];
    memcpy(races.pages[n].bytes, page_of(c, races.pages[n].address, own), RACES_PAGE);
  }
  put(f, &head, 1, sizeof head);
  put(f, races.pages, races.n_pages, sizeof *races.pages);
  put_names(c, f);
  put(f, races.writers, races.n_writers, sizeof *races.writers);
  if (fclose(f))
    rt_wrong("cannot write '%s': %s", file, strerror(errno));
}

static void open_look(rt_context *c) {
  const char *file = process.settings.races_look;
  FILE *f = fopen(file, "r");
  races_look look;
  if (!f || fread(&look, sizeof look, 1, f) != 1 || look.pages > RACES_LOOKS)
    rt_wrong("cannot read '%s'", file);
  if (!(races.pages = calloc(look.pages + 1, sizeof *races.pages)))
    rt_wrong("out of host memory");
  for (; races.n_pages < look.pages; races.n_pages++)
    if (fread(&races.pages[races.n_pages].address, sizeof(uint64_t), 1, f) != 1)
      rt_wrong("cannot read '%s'", file);
  fclose(f);
  races.at = look.launch;
  machine_set_written(c->m, written, NULL);
}

// ---- the runtime's calls

void races_open(rt_context *c) {
  const run_settings *s = &process.settings;
  static const uint8_t zeros[RACES_PAGE];
  if (!s->races)
    return;
  if (s->timed || !c->m)
    rt_wrong("MPU_RACES is for the functional machine: MPU_NEAR=none");
  if (!(races.record = fopen(s->races, "w")))
    rt_wrong("cannot write '%s': %s", s->races, strerror(errno));
  races.zeros = sum_bytes(0, zeros, sizeof zeros);
  if (s->races_look)
    open_look(c);
}

void races_launched(rt_context *c, const module_kernel *k, machine_error e) {
  if (!races.record)
    return;
  look_at_memory(c);
  races_launch r = {.number = ++races.launches, .error = e, .pages = races.n_changed};
  char *name = plain_name(k->name);
  snprintf(r.kernel, sizeof r.kernel, "%.190s", name);
  free(name);
  put(races.record, &r, 1, sizeof r);
  put(races.record, races.changed, races.n_changed, sizeof *races.changed);
  races.of = NULL;  // the next one may lie at the same address
  if (races.launches == races.at)
    put_look(c);
}

void races_close(void) {
  if (races.record && fclose(races.record))
    rt_wrong("cannot write '%s': %s", process.settings.races, strerror(errno));
  races.record = NULL;
  free(races.seen.slots);
  free(races.changed);
  free(races.pages);
  free(races.writers);
  free(races.of_pc);
}

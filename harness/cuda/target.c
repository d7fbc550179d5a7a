// SPDX-License-Identifier: Apache-2.0
#include "target.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "harness/systemc/card/card.h"
#include "harness/systemc/driver/driver.h"
#include "harness/systemc/platform/platform.h"

enum { WHY = 1000 };
#define HOST_BYTES (64ull << 20)
// Waves wait in memory for a quantum.
enum { QUANTUM_NS = 100000, QUANTUM_OF_WAVES_NS = 1000 };

struct target {
  card *card;
  driver *driver;
  uint32_t launch;  // command of the one that is running, or ran last
  uint64_t ended;   // ps, of the last one
};
static struct {
  const platform_ops *ops;
  platform *platform;
} board;

// ---- begin and end

static const platform_ops *load(void) {
  static const char file[] = NEARBANK_BUILD "/libnearcard.so";
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  const platform_ops *(*platform_of)(void) = NULL;
  if (library)
    *(void **)&platform_of = dlsym(library, "nearbank_platform");
  if (!platform_of)
    rt_wrong(
        "--device card needs '%s': %s (mpu run builds it; it needs the Debian package "
        "libsystemc-dev)",
        file, dlerror());
  return platform_of();
}

void target_open(void) {
  const run_settings *set = &process.settings;
  platform_card on[RT_DEVICES];
  char why[WHY];
  if (!set->device || strcmp(set->device, "direct") == 0)
    return;
  if (strcmp(set->device, "card") != 0)
    rt_wrong("MPU_DEVICE takes direct or card, not '%.60s'", set->device);
  if (!set->timed)
    rt_wrong("--device card is for the cycle-by-cycle machine: --near=c, rtl or lockstep");
  for (unsigned k = 0; k < rt_devices(); k++)
    on[k] = (platform_card){&card_functions, &set->machine, process.contexts[k].m,
                            process.contexts[k].timed};
  const platform_trace *waves = rt_waves_trace();
  const platform_options o = {HOST_BYTES, waves ? QUANTUM_OF_WAVES_NS : QUANTUM_NS, waves};
  board.ops = load();
  board.platform = board.ops->make(on, rt_devices(), &o);
  if (!board.platform)
    rt_wrong("out of host memory");
  for (unsigned k = 0; k < rt_devices(); k++) {
    struct target *t = calloc(1, sizeof *t);
    if (!t)
      rt_wrong("out of host memory");
    t->card = board.ops->model(board.platform, k);
    const driver_transport way = board.ops->transport(board.platform, k);
    if (!(t->driver = driver_open(&way, 0, why, sizeof why)))
      rt_wrong("%s", why);
    process.contexts[k].target = t;
  }
}

uint64_t target_ns(void) {
  return board.ops->time(board.platform) / 1000;
}
uint64_t target_launch_ns(const rt_context *c) {
  return card_launch_begin(c->target->card) / 1000;
}

// After the digest of device memory: closing the context frees it.
void target_close(void) {
  for (unsigned k = 0; k < rt_devices(); k++) {
    rt_context *c = &process.contexts[k];
    if (c->target)
      driver_close(c->target->driver);
    free(c->target);
    c->target = NULL;
  }
  if (board.platform)
    board.ops->free(board.platform);
  board.platform = NULL;
}

// ---- errors

const char *target_message(const rt_context *c) {
  if (!c->target)
    return machine_message(c->m);
  const char *said = driver_text(c->target->driver);
  return *said ? said : driver_message(c->target->driver);
}

// ---- memory

machine_error target_malloc(rt_context *c, uint64_t bytes, uint64_t *address) {
  return c->target ? card_error_of(driver_alloc(c->target->driver, bytes, address))
                   : machine_malloc(c->m, bytes, address);
}
machine_error target_release(rt_context *c, uint64_t address) {
  return c->target ? card_error_of(driver_free(c->target->driver, address))
                   : machine_release(c->m, address);
}
machine_error target_write(rt_context *c, uint64_t to, const void *from, uint64_t bytes) {
  return c->target ? card_error_of(driver_write(c->target->driver, to, from, bytes))
                   : machine_write(c->m, to, from, bytes);
}
machine_error target_read(rt_context *c, void *to, uint64_t from, uint64_t bytes) {
  return c->target ? card_error_of(driver_read(c->target->driver, to, from, bytes))
                   : machine_read(c->m, to, from, bytes);
}
machine_error target_copy(rt_context *c, uint64_t to, uint64_t from, uint64_t bytes) {
  return c->target ? card_error_of(driver_copy(c->target->driver, to, from, bytes))
                   : machine_copy(c->m, to, from, bytes);
}
machine_error target_fill(rt_context *c, uint64_t to, uint8_t byte, uint64_t bytes) {
  return c->target ? card_error_of(driver_fill(c->target->driver, to, byte, bytes))
                   : machine_fill(c->m, to, byte, bytes);
}
bool target_find(const rt_context *c, uint64_t address, uint64_t *base, uint64_t *bytes) {
  return machine_find(c->m, address, base, bytes);
}
void target_info(const rt_context *c, uint64_t *free_bytes, uint64_t *total) {
  machine_memory_info(c->m, free_bytes, total);
}

// ---- programs

// Asks the card for the addresses of its variables; pointers in its data are relocated by them.
static machine_error symbols(rt_context *c, rt_program *p) {
  const module *mod = p->mod;
  bool bound = false;
  p->addresses = calloc(mod->symbol_count + 1, sizeof *p->addresses);
  if (!p->addresses)
    return MACHINE_OUT_OF_MEMORY;
  for (uint32_t n = 0; n < mod->symbol_count; n++) {
    const module_symbol *s = &mod->symbols[n];
    uint64_t bytes;
    const machine_error e = card_error_of(
        driver_symbol(c->target->driver, p->number, s->name, &p->addresses[n], &bytes));
    if (e)
      return e;
    if (!s->is_const && !bound)
      module_bind(p->mod, p->addresses[n] - s->offset);
    bound |= !s->is_const;
  }
  return MACHINE_OK;
}

static machine_error load_there(rt_context *c, rt_program *p) {
  const machine_error e =
      card_error_of(driver_load(c->target->driver, p->image, p->image_bytes, &p->number));
  return e ? e : symbols(c, p);
}

machine_error target_add(rt_context *c, rt_program *p, const void *image, size_t bytes) {
  if (!c->target)
    return machine_add_module(c->m, p->mod);
  if (!(p->image = malloc(bytes)))
    return MACHINE_OUT_OF_MEMORY;
  memcpy(p->image, image, bytes);
  p->image_bytes = bytes;
  return load_there(c, p);
}

// Turns a failed context on again, and loads its programs in the order of the first time, which is
// the list from its end.
void target_reset(rt_context *c) {
  if (!c->target || !c->sticky)
    return;
  bool ok = driver_reset(c->target->driver);
  for (rt_program *last = NULL; ok && last != c->programs;) {
    rt_program *p = c->programs;
    while (p->next != last)
      p = p->next;
    free(p->addresses);
    ok = !load_there(c, p);
    last = p;
  }
  if (!ok)
    rt_wrong("%s", target_message(c));
}

uint64_t target_symbol(const rt_context *c, const rt_program *p, const module_symbol *s) {
  return c->target ? p->addresses[s - p->mod->symbols] : machine_symbol_address(c->m, p->mod, s);
}

// ---- launches

static machine_error launch_here(rt_context *c, const rt_running *r) {
  launch *l;
  machine_error e = launch_new(c->m, r->program->mod, r->kernel, &r->shape, r->params,
                               r->kernel->param_bytes, &l);
  if (e)
    return e;
  e = launch_run(l);
  rt_count(c, launch_get_stats(l));
  launch_free(l);
  return e;
}

machine_error target_launch(rt_context *c, const rt_running *r, bool *begun) {
  struct target *t = c->target;
  if (!t)
    return launch_here(c, r);
  // What the card would refuse is refused at once, as programs expect.
  machine_error e = launch_check(c->m, r->kernel, &r->shape);
  card_launch what = {.program = r->program->number,
                      .kernel = (uint32_t)(r->kernel - r->program->mod->kernels),
                      .shared = r->shape.dynamic_shared,
                      .parameter_bytes = r->kernel->param_bytes};
  memcpy(what.grid, r->shape.grid, sizeof what.grid);
  memcpy(what.block, r->shape.block, sizeof what.block);
  const uint32_t status = driver_launch_begin(t->driver, &what, r->params, &t->launch);
  *begun = !status && !e;
  return *begun ? MACHINE_OK : status ? card_error_of(status) : target_wait(c);
}

machine_error target_wait(rt_context *c) {
  struct target *t = c->target;
  card_record r = {0};
  const machine_error e = card_error_of(driver_finish(t->driver, t->launch, &r));
  t->ended = r.end;
  if (!e || e >= MACHINE_FAULT_ADDRESS) {
    c->stats = (launch_stats){0};  // the card's are of all launches
    rt_count(c, card_launched(t->card));
  }
  return e;
}

double target_seconds(const rt_context *c) {
  struct timespec t;
  if (c->target)
    return 1e-12 * (double)board.ops->time(board.platform);
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double target_ended(const rt_context *c) {
  return 1e-12 * (double)c->target->ended;
}

// ---- what passed

void target_json(const rt_context *c, json_writer *j) {
  if (!c->target)
    return;
  const card_counts n = card_counted(c->target->card);
  jw_object(j, "card");
#define CARD_COUNT(name, doc) jw_count(j, #name, n.name);
#include "harness/systemc/card/card_counts.def"
  jw_count(j, "ps", board.ops->time(board.platform));
  jw_end(j);
}

void target_report(const rt_context *c, FILE *f) {
  if (!c->target)
    return;
  const card_counts n = card_counted(c->target->card);
  fprintf(f,
          "card               %llu commands, %llu doorbells, %llu interrupts; %.3f us from the "
          "first to the last\n"
          "link               %llu bytes down in %.3f us, %llu up in %.3f us\n",
          (unsigned long long)n.commands, (unsigned long long)n.doorbells,
          (unsigned long long)n.interrupts, 1e-6 * (double)board.ops->time(board.platform),
          (unsigned long long)n.bytes_down, 1e-6 * (double)n.ps_down,
          (unsigned long long)n.bytes_up, 1e-6 * (double)n.ps_up);
}

// SPDX-License-Identifier: Apache-2.0
#include "target.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "csim/base/sum.h"
#include "harness/systemc/card/card.h"
#include "harness/systemc/driver/driver.h"
#include "harness/systemc/driver/shm.h"
#include "harness/systemc/driver/vfio.h"
#include "harness/systemc/platform/platform.h"

enum { WHY = 1000 };
_Static_assert((int)RT_DEVICES == (int)PLATFORM_CARDS, "a card for each device");
#define HOST_BYTES (64ull << 20)
// Waves wait in memory for a quantum.
enum { QUANTUM_NS = 100000, QUANTUM_OF_WAVES_NS = 1000 };

typedef struct block {
  uint64_t base, bytes;
} block;

struct target {
  card *card;  // NULL: it is elsewhere
  driver *driver;
  uint32_t launch;  // command of the one that is running, or ran last
  uint64_t ended;   // ps, of the last one
  // of a card elsewhere
  driver_transport way;
  void (*disconnect)(driver_transport *way);
  uint64_t (*interrupts)(const driver_transport *way);
  block *blocks;  // that are allocated
  size_t block_count;
  uint64_t cycles;
};
static struct {
  const platform_ops *ops;
  platform *platform;
} board;

// ---- begin and end

#define ON_SOCKET "ivshmem:"

static bool device_is(const char *kind) {
  const char *device = process.settings.device;
  return device && strcmp(device, kind) == 0;
}

// Behind ivshmem:, else NULL.
static const char *socket_of_card(void) {
  const char *device = process.settings.device;
  return device && !strncmp(device, ON_SOCKET, strlen(ON_SOCKET)) ? device + strlen(ON_SOCKET)
                                                                  : NULL;
}

bool target_is_card(void) {
  return device_is("card");
}

bool target_is_elsewhere(void) {
  return device_is("vfio") || socket_of_card();
}

static struct target *new_target(void) {
  struct target *t = calloc(1, sizeof *t);
  if (!t)
    rt_wrong("out of host memory");
  return t;
}

static void open_driver(rt_context *c, struct target *t, const driver_transport *way) {
  char why[WHY];
  if (!(t->driver = driver_open(way, 0, why, sizeof why)))
    rt_wrong("%s", why);
  c->target = t;
}

static void connect_elsewhere(rt_context *c) {
  char why[WHY];
  struct target *t = new_target();
  const char *socket = socket_of_card();
  if (!(socket ? shm_transport(socket, &t->way, why, sizeof why)
               : vfio_transport(&t->way, why, sizeof why)))
    rt_wrong("%s", why);
  t->disconnect = socket ? shm_transport_close : vfio_transport_close;
  t->interrupts = socket ? shm_interrupts : vfio_interrupts;
  open_driver(c, t, &t->way);
}

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

static void make_platform(void) {
  const run_settings *set = &process.settings;
  const platform_trace *waves = rt_waves_trace();
  const platform_options o = {HOST_BYTES, waves ? QUANTUM_OF_WAVES_NS : QUANTUM_NS, waves};
  platform_card on[RT_DEVICES];
  if (!set->timed)
    rt_wrong("--device card is for the cycle-by-cycle machine: --near=c, rtl or lockstep");
  for (unsigned k = 0; k < rt_devices(); k++)
    on[k] = (platform_card){
        &card_functions,
        {.config = &set->machine, .m = process.contexts[k].m, .s = process.contexts[k].timed}};
  board.ops = load();
  board.platform = board.ops->make(on, rt_devices(), &o);
  if (!board.platform)
    rt_wrong("cannot make the platform: out of host memory");
  for (unsigned k = 0; k < rt_devices(); k++) {
    struct target *t = new_target();
    t->card = board.ops->model(board.platform, k);
    const driver_transport way = board.ops->transport(board.platform, k);
    open_driver(&process.contexts[k], t, &way);
  }
}

void target_open(void) {
  if (target_is_elsewhere())
    connect_elsewhere(process.contexts);
  else if (target_is_card())
    make_platform();
  else if (process.settings.device && !device_is("direct"))
    rt_wrong("MPU_DEVICE takes direct, card, vfio or ivshmem:SOCKET, not '%.60s'",
             process.settings.device);
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
    struct target *t = c->target;
    if (!t)
      continue;
    driver_close(t->driver);
    if (t->disconnect)
      t->disconnect(&t->way);
    free(t->blocks);
    free(t);
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

// What is allocated on a card elsewhere is remembered here.
static machine_error remember(struct target *t, uint64_t base, uint64_t bytes) {
  block *more = realloc(t->blocks, (t->block_count + 1) * sizeof *more);
  if (!more) {
    driver_free(t->driver, base);
    return MACHINE_OUT_OF_MEMORY;
  }
  t->blocks = more;
  t->blocks[t->block_count++] = (block){base, bytes};
  return MACHINE_OK;
}

static void forget(struct target *t, uint64_t base) {
  for (size_t n = 0; n < t->block_count; n++)
    if (t->blocks[n].base == base)
      t->blocks[n--] = t->blocks[--t->block_count];
}

machine_error target_malloc(rt_context *c, uint64_t bytes, uint64_t *address) {
  struct target *t = c->target;
  if (!t)
    return machine_malloc(c->m, bytes, address);
  const machine_error e = card_error_of(driver_alloc(t->driver, bytes, address));
  return e || t->card ? e : remember(t, *address, bytes);
}
machine_error target_release(rt_context *c, uint64_t address) {
  struct target *t = c->target;
  if (!t)
    return machine_release(c->m, address);
  const machine_error e = card_error_of(driver_free(t->driver, address));
  if (!e)
    forget(t, address);
  return e;
}
// What a copy takes on the link of the configuration, of this many MB/s.
static uint64_t ps_of_copy(uint64_t bytes, uint32_t mb) {
  return 1000 * process.settings.machine.link.latency + card_link_time(bytes, mb);
}

// Copies of what the host has written are stale.
static machine_error wrote(rt_context *c, uint64_t to, uint64_t bytes, machine_error e) {
  if (c->timed && !e)
    sim_copies_stale(c->timed, to, bytes);
  return e;
}

machine_error target_write(rt_context *c, uint64_t to, const void *from, uint64_t bytes) {
  if (c->target)
    return card_error_of(driver_write(c->target->driver, to, from, bytes));
  const machine_error e = wrote(c, to, bytes, machine_write(c->m, to, from, bytes));
  if (!e) {
    c->copies.bytes_down += bytes;
    c->copies.ps_down += ps_of_copy(bytes, process.settings.machine.link.down);
  }
  return e;
}
machine_error target_read(rt_context *c, void *to, uint64_t from, uint64_t bytes) {
  if (c->target)
    return card_error_of(driver_read(c->target->driver, to, from, bytes));
  const machine_error e = machine_read(c->m, to, from, bytes);
  if (!e) {
    c->copies.bytes_up += bytes;
    c->copies.ps_up += ps_of_copy(bytes, process.settings.machine.link.up);
  }
  return e;
}
machine_error target_copy(rt_context *c, uint64_t to, uint64_t from, uint64_t bytes) {
  return c->target ? card_error_of(driver_copy(c->target->driver, to, from, bytes))
                   : wrote(c, to, bytes, machine_copy(c->m, to, from, bytes));
}
machine_error target_fill(rt_context *c, uint64_t to, uint8_t byte, uint64_t bytes) {
  return c->target ? card_error_of(driver_fill(c->target->driver, to, byte, bytes))
                   : wrote(c, to, bytes, machine_fill(c->m, to, byte, bytes));
}
static bool is_in(uint64_t address, block b, uint64_t *base, uint64_t *bytes) {
  *base = b.base, *bytes = b.bytes;
  return address - b.base < b.bytes;
}

bool target_find(const rt_context *c, uint64_t address, uint64_t *base, uint64_t *bytes) {
  if (c->m)
    return machine_find(c->m, address, base, bytes);
  for (size_t n = 0; c->target && n < c->target->block_count; n++)
    if (is_in(address, c->target->blocks[n], base, bytes))
      return true;
  for (const rt_program *p = c->programs; p; p = p->next)
    for (uint32_t n = 0; n < p->mod->symbol_count; n++)
      if (!p->mod->symbols[n].is_const &&
          is_in(address, (block){p->addresses[n], p->mod->symbols[n].bytes}, base, bytes))
        return true;
  return false;
}

void target_info(const rt_context *c, uint64_t *free_bytes, uint64_t *total) {
  if (c->m) {
    machine_memory_info(c->m, free_bytes, total);
    return;
  }
  *free_bytes = *total = driver_memory(c->target->driver);
  for (size_t n = 0; n < c->target->block_count; n++)
    *free_bytes -= c->target->blocks[n].bytes;
}

uint32_t target_cores(const rt_context *c) {
  return driver_cores(c->target->driver);
}

uint64_t target_sum(rt_context *c, uint64_t address, uint64_t bytes) {
  enum { PIECE = 256 * SUM_PAGE };
  uint64_t sum = 0;
  if (c->m)
    return machine_sum(c->m, address, bytes);
  uint8_t *piece = malloc(PIECE);
  for (uint64_t n, at = 0; piece && at < bytes; at += n) {
    n = bytes - at < PIECE ? bytes - at : PIECE;
    if (target_read(c, piece, address + at, n))
      break;
    sum = sum_memory(sum, at, piece, n);
  }
  free(piece);
  return sum;
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
  c->target->block_count = 0;
  for (rt_program *last = NULL; ok && last != c->programs;) {
    rt_program *p = c->programs;
    while (p->next != last)
      p = p->next;
    free(p->addresses);
    p->addresses = NULL;
    ok = !load_there(c, p);
    last = p;
  }
  if (!ok)
    rt_wrong("%s", target_message(c));
}

uint64_t target_symbol(const rt_context *c, const rt_program *p, const module_symbol *s) {
  if (!c->target)
    return machine_symbol_address(c->m, p->mod, s);
  return p->addresses ? p->addresses[s - p->mod->symbols] : 0;
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
  const bool refused = t->card && launch_check(c->m, r->kernel, &r->shape);
  card_launch what = {.program = r->program->number,
                      .kernel = (uint32_t)(r->kernel - r->program->mod->kernels),
                      .shared = r->shape.dynamic_shared,
                      .parameter_bytes = r->kernel->param_bytes};
  memcpy(what.grid, r->shape.grid, sizeof what.grid);
  memcpy(what.block, r->shape.block, sizeof what.block);
  const uint32_t status = driver_launch_begin(t->driver, &what, r->params, &t->launch);
  *begun = !status && t->card && !refused;
  return *begun ? MACHINE_OK : status ? card_error_of(status) : target_wait(c);
}

machine_error target_wait(rt_context *c) {
  struct target *t = c->target;
  card_record r = {0};
  const machine_error e = card_error_of(driver_finish(t->driver, t->launch, &r));
  t->ended = r.end ? r.end : (uint64_t)(1e12 * target_seconds(c));  // the card is gone
  if (e && e < MACHINE_FAULT_ADDRESS)
    return e;
  if (t->card) {
    c->stats = (launch_stats){0};  // the card's are of all launches
    rt_count(c, card_launched(t->card));
  } else {
    t->cycles += r.words[CARD_LAUNCH_GIVES_CYCLES];
    rt_count(c, (launch_stats){.warp_instructions = r.words[CARD_LAUNCH_GIVES_INSTRUCTIONS]});
  }
  return e;
}

double target_seconds(const rt_context *c) {
  struct timespec t;
  if (c->target && c->target->card)
    return 1e-12 * (double)board.ops->time(board.platform);
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double target_ended(const rt_context *c) {
  return 1e-12 * (double)c->target->ended;
}

// ---- what passed

static void copies_json(const rt_copies *n, json_writer *j) {
  jw_object(j, "copies");
  jw_count(j, "bytes_down", n->bytes_down);
  jw_count(j, "bytes_up", n->bytes_up);
  jw_count(j, "ps_down", n->ps_down);
  jw_count(j, "ps_up", n->ps_up);
  jw_end(j);
}

static void report_link(FILE *f, const rt_copies *n) {
  fprintf(f, "link               %llu bytes down in %.3f us, %llu up in %.3f us\n",
          (unsigned long long)n->bytes_down, 1e-6 * (double)n->ps_down,
          (unsigned long long)n->bytes_up, 1e-6 * (double)n->ps_up);
}

void target_json(const rt_context *c, json_writer *j) {
  const struct target *t = c->target;
  if (!t && c->timed)
    copies_json(&c->copies, j);
  if (!t)
    return;
  if (!t->card) {
    jw_count(j, "cycles", t->cycles);
    jw_count(j, "interrupts", t->interrupts(&t->way));
    return;
  }
  const card_counts n = card_counted(t->card);
  jw_object(j, "card");
#define CARD_COUNT(name, doc) jw_count(j, #name, n.name);
#include "harness/systemc/card/card_counts.def"
  jw_count(j, "ps", board.ops->time(board.platform));
  jw_end(j);
}

void target_report(const rt_context *c, FILE *f) {
  const struct target *t = c->target;
  if (!t && c->timed)
    report_link(f, &c->copies);
  if (!t)
    return;
  if (!t->card) {
    fprintf(f, "cycles             %llu in launches\ninterrupts         %llu\n",
            (unsigned long long)t->cycles, (unsigned long long)t->interrupts(&t->way));
    return;
  }
  const card_counts n = card_counted(t->card);
  fprintf(f,
          "card               %llu commands, %llu doorbells, %llu interrupts; %.3f us from the "
          "first to the last\n",
          (unsigned long long)n.commands, (unsigned long long)n.doorbells,
          (unsigned long long)n.interrupts, 1e-6 * (double)board.ops->time(board.platform));
  report_link(f, &(rt_copies){n.bytes_down, n.bytes_up, n.ps_down, n.ps_up});
}

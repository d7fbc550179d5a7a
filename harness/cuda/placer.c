// SPDX-License-Identifier: Apache-2.0
#include "placer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "array_name.h"
#include "harness/inspect/place/choose.h"
#include "harness/inspect/place/home.h"
#include "harness/inspect/place/sample.h"
#include "harness/machines/mpu/machine/region.h"
#include "placer_sums.h"

static const double HOME_MOST = 0.05;           // share of sectors of other cores
enum { LOOKS = 8, MOVES = 2, UNIT = 1 << 20 };  // at a kernel; of an array; bytes
// Of one core of the host, in cycles of the machine's cores.
enum { CYCLES_OF_INSTRUCTION = 1 };

typedef struct array {
  char name[ARRAY_NAME];
  uint64_t address, bytes, room;
  bool alive, here;  // here: a kernel has accessed it
  bool placed;
  digits by;
  uint32_t moves;
  uint64_t copies;  // the allocation that its copies lie in; 0: there are none
} array;

// What the process that looks at a launch finds.
typedef struct answer {
  bool ok;
  bool home;                 // its arrays lie where its blocks are: nothing is found
  bool by_sums;              // so say the sums of addresses
  place_found found, moved;  // with arrays that kernels have had where they are, and elsewhere
  sample_cost cost;
} answer;

typedef struct sectors {
  uint64_t all, remote;  // remote: of other cores
} sectors;

// A kernel with the grid and arrays of a launch.
typedef struct look {
  const module_kernel *kernel;
  char name[128];
  launch_shape shape;
  uint64_t arrays;  // a sum
  uint32_t times;   // it was looked at
  bool stale;       // arrays have moved since, or what was found has proved wrong
  bool away;        // its blocks access memory of other cores, whatever two of them do
  // cycles that launches would have saved elsewhere; that a launch saves as its arrays are here
  double regret, saved;
  uint64_t cycles;  // of looking
  char *sums;       // lines of the report
  answer a;
  uint32_t launches;  // that went by it, and their sectors
  sectors came;
} look;

struct placer {
  bool reports;
  uint64_t copied;  // bytes of a core that copies take
  array *arrays;
  look *looks;
  uint32_t n_arrays, n_looks;
  uint32_t running;  // which look the running launch goes by; n_looks: none
  sectors before;    // of the launches before it
};

placer *placer_new(bool reports) {
  placer *p = calloc(1, sizeof *p);
  if (p)
    p->reports = reports;
  return p;
}

void placer_free(placer *p) {
  if (p) {
    for (uint32_t k = 0; k < p->n_looks; k++)
      free(p->looks[k].sums);
    free(p->arrays);
    free(p->looks);
  }
  free(p);
}

// ---- arrays

uint64_t placer_room(uint64_t bytes, uint32_t cores) {
  const uint64_t lines = choose_lines((bytes + REGION_LINE - 1) / REGION_LINE, cores);
  return (lines * REGION_LINE + UNIT - 1) / UNIT * UNIT;
}

void placer_allocated(placer *p, const char *name, uint64_t address, uint64_t bytes,
                      uint64_t room) {
  array *more = realloc(p->arrays, (p->n_arrays + 1) * sizeof *more);
  if (!more)
    return;
  p->arrays = more;
  more[p->n_arrays] = (array){.address = address, .bytes = bytes, .room = room, .alive = true};
  snprintf(more[p->n_arrays].name, sizeof more->name, "%s", name);
  p->n_arrays++;
}

static array *array_at(placer *p, uint64_t address) {
  for (uint32_t k = 0; k < p->n_arrays; k++)
    if (p->arrays[k].alive && address - p->arrays[k].address < p->arrays[k].bytes)
      return &p->arrays[k];
  return NULL;
}

void placer_released(placer *p, machine *m, uint64_t address) {
  array *a = array_at(p, address);
  if (!a)
    return;
  a->alive = false;
  if (!a->copies)
    return;
  machine_release(m, a->copies);
  p->copied -= a->bytes;
}

// The array that a parameter of a kernel points into; NULL: it is no such pointer.
static array *array_of(placer *p, const rt_running *r, uint32_t param) {
  uint64_t at;
  if (r->kernel->params[param].bytes != sizeof at)
    return NULL;
  memcpy(&at, r->params + r->kernel->params[param].offset, sizeof at);
  return array_at(p, at);
}

// Which arrays the parameters point into. One that is allocated where another was is another one.
static uint64_t sum_of(placer *p, const rt_running *r) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < r->kernel->param_count; k++) {
    const array *a = array_of(p, r, k);
    sum = sum * 0x9e3779b97f4a7c15ull + (a ? (uint64_t)(a - p->arrays) + 1 : 0);
  }
  return sum;
}

// ---- a launch

// Whether the arrays lie where the blocks are.
static bool are_home(rt_context *c, const place_find *f, uint64_t *instructions, bool *by_sums) {
  const rt_running *r = &c->running;
  const sums_launch sums = {r->kernel, &r->shape, r->params};
  launch *l;
  return !launch_new(c->m, r->program->mod, r->kernel, &r->shape, r->params, r->kernel->param_bytes,
                     &l) &&
         home_launch(c->m, l, &sums, f, instructions, by_sums);
}

// In a process of its own.
static answer look_at(const placer *p, rt_context *c, const look *x) {
  const rt_running *r = &c->running;
  answer a = {0};
  launch *l;
  place_find *f = place_find_new(sim_cores(c->timed));
  if (!f || launch_new(c->m, r->program->mod, r->kernel, &r->shape, r->params,
                       r->kernel->param_bytes, &l))
    return a;
  for (uint32_t k = 0; k < p->n_arrays; k++) {
    const array *x = &p->arrays[k];
    char name[32];
    snprintf(name, sizeof name, "%llx", (unsigned long long)x->address);
    if (x->alive)
      place_find_array(f, name, x->address, x->bytes);
    if (x->alive && x->here)
      place_find_fix(f, x->address, x->placed ? &x->by : NULL);
  }
  place_find_launch(f, x->name, launch_blocks(l), launch_warps(l));
  uint64_t before = 0;
  if (!x->away && (a.home = a.ok = are_home(c, f, &before, &a.by_sums))) {
    a.cost.instructions = before;
    return a;
  }
  a.ok = sample_launch(c->m, l, r->kernel, f, &a.cost) &&
         place_find_kernel(f, PLACE_COPIES_MOST - p->copied, false, &a.found) &&
         place_find_kernel(f, PLACE_COPIES_MOST - p->copied, true, &a.moved);
  a.cost.instructions += before;
  return a;
}

static answer ask(const placer *p, rt_context *c, const look *x) {
  int status;
  answer found = {0}, *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return found;
  const pid_t pid = fork();
  if (pid == 0) {
    *shared = look_at(p, c, x);
    _exit(0);
  }
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  found = *shared;
  munmap(shared, sizeof *shared);
  return found;
}

// Memory for the copies of an array. Without room for them it stays where it is.
static bool copy(placer *p, rt_context *c, array *a) {
  const uint64_t align = sim_copies_align(c->timed);
  char why[200];
  uint64_t at;
  if (a->copies)
    return true;
  if (!sim_may_copy(c->timed, why, sizeof why) ||
      machine_malloc(c->m, sim_copies_room(c->timed, a->bytes) + align - 1, &at))
    return false;
  if (!sim_copy(c->timed, a->address, a->bytes, (at + align - 1) / align * align)) {
    machine_release(c->m, at);
    return false;
  }
  a->copies = at;
  p->copied += a->bytes;
  return true;
}

// An array that is to be placed and can be: with digits, where it has room for them.
static array *to_place(placer *p, rt_context *c, const place_found *found, uint32_t k) {
  array *a = array_at(p, found->of[k].address);
  const bool may = a && found->of[k].placed && !a->copies && a->moves < MOVES;
  return may && sim_room(c->timed, &found->of[k].by, a->bytes) <= a->room ? a : NULL;
}

// Those that a kernel has had move.
static void place_arrays(placer *p, rt_context *c, place_found *found) {
  for (uint32_t k = 0; k < found->n; k++) {
    const digits *by = &found->of[k].by;
    array *x = array_at(p, found->of[k].address), *a = to_place(p, c, found, k);
    if (a && a->here) {
      a->placed = sim_move(c->timed, a->address, a->bytes, sim_room(c->timed, by, a->bytes), by);
      a->moves++;
    } else if (a) {
      a->placed = sim_place(c->timed, a->address, sim_room(c->timed, by, a->bytes), by);
    }
    found->of[k].placed = a && a->placed;
    found->of[k].copied = x && found->of[k].copied && copy(p, c, x);
    if (a)
      a->by = *by;
    if (x)
      x->here = true;
  }
}

// Of the arrays that must move.
static uint64_t cost_of_moving(placer *p, rt_context *c, const place_found *moved) {
  uint64_t cycles = 0;
  for (uint32_t k = 0; k < moved->n; k++) {
    const array *a = to_place(p, c, moved, k);
    if (a && a->here)
      cycles += sim_move_cost(c->timed, a->address, a->bytes, &moved->of[k].by).cycles;
  }
  return cycles;
}

static bool is_of(const place_found *f, uint64_t address) {
  for (uint32_t k = 0; k < f->n; k++)
    if (f->of[k].address == address)
      return true;
  return false;
}

// What was found for launches with arrays that move now is no longer so.
static void make_stale(placer *p, const look *but, const place_found *moved) {
  for (uint32_t n = 0; n < p->n_looks; n++)
    for (uint32_t k = 0; k < moved->n; k++)
      p->looks[n].stale |= &p->looks[n] != but && moved->of[k].placed &&
                           is_of(&p->looks[n].a.found, moved->of[k].address);
}

// Launches of another kernel save something as arrays are that would move.
static bool others_save(const placer *p, const look *x) {
  for (uint32_t n = 0; n < p->n_looks; n++)
    for (uint32_t k = 0; k < x->a.moved.n; k++)
      if (&p->looks[n] != x && p->looks[n].saved > 0 && x->a.moved.of[k].placed &&
          is_of(&p->looks[n].a.found, x->a.moved.of[k].address))
        return true;
  return false;
}

// Arrays move when launches have lost as many cycles as that takes, less what others have saved; or
// as that and the way back take, where others would have them back. True: they have moved.
static bool consider_moving(placer *p, rt_context *c, look *x) {
  const double gain = x->a.found.cycles - x->a.moved.cycles;
  const uint64_t cost = gain > 0 ? cost_of_moving(p, c, &x->a.moved) : 0;
  if (!cost)
    return false;
  x->regret += gain;
  if (x->regret < (double)cost * (others_save(p, x) ? 2 : 1))
    return false;
  make_stale(p, x, &x->a.moved);
  x->saved = gain;
  x->a.found = x->a.moved;
  place_arrays(p, c, &x->a.found);
  x->regret = 0;
  return true;
}

static bool places_some(const place_found *f) {
  for (uint32_t k = 0; k < f->n; k++)
    if (f->of[k].placed)
      return true;
  return false;
}

// A launch that saves something speaks against moving its arrays.
static void speak_against(placer *p, const look *x) {
  for (uint32_t n = 0; n < p->n_looks; n++)
    for (uint32_t k = 0; k < x->a.found.n; k++) {
      look *y = &p->looks[n];
      if (y != x && y->regret > 0 && is_of(&y->a.moved, x->a.found.of[k].address)) {
        y->regret = y->regret > x->saved ? y->regret - x->saved : 0;
        break;
      }
    }
}

// *times: how often the kernel was looked at.
static look *look_of(placer *p, const rt_running *r, uint64_t arrays, uint32_t *times) {
  look *found = NULL;
  for (uint32_t k = 0; k < p->n_looks; k++) {
    look *x = &p->looks[k];
    *times += x->kernel == r->kernel ? x->times : 0;
    if (x->kernel == r->kernel && x->arrays == arrays &&
        memcmp(x->shape.grid, r->shape.grid, sizeof x->shape.grid) == 0 &&
        memcmp(x->shape.block, r->shape.block, sizeof x->shape.block) == 0)
      found = x;
  }
  return found;
}

static look *new_look(placer *p, rt_context *c, uint64_t arrays, const char *kernel) {
  look *more = realloc(p->looks, (p->n_looks + 1) * sizeof *more);
  if (!more)
    return NULL;
  p->looks = more;
  look *x = &p->looks[p->n_looks++];
  *x = (look){.kernel = c->running.kernel, .shape = c->running.shape, .arrays = arrays};
  snprintf(x->name, sizeof x->name, "%s", kernel);
  return x;
}

static const char *name_of(const void *p, uint64_t address, uint64_t *begins) {
  const array *a = array_at((placer *)p, address);
  if (a)
    *begins = a->address;
  return a ? a->name : NULL;
}

static void take_look(placer *p, rt_context *c, look *x) {
  const sums_launch sums = {c->running.kernel, &c->running.shape, c->running.params};
  if (p->reports && !x->sums)
    x->sums = placer_sums(&sums, name_of, p);
  x->a = ask(p, c, x);
  x->times++;
  x->stale = false;
  x->regret = 0;
  x->cycles += x->a.cost.instructions * CYCLES_OF_INSTRUCTION;
  x->saved = 0;
  if (!x->a.ok || consider_moving(p, c, x))
    return;
  place_arrays(p, c, &x->a.found);
  if (places_some(&x->a.found))
    x->saved = x->a.found.cycles_flat - x->a.found.cycles;
}

static sectors sectors_of(const rt_context *c) {
  const core_stats all = sim_all(c->timed);
  sectors n = {.remote = all.line_sectors - all.line_requests};
  uint64_t own = all.cache_hits;
  for (uint32_t k = 0; k < sizeof all.sub / sizeof *all.sub; k++) {
    n.remote += all.sub[k].remote;
    own += all.sub[k].sectors_own + all.sub[k].sectors_other + 4 * all.sub[k].lines;
  }
  n.all = n.remote + own;
  return n;
}

void placer_launched(placer *p, const rt_context *c) {
  if (p->running == p->n_looks)
    return;
  const sectors now = sectors_of(c);
  look *x = &p->looks[p->running];
  x->launches++;
  x->came.all += now.all - p->before.all;
  x->came.remote += now.remote - p->before.remote;
  if (x->a.home && (double)x->came.remote > HOME_MOST * (double)x->came.all)
    x->away = x->stale = true;
}

void placer_launch(placer *p, rt_context *c, const char *kernel) {
  const rt_running *r = &c->running;
  const uint64_t arrays = sum_of(p, r);
  uint32_t times = 0;
  look *x = look_of(p, r, arrays, &times);
  const bool may = times < LOOKS && !launch_check(c->m, r->kernel, &r->shape);
  if (!x && may)
    x = new_look(p, c, arrays, kernel);
  if (x && may && (!x->times || x->stale))
    take_look(p, c, x);
  else if (x && x->a.ok && !x->stale)
    consider_moving(p, c, x);
  if (x && x->a.ok && x->saved > 0)
    speak_against(p, x);
  for (uint32_t k = 0; k < r->kernel->param_count; k++) {
    array *a = array_of(p, r, k);
    if (a)
      a->here = true;
  }
  p->running = x ? (uint32_t)(x - p->looks) : p->n_looks;
  p->before = sectors_of(c);
  sim_place_blocks(c->timed, x && x->a.ok && x->a.found.blocks_placed ? &x->a.found.blocks : NULL);
}

// ---- what came of it

uint64_t placer_cycles(const placer *p) {
  uint64_t all = 0;
  for (uint32_t k = 0; p && k < p->n_looks; k++)
    all += p->looks[k].cycles;
  return all;
}

static uint32_t placed(const placer *p) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < p->n_arrays; k++)
    n += p->arrays[k].placed || p->arrays[k].copies;
  return n;
}

void placer_report(const placer *p, FILE *f) {
  fprintf(f,
          "placement          %u arrays placed; %llu cycles to look at blocks of %u launches "
          "(estimate: one core of the host, a warp instruction a cycle)\n",
          placed(p), (unsigned long long)placer_cycles(p), p->n_looks);
}

// Also of one that is freed.
static const char *name_at(const placer *p, uint64_t address) {
  for (uint32_t k = p->n_arrays; k-- > 0;)
    if (p->arrays[k].address == address && p->arrays[k].name[0])
      return p->arrays[k].name;
  return "without-a-name";
}

static void write_came(const look *x, FILE *f) {
  if (x->came.all)
    fprintf(f, "# came out: %.1f %%, in %u launch%s\n",
            100 * (double)x->came.remote / (double)x->came.all, x->launches,
            x->launches == 1 ? "" : "es");
}

static void write_sums(const look *x, FILE *f) {
  if (x->sums)
    fprintf(f, "# addresses, as the compiler has found them:\n%s", x->sums);
}

static void write_look(const placer *p, const look *x, FILE *f) {
  char text[DIGITS_TEXT];
  fprintf(f, "# %s, %u x %u x %u blocks: ", x->name, x->shape.grid[0], x->shape.grid[1],
          x->shape.grid[2]);
  if (!x->a.ok) {
    fprintf(f, "its blocks could not be looked at\n");
    return;
  }
  if (x->a.home) {
    fprintf(f, "two blocks access memory of their own cores, %llu instructions say%s\n",
            (unsigned long long)x->a.cost.instructions,
            x->a.by_sums ? ": the sums of their addresses" : "");
    write_came(x, f);
    return;
  }
  fprintf(f,
          "%u blocks looked at, %llu instructions; of %.0f %% of their accesses the order is "
          "known\n"
          "# expected: %.1f %% of its sectors are of other cores, %.1f %% as the arrays lay\n",
          x->a.cost.blocks, (unsigned long long)x->a.cost.instructions, 100 * x->a.cost.known,
          100 * x->a.found.remote, 100 * x->a.found.remote_flat);
  write_came(x, f);
  for (uint32_t k = 0; k < x->a.found.n; k++) {
    const char *name = name_at(p, x->a.found.of[k].address);
    digits_print(&x->a.found.of[k].by, "line", text, sizeof text);
    if (x->a.found.of[k].copied)
      fprintf(f, "array %s: copy\n", name);
    else if (x->a.found.of[k].placed)
      fprintf(f, "array %s: %s\n", name, text);
    else
      fprintf(f, "# array %s stays where it is\n", name);
  }
  digits_print(&x->a.found.blocks, "block", text, sizeof text);
  if (x->a.found.blocks_placed)
    fprintf(f, "blocks %s: %s\n", x->name, text);
}

void placer_write(const placer *p, FILE *f) {
  for (uint32_t k = 0; k < p->n_looks; k++) {
    write_look(p, &p->looks[k], f);
    write_sums(&p->looks[k], f);
  }
  if (!p->n_looks)
    fprintf(f, "# nothing was launched\n");
}

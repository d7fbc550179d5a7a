// SPDX-License-Identifier: Apache-2.0
#include "place_find.h"

#include <stdlib.h>
#include <string.h>
#include "choose.h"
#include "harness/machines/mpu/machine/region.h"
#include "pitch.h"

enum { NAME = 128, LINES_MOST = 1 << 23 };

typedef struct array {
  char name[NAME];
  uint64_t address, bytes;
  bool alive, written, fixed;
  digits now;  // n = 0: by the map of the machine
} array;

typedef struct kernel {
  char name[NAME];
  uint32_t blocks, warps;  // of a launch, at most; of a block
} kernel;

// What a kernel did with an array.
typedef struct use {
  uint32_t array, kernel;
  uint64_t accesses;
  seen *lines;
} use;

struct place_find {
  uint32_t cores;
  array *arrays;
  kernel *kernels;
  use *uses;
  uint32_t n_arrays, n_kernels, n_uses;
  uint32_t running;  // kernel
  uint32_t last;     // use of the last access
  bool full;         // the host has no memory
};

place_find *place_find_new(uint32_t cores) {
  place_find *f = calloc(1, sizeof *f);
  if (f)
    f->cores = cores;
  return f;
}

void place_find_free(place_find *f) {
  for (uint32_t k = 0; f && k < f->n_uses; k++)
    free(f->uses[k].lines);
  if (f) {
    free(f->arrays);
    free(f->kernels);
    free(f->uses);
  }
  free(f);
}

// The list with room for one more, which is zero. NULL: no memory.
static void *more(place_find *f, void *list, uint32_t n, size_t bytes) {
  void *now = realloc(list, (n + 1) * bytes);
  if (now)
    memset((char *)now + n * bytes, 0, bytes);
  else
    f->full = true;
  return now;
}

void place_find_array(place_find *f, const char *name, uint64_t address, uint64_t bytes) {
  if (strpbrk(name, " \t#"))  // a file could not name it
    return;
  for (uint32_t k = 0; k < f->n_arrays; k++)
    if (strcmp(f->arrays[k].name, name) == 0)
      return;
  array *list =
      bytes / REGION_LINE > LINES_MOST ? NULL : more(f, f->arrays, f->n_arrays, sizeof *f->arrays);
  if (!list)
    return;
  f->arrays = list;
  array *a = &f->arrays[f->n_arrays++];
  snprintf(a->name, sizeof a->name, "%s", name);
  a->address = address, a->bytes = bytes, a->alive = true;
}

void place_find_gone(place_find *f, uint64_t address) {
  for (uint32_t k = 0; k < f->n_arrays; k++)
    if (f->arrays[k].address == address)
      f->arrays[k].alive = false;
  f->last = 0;
}

void place_find_fix(place_find *f, uint64_t address, const digits *now) {
  for (uint32_t k = 0; k < f->n_arrays; k++)
    if (f->arrays[k].alive && f->arrays[k].address == address) {
      f->arrays[k].fixed = true;
      f->arrays[k].now = now ? *now : (digits){0};
    }
}

static const array *array_of(const place_find *f, uint64_t address) {
  for (uint32_t k = 0; k < f->n_arrays; k++)
    if (f->arrays[k].alive && address - f->arrays[k].address < f->arrays[k].bytes)
      return &f->arrays[k];
  return NULL;
}

bool place_find_in_array(const place_find *f, uint64_t address) {
  return array_of(f, address);
}

bool place_find_at_home(const place_find *f, uint64_t address, uint32_t block) {
  const array *a = array_of(f, address);
  return !a || choose_at_home(&a->now, (address - a->address) / REGION_LINE, block, f->cores);
}

void place_find_launch(place_find *f, const char *name, uint32_t blocks, uint32_t warps) {
  uint32_t k = 0;
  while (k < f->n_kernels && strcmp(f->kernels[k].name, name) != 0)
    k++;
  f->running = k;
  f->last = 0;
  if (k == f->n_kernels) {
    kernel *list = more(f, f->kernels, k, sizeof *f->kernels);
    if (!list)
      return;
    f->kernels = list;
    snprintf(f->kernels[f->n_kernels++].name, NAME, "%s", name);
  }
  f->kernels[k].warps = warps;
  f->kernels[k].blocks = blocks > f->kernels[k].blocks ? blocks : f->kernels[k].blocks;
}

static bool holds(const place_find *f, const use *u, uint64_t address) {
  const array *a = &f->arrays[u->array];
  return u->kernel == f->running && a->alive && address - a->address < a->bytes;
}

static seen *new_lines(uint64_t bytes) {
  const uint64_t n = (bytes + REGION_LINE - 1) / REGION_LINE;
  seen *lines = calloc(n, sizeof *lines);
  for (uint64_t k = 0; lines && k < n; k++)
    memset(lines[k].block, 0xff, sizeof lines[k].block);
  return lines;
}

// NULL: it is of no array.
static use *use_of(place_find *f, uint64_t address) {
  uint32_t at = 0;
  if (f->last < f->n_uses && holds(f, &f->uses[f->last], address))
    return &f->uses[f->last];
  for (uint32_t k = 0; k < f->n_uses; k++)
    if (holds(f, &f->uses[k], address)) {
      f->last = k;
      return &f->uses[k];
    }
  while (at < f->n_arrays &&
         !(f->arrays[at].alive && address - f->arrays[at].address < f->arrays[at].bytes))
    at++;
  use *list = at == f->n_arrays || f->full ? NULL : more(f, f->uses, f->n_uses, sizeof *f->uses);
  if (!list)
    return NULL;
  f->uses = list;
  use *u = &f->uses[f->n_uses];
  u->array = at, u->kernel = f->running;
  if (!(u->lines = new_lines(f->arrays[at].bytes))) {
    f->full = true;
    return NULL;
  }
  f->last = f->n_uses++;
  return u;
}

void place_find_access(place_find *f, uint64_t address, uint32_t block, uint32_t warp,
                       bool writes) {
  use *u = use_of(f, address);
  if (!u)
    return;
  u->accesses++;
  f->arrays[u->array].written |= writes;
  seen_count(&u->lines[(address - f->arrays[u->array].address) / REGION_LINE], block, warp);
}

void place_find_strange(place_find *f, uint64_t address, uint64_t accesses, bool writes) {
  use *u = use_of(f, address);
  if (!u)
    return;
  u->accesses += accesses;
  f->arrays[u->array].written |= writes;
}

// An array goes by the kernel that accesses it most.
static bool is_its(const place_find *f, const use *u) {
  for (uint32_t k = 0; k < f->n_uses; k++)
    if (f->uses[k].array == u->array && (f->uses[k].accesses > u->accesses ||
                                         (f->uses[k].accesses == u->accesses && &f->uses[k] < u)))
      return false;
  return true;
}

// Lines are numbered by a pitch where there is one. `pitch`: what the array has already.
static void number_lines(choose_array *x, uint32_t pitch) {
  const size_t n = x->n;
  pitch = pitch ? pitch : pitch_find(x->lines, n);
  seen *numbered = pitch ? pitch_lines(x->lines, n, pitch, &x->n) : NULL;
  if (numbered)
    x->lines = numbered, x->pitch = pitch;
  else
    x->n = n;
}

static void end_choice(choose *c) {
  for (uint32_t a = 0; a < c->n && c->of; a++)
    if (c->of[a].pitch)
      free((seen *)c->of[a].lines);
  free(c->of);
}

// For kernel k, with the arrays that go by it. `room`: bytes of a core that copies may take;
// `move`: those that are fixed may move. c->of goes to end_choice; false: no memory.
static bool choose_kernel(const place_find *f, uint32_t k, uint64_t room, bool move, choose *c) {
  *c = (choose){.cores = f->cores,
                .blocks = f->kernels[k].blocks,
                .warps = f->kernels[k].warps,
                .of = calloc(f->n_uses + 1, sizeof *c->of)};
  for (uint32_t a = 0; c->of && a < f->n_arrays; a++)
    for (uint32_t u = 0; u < f->n_uses; u++)
      if (f->uses[u].array == a && f->uses[u].kernel == k && is_its(f, &f->uses[u])) {
        const array *x = &f->arrays[a];
        c->of[c->n] = (choose_array){.name = x->name,
                                     .address = x->address,
                                     .lines = f->uses[u].lines,
                                     .n = (size_t)((x->bytes + REGION_LINE - 1) / REGION_LINE),
                                     .accesses = f->uses[u].accesses,
                                     .may_copy = !x->written && !x->now.n && x->bytes <= room,
                                     .fixed = x->fixed && !move,
                                     .now = x->now};
        number_lines(&c->of[c->n++], x->now.pitch);
      }
  return c->of && choose_placement(c);
}

static uint64_t lines_of(const choose_array *x) {
  return x->pitch ? x->n / digits_group(x->pitch) * x->pitch / REGION_LINE : x->n;
}

static bool write_kernel(const place_find *f, uint32_t k, FILE *to, bool *some, uint64_t *room) {
  choose c;
  char text[DIGITS_TEXT];
  const bool ok = choose_kernel(f, k, *room, false, &c);
  choose_array *of = c.of;
  *some |= c.placed;
  if (ok && c.placed)
    fprintf(to,
            "# %s: %.1f %% of its sectors are of other cores, %.1f %% by the map of the machine\n",
            f->kernels[k].name, 100 * c.remote, 100 * c.remote_flat);
  for (uint32_t a = 0; ok && c.placed && a < c.n; a++)
    if (of[a].copied && lines_of(&of[a]) * REGION_LINE <= *room) {
      fprintf(to, "array %s: copy\n", of[a].name);
      *room -= lines_of(&of[a]) * REGION_LINE;
    } else if (of[a].placed) {
      digits_print(&of[a].by, "line", text, sizeof text);
      fprintf(to, "array %s: %s\n", of[a].name, text);
    }
  if (ok && c.placed && c.blocks_placed) {
    digits_print(&c.by, "block", text, sizeof text);
    fprintf(to, "blocks %s: %s\n", f->kernels[k].name, text);
  }
  end_choice(&c);
  return ok;
}

bool place_find_write(const place_find *f, FILE *to) {
  bool ok = !f->full, some = false;
  uint64_t room = PLACE_COPIES_MOST;
  fprintf(to, "# for %u cores\n", f->cores);
  for (uint32_t k = 0; ok && k < f->n_kernels; k++)
    ok = write_kernel(f, k, to, &some, &room);
  if (ok && !some)
    fprintf(to, "# nothing is found that is better than the map of the machine\n");
  return ok;
}

bool place_find_kernel(const place_find *f, uint64_t room, bool move, place_found *to) {
  choose c = {0};
  *to = (place_found){0};
  const bool ok = !f->full && choose_kernel(f, f->running, room, move, &c);
  to->blocks_placed = ok && c.placed && c.blocks_placed;
  to->blocks = c.by;
  to->cycles = c.cycles, to->cycles_flat = c.cycles_flat;
  to->remote = c.placed ? c.remote : c.remote_flat, to->remote_flat = c.remote_flat;
  for (uint32_t a = 0; ok && a < c.n && to->n < PLACE_ARRAYS; a++) {
    to->of[to->n].address = c.of[a].address;
    to->of[to->n].placed = c.placed && c.of[a].placed;
    to->of[to->n].copied = c.placed && c.of[a].copied;
    to->of[to->n].by = c.of[a].by;
    to->of[to->n++].accesses = c.of[a].accesses;
  }
  end_choice(&c);
  return ok;
}

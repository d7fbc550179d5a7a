// SPDX-License-Identifier: Apache-2.0
#include "sums.h"

#include <stdlib.h>
#include <string.h>

// Bytes; sectors of other cores, so many at least before a block is given up.
enum { SECTOR = 32, AWAY = 8 };

typedef struct looker {
  const affine_kernel *sums;
  const place_find *f;
  uint32_t block;
  affine_point point;
  uint64_t sectors, away, work;
} looker;

affine_point sums_point(const sums_launch *l) {
  affine_point p = {.params = l->params, .param_bytes = l->kernel->param_bytes};
  memcpy(p.ntid, l->shape->block, sizeof p.ntid);
  memcpy(p.nctaid, l->shape->grid, sizeof p.nctaid);
  return p;
}

static void set_block(affine_point *p, uint32_t block) {
  p->ctaid[0] = block % p->nctaid[0];
  p->ctaid[1] = block / p->nctaid[0] % p->nctaid[1];
  p->ctaid[2] = block / p->nctaid[0] / p->nctaid[1];
}

// False: the block has no such thread.
static bool set_thread(affine_point *p, uint32_t thread) {
  p->tid[0] = thread % p->ntid[0];
  p->tid[1] = thread / p->ntid[0] % p->ntid[1];
  p->tid[2] = thread / p->ntid[0] / p->ntid[1];
  return p->tid[2] < p->ntid[2];
}

static bool has(const uint64_t *list, uint32_t n, uint64_t x) {
  for (uint32_t k = n; k-- > 0;)
    if (list[k] == x)
      return true;
  return false;
}

// The sectors of warp 0, in the first round of all loops. False: nobody knows.
static bool look_at(looker *k, const affine_access *a) {
  uint64_t seen[ISA_LANES], address;
  uint32_t n = 0;
  for (uint32_t lane = 0; lane < ISA_LANES && set_thread(&k->point, lane); lane++) {
    if (!affine_address(k->sums, a, &k->point, &address))
      return false;
    const uint64_t sector = address / SECTOR * SECTOR;
    if (has(seen, n, sector) || !place_find_in_array(k->f, address))
      continue;
    seen[n++] = sector;
    k->sectors++;
    k->away += !place_find_at_home(k->f, sector, k->block);
  }
  return true;
}

// What a host adds up: the terms that are left when the launch has given what it can, but those of
// loops, which have not been around yet.
static uint32_t work_of(const looker *k, const affine_access *a) {
  affine_term *to = malloc((a->terms + 1) * sizeof *to);
  uint32_t work = 0;
  const uint32_t n = to ? affine_fold(k->sums->terms + a->first, a->terms, &k->point, to) : 0;
  for (uint32_t t = 0; t < n; t++) {
    bool of_loop = false;
    for (unsigned f = 0; f < AFFINE_FACTORS; f++)
      of_loop |= to[t].of[f].kind == AFFINE_LOOP;
    work += !of_loop;
  }
  free(to);
  return work;
}

static bool all_are_affine(const affine_kernel *sums) {
  for (uint32_t n = 0; n < sums->n_accesses; n++)
    if (sums->accesses[n].reason != AFFINE_IS)
      return false;
  return sums->n_accesses;
}

static bool is_home(const looker *k, double away_most) {
  return (double)k->away <= away_most * (double)k->sectors;
}

bool sums_at_home(const sums_launch *l, const place_find *f, uint32_t block, double away_most,
                  uint64_t *work) {
  looker k = {.sums = &l->kernel->addresses, .f = f, .block = block, .point = sums_point(l)};
  uint32_t *loops = calloc(k.sums->n_loops + 1, sizeof *loops);
  k.point.loops = loops;
  k.point.n_loops = k.sums->n_loops;
  set_block(&k.point, block);
  bool known = loops && all_are_affine(k.sums);
  for (uint32_t n = 0; known && n < k.sums->n_accesses; n++) {
    known = look_at(&k, &k.sums->accesses[n]) && (k.away < AWAY || is_home(&k, away_most));
    k.work += work_of(&k, &k.sums->accesses[n]);
  }
  free(loops);
  *work += k.work;
  return known && k.sectors && is_home(&k, away_most);
}

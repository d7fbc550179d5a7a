// SPDX-License-Identifier: Apache-2.0
#include "turns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "csim/base/splitmix.h"
#include "model.h"

const char turns_forms[] = "round-robin or random:SEED, SEED a number from 0";

bool turns_parse(const char *text, turns *s) {
  static const char random[] = "random:";
  char *end;
  if (strcmp(text, "round-robin") == 0) {
    s->kind = TURNS_ROUND_ROBIN, s->seed = 0;
    return true;
  }
  if (strncmp(text, random, sizeof random - 1) != 0)
    return false;
  text += sizeof random - 1;
  errno = 0;
  s->kind = TURNS_RANDOM;
  s->seed = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && !errno;
}

typedef struct place {
  uint32_t block, warp;
} place;

typedef struct order {
  launch *l;
  bool random;
  uint64_t state;    // of the random numbers
  uint32_t longest;  // turn
  uint32_t resident, live, next;
  uint32_t *blocks;  // that are resident: `live` of them
  place *round;      // all their warps
} order;

static uint64_t draw(order *o) {
  return splitmix(&o->state);
}

static bool order_open(order *o, const turns *s, launch *l) {
  const uint32_t room = s->resident(s->ctx, l->kernel, &l->shape);
  *o = (order){.l = l, .random = s->kind == TURNS_RANDOM, .state = s->seed};
  o->state = draw(o) ^ l->number;
  o->longest = o->random ? 1u << draw(o) % 12 : TURNS_EACH;
  o->resident = room == 0 ? 1 : room < l->blocks ? room : l->blocks;
  o->blocks = malloc(o->resident * sizeof *o->blocks);
  o->round = malloc((size_t)o->resident * l->warps * sizeof *o->round);
  return o->blocks && o->round;
}

static machine_error fill(order *o) {
  machine_error e = MACHINE_OK;
  while (!e && o->live < o->resident && o->next < o->l->blocks)
    if (!(e = launch_start_block(o->l, o->next)))
      o->blocks[o->live++] = o->next++;
  return e;
}

static size_t all_warps(order *o) {
  size_t n = 0;
  for (uint32_t b = 0; b < o->live; b++)
    for (uint32_t w = 0; w < o->l->warps; w++)
      o->round[n++] = (place){o->blocks[b], w};
  for (size_t k = n; o->random && k > 1; k--) {
    const size_t other = draw(o) % k;
    const place p = o->round[other];
    o->round[other] = o->round[k - 1];
    o->round[k - 1] = p;
  }
  return n;
}

static void turn(order *o, place p) {
  const uint32_t length = o->random ? 1 + (uint32_t)(draw(o) % o->longest) : o->longest;
  for (uint32_t k = 0; k < length && !o->l->failed; k++)
    if (launch_warp_state(o->l, p.block, p.warp) != WARP_READY ||
        launch_step(o->l, p.block, p.warp, NULL) != WARP_READY)
      return;
}

// Drops blocks that have ended. One that has not must have a warp that can go on.
static machine_error sweep(order *o) {
  uint32_t kept = 0;
  for (uint32_t n = 0; n < o->live; n++) {
    const uint32_t index = o->blocks[n];
    bool ended = true, ready = false;
    for (uint32_t w = 0; w < o->l->warps && !ready; w++) {
      const warp_state s = launch_warp_state(o->l, index, w);
      ready = s == WARP_READY;
      ended &= s == WARP_DONE;
    }
    if (!ready && !ended)
      return trace_deadlock(o->l, o->l->all[index]);
    if (ready)
      o->blocks[kept++] = index;
  }
  o->live = kept;
  return MACHINE_OK;
}

machine_error turns_run(void *ctx, launch *l) {
  order o;
  machine_error e = order_open(&o, ctx, l)
                        ? MACHINE_OK
                        : machine_fail(l->m, MACHINE_OUT_OF_MEMORY, "out of host memory");
  while (!e && !l->failed && !launch_done(l)) {
    if ((e = fill(&o)))
      break;
    const size_t n = all_warps(&o);
    for (size_t k = 0; k < n && !l->failed; k++)
      turn(&o, o.round[k]);
    if (!l->failed)
      e = sweep(&o);
  }
  free(o.blocks);
  free(o.round);
  return l->failed ? l->error : e;
}

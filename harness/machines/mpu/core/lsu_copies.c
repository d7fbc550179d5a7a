// SPDX-License-Identifier: Apache-2.0
// What a store or an atomic of an array with copies waits for: that no core reads them any more.
// All cores are asked, one request a cycle; the accesses that wait here take turns at that.
#include "lsu_priv.h"

static void begin(lsu *u, uint32_t of) {
  u->ending = of;
  u->ask_next = u->ask_left = 0;
  copies_drop(u->copies, of);
}

static void ask_next(lsu *u, const access *x) {
  net_request *r = remote_next_request(u->remote);
  if (!r)
    return;
  r->sent.kind = REMOTE_DROP;
  r->sent.address = x->address[__builtin_ctz(x->o->lanes)] / 32 * 32;
  r->sent.pc = x->o->pc;
  r->sent.mask = u->ending;
  u->requests[r - u->remote->requests] = (lsu_request){0};
  u->ask_left++;
  remote_send_to(u->remote, r, u->ask_next++, x->o, 0);
  u->base->stats.sub[lsu_subcore(x)].remote++;
}

bool lsu_copies_end(lsu *u, const access *x) {
  base *b = u->base;
  if (!u->ending && (x->ends & ~b->copies_ended))
    begin(u, x->ends & ~b->copies_ended);
  if (!u->ending)
    return true;
  u->ask_next += u->ask_next == b->place.index;
  if (u->ask_next < b->place.map->cores)
    ask_next(u, x);
  else if (!u->ask_left && copies_unread(u->copies, u->ending))
    b->copies_ended |= u->ending, u->ending = 0;
  return !(x->ends & ~b->copies_ended);
}

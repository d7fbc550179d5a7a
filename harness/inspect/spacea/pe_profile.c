// SPDX-License-Identifier: Apache-2.0
#include "pe_profile_priv.h"

#include <stdlib.h>
#include <string.h>

const char *const pe_wait_names[SPE_WAITS] = {
#define WAIT(NAME, name, doc) #name,
#include "csim/spacea/waits.def"
#undef WAIT
};
const char *const pe_wait_docs[SPE_WAITS] = {
#define WAIT(NAME, name, doc) doc,
#include "csim/spacea/waits.def"
#undef WAIT
};

// An element that has found no room is as one that has not asked; so what its PE waits for next is
// seen here.
static spe_wait class_of(const pe_seen *p, const bgroup_sight *s) {
  const bool between = s->waits == SPE_PACE || s->waits == SPE_OTHER || s->waits == SPE_SCAN;
  return p->no_room && between ? SPE_FULL : s->waits;
}

static void see_pe(pe_seen *p, const bgroup *g, uint32_t pe, uint64_t cycle) {
  const bgroup_sight s = bgroup_sees(g, pe);
  p->waits[class_of(p, &s)]++;
  p->put += s.put, p->hits += s.hit, p->hits_again += s.hit_again;
  p->elements += s.put | s.hit | s.hit_again;
  p->asks += s.asks, p->merges += s.merges, p->full += s.full;
  p->no_room = s.full || (p->no_room && !s.asks && !s.merges && !s.hit && !s.put);
  const bool command = g->out.cmd_bank == pe;
  p->opened += command && g->out.cmd == DRAM_ACT, p->reads += command && g->out.cmd == DRAM_RD;
  if (s.waits != SPE_DONE)
    p->ended = cycle + 1;
}

static void see_vectors(vault_seen *seen) {
  const vectors *v = &seen->vault->vectors;
  const rowctl_out *o = &v->control.out;
  for (uint32_t k = 0; k < BANKS; k++) {
    const vectors_bank *b = &v->bank[k];
    seen->vectors[k].opened += o->cmd == DRAM_ACT && o->cmd_bank == k;
    seen->vectors[k].accesses += (o->cmd == DRAM_RD || o->cmd == DRAM_WR) && o->cmd_bank == k;
    seen->vectors[k].busy += v->control.banks[k].has || b->reads.n || b->sums.n || b->phase;
  }
}

// A vault stands still when nothing is under way in it.
static void stand_still(vault_seen *seen, uint32_t groups, uint64_t until) {
  for (uint32_t g = 0; until > seen->next && g < groups; g++)
    for (uint32_t k = 0; k < BGROUP_PES; k++)
      seen->pes[g][k].waits[SPE_DONE] += until - seen->next;
  seen->next = until;
}

static void see(void *ctx, const vault *v) {
  vault_seen *seen = ctx;
  const uint64_t cycle = v->node.cycle;
  stand_still(seen, v->groups, cycle);
  seen->next = cycle + 1;
  for (uint32_t g = 0; g < v->groups; g++)
    for (uint32_t k = 0; k < BGROUP_PES; k++)
      see_pe(&seen->pes[g][k], lockstep_twin(v->group[g].block), k, cycle);
  see_vectors(seen);
}

pe_profile *pe_profile_new(machine_run *r) {
  uint32_t n;
  const node *nodes = machine_run_nodes(r, &n);
  pe_profile *p = calloc(1, sizeof *p + n * sizeof *p->seen);
  if (!p)
    return NULL;
  p->vaults = n, p->groups = ((const vault *)nodes->state)->groups, p->run = r;
  for (uint32_t k = 0; k < n; k++) {
    vault *v = nodes[k].state;
    p->seen[k].vault = v;
    v->looker = (vault_looker){see, &p->seen[k]};
  }
  return p;
}

void pe_profile_free(pe_profile *p) {
  uint32_t n = 0;
  const node *nodes = p ? machine_run_nodes(p->run, &n) : NULL;
  for (uint32_t k = 0; k < n; k++)
    ((vault *)nodes[k].state)->looker = (vault_looker){0};
  free(p);
}

void pe_profile_end(pe_profile *p, uint64_t cycles) {
  p->cycles = cycles;
  for (uint32_t k = 0; k < p->vaults; k++)
    stand_still(&p->seen[k], p->groups, cycles);
}

spe_wait pe_profile_class(const char *name) {
  uint32_t w = 0;
  while (w < SPE_WAITS && strcmp(name, pe_wait_names[w]))
    w++;
  return (spe_wait)w;
}

uint64_t pe_profile_of(const pe_profile *p, uint32_t vault, spe_wait w) {
  uint64_t sum = 0;
  for (uint32_t g = 0; g < p->groups; g++)
    for (uint32_t k = 0; k < BGROUP_PES; k++)
      sum += p->seen[vault].pes[g][k].waits[w];
  return sum;
}

void pe_profile_levels(const pe_profile *p, pe_level to[PE_LEVELS]) {
  to[0] = (pe_level){"group", "first looks of elements, in the lines of their bank group", 0, 0};
  to[1] = (pe_level){"vault", "what bank groups ask for, in the lines of their vault", 0, 0};
  to[2] = (pe_level){"other_vaults", "what vaults ask each other for, in the lines there", 0, 0};
  to[3] = (pe_level){"vectors", "what is left, in the lines of the vectors' bank group", 0, 0};
  for (uint32_t k = 0; k < p->vaults; k++) {
    const vault_counters *c = &p->seen[k].vault->counters;
    to[0].looks += c->looks - c->again - c->full, to[0].hits += c->hits;
    to[1].looks += c->wants, to[1].hits += c->l2_hits;
    to[2].looks += c->far_wants, to[2].hits += c->far_hits;
    to[3].looks += c->served, to[3].hits += c->served_hits;
  }
}

// SPDX-License-Identifier: Apache-2.0
// --locate=cost: the places of a kernel's instructions that cost least, by a minimum cut.
// docs/locate-cost.md has the graph, the costs, and where they come from.
#include <assert.h>
#include "chains.h"
#include "cut.h"
#include "live.h"
#include "locate.h"
#include "mem.h"

// In hundredths of a flit. `SAME`: all lanes hold the same word.
enum {
  FLIT = 100,
  ISSUE = FLIT / 2,          // four instructions and two flits a cycle
  DOWN = 17 * FLIT,          // REGWR
  DOWN_SAME = 2 * FLIT,      //
  UP = 18 * FLIT,            // REGRD and REGD
  UP_SAME = 3 * FLIT,        //
  UP_WAIT = 20 * FLIT,       // and what waits for them
  INLINE = 18 * FLIT,        // SHM with addresses of the base die
  INLINE_SAME = 2 * FLIT,    //
  SECTORS = 24 * FLIT,       // RD and DATA of four sectors
  LINE_UP = 20 * FLIT,       // LINE, REGRD and REGD; in one of six cases as SECTORS
  LINE_LD = 7 * FLIT,        // LINE, as if it had to be sent on in one of six cases
  LINE_DOWN = 18 * FLIT,     // REGWR and LINE: a store of one line
  LINE_ST = 7 * FLIT,        // LINE, as if it had to go up and be sent on in one of six cases
  ELSEWHERE_UP = 23 * FLIT,  // of lines that may be of any unit: in three of four cases
  ELSEWHERE_LD = 28 * FLIT,  //
  ELSEWHERE_ST = 27 * FLIT,  //
  SPREAD_NEAR = 37 * FLIT,   // a word by sectors, of which most are near other warps
  SAME_NEAR = 8 * FLIT,      // one sector, and REGWR
  SAME_FAR = 6 * FLIT,
  WORD = FLIT / 100,            // a register that an instruction finds live in a file
  SCARCE_WORD = 2 * FLIT / 100  // in the file that has less room for what there is
};
enum { LINE = 128, ROUND = 4 * LINE };  // bytes: of a warp's words, of all units
enum { WORTH = 99 };    // per cent of the cost of paper's places that others must come below
enum { BY_HEART = 3 };  // near instructions for which the flits are due once, with near.forms
enum { FAR_SIZE = 2 };  // of the far file, in near ones

// Terms of the cost. Each is asked where the instructions are, so that the sum is that of the cut.
typedef struct costs {
  chains v;
  int64_t near_word, far_word;  // WORD or SCARCE_WORD
  bool rows;                    // the block has rows: tid.y is asked for
  bool *near;                   // of each site
  uint32_t *node;               // of each site, in the cut
} costs;

static bool is_near(const costs *c, uint32_t s, unsigned operand) {
  const loc_side side = locate_operand(c->v.k, &c->v.sites[s].mi->i, operand);
  return side == LOC_FOLLOWS ? c->near[s] : side == LOC_ALWAYS_NEAR;
}

// A global access: it executes on the base die, and its data may be on either side.
static bool has_data(const costs *c, uint32_t s) {
  return locate_free_data(c->v.k, &c->v.sites[s].mi->i);
}

static bool has_choice(const costs *c, uint32_t s) {
  return has_data(c, s) || locate_free(c->v.k, &c->v.sites[s].mi->i);
}

static bool varies(const costs *c, isa_reg r) {
  return ISA_REG_IS_VIRTUAL(r) && c->v.varies[ISA_REG_ID(r)];
}

// Whether the line of a warp belongs to the unit of its subcore. Lines are dealt out to the units
// in turn, and so are the warps of a block, and blocks of one warp.
static bool is_own(const costs *c, const isa_inst *i, chain_stride at) {
  const uint64_t rest = (uint64_t)1 << at.zeros | (uint64_t)(int32_t)i->imm;
  return rest % ROUND == 0 && at.y % ROUND == (c->rows ? LINE : 0) &&
         (at.block % ROUND == 0 || at.block == LINE);
}

// A global access, with its data near or far.
static int64_t access(const costs *c, uint32_t s, bool near) {
  const isa_inst *i = &c->v.sites[s].mi->i;
  const int64_t bits = isa_types[i->type].bits, words = bits <= 32 ? 1 : bits / 32;
  const bool load = i->op == ISA_OP_LD;
  const int64_t wait = load ? UP_WAIT : 0;
  if (!varies(c, i->a))
    return near ? SAME_NEAR * words + wait : SAME_FAR + wait;
  const chain_stride at = stride_operand(&c->v, s, 1);
  if (bits != 32 || at.x != bits / 8)
    return (near ? SPREAD_NEAR : SECTORS) * words + wait;
  const bool own = is_own(c, i, at);
  if (!near)
    return load ? (own ? LINE_UP : ELSEWHERE_UP) + wait : LINE_DOWN;
  return load ? (own ? LINE_LD : ELSEWHERE_LD + wait * 3 / 4) : own ? LINE_ST : ELSEWHERE_ST;
}

// What an instruction costs by itself.
static int64_t own(const costs *c, uint32_t s, bool near) {
  const isa_inst *i = &c->v.sites[s].mi->i;
  const bool memory = mir_is_memory(i);
  unsigned words = c->v.sites[s].partial ? 1 : 0;
  if (has_data(c, s))
    return access(c, s, near);
  if (!near) {
    if (memory && i->space == ISA_SPACE_LOCAL)
      return i->op == ISA_OP_LD ? LINE_UP : LINE_DOWN;
    if (memory && i->space == ISA_SPACE_SHARED)
      return varies(c, i->a) ? INLINE : INLINE_SAME;
    return 0;
  }
  if (memory ? i->imm != 0 : i->imm_at || i->op == ISA_OP_LOP3)
    words++;
  if (i->op == ISA_OP_SELP)
    words++;
  return FLIT * (1 + (words + 1) / 2) / (c->v.k->forms ? BY_HEART : 1);
}

// A register moves with all lanes: what only some of them write leaves other words in the rest.
static int64_t per_move(const costs *c, uint32_t d, bool up) {
  const isa_reg r = mir_def(c->v.sites[c->v.defs[d].site].mi);
  // a mask crosses as a bit a lane
  const chain_site *s = &c->v.sites[c->v.defs[d].site];
  const bool words = (varies(c, r) || s->partial || s->apart) && !c->v.k->vregs[ISA_REG_ID(r)].mask;
  return up ? (words ? UP : UP_SAME) + UP_WAIT : words ? DOWN : DOWN_SAME;
}

// A value moves to the other side once, as often as its most frequent reader there asks for it.
static int64_t moves(const costs *c, uint32_t d) {
  const bool near = is_near(c, c->v.defs[d].site, 0);
  for (uint32_t u = c->v.defs[d].first_reader; u < c->v.defs[d + 1].first_reader; u++)
    if (is_near(c, c->v.readers[u]->site, c->v.readers[u]->operand) != near)
      return per_move(c, d, near) * c->v.readers[u]->count;
  return 0;
}

static void operands(const isa_inst *i, isa_reg out[4]) {
  out[0] = i->d, out[1] = i->a, out[2] = i->b, out[3] = i->c;
  for (unsigned o = 0; o < 4; o++)
    if (!ISA_REG_IS_VIRTUAL(out[o]) || !isa_words(i, o))
      out[o] = ISA_RZ;
}

// ---- the sum

static int64_t sum(const costs *c) {
  int64_t all = 0;
  uint8_t *files = mem_new(c->v.k->vreg_count, sizeof *files);
  for (uint32_t s = 0; s < c->v.site_count; s++) {
    isa_reg r[4];
    operands(&c->v.sites[s].mi->i, r);
    if (has_choice(c, s))
      all += own(c, s, c->near[s]) * c->v.sites[s].count;
    for (unsigned o = 0; o < 4; o++)
      if (r[o] != ISA_RZ)
        files[ISA_REG_ID(r[o])] |= is_near(c, s, o) ? MIR_FILE_NEAR : MIR_FILE_FAR;
  }
  for (uint32_t d = 0; d < c->v.def_count; d++)
    all += moves(c, d);
  for (uint32_t r = 0; r < c->v.k->vreg_count; r++)
    all += c->v.live[r] * ((files[r] & MIR_FILE_NEAR ? c->near_word : 0) +
                           (files[r] & MIR_FILE_FAR ? c->far_word : 0));
  free(files);
  return all;
}

// ---- the graph

static uint32_t node_of(const costs *c, uint32_t s, unsigned operand) {
  const loc_side side = locate_operand(c->v.k, &c->v.sites[s].mi->i, operand);
  return side == LOC_FOLLOWS ? c->node[s] : side == LOC_ALWAYS_NEAR ? CUT_NEAR : CUT_FAR;
}

static void add_sites(costs *c, cut *g) {
  for (uint32_t s = 0; s < c->v.site_count; s++) {
    if (!has_choice(c, s)) {
      c->node[s] = CUT_FAR;
      continue;
    }
    c->node[s] = cut_node(g);
    cut_edge(g, c->node[s], CUT_FAR, own(c, s, true) * c->v.sites[s].count);
    cut_edge(g, CUT_NEAR, c->node[s], own(c, s, false) * c->v.sites[s].count);
  }
}

// `far` and `near` say that some reader is far, or near. Of readers of different frequency the most
// frequent one counts: there is a pair of nodes for each frequency, which its readers and those
// that are more frequent pull, and the difference to the next one is due for it.
static void add_moves(const costs *c, cut *g, uint32_t d) {
  const uint32_t from = node_of(c, c->v.defs[d].site, 0);
  uint32_t far = CUT_NEAR, near = CUT_FAR;
  for (uint32_t u = c->v.defs[d].first_reader, next; u < c->v.defs[d + 1].first_reader; u = next) {
    const int64_t count = c->v.readers[u]->count;
    const uint32_t some_far = cut_node(g), some_near = cut_node(g);
    cut_edge(g, some_far, far, far == CUT_NEAR ? 0 : CUT_NEVER);
    cut_edge(g, near, some_near, near == CUT_FAR ? 0 : CUT_NEVER);
    far = some_far, near = some_near;
    for (next = u; next < c->v.defs[d + 1].first_reader && c->v.readers[next]->count == count;
         next++) {
      const uint32_t reader = node_of(c, c->v.readers[next]->site, c->v.readers[next]->operand);
      cut_edge(g, far, reader, CUT_NEVER);
      cut_edge(g, reader, near, CUT_NEVER);
    }
    const int64_t due =
        count - (next < c->v.defs[d + 1].first_reader ? c->v.readers[next]->count : 0);
    cut_edge(g, from, far, per_move(c, d, true) * due);
    cut_edge(g, near, from, per_move(c, d, false) * due);
  }
}

static void add_room(const costs *c, cut *g) {
  uint32_t *near = mem_new(c->v.k->vreg_count, sizeof *near);
  uint32_t *far = mem_new(c->v.k->vreg_count, sizeof *far);
  for (uint32_t r = 0; r < c->v.k->vreg_count; r++) {
    near[r] = cut_node(g), far[r] = cut_node(g);
    cut_edge(g, near[r], CUT_FAR, c->v.live[r] * c->near_word);
    cut_edge(g, CUT_NEAR, far[r], c->v.live[r] * c->far_word);
  }
  for (uint32_t s = 0; s < c->v.site_count; s++) {
    isa_reg r[4];
    operands(&c->v.sites[s].mi->i, r);
    for (unsigned o = 0; o < 4; o++)
      if (r[o] != ISA_RZ) {
        cut_edge(g, node_of(c, s, o), near[ISA_REG_ID(r[o])], CUT_NEVER);
        cut_edge(g, far[ISA_REG_ID(r[o])], node_of(c, s, o), CUT_NEVER);
      }
  }
  free(near);
  free(far);
}

static void choose(costs *c) {
  cut *g = cut_new();
  add_sites(c, g);
  for (uint32_t d = 0; d < c->v.def_count; d++)
    add_moves(c, g, d);
  add_room(c, g);
  const int64_t least = cut_solve(g);
  for (uint32_t s = 0; s < c->v.site_count; s++)
    c->near[s] = cut_is_near(g, c->node[s]);
  cut_free(g);
  assert(sum(c) == least);
  (void)least;
}

// ---- why

// What depends on where an instruction is.
static int64_t concerned(const costs *c, uint32_t s) {
  int64_t all = own(c, s, c->near[s]) * c->v.sites[s].count;
  for (uint32_t d = c->v.sites[s].first_def; d < c->v.sites[s + 1].first_def; d++)
    all += moves(c, d);
  for (uint32_t u = c->v.sites[s].first_use; u < c->v.sites[s + 1].first_use; u++) {
    const chain_use *x = &c->v.uses[u];
    bool counted = c->v.defs[x->def].site == s;
    for (uint32_t before = c->v.sites[s].first_use; before < u; before++)
      counted |= c->v.uses[before].def == x->def;
    all += counted ? 0 : moves(c, x->def);
  }
  return all;
}

// Operands whose words would cross, if it were on the other side.
static uint8_t crossing(const costs *c, uint32_t s) {
  uint8_t which = 0;
  for (uint32_t d = c->v.sites[s].first_def; d < c->v.sites[s + 1].first_def; d++)
    if (moves(c, d))
      which |= 1;
  for (uint32_t u = c->v.sites[s].first_use; u < c->v.sites[s + 1].first_use; u++) {
    const chain_use *x = &c->v.uses[u];
    if (is_near(c, c->v.defs[x->def].site, 0) != is_near(c, s, x->operand))
      which |= (uint8_t)(1u << x->operand);
  }
  return which;
}

static void explain(costs *c, uint32_t s, bool kept) {
  mir_inst *mi = c->v.sites[s].mi;
  mi->why = (mir_why){.kind = MIR_WHY_ONLY};
  if (!has_choice(c, s))
    return;
  mi->why.kind = kept ? MIR_WHY_KEPT : MIR_WHY_COST;
  mi->why.here = (double)concerned(c, s) / (double)c->v.sites[s].count / FLIT;
  c->near[s] = !c->near[s];
  mi->why.there = (double)concerned(c, s) / (double)c->v.sites[s].count / FLIT;
  mi->why.crossing = crossing(c, s);
  c->near[s] = !c->near[s];
}

// ----

int64_t locate_cost(mir_kernel *k, const mir_profile_kernel *ran) {
  costs c = {0};
  int64_t issue = 0;
  chains_build(&c.v, k, ran);
  c.near = mem_new(c.v.site_count, sizeof *c.near);
  c.node = mem_new(c.v.site_count, sizeof *c.node);
  bool *paper = mem_new(c.v.site_count, sizeof *paper);
  for (uint32_t s = 0; s < c.v.site_count; s++) {
    const isa_inst *i = &c.v.sites[s].mi->i;
    issue += ISSUE * c.v.sites[s].count;
    c.rows |= i->op == ISA_OP_S2R && i->fn == ISA_SREG_TID_Y;
    paper[s] = c.near[s] =
        has_data(&c, s) || (c.v.sites[s].mi->loc == MIR_LOC_N && has_choice(&c, s));
  }
  const bool near_scarce = live_peak(k, MIR_FILE_NEAR) * FAR_SIZE >= live_peak(k, MIR_FILE_FAR);
  c.near_word = near_scarce ? SCARCE_WORD : WORD;
  c.far_word = near_scarce ? WORD : SCARCE_WORD;
  const int64_t before = sum(&c) + issue;
  choose(&c);
  const bool kept = (sum(&c) + issue) * 100 > before * WORTH;
  const int64_t cost = kept ? before : sum(&c) + issue;
  for (uint32_t s = 0; s < c.v.site_count; s++) {
    if (kept)
      c.near[s] = paper[s];
    mir_inst *mi = c.v.sites[s].mi;
    if (has_data(&c, s))
      mi->i.hint = c.near[s] ? ISA_HINT_FAR : ISA_HINT_FAR_DATA;
    mi->loc = c.near[s] && !has_data(&c, s) ? MIR_LOC_N : MIR_LOC_F;
  }
  for (uint32_t s = 0; s < c.v.site_count; s++)
    explain(&c, s, kept);
  chains_free(&c.v);
  free(c.near);
  free(c.node);
  free(paper);
  return cost;
}

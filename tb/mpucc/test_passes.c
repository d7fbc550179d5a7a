// SPDX-License-Identifier: Apache-2.0
// The passes before allocation: graph, post-dominators, liveness, locations, simplification, and
// the text form of every stage.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "kernels/mpucc/cfg.h"
#include "kernels/mpucc/chains.h"
#include "kernels/mpucc/live.h"
#include "mir_eval.h"

// ---- modules from text

static const char head[] = ".mir 1\n.stage lowered\n.kernel \"k\"\n";

static mir_module *read_text(const char *text, char why[200]) {
  diag *d = diag_new("test", text, strlen(text));
  mir_module *m = mir_read(text, strlen(text), "test", d);
  snprintf(why, 200, "%s", diag_first(d));
  diag_free(d);
  return m;
}

static mir_module *kernel_of(const char *body) {
  char text[8000], why[200];
  snprintf(text, sizeof text, "%s%s.end\n", head, body);
  mir_module *m = read_text(text, why);
  if (!m)
    fail_msg("%s", why);
  mir_verify(m);
  return m;
}

static char *print_text(const mir_module *m) {
  char *text;
  size_t bytes;
  FILE *f = open_memstream(&text, &bytes);
  mir_print(m, f);
  fclose(f);
  return text;
}

static const isa_inst *inst(const mir_module *m, uint32_t block, uint32_t n) {
  assert_true(block < m->kernels[0].block_count && n < m->kernels[0].blocks[block].count);
  return &m->kernels[0].blocks[block].insts[n].i;
}

// ---- post-dominators against all paths

enum { NODES = 9 };

// Can the exit be reached from `from` without passing `avoid`?
static bool escapes(const cfg *c, uint32_t from, uint32_t avoid, bool *seen) {
  if (from == avoid || seen[from])
    return false;
  seen[from] = true;
  if (c->succ_count[from] == 0)
    return true;
  for (unsigned s = 0; s < c->succ_count[from]; s++)
    if (escapes(c, c->succ[from][s], avoid, seen))
      return true;
  return false;
}

static bool reaches_exit(const cfg *c, uint32_t from) {
  bool seen[NODES] = {false};
  return escapes(c, from, CFG_NONE, seen);
}

static bool post_dominates(const cfg *c, uint32_t a, uint32_t b) {
  bool seen[NODES] = {false};
  return a == b || !escapes(c, b, a, seen);
}

static void mark_from(const cfg *c, uint32_t from, bool *seen) {
  if (seen[from])
    return;
  seen[from] = true;
  for (unsigned s = 0; s < c->succ_count[from]; s++)
    mark_from(c, c->succ[from][s], seen);
}

// Edges into blocks that end the lanes of one branch are left out of the graph: see
// cfg_post_dominators. Here all exits are lone ones.
static bool has_leaving(const cfg *c) {
  for (uint32_t b = 1; b < c->count; b++) {
    bool own[NODES] = {false}, others[NODES] = {false};
    mark_from(c, b, own);
    unsigned entries = 0;
    for (uint32_t p = c->pred_first[b]; p < c->pred_first[b + 1]; p++)
      entries += !own[c->preds[p]] && c->rpo_of[c->preds[p]] != CFG_NONE;
    if (entries != 1)
      continue;
    others[b] = true;  // not through b
    for (uint32_t o = 0; o < c->count; o++)
      if (!own[o] && c->rpo_of[o] != CFG_NONE)
        mark_from(c, o, others);
    bool leaving = true;
    for (uint32_t o = 0; o < c->count; o++)
      leaving &= o == b || !own[o] || !others[o] || c->succ_count[o] == 0;
    if (leaving)
      return true;
  }
  return false;
}

static void check_meeting(const cfg *c, const uint32_t *meet, uint32_t seed) {
  for (uint32_t b = 0; b < c->count; b++) {
    if (c->rpo_of[b] == CFG_NONE)
      continue;
    uint32_t want = c->count;  // the exit
    for (uint32_t a = 0; a < c->count; a++) {
      if (a == b || c->rpo_of[a] == CFG_NONE || !post_dominates(c, a, b))
        continue;
      bool nearest = true;  // every other post-dominator of b post-dominates a
      for (uint32_t o = 0; o < c->count; o++)
        if (o != b && o != a && c->rpo_of[o] != CFG_NONE && post_dominates(c, o, b))
          nearest &= post_dominates(c, o, a);
      if (nearest)
        want = a;
    }
    if (meet[b] != want)
      fail_msg("graph %u: block %u meets at %u, not at %u", seed, b, meet[b], want);
  }
}

static mir_module *random_graph(uint32_t seed) {
  mir_module *m = mir_module_new();
  mir_kernel *k = mir_kernel_add(m, "graph");
  maker g = {.seed = seed * 7919 + 1};
  isa_reg p = mir_pred_new(k);
  for (uint32_t b = 0; b < NODES; b++)
    mir_block_add(k, NULL);
  for (uint32_t b = 0; b < NODES; b++) {
    isa_inst i = isa_inst_new(ISA_OP_BRA, ISA_TYPE_NONE);
    unsigned kind = make_random(&g, 8);
    i.imm = make_random(&g, NODES);
    if (kind == 0 || b == NODES - 1)
      i = isa_inst_new(ISA_OP_EXIT, ISA_TYPE_NONE);
    else if (kind < 6)
      i.guard = p;
    mir_append(k, b, i, (mir_place){0, 0, 0});
  }
  return m;
}

static void post_dominators_of_random_graphs(void **state) {
  (void)state;
  unsigned checked = 0;
  for (uint32_t seed = 0; seed < 3000; seed++) {
    mir_module *m = random_graph(seed);
    uint32_t meet[NODES + 1];
    cfg c;
    cfg_build(&c, &m->kernels[0]);
    cfg_post_dominators(&c, meet);
    bool all = !has_leaving(&c);
    for (uint32_t n = 0; n < c.rpo_count; n++)
      all &= reaches_exit(&c, c.rpo[n]);
    if (all) {
      checked++;
      check_meeting(&c, meet, seed);
    }
    cfg_free(&c);
    mir_module_free(m);
  }
  assert_true(checked > 100);
}

static void dominators_and_loops(void **state) {
  (void)state;
  mir_module *m = kernel_of(
      ".predicates 1\n"
      ".block a\n.block outer\n.block inner\n @%p0 bra inner, none\n.block latch\n @%p0 bra outer, "
      "none\n"
      ".block dead\n bra z, none\n.block z\n exit\n");
  // `latch` falls into `dead`, which is not dead then; `dead` leads to z.
  cfg c;
  cfg_build(&c, &m->kernels[0]);
  const uint32_t depth[] = {0, 1, 2, 1, 0, 0}, idom[] = {CFG_NONE, 0, 1, 2, 3, 4};
  for (uint32_t b = 0; b < 6; b++) {
    assert_int_equal(c.depth[b], depth[b]);
    assert_int_equal(c.idom[b], idom[b]);
  }
  assert_true(cfg_dominates(&c, 1, 3));
  assert_false(cfg_dominates(&c, 3, 1));
  cfg_free(&c);
  mir_module_free(m);
}

static void branches_meet(void **state) {
  (void)state;
  mir_module *m = kernel_of(
      ".predicates 2\n"
      ".block top\n @%p0 bra else, none\n"
      ".block then\n @%p1 exit\n bra join, none\n"
      ".block else\n @%p1 bra gone, none\n"
      ".block rest\n bra join, none\n"
      ".block gone\n trap\n"
      ".block join\n @%p0 bra join, none\n"
      ".block end\n @%p0 bra other, none\n"
      ".block one\n exit\n"
      ".block other\n exit\n");
  mir_reconverge(m);
  assert_int_equal(inst(m, 0, 0)->reconv, 5);  // top: join
  assert_int_equal(inst(m, 2, 0)->reconv, 3);  // else: rest, without the lanes in gone
  assert_int_equal(inst(m, 5, 0)->reconv, 6);  // join: end
  assert_int_equal(inst(m, 6, 0)->reconv, MIR_NO_BLOCK);
  mir_module_free(m);
}

// if (a && b) { loop; return; } rest: the lanes without a and those without b meet at the rest.
static void lanes_of_two_conditions_meet(void **state) {
  (void)state;
  mir_module *m = kernel_of(
      ".predicates 2\n"
      ".block first\n @%p0 bra rest, none\n"
      ".block second\n @%p1 bra rest, none\n"
      ".block loop\n @%p0 bra loop, none\n"
      ".block behind\n bra gone, none\n"
      ".block rest\n @%p1 bra rest, none\n"
      ".block gone\n exit\n");
  mir_reconverge(m);
  assert_int_equal(inst(m, 0, 0)->reconv, 4);
  assert_int_equal(inst(m, 1, 0)->reconv, 4);
  assert_int_equal(inst(m, 2, 0)->reconv, 3);
  assert_int_equal(inst(m, 4, 0)->reconv, 5);
  mir_module_free(m);
}

// for (...) { if (a && b) continue; rest; }: where the rest has a function of warps, all lanes that
// come to it are gathered before it, behind the condition. Where it has none, nothing is added.
static void meet_in_a_turn(const char *rest, bool gathered) {
  char text[600];
  snprintf(text, sizeof text,
           ".predicates 2\n.reg 0 words 1 loc U files 0 temp 0 number 255 -\n"
           ".block first\n @%%p0 bra rest, none\n"
           ".block second\n @%%p1 bra latch, none\n"
           ".block rest\n %s\n"
           ".block latch\n @%%p0 bra first, none\n"
           ".block end\n exit\n",
           rest);
  mir_module *m = kernel_of(text);
  mir_reconverge(m);
  mir_verify(m);
  const mir_kernel *k = &m->kernels[0];
  assert_int_equal(k->block_count, gathered ? 7 : 5);
  if (gathered) {
    // both ways of `second` leave, one of `first`; the new blocks stand where nothing falls into
    // them, behind the end
    const isa_inst *first = inst(m, 0, 1), *second = inst(m, 1, 1);
    assert_int_equal(first->imm, 5);
    assert_int_equal(first->reconv, 5);
    assert_int_equal(second->imm, 5);
    assert_int_equal(inst(m, 5, 0)->imm, 2);
    assert_int_equal(inst(m, 5, 0)->reconv, 3);
    assert_int_equal(inst(m, 6, 0)->imm, 3);
  } else {
    assert_int_equal(inst(m, 0, 0)->reconv, 3);
  }
  mir_module_free(m);
}

// if (a || (b && c)) { loop { ...; if (d) return; ... } } rest: an exit inside a block ends lanes
// as well as one at its end does. They go on behind the others, and what stands behind the exit is
// a block of its own.
static void exits_are_gathered(void) {
  mir_module *m = kernel_of(
      ".predicates 4\n.reg 0 words 1 loc U files 0 temp 0 number 255 -\n"
      ".block first\n @%p0 bra loop, none\n"
      ".block second\n @%p1 bra rest, none\n"
      ".block third\n @%p2 bra rest, none\n"
      ".block loop\n mov.b32 %v0, 0x1\n @%p3 exit\n mov.b32 %v0, 0x2\n bra loop, none\n"
      ".block rest\n barw.b32 0xffffffff\n exit\n");
  mir_reconverge(m);
  mir_verify(m);
  assert_int_equal(m->kernels[0].block_count, 8);
  assert_string_equal(m->kernels[0].blocks[4].label, "loop.rest");
  const isa_inst *exit = inst(m, 3, 2);  // behind its predicate
  assert_int_equal(exit->op, ISA_OP_BRA);
  assert_int_equal(exit->guard, ISA_VREG(3));
  assert_int_equal(exit->imm, 6);
  assert_int_equal(inst(m, 4, 1)->imm, 3);
  assert_int_equal(inst(m, 0, 0)->reconv, 6);
  assert_int_equal(inst(m, 1, 1)->reconv, 6);
  assert_int_equal(inst(m, 6, 0)->imm, 5);
  mir_module_free(m);
}

// for (;;) { if (!a && b) continue; rest; }: the branch at the head of a loop that exits end, whose
// lanes meet at that head in the next turn.
static void heads_are_gathered(void) {
  mir_module *m = kernel_of(
      ".predicates 3\n"
      ".block first\n @%p0 bra rest, none\n"
      ".block second\n @%p1 bra first, none\n"
      ".block rest\n barw.b32 0xffffffff\n @%p2 exit\n bra first, none\n");
  mir_reconverge(m);
  mir_verify(m);
  assert_int_equal(m->kernels[0].block_count, 5);
  assert_int_equal(inst(m, 0, 1)->imm, 3);
  assert_int_equal(inst(m, 0, 1)->reconv, 3);
  assert_int_equal(inst(m, 1, 1)->imm, 3);
  assert_int_equal(inst(m, 3, 0)->imm, 2);
  assert_int_equal(inst(m, 4, 0)->imm, 0);
  mir_module_free(m);
}

static void lanes_are_gathered(void **state) {
  (void)state;
  exits_are_gathered();
  heads_are_gathered();
  meet_in_a_turn("mov.b32 %v0, 0x1", false);
  meet_in_a_turn("barw.b32 0xffffffff", true);
  meet_in_a_turn("bar.sync.b32 rz, rz, rz", true);
  meet_in_a_turn("activemask.b32 %v0", true);
}

// Marks where a way of a branch leads in this turn of the loops, up to `meet`.
static void mark_way(const cfg *c, uint32_t b, uint32_t meet, bool *seen) {
  if (b == meet || seen[b])
    return;
  seen[b] = true;
  for (unsigned s = 0; s < c->succ_count[b]; s++)
    if (c->rpo_of[c->succ[b][s]] > c->rpo_of[b])
      mark_way(c, c->succ[b][s], meet, seen);
}

// How many branches there are by both ways of which lanes come to a function of warps, one part
// after the other. None is counted where some blocks never end.
static unsigned parted_branches(const mir_kernel *k) {
  const uint32_t blocks = k->block_count;
  uint32_t *meet = calloc(blocks + 1, sizeof *meet);
  bool *seen = calloc(2, blocks), all = true;
  unsigned parted = 0;
  cfg c;
  cfg_build(&c, k);
  cfg_post_dominators(&c, meet);
  for (uint32_t n = 0; n < c.rpo_count; n++) {
    memset(seen, 0, blocks);
    all &= escapes(&c, c.rpo[n], CFG_NONE, seen);
  }
  for (uint32_t n = 0; n < c.rpo_count && all; n++) {
    const uint32_t b = c.rpo[n];
    bool is = false;
    if (c.succ_count[b] != 2)
      continue;
    memset(seen, 0, 2 * blocks);
    mark_way(&c, c.succ[b][0], meet[b], seen);
    mark_way(&c, c.succ[b][1], meet[b], seen + blocks);
    for (uint32_t x = 0; x < blocks; x++)
      for (uint32_t i = 0; i < k->blocks[x].count && seen[x] && seen[blocks + x]; i++)
        is |= k->blocks[x].insts[i].i.op == ISA_OP_BARW;
    parted += is;
  }
  cfg_free(&c);
  free(meet);
  free(seen);
  return parted;
}

// Graphs in which every second block has a function of warps, and some an exit in their middle: a
// thread still runs the same blocks.
static void gathered_graphs(void **state) {
  (void)state;
  unsigned compared = 0, changed = 0, parted = 0, before = 0, left = 0;
  for (uint32_t seed = 0; seed < 800; seed++) {
    mir_module *m = random_graph(seed);
    mir_kernel *k = &m->kernels[0];
    const isa_reg p = ISA_VREG(0), way = mir_vreg_new(k, 1, NULL), at = mir_vreg_new(k, 2, NULL);
    for (uint32_t b = 0; b < NODES; b++) {
      // way = way * 1664525 + 1013904223 + b; its sign is what branches go by, memory keeps it
      isa_inst next = isa_inst_new(ISA_OP_MUL, ISA_TYPE_U32);
      next.d = next.a = way, next.imm_at = 2, next.imm = 1664525;
      isa_inst add = isa_inst_new(ISA_OP_ADD, ISA_TYPE_U32);
      add.d = add.a = way, add.imm_at = 2, add.imm = 1013904223 + b;
      isa_inst where = isa_inst_new(ISA_OP_MOV, ISA_TYPE_B64);
      where.d = at, where.imm_at = 1, where.imm = EVAL_BASE;
      isa_inst keep = isa_inst_new(ISA_OP_ST, ISA_TYPE_B32);
      keep.space = ISA_SPACE_GLOBAL, keep.a = at, keep.b = way;
      isa_inst test = isa_inst_new(ISA_OP_SETP, ISA_TYPE_S32);
      test.fn = ISA_CMP_LT, test.pd = p, test.a = way;
      isa_inst warp = isa_inst_new(ISA_OP_BARW, ISA_TYPE_B32);
      warp.imm_at = 1, warp.imm = 0xffffffff;
      const isa_inst all[] = {next, add, where, keep, test, warp};
      for (unsigned n = 0; n < 5 + b % 2; n++)
        mir_insert(&k->blocks[b], n, all[n], (mir_place){0});
      isa_inst rarely = test, exit = isa_inst_new(ISA_OP_EXIT, ISA_TYPE_NONE);
      rarely.imm_at = 2, rarely.imm = (uint32_t)-1900000000;
      exit.guard = p, exit.guard_neg = b % 2;
      rarely.fn = b % 2 ? ISA_CMP_GE : ISA_CMP_LT;
      const isa_inst ends[] = {next, rarely, exit};
      for (unsigned n = 0; n < 3 && seed % 2 && b % 3 == 1; n++)
        mir_insert(&k->blocks[b], n, ends[n], (mir_place){0});
    }
    eval was, is;
    const bool ends = eval_kernel(&was, k, seed);
    before += parted_branches(k);
    mir_gather(k);
    mir_verify(m);
    left += parted_branches(k);
    changed += k->block_count > NODES;
    for (uint32_t b = 0; b < k->block_count; b++)
      parted += strstr(k->blocks[b].label, ".rest") != NULL;
    if (ends) {
      compared++;
      assert_true(eval_kernel(&is, k, seed));
      assert_true(eval_same(&was, &is));
    }
    mir_module_free(m);
  }
  assert_true(left <= 1);  // of a loop with two entries
  assert_true(compared > 300 && changed > 80 && parted > 10 && before > 80);
}

static void endless_loops(void **state) {
  (void)state;
  mir_module *m = kernel_of(
      ".predicates 1\n.block a\n @%p0 bra c, none\n.block b\n bra a, none\n.block c\n bra a, "
      "none\n");
  mir_reconverge(m);
  assert_true(inst(m, 0, 0)->reconv == MIR_NO_BLOCK || inst(m, 0, 0)->reconv < 3);
  mir_module_free(m);
  m = kernel_of(
      ".predicates 1\n.block a\n @%p0 bra a, none\n.block b\n @%p0 bra a, none\n.block c\n bra b, "
      "none\n");
  mir_reconverge(m);
  mir_module_free(m);
}

// A loop that is left by a guarded exit at its end, or never: the ways out of its body, a trap and
// a block that ends lanes, are not where its branches meet.
static void meet_in_endless_loop(const char *guard, const char *out) {
  char text[600];
  snprintf(text, sizeof text,
           ".predicates 2\n"
           ".block head\n bar.sync.b32 rz, rz, rz\n @%%p0 bra join, none\n"
           ".block work\n @%%p1 bra ok, none\n"
           ".block odd\n @%%p0 bra ok, none\n"
           ".block out\n %s\n"
           ".block ok\n @%%p1 bra work, none\n"
           ".block join\n bar.sync.b32 rz, rz, rz\n @%%p1 bra latch, none\n"
           ".block more\n @%%p0 bra latch, none\n"
           ".block other\n mov.b32 %%v0, 0x1\n"
           ".block latch\n %s bra head, none\n",
           out, guard);
  char with[700];
  snprintf(with, sizeof with, ".reg 0 words 1 loc U files 0 temp 0 number 255 -\n%s", text);
  mir_module *m = kernel_of(with);
  mir_reconverge(m);
  assert_int_equal(inst(m, 0, 1)->reconv, 5);  // head: join
  assert_int_equal(inst(m, 1, 0)->reconv, 4);  // work: ok
  assert_int_equal(inst(m, 2, 0)->reconv, 4);  // odd: ok
  assert_int_equal(inst(m, 4, 0)->reconv, 5);  // ok: join
  assert_int_equal(inst(m, 5, 1)->reconv, 8);  // join: latch
  assert_int_equal(inst(m, 6, 0)->reconv, 8);  // more: latch
  mir_module_free(m);
}
static void endless_loops_with_ways_out(void **state) {
  (void)state;
  meet_in_endless_loop("@%p0 exit\n", "trap");
  meet_in_endless_loop("@%p0 exit\n", "exit");
  // Two ways back: lanes meet in front of the head.
  mir_module *m = kernel_of(
      ".predicates 2\n.block head\n @%p1 exit\n @%p0 bra b, none\n.block a\n bra head, none\n"
      ".block b\n bra head, none\n");
  mir_reconverge(m);
  assert_int_equal(inst(m, 0, 1)->reconv, 0);
  mir_module_free(m);
  // A way to a trap that is more than one block, with two predecessors.
  m = kernel_of(
      ".predicates 2\n.block top\n @%p0 bra join, none\n.block then\n @%p1 bra bad, none\n"
      ".block second\n @%p0 bra bad, none\n.block third\n bra join, none\n"
      ".block bad\n @%p0 bra last, none\n.block also\n bra last, none\n.block last\n trap\n"
      ".block join\n exit\n");
  mir_reconverge(m);
  assert_int_equal(inst(m, 0, 0)->reconv, 7);
  mir_module_free(m);
  // A loop in front of it ends, and its lanes meet behind it.
  m = kernel_of(
      ".predicates 2\n.block top\n @%p0 bra behind, none\n.block loop\n @%p1 bra loop, none\n"
      ".block behind\n nop\n.block endless\n @%p0 exit\n bra endless, none\n");
  mir_reconverge(m);
  assert_int_equal(inst(m, 0, 0)->reconv, 2);
  assert_int_equal(inst(m, 1, 0)->reconv, 2);
  mir_module_free(m);
}

// ---- liveness

static void liveness_by_words(void **state) {
  (void)state;
  mir_module *m = kernel_of(
      ".predicates 1\n.reg 0 words 4 loc U files 0 temp 0 number 255 -\n"
      ".reg 1 words 1 loc U files 0 temp 0 number 255 -\n"
      ".reg 2 words 1 loc U files 0 temp 0 number 255 -\n"
      ".block a\n mov.b32 %v0.w0, 0x1\n"
      ".block b\n mov.b32 %v0.w1, %v1\n @%p0 mov.b32 %v2, 0x3\n mov.b32 %v0.w2, %v2\n"
      " mov.b32 %v0.w3, 0x4\n"
      ".block c\n st.local.b128 [rz], %v0\n exit\n");
  mir_kernel *k = &m->kernels[0];
  live l;
  live_build(&l, k);
  const uint64_t *in_a = l.in, *in_b = l.in + l.words, *in_c = l.in + 2 * l.words;
  assert_false(live_test(in_a, 0));  // nothing of the vector yet
  assert_true(live_any(&l, k, in_b, ISA_VREG_WORD(0, 0)));
  assert_false(live_any(&l, k, in_b, ISA_VREG_WORD(0, 1)));
  assert_true(live_any(&l, k, in_c, ISA_VREG_PAIR(0, 1)));
  assert_true(live_test(in_a, 1));
  assert_true(live_test(in_a, 2));        // the guarded write keeps other lanes' value
  assert_true(live_test(in_a, l.vregs));  // the guard
  assert_false(live_test(in_c, l.vregs));
  live_free(&l);
  mir_module_free(m);
}

// ---- locations: Fig. 7 of the MPU paper, with what leads to it

static const char fig7[] =
    ".predicates 1\n"
    ".reg 0 words 1 loc U files 0 temp 0 number 255 \"%f1\"\n"
    ".reg 1 words 1 loc U files 0 temp 0 number 255 \"%f2\"\n"
    ".reg 2 words 1 loc U files 0 temp 0 number 255 \"%f3\"\n"
    ".reg 3 words 2 loc U files 0 temp 0 number 255 \"%rd8\"\n"
    ".reg 4 words 2 loc U files 0 temp 0 number 255 \"%rd10\"\n"
    ".reg 5 words 2 loc U files 0 temp 0 number 255 \"%rd7\"\n"
    ".reg 6 words 1 loc U files 0 temp 0 number 255 \"%r1\"\n"
    ".reg 7 words 1 loc U files 0 temp 0 number 255 \"%r2\"\n"
    ".block a\n"
    " ld.param.b64 %v3, [rz]\n"
    " s2r.b32 %v6, tid.x\n"
    " mulw.u32 %v5, %v6, 0x4\n"
    " ld.global.b32 %v0, [%v3]\n"
    " ld.global.b32 %v1, [%v3+4]\n"
    " add.f32 %v2, %v1, %v0\n"
    " add.u64 %v4, %v3, %v5\n"
    " st.global.b32 [%v4], %v2\n"
    " ld.shared.b32 %v7, [%v6]\n"
    " setp.lt.s32 %p0, %v6, 0x3\n"
    " @%p0 bra a, none\n"
    ".block b\n exit\n";

static char loc_of(const mir_module *m, unsigned v) {
  return "UNFB"[m->kernels[0].vregs[v].loc];
}

static void locations_of_the_paper(void **state) {
  (void)state;
  mir_module *m = kernel_of(fig7);
  mir_locate(m, MIR_LOCATE_PAPER, NULL);
  const char want[] = "NNNFFFBN";  // %r1: shared address (N), and sets an address and a predicate
  for (unsigned v = 0; v < 8; v++)
    if (loc_of(m, v) != want[v])
      fail_msg("register %u is %c, not %c", v, loc_of(m, v), want[v]);
  const mir_block *b = &m->kernels[0].blocks[0];
  const char insts[] = "FBFNNNFFNFF";
  for (unsigned j = 0; j < 11; j++)
    assert_int_equal("UNFB"[b->insts[j].loc], insts[j]);
  assert_int_equal(b->insts[5].i.hint, ISA_HINT_NEAR);
  assert_int_equal(b->insts[6].i.hint, ISA_HINT_FAR);
  assert_int_equal(b->insts[1].i.hint, ISA_HINT_NONE);
  // near only, far only, both
  assert_int_equal(m->kernels[0].vregs[2].files, MIR_FILE_NEAR);
  assert_int_equal(m->kernels[0].vregs[4].files, MIR_FILE_FAR);
  assert_int_equal(m->kernels[0].vregs[6].files, MIR_FILE_NEAR | MIR_FILE_FAR);
  mir_module_free(m);
}

static void unknown_stays_unknown(void **state) {
  (void)state;
  mir_module *m = kernel_of(
      ".reg 0 words 1 loc U files 0 temp 0 number 255 -\n"
      ".reg 1 words 1 loc U files 0 temp 0 number 255 -\n"
      ".reg 2 words 1 loc U files 0 temp 0 number 255 -\n"
      ".reg 3 words 2 loc U files 0 temp 0 number 255 -\n"
      ".block a\n s2r.b32 %v0, tid.x\n add.u32 %v1, %v0, 0x1\n bar.sync.b32 rz, %v1, rz\n"
      " mov.b32 %v2, 0x5\n st.global.b32 [%v3], %v2\n ld.global.b32 %v2, [%v3]\n exit\n");
  mir_locate(m, MIR_LOCATE_PAPER, NULL);
  assert_int_equal(loc_of(m, 0), 'U');
  assert_int_equal(loc_of(m, 1), 'U');
  assert_int_equal(loc_of(m, 2), 'N');
  assert_int_equal(loc_of(m, 3), 'F');  // a load's address does not follow its data
  // an unhinted instruction may go to either side, and so must its registers
  assert_int_equal(m->kernels[0].vregs[1].files, MIR_FILE_NEAR | MIR_FILE_FAR);
  mir_module_free(m);
}

// Values differ between lanes that came different ways, or another number of times.
static void lanes_that_part_differ(void **state) {
  (void)state;
  mir_module *m = kernel_of(
      ".predicates 2\n"
      ".reg 0 words 1 loc U files 0 temp 0 number 255 \"tid\"\n"
      ".reg 1 words 1 loc U files 0 temp 0 number 255 \"way\"\n"
      ".reg 2 words 1 loc U files 0 temp 0 number 255 \"inside\"\n"
      ".reg 3 words 1 loc U files 0 temp 0 number 255 \"count\"\n"
      ".reg 4 words 1 loc U files 0 temp 0 number 255 \"of way\"\n"
      ".reg 5 words 1 loc U files 0 temp 0 number 255 \"same way\"\n"
      ".reg 6 words 1 loc U files 0 temp 0 number 255 \"n\"\n"
      ".block a\n s2r.b32 %v0, tid.x\n ld.param.b32 %v6, [rz]\n mov.b32 %v1, 1\n"
      " mov.b32 %v3, 0\n mov.b32 %v5, 1\n"
      " setp.lt.u32 %p0, %v0, 5\n setp.lt.u32 %p1, %v6, 5\n @%p0 bra c, none\n"
      ".block b\n mov.b32 %v2, 7\n mov.b32 %v1, 2\n st.shared.b32 [rz], %v2\n"
      ".block c\n add.u32 %v4, %v1, 1\n @%p1 bra e, none\n"
      ".block d\n mov.b32 %v5, 2\n"
      ".block e\n add.u32 %v3, %v3, 1\n setp.lt.u32 %p0, %v3, %v0\n @%p0 bra e, none\n"
      ".block f\n st.shared.b32 [rz], %v3\n st.shared.b32 [rz+4], %v4\n"
      " st.shared.b32 [rz+8], %v5\n exit\n");
  mir_reconverge(m);
  chains c;
  chains_build(&c, &m->kernels[0], NULL);
  const bool want[] = {true, true, false, true, true, false, false};
  for (unsigned v = 0; v < 7; v++)
    if (c.varies[v] != want[v])
      fail_msg("register %u %s", v, want[v] ? "differs" : "does not differ");
  chains_free(&c);
  mir_module_free(m);
}

static void policies(void **state) {
  (void)state;
  const mir_policy all[] = {MIR_LOCATE_NEAR, MIR_LOCATE_FAR, MIR_LOCATE_NONE};
  const uint8_t hints[] = {ISA_HINT_NEAR, ISA_HINT_FAR, ISA_HINT_NONE};
  for (unsigned p = 0; p < 3; p++) {
    mir_module *m = kernel_of(fig7);
    mir_locate(m, all[p], NULL);
    assert_int_equal(inst(m, 0, 5)->hint, hints[p]);
    assert_int_equal(inst(m, 0, 6)->hint, hints[p]);
    for (uint32_t b = 0; b < m->kernels[0].block_count; b++)
      for (uint32_t n = 0; n < m->kernels[0].blocks[b].count; n++)
        if (isa_near_capable(inst(m, b, n)))
          assert_int_equal(inst(m, b, n)->hint, hints[p]);
    mir_module_free(m);
  }
}

// ---- simplification

static void simplify_narrows_shared_addresses(void **state) {
  (void)state;
  mir_module *m = kernel_of(
      ".reg 0 words 2 loc U files 0 temp 0 number 255 -\n"
      ".reg 1 words 2 loc U files 0 temp 0 number 255 -\n"
      ".reg 2 words 1 loc U files 0 temp 0 number 255 -\n"
      ".reg 3 words 1 loc U files 0 temp 0 number 255 -\n"
      ".block a\n s2r.b32 %v2, tid.x\n mulw.u32 %v0, %v2, 0x4\n add.u64 %v1, %v0, 0x100\n"
      " ld.shared.b32 %v3, [%v1.w0]\n st.shared.b32 [%v1.w0+4], %v3\n exit\n");
  mir_simplify(m);
  mir_verify(m);
  assert_int_equal(m->kernels[0].vregs[0].words, 1);
  assert_int_equal(inst(m, 0, 1)->op, ISA_OP_MUL);
  assert_int_equal(inst(m, 0, 2)->type, ISA_TYPE_U32);
  mir_module_free(m);
}

static void simplify_keeps_wide_values(void **state) {
  (void)state;
  mir_module *m = kernel_of(
      ".reg 0 words 2 loc U files 0 temp 0 number 255 -\n"
      ".reg 1 words 2 loc U files 0 temp 0 number 255 -\n"
      ".reg 2 words 1 loc U files 0 temp 0 number 255 -\n"
      ".block a\n s2r.b32 %v2, tid.x\n mulw.u32 %v0, %v2, 0x4\n shr.u64 %v1, %v0, 0x4\n"
      " st.shared.b32 [rz], %v1.w0\n exit\n");
  mir_simplify(m);
  assert_int_equal(m->kernels[0].vregs[0].words, 2);
  mir_module_free(m);
}

static void simplify_exits_and_jumps(void **state) {
  (void)state;
  mir_module *m = kernel_of(
      ".predicates 1\n.reg 0 words 1 loc U files 0 temp 0 number 255 -\n"
      ".block a\n s2r.b32 %v0, tid.x\n setp.lt.u32 %p0, %v0, 0x3\n @%p0 bra end, none\n"
      ".block b\n st.shared.b32 [rz], %v0\n bra hop, none\n"
      ".block never\n st.shared.b32 [rz+4], %v0\n"
      ".block hop\n bra end, none\n"
      ".block end\n exit\n");
  mir_simplify(m);
  mir_verify(m);
  assert_int_equal(m->kernels[0].block_count, 1);
  assert_int_equal(m->kernels[0].blocks[0].count, 5);
  assert_int_equal(inst(m, 0, 2)->op, ISA_OP_EXIT);
  assert_true(ISA_REG_IS_VIRTUAL(inst(m, 0, 2)->guard));
  assert_int_equal(inst(m, 0, 4)->op, ISA_OP_EXIT);
  mir_module_free(m);
}

// ---- text

static void text_is_a_fixpoint(void **state) {
  (void)state;
  for (uint32_t seed = 0; seed < 40; seed++)
    for (unsigned stage = 0; stage < 7; stage++) {
      mir_module *m = make_module(seed + 5000, 30, 8);
      char why[200];
      diag *d = diag_new("test", "", 0);
      if (stage > 0)
        mir_simplify(m);
      if (stage > 1)
        mir_reconverge(m);
      if (stage > 2)
        mir_near_predicates(m, (mir_policy)(seed % MIR_POLICIES), NULL);
      if (stage > 3)
        mir_locate(m, (mir_policy)(seed % MIR_POLICIES), NULL);
      if (stage > 4)
        mir_reorder(m, seed % 2 ? 16 : 0);
      if (stage > 5)
        assert_true(mir_allocate(m, seed % 2 ? 16 : 0, seed % 3 == 0, d));
      diag_free(d);
      char *text = print_text(m);
      mir_module *again = read_text(text, why);
      if (!again)
        fail_msg("stage %u: %s\n%s", stage, why, text);
      mir_verify(again);
      assert_int_equal(again->stage, stage);
      char *second = print_text(again);
      assert_string_equal(text, second);
      free(text);
      free(second);
      mir_module_free(m);
      mir_module_free(again);
    }
}

static void text_keeps_variables(void **state) {
  (void)state;
  static const char text[] =
      ".mir 1\n.stage lowered\n.file \"a \\x22b\\x22.cu\"\n"
      ".var \"x\" global align 4 bytes 16 offset 0\n.init 00112233445566778899aabbccddeeff\n"
      ".address 8 1 -4\n.var \"c\" const align 8 bytes 8 offset 16\n"
      ".kernel \"k\"\n.param \"p\" offset 0 bytes 8 align 8\n"
      ".frame params 8 shared 16 local 32 threads 128 block 128 1 1 dynamic 1 dies 1 skew 2\n"
      ".regs both 0 near 0 far 0 preds 0\n.predicates 0\n"
      ".reg 0 words 1 loc U files 0 temp 0 number 255 -\n"
      ".block a\n  mov.b32 %v0, 0 ; ptx=3 cuda=1:9 reloc=lo32:0:12\n  exit ; ptx=0\n.end\n";
  char why[200];
  mir_module *m = read_text(text, why);
  if (!m)
    fail_msg("%s", why);
  char *again = print_text(m);
  assert_string_equal(again, text);
  free(again);
  mir_module_free(m);
}

static void text_errors(void **state) {
  (void)state;
  static const struct {
    const char *body, *why;
  } bad[] = {
      {".block a\n frob\n exit\n", "unknown instruction"},
      {".block a\n mov.b32 %v0, 0x1\n exit\n", "unknown register"},
      {".block a\n bra nowhere, none\n", "no block is called 'nowhere'"},
      {".block a\n exit\n.block a\n exit\n", "two blocks are called 'a'"},
      {".block a\n", "the last block of the kernel does not end in exit, trap or a branch"},
      {".block a\n exit\n exit\n", "the block has ended: expected .block"},
      {".block a\n add.b32 rz, rz, rz\n exit\n", "the opcode does not take this type"},
      {".reg 0 words 3 loc U files 0 temp 0 number 255 -\n",
       "registers count up from 0 and have 1, 2 or 4 words"},
      {".reg 0 words 2 loc U files 0 temp 0 number 255 -\n.block a\n mov.b32 %v0, rz\n exit\n",
       "the register does not have the size of the operand"},
      {".reg 0 words 2 loc U files 0 temp 0 number 255 -\n.block a\n mov.b32 %v0.w3, rz\n exit\n",
       "the register has no such part"},
      {".block a\n @%p0 exit\n exit\n", "unknown predicate"},
      {".block a\n exit ; ptx=1 cuda=4:1\n", "no file has this number"},
      {".block a\n mov.b32 r0, rz\n exit\n", "a numbered register before allocation"},
      {"hello\n", "an instruction outside of a block"},
  };
  for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
    char text[1000], why[200];
    snprintf(text, sizeof text, "%s%s.end\n", head, bad[n].body);
    mir_module *m = read_text(text, why);
    assert_null(m);
    assert_string_equal(why, bad[n].why);
  }
}

// Damaged text is refused or read, never more.
static void text_survives_damage(void **state) {
  (void)state;
  mir_module *m = make_module(77, 20, 6);
  char *text = print_text(m), why[200];
  size_t bytes = strlen(text);
  maker g = {.seed = 4711};
  for (unsigned n = 0; n < 3000; n++) {
    char *copy = mem_new(bytes + 1, 1);
    memcpy(copy, text, bytes);
    for (unsigned k = 1 + make_random(&g, 3); k-- > 0;)
      copy[make_random(&g, (uint32_t)bytes)] =
          "0123456789 .,;:[]vqrp@!-\n\"\x80"[make_random(&g, 27)];
    mir_module *again = read_text(copy, why);
    if (again)
      mir_verify(again);
    else
      assert_true(why[0] != 0);
    mir_module_free(again);
    free(copy);
  }
  free(text);
  mir_module_free(m);
}

static void listing_shows_locations(void **state) {
  (void)state;
  mir_module *m = kernel_of(fig7);
  mir_reconverge(m);
  mir_locate(m, MIR_LOCATE_PAPER, NULL);
  char *text;
  size_t bytes;
  FILE *f = open_memstream(&text, &bytes);
  mir_listing(m, f);
  fclose(f);
  assert_non_null(strstr(text, "[N] add.f32.N %f3:N, %f2:N, %f1:N"));
  assert_non_null(strstr(text, "[F] st.global.b32.F [%rd10:F], %f3:N"));
  assert_non_null(strstr(text, "registers         8: N 4 (50.0 %), F 3 (37.5 %), B 1 (12.5 %)"));
  free(text);
  mir_module_free(m);
}

// ---- near predicates

static const char larger_of_two[] =
    ".predicates 3\n"
    ".reg 0 words 1 loc U files 0 temp 0 number 255 \"sh\"\n"
    ".reg 1 words 1 loc U files 0 temp 0 number 255 \"x\"\n"
    ".reg 2 words 1 loc U files 0 temp 0 number 255 \"y\"\n"
    ".reg 3 words 1 loc U files 0 temp 0 number 255 \"z\"\n"
    ".reg 4 words 1 loc U files 0 temp 0 number 255 \"i\"\n"
    ".block a\n"
    " mov.b32 %v4, 0\n"
    ".block loop\n"
    " ld.shared.b32 %v1, [%v0]\n"
    " ld.shared.b32 %v2, [%v0+4]\n"
    " setp.gt.f32 %p0, %v1, %v2\n"
    " selp.b32 %v3, %v1, %v2, %p0\n"
    " st.shared.b32 [%v0+8], %v3\n"
    " add.u32 %v4, %v4, 1\n"
    " setp.lt.s32 %p1, %v4, 9\n"
    " @%p1 bra loop, none\n"
    ".block b\n"
    " setp.lt.f32 %p2, %v1, 0\n"
    " @%p2 exit\n"
    " st.shared.b32 [%v0+12], %v4\n"
    " exit\n";

static const isa_inst *find(const mir_module *m, unsigned op, unsigned n) {
  const mir_kernel *k = &m->kernels[0];
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++)
      if (k->blocks[b].insts[j].i.op == op && n-- == 0)
        return &k->blocks[b].insts[j].i;
  return NULL;
}

// What was loaded is compared near, also for a branch, which tests the mask; a loop's counter is
// not.
static void comparisons_of_data_stay_near(void **state) {
  (void)state;
  mir_module *m = kernel_of(larger_of_two);
  mir_near_predicates(m, MIR_LOCATE_PAPER, NULL);
  mir_locate(m, MIR_LOCATE_PAPER, NULL);
  mir_verify(m);
  const isa_inst *set = find(m, ISA_OP_SET, 0), *lop3 = find(m, ISA_OP_LOP3, 0);
  assert_non_null(set);
  assert_int_equal(set->fn, ISA_CMP_GT);
  assert_int_equal(set->type2, ISA_TYPE_F32);
  assert_int_equal(set->hint, ISA_HINT_NEAR);
  assert_non_null(lop3);
  assert_int_equal(lop3->a, set->d);
  assert_int_equal(lop3->imm, 0xca);
  assert_null(find(m, ISA_OP_SELP, 0));
  const isa_inst *counter = find(m, ISA_OP_SETP, 0), *test = find(m, ISA_OP_SETP, 1);
  assert_int_equal(counter->fn, ISA_CMP_LT);
  assert_int_equal(counter->type, ISA_TYPE_S32);
  assert_int_equal(test->fn, ISA_CMP_NE);
  assert_int_equal(test->a, find(m, ISA_OP_SET, 1)->d);
  assert_null(find(m, ISA_OP_SETP, 2));
  mir_module_free(m);
}

// A mask that a branch tests too: whatever policy puts its comparison near keeps it, though the
// mask itself is wanted on both sides.
static const char selected_and_tested[] =
    ".predicates 1\n"
    ".reg 0 words 1 loc U files 0 temp 0 number 255 \"sh\"\n"
    ".reg 1 words 1 loc U files 0 temp 0 number 255 \"x\"\n"
    ".reg 2 words 1 loc U files 0 temp 0 number 255 \"y\"\n"
    ".reg 3 words 1 loc U files 0 temp 0 number 255 \"z\"\n"
    ".block a\n"
    " s2r.b32 %v0, tid.x\n"
    " ld.shared.b32 %v1, [%v0]\n"
    " ld.shared.b32 %v2, [%v0+4]\n"
    " setp.gt.f32 %p0, %v1, %v2\n"
    " selp.b32 %v3, %v1, %v2, %p0\n"
    " st.shared.b32 [%v0+8], %v3\n"
    " @%p0 bra c, c\n"
    ".block b\n"
    " st.shared.b32 [%v0+12], %v1\n"
    ".block c\n"
    " exit\n";

static void tested_masks_stay_near(void **state) {
  (void)state;
  const mir_policy all[] = {MIR_LOCATE_PAPER, MIR_LOCATE_COST, MIR_LOCATE_NEAR};
  for (unsigned p = 0; p < 3; p++) {
    mir_module *m = kernel_of(selected_and_tested);
    mir_reconverge(m);
    mir_near_predicates(m, all[p], NULL);
    mir_locate(m, all[p], NULL);
    mir_verify(m);
    const isa_inst *set = find(m, ISA_OP_SET, 0), *test = find(m, ISA_OP_SETP, 0);
    assert_non_null(set);
    assert_int_equal(set->hint, ISA_HINT_NEAR);
    assert_int_equal(test->a, set->d);
    assert_null(find(m, ISA_OP_SELP, 0));
    mir_module_free(m);
  }
}

// A mask that is only tested is near, and takes what it compares there, if nobody else says where
// that should be.
static void only_tested_masks_are_near(void **state) {
  (void)state;
  mir_module *m = kernel_of(
      ".predicates 1\n"
      ".reg 0 words 1 loc U files 0 temp 0 number 255 \"sh\"\n"
      ".reg 1 words 1 loc U files 0 temp 0 number 255 \"x\"\n"
      ".reg 2 words 1 loc U files 0 temp 0 number 255 \"y\"\n"
      ".block a\n"
      " ld.shared.b32 %v1, [%v0]\n"
      " ld.param.b32 %v2, [rz]\n"
      " add.u32 %v2, %v2, %v1\n"
      " setp.gt.s32 %p0, %v1, %v2\n"
      " @%p0 exit\n"
      " st.shared.b32 [%v0+12], %v1\n"
      " exit\n");
  mir_near_predicates(m, MIR_LOCATE_PAPER, NULL);
  mir_locate(m, MIR_LOCATE_PAPER, NULL);
  const isa_inst *set = find(m, ISA_OP_SET, 0);
  assert_non_null(set);
  assert_int_equal(set->hint, ISA_HINT_NEAR);
  assert_int_equal(loc_of(m, ISA_REG_ID(set->d)), 'N');
  assert_int_equal(loc_of(m, 1), 'N');
  assert_int_equal(loc_of(m, 2), 'N');
  assert_int_equal(find(m, ISA_OP_ADD, 0)->hint, ISA_HINT_NEAR);
  mir_module_free(m);
}

// Each way to select, and predicates made of others, negated or not: the same results.
static const char selections[] =
    ".predicates 4\n"
    ".reg 0 words 1 loc U files 0 temp 0 number 255 -\n"
    ".reg 1 words 1 loc U files 0 temp 0 number 255 -\n"
    ".reg 2 words 1 loc U files 0 temp 0 number 255 -\n"
    ".reg 3 words 1 loc U files 0 temp 0 number 255 -\n"
    ".reg 4 words 1 loc U files 0 temp 0 number 255 -\n"
    ".reg 5 words 1 loc U files 0 temp 0 number 255 -\n"
    ".reg 6 words 1 loc U files 0 temp 0 number 255 -\n"
    ".reg 7 words 1 loc U files 0 temp 0 number 255 -\n"
    ".reg 8 words 1 loc U files 0 temp 0 number 255 -\n"
    ".reg 9 words 1 loc U files 0 temp 0 number 255 -\n"
    ".reg 10 words 1 loc U files 0 temp 0 number 255 -\n"
    ".reg 11 words 1 loc U files 0 temp 0 number 255 -\n"
    ".block a\n"
    " mov.b32 %v0, 64\n"
    " ld.shared.b32 %v1, [%v0]\n"
    " ld.shared.b32 %v2, [%v0+4]\n"
    " setp.lt.s32 %p0, %v1, %v2\n"
    " setp.gt.and.u32 %p1, %v2, 77, !%p0\n"
    " plop.or.pred %p2, !%p0, %p1\n"
    " plop.xor.pred %p3, %p2, !%p1\n"
    " selp.b32 %v3, %v1, %v2, %p0\n"
    " selp.b32 %v4, %v1, %v2, !%p1\n"
    " selp.b32 %v5, 5, %v2, %p2\n"
    " selp.b32 %v6, 6, %v2, !%p3\n"
    " selp.b32 %v7, %v1, 7, %p2\n"
    " selp.b32 %v8, %v1, 8, !%p1\n"
    " selp.b32 %v9, 9, rz, %p0\n"
    " selp.b32 %v10, rz, %v1, !%p3\n"
    " @!%p3 add.u32 %v10, %v10, 1\n"
    " selp.b32 %v11, %v1, rz, !%p0\n"
    " st.shared.b32 [%v0+40], %v11\n"
    " st.shared.b32 [%v0+8], %v3\n"
    " st.shared.b32 [%v0+12], %v4\n"
    " st.shared.b32 [%v0+16], %v5\n"
    " st.shared.b32 [%v0+20], %v6\n"
    " st.shared.b32 [%v0+24], %v7\n"
    " st.shared.b32 [%v0+28], %v8\n"
    " st.shared.b32 [%v0+32], %v9\n"
    " st.shared.b32 [%v0+36], %v10\n"
    " exit\n";

static void masks_select_the_same(void **state) {
  (void)state;
  eval *want = mem_new(1, sizeof *want), *got = mem_new(1, sizeof *got);
  mir_module *m = kernel_of(selections), *n = kernel_of(selections);
  mir_near_predicates(n, MIR_LOCATE_PAPER, NULL);
  mir_verify(n);
  assert_null(find(n, ISA_OP_SELP, 0));
  assert_null(find(n, ISA_OP_PLOP, 0));
  for (uint32_t pair = 0; pair < 16; pair++) {
    static const uint32_t values[] = {0, 78, 0xffffffff, 1000};
    for (unsigned x = 0; x < 2; x++) {
      eval *e = x ? got : want;
      memset(e, 0, sizeof *e);
      e->k = &(x ? n : m)->kernels[0];
      memcpy(e->shared + 64, &values[pair / 4], 4);
      memcpy(e->shared + 68, &values[pair % 4], 4);
      assert_true(eval_thread(e, 0, x));
    }
    assert_true(eval_same(want, got));
  }
  mir_module_free(m);
  mir_module_free(n);
  free(want);
  free(got);
}

// Without data that are near nothing changes.
static void far_comparisons_stay(void **state) {
  (void)state;
  const mir_policy policies[] = {MIR_LOCATE_FAR, MIR_LOCATE_NONE};
  for (unsigned n = 0; n < 3; n++) {
    mir_module *m = kernel_of(larger_of_two);
    m->kernels[0].dies = n == 2 ? ISA_DIES_BASE : ISA_DIES_HYBRID;
    mir_near_predicates(m, n == 2 ? MIR_LOCATE_PAPER : policies[n], NULL);
    assert_null(find(m, ISA_OP_SET, 0));
    assert_non_null(find(m, ISA_OP_SELP, 0));
    mir_module_free(m);
  }
}

// ---- order

static const char chain[] =
    ".predicates 1\n"
    ".reg 0 words 1 loc U files 0 temp 0 number 255 \"sh\"\n"
    ".reg 1 words 1 loc U files 0 temp 0 number 255 \"x\"\n"
    ".reg 2 words 1 loc U files 0 temp 0 number 255 \"y\"\n"
    ".reg 3 words 1 loc U files 0 temp 0 number 255 \"z\"\n"
    ".block a\n"
    " ld.shared.b32 %v1, [%v0]\n"
    " add.u32 %v3, %v1, 1\n"
    " ld.shared.b32 %v2, [%v0+4]\n"
    " add.u32 %v3, %v3, %v2\n"
    " st.shared.b32 [%v0+8], %v3\n"
    " ld.shared.b32 %v1, [%v0+8]\n"
    " bar.sync.b32 rz, rz, rz\n"
    " ld.shared.b32 %v2, [%v0+12]\n"
    " add.u32 %v2, %v2, %v1\n"
    " st.shared.b32 [%v0+16], %v2\n"
    " exit\n";

// Loads go first, but not beyond a store or a barrier.
static void loads_begin_early(void **state) {
  (void)state;
  static const unsigned want[] = {ISA_OP_LD,  ISA_OP_LD, ISA_OP_ADD, ISA_OP_ADD,
                                  ISA_OP_ST,  ISA_OP_LD, ISA_OP_BAR, ISA_OP_LD,
                                  ISA_OP_ADD, ISA_OP_ST, ISA_OP_EXIT};
  mir_module *m = kernel_of(chain);
  mir_reconverge(m);
  mir_locate(m, MIR_LOCATE_PAPER, NULL);
  mir_reorder(m, 0);
  mir_verify(m);
  for (unsigned n = 0; n < sizeof want / sizeof *want; n++)
    assert_int_equal(inst(m, 0, n)->op, want[n]);
  assert_int_equal(inst(m, 0, 1)->imm, 4);
  mir_module_free(m);
}

// ---- registers of an order

// Words of the program's order and of the new one: what mir_allocate gives the kernel.
static void registers_of(const char *text, uint32_t max_regs, uint32_t before[2],
                         uint32_t after[2]) {
  mir_module *m = kernel_of(text);
  mir_reconverge(m);
  mir_locate(m, MIR_LOCATE_PAPER, NULL);
  assert_true(mir_registers(&m->kernels[0], max_regs, before));
  mir_reorder(m, max_regs);
  mir_verify(m);
  assert_true(mir_registers(&m->kernels[0], max_regs, after));
  mir_module_free(m);
}

// Many loads, each read at once: as many as wanted could begin early.
static char *many_loads(unsigned count) {
  static char text[8000];
  size_t n = 0;
  for (unsigned v = 0; v < 2 + count; v++)
    n += (size_t)snprintf(text + n, sizeof text - n,
                          ".reg %u words 1 loc U files 0 temp 0 number 255 -\n", v);
  n += (size_t)snprintf(text + n, sizeof text - n, ".block a\n mov.b32 %%v1, 0\n");
  for (unsigned v = 2; v < 2 + count; v++)
    n += (size_t)snprintf(text + n, sizeof text - n,
                          " ld.shared.b32 %%v%u, [%%v0+%u]\n add.u32 %%v1, %%v1, %%v%u\n", v, 4 * v,
                          v);
  snprintf(text + n, sizeof text - n, " st.shared.b32 [%%v0], %%v1\n exit\n");
  return text;
}

static void order_keeps_limits(void **state) {
  (void)state;
  uint32_t before[2], after[2];
  registers_of(many_loads(40), 0, before, after);
  assert_true(after[0] > before[0] && after[0] <= 8);
  for (uint32_t max = 8; max < 11; max++) {
    registers_of(many_loads(40), max, before, after);
    assert_true(after[0] <= max);
  }
}

// As many predicates as there are, and no more, so that none goes to a register.
static void order_counts_predicates(void **state) {
  (void)state;
  char text[8000];
  size_t n = (size_t)snprintf(text, sizeof text, ".predicates 40\n");
  for (unsigned v = 0; v < 82; v++)
    n += (size_t)snprintf(text + n, sizeof text - n,
                          ".reg %u words 1 loc U files 0 temp 0 number 255 -\n", v);
  n += (size_t)snprintf(text + n, sizeof text - n, ".block a\n s2r.b32 %%v0, tid.x\n");
  // the selections wait for a division: comparisons could all go before
  n += (size_t)snprintf(text + n, sizeof text - n, " div.u32 %%v1, %%v0, 3\n");
  for (unsigned p = 0; p < 40; p++)
    n += (size_t)snprintf(text + n, sizeof text - n,
                          " setp.lt.u32 %%p%u, %%v0, %u\n @%%p%u add.u32 %%v1, %%v1, %u\n", p, p, p,
                          p + 1);
  snprintf(text + n, sizeof text - n, " st.shared.b32 [%%v0], %%v1\n exit\n");
  mir_module *m = kernel_of(text);
  mir_reconverge(m);
  mir_locate(m, MIR_LOCATE_FAR, NULL);
  assert_int_equal(live_peak_predicates(&m->kernels[0]), 1);
  mir_reorder(m, 0);
  const uint32_t peak = live_peak_predicates(&m->kernels[0]);
  assert_true(peak > 1 && peak <= ISA_PT);
  mir_module_free(m);
}

// Results that nobody reads take no register from what others need.
static void order_leaves_out_dead_results(void **state) {
  (void)state;
  char text[4000];
  size_t n = 0;
  for (unsigned v = 0; v < 20; v++)
    n += (size_t)snprintf(text + n, sizeof text - n,
                          ".reg %u words 1 loc U files 0 temp 0 number 255 -\n", v);
  n += (size_t)snprintf(text + n, sizeof text - n, ".block a\n");
  for (unsigned v = 4; v < 20; v++)
    n += (size_t)snprintf(text + n, sizeof text - n, " ld.shared.b32 %%v%u, [%%v0+%u]\n", v, 4 * v);
  snprintf(text + n, sizeof text - n,
           " add.u32 %%v0, %%v0, 4\n"
           " ld.shared.b32 %%v1, [%%v0]\n"
           " add.u32 %%v2, %%v1, 1\n"
           " ld.shared.b32 %%v3, [%%v0+4]\n"
           " add.u32 %%v2, %%v2, %%v3\n"
           " st.shared.b32 [%%v0+8], %%v2\n"
           " exit\n");
  mir_module *m = kernel_of(text);
  mir_locate(m, MIR_LOCATE_PAPER, NULL);
  mir_reorder(m, 0);
  // the two loads that are read, and nothing between them that waits for one
  uint32_t first = 0, second = 0, add = 0;
  for (uint32_t j = 0; j < m->kernels[0].blocks[0].count; j++) {
    const isa_inst *i = inst(m, 0, j);
    if (i->op == ISA_OP_LD && i->d == ISA_VREG(1))
      first = j;
    if (i->op == ISA_OP_LD && i->d == ISA_VREG(3))
      second = j;
    if (i->op == ISA_OP_ADD && i->a == ISA_VREG(1))
      add = j;
  }
  assert_true(first < add && second < add);
  mir_module_free(m);
}

// Random programs that just fit, for a limit of registers or for the blocks that they say they
// have, still do.
static void order_keeps_programs_fitting(void **state) {
  (void)state;
  for (uint32_t seed = 0; seed < 150; seed++)
    for (unsigned blocks = 0; blocks < 2; blocks++) {
      mir_module *m = make_module(seed + 7000, 40, 6);
      mir_kernel *k = &m->kernels[0];
      uint32_t before[2], after[2], max = 0, room = 0;
      mir_simplify(m);
      mir_reconverge(m);
      mir_locate(m, (mir_policy)(seed % MIR_POLICIES), NULL);
      if (!mir_registers(k, 0, before)) {  // too many predicates
        mir_module_free(m);
        continue;
      }
      if (blocks) {  // warps of a subcore, which has 128 near and 256 far registers
        const uint32_t near = 128 / ((before[0] + 3) / 4 * 4),
                       far = 256 / ((before[1] + 3) / 4 * 4);
        const uint32_t warps = near < far ? near : far;
        k->max_threads = 128 * warps;
        room = 128 / warps / 4 * 4;
      } else {
        max = before[0] > before[1] ? before[0] : before[1];
      }
      mir_reorder(m, max);
      if (!mir_registers(k, max, after) || (blocks && after[0] > room))
        fail_msg("seed %u: %u near and %u far registers, then %u and %u", seed, before[0],
                 before[1], after[0], after[1]);
      mir_module_free(m);
    }
}

// What nothing may pass: loads of other places stay on their side of it, and so does arithmetic,
// though each could begin earlier.
static void nothing_passes(void **state) {
  (void)state;
  static const char *const fixed[] = {
      "st.volatile.shared.b32 [%v0+64], %v1",
      "ld.volatile.shared.b32 %v4, [%v0+64]",
      "ld.acquire.gpu.global.b32 %v4, [%v5]",
      "st.release.gpu.global.b32 [%v5], %v1",
      "ld.relaxed.gpu.global.b32 %v4, [%v5]",
      "atom.add.shared.u32 %v4, [%v0+64], %v1",
      "red.add.shared.u32 [%v0+64], %v1",
      "membar.cta",
      "bar.sync.b32 rz, rz, rz",
      "s2r.b32 %v4, clock",
      "@%p0 exit",
  };
  for (unsigned n = 0; n < sizeof fixed / sizeof *fixed; n++) {
    char text[2000];
    snprintf(text, sizeof text,
             ".predicates 1\n"
             ".reg 0 words 1 loc U files 0 temp 0 number 255 \"sh\"\n"
             ".reg 1 words 1 loc U files 0 temp 0 number 255 \"x\"\n"
             ".reg 2 words 1 loc U files 0 temp 0 number 255 \"y\"\n"
             ".reg 3 words 1 loc U files 0 temp 0 number 255 \"z\"\n"
             ".reg 4 words 1 loc U files 0 temp 0 number 255 \"f\"\n"
             ".reg 5 words 2 loc U files 0 temp 0 number 255 \"g\"\n"
             ".block a\n"
             " ld.shared.b32 %%v1, [%%v0]\n"
             " add.u32 %%v3, %%v1, 1\n"
             " %s\n"
             " ld.shared.b32 %%v2, [%%v0+4]\n"
             " mul.u32 %%v2, %%v2, %%v2\n"
             " add.u32 %%v3, %%v3, %%v2\n"
             " st.shared.b32 [%%v0+8], %%v3\n"
             " exit\n",
             fixed[n]);
    mir_module *m = kernel_of(text);
    mir_locate(m, MIR_LOCATE_PAPER, NULL);
    const isa_inst want = *inst(m, 0, 2);
    mir_reorder(m, 0);
    mir_verify(m);
    if (memcmp(inst(m, 0, 2), &want, sizeof want))
      fail_msg("something passes '%s'", fixed[n]);
    mir_module_free(m);
  }
}

// A weak access of another place is passed: the test above would notice nothing if this were not.
static void weak_accesses_are_passed(void **state) {
  (void)state;
  mir_module *m = kernel_of(
      ".reg 0 words 1 loc U files 0 temp 0 number 255 \"sh\"\n"
      ".reg 1 words 1 loc U files 0 temp 0 number 255 \"x\"\n"
      ".reg 2 words 1 loc U files 0 temp 0 number 255 \"y\"\n"
      ".reg 3 words 1 loc U files 0 temp 0 number 255 \"z\"\n"
      ".reg 4 words 2 loc U files 0 temp 0 number 255 \"g\"\n"
      ".block a\n"
      " ld.shared.b32 %v1, [%v0]\n"
      " add.u32 %v3, %v1, 1\n"
      " st.global.b32 [%v4], %v1\n"
      " ld.shared.b32 %v2, [%v0+4]\n"
      " mul.u32 %v2, %v2, %v2\n"
      " add.u32 %v3, %v3, %v2\n"
      " st.shared.b32 [%v0+8], %v3\n"
      " exit\n");
  mir_locate(m, MIR_LOCATE_PAPER, NULL);
  mir_reorder(m, 0);
  assert_int_equal(inst(m, 0, 1)->op, ISA_OP_LD);
  mir_module_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(post_dominators_of_random_graphs),
      cmocka_unit_test(dominators_and_loops),
      cmocka_unit_test(branches_meet),
      cmocka_unit_test(lanes_of_two_conditions_meet),
      cmocka_unit_test(lanes_are_gathered),
      cmocka_unit_test(gathered_graphs),
      cmocka_unit_test(endless_loops),
      cmocka_unit_test(endless_loops_with_ways_out),
      cmocka_unit_test(liveness_by_words),
      cmocka_unit_test(locations_of_the_paper),
      cmocka_unit_test(unknown_stays_unknown),
      cmocka_unit_test(policies),
      cmocka_unit_test(lanes_that_part_differ),
      cmocka_unit_test(simplify_narrows_shared_addresses),
      cmocka_unit_test(simplify_keeps_wide_values),
      cmocka_unit_test(simplify_exits_and_jumps),
      cmocka_unit_test(text_is_a_fixpoint),
      cmocka_unit_test(text_keeps_variables),
      cmocka_unit_test(text_errors),
      cmocka_unit_test(text_survives_damage),
      cmocka_unit_test(listing_shows_locations),
      cmocka_unit_test(comparisons_of_data_stay_near),
      cmocka_unit_test(tested_masks_stay_near),
      cmocka_unit_test(only_tested_masks_are_near),
      cmocka_unit_test(masks_select_the_same),
      cmocka_unit_test(far_comparisons_stay),
      cmocka_unit_test(loads_begin_early),
      cmocka_unit_test(order_keeps_limits),
      cmocka_unit_test(order_counts_predicates),
      cmocka_unit_test(order_leaves_out_dead_results),
      cmocka_unit_test(order_keeps_programs_fitting),
      cmocka_unit_test(nothing_passes),
      cmocka_unit_test(weak_accesses_are_passed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Warps as text: where they are and why they wait, registers, SIMT stack, scoreboard.
#include "show.h"

#include <inttypes.h>
#include <string.h>
#include "csim/isa/asm.h"
#include "harness/machines/mpu/core/core_view.h"
#include "harness/machines/mpu/core/report.h"

enum { TEXT = 400, ALL = SUBCORES * SLOTS, ROW = 8, FEW = 4 };

static bool names(const cwarp *w, show_warp name) {
  return w->w && w->b->index == name.block && w->index == name.warp;
}

static const cwarp *find(const core *c, show_warp name) {
  for (uint32_t k = 0; k < SUBCORES; k++)
    for (uint32_t m = c->board.sub[k].live; m; m &= m - 1)
      if (names(&c->board.sub[k].warps[__builtin_ctz(m)], name))
        return &c->board.sub[k].warps[__builtin_ctz(m)];
  return NULL;
}

// All warps, in the order of their blocks.
static uint32_t all_warps(const core *c, const cwarp *list[ALL]) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < SUBCORES; k++)
    for (uint32_t m = c->board.sub[k].live; m; m &= m - 1) {
      const cwarp *w = &c->board.sub[k].warps[__builtin_ctz(m)];
      uint32_t at = n;
      if (!w->w)
        continue;
      for (n++; at && (list[at - 1]->b->index > w->b->index ||
                       (list[at - 1]->b == w->b && list[at - 1]->index > w->index));
           at--)
        list[at] = list[at - 1];
      list[at] = w;
    }
  return n;
}

uint32_t show_live(const core *c) {
  const cwarp *list[ALL];
  return all_warps(c, list);
}

bool show_oldest(const core *c, show_warp *name) {
  const cwarp *list[ALL];
  if (!all_warps(c, list))
    return false;
  *name = (show_warp){list[0]->b->index, list[0]->index};
  return true;
}

bool show_faulty(const core *c, show_warp *name) {
  const cwarp *list[ALL];
  for (uint32_t k = 0, n = all_warps(c, list); k < n; k++)
    if (list[k]->w->state == WARP_FAULT) {
      *name = (show_warp){list[k]->b->index, list[k]->index};
      return true;
    }
  return false;
}

bool show_has(const core *c, show_warp name) {
  return find(c, name) != NULL;
}

static bool next_pc(const cwarp *w, uint32_t *pc) {
  if (w->w->depth)
    *pc = w->w->stack[w->w->depth - 1].pc;
  return w->w->depth != 0;
}

bool show_pc(const core *c, show_warp name, uint32_t *pc) {
  const cwarp *w = find(c, name);
  return w && next_pc(w, pc);
}

// ---- places

void show_block(FILE *f, const launch *l, uint32_t block) {
  const uint32_t *g = l->shape.grid;
  fprintf(f, "block %u", block);
  if (g[1] > 1 || g[2] > 1)
    fprintf(f, " (%u,%u,%u)", block % g[0], block / g[0] % g[1], block / g[0] / g[1]);
}

const char *show_file(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

void show_place(FILE *f, const launch *l, uint32_t pc) {
  char text[ASM_TEXT] = "the end of the code";
  if (pc / ISA_BYTES < l->kernel->inst_count)
    asm_print(&l->code.insts[pc / ISA_BYTES].i, NULL, text, sizeof text);
  fprintf(f, "pc 0x%x: %s", pc, text);
  const module_line *line = module_line_at(l->kernel, pc);
  if (line && line->ptx_line)
    fprintf(f, ", PTX line %u", line->ptx_line);
  if (line && line->cuda_line)
    fprintf(f, ", %s:%u", show_file(line->cuda_file), line->cuda_line);
}

// ---- sets of registers and predicates

static void put_registers(FILE *f, const uint64_t set[4]) {
  for (uint32_t r = 0; r < ISA_RZ; r++)
    if (set[r / 64] >> r % 64 & 1)
      fprintf(f, " r%u", r);
}

static void put_predicates(FILE *f, uint32_t set) {
  for (; set; set &= set - 1)
    fprintf(f, " p%d", __builtin_ctz(set));
}

static bool any(const uint64_t set[4]) {
  return set[0] | set[1] | set[2] | set[3];
}

// False: it is empty.
static bool put_set(FILE *f, const char *what, const uint64_t set[4], uint32_t preds) {
  if (!any(set) && !preds)
    return false;
  fputs(what, f);
  put_registers(f, set);
  put_predicates(f, preds);
  return true;
}

// ---- why a warp does not issue

static void put_hazards(FILE *f, const cwarp *w) {
  const uop *p = w->next;
  uint64_t written[4], read[4], moved[4];
  for (unsigned k = 0; k < 4; k++) {
    const uint64_t uses = p->reads[k] | p->writes[k];
    written[k] = w->writing[k] & uses;
    moved[k] = (w->to_near[k] | w->to_far[k]) & uses;
    read[k] = w->reading[k] & p->writes[k];
  }
  const uint32_t p_written = w->preds_writing & (p->preds_read | p->preds_written);
  const uint32_t p_read = w->preds_reading & p->preds_written;
  bool waits = put_set(f, "waits for registers being written:", written, p_written);
  waits |= put_set(f, waits ? "; moved:" : "waits for registers being moved:", moved, 0);
  waits |=
      put_set(f, waits ? "; to be read:" : "waits for registers still to be read:", read, p_read);
  fputs(waits ? "\n" : "can issue it\n", f);
}

static void put_fetch(FILE *f, const core *c, const view_sub *s, const cwarp *w) {
  const uint32_t line = w->fetch_pc >> c->front.line_shift;
  const bool there = view_cached(c, line) || s->front->served >> w->slot & 1;
  if (!w->fetch_from)
    fputs("waits for its row of the track table to be cleared\n", f);
  else if (w->arriving)
    fputs("decodes it\n", f);
  else if (w->fetch_from > c->base.cycle)
    fprintf(f, "fetches it in cycle %" PRIu64 " or later\n", w->fetch_from);
  else if (!there && s->front->miss_until)
    fprintf(f, "waits for a line of the I-cache%s in cycle %" PRIu64 "\n",
            s->front->miss_warp == w->slot ? ", which comes" : "; a line for another warp comes",
            s->front->miss_until);
  else
    fputs("will fetch it\n", f);
}

static void put_why(FILE *f, const core *c, const view_sub *s, const cwarp *w) {
  const uop_kind kind = w->next ? w->next->kind : UOP_NONE;
  const bool fence = kind == UOP_BARRIER || kind == UOP_FENCE || kind == UOP_EXIT;
  if (c->front.blocks[w->block_slot].wins >> s->index & 1)
    fputs("waits for its window of shared memory\n", f);
  else if (w->lines_to_clear)
    fprintf(f, "waits for its local memory: %u lines are still to be cleared\n", w->lines_to_clear);
  else if (w->barrier || w->w->state == WARP_AT_BARRIER)
    fputs("waits for its barrier\n", f);
  else if (w->syncing)
    fprintf(f, "waits until NBU %u has completed its accesses\n", s->index);
  else if (!w->buffered)
    put_fetch(f, c, s, w);
  else if (fence && w->accesses)
    fprintf(f, "waits for the end of %u accesses\n", w->accesses);
  else
    put_hazards(f, w);
}

// ---- where

// What of a warp is under way, in the order of issue.
static uint32_t ops_of(const view_sub *s, const cwarp *w, const op *list[OPS]) {
  uint32_t n = 0;
  for (uint64_t m = s->board->under_way; m; m &= m - 1) {
    const op *o = &s->board->pool[__builtin_ctzll(m)];
    uint32_t at = n;
    if (o->w != w)
      continue;
    for (n++; at && list[at - 1]->number > o->number; at--)
      list[at] = list[at - 1];
    list[at] = o;
  }
  return n;
}

static void put_warp(FILE *f, const core *c, const cwarp *w, bool selected) {
  const view_sub sub = view_subcore_of(c, w), *s = &sub;
  const op *list[OPS];
  uint32_t pc;
  char text[TEXT];
  fputs(selected ? "* " : "  ", f);
  show_block(f, c->base.l, w->b->index);
  fprintf(f, " warp %u: ", w->index);
  if (next_pc(w, &pc)) {
    show_place(f, c->base.l, pc);
    fputs("\n    ", f);
    if (w->w->state == WARP_FAULT)
      fputs("has faulted\n", f);
    else
      put_why(f, c, s, w);
  } else {
    fputs("has issued all its instructions\n", f);
  }
  for (uint32_t k = 0, n = ops_of(s, w, list); k < n; k++) {
    const op *o = list[k];
    report_op(c, o, text, sizeof text);
    fputs("    under way: ", f);
    show_place(f, c->base.l, o->pc);
    fprintf(f, ": %s%s\n", o->state == OP_ENGINE ? "" : o->near ? "near, " : "far, ", text);
  }
}

void show_warps(FILE *f, const core *c, const show_warp *selected) {
  const cwarp *list[ALL];
  const uint32_t n = all_warps(c, list);
  for (uint32_t k = 0; k < n; k++)
    put_warp(f, c, list[k], selected && names(list[k], *selected));
}

// ---- values

const char *const show_type_names[SHOW_TYPES] = {"x32", "u32", "s32", "f32", "u64", "f64", "u8"};

uint32_t show_bytes(show_type t) {
  return t == SHOW_U8 ? 1 : t == SHOW_U64 || t == SHOW_F64 ? 8 : 4;
}

void show_value(FILE *f, show_type t, const void *value) {
  uint32_t word = 0;
  uint64_t wide = 0;
  float single;
  double twice;
  memcpy(t == SHOW_U64 || t == SHOW_F64 ? (void *)&wide : (void *)&word, value, show_bytes(t));
  memcpy(&single, &word, sizeof single);
  memcpy(&twice, &wide, sizeof twice);
  switch (t) {
    case SHOW_U32:
    case SHOW_U8:
      fprintf(f, "%" PRIu32, word);
      break;
    case SHOW_S32:
      fprintf(f, "%" PRId32, (int32_t)word);
      break;
    case SHOW_F32:
      fprintf(f, "%.9g", (double)single);
      break;
    case SHOW_U64:
      fprintf(f, "%" PRIu64, wide);
      break;
    case SHOW_F64:
      fprintf(f, "%.17g", twice);
      break;
    default:
      fprintf(f, "%08" PRIx32, word);
  }
}

void show_memory(FILE *f, uint64_t address, const uint8_t *bytes, uint32_t count, show_type t) {
  const uint32_t size = show_bytes(t), row = t == SHOW_U8 ? 16 : size == 8 ? 4 : ROW;
  for (uint32_t k = 0; k < count; k++) {
    if (k % row == 0)
      fprintf(f, "%s0x%" PRIx64 ":", k ? "\n" : "", address + k * size);
    fputc(' ', f);
    show_value(f, t, bytes + k * size);
  }
  fputc('\n', f);
}

// ---- registers

typedef enum side { FAR, NEAR } side;
static const char *const side_names[] = {"far", "near"};

// What a side holds, NULL: nothing, or it is not to be seen.
static const uint32_t *words_of(const core *c, const cwarp *w, uint32_t reg, side s) {
  const module_kernel *k = c->base.l->kernel;
  if (s == FAR)
    return reg < k->regs_both || reg >= (uint32_t)k->regs_both + k->regs_near
               ? w->w->regs + reg * ISA_LANES
               : NULL;
  return reg < (uint32_t)k->regs_both + k->regs_near
             ? near_register(c->base.near, w->subcore, near_place(w, reg))
             : NULL;
}

// Bits of the track table, -1: it is not to be seen. Its row may still be that of another warp.
static int valid(const core *c, const cwarp *w, uint32_t reg) {
  const uint32_t k = w->subcore;
  const int v = near_valid(c->base.near, k, w->slot, reg);
  return v >= 0 && c->front.sub[k].clears >> w->slot & 1 ? 0 : v;
}

static bool in(const uint64_t set[4], uint32_t reg) {
  return set[reg / 64] >> reg % 64 & 1;
}

// A packet that the base die does not wait for has yet to write it near.
static bool near_comes(const core *c, const cwarp *w, uint32_t reg) {
  const nbu_port *p = &c->bus.port[w->subcore];
  for (uint32_t k = 0; k < TAGS; k++) {
    const tag *t = &p->tags[k];
    const op *o = t->kind != TAG_FREE && t->silent ? bus_op(&c->bus, t) : NULL;
    if (!o || o->w != w)
      continue;
    const int first = o->p->d->reg[0];
    if (t->kind == TAG_MOVE_NEAR ? t->reg == reg
                                 : first >= 0 && (int)reg >= first && reg < (uint32_t)first + 8 &&
                                       t->writes >> (reg - (uint32_t)first) & 1)
      return true;
  }
  return false;
}

static void put_state(FILE *f, const cwarp *w, uint32_t reg) {
  if (in(w->writing, reg))
    fputs(", being written", f);
  if (in(w->reading, reg))
    fputs(", to be read", f);
  if (in(w->to_near, reg))
    fputs(", on its way to the near side", f);
  if (in(w->to_far, reg))
    fputs(", on its way to the far side", f);
}

// One word when all of these lanes hold it, else each.
static void put_lanes(FILE *f, const uint32_t *words, uint32_t lanes, show_type t) {
  const uint32_t first = words[__builtin_ctz(lanes)];
  bool same = true;
  uint32_t k = 0;
  for (uint32_t m = lanes; m; m &= m - 1)
    same &= words[__builtin_ctz(m)] == first;
  if (same) {
    fputs(lanes & (lanes - 1) ? " all of them " : " ", f);
    show_value(f, t, &first);
    fputc('\n', f);
    return;
  }
  for (uint32_t m = lanes; m; m &= m - 1, k++) {
    if (k % ROW == 0)
      fprintf(f, "%s%3d:", k ? "\n             " : " ", __builtin_ctz(m));
    fputc(' ', f);
    show_value(f, t, &words[__builtin_ctz(m)]);
  }
  fputc('\n', f);
}

static const char *const validity[] = {"valid nowhere: zero", "valid far", "valid near",
                                       "valid far and near"};

void show_register(FILE *f, const core *c, show_warp name, uint32_t reg, uint32_t lanes,
                   show_type t) {
  const cwarp *w = find(c, name);
  const int v = valid(c, w, reg);
  fprintf(f, "r%u: %s", reg, v < 0 ? "validity is not visible" : validity[v & 3]);
  put_state(f, w, reg);
  fputc('\n', f);
  for (side s = FAR; s <= NEAR; s++) {
    const uint32_t *words = words_of(c, w, reg, s);
    if (!words)
      continue;
    const bool comes = in(w->writing, reg) || in(s == NEAR ? w->to_near : w->to_far, reg) ||
                       (s == NEAR && near_comes(c, w, reg));
    fprintf(f, "  %-4s %s", side_names[s],
            v < 0        ? "      "
            : v >> s & 1 ? comes ? "coming" : "valid "
                         : "stale ");
    put_lanes(f, words, lanes, t);
  }
  if (v < 0)
    fputs("  near values and validity are in the Verilog: --near=lockstep shows them\n", f);
}

// Far where that is valid, or near ones cannot be seen.
static void put_line(FILE *f, const core *c, const cwarp *w, uint32_t reg) {
  static const char *const shorts[] = {"nowhere", "far", "near", "both"};
  const int v = valid(c, w, reg);
  const uint32_t *words = words_of(c, w, reg, v == 2 ? NEAR : FAR);
  fprintf(f, "r%-3u %-7s %c%c%c", reg, v < 0 ? "" : shorts[v & 3], in(w->writing, reg) ? 'w' : '-',
          in(w->reading, reg) ? 'r' : '-', in(w->to_near, reg) || in(w->to_far, reg) ? 'm' : '-');
  bool same = true;
  for (uint32_t l = 1; words && l < ISA_LANES; l++)
    same &= words[l] == words[0];
  for (uint32_t l = 0; words && v && l < (same ? 1 : FEW); l++)
    fprintf(f, " %08" PRIx32, words[l]);
  fputs(!words || !v ? "\n" : same ? " in all lanes\n" : " ...\n", f);
}

void show_registers(FILE *f, const core *c, show_warp name) {
  const cwarp *w = find(c, name);
  for (uint32_t r = 0; r < c->base.l->code.regs; r++)
    put_line(f, c, w, r);
  if (near_valid(c->base.near, 0, 0, 0) < 0)
    fputs("near values and validity are in the Verilog: --near=lockstep shows them\n", f);
}

void show_predicate(FILE *f, const core *c, show_warp name, uint32_t p) {
  const cwarp *w = find(c, name);
  fprintf(f, "p%-2u %08" PRIx32 "%s%s\n", p, w->w->preds[p],
          w->preds_writing >> p & 1 ? ", being written" : "",
          w->preds_reading >> p & 1 ? ", to be read" : "");
}

void show_predicates(FILE *f, const core *c, show_warp name) {
  for (uint32_t p = 0; p < c->base.l->kernel->preds; p++)
    show_predicate(f, c, name, p);
  if (!c->base.l->kernel->preds)
    fputs("the kernel has none\n", f);
}

void show_stack(FILE *f, const core *c, show_warp name) {
  const cwarp *w = find(c, name);
  fprintf(f, "lanes that have not ended: %08" PRIx32 "\n", w->w->alive);
  for (uint32_t k = w->w->depth; k; k--) {
    const stack_entry *e = &w->w->stack[k - 1];
    fprintf(f, "%2u  lanes %08" PRIx32 "  ", k, e->mask);
    show_place(f, c->base.l, e->pc);
    if (e->rpc != ISA_NO_RECONV)
      fprintf(f, "; until pc 0x%x", e->rpc);
    fputc('\n', f);
  }
}

void show_scoreboard(FILE *f, const core *c, show_warp name) {
  const cwarp *w = find(c, name);
  fprintf(f, "%u instructions under way, %u of them accesses; the units have %s\n", w->ops,
          w->accesses,
          w->owed_access ? "accesses that nobody has asked for"
          : w->owed      ? "instructions, and no accesses, that nobody has asked for"
                         : "nothing");
  if (put_set(f, "being written:", w->writing, w->preds_writing))
    fputc('\n', f);
  if (put_set(f, "to be read:", w->reading, w->preds_reading))
    fputc('\n', f);
  if (put_set(f, "on the way to the near side:", w->to_near, 0))
    fputc('\n', f);
  if (put_set(f, "on the way to the far side:", w->to_far, 0))
    fputc('\n', f);
}

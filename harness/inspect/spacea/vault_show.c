// SPDX-License-Identifier: Apache-2.0
#include "vault_show.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 24, SETS = 8 };  // of lines under way of a vault; of sets in a line of text

const char vault_place_forms[] = "VAULT, VAULT.LAYER or VAULT.LAYER.PE";

// A number below `end`, and what is behind it; NULL: there is none.
static const char *number(const char *text, uint32_t first, uint32_t end, uint32_t *to) {
  char *behind;
  if (!isdigit((unsigned char)*text))
    return NULL;
  const unsigned long n = strtoul(text, &behind, 10);
  *to = (uint32_t)n;
  return n >= first && n < end ? behind : NULL;
}

bool vault_place_parse(const char *text, uint32_t vaults, uint32_t groups, vault_place *to) {
  *to = (vault_place){0, VAULT_SHOW_ALL, VAULT_SHOW_ALL};
  if ((text = number(text, 0, vaults, &to->vault)) && *text == '.' &&
      (text = number(text + 1, 1, groups + 1, &to->layer)) && *text == '.')
    text = number(text + 1, 0, BGROUP_PES, &to->pe);
  return text && !*text;
}

// ---- packets

static void show_packets(const char *what, const packets *q, uint64_t cycle, FILE *to) {
  static const char *const kinds[] = {"WANT", "LINE", "SUM", "START"};
  if (!q->n)
    return;
  fprintf(to, "    %s:", what);
  for (uint32_t k = 0; k < q->n; k++) {
    const packet *p = &q->of[(q->first + k) % PACKETS];
    fprintf(to, "%s %s", k ? "," : "", kinds[p->kind]);
    if (p->kind != PACKET_START)
      fprintf(to, " %s %" PRIu32, p->kind == PACKET_SUM ? "row" : "line", p->what);
    if (p->at > cycle)
      fprintf(to, " in %" PRIu64, p->at - cycle);
  }
  fputc('\n', to);
}

// ---- a PE

static char state_of(const spe *s, uint32_t place, uint32_t k) {
  return s->words[place][1 + 3 * k] == SPE_NONE ? '-'
         : s->done[place] >> k & 1              ? '#'
         : s->ready[place] >> k & 1             ? '!'
         : s->asked[place] >> k & 1             ? '?'
                                                : '.';
}

static void show_place(const spe *s, uint32_t at, FILE *to) {
  fprintf(to, "      %" PRIu32 "%c %8" PRIu32 "  ", at, at == s->head ? '>' : ' ', s->row[at]);
  for (uint32_t k = 0; k < SPE_ELEMENTS; k++)
    fputc(state_of(s, at, k), to);
  fprintf(to, "  %.17g", s->sum[at]);
  if (s->under_way[at])
    fprintf(to, ", %u under way in fma64", s->under_way[at]);
  fputc('\n', to);
}

// Elements that have asked, by their places.
static void show_asked(const spe *s, FILE *to) {
  uint32_t n = 0;
  for (uint32_t at = 0; at < SPE_PLACES; at++)
    for (uint32_t k = 0; s->full_places >> at & 1 && k < SPE_ELEMENTS; k++)
      if (state_of(s, at, k) == '?')
        fprintf(to, "%s %" PRIu32 ".%" PRIu32 " line %" PRIu32,
                n++ ? "," : "    wait for lines:", at, k, s->words[at][1 + 3 * k] >> 2);
  if (n)
    fputc('\n', to);
}

static void show_pe(const bgroup *g, uint32_t pe, FILE *to) {
  static const char *const docs[] = {
#define WAIT(NAME, name, doc) #name ": " doc,
#include "csim/spacea/waits.def"
#undef WAIT
  };
  const spe *s = &g->pes[pe];
  fprintf(to, "  PE %" PRIu32 ": %s\n", pe, docs[bgroup_sees(g, pe).waits]);
  if (!s->out.busy)
    return;
  fprintf(to,
          "    next turn: place %" PRIu32 " element %" PRIu32 ", not before %" PRIu32
          " cycles; rows: %" PRIu32 " in the queue, %" PRIu32 " coming, then %s%" PRIu32 "\n",
          s->at_place, s->at_element, s->wait, s->full, s->coming,
          s->ended ? "none: the stream has ended before " : "", s->out.row_row);
  fprintf(to, "  place      row  . new  ? asked  ! ready  # done  - padding; sum\n");
  for (uint32_t k = 0; k < s->full; k++)
    show_place(s, (s->head + k) % SPE_PLACES, to);
  show_asked(s, to);
  if (s->open)
    fprintf(to, "    Y of row %" PRIu32 ": %.17g%s\n", s->y_row, s->y,
            s->adding ? ", more is being added" : "");
  if (s->out.y_valid)
    fprintf(to, "    the sum of row %" PRIu32 " waits to leave\n", s->out.y_row);
}

// ---- a bank group

static void show_lines(const bgroup *g, FILE *to) {
  uint32_t n = 0, set = UINT32_MAX;
  xcam_line l;
  for (uint32_t at = 0; xcam_next(g->lines, &at, &l);)
    n++;
  fprintf(to, "  lines: %" PRIu32 "; by sets:", n);
  for (uint32_t at = 0; xcam_next(g->lines, &at, &l); set = l.set) {
    if (l.set != set)
      fprintf(to, "%s %" PRIu32 ":",
              set != UINT32_MAX && set / SETS == l.set / SETS ? ";" : "\n   ", l.set);
    fprintf(to, " %" PRIu32, l.key);
  }
  fputc('\n', to);
}

static void show_who(uint32_t who, FILE *to) {
  const uint32_t slot = who >> 2 & 255;
  fprintf(to, "for PE %" PRIu32 " %" PRIu32 ".%" PRIu32, who >> 10, slot % SPE_PLACES,
          slot / SPE_PLACES);
}

static void show_under_way(const bgroup *g, FILE *to) {
  uint32_t n = 0;
  ldq_line l;
  for (uint32_t at = 0; ldq_next(g->under_way, &at, &l); n++) {
    fprintf(to, "%s %" PRIu32 " ", n ? "," : "  lines under way:", l.key);
    show_who(l.who, to);
  }
  fputs(n ? "\n" : "  lines under way: none\n", to);
  for (uint32_t k = 0; k < g->n; k++)
    fprintf(to, "%s %" PRIu32,
            k ? "," : "    not sent yet:", g->wants[(g->first + k) % BGROUP_WANTS]);
  if (g->n)
    fputc('\n', to);
}

static void show_banks(const rowctl *c, FILE *to) {
  for (uint32_t k = 0; k < ROWCTL_BANKS; k++) {
    const rowctl_bank *b = &c->banks[k];
    fprintf(to, "  bank %" PRIu32 ": ", k);
    if (b->is_open)
      fprintf(to, "row %" PRIu16 " is open", b->open);
    else
      fprintf(to, "no row is open");
    if (b->has)
      fprintf(to, ", %s row %" PRIu16 " column %" PRIu8 " and %" PRIu8 " more",
              b->we ? "writes" : "reads", b->row, b->col, b->more);
    if (b->owed)
      fprintf(to, ", owes %" PRIu32 " refreshes", b->owed);
    fputc('\n', to);
  }
}

static void show_group(const vault *v, uint32_t layer, uint32_t pe, FILE *to) {
  const matrix_group *m = &v->group[layer - 1];
  const bgroup *g = lockstep_twin(m->block);
  fprintf(to, "vault %" PRIu32 ", layer %" PRIu32 "%s\n", v->node.port.index, layer,
          lockstep_error(m->block) ? ": its models differ, or a check of its Verilog is false"
          : m->done                ? ": done"
                                   : "");
  show_packets("on their way up the TSVs to it", &m->down, v->node.cycle, to);
  if (!g) {
    fputs("  its state is inside the Verilog\n", to);
    return;
  }
  for (uint32_t k = 0; k < BGROUP_PES; k++)
    if (pe == VAULT_SHOW_ALL || k == pe)
      show_pe(g, k, to);
  show_lines(g, to);
  show_under_way(g, to);
  show_banks(&g->rows, to);
}

// ---- what layers share

static void show_vectors(const vault *v, FILE *to) {
  static const char *const phases[] = {"ready", "writes a row of Y back", "asks for a row of Y",
                                       "waits for a row of Y"};
  const vectors *x = &v->vectors;
  fprintf(to, "  vectors: %d reads under way\n", VECTORS_READS - __builtin_popcount(x->free_reads));
  show_packets("come", &x->down, v->node.cycle, to);
  show_packets("leave", &x->up, v->node.cycle, to);
  for (uint32_t k = 0; k < BANKS; k++) {
    const vectors_bank *b = &x->bank[k];
    fprintf(to, "    bank %" PRIu32 ": %s; %" PRIu32 " rows of Y in its buffer\n", k,
            phases[b->phase], b->n);
    show_packets("  reads", &b->reads, v->node.cycle, to);
    show_packets("  sums", &b->sums, v->node.cycle, to);
  }
}

static void show_layers(uint32_t layers, FILE *to) {
  const char *before = " for layers ";
  for (uint32_t k = 0; k <= VAULT_GROUPS; k++)
    if (layers >> k & 1) {
      fprintf(to, "%s%" PRIu32, before, k);
      before = "+";
    }
}

static void show_controller(const vault *v, FILE *to) {
  uint32_t n = 0, n_lines = 0;
  ldq_line l;
  xcam_line x;
  for (uint32_t at = 0; xcam_next(v->lines_here, &at, &x);)
    n_lines++;
  fprintf(to, "vault %" PRIu32 ", cycle %" PRIu64 "\n  its controller has %" PRIu32 " lines\n",
          v->node.port.index, v->node.cycle, n_lines);
  for (uint32_t at = 0; ldq_next(v->under_way, &at, &l); n++)
    if (n < SHOWN) {
      fprintf(to, "%s %" PRIu32 " of vault %" PRIu32, n ? ";" : "  lines under way:", l.key,
              l.key * 4 / v->share_x);
      show_layers(l.layers, to);
    }
  if (n > SHOWN)
    fprintf(to, "; and %" PRIu32 " more", n - SHOWN);
  fputs(n ? "\n" : "  lines under way: none\n", to);
  show_packets("requests of layers", &v->asked, v->node.cycle, to);
  show_packets("lines of the vectors", &v->lines, v->node.cycle, to);
  for (uint32_t k = 0; k <= v->groups; k++) {
    char name[32];
    snprintf(name, sizeof name, "for layer %" PRIu32, k);
    show_packets(name, &v->down[k], v->node.cycle, to);
  }
  show_vectors(v, to);
}

void vault_show(const vault *v, const vault_place *what, FILE *to) {
  if (what->layer == VAULT_SHOW_ALL)
    show_controller(v, to);
  for (uint32_t layer = 1; layer <= v->groups; layer++)
    if (what->layer == VAULT_SHOW_ALL || what->layer == layer)
      show_group(v, layer, what->pe, to);
}

// ---- a line

static bool has(const xcam *c, uint32_t key) {
  xcam_line l;
  for (uint32_t at = 0; xcam_next(c, &at, &l);)
    if (l.key == key)
      return true;
  return false;
}

static bool awaits(const ldq *q, uint32_t key, ldq_line *to) {
  for (uint32_t at = 0; ldq_next(q, &at, to);)
    if (to->key == key)
      return true;
  return false;
}

void vault_show_line(const vault *v, uint32_t key, FILE *to) {
  const uint32_t index = v->node.port.index;
  ldq_line l;
  if (has(v->lines_here, key))
    fprintf(to, "vault %" PRIu32 " has it\n", index);
  if (awaits(v->under_way, key, &l)) {
    fprintf(to, "vault %" PRIu32 " has asked for it", index);
    show_layers(l.layers, to);
    fputc('\n', to);
  }
  if (has(v->vectors.lines, key))
    fprintf(to, "vault %" PRIu32 ", layer 0 has it\n", index);
  for (uint32_t k = 0; k < v->groups; k++) {
    const bgroup *g = lockstep_twin(v->group[k].block);
    if (g && has(g->lines, key))
      fprintf(to, "vault %" PRIu32 ", layer %" PRIu32 " has it\n", index, k + 1);
    if (g && awaits(g->under_way, key, &l)) {
      fprintf(to, "vault %" PRIu32 ", layer %" PRIu32 " has asked for it ", index, k + 1);
      show_who(l.who, to);
      fputc('\n', to);
    }
  }
}

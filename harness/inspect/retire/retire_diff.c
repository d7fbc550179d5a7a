// SPDX-License-Identifier: Apache-2.0
// Two instruction traces compared, launch by launch, warp by warp.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "csim/isa/isa.h"
#include "retire_show.h"
#include "harness/base/user_error.h"

enum { BEFORE = 3, AFTER = 3, WHY = 4200 };  // lines of context

typedef struct side {
  const char *file;
  retire_reader *r;
  retire_entry *all;  // of the launch, warp by warp, in the order of the program
  size_t n, room;
  bool cut;        // the file ends in it
  bool partial;    // so, or the launch was ended: what was under way then is missing
  uint64_t cycle;  // that it has come to
} side;

// The instructions of a warp, in the order of the program, without a gap.
typedef struct warp {
  const retire_entry *at;
  size_t n;
} warp;

typedef struct difference {
  bool any;
  uint64_t cycle;  // of the first trace
  size_t index;
  warp of[2];
} difference;

// ---- a launch

static int compare_entries(const void *px, const void *py) {
  const retire_entry *x = px, *y = py;
  if (x->block != y->block)
    return x->block < y->block ? -1 : 1;
  if (x->warp != y->warp)
    return x->warp < y->warp ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

// RETIRE_LAUNCH: it is there; else what came instead.
static retire_item load(side *x) {
  retire_entry e;
  retire_item item = retire_next(x->r, &e);
  x->n = 0;
  if (item != RETIRE_LAUNCH)
    return item;
  x->cycle = retire_current(x->r)->cycle;
  while ((item = retire_next(x->r, &e)) == RETIRE_ENTRY) {
    if (x->n == x->room) {
      x->room = 2 * x->room + 4096;
      if (!(x->all = realloc(x->all, x->room * sizeof *x->all)))
        abort();
    }
    x->all[x->n++] = e;
    x->cycle = e.end > x->cycle ? e.end : x->cycle;
  }
  if (item == RETIRE_BAD)
    return item;
  x->cut = item == RETIRE_CUT;
  x->partial = x->cut || !retire_whole(x->r);
  qsort(x->all, x->n, sizeof *x->all, compare_entries);
  return RETIRE_LAUNCH;
}

// Of the warp that comes next in either; `at` are moved behind it.
static void next_warp(const side s[2], size_t at[2], warp to[2]) {
  const retire_entry *first = NULL;
  for (unsigned k = 0; k < 2; k++) {
    const retire_entry *e = at[k] < s[k].n ? &s[k].all[at[k]] : NULL;
    if (e &&
        (!first || e->block < first->block || (e->block == first->block && e->warp < first->warp)))
      first = e;
  }
  for (unsigned k = 0; k < 2; k++) {
    const retire_entry *from = &s[k].all[at[k]];
    to[k] = (warp){from, 0};
    for (; at[k] < s[k].n && s[k].all[at[k]].block == first->block &&
           s[k].all[at[k]].warp == first->warp;
         at[k]++)
      to[k].n += from[to[k].n].index == to[k].n && from + to[k].n == &s[k].all[at[k]];
  }
}

static bool same(const retire_entry *x, const retire_entry *y, bool timing) {
  return x->pc == y->pc && x->lanes == y->lanes && x->near == y->near &&
         (!timing || (x->issue == y->issue && x->end == y->end));
}

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

// The cycle in which the n-th instructions of the warps begin to differ, of the first trace; where
// it has no n-th one, it is when the warp had ended.
static uint64_t cycle_of(const side s[2], const warp of[2], size_t n, bool timing) {
  if (n >= of[0].n)
    return n ? of[0].at[n - 1].end : retire_current(s[0].r)->cycle;
  const retire_entry *x = &of[0].at[n], *y = &of[1].at[n];
  if (n >= of[1].n || !timing)
    return x->issue;
  return same(x, y, false) && x->issue == y->issue ? least(x->end, y->end)
                                                   : least(x->issue, y->issue);
}

static void compare_warp(const side s[2], const warp of[2], bool timing, difference *d) {
  const size_t both = least(of[0].n, of[1].n);
  size_t n = 0;
  while (n < both && same(&of[0].at[n], &of[1].at[n], timing))
    n++;
  if (n == both && (of[0].n == of[1].n || s[of[0].n > of[1].n].partial))
    return;
  const uint64_t cycle = cycle_of(s, of, n, timing);
  if (!d->any || cycle < d->cycle)
    *d = (difference){true, cycle, n, {of[0], of[1]}};
}

// ---- what is said

static void show_launches(const side s[2]) {
  for (unsigned k = 0; k < 2; k++) {
    printf("%s: ", s[k].file);
    retire_show_launch(retire_current(s[k].r), retire_kernel_of(s[k].r));
    printf("\n");
  }
}

// Guard and opcode, without the hint. Operands may be addresses, which differ from machine to
// machine.
static size_t opcode_length(const char *text) {
  const char *from = *text == '@' ? strchr(text, ' ') : NULL;
  const size_t guard = from ? (size_t)(from - text) + 1 : 0, n = guard + strcspn(text + guard, " ");
  return n > 2 && text[n - 2] == '.' && (text[n - 1] == 'N' || text[n - 1] == 'F') ? n - 2 : n;
}

static bool same_opcode(const char *x, const char *y) {
  const size_t n = opcode_length(x);
  return n == opcode_length(y) && memcmp(x, y, n) == 0;
}

// Are they launches of the same code? If not that is said.
static bool same_launch(const side s[2]) {
  const retire_launch *l[2] = {retire_current(s[0].r), retire_current(s[1].r)};
  const retire_kernel *k[2] = {retire_kernel_of(s[0].r), retire_kernel_of(s[1].r)};
  if (l[0]->number != l[1]->number || strcmp(k[0]->name, k[1]->name) != 0 ||
      memcmp(l[0]->grid, l[1]->grid, sizeof l[0]->grid) != 0 ||
      memcmp(l[0]->block, l[1]->block, sizeof l[0]->block) != 0) {
    printf("the launches differ\n");
    show_launches(s);
    return false;
  }
  uint32_t n = 0;
  while (n < k[0]->count && n < k[1]->count &&
         same_opcode(k[0]->insts[n].text, k[1]->insts[n].text))
    n++;
  if (n == k[0]->count && n == k[1]->count)
    return true;
  printf("launch %u: the code of %s differs at pc %x\n", l[0]->number, k[0]->name, n * ISA_BYTES);
  for (unsigned i = 0; i < 2; i++)
    printf("%s: %s\n", s[i].file, n < k[i]->count ? k[i]->insts[n].text : "the end of the code");
  return false;
}

static void show_what(const retire_entry *x, const retire_entry *y, bool timing) {
  const struct {
    const char *name;
    bool differs;
  } parts[] = {{"pc", x->pc != y->pc},
               {"lanes", x->lanes != y->lanes},
               {"near or far", x->near != y->near},
               {"cycle of issue", timing && x->issue != y->issue},
               {"cycle of end", timing && x->end != y->end}};
  const char *between = "";
  for (size_t n = 0; n < sizeof parts / sizeof *parts; n++)
    if (parts[n].differs) {
      printf("%s%s", between, parts[n].name);
      between = ", ";
    }
  printf("\n");
}

static void show(const side s[2], const difference *d, bool timing) {
  const warp *of = d->of;
  const retire_entry *any = of[0].n ? of[0].at : of[1].at;
  retire_show_launch(retire_current(s[0].r), retire_kernel_of(s[0].r));
  printf("\nblock %u, warp %u differs in its instruction %zu: ", any->block, any->warp,
         d->index + 1);
  if (d->index < of[0].n && d->index < of[1].n)
    show_what(&of[0].at[d->index], &of[1].at[d->index], timing);
  else
    printf("%s has no more\n", s[d->index < of[0].n].file);
  retire_show_columns("   ");
  for (size_t n = d->index > BEFORE ? d->index - BEFORE : 0; n < d->index; n++)
    retire_show_entry("   ", retire_kernel_of(s[0].r), &of[0].at[n]);
  for (unsigned k = 0; k < 2; k++)
    for (size_t n = d->index; n < of[k].n && n < d->index + AFTER; n++)
      retire_show_entry(k ? " B " : " A ", retire_kernel_of(s[k].r), &of[k].at[n]);
  printf("A is %s, B is %s\n", s[0].file, s[1].file);
}

// ---- all of it

typedef struct total {
  uint64_t entries, warps, launches;
  bool partial;
} total;

// False: they differ.
static bool compare(const side s[2], bool timing, total *t) {
  size_t at[2] = {0, 0};
  difference d = {.any = false};
  if (!same_launch(s))
    return false;
  while (at[0] < s[0].n || at[1] < s[1].n) {
    warp of[2];
    next_warp(s, at, of);
    compare_warp(s, of, timing, &d);
    t->entries += least(of[0].n, of[1].n);
    t->warps++;
  }
  t->launches++;
  t->partial |= s[0].partial || s[1].partial;
  if (d.any)
    show(s, &d, timing);
  return !d.any;
}

static int compare_all(side s[2], bool timing) {
  total t = {0};
  for (;;) {
    retire_item got[2];
    for (unsigned k = 0; k < 2; k++)
      if ((got[k] = load(&s[k])) == RETIRE_BAD)
        return user_error("%s", retire_message(s[k].r));
    if (got[0] == RETIRE_LAUNCH && got[1] == RETIRE_LAUNCH && !compare(s, timing, &t))
      return EXIT_FAILED;
    const bool cut[2] = {got[0] == RETIRE_CUT || s[0].cut, got[1] == RETIRE_CUT || s[1].cut};
    if (!cut[0] && !cut[1] && got[0] == got[1] && got[0] == RETIRE_LAUNCH)
      continue;
    if (!cut[0] && !cut[1] && got[0] != got[1]) {
      const side *longer = &s[got[1] == RETIRE_LAUNCH];
      printf("%s has a launch more\n%s: ", longer->file, longer->file);
      retire_show_launch(retire_current(longer->r), retire_kernel_of(longer->r));
      printf("\n");
      return EXIT_FAILED;
    }
    printf("the same%s: %" PRIu64 " instructions of %" PRIu64 " warps in %" PRIu64 " launch%s%s\n",
           timing ? " in the same cycles" : "", t.entries, t.warps, t.launches,
           t.launches == 1 ? "" : "es", t.partial || cut[0] || cut[1] ? ", as far as both go" : "");
    int status = EXIT_OK;
    for (unsigned k = 0; k < 2; k++)
      if (cut[k])
        status = retire_show_cut(s[k].r, s[k].file, s[k].cycle);
    return status;
  }
}

int retire_diff(const char *const files[2], bool timing) {
  side s[2] = {{.file = files[0]}, {.file = files[1]}};
  char why[WHY];
  int status = EXIT_OK;
  for (unsigned k = 0; k < 2 && !status; k++)
    if (!(s[k].r = retire_open(files[k], why, sizeof why)))
      status = user_error("%s", why);
  if (!status && timing && (!retire_cores(s[0].r) || !retire_cores(s[1].r)))
    status = user_error(
        "'%s' comes from the functional machine, which has no cycles; leave out --timing",
        files[retire_cores(s[0].r) != 0]);
  if (!status)
    status = compare_all(s, timing);
  for (unsigned k = 0; k < 2; k++) {
    if (s[k].r)
      retire_close(s[k].r);
    free(s[k].all);
  }
  return status;
}

// SPDX-License-Identifier: Apache-2.0
#include "wave_board.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/out_file.h"
#include "wave_cores.h"
#include "wave_names.h"
#include "wave_view.h"

enum { CARDS = 8, NAME = 16, PATH = 4096 };

typedef struct board_card {
  wave_board *board;
  wave_cores *cores;
  uint64_t (*begins)(void *ctx);
  void *ctx;
  uint64_t shift;  // from cycles of the sim to those of the file
  uint64_t at;     // cycle of the file that a launch under way has come to; UINT64_MAX: none is
} board_card;

struct wave_board {
  char *name;
  wave *file;
  wave_names *names;
  board_card cards[CARDS];
};

wave_board *wave_board_new(const char *file, const char *scopes, char *why, size_t why_bytes) {
  wave_board *b = calloc(1, sizeof *b);
  if (!b || !(b->name = strdup(file))) {
    free(b);
    snprintf(why, why_bytes, "out of host memory");
    return NULL;
  }
  if (!out_can(file))
    snprintf(why, why_bytes, "cannot write '%.300s': %s", file, strerror(errno));
  else if ((b->names = wave_names_new(file, why, why_bytes)))
    b->file =
        wave_new(file, scopes ? scopes : "host,bus,card*.registers,card*.core0", why, why_bytes);
  if (b->file)
    return b;
  if (b->names)
    wave_names_drop(b->names);
  free(b->name);
  free(b);
  return NULL;
}

// ---- cards

static void begin(void *ctx, sim *s, const launch *l) {
  board_card *c = ctx;
  c->at = c->begins(c->ctx);
  c->shift = c->at - sim_cycle(s);
  wave_cores_shift(c->cores, c->shift);
  if (!wave_is_full(c->board->file))
    wave_cores_on(c->cores, wave_names_kernel(c->board->names, l));
}

static bool window(void *ctx, sim *s, uint64_t until) {
  board_card *c = ctx;
  (void)s;
  wave_cores_rest(c->cores, until);
  c->at = until + c->shift;
  return false;
}

static void end(void *ctx, sim *s, machine_error e, uint32_t core) {
  board_card *c = ctx;
  (void)e, (void)core;
  window(c, s, sim_cycle(s));
  wave_cores_off(c->cores);
  c->at = UINT64_MAX;
}

bool wave_board_card(wave_board *b, unsigned k, sim *s, uint64_t (*begins)(void *ctx), void *ctx) {
  char prefix[NAME];
  board_card *c = &b->cards[k];
  snprintf(prefix, sizeof prefix, "card%u.", k);
  *c = (board_card){b, wave_cores_new(b->file, s, prefix), begins, ctx, 0, UINT64_MAX};
  if (!c->cores || !wave_cores_whole(c->cores))
    return false;
  sim_observe(s, &(sim_observer){.ctx = c, .begin = begin, .window = window, .end = end});
  return true;
}

wave_source *wave_board_source(wave_board *b, const char *name) {
  const char *dot = strrchr(name, '.');
  char group[NAME];
  snprintf(group, sizeof group, "%.*s", (int)(dot ? dot - name : 0), name);
  return wave_source_new(b->file, group, dot ? dot + 1 : name);
}

// ---- time

static void free_board(wave_board *b) {
  for (unsigned k = 0; k < CARDS; k++)
    wave_cores_free(b->cards[k].cores);
  free(b->name);
  free(b);
}

void wave_board_drop(wave_board *b) {
  wave_drop(b->file);
  wave_names_drop(b->names);
  free_board(b);
}

bool wave_board_begin(wave_board *b, char *missed, size_t missed_bytes) {
  snprintf(missed, missed_bytes, "%s", wave_missed(b->file));
  if (!*missed) {
    wave_begin(b->file, 0);
    return true;
  }
  wave_board_drop(b);
  return false;
}

// A launch is simulated ahead of the platform, or up to it.
void wave_board_step(wave_board *b, uint64_t ns) {
  for (unsigned k = 0; k < CARDS; k++)
    if (b->cards[k].cores && b->cards[k].at < ns)
      ns = b->cards[k].at;
  wave_step(b->file, ns);
}

wave_summary wave_board_close(wave_board *b, uint64_t ns) {
  char file[PATH], why[PATH];
  wave_end(b->file, ns);
  const wave_summary s = wave_close(b->file);
  if (s.windows || !s.full)
    wave_names_close(b->names, !s.full);
  else
    wave_names_drop(b->names);
  const wave_view v = {.view = "platform", .marker = UINT64_MAX, .cycles = ns + ns / 3};
  wave_view_file(b->name, NULL, file, sizeof file);
  if (!s.full && !wave_view_write(&v, b->name, file, why, sizeof why))
    fprintf(stderr, "mpu: waves: no view of them: %s\n", why);
  free_board(b);
  return s;
}

// SPDX-License-Identifier: Apache-2.0
// What is watched: what `print` would say of it is compared behind each cycle.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "debug_priv.h"

bool watches_any(const debug *d) {
  bool any = false;
  for (uint32_t n = 0; n < WATCHES; n++)
    any |= d->watched[n].text != NULL;
  return any;
}

static void drop(watched *p) {
  free(p->text);
  p->text = NULL;
}

void watches_delete(debug *d) {
  for (uint32_t n = 0; n < WATCHES; n++)
    drop(&d->watched[n]);
}

// Those of warps end with their launch.
void watches_begin(debug *d) {
  for (uint32_t n = 0; n < WATCHES; n++)
    if (d->watched[n].of_warp)
      drop(&d->watched[n]);
}

// Without the command.
static const char *name_of(const words *w) {
  const char *space = strchr(w->text, ' ');
  return space ? space + 1 : w->text;
}

// As `print` says it, NULL: it says why not.
static char *say(debug *d, const watched *p) {
  char *text = NULL;
  size_t bytes;
  FILE *f = open_memstream(&text, &bytes), *to = d->to;
  const show_warp warp = d->warp;
  const uint32_t core = d->core;
  const bool has = d->has_warp;
  if (!f)
    return NULL;
  d->to = f, d->core = p->core, d->warp = p->warp, d->has_warp = p->of_warp;
  const bool ok = command_print(d, &p->what);
  d->to = to, d->core = core, d->warp = warp, d->has_warp = has;
  fclose(f);
  if (ok)
    return text;
  free(text);
  return NULL;
}

// Words 1 and behind it are what is to be watched.
bool watch_new(debug *d, const words *w) {
  uint32_t n = 0;
  while (n < WATCHES && d->watched[n].text)
    n++;
  if (n == WATCHES)
    return debug_wrong(d, "%d things are watched already: watch off N ends one", WATCHES);
  watched *p = &d->watched[n];
  const bool memory = word_is(w->word[1], "memory");
  if (!memory && !debug_warp(d))
    return false;
  *p = (watched){.what = *w, .of_warp = !memory, .core = d->core, .warp = d->warp};
  words_split(&p->what);
  p->text = say(d, p);
  if (!p->text)
    return false;
  fprintf(d->to, "watch %u: %s\n%s", n + 1, name_of(w), p->text);
  return true;
}

bool watch_delete(debug *d, uint64_t number) {
  if (!number || number > WATCHES || !d->watched[number - 1].text)
    return debug_wrong(d, "unknown watch %" PRIu64, number);
  drop(&d->watched[number - 1]);
  return true;
}

void watches_list(const debug *d) {
  for (uint32_t n = 0; n < WATCHES; n++)
    if (d->watched[n].text)
      fprintf(d->to, "watch %u: %s\n", n + 1, name_of(&d->watched[n].what));
}

bool watches_look(debug *d) {
  bool stop = false;
  for (uint32_t n = 0; n < WATCHES; n++) {
    watched *p = &d->watched[n];
    if (!p->text)
      continue;
    if (p->of_warp && !show_has(sim_core(d->s, p->core), p->warp)) {
      fflush(stdout);
      fprintf(d->to, "watch %u: %s: its warp has ended\n", n + 1, name_of(&p->what));
      drop(p);
      stop = true;
      continue;
    }
    char *now = say(d, p);
    if (now && strcmp(now, p->text) != 0) {
      fflush(stdout);
      fprintf(d->to, "watch %u: %s\nwas %sis  %s", n + 1, name_of(&p->what), p->text, now);
      stop = true;
    }
    if (now)
      drop(p), p->text = now;
  }
  return stop;
}

// SPDX-License-Identifier: Apache-2.0
// The text of a node is filled on the thread that steps it, and written by the main thread in the
// order of the nodes, after each window: the file is the same with any number of threads.
#include "timeline_nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "timeline_tracks.h"

enum { OVERLAP = 16 };  // events of a kind with a track of their own; the last one has the others

typedef struct span {
  node_event begin;
  uint32_t track;
} span;

typedef struct tracks {
  const node *node;
  process p;
  track_table table;
  track_row *rows;  // by kinds of events
  span *open;
  uint32_t n_open, room;
} tracks;

struct timeline_nodes {
  timeline_file file;
  bool done;  // nothing more comes into the file
  uint32_t count;
  tracks of[];
};

static const node_event_kind *kinds(const node *n) {
  return n->ops->declares ? n->ops->declares->events : NULL;
}
static uint32_t n_kinds(const node *n) {
  return n->ops->declares ? n->ops->declares->n_events : 0;
}

static void name_of(const void *ctx, uint32_t group, uint32_t unit, char *to, size_t bytes) {
  (void)unit;
  snprintf(to, bytes, "%s", kinds(ctx)[group].name);
}

// ---- events

static void put_values(process *p, const char *const *names, const uint64_t *values) {
  for (uint32_t k = 0; k < NODE_VALUES && names[k]; k++)
    slice_number(p, names[k], values[k]);
}

// `end` NULL: it is cut.
static void draw(tracks *x, const span *s, uint64_t until, const node_event *end, slice_cut cut) {
  const node_event_kind *kind = &kinds(x->node)[s->begin.kind];
  track_free(&x->p, s->track, until);
  if (!slice_begin(&x->p, s->track, s->begin.cycle, until, kind->name, cut))
    return;
  put_values(&x->p, kind->values, s->begin.values);
  if (end)
    put_values(&x->p, kind->results, end->values);
  slice_end(&x->p);
}

static void begin(tracks *x, const node_event *e) {
  if (x->n_open == x->room) {
    const uint32_t room = 2 * x->room + 16;
    span *more = realloc(x->open, room * sizeof *more);
    x->p.text.lost |= !more;
    if (!more)
      return;
    x->open = more, x->room = room;
  }
  x->open[x->n_open++] = (span){*e, track_take(&x->p, e->kind, 0, e->cycle)};
}

static void end(tracks *x, const node_event *e) {
  for (uint32_t n = 0; n < x->n_open; n++) {
    const span s = x->open[n];
    if (s.begin.kind != e->kind || s.begin.id != e->id)
      continue;
    x->open[n] = x->open[--x->n_open];
    draw(x, &s, e->cycle + 1, e, CUT_NO);
    return;
  }
}

static void event(void *ctx, const node_event *e) {
  tracks *x = ctx;
  if (e->phase == NODE_BEGIN) {
    begin(x, e);
  } else if (e->phase == NODE_END) {
    end(x, e);
  } else {
    const span s = {*e, track_take(&x->p, e->kind, 0, e->cycle)};
    draw(x, &s, e->cycle + 1, NULL, CUT_NO);
  }
}

static void cut_all(timeline_nodes *t, uint64_t cycle, slice_cut cut) {
  for (uint32_t k = 0; k < t->count; k++) {
    tracks *x = &t->of[k];
    for (uint32_t n = 0; n < x->n_open; n++)
      draw(x, &x->open[n], cycle, NULL, cut);
    x->n_open = 0;
  }
}

// ---- the file

static void write_all(timeline_nodes *t, uint64_t until) {
  for (uint32_t k = 0; k < t->count; k++)
    timeline_file_take(&t->file, &t->of[k].p);
  t->done |= !timeline_file_write(&t->file, until);
}

static void stop(timeline_nodes *t) {
  t->done = true;
  for (uint32_t k = 0; k < t->count; k++)
    if (t->of[k].node && n_kinds(t->of[k].node))
      t->of[k].node->ops->observe(t->of[k].node->state, NULL);
}

bool timeline_nodes_window(void *ctx, uint64_t until) {
  timeline_nodes *t = ctx;
  if (t->done)
    return false;
  const bool passed = until >= t->file.to;
  if (passed)
    cut_all(t, t->file.to, CUT_WINDOW);
  write_all(t, until);
  if (passed || t->done)
    stop(t);
  return false;
}

static bool look_at(timeline_nodes *t, uint32_t k, const node *n) {
  tracks *x = &t->of[k];
  const uint32_t count = n_kinds(n);
  x->node = n;
  if (!(x->rows = calloc(count + 1, sizeof *x->rows)))
    return false;
  for (uint32_t e = 0; e < count; e++)
    x->rows[e] = (track_row){e * OVERLAP, 1, OVERLAP};
  x->table = (track_table){x->rows, count, count * OVERLAP + 1, name_of, n};
  if (!process_init(&x->p, k + 1, t->file.from, t->file.to, &x->table, t->file.format))
    return false;
  if (count)
    n->ops->observe(n->state, &(node_observer){x, event});
  return true;
}

static void free_all(timeline_nodes *t) {
  for (uint32_t k = 0; k < t->count; k++) {
    process_free(&t->of[k].p);
    free(t->of[k].rows);
    free(t->of[k].open);
  }
  free(t);
}

timeline_nodes *timeline_nodes_new(const timeline_nodes_config *c, char *why, size_t why_bytes) {
  timeline_nodes *t = calloc(1, sizeof *t + c->count * sizeof *t->of);
  snprintf(why, why_bytes, "out of host memory");
  if (!t)
    return NULL;
  text names = {0};
  bool ok = true;
  t->count = c->count;
  t->file = (timeline_file){.name = c->file,
                            .format = timeline_format_of(c->file),
                            .from = c->from,
                            .to = c->to,
                            .asked = c->asked};
  for (uint32_t k = 0; k < c->count; k++) {
    char name[64];
    snprintf(name, sizeof name, "%s %u", c->nodes[k].ops->kind, k);
    t->file.format->name_process(&names, k + 1, name);
    ok = ok && look_at(t, k, &c->nodes[k]);
  }
  ok = ok && timeline_file_open(&t->file, &names, why, why_bytes);
  text_free(&names);
  if (ok)
    return t;
  stop(t);
  free_all(t);
  return NULL;
}

bool timeline_nodes_end(timeline_nodes *t, uint64_t cycles) {
  const uint64_t to = t->file.to;
  if (!t->done) {
    cut_all(t, cycles < to ? cycles : to, cycles < to ? CUT_RUN : CUT_WINDOW);
    write_all(t, cycles);
    stop(t);
  }
  const bool whole = timeline_file_close(&t->file, cycles);
  free_all(t);
  return whole;
}

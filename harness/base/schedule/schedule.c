// SPDX-License-Identifier: Apache-2.0
#include "schedule.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include "mailbox.h"
#include "thread_pool.h"

enum { WINDOW = MAILBOX_AHEAD, STALL_CYCLES = 1 << 13 };

struct schedule {
  schedule_config config;
  node nodes[SCHEDULE_NODES];
  mailbox *mailbox;  // and the network, NULL: one node
  thread_pool *pool;
  uint64_t cycle;
  // of a run
  uint64_t begun;
  uint64_t until;                  // the end of the window
  uint64_t wakes[SCHEDULE_NODES];  // nothing happens in a node before this cycle
  bool rests[SCHEDULE_NODES];
  uint32_t resting;
  uint32_t turn[SCHEDULE_NODES], n_turn;  // nodes that step in this window
};

schedule *schedule_new(const schedule_config *c, char *why, size_t why_bytes) {
  schedule *s = calloc(1, sizeof *s);
  if (!s || !(s->pool = thread_pool_new(c->threads))) {
    snprintf(why, why_bytes, "out of host memory, or cannot start %u threads", c->threads);
    free(s);
    return NULL;
  }
  assert(c->nodes && c->nodes <= SCHEDULE_NODES);
  s->config = *c;
  if (c->nodes > 1) {
    assert(c->interface && c->interface <= MAILBOX_AHEAD);
    s->mailbox = mailbox_new(&c->noc, c->router_cycles, c->interface, why, why_bytes);
    if (!s->mailbox) {
      schedule_free(s);
      return NULL;
    }
  }
  return s;
}

void schedule_free(schedule *s) {
  if (!s)
    return;
  mailbox_free(s->mailbox);
  thread_pool_free(s->pool);
  free(s);
}

void schedule_place(schedule *s, uint32_t k, node n) {
  assert(k < s->config.nodes);
  s->nodes[k] = n;
}

// ---- a window

static void step(void *ctx, uint32_t k, uint32_t then) {
  schedule *s = ctx;
  const node *n = &s->nodes[s->turn[k]];
  n->ops->advance(n->state, s->until, then == k ? NULL : s->nodes[s->turn[then]].state);
}

static void wake(void *ctx, uint32_t k, uint64_t cycle) {
  schedule *s = ctx;
  assert(cycle >= s->cycle);  // the node has not done it
  s->wakes[k] = cycle < s->wakes[k] ? cycle : s->wakes[k];
  s->resting -= s->rests[k];
  s->rests[k] = false;
}

// The nodes that have something to do before `until`.
static void take_turns(schedule *s) {
  s->n_turn = 0;
  for (uint32_t k = 0; k < s->config.nodes; k++)
    if (s->wakes[k] < s->until)
      s->turn[s->n_turn++] = k;
}

// First the network does the cycles that the nodes have done. What it delivers in a cycle arrives
// `interface` cycles later, so nodes may step so far; and further by the shortest way when it has
// nothing to do.
static void step_window(schedule *s, uint64_t limit) {
  uint64_t until = s->cycle + WINDOW;
  if (s->mailbox) {
    mailbox_step(s->mailbox, s->cycle);
    mailbox_deliver(s->mailbox, s->nodes, wake, s);
    until = s->cycle + mailbox_ahead(s->mailbox);
  }
  s->until = limit < until ? limit : until;
  take_turns(s);
  thread_pool_run(s->pool, step, s, s->n_turn);
  for (uint32_t n = 0; n < s->n_turn; n++) {
    const node *x = &s->nodes[s->turn[n]];
    s->wakes[s->turn[n]] = x->ops->wakes(x->state);
  }
}

// What the nodes have sent goes to the network.
static bool collect(schedule *s) {
  bool ok = true;
  if (!s->mailbox)
    return true;
  for (uint32_t n = 0; n < s->n_turn; n++)
    ok = mailbox_collect(s->mailbox, &s->nodes[s->turn[n]]) && ok;
  return ok;
}

// What the nodes that stepped will do next. Is anything left to do?
static bool settle(schedule *s) {
  for (uint32_t n = 0; n < s->n_turn; n++) {
    const uint32_t k = s->turn[n];
    const bool rests = s->nodes[k].ops->rests(s->nodes[k].state);
    s->resting += (uint32_t)rests - s->rests[k];
    s->rests[k] = rests;
  }
  return s->resting < s->config.nodes || (s->mailbox && !mailbox_idle(s->mailbox));
}

// ---- what went wrong

// First of all; of several in one cycle, in the first node.
static bool look_for_failures(const schedule *s, schedule_outcome *o) {
  uint64_t first = 0;
  for (uint32_t n = 0; n < s->n_turn; n++) {
    const node *x = &s->nodes[s->turn[n]];
    if (!x->ops->failed(x->state))
      continue;
    const uint64_t at = x->ops->cycle(x->state);
    if (!o->end || at < first)
      *o = (schedule_outcome){SCHEDULE_FAILED, s->turn[n]}, first = at;
  }
  return o->end;
}

// No node goes on, and they wait for each other: the one that moved first of all says what for.
// When all rest, a packet is under way: then it counts when any of them moved last.
static bool look_for_stalls(schedule *s, bool done, schedule_outcome *o) {
  uint64_t moved = 0, least = UINT64_MAX;
  uint32_t who = 0;
  for (uint32_t k = 0; k < s->config.nodes; k++)
    if (!s->rests[k] || s->resting == s->config.nodes) {
      const uint64_t at = s->nodes[k].ops->moved(s->nodes[k].state);
      moved = at > moved ? at : moved;
      if (at < least)
        least = at, who = k;
    }
  if (s->cycle - moved <= s->config.stall_limit || done)
    return false;
  s->nodes[who].ops->stalled(s->nodes[who].state);
  *o = (schedule_outcome){SCHEDULE_STALLED, who};
  return true;
}

// ---- a run

bool schedule_begin(schedule *s, const bool *busy) {
  s->resting = 0;
  s->begun = s->cycle;
  for (uint32_t k = 0; k < s->config.nodes; k++) {
    s->wakes[k] = busy[k] ? s->cycle : UINT64_MAX;
    s->rests[k] = !busy[k];
    s->resting += s->rests[k];
  }
  return !s->mailbox || mailbox_reset(s->mailbox, s->cycle);
}

schedule_outcome schedule_run(schedule *s, uint64_t most, const schedule_watch *w) {
  return schedule_advance(s, most, UINT64_MAX, w);
}

schedule_outcome schedule_advance(schedule *s, uint64_t most, uint64_t pause,
                                  const schedule_watch *w) {
  uint64_t limit = most && most < UINT64_MAX - s->begun ? s->begun + most : UINT64_MAX;
  schedule_outcome o = {SCHEDULE_DONE, 0};
  for (bool left = true; left && !o.end;) {
    if (s->cycle >= limit)  // all was done by then: what is in flight may drain
      limit = UINT64_MAX;
    const uint64_t from = s->cycle, may = w->cycles ? w->cycles(w->ctx) : UINT64_MAX;
    const uint64_t asked = may < UINT64_MAX - from ? from + may : UINT64_MAX;
    step_window(s, asked < limit ? asked : limit);
    if (look_for_failures(s, &o))
      break;
    if (!collect(s)) {
      o.end = SCHEDULE_NO_MEMORY;
      break;
    }
    left = settle(s);
    s->cycle = left ? s->until : schedule_rested(s);
    const bool stop = w->window && w->window(w->ctx, s->cycle);
    const bool looks = left && ((s->cycle ^ from) / STALL_CYCLES || s->cycle == limit);
    const bool done = looks && w->done && w->done(w->ctx);
    if (left && (s->cycle ^ from) / STALL_CYCLES && look_for_stalls(s, done, &o))
      break;
    if (left && s->cycle == limit && !done)
      o.end = SCHEDULE_LIMIT;
    else if (stop)
      o.end = SCHEDULE_STOPPED;
    else if (left && s->cycle >= pause)
      o.end = SCHEDULE_PAUSED;
  }
  return o;
}

uint64_t schedule_cycle(const schedule *s) {
  return s->cycle;
}
void schedule_set_cycle(schedule *s, uint64_t cycle) {
  s->cycle = cycle;
}

uint64_t schedule_rested(const schedule *s) {
  uint64_t last = 0;
  for (uint32_t k = 0; k < s->config.nodes; k++) {
    const uint64_t at = s->nodes[k].ops->cycle(s->nodes[k].state);
    last = at > last ? at : last;
  }
  return last;
}

noc_stats schedule_network(const schedule *s) {
  return s->mailbox ? mailbox_statistics(s->mailbox) : (noc_stats){0};
}

void schedule_set_network(schedule *s, const noc_stats *n) {
  if (s->mailbox)
    mailbox_set_statistics(s->mailbox, n);
}

uint32_t schedule_links(const schedule *s) {
  return s->mailbox ? mailbox_links(s->mailbox) : 0;
}

noc_link_stats schedule_link_counted(const schedule *s, uint32_t k) {
  return mailbox_link_counted(s->mailbox, k);
}

void schedule_set_link(schedule *s, uint32_t k, const noc_link_stats *n) {
  mailbox_set_link(s->mailbox, k, n);
}

void schedule_links_json(const schedule *s, json_writer *j) {
  jw_list(j, "links");
  for (uint32_t k = 0; k < schedule_links(s); k++) {
    const noc_link l = mailbox_link(s->mailbox, k);
    const noc_link_stats n = mailbox_link_counted(s->mailbox, k);
    jw_object(j, NULL);
    jw_count(j, l.off_chip ? "gateway" : "processor", l.place);
    jw_count(j, "from", l.from);
    jw_count(j, "to", l.to);
    jw_text(j, "direction", l.direction);
    jw_count(j, "flits", n.flits);
    jw_count(j, "waited", n.waited);
    jw_count(j, "queued", n.queued);
    jw_count(j, "queued_most", n.most);
    jw_end(j);
  }
  jw_end(j);
}

void schedule_sample(schedule *s, uint64_t at) {
  if (s->mailbox)
    mailbox_sample(s->mailbox, at);
}

bool schedule_sampled(const schedule *s, noc_stats *to) {
  *to = (noc_stats){0};
  return !s->mailbox || mailbox_sampled(s->mailbox, to);
}

void schedule_alone(schedule *s) {
  thread_pool_alone(s->pool);
}

void counters_add(void *to, const void *from, size_t bytes) {
  uint64_t *x = to;
  const uint64_t *y = from;
  for (size_t n = 0; n < bytes / sizeof *x; n++)
    x[n] += y[n];
}

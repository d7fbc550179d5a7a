// SPDX-License-Identifier: Apache-2.0
// What a core says of itself: blocks, instructions, packets, requests to and of other cores.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "timeline_priv.h"
#include "csim/mpu/tsv_packet.h"
#include "harness/machines/mpu/core/remote_packet.h"

enum { NAME = 40, FLOW_BITS = 40 };  // of the number of a packet in its core

// ---- arrows

static flow *new_flow(timeline_core *k, job *j) {
  if (j->n_flows == j->room) {
    const uint32_t room = j->room ? 2 * j->room : 8;
    flow *more = realloc(j->flows, room * sizeof *more);
    k->p.text.lost |= !more;
    if (!more)
      return NULL;
    j->flows = more, j->room = room;
  }
  return &j->flows[j->n_flows++];
}

// From the beginning of the job's slice over each step to its end. Those that were begun before the
// window are not drawn.
static void draw_flows(timeline_core *k, const job *j, uint64_t last) {
  process *p = &k->p;
  const uint32_t tid = track_tid(p, j->track);
  const uint64_t first = j->begun.cycle > p->from ? j->begun.cycle : p->from;
  for (uint32_t n = 0; n < j->n_flows; n++) {
    const flow *f = &j->flows[n];
    if (f->step[0].cycle < p->from)
      continue;
    flow_step(p, 's', tid, first, f->id);
    for (uint32_t s = 0; s < 2; s++)
      if (f->step[s].tid)
        flow_step(p, 't', f->step[s].tid, f->step[s].cycle, f->id);
    flow_step(p, 'f', tid, last, f->id);
  }
}

// ---- blocks

static void block_text(const timeline_core *k, uint32_t block, char to[NAME]) {
  const uint32_t *g = k->t->l->shape.grid;
  snprintf(to, NAME, "(%u,%u,%u)", block % g[0], block / g[0] % g[1], block / g[0] / g[1]);
}

static void end_block(timeline_core *k, running *b, uint64_t end, slice_cut cut) {
  char at[NAME], name[NAME + 8];
  block_text(k, b->block, at);
  snprintf(name, sizeof name, "block %s", at);
  b->open = false;
  track_free(&k->p, b->track, end);
  if (!slice_begin(&k->p, b->track, b->begin, end, name, cut))
    return;
  slice_number(&k->p, "block", b->block);
  slice_end(&k->p);
}

static void block_event(timeline_core *k, const core_event *e) {
  running *b = k->blocks, *last = k->blocks + BLOCKS - 1;
  while (b < last && (e->kind == EVENT_BLOCK ? b->open : !b->open || b->block != e->block))
    b++;
  assert(b->open == (e->kind != EVENT_BLOCK));
  if (e->kind == EVENT_BLOCK)
    *b = (running){true, track_take(&k->p, TRACKS_BLOCKS, 0, e->cycle), e->block, e->cycle};
  else
    end_block(k, b, e->cycle + 1, CUT_NO);
}

// ---- instructions

typedef struct phase {
  const char *name;
  uint64_t begin;
} phase;
enum { PHASES = 8 };

// The phases that it has begun, one after the other; a phase ends where the next one begins.
static uint32_t phases_of(const job *j, bool access, phase to[PHASES]) {
  uint32_t n = 0;
  if (!j->target)  // it has ended at issue, or the engine has it
    return 0;
  to[n++] = (phase){"offload", j->begun.cycle};
  if (j->moves)
    to[n++] = (phase){"moves", j->target};
  const uint64_t there = j->moves ? j->ready : j->target;
  if (there && access && !j->unit)
    to[n++] = (phase){j->start ? "LSU" : "collect", there};
  else if (there)
    to[n++] = (phase){j->near && !access ? "send" : "collect", there};
  if (j->unit)
    to[n++] = (phase){access ? "LSU" : "unit", j->unit};
  if (j->start || j->exec)
    to[n++] = (phase){"packets", j->start ? j->start : j->exec};
  return n;
}

static void draw_instruction(timeline_core *k, const job *j, uint64_t end, slice_cut cut) {
  process *p = &k->p;
  const core_event *e = &j->begun;
  const timeline *t = k->t;
  const place *at = &t->places[e->pc / ISA_BYTES];
  phase of[PHASES + 1];
  char name[NAME];
  if (!slice_begin(p, j->track, e->cycle, end, at->name, cut))
    return;
  slice_hex(p, "pc", at->pc, 5);
  if (at->ptx)
    slice_number(p, "ptx", at->ptx);
  if (at->cuda)
    slice_text(p, "cuda", at->cuda);
  slice_hex(p, "lanes", e->lanes, 8);
  block_text(k, e->block, name);
  slice_text(p, "block", name);
  slice_number(p, "warp", e->warp);
  slice_number(p, "subcore", e->subcore);
  slice_number(p, "slot", e->slot);
  slice_number(p, "number", e->number);
  slice_text(p, "at", j->near ? "near" : "far");
  const uint32_t n = phases_of(j, at->access, of);
  of[n].begin = end;
  for (uint32_t i = 0; i < n; i++)
    slice_number(p, of[i].name, of[i + 1].begin - of[i].begin);
  slice_end(p);
  if (cut == CUT_NO)
    draw_flows(k, j, end - 1);
  for (uint32_t i = 0; i < n; i++)
    slice_inner(p, j->track, of[i].begin, of[i + 1].begin, of[i].name);
}

static void end_instruction(timeline_core *k, job *j, uint64_t end, slice_cut cut) {
  j->open = false;
  k->under_way[j->begun.subcore]--;
  track_free(&k->p, j->track, end);
  draw_instruction(k, j, end, cut);
}

static void open_job(job *j, uint32_t track, const core_event *e) {
  *j = (job){.open = true, .track = track, .begun = *e, .flows = j->flows, .room = j->room};
}

// One that ends with its issue has no place: its end comes next.
static void issue(timeline_core *k, const core_event *e, bool ends) {
  job one = {.open = false}, *j = ends ? &one : &k->instructions[e->subcore][e->place];
  assert(!j->open);
  const uint32_t unit = (uint32_t)e->subcore * EVENT_SLOTS + e->slot;
  open_job(j, track_take(&k->p, TRACKS_WARPS, unit, e->cycle), e);
  k->under_way[e->subcore]++;
  if (ends)
    end_instruction(k, j, e->cycle + 1, CUT_NO);
}

static job *job_of(timeline_core *k, const core_event *e) {
  job *j = e->number == EVENT_NONE ? NULL : &k->instructions[e->subcore][e->place];
  return j && j->open && j->begun.number == e->number ? j : NULL;
}

// The engine asks the track table from the cycle behind the issue on, or when it has decided about
// the one before.
static void target(timeline_core *k, job *j, const core_event *e) {
  process *p = &k->p;
  const uint32_t s = e->subcore;
  const uint64_t after = j->begun.cycle + 1, begin = k->asked[s] > after ? k->asked[s] : after;
  j->target = k->asked[s] = e->cycle;
  j->near = e->near, j->moves = e->reg;
  const uint32_t track = TRACK_OFFLOAD + s;
  const place *at = &k->t->places[e->pc / ISA_BYTES];
  if (!slice_begin(p, track, begin, e->cycle, at->name, CUT_NO))
    return;
  slice_text(p, "at", e->near ? "near" : "far");
  slice_number(p, "moves", e->reg);
  slice_number(p, "warp", e->warp);
  slice_number(p, "slot", e->slot);
  slice_number(p, "number", e->number);
  slice_end(p);
}

// ---- packets

static uint32_t free_packet(const unit *u) {
  uint32_t n = 0;
  while (n < PACKETS - 1 && u->packets[n].open)
    n++;
  assert(!u->packets[n].open);
  return n;
}

static job *serve_of(timeline_core *k, const core_event *e) {
  for (uint32_t n = 0; n < SERVES; n++) {
    job *j = &k->serves[n];
    if (j->open && j->begun.core == e->core && j->begun.request == e->request)
      return j;
  }
  return NULL;
}

static void send(timeline_core *k, const core_event *e) {
  unit *u = &k->units[e->nbu];
  const uint32_t n = free_packet(u);
  packet *x = &u->packets[n];
  job *j = e->core != k->index ? serve_of(k, e) : job_of(k, e);
  *x = (packet){.open = true,
                .kind = e->packet,
                .flits = e->flits,
                .tag = e->tag,
                .track = track_take(&k->p, TRACKS_PACKETS, e->nbu, e->cycle),
                .sent = e->cycle,
                .job = j,
                .number = e->number,
                .id = (uint64_t)k->index << FLOW_BITS | k->packets++};
  if (j && e->packet == TSV_DN_EXEC)
    j->exec = e->cycle;
  u->queue[(u->head + u->count++) % QUEUE] = (uint16_t)n;
  u->flits += e->flits;
  u->open++;
  if (e->packet != TSV_DN_WIN)
    u->of_tag[e->tag] = (uint16_t)n;
}

// Bus: from its first flit to its last one. NBU: until it is complete there, or its answer begins.
void timeline_packet_end(timeline_core *k, uint32_t nbu, packet *x, uint64_t end, slice_cut cut) {
  process *p = &k->p;
  const bool begun = x->seen || x->rides, arrived = x->flits ? x->seen == x->flits : x->rides;
  const uint64_t sent = arrived ? x->last + 1 : end;
  const uint64_t done = x->done ? x->done : x->up ? x->up : end;
  x->open = false;
  k->units[nbu].open--;
  track_free(p, x->track, end);
  if (!slice_begin(p, x->track, x->sent, end, timeline_packets[x->kind], cut))
    return;
  slice_number(p, "nbu", nbu);
  if (x->kind != TSV_DN_WIN)
    slice_number(p, "tag", x->tag);
  slice_number(p, "flits", x->flits);
  if (x->number != EVENT_NONE)
    slice_number(p, "number", x->number);
  slice_end(p);
  slice_inner(p, x->track, x->sent, begun ? x->first : end, "queue");
  if (begun)
    slice_inner(p, x->track, x->first, sent, "bus");
  if (arrived)
    slice_inner(p, x->track, sent, done, "NBU");
  if ((x->done || x->up) && done < end)
    slice_inner(p, x->track, done, end, "answer");
}

static void answer(timeline_core *k, const core_event *e) {
  unit *u = &k->units[e->nbu];
  packet *x = &u->packets[u->of_tag[e->tag]];
  assert(x->open && x->tag == e->tag);
  if (e->flits)
    x->up = x->up ? x->up : e->cycle;
  else
    x->done = e->cycle + 1;
  flow *f = x->job && x->job->open ? new_flow(k, x->job) : NULL;
  if (f)
    *f = (flow){x->id,
                {{x->first, track_tid(&k->p, x->down_track)},
                 {e->flits ? u->up.cycle : e->cycle,
                  track_tid(&k->p, e->flits ? u->up.track : x->done_track)}}};
  timeline_packet_end(k, e->nbu, x, e->cycle + 1, CUT_NO);
}

// ---- requests to other cores, and theirs

static uint64_t request_id(uint32_t core, uint64_t sent) {
  return (uint64_t)(SIM_CORES + core) << FLOW_BITS | sent;  // one leaves in a cycle at most
}

static void request_args(process *p, const core_event *e) {
  slice_text(p, "kind", remote_kinds[e->packet]);
  slice_hex(p, "address", e->address, 9);
  slice_number(p, "nbu", e->nbu);
  slice_number(p, "bytes", e->bytes);
}

static void end_request(timeline_core *k, request *r, uint64_t end, slice_cut cut) {
  process *p = &k->p;
  char name[NAME];
  r->open = false;
  track_free(p, r->track, end);
  snprintf(name, sizeof name, "%s of core %u", remote_kinds[r->sent.packet], r->sent.core);
  if (!slice_begin(p, r->track, r->sent.cycle, end, name, cut))
    return;
  slice_number(p, "core", r->sent.core);
  request_args(p, &r->sent);
  slice_number(p, "number", r->sent.number);
  slice_end(p);
}

static void ask(timeline_core *k, const core_event *e) {
  request *r = &k->requests[e->request];
  *r = (request){true, track_take(&k->p, TRACKS_REQUESTS, 0, e->cycle), *e};
  k->serve_tid[e->request] = 0;
}

static void replied(timeline_core *k, const core_event *e) {
  request *r = &k->requests[e->request];
  job *j = job_of(k, e);
  flow *f = j ? new_flow(k, j) : NULL;
  if (f)
    *f = (flow){request_id(k->index, e->sent),
                {{e->sent, track_tid(&k->p, r->track)}, {e->came, k->serve_tid[e->request]}}};
  end_request(k, r, e->cycle + 1, CUT_NO);
  slice_inner(&k->p, r->track, e->sent, e->came, "network there");
  slice_inner(&k->p, r->track, e->came, e->left, "LSU-Remote there");
  slice_inner(&k->p, r->track, e->left, e->cycle + 1, "network back");
}

static void serve(timeline_core *k, const core_event *e) {
  job *j = k->serves;
  while (j < k->serves + SERVES - 1 && j->open)
    j++;
  assert(!j->open);
  open_job(j, track_take(&k->p, TRACKS_SERVES, 0, e->cycle), e);
  timeline_core *from = k->t->cores[e->core];
  if (from)  // it looks at this when the answer is there
    from->serve_tid[e->request] = track_tid(&k->p, j->track);
}

static void end_serve(timeline_core *k, job *j, uint64_t end, slice_cut cut) {
  process *p = &k->p;
  char name[NAME];
  snprintf(name, sizeof name, "%s for core %u", remote_kinds[j->begun.packet], j->begun.core);
  j->open = false;
  track_free(p, j->track, end);
  if (!slice_begin(p, j->track, j->begun.cycle, end, name, cut))
    return;
  slice_number(p, "core", j->begun.core);
  request_args(p, &j->begun);
  slice_end(p);
  if (cut == CUT_NO)
    draw_flows(k, j, end - 1);
}

// ---- the cycle

static void event(timeline_core *k, const core_event *e) {
  job *j;
  switch ((event_kind)e->kind) {
    case EVENT_BLOCK:
    case EVENT_BLOCK_END:
      block_event(k, e);
      return;
    case EVENT_ISSUE:
      issue(k, e, false);
      return;
    case EVENT_SEND:
      send(k, e);
      return;
    case EVENT_ANSWER:
      answer(k, e);
      return;
    case EVENT_REQUEST:
      ask(k, e);
      return;
    case EVENT_REPLIED:
      replied(k, e);
      return;
    case EVENT_SERVE:
      serve(k, e);
      return;
    case EVENT_SHARED:
    case EVENT_SHARED_END:
      timeline_shared(k, e);
      return;
    case EVENT_REPLY:
      j = serve_of(k, e);
      if (j)
        end_serve(k, j, e->cycle + 1, CUT_NO);
      return;
    default:
      break;
  }
  j = job_of(k, e);
  if (!j)
    return;
  switch ((event_kind)e->kind) {
    case EVENT_TARGET:
      target(k, j, e);
      break;
    case EVENT_READY:
      j->ready = e->cycle;
      break;
    case EVENT_UNIT:
      j->unit = e->cycle;
      break;
    case EVENT_START:
      j->start = e->cycle;
      break;
    case EVENT_END:
      end_instruction(k, j, e->cycle + 1, CUT_NO);
      break;
    default:
      break;
  }
}

static void draw_counters(timeline_core *k, const core *c) {
  static const char *const names[] = {"TSV queue", "packets", "instructions"};
  static const char *const nbus[] = {"NBU 0", "NBU 1", "NBU 2", "NBU 3"};
  static const char *const subcores[] = {"subcore 0", "subcore 1", "subcore 2", "subcore 3"};
  uint32_t now[3][SUBCORES];
  for (uint32_t n = 0; n < SUBCORES; n++) {
    now[0][n] = k->units[n].flits;
    now[1][n] = k->units[n].open;
    now[2][n] = k->under_way[n];
  }
  for (uint32_t n = 0; n < 3; n++)
    if (memcmp(now[n], k->shown[n], sizeof now[n])) {
      track_counters(&k->p, core_cycle(c), names[n], n == 2 ? subcores : nbus, now[n], SUBCORES);
      memcpy(k->shown[n], now[n], sizeof now[n]);
    }
}

void timeline_core_cycle(void *ctx, const core *c, const core_event *events, uint32_t count) {
  timeline_core *k = ctx;
  k->cycle = core_cycle(c);
  if (k->cycle >= k->p.to)
    return;
  timeline_pins(k, c);
  for (uint32_t n = 0; n < count; n++)
    if (events[n].kind == EVENT_ISSUE && n + 1 < count && events[n + 1].kind == EVENT_END &&
        events[n + 1].number == events[n].number)
      issue(k, &events[n++], true);
    else
      event(k, &events[n]);
  if (k->cycle >= k->p.from && !(k->p.hidden >> TRACKS_COUNTERS & 1))
    draw_counters(k, c);
}

// ---- launches

void timeline_core_cut(timeline_core *k, uint64_t cycle, slice_cut cut) {
  for (uint32_t n = 0; n < BLOCKS; n++)
    if (k->blocks[n].open)
      end_block(k, &k->blocks[n], cycle, cut);
  for (uint32_t s = 0; s < SUBCORES; s++)
    for (uint32_t n = 0; n < EVENT_PLACES; n++)
      if (k->instructions[s][n].open)
        end_instruction(k, &k->instructions[s][n], cycle, cut);
  for (uint32_t n = 0; n < SERVES; n++)
    if (k->serves[n].open)
      end_serve(k, &k->serves[n], cycle, cut);
  for (uint32_t n = 0; n < REQUESTS; n++)
    if (k->requests[n].open)
      end_request(k, &k->requests[n], cycle, cut);
  timeline_pins_cut(k, cycle, cut);
}

void timeline_core_reset(timeline_core *k) {
  memset(k->units, 0, sizeof k->units);
  memset(k->under_way, 0, sizeof k->under_way);
  for (uint32_t n = 0; n < SUBCORES; n++)
    k->units[n].offered = NEVER;
}

void timeline_core_free(timeline_core *k) {
  if (!k)
    return;
  for (uint32_t s = 0; s < SUBCORES; s++)
    for (uint32_t n = 0; n < EVENT_PLACES; n++)
      free(k->instructions[s][n].flows);
  for (uint32_t n = 0; n < SERVES; n++)
    free(k->serves[n].flows);
  process_free(&k->p);
  free(k);
}

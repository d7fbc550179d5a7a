// SPDX-License-Identifier: Apache-2.0
// Events: made when somebody wants to know (EMIT), told to one listener at once and to observers
// (core_observe) at the end of the cycle.
#ifndef NEARBANK_CORE_EMIT_H
#define NEARBANK_CORE_EMIT_H

#include "op.h"
#include "remote_packet.h"

enum { EVENTS = 512 };  // of a cycle, at most: a few a warp and packet

// One who is told of each event when it happens, before anything that follows from it.
typedef void event_listener(void *ctx, const core_event *e);

// Whose an instruction is: its warp may end before all of it, and another one have the slot.
typedef struct emit_owner {
  uint32_t block;
  uint8_t warp, slot;
} emit_owner;

struct emitter {
  emit_owner owners[SUBCORES][EVENT_PLACES];  // of instructions that have not ended
  core_observer observers[CORE_OBSERVERS];
  uint32_t n_observers;
  event_listener *listener;
  void *listener_ctx;
  // of a launch
  uint32_t issued;
  uint32_t n_events;
  core_event events[EVENTS];  // of this cycle
};

#define EMIT(b, what) (__builtin_expect((b)->watched, 0) ? (void)(what) : (void)0)

void emit_reset(base *b);
void emit_listen(base *b, event_listener *tell, void *ctx);  // NULL: nobody
void emit_end(base *b, const core *c);  // of the base die's part of a cycle: observers are told

// To be filled in, and told: of a warp (NULL: of none), of an instruction.
core_event emit_of_warp(const base *b, event_kind kind, const cwarp *w);
core_event emit_of_op(const base *b, event_kind kind, const op *o);
void emit_begin(base *b, const op *o);  // an instruction has its number among those under way
void emit_tell(base *b, const core_event *e);

void emit_op(base *b, event_kind kind, const op *o);
void emit_access(base *b, const op *o, uint32_t lanes, uint32_t words);
// Lanes of a load that goes by the line, and the request that they wait for.
void emit_line(base *b, event_kind kind, const op *o, uint32_t lanes, uint32_t request,
               uint64_t address);
void emit_target(base *b, const op *o, const uint64_t waits[REG_WORDS]);
void emit_shared(base *b, event_kind kind, const op *o, uint32_t mop, uint32_t lanes);
// `o` NULL: it has ended with that.
void emit_issue(base *b, const cwarp *w, uint32_t pc, uint32_t lanes, op *o);
void emit_move(base *b, event_kind kind, const cwarp *w, const op *o, uint32_t reg, bool near);
void emit_block(base *b, event_kind kind, const block *of);
// A request of lanes of `o` to core `to`, or, `o` NULL, one that came; its answer so far.
void emit_request(base *b, event_kind kind, const op *o, uint32_t other, uint32_t lanes,
                  const remote_request *r, const remote_answer *answer, uint32_t bytes);
// Fills in what is known of a request.
void emit_fill_request(core_event *e, uint32_t other, const remote_request *r,
                       const remote_answer *answer);

#endif

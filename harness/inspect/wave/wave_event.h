// SPDX-License-Identifier: Apache-2.0
// What waves are asked of: something that happens in a core.
#ifndef NEARBANK_WAVE_EVENT_H
#define NEARBANK_WAVE_EVENT_H

#include "harness/machines/mpu/core/core.h"

typedef enum wave_event_kind {
  WAVE_EVENT_WRONG,  // "difference": models differ, or anything else goes wrong
  WAVE_EVENT_CYCLE,  // "cycle:N"
  WAVE_EVENT_PC,     // "pc:0x150": an instruction there is issued
  WAVE_EVENT_LINE,   // "line:12", "line:axpy.cu:12": one of this line
  WAVE_EVENT_BANK,   // "bank:REF", "bank:ACT,2", "bank:ACT,2,3": a command, of an NBU, of its bank
  WAVE_EVENT_BARRIER,  // "barrier", "barrier:5", "barrier:5.1": of a block, of its warp
} wave_event_kind;

typedef struct wave_event {
  wave_event_kind kind;
  uint64_t cycle;
  uint32_t pc, line, cmd;
  int64_t nbu, bank, block, warp;  // -1: any
  char file[128];                  // empty: any
} wave_event;

extern const char wave_event_forms[];  // for messages
bool wave_event_parse(const char *text, wave_event *e);
// Does it happen in this cycle? From an observer's cycle(). Then: in which subcore, or of which NBU
// (0, when it is of none); else -1.
int wave_event_here(const wave_event *e, const core *c, const core_event *events, uint32_t count);

#endif

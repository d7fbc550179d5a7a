// SPDX-License-Identifier: Apache-2.0
// The waves of a platform with cards in one file: a scope for each source of signals of the
// platform ("bus"), and for each card ("card0.core0.nbu1"). Cycle n of the file begins n ns after
// the simulation did.
#ifndef NEARBANK_WAVE_BOARD_H
#define NEARBANK_WAVE_BOARD_H

#include "harness/machines/mpu/machine/sim.h"
#include "wave.h"

typedef struct wave_board wave_board;

// `scopes` NULL: all of the platform, and core 0 of each card. NULL: `why`.
wave_board *wave_board_new(const char *file, const char *scopes, char *why, size_t why_bytes);
// The sim of card k. `begins` returns the time of the platform, in ns, at which the launch begins
// that the sim is starting. False: no memory, or a block has no signals.
bool wave_board_card(wave_board *b, unsigned k, sim *s, uint64_t (*begins)(void *ctx), void *ctx);
// A source of signals of the platform, for wave_write, with its header first. Times of its text are
// RTL_TRACE_TIMES a ns. NULL: no memory.
wave_source *wave_board_source(wave_board *b, const char *name);
// All sources and cards are there. False: the pattern `missed` of `scopes` matches no scope; the
// file is removed and the board is freed.
bool wave_board_begin(wave_board *b, char *missed, size_t missed_bytes);
// The platform has come to this ns: its sources have written what happened before, and no later
// launch begins before it.
void wave_board_step(wave_board *b, uint64_t ns);
// Before wave_board_begin: there is no file.
void wave_board_drop(wave_board *b);
// The platform ends at this ns. Leaves a view beside the file.
wave_summary wave_board_close(wave_board *b, uint64_t ns);

#endif

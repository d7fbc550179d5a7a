// SPDX-License-Identifier: Apache-2.0
// The debugger: a prompt on the cycle-by-cycle machine, in the process that runs it. Rules:
// docs/debugger.md.
#ifndef NEARBANK_DEBUG_H
#define NEARBANK_DEBUG_H

#include "harness/machines/mpu/machine/sim.h"

// Wave files, for `wave on [FILE]` and `wave off`: from the next cycle on, resp. no more. `file`
// NULL: one of its own choice. Fills `what` with the line to be said: which file, or why not.
typedef struct debug_wave {
  bool (*set)(void *ctx, bool on, const char *file, char *what, size_t what_bytes);
  void *ctx;
} debug_wave;

typedef struct debug_config {
  machine *m;            // that the sim executes the launches of
  const char *commands;  // file with commands, or NULL: none
  const char *then;      // where they come from behind it: "tty", "none", or a descriptor's number
  void (*end)(int status);  // the program is to end, with this exit status, as if interrupted
  int (*ended)(void);       // somebody has said so: this status; else 0
  debug_wave wave;
  bool terminal;  // the terminal, if commands come from one, can move its cursor
} debug_config;

enum { DEBUG_QUIT = 130, DEBUG_WRONG = 2 };  // statuses: by command, a command was wrong

typedef struct debug debug;

// Looks on from the next launch on, of all cores. Strings stay the caller's. NULL: `why`.
debug *debug_new(const debug_config *config, sim *s, char *why, size_t why_bytes);
// The program ends. Says what of a file of commands was not read.
void debug_free(debug *d);

#endif

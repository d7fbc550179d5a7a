// SPDX-License-Identifier: Apache-2.0
// Options of mpu spacea that look into the machine (options_seeing), and what they ask for.
#ifndef NEARBANK_TOOL_SEEING_H
#define NEARBANK_TOOL_SEEING_H

#include "harness/inspect/spacea/pe_profile.h"
#include "harness/inspect/spacea/vault_debug.h"
#include "tool.h"

enum { EXIT_STOPPED = 130 };  // by the debugger

typedef struct seeing_args {
  const char *profile;
  bool table;  // of the profile, for people
  uint64_t top;
  const char *heat, *heat_of;
  bool debug;
  const char *commands;  // of the debugger; NULL: from standard input
} seeing_args;

// The option that was met: 1 it is one of these, 0 it is not; EXIT_USAGE after a message.
int seeing_take(seeing_args *o, const args *a);
bool seeing_any(const seeing_args *o);  // one was given
// What can be said before anything is opened: 0 or EXIT_USAGE.
int seeing_check(const seeing_args *o);

typedef struct seeing {
  const config *config;
  machine_run *run;
  pe_profile *profile;
  vault_debug *debug;
  FILE *commands;
} seeing;

// Before the first cycle, of a machine with `near` of each of its vaults. 0 or EXIT_USAGE;
// seeing_close in any case.
int seeing_open(const seeing_args *o, const config *c, machine_run *r, const lockstep_mode *near,
                seeing *s);
// Writes what there is of a run that came to its end (EXIT_OK, EXIT_FAILED), and asks the debugger
// once more after one that failed (EXIT_MACHINE). The status of the whole.
int seeing_close(const seeing_args *o, seeing *s, int status);

#endif

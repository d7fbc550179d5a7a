// SPDX-License-Identifier: Apache-2.0
// A debugger of SpaceA: stops between cycles, and shows queues, lines and packets. docs/spacea.md.
#ifndef NEARBANK_VAULT_DEBUG_H
#define NEARBANK_VAULT_DEBUG_H

#include <stdio.h>
#include "harness/base/schedule/machine.h"

typedef struct vault_debug vault_debug;

typedef struct vault_debug_config {
  FILE *from;        // commands; behind the last one the run goes on
  const char *name;  // of it, for messages
  bool terminal;     // a person types: lines can be edited, and wrong ones repeated
} vault_debug_config;

// Before the first cycle: takes the first commands, and looks on. NULL: no memory.
vault_debug *vault_debug_new(const vault_debug_config *c, machine_run *r);
// The run has failed: one more prompt.
void vault_debug_failed(vault_debug *d);
typedef enum vault_debug_end {
  VAULT_DEBUG_RUNS,
  VAULT_DEBUG_QUIT,
  VAULT_DEBUG_WRONG
} vault_debug_end;
// Was the run stopped by a command, or by one that is wrong, which was said?
vault_debug_end vault_debug_ended(const vault_debug *d);
void vault_debug_free(vault_debug *d);

#endif

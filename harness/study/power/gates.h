// SPDX-License-Identifier: Apache-2.0
// How often the gates of a netlist switch when its registers and inputs have the values of a wave:
// gates take no time, so that each net changes at most once a cycle.
#pragma once

#include <stdio.h>

#include "harness/inspect/wave/activity.h"
#include "netlist.h"

typedef struct gates gates;

// The netlist in each scope of the activity, as `follow` of activity_read(). NULL: out of memory.
gates *gates_new(const netlist *n);
void gates_free(gates *g);
extern const activity_follower gates_follower;
// Lines, see docs/power.md. Toggles are those of all scopes together.
void gates_print(const gates *g, const activity *a, FILE *f);

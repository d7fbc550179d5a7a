// SPDX-License-Identifier: Apache-2.0
// Where the cycles of a core go, by instruction: an observer of one core. Rules: docs/profile.md.
#ifndef NEARBANK_CORE_PROFILE_H
#define NEARBANK_CORE_PROFILE_H

#include "profile_counts.h"
#include "harness/machines/mpu/core/core.h"

typedef struct core_profile core_profile;

core_profile *core_profile_new(void);  // NULL: no memory
void core_profile_free(core_profile *p);
core_observer core_profile_observer(core_profile *p);

// Rows of a launch: its instructions by pc, then the end of the code, then PROFILE_OTHERS.
uint32_t core_profile_rows(const launch *l);

// A launch begins that the core has; it ended, and core_end was called: what was counted is added
// to `sum`, a row each.
bool core_profile_begin(core_profile *p, const core *c);  // false: no memory
void core_profile_end(core_profile *p, const core *c, profile_counts *sum);

#endif

// SPDX-License-Identifier: Apache-2.0
// What a core counts other than where it happens: cycles that it stands still, what only the near
// side can count, and a sample of all counters in the middle of a launch. For core.c.
#ifndef NEARBANK_CORE_COUNTED_H
#define NEARBANK_CORE_COUNTED_H

#include "core_state.h"

// Nothing happens from the core's cycle on before cycle `until`: counts these cycles in *to.
void counted_waits(const core *c, uint64_t until, core_stats *to);
// Refreshes of all banks that fall due before `until` while the core is at rest.
uint64_t counted_refreshes(const core *c, uint64_t until);

// At the end of a launch: rows that are open then close before the next one begins.
void counted_collect(core *c);

// Nothing happens from the core's cycle on before that of its sample, which is taken, and which it
// has not passed.
void counted_sample(core *c);

#endif

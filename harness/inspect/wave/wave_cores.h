// SPDX-License-Identifier: Apache-2.0
// The cores of a sim as sources of a wave: their blocks and base dies.
#ifndef NEARBANK_WAVE_CORES_H
#define NEARBANK_WAVE_CORES_H

#include "harness/machines/mpu/machine/sim.h"
#include "wave.h"

typedef struct wave_cores wave_cores;

// Headers of all that the wave is to keep. Scope "core3" of the machine is "<prefix>core3" in the
// wave. NULL: no memory.
wave_cores *wave_cores_new(wave *w, sim *s, const char *prefix);
void wave_cores_free(wave_cores *c);
// False: some of it can give no signals.
bool wave_cores_whole(const wave_cores *c);

// All values, and what changes from now on, of a launch of this kernel; and no more.
void wave_cores_on(wave_cores *c, uint32_t kernel);
void wave_cores_off(wave_cores *c);
// All cores have come to cycle `until`.
void wave_cores_rest(wave_cores *c, uint64_t until);
// Cycle n of the machine is cycle n + `cycles` of the wave, from now on.
void wave_cores_shift(wave_cores *c, uint64_t cycles);

#endif

// SPDX-License-Identifier: Apache-2.0
// FILE.names beside a wave file: what its program counters are, a line each, in the form in which
// GTKWave reads a translate filter: "00000150 fma.f32 r4, r5, r6, r4; axpy.cu:12".
#ifndef NEARBANK_WAVE_NAMES_H
#define NEARBANK_WAVE_NAMES_H

#include "csim/isa/machine.h"

typedef struct wave_names wave_names;

// As with the waves, FILE.part.names until they are whole.
wave_names *wave_names_new(const char *wave_file, char *why, size_t why_bytes);
// The number of a launch's kernel, which is put into the top 8 bits of its program counters; its
// instructions are in the file then. It is its place in its module, if that is free: the same in
// each file of a program. From the 255th kernel on: the last one.
uint32_t wave_names_kernel(wave_names *n, const launch *l);
void wave_names_close(wave_names *n, bool whole);  // `whole`: the wave file has its name
void wave_names_drop(wave_names *n);               // there is none

#endif

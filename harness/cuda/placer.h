// SPDX-License-Identifier: Apache-2.0
// Places arrays and blocks when a kernel is launched, by what a few of its blocks do (mpu run
// --place auto, docs/placement.md). An array is placed once, before the first kernel that
// accesses it: the host keeps what it has written to it until then. One that is only read may get
// copies at any launch.
#ifndef NEARBANK_CUDA_PLACER_H
#define NEARBANK_CUDA_PLACER_H

#include "rt.h"

typedef struct placer placer;

// NULL: no memory.
// `reports`: placer_write will be called.
placer *placer_new(bool reports);
void placer_free(placer *p);

// What an allocation of so many bytes should take up on a machine of so many cores.
uint64_t placer_room(uint64_t bytes, uint32_t cores);
// One with that room begins to live, and ends, with its copies in the device's memory.
void placer_allocated(placer *p, const char *name, uint64_t address, uint64_t bytes, uint64_t room);
void placer_released(placer *p, machine *m, uint64_t address);
// Before the running launch of a context, of a kernel by this name.
void placer_launch(placer *p, rt_context *c, const char *kernel);

// It has ended: what came of its placement.
void placer_launched(placer *p, const rt_context *c);

// Cycles that looking at blocks took: an estimate.
uint64_t placer_cycles(const placer *p);
void placer_report(const placer *p, FILE *f);
// What was chosen and what is expected of it, as a file for --place.
void placer_write(const placer *p, FILE *f);

#endif

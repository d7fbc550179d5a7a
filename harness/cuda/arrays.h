// SPDX-License-Identifier: Apache-2.0
// What a program allocates, by the name of its variable, and the accesses of memory that were for
// it (settings.arrays). Of a context; NULL, of which all functions make nothing: nobody asks.
#ifndef NEARBANK_CUDA_ARRAYS_H
#define NEARBANK_CUDA_ARRAYS_H

#include "rt.h"

typedef struct rt_arrays rt_arrays;

// Ends the program when the host has no memory. The sim counts from now on; NULL: the functional
// machine m, which knows neither which sectors are remote nor what they meet in the banks.
rt_arrays *arrays_of_program(sim *s, machine *m);
void arrays_forget(rt_arrays *a);

// Memory that the program has allocated, at the place of rt_place; and has freed.
void arrays_allocated(rt_arrays *a, uint64_t address, uint64_t bytes);
void arrays_released(rt_arrays *a, uint64_t address);
// Before a launch of the context: what is where.
void arrays_launch(rt_arrays *a, const rt_context *c);

void arrays_json(const rt_arrays *a, json_writer *j);  // "arrays"
void arrays_report(const rt_arrays *a, FILE *f);

#endif

// SPDX-License-Identifier: Apache-2.0
// Where a program has allocated what lives in device memory, for messages about a byte of it.
#ifndef NEARBANK_CUDA_NAMED_H
#define NEARBANK_CUDA_NAMED_H

#include "array_name.h"
#include "rt.h"

typedef struct rt_named {  // an allocation, or a variable of the device
  uint64_t address, bytes;
  char name[ARRAY_NAME];
  char place[80];  // "x.cu:12"; empty: it is not known
} rt_named;

// Memory that the program has allocated, at the place of rt_place; and has freed.
void named_allocated(rt_context *c, uint64_t address, uint64_t bytes);
void named_released(rt_context *c, uint64_t address);
void named_forget(rt_context *c);
// The machine says these names in its messages.
void named_tell(rt_context *c);
// One after the other: allocations, then variables. False: there are no more.
bool named_of(const rt_context *c, uint32_t n, rt_named *to);

#endif

// SPDX-License-Identifier: Apache-2.0
// What the files of the driver API share.
#ifndef NEARBANK_DRIVER_API_H
#define NEARBANK_DRIVER_API_H
#include "include/cuda.h"

// CUDA_SUCCESS, or what a call gives without a context.
CUresult driver_needs_context(void);
// Evaluates a call of the runtime when there is a context.
#define IN_CONTEXT(call) (driver_needs_context() ? driver_needs_context() : (CUresult)(call))

#endif

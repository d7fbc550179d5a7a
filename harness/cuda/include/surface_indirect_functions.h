// SPDX-License-Identifier: Apache-2.0
// A name that programs include; all of it is in cuda_runtime.h.
#ifndef NEARBANK_SURFACE_INDIRECT_FUNCTIONS_H
#define NEARBANK_SURFACE_INDIRECT_FUNCTIONS_H
#include "cuda_runtime.h"
#endif

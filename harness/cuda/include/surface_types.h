// SPDX-License-Identifier: Apache-2.0
// A name that programs include; all of it is in cuda_runtime.h.
#ifndef NEARBANK_SURFACE_TYPES_H
#define NEARBANK_SURFACE_TYPES_H
#include "cuda_runtime.h"
#endif

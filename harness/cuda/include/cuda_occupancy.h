// SPDX-License-Identifier: Apache-2.0
// A name that programs include; all of it is in cuda_runtime.h.
#ifndef NEARBANK_CUDA_OCCUPANCY_H
#define NEARBANK_CUDA_OCCUPANCY_H
#include "cuda_runtime.h"
#endif

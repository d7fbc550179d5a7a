// SPDX-License-Identifier: Apache-2.0
// A name that programs include; all of it is in cuda_runtime.h.
#ifndef NEARBANK_SM_32_INTRINSICS_H
#define NEARBANK_SM_32_INTRINSICS_H
#include "cuda_runtime.h"
#endif

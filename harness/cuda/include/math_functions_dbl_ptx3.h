// SPDX-License-Identifier: Apache-2.0
// A name that programs include; all of it is in cuda_runtime.h.
#ifndef NEARBANK_MATH_FUNCTIONS_DBL_PTX3_H
#define NEARBANK_MATH_FUNCTIONS_DBL_PTX3_H
#include "cuda_runtime.h"
#endif

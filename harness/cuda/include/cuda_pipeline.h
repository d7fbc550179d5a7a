// SPDX-License-Identifier: Apache-2.0
// A name that programs include; all of it is in cuda_pipeline_primitives.h.
#ifndef NEARBANK_CUDA_PIPELINE_H
#define NEARBANK_CUDA_PIPELINE_H
#include "cuda_pipeline_primitives.h"
#endif

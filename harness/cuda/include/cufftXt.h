// SPDX-License-Identifier: Apache-2.0
// Plans by kinds of numbers, with long sizes. Functions for several devices, callbacks and half
// precision are not supported.
#ifndef NEARBANK_CUFFTXT_H
#define NEARBANK_CUFFTXT_H
#include "cufft.h"
#include "library_types.h"

#ifdef __cplusplus
extern "C" {
#endif
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *inembed,
                                long long istride, long long idist, cudaDataType in,
                                long long *onembed, long long ostride, long long odist,
                                cudaDataType out, long long batch, size_t *bytes,
                                cudaDataType execution);
// The direction counts where both sides are complex.
cufftResult cufftXtExec(cufftHandle plan, void *in, void *out, int direction);
#ifdef __cplusplus
}
#endif
#endif

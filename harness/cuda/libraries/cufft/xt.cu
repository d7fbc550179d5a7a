// SPDX-License-Identifier: Apache-2.0
// Plans by kinds of numbers, on those by types of transforms.
#include "cufftXt.h"
#include "plan.h"

// The type of a transform; 0: none.
static int type_of(cudaDataType in, cudaDataType out, cudaDataType execution) {
  static const struct {
    cudaDataType in, out, execution;
    cufftType type;
  } known[] = {{CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C},
               {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C},
               {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R},
               {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
               {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z},
               {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D}};
  for (const auto &k : known)
    if (k.in == in && k.out == out && k.execution == execution)
      return k.type;
  return 0;
}

// False: it does not fit.
static bool shorten(int rank, const long long *from, int *to) {
  for (int k = 0; k < rank && from; k++) {
    to[k] = (int)from[k];
    if (to[k] != from[k])
      return false;
  }
  return true;
}

extern "C" {

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *inembed,
                                long long istride, long long idist, cudaDataType in,
                                long long *onembed, long long ostride, long long odist,
                                cudaDataType out, long long batch, size_t *bytes,
                                cudaDataType execution) {
  int sizes[RANK], ins[RANK], outs[RANK], others[5];
  const long long wide[] = {istride, idist, ostride, odist, batch};
  const int type = type_of(in, out, execution);
  if (!type)
    return CUFFT_NOT_SUPPORTED;
  if (rank < 1 || rank > RANK || !n || !shorten(rank, n, sizes) || !shorten(rank, inembed, ins) ||
      !shorten(rank, onembed, outs) || !shorten(5, wide, others))
    return CUFFT_INVALID_SIZE;
  return cufftMakePlanMany(plan, rank, sizes, inembed ? ins : NULL, others[0], others[1],
                           onembed ? outs : NULL, others[2], others[3], (cufftType)type, others[4],
                           bytes);
}

cufftResult cufftXtExec(cufftHandle handle, void *in, void *out, int direction) {
  switch (nearbank_cufft_type(handle)) {
    case CUFFT_C2C:
      return cufftExecC2C(handle, (cufftComplex *)in, (cufftComplex *)out, direction);
    case CUFFT_R2C:
      return cufftExecR2C(handle, (cufftReal *)in, (cufftComplex *)out);
    case CUFFT_C2R:
      return cufftExecC2R(handle, (cufftComplex *)in, (cufftReal *)out);
    case CUFFT_Z2Z:
      return cufftExecZ2Z(handle, (cufftDoubleComplex *)in, (cufftDoubleComplex *)out, direction);
    case CUFFT_D2Z:
      return cufftExecD2Z(handle, (cufftDoubleReal *)in, (cufftDoubleComplex *)out);
    case CUFFT_Z2D:
      return cufftExecZ2D(handle, (cufftDoubleComplex *)in, (cufftDoubleReal *)out);
    default:
      return CUFFT_INVALID_PLAN;
  }
}
}

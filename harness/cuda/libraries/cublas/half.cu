// SPDX-License-Identifier: Apache-2.0
// Products of numbers of several kinds: converted to float (or double), multiplied there, and the
// result rounded once.
#include "cuda_bf16.h"
#include "mixed.h"
#include "product.h"

enum { LANES = 32, GROUPS = 8 };

template <class From, class To>
__global__ void convert_kernel(int m, int n, const From *a, long long lda, To *b, long long ldb) {
  const int i = (int)(blockIdx.x * LANES + threadIdx.x);
  for (int j = (int)(blockIdx.y * GROUPS + threadIdx.y); i < m && j < n;
       j += (int)gridDim.y * GROUPS)
    b[i + j * ldb] = To(float(a[i + j * lda]));
}

template <class From, class To>
static void convert(cublasHandle_t h, int m, int n, const void *a, int lda, void *b, int ldb) {
  if (m > 0 && n > 0)
    convert_kernel<<<dim3(((unsigned)m + LANES - 1) / LANES, blocks_for(n, GROUPS, 256)),
                     dim3(LANES, GROUPS), 0, h->stream>>>(m, n, (const From *)a, lda, (To *)b, ldb);
}

size_t nearbank_mixed_size(cudaDataType type) {
  return type == CUDA_R_32F ? 4 : type == CUDA_R_16F || type == CUDA_R_16BF ? 2 : 0;
}

size_t nearbank_floats_room(const operand &a) {
  return nearbank_mixed_size(a.type) == 2 ? (size_t)a.rows * (size_t)a.columns : 0;
}

matrix<float> nearbank_floats(cublasHandle_t h, const operand &a, float *room) {
  if (a.type == CUDA_R_32F)
    return matrix_of((float *)a.at, a.ld);
  if (a.type == CUDA_R_16F)
    convert<__half, float>(h, a.rows, a.columns, a.at, a.ld, room, a.rows);
  else
    convert<__nv_bfloat16, float>(h, a.rows, a.columns, a.at, a.ld, room, a.rows);
  return matrix_of(room, a.rows);
}

// What nearbank_floats made a copy of, back from there.
static void from_floats(cublasHandle_t h, const float *room, const operand &a) {
  if (a.type == CUDA_R_16F)
    convert<float, __half>(h, a.rows, a.columns, room, a.rows, (void *)a.at, a.ld);
  else if (a.type == CUDA_R_16BF)
    convert<float, __nv_bfloat16>(h, a.rows, a.columns, room, a.rows, (void *)a.at, a.ld);
}

static cublasStatus_t multiply(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb,
                               int m, int n, int k, factor<float> alpha, operand a, operand b,
                               factor<float> beta, operand c) {
  const size_t of_a = nearbank_floats_room(a), of_b = nearbank_floats_room(b);
  const size_t room = of_a + of_b + nearbank_floats_room(c);
  if (m == 0 || n == 0)
    return CUBLAS_STATUS_SUCCESS;
  float *fa = room ? (float *)nearbank_cublas_work(h, room * sizeof(float)) : NULL;
  float *fb = fa + of_a, *fc = fb + of_b;
  if (room && !fa)
    return CUBLAS_STATUS_ALLOC_FAILED;
  const matrix<const float> ma = with(constant(nearbank_floats(h, a, fa)), opa);
  const matrix<const float> mb = with(constant(nearbank_floats(h, b, fb)), opb);
  const cublasStatus_t status =
      nearbank_product(h, product_of(m, n, k, alpha, ma, mb, beta, nearbank_floats(h, c, fc)), 1);
  from_floats(h, fc, c);
  return status ? status : launched();
}

cublasStatus_t nearbank_factor(cublasHandle_t h, const void *p, bool half, factor<float> *f) {
  __half v;
  if (!half) {
    *f = factor_of(h, (const float *)p);
    return CUBLAS_STATUS_SUCCESS;
  }
  if (h->pointers == CUBLAS_POINTER_MODE_HOST)
    v = *(const __half *)p;
  else if (cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost) != cudaSuccess)
    return CUBLAS_STATUS_MAPPING_ERROR;
  *f = factor_is((float)v);
  return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t gemm_mixed(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb,
                                 int m, int n, int k, const void *alpha, bool half_factors,
                                 const void *a, cudaDataType atype, int lda, long long next_a,
                                 const void *b, cudaDataType btype, int ldb, long long next_b,
                                 const void *beta, void *c, cudaDataType ctype, int ldc,
                                 long long next_c, int count) {
  factor<float> u, v;
  NEED_HANDLE(h);
  NEED(is_op(opa) && is_op(opb) && m >= 0 && n >= 0 && k >= 0 && count >= 0 && alpha && beta);
  const operand oa = {a, atype, opa == CUBLAS_OP_N ? m : k, opa == CUBLAS_OP_N ? k : m, lda};
  const operand ob = {b, btype, opb == CUBLAS_OP_N ? k : n, opb == CUBLAS_OP_N ? n : k, ldb};
  NEED(AT_LEAST(lda, oa.rows) && AT_LEAST(ldb, ob.rows) && AT_LEAST(ldc, m));
  if (!nearbank_mixed_size(atype) || !nearbank_mixed_size(btype) || !nearbank_mixed_size(ctype))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  cublasStatus_t status = nearbank_factor(h, alpha, half_factors, &u);
  if (!status)
    status = nearbank_factor(h, beta, half_factors, &v);
  for (int z = 0; z < count && !status; z++) {
    operand za = oa, zb = ob;
    za.at = (const char *)a + z * next_a * (long long)nearbank_mixed_size(atype);
    zb.at = (const char *)b + z * next_b * (long long)nearbank_mixed_size(btype);
    const operand zc = {(char *)c + z * next_c * (long long)nearbank_mixed_size(ctype), ctype, m, n,
                        ldc};
    status = multiply(h, opa, opb, m, n, k, u, za, zb, v, zc);
  }
  return status;
}

extern "C" {

cublasStatus_t cublasHgemm(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
                           int n, int k, const __half *alpha, const __half *a, int lda,
                           const __half *b, int ldb, const __half *beta, __half *c, int ldc) {
  return gemm_mixed(h, opa, opb, m, n, k, alpha, true, a, CUDA_R_16F, lda, 0, b, CUDA_R_16F, ldb, 0,
                    beta, c, CUDA_R_16F, ldc, 0, 1);
}

cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t h, cublasOperation_t opa,
                                         cublasOperation_t opb, int m, int n, int k,
                                         const __half *alpha, const __half *a, int lda,
                                         long long next_a, const __half *b, int ldb,
                                         long long next_b, const __half *beta, __half *c, int ldc,
                                         long long next_c, int count) {
  return gemm_mixed(h, opa, opb, m, n, k, alpha, true, a, CUDA_R_16F, lda, next_a, b, CUDA_R_16F,
                    ldb, next_b, beta, c, CUDA_R_16F, ldc, next_c, count);
}

cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
                             int n, int k, const float *alpha, const void *a, cudaDataType atype,
                             int lda, const void *b, cudaDataType btype, int ldb, const float *beta,
                             void *c, cudaDataType ctype, int ldc) {
  return gemm_mixed(h, opa, opb, m, n, k, alpha, false, a, atype, lda, 0, b, btype, ldb, 0, beta, c,
                    ctype, ldc, 0, 1);
}

cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k,
    const void *alpha, const void *a, cudaDataType atype, int lda, long long next_a, const void *b,
    cudaDataType btype, int ldb, long long next_b, const void *beta, void *c, cudaDataType ctype,
    int ldc, long long next_c, int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  const bool doubles = compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC;
  const bool halves = compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC;
  const bool all_double = atype == CUDA_R_64F && btype == CUDA_R_64F && ctype == CUDA_R_64F;
  const bool all_complex = atype == CUDA_C_32F && btype == CUDA_C_32F && ctype == CUDA_C_32F;
  if (doubles && all_double)
    return cublasDgemmStridedBatched(h, opa, opb, m, n, k, (const double *)alpha, (const double *)a,
                                     lda, next_a, (const double *)b, ldb, next_b,
                                     (const double *)beta, (double *)c, ldc, next_c, count);
  if (!doubles && !halves && all_complex)
    return cublasCgemmStridedBatched(h, opa, opb, m, n, k, (const cuComplex *)alpha,
                                     (const cuComplex *)a, lda, next_a, (const cuComplex *)b, ldb,
                                     next_b, (const cuComplex *)beta, (cuComplex *)c, ldc, next_c,
                                     count);
  if (doubles)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return gemm_mixed(h, opa, opb, m, n, k, alpha, halves, a, atype, lda, next_a, b, btype, ldb,
                    next_b, beta, c, ctype, ldc, next_c, count);
}

cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
                            int n, int k, const void *alpha, const void *a, cudaDataType atype,
                            int lda, const void *b, cudaDataType btype, int ldb, const void *beta,
                            void *c, cudaDataType ctype, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algo) {
  return cublasGemmStridedBatchedEx(h, opa, opb, m, n, k, alpha, a, atype, lda, 0, b, btype, ldb, 0,
                                    beta, c, ctype, ldc, 0, 1, compute, algo);
}
}

// SPDX-License-Identifier: Apache-2.0
// cuBLASLt: which products are possible. All have the same algorithm.
#include <limits.h>

#include "lt.h"
#include "mixed.h"

#define SUPPORTED(condition) \
  if (!(condition))          \
  return CUBLAS_STATUS_NOT_SUPPORTED

enum sums { NONE, HALVES, SINGLES, DOUBLES };
static sums sums_of(int compute) {
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return HALVES;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      return SINGLES;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      return DOUBLES;
    default:
      return NONE;
  }
}
static bool is_type(sums s, uint32_t type) {
  return s == DOUBLES ? type == CUDA_R_64F : nearbank_mixed_size((cudaDataType)type) != 0;
}
static bool is_epilogue(uint32_t f) {
  const uint32_t known[] = {
      CUBLASLT_EPILOGUE_DEFAULT,  CUBLASLT_EPILOGUE_RELU,        CUBLASLT_EPILOGUE_RELU_AUX,
      CUBLASLT_EPILOGUE_BIAS,     CUBLASLT_EPILOGUE_RELU_BIAS,   CUBLASLT_EPILOGUE_RELU_AUX_BIAS,
      CUBLASLT_EPILOGUE_DRELU,    CUBLASLT_EPILOGUE_DRELU_BGRAD, CUBLASLT_EPILOGUE_GELU,
      CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_BIAS,   CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
      CUBLASLT_EPILOGUE_DGELU,    CUBLASLT_EPILOGUE_DGELU_BGRAD, CUBLASLT_EPILOGUE_BGRADA,
      CUBLASLT_EPILOGUE_BGRADB};
  for (uint32_t one : known)
    if (one == f)
      return true;
  return false;
}

static cublasStatus_t check_matmul(const lt_matmul *desc) {
  const sums s = sums_of(desc->compute);
  SUPPORTED(s != NONE && desc->opc == CUBLAS_OP_N && desc->fill == CUBLAS_FILL_MODE_FULL);
  SUPPORTED(desc->scale == (s == DOUBLES ? CUDA_R_64F : s == HALVES ? CUDA_R_16F : CUDA_R_32F));
  SUPPORTED(desc->bias_type == -1 || is_type(s, (uint32_t)desc->bias_type));
  SUPPORTED(desc->aux_type == -1 || is_type(s, (uint32_t)desc->aux_type));
  SUPPORTED(is_epilogue(desc->epilogue));
  for (void *p : desc->of_8_bits)
    SUPPORTED(!p);
  NEED(is_op((cublasOperation_t)desc->opa) && is_op((cublasOperation_t)desc->opb));
  NEED(desc->pointers >= CUBLASLT_POINTER_MODE_HOST &&
       desc->pointers <= CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST);
  SUPPORTED(s != HALVES || desc->pointers < CUBLASLT_POINTER_MODE_DEVICE_VECTOR);
  return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t check_layout(const lt_layout *l, int count, sums s) {
  const uint64_t along = l->order == CUBLASLT_ORDER_ROW ? l->columns : l->rows;
  SUPPORTED(l->order == CUBLASLT_ORDER_COL || l->order == CUBLASLT_ORDER_ROW);
  SUPPORTED(is_type(s, l->type) && !l->plane);
  SUPPORTED(l->rows <= INT_MAX && l->columns <= INT_MAX && l->ld <= INT_MAX);
  NEED(l->ld >= 1 && (uint64_t)l->ld >= along && l->count >= 1 && l->count == count);
  return CUBLAS_STATUS_SUCCESS;
}

// The bits of RELU need whole words, and what is kept for a gradient its place.
static cublasStatus_t check_aux(const lt_matmul *desc, const lt_layout *d) {
  if (!(desc->epilogue & AUX))
    return CUBLAS_STATUS_SUCCESS;
  SUPPORTED(d->order == CUBLASLT_ORDER_COL);
  NEED(desc->aux_ld >= 1 && (uint64_t)desc->aux_ld >= d->rows);
  NEED(!(desc->epilogue & (RELU | DRELU)) || desc->aux_ld % 128 == 0);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t nearbank_lt_check(const lt_matmul *desc, const lt_layout *a, const lt_layout *b,
                                 const lt_layout *c, const lt_layout *d, lt_sizes *sizes) {
  NEED(desc && a && b && c && d);
  const lt_layout *const all[] = {a, b, c, d};
  const bool at = desc->opa != CUBLAS_OP_N, bt = desc->opb != CUBLAS_OP_N;
  cublasStatus_t status = check_matmul(desc);
  for (int n = 0; n < 4 && !status; n++)
    status = check_layout(all[n], d->count, sums_of(desc->compute));
  if (!status)
    status = check_aux(desc, d);
  if (status)
    return status;
  NEED((at ? a->columns : a->rows) == d->rows && (bt ? b->rows : b->columns) == d->columns);
  NEED((at ? a->rows : a->columns) == (bt ? b->columns : b->rows));
  NEED(c->rows == d->rows && c->columns == d->columns);
  *sizes = {(int)d->rows, (int)d->columns, (int)(at ? a->rows : a->columns), d->count};
  return CUBLAS_STATUS_SUCCESS;
}

static cublasLtMatmulAlgo_t algorithm(void) {
  return {{ALGORITHM}};
}

extern "C" {

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t h, cublasLtMatmulDesc_t desc,
                                       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                       cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t *algo,
                                       cublasLtMatmulHeuristicResult_t *result) {
  lt_sizes sizes;
  NEED_HANDLE(h);
  NEED(algo && result && algo->data[0] == ALGORITHM);
  *result = {*algo, 0, CUBLAS_STATUS_SUCCESS, 1, {}};
  return result->state =
             nearbank_lt_check((const lt_matmul *)desc, (const lt_layout *)a, (const lt_layout *)b,
                               (const lt_layout *)c, (const lt_layout *)d, &sizes);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t h, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t pref, int most,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int *count) {
  const cublasLtMatmulAlgo_t one = algorithm();
  NEED(pref && most > 0 && results && count);
  const cublasStatus_t status = cublasLtMatmulAlgoCheck(h, desc, a, b, c, d, &one, results);
  *count = !status;
  return status;
}

cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t h, cublasComputeType_t compute, cudaDataType,
                                      cudaDataType a, cudaDataType b, cudaDataType c,
                                      cudaDataType d, int id, cublasLtMatmulAlgo_t *algo) {
  const sums s = sums_of(compute);
  NEED_HANDLE(h);
  NEED(algo && id == 0);
  SUPPORTED(s != NONE && is_type(s, a) && is_type(s, b) && is_type(s, c) && is_type(s, d));
  *algo = algorithm();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t h, cublasComputeType_t compute,
                                        cudaDataType scale, cudaDataType a, cudaDataType b,
                                        cudaDataType c, cudaDataType d, int most, int ids[],
                                        int *count) {
  cublasLtMatmulAlgo_t algo;
  NEED(most > 0 && ids && count);
  const cublasStatus_t status = cublasLtMatmulAlgoInit(h, compute, scale, a, b, c, d, 0, &algo);
  *count = !status;
  ids[0] = 0;
  return status;
}
}

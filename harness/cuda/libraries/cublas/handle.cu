// SPDX-License-Identifier: Apache-2.0
// Handles of cuBLAS, and copies of vectors and matrices with strides.
#include "internal.h"

void *nearbank_cublas_work(cublasHandle_t h, size_t bytes) {
  if (h->work_bytes >= bytes)
    return h->work;
  cudaFree(h->work);
  h->work_bytes = 0;
  if (cudaMalloc(&h->work, bytes) != cudaSuccess)
    return h->work = NULL;
  h->work_bytes = bytes;
  return h->work;
}

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t *h) {
  NEED(h);
  *h = (cublasHandle_t)calloc(1, sizeof **h);
  return *h ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t h) {
  NEED_HANDLE(h);
  cudaFree(h->work);
  free(h);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t h, int *version) {
  NEED_HANDLE(h);
  NEED(version);
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value) {
  NEED(value && type >= MAJOR_VERSION && type <= PATCH_LEVEL);
  *value = type == MAJOR_VERSION   ? CUBLAS_VER_MAJOR
           : type == MINOR_VERSION ? CUBLAS_VER_MINOR
                                   : CUBLAS_VER_PATCH;
  return CUBLAS_STATUS_SUCCESS;
}

#define SETTING(Name, type, field)                                \
  cublasStatus_t cublasSet##Name(cublasHandle_t h, type value) {  \
    NEED_HANDLE(h);                                               \
    h->field = value;                                             \
    return CUBLAS_STATUS_SUCCESS;                                 \
  }                                                               \
  cublasStatus_t cublasGet##Name(cublasHandle_t h, type *value) { \
    NEED_HANDLE(h);                                               \
    NEED(value);                                                  \
    *value = h->field;                                            \
    return CUBLAS_STATUS_SUCCESS;                                 \
  }
SETTING(Stream_v2, cudaStream_t, stream)
SETTING(PointerMode_v2, cublasPointerMode_t, pointers)
SETTING(AtomicsMode, cublasAtomicsMode_t, atomics)
SETTING(MathMode, cublasMath_t, math)

// The library allocates what it needs.
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t h, void *, size_t) {
  NEED_HANDLE(h);
  return CUBLAS_STATUS_SUCCESS;
}

static const struct {
  cublasStatus_t status;
  const char *name, *text;
} statuses[] = {
#define STATUS(s, text) \
  { CUBLAS_STATUS_##s, "CUBLAS_STATUS_" #s, text }
    STATUS(SUCCESS, "success"),
    STATUS(NOT_INITIALIZED, "the library was not initialized"),
    STATUS(ALLOC_FAILED, "the resource allocation failed"),
    STATUS(INVALID_VALUE, "an unsupported value or parameter was passed to the function"),
    STATUS(ARCH_MISMATCH, "the device does not have what the function needs"),
    STATUS(MAPPING_ERROR, "an access to device memory failed"),
    STATUS(EXECUTION_FAILED, "the function failed to launch on the device"),
    STATUS(INTERNAL_ERROR, "an internal operation failed"),
    STATUS(NOT_SUPPORTED, "the functionality is not supported"),
    STATUS(LICENSE_ERROR, "there is no license")};

const char *cublasGetStatusName(cublasStatus_t status) {
  for (size_t n = 0; n < sizeof statuses / sizeof *statuses; n++)
    if (statuses[n].status == status)
      return statuses[n].name;
  return "unknown cublasStatus_t";
}

const char *cublasGetStatusString(cublasStatus_t status) {
  for (size_t n = 0; n < sizeof statuses / sizeof *statuses; n++)
    if (statuses[n].status == status)
      return statuses[n].text;
  return "unknown cublasStatus_t";
}

// ---- copies: rows of `size` bytes, so that a stride is a pitch

static cublasStatus_t copy_vector(int n, int size, const void *x, int incx, void *y, int incy,
                                  cudaMemcpyKind direction) {
  NEED(n >= 0 && size > 0 && incx > 0 && incy > 0);
  const size_t bytes = (size_t)size;
  const cudaError_t e = n == 0 ? cudaSuccess
                        : incx == 1 && incy == 1
                            ? cudaMemcpy(y, x, (size_t)n * bytes, direction)
                            : cudaMemcpy2D(y, bytes * (size_t)incy, x, bytes * (size_t)incx, bytes,
                                           (size_t)n, direction);
  return e == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

static cublasStatus_t copy_matrix(int m, int n, int size, const void *a, int lda, void *b, int ldb,
                                  cudaMemcpyKind direction) {
  NEED(m >= 0 && n >= 0 && size > 0 && lda >= m && ldb >= m && lda > 0 && ldb > 0);
  const size_t bytes = (size_t)size;
  const cudaError_t e = m == 0 || n == 0
                            ? cudaSuccess
                            : cudaMemcpy2D(b, bytes * (size_t)ldb, a, bytes * (size_t)lda,
                                           bytes * (size_t)m, (size_t)n, direction);
  return e == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

#define COPIES(Name, direction)                                                                \
  cublasStatus_t cublas##Name##Vector(int n, int size, const void *x, int incx, void *y,       \
                                      int incy) {                                              \
    return copy_vector(n, size, x, incx, y, incy, direction);                                  \
  }                                                                                            \
  cublasStatus_t cublas##Name##VectorAsync(int n, int size, const void *x, int incx, void *y,  \
                                           int incy, cudaStream_t) {                           \
    return copy_vector(n, size, x, incx, y, incy, direction);                                  \
  }                                                                                            \
  cublasStatus_t cublas##Name##Matrix(int m, int n, int size, const void *a, int lda, void *b, \
                                      int ldb) {                                               \
    return copy_matrix(m, n, size, a, lda, b, ldb, direction);                                 \
  }                                                                                            \
  cublasStatus_t cublas##Name##MatrixAsync(int m, int n, int size, const void *a, int lda,     \
                                           void *b, int ldb, cudaStream_t) {                   \
    return copy_matrix(m, n, size, a, lda, b, ldb, direction);                                 \
  }
COPIES(Set, cudaMemcpyHostToDevice)
COPIES(Get, cudaMemcpyDeviceToHost)
}

// SPDX-License-Identifier: Apache-2.0
// cuBLASLt: what descriptors hold, and what is done with a product.
#ifndef NEARBANK_CUBLAS_LT_H
#define NEARBANK_CUBLAS_LT_H

#include "cublasLt.h"
#include "product.h"

// A handle of cuBLAS may take the place of one of these.
struct cublasLtContext {
  cublasContext blas;
};

struct lt_layout {
  uint32_t type;
  int32_t order;
  uint64_t rows, columns;
  int64_t ld, next, plane;
  int32_t count;
};
struct lt_matmul {
  int32_t compute, scale, pointers, opa, opb, opc, fill;
  uint32_t epilogue;
  void *bias;
  int64_t next_bias;
  void *aux;
  int64_t aux_ld, next_aux, next_alpha;
  int32_t cores;
  int32_t bias_type, aux_type;
  int8_t fast;
  void *of_8_bits[7];  // scales and magnitudes of A, B, C, D, D, auxiliary, auxiliary
};
struct lt_preference {
  uint32_t search, reductions, alignment[4];
  uint64_t bytes, kinds;
  float waves;
};

enum { ALGORITHM = 1 };  // the first word of what programs keep of it

// Parts of an epilogue.
enum {
  RELU = 2,
  BIAS = 4,
  DRELU = 8,
  BGRAD = 16,
  GELU = 32,
  DGELU = 64,
  AUX = 128,
  BGRADA = 256,
  BGRADB = 512
};

// A matrix or vector of any real type, as kernels see it.
struct place {
  void *at;
  cudaDataType type;
  long long row, column;  // strides
};

// D = f(sum + beta C). `sum` becomes what D is before it is rounded.
template <class T>
struct finish {
  int m, n;
  unsigned epilogue;
  matrix<T> sum;
  factor<T> beta;
  const T *alphas, *betas;  // a factor for each row, or NULL
  place c, d, bias, aux;
};
// Of float and double (lt_finish.cu).
template <class T>
cublasStatus_t nearbank_finish(cublasHandle_t h, const finish<T> &f);
// to[i] is the sum of row i of A.
template <class T>
cublasStatus_t nearbank_row_sums(cublasHandle_t h, matrix<const T> a, int rows, int columns,
                                 place to);

// The status that a product would have, but for its addresses; its sizes. D's layout may be C's.
struct lt_sizes {
  int m, n, k, count;
};
cublasStatus_t nearbank_lt_check(const lt_matmul *desc, const lt_layout *a, const lt_layout *b,
                                 const lt_layout *c, const lt_layout *d, lt_sizes *sizes);
#endif

// SPDX-License-Identifier: Apache-2.0
// Operands whose numbers may have 16 bits, as floats (half.cu).
#ifndef NEARBANK_CUBLAS_MIXED_H
#define NEARBANK_CUBLAS_MIXED_H

#include "matrix.h"

// A matrix in memory, column by column.
struct operand {
  const void *at;
  cudaDataType type;
  int rows, columns, ld;
};

// Bytes of a number: of R_32F, R_16F and R_16BF, else 0.
size_t nearbank_mixed_size(cudaDataType type);
// How many floats nearbank_floats needs room for: none where numbers have more than 16 bits.
size_t nearbank_floats_room(const operand &a);
// The operand as floats: itself, or a copy in `room`.
matrix<float> nearbank_floats(cublasHandle_t h, const operand &a, float *room);
// A factor, which is of 16 bits where sums are.
cublasStatus_t nearbank_factor(cublasHandle_t h, const void *p, bool half, factor<float> *f);
#endif

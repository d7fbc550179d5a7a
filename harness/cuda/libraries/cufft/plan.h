// SPDX-License-Identifier: Apache-2.0
// Plans: what a program asked for, and the tables for it.
#ifndef NEARBANK_CUFFT_PLAN_H
#define NEARBANK_CUFFT_PLAN_H

#include "transform.h"

enum { RANK = 3 };

// How the elements of one side lie, in its units.
struct layout {
  bool given;  // else without gaps
  long long stride, distance;
  int embed[RANK];
};

struct plan {
  bool made, own_work, is_double;
  cufftType type;
  int rank, n[RANK], batch;
  layout in, out;
  cudaStream_t stream;
  void *work;  // of the transforms, and of a C2R in several dimensions an array before them
  size_t bytes, array_bytes;
  void *tables[RANK];
  union {
    axis<float> f;
    axis<double> d;
  } axes[RANK];
};

int nearbank_cufft_type(cufftHandle plan);  // a cufftType; 0: nothing is planned
// Tables of the axes, and the bytes of working memory (tables.cu).
cufftResult nearbank_cufft_prepare(plan *p);
void nearbank_cufft_release(plan *p);
cufftResult nearbank_cufft_execute(const plan *p, void *in, void *out, bool inverse);
#endif

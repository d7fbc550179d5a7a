// SPDX-License-Identifier: Apache-2.0
// A transform along one axis of an array, which those of several dimensions are made of: lines of n
// elements are read, transformed and written. Lengths with other factors than 2, 3, 5 and 7 become
// a convolution of a length that is a power of two (Bluestein).
#ifndef NEARBANK_CUFFT_TRANSFORM_H
#define NEARBANK_CUFFT_TRANSFORM_H

#include "cufft.h"

template <class R>
struct alignas(2 * sizeof(R)) cx {
  R x, y;
};

enum { FACTORS = 32 };

// Tables are in device memory.
template <class R>
struct axis {
  int n, m;  // length, and that of the transform that is done
  int factors, radix[FACTORS];
  const cx<R> *roots;           // exp(-2 pi i k / m)
  const cx<R> *chirp, *filter;  // of Bluestein; else NULL
};

enum element { COMPLEX, REAL, HALF };  // HALF: n / 2 + 1 complex numbers, which the others mirror

// Where lines begin: of batch b, row i, column j. In units of what is there, as `step` along one.
struct lines {
  enum element what;
  long long step, batch, row, column;
};

template <class R>
struct step {
  axis<R> along;
  bool inverse;
  const void *in;
  void *out;
  lines from, to;
  int batches, rows, columns;
};

// Working memory of a step in numbers: none for lines that fit into shared memory.
template <class R>
long long nearbank_cufft_work(const axis<R> &a, long long lines);
// Where `in` and `out` are the same, so must `from` and `to` be, or lines are not on another's.
template <class R>
cufftResult nearbank_cufft_run(const step<R> &s, void *work, cudaStream_t stream);
#endif

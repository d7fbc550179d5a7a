// SPDX-License-Identifier: Apache-2.0
// Passes of Stockham's algorithm: each reads one buffer and writes another in order. Short lines
// stay in shared memory, several in a block; long ones are in device memory, a launch for a pass.
// An inverse transform is the conjugate of the transform of the conjugate.
#include "transform.h"

// Blocks are small: with many threads, a thread has too few registers near the banks.
enum { THREADS = 128, SHARED_BYTES = 49152, CHUNK = 1 << 22, MOST_BLOCKS = 4096 };

template <class R>
__device__ cx<R> operator+(cx<R> a, cx<R> b) {
  return {a.x + b.x, a.y + b.y};
}
template <class R>
__device__ cx<R> operator-(cx<R> a, cx<R> b) {
  return {a.x - b.x, a.y - b.y};
}
template <class R>
__device__ cx<R> operator*(cx<R> a, cx<R> b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
template <class R>
__device__ cx<R> conjugate(cx<R> a) {
  return {a.x, -a.y};
}
template <class R>
__device__ cx<R> times_minus_i(cx<R> a) {
  return {a.y, -a.x};
}

// ---- one butterfly

template <class R>
__device__ void transform_2(cx<R> *v) {
  const cx<R> t = v[1];
  v[1] = v[0] - t;
  v[0] = v[0] + t;
}

template <class R>
__device__ void transform_4(cx<R> *v) {
  const cx<R> a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = times_minus_i(v[1] - v[3]);
  v[0] = a + c;
  v[1] = b + d;
  v[2] = a - c;
  v[3] = b - d;
}

// By the definition; `roots` has every `apart`-th.
template <class R, int RADIX>
__device__ void transform_odd(cx<R> *v, const cx<R> *roots, int apart) {
  cx<R> sum[RADIX];
  for (int k = 0; k < RADIX; k++) {
    sum[k] = v[0];
    for (int t = 1; t < RADIX; t++)
      sum[k] = sum[k] + v[t] * roots[k * t % RADIX * apart];
  }
  for (int k = 0; k < RADIX; k++)
    v[k] = sum[k];
}

// Butterfly j of a line of m elements; `done` is the product of the radices so far.
template <class R, int RADIX>
__device__ void butterfly(const cx<R> *from, cx<R> *to, const cx<R> *roots, int m, int done,
                          int j) {
  const int apart = m / RADIX, k = j % done, turn = k * (apart / done);
  cx<R> v[RADIX];
#pragma unroll
  for (int t = 0; t < RADIX; t++)
    v[t] = t ? from[j + t * apart] * roots[t * turn] : from[j];
  if (RADIX == 2)
    transform_2(v);
  else if (RADIX == 4)
    transform_4(v);
  else
    transform_odd<R, RADIX>(v, roots, apart);
#pragma unroll
  for (int t = 0; t < RADIX; t++)
    to[(j - k) * RADIX + k + t * done] = v[t];
}

template <class R>
__device__ void butterfly_of(int radix, const cx<R> *from, cx<R> *to, const cx<R> *roots, int m,
                             int done, int j) {
  if (radix == 4)
    butterfly<R, 4>(from, to, roots, m, done, j);
  else if (radix == 2)
    butterfly<R, 2>(from, to, roots, m, done, j);
  else if (radix == 3)
    butterfly<R, 3>(from, to, roots, m, done, j);
  else if (radix == 5)
    butterfly<R, 5>(from, to, roots, m, done, j);
  else
    butterfly<R, 7>(from, to, roots, m, done, j);
}

// ---- elements of the array

__device__ long long line_begin(const lines &l, int rows, int columns, long long line) {
  const long long row = line / columns, batch = row / rows;
  return batch * l.batch + row % rows * l.row + line % columns * l.column;
}

// Element p of a line as the transform takes it; 0 where the convolution has more than there are.
template <class R>
__device__ cx<R> read_element(const step<R> &s, long long line, int p) {
  if (p >= s.along.n)
    return {0, 0};
  const long long at = line_begin(s.from, s.rows, s.columns, line);
  cx<R> v;
  if (s.from.what == REAL) {
    v = {((const R *)s.in)[at + p * s.from.step], 0};
  } else {
    const bool mirrored = s.from.what == HALF && p > s.along.n / 2;
    v = ((const cx<R> *)s.in)[at + (mirrored ? s.along.n - p : p) * s.from.step];
    if (s.from.what == HALF && (p == 0 || 2 * p == s.along.n))
      v.y = 0;
    v = mirrored ? conjugate(v) : v;
  }
  v = s.inverse ? conjugate(v) : v;
  return s.along.chirp ? v * s.along.chirp[p] : v;
}

template <class R>
__device__ void write_element(const step<R> &s, long long line, int p, cx<R> v) {
  const long long at = line_begin(s.to, s.rows, s.columns, line) + p * s.to.step;
  if (s.along.chirp) {
    const R scale = 1 / (R)s.along.m;
    v = conjugate(v) * s.along.chirp[p];
    v = {v.x * scale, v.y * scale};
  }
  v = s.inverse ? conjugate(v) : v;
  if (s.to.what == REAL)
    ((R *)s.out)[at] = v.x;
  else
    ((cx<R> *)s.out)[at] = v;
}

// What is written of a line.
template <class R>
__host__ __device__ int written(const step<R> &s) {
  return s.to.what == HALF ? s.along.n / 2 + 1 : s.along.n;
}

// Element e of `count` lines of `length`: neighbours are so in memory, too.
struct spot {
  int line, p;
};
__device__ spot spot_of(long long e, long long count, int length, const lines &l) {
  if (l.step == 1 || l.column != 1)
    return {(int)(e / length), (int)(e % length)};
  return {(int)(e % count), (int)(e / count)};
}

// ---- short lines

// All passes over `count` lines in shared memory; the result is where it says.
template <class R>
__device__ cx<R> *all_passes(const axis<R> &a, const cx<R> *roots, int count, cx<R> *from,
                             cx<R> *to) {
  int done = 1;
  for (int f = 0; f < a.factors; f++) {
    const int radix = a.radix[f], each = a.m / radix;
    for (int e = (int)threadIdx.x; e < each * count; e += (int)blockDim.x) {
      const int at = e / each * a.m;
      butterfly_of(radix, from + at, to + at, roots, a.m, done, e % each);
    }
    __syncthreads();
    cx<R> *t = from;
    from = to;
    to = t;
    done *= radix;
  }
  return from;
}

template <class R>
__global__ void short_kernel(step<R> s, int at_a_time, long long lines) {
  extern __shared__ char shared[];
  const int m = s.along.m, threads = (int)blockDim.x;
  cx<R> *from = (cx<R> *)shared, *to = from + at_a_time * m, *roots = to + at_a_time * m;
  const long long first = (long long)blockIdx.x * at_a_time;
  const int count = lines - first < at_a_time ? (int)(lines - first) : at_a_time;
  // a table that all blocks read is in few banks: once each, then from shared memory
  for (int e = (int)threadIdx.x; e < m; e += threads)
    roots[e] = s.along.roots[e];
  for (int e = (int)threadIdx.x; e < count * m; e += threads) {
    const spot q = spot_of(e, count, m, s.from);
    from[q.line * m + q.p] = read_element(s, first + q.line, q.p);
  }
  __syncthreads();
  cx<R> *result = all_passes(s.along, roots, count, from, to);
  if (s.along.chirp) {
    for (int e = (int)threadIdx.x; e < count * m; e += threads)
      result[e] = conjugate(result[e] * s.along.filter[e % m]);
    __syncthreads();
    result = all_passes(s.along, roots, count, result, result == from ? to : from);
  }
  const int length = written(s);
  for (int e = (int)threadIdx.x; e < count * length; e += threads) {
    const spot q = spot_of(e, count, length, s.to);
    write_element(s, first + q.line, q.p, result[q.line * m + q.p]);
  }
}

// ---- long lines

#define EACH(e, count)                                                              \
  for (long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x; e < (count); \
       e += (long long)gridDim.x * blockDim.x)

template <class R>
__global__ void read_kernel(step<R> s, long long first, int count, cx<R> *to) {
  const int m = s.along.m;
  EACH(e, (long long)count * m) {
    const spot q = spot_of(e, count, m, s.from);
    to[(long long)q.line * m + q.p] = read_element(s, first + q.line, q.p);
  }
}

template <class R>
__global__ void pass_kernel(axis<R> a, int f, int done, int count, const cx<R> *from, cx<R> *to) {
  const int each = a.m / a.radix[f];
  EACH(e, (long long)each * count) {
    const long long at = e / each * a.m;
    butterfly_of(a.radix[f], from + at, to + at, a.roots, a.m, done, (int)(e % each));
  }
}

template <class R>
__global__ void filter_kernel(axis<R> a, int count, cx<R> *v) {
  EACH(e, (long long)count * a.m) v[e] = conjugate(v[e] * a.filter[e % a.m]);
}

template <class R>
__global__ void write_kernel(step<R> s, long long first, int count, const cx<R> *from) {
  const int length = written(s);
  EACH(e, (long long)count * length) {
    const spot q = spot_of(e, count, length, s.to);
    write_element(s, first + q.line, q.p, from[(long long)q.line * s.along.m + q.p]);
  }
}

static unsigned blocks_for(long long n) {
  const long long blocks = (n + THREADS - 1) / THREADS;
  return blocks > MOST_BLOCKS ? MOST_BLOCKS : (unsigned)blocks;
}

template <class R>
static cx<R> *launch_passes(const axis<R> &a, int count, cx<R> *from, cx<R> *to,
                            cudaStream_t stream) {
  for (int f = 0, done = 1; f < a.factors; done *= a.radix[f++]) {
    const long long n = (long long)count * (a.m / a.radix[f]);
    pass_kernel<R><<<blocks_for(n), THREADS, 0, stream>>>(a, f, done, count, from, to);
    cx<R> *t = from;
    from = to;
    to = t;
  }
  return from;
}

static long long chunk_of(int m, long long lines) {
  const long long most = CHUNK / m > 1 ? CHUNK / m : 1;
  return lines < most ? lines : most;
}

template <class R>
static void run_long(const step<R> &s, long long lines, cx<R> *work, cudaStream_t stream) {
  const axis<R> &a = s.along;
  const long long most = chunk_of(a.m, lines);
  for (long long first = 0; first < lines; first += most) {
    const int count = (int)(lines - first < most ? lines - first : most);
    cx<R> *from = work, *to = work + most * a.m;
    const unsigned blocks = blocks_for((long long)count * a.m);
    read_kernel<R><<<blocks, THREADS, 0, stream>>>(s, first, count, from);
    cx<R> *result = launch_passes(a, count, from, to, stream);
    if (a.chirp) {
      filter_kernel<R><<<blocks, THREADS, 0, stream>>>(a, count, result);
      result = launch_passes(a, count, result, result == from ? to : from, stream);
    }
    write_kernel<R><<<blocks, THREADS, 0, stream>>>(s, first, count, (const cx<R> *)result);
  }
}

// ---- both

template <class R>
static bool is_short(const axis<R> &a) {
  return 3 * sizeof(cx<R>) * (size_t)a.m <= SHARED_BYTES;
}

template <class R>
long long nearbank_cufft_work(const axis<R> &a, long long lines) {
  return is_short(a) ? 0 : 2 * chunk_of(a.m, lines) * a.m;
}

// As many lines in a block as give each thread a butterfly, while each core has a block.
template <class R>
static int lines_of_block(const axis<R> &a, long long lines) {
  int cores = 1;
  cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, 0);
  const long long fit = (SHARED_BYTES / ((long long)sizeof(cx<R>) * a.m) - 1) / 2;
  long long n = 4 * THREADS / a.m;
  n = n < lines / cores ? n : lines / cores;
  n = n < fit ? n : fit;
  return n < 1 ? 1 : (int)n;
}

template <class R>
cufftResult nearbank_cufft_run(const step<R> &s, void *work, cudaStream_t stream) {
  const long long lines = (long long)s.batches * s.rows * s.columns;
  if (!is_short(s.along)) {
    run_long(s, lines, (cx<R> *)work, stream);
  } else {
    const int each = lines_of_block(s.along, lines);
    const size_t bytes = sizeof(cx<R>) * (size_t)((2 * each + 1) * s.along.m);
    const unsigned blocks = (unsigned)((lines + each - 1) / each);
    short_kernel<R><<<blocks, THREADS, bytes, stream>>>(s, each, lines);
  }
  return cudaGetLastError() == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

#define OF(R)                                                         \
  template long long nearbank_cufft_work(const axis<R> &, long long); \
  template cufftResult nearbank_cufft_run(const step<R> &, void *, cudaStream_t);
OF(float)
OF(double)

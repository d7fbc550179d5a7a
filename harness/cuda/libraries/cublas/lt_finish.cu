// SPDX-License-Identifier: Apache-2.0
// cuBLASLt: what follows a product: C, bias, activation, their gradients, and rounding to D's type.
#include "cuda_bf16.h"
#include "lt.h"

enum { LANES = 32, GROUPS = 8 };

template <class T>
__device__ T read(const place &p, long long i, long long j) {
  const long long n = i * p.row + j * p.column;
  switch (p.type) {
    case CUDA_R_16F:
      return (T)(float)((const __half *)p.at)[n];
    case CUDA_R_16BF:
      return (T)(float)((const __nv_bfloat16 *)p.at)[n];
    case CUDA_R_32F:
      return (T)((const float *)p.at)[n];
    default:
      return (T)((const double *)p.at)[n];
  }
}
template <class T>
__device__ void write(const place &p, long long i, long long j, T v) {
  const long long n = i * p.row + j * p.column;
  switch (p.type) {
    case CUDA_R_16F:
      ((__half *)p.at)[n] = __half((float)v);
      break;
    case CUDA_R_16BF:
      ((__nv_bfloat16 *)p.at)[n] = __nv_bfloat16((float)v);
      break;
    case CUDA_R_32F:
      ((float *)p.at)[n] = (float)v;
      break;
    default:
      ((double *)p.at)[n] = (double)v;
  }
}

// x / 2 (1 + tanh(s (x + c x^3))), s = sqrt(2 / pi)
template <class T>
__device__ T gelu(T x) {
  const T s = (T)0.79788456080286535588, c = (T)0.044715;
  return x / 2 * (1 + (T)tanh(s * (x + c * x * x * x)));
}
template <class T>
__device__ T gelu_slope(T x) {
  const T s = (T)0.79788456080286535588, c = (T)0.044715, t = (T)tanh(s * (x + c * x * x * x));
  return (1 + t) / 2 + x / 2 * (1 - t * t) * s * (1 + 3 * c * x * x);
}

template <class T>
__device__ T before_activation(const finish<T> &f, int i, int j) {
  const T beta = f.betas ? f.betas[i] : f.beta.get();
  T v = f.sum.at[i * f.sum.row + j * f.sum.column];
  if (f.alphas)
    v *= f.alphas[i];
  if (beta != 0)
    v = multiply_add(beta, read<T>(f.c, i, j), v);
  return f.epilogue & BIAS ? v + read<T>(f.bias, i, 0) : v;
}

// Bits of RELU: of 32 rows, which are a warp, a word.
template <class T>
__device__ void keep_bits(const finish<T> &f, int i, int j, bool positive) {
  const unsigned bits = __ballot_sync(~0u, positive);
  if (threadIdx.x == 0)
    ((unsigned *)f.aux.at)[(i + j * f.aux.column) / 32] = bits;
}
template <class T>
__device__ bool bit_of(const finish<T> &f, int i, int j) {
  const long long n = i + j * f.aux.column;
  return ((const unsigned *)f.aux.at)[n / 32] >> n % 32 & 1;
}

template <class T>
__device__ T activated(const finish<T> &f, int i, int j, T v) {
  if (f.epilogue & RELU)
    return v > 0 || v != v ? v : 0;
  if (f.epilogue & DRELU)
    return bit_of(f, i, j) ? v : 0;
  if (f.epilogue & DGELU)
    return v * gelu_slope(read<T>(f.aux, i, j));
  if (f.epilogue & GELU) {
    if (f.epilogue & AUX)
      write(f.aux, i, j, v);
    return gelu(v);
  }
  return v;
}

template <class T>
__global__ void finish_kernel(finish<T> f) {
  const int i = (int)(blockIdx.x * LANES + threadIdx.x);
  for (int j = (int)(blockIdx.y * GROUPS + threadIdx.y); j < f.n; j += (int)gridDim.y * GROUPS) {
    T v = i < f.m ? before_activation(f, i, j) : 0;
    if (f.epilogue & RELU && f.epilogue & AUX)
      keep_bits(f, i, j, v > 0);
    if (i >= f.m)
      continue;
    v = activated(f, i, j, v);
    write(f.d, i, j, v);
    if (f.epilogue & BGRAD)
      f.sum.at[i * f.sum.row + j * f.sum.column] = v;
  }
}

// A block for each row, in an order that depends on the number of columns alone.
template <class T>
__global__ void row_sums_kernel(matrix<const T> a, int columns, place to) {
  __shared__ T part[THREADS];
  T sum = 0;
  for (int j = (int)threadIdx.x; j < columns; j += THREADS)
    sum += a.at[blockIdx.x * a.row + j * a.column];
  part[threadIdx.x] = sum;
  for (int half = THREADS / 2; half; half /= 2) {
    __syncthreads();
    if ((int)threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    write(to, blockIdx.x, 0, part[0]);
}

template <class T>
cublasStatus_t nearbank_finish(cublasHandle_t h, const finish<T> &f) {
  const dim3 grid(((unsigned)f.m + LANES - 1) / LANES, blocks_for(f.n, GROUPS, 256));
  finish_kernel<<<grid, dim3(LANES, GROUPS), 0, h->stream>>>(f);
  return launched();
}

template <class T>
cublasStatus_t nearbank_row_sums(cublasHandle_t h, matrix<const T> a, int rows, int columns,
                                 place to) {
  row_sums_kernel<<<(unsigned)rows, THREADS, 0, h->stream>>>(a, columns, to);
  return launched();
}

template cublasStatus_t nearbank_finish(cublasHandle_t, const finish<float> &);
template cublasStatus_t nearbank_finish(cublasHandle_t, const finish<double> &);
template cublasStatus_t nearbank_row_sums(cublasHandle_t, matrix<const float>, int, int, place);
template cublasStatus_t nearbank_row_sums(cublasHandle_t, matrix<const double>, int, int, place);

// SPDX-License-Identifier: Apache-2.0
// Level 1, sums and extremes: a partial result a block, in an order that depends on the length
// alone, then one block for all of them.
#include "internal.h"

#define EACH(i, n)                                                              \
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < (n); \
       i += (long long)gridDim.x * blockDim.x)

// What is summed: of() of an element (or two), joined by join().
template <class T, bool CONJUGATE>
struct dot_rule {
  typedef T part;
  static __device__ part none() { return number<T>::of(0); }
  static __device__ part join(part a, part b) { return a + b; }
  const T *x, *y;
  int incx, incy;
  __device__ part next(part sum, long long i) const {
    return multiply_add(conjugate_if(x[i * incx], CONJUGATE), y[i * incy], sum);
  }
  static __device__ T result(part sum) { return sum; }
};

template <class T>
struct asum_rule {
  typedef real_of<T> part;
  static __device__ part none() { return 0; }
  static __device__ part join(part a, part b) { return a + b; }
  const T *x;
  int incx;
  __device__ part next(part sum, long long i) const { return sum + sum_of_parts(x[i * incx]); }
  static __device__ part result(part sum) { return sum; }
};

// The largest magnitude so far, and the sum of squares divided by its square: nothing overflows.
template <class R>
struct norm_part {
  R scale, sum;
};
template <class T>
struct nrm2_rule {
  typedef real_of<T> R;
  typedef norm_part<R> part;
  static __device__ part none() { return {0, 0}; }
  static __device__ part join(part a, part b) {
    if (a.scale < b.scale) {
      const part t = a;
      a = b;
      b = t;
    }
    const R q = a.scale > 0 ? b.scale / a.scale : 0;
    return {a.scale, a.sum + q * q * b.sum};
  }
  const T *x;
  int incx;
  static __device__ part with(part p, R v) {
    v = fabs(v);
    if (v <= p.scale) {
      const R q = p.scale > 0 ? v / p.scale : 0;
      return {p.scale, p.sum + q * q};
    }
    const R q = p.scale / v;
    return v == v ? part{v, 1 + p.sum * q * q} : part{p.scale, v};
  }
  static __device__ part with(part p, pair<R> v) { return with(with(p, v.x), v.y); }
  __device__ part next(part p, long long i) const { return with(p, x[i * incx]); }
  static __device__ R result(part p) { return p.sum != p.sum ? p.sum : p.scale * sqrt(p.sum); }
};

template <class R>
struct place_part {
  R value;
  int at;  // from 1; 0: none yet
};
template <class T, bool LARGEST>
struct place_rule {
  typedef place_part<real_of<T>> part;
  static __device__ part none() { return {0, 0}; }
  static __device__ part join(part a, part b) {
    if (!a.at || !b.at)
      return a.at ? a : b;
    const bool better = LARGEST ? b.value > a.value : b.value < a.value;
    return better || (b.value == a.value && b.at < a.at) ? b : a;
  }
  const T *x;
  int incx;
  __device__ part next(part p, long long i) const {
    return join(p, {sum_of_parts(x[i * incx]), (int)i + 1});
  }
  static __device__ int result(part p) { return p.at; }
};

template <class Rule>
__device__ typename Rule::part join_block(typename Rule::part p) {
  __shared__ typename Rule::part all[THREADS];
  all[threadIdx.x] = p;
  for (unsigned half = THREADS / 2; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      all[threadIdx.x] = Rule::join(all[threadIdx.x], all[threadIdx.x + half]);
  }
  return all[0];
}

template <class Rule>
__global__ void parts_kernel(int n, Rule rule, typename Rule::part *parts) {
  typename Rule::part p = Rule::none();
  EACH(i, n) p = rule.next(p, i);
  p = join_block<Rule>(p);
  if (threadIdx.x == 0)
    parts[blockIdx.x] = p;
}

template <class Rule, class To>
__global__ void join_kernel(int n, const typename Rule::part *parts, To *to) {
  typename Rule::part p = Rule::none();
  for (int i = (int)threadIdx.x; i < n; i += THREADS)
    p = Rule::join(p, parts[i]);
  p = join_block<Rule>(p);
  if (threadIdx.x == 0)
    *to = Rule::result(p);
}

template <class Rule, class To>
static cublasStatus_t reduce(cublasHandle_t h, int n, const Rule &rule, To *to) {
  typedef typename Rule::part part;
  const size_t parts_bytes = SUM_BLOCKS * sizeof(part);
  const bool device = h->pointers == CUBLAS_POINTER_MODE_DEVICE;
  part *parts = (part *)nearbank_cublas_work(h, parts_bytes + sizeof(To));
  if (!parts)
    return CUBLAS_STATUS_ALLOC_FAILED;
  To *result = device ? to : (To *)(parts + SUM_BLOCKS);
  const unsigned blocks = blocks_for(n, THREADS * 4, SUM_BLOCKS);
  parts_kernel<<<blocks, THREADS, 0, h->stream>>>(n, rule, parts);
  join_kernel<Rule><<<1, THREADS, 0, h->stream>>>((int)blocks, parts, result);
  if (!device && cudaMemcpy(to, result, sizeof *to, cudaMemcpyDeviceToHost) != cudaSuccess)
    return CUBLAS_STATUS_EXECUTION_FAILED;
  return launched();
}

template <bool CONJUGATE, class T>
static cublasStatus_t dot(cublasHandle_t h, int n, const T *x, int incx, const T *y, int incy,
                          T *result) {
  NEED_HANDLE(h);
  NEED(result && (n <= 0 || (x && y)));
  n = n < 0 ? 0 : n;
  const dot_rule<T, CONJUGATE> rule = {first_of(x, n, incx), first_of(y, n, incy), incx, incy};
  return reduce(h, n, rule, result);
}

template <class Rule, class T, class To>
static cublasStatus_t of_vector(cublasHandle_t h, int n, const T *x, int incx, To *result) {
  NEED_HANDLE(h);
  NEED(result && (n <= 0 || incx <= 0 || x));
  const Rule rule = {x, incx};
  return reduce(h, n < 0 || incx <= 0 ? 0 : n, rule, result);
}

extern "C" {
#define DOT(t, T, name, conjugated)                                                              \
  cublasStatus_t cublas##t##name##_v2(cublasHandle_t h, int n, const T *x, int incx, const T *y, \
                                      int incy, T *result) {                                     \
    return dot<conjugated>(h, n, in(x), incx, in(y), incy, in(result));                          \
  }
DOT(S, float, dot, false)
DOT(D, double, dot, false)
DOT(C, cuComplex, dotu, false)
DOT(Z, cuDoubleComplex, dotu, false)
DOT(C, cuComplex, dotc, true)
DOT(Z, cuDoubleComplex, dotc, true)

#define OF_VECTOR(t, i, T, R)                                                                     \
  cublasStatus_t cublas##t##nrm2_v2(cublasHandle_t h, int n, const T *x, int incx, R *result) {   \
    return of_vector<nrm2_rule<kind_of<T>>>(h, n, in(x), incx, result);                           \
  }                                                                                               \
  cublasStatus_t cublas##t##asum_v2(cublasHandle_t h, int n, const T *x, int incx, R *result) {   \
    return of_vector<asum_rule<kind_of<T>>>(h, n, in(x), incx, result);                           \
  }                                                                                               \
  cublasStatus_t cublas##i##amax_v2(cublasHandle_t h, int n, const T *x, int incx, int *result) { \
    return of_vector<place_rule<kind_of<T>, true>>(h, n, in(x), incx, result);                    \
  }                                                                                               \
  cublasStatus_t cublas##i##amin_v2(cublasHandle_t h, int n, const T *x, int incx, int *result) { \
    return of_vector<place_rule<kind_of<T>, false>>(h, n, in(x), incx, result);                   \
  }
OF_VECTOR(S, Is, float, float)
OF_VECTOR(D, Id, double, double)
OF_VECTOR(Sc, Ic, cuComplex, float)
OF_VECTOR(Dz, Iz, cuDoubleComplex, double)
}

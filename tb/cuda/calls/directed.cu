// SPDX-License-Identifier: Apache-2.0
// Recursion, virtual functions and pointers to functions, against the host's results, and where
// lanes meet again behind them.
#include <cstdio>
#include <cstdlib>
#include <new>

#define BOTH __host__ __device__

static int wrong;
static void check(bool good, const char *what, int thread) {
  if (!good && wrong++ < 10)
    printf("%s: thread %d\n", what, thread);
}

// ---- recursion

BOTH int fib(int n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

BOTH unsigned ackermann(unsigned m, unsigned n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

BOTH int odd(int n);
BOTH int even(int n) {
  return n == 0 ? 1 : 2 * odd(n - 1) + n % 3;
}
BOTH int odd(int n) {
  return n == 0 ? 0 : even(n - 1) + 1;
}

BOTH void quicksort(int *a, int low, int high) {
  if (low >= high)
    return;
  int pivot = a[high], i = low;
  for (int j = low; j < high; j++)
    if (a[j] < pivot) {
      int t = a[i];
      a[i++] = a[j];
      a[j] = t;
    }
  a[high] = a[i];
  a[i] = pivot;
  quicksort(a, low, i - 1);
  quicksort(a, i + 1, high);
}

// Variables of many kinds that live over calls, in an array of each activation too.
struct pair {
  double x;
  short y;
};
BOTH pair mixed(int depth, pair p, char c, bool b) {
  short own[5];
  for (int n = 0; n < 5; n++)
    own[n] = (short)(p.y + n * c);
  for (int n = 0; n < depth % 3 + 1 && depth > 0; n++) {
    float f = (float)p.x * 0.0625f;
    pair q = mixed(depth - 1, pair{p.x + n, own[n]}, (char)(c + 1), p.y & 1);
    double product = q.x * f;  // a statement of its own is not fused
    p.x += b ? product : q.x - f;
    p.y = (short)(p.y + q.y + own[(n + depth) % 5]);
  }
  return p;
}

enum { SORTED = 12 };

__global__ void recursion(int *out, int *arrays, double *x) {
  const int t = threadIdx.x;
  int r = fib(t % 9);
  for (int n = 0; n < t % 4; n++)  // as often as a lane likes
    r = 3 * r + even(t % 7 + n);
  if (t % 5 == 0)
    r += (int)ackermann(2, t % 4);
  else if (t % 5 == 1)
    r += odd(t % 11);
  pair p = mixed(t % 5, pair{t * 0.25, (short)t}, (char)t, t & 2);
  out[t] = r + p.y;
  x[t] = p.x;
  quicksort(arrays + t * SORTED, 0, SORTED - 1);
}

static int recursion_on_host(int t, double *x) {
  int r = fib(t % 9);
  for (int n = 0; n < t % 4; n++)
    r = 3 * r + even(t % 7 + n);
  r += t % 5 == 0 ? (int)ackermann(2, t % 4) : t % 5 == 1 ? odd(t % 11) : 0;
  pair p = mixed(t % 5, pair{t * 0.25, (short)t}, (char)t, t & 2);
  *x = p.x;
  return r + p.y;
}

// ---- pointers

typedef int (*binary)(int, int);
BOTH int add(int a, int b) {
  return a + b;
}
BOTH int multiply(int a, int b) {
  return a * b;
}
BOTH int difference(int a, int b) {
  return a - b;
}
BOTH int power(int a, int b) {
  return b <= 0 ? 1 : a * power(a, b - 1);
}
__device__ binary table[] = {add, multiply, difference, power};
__constant__ binary constants[] = {power, difference};
__device__ binary one = difference;
__device__ binary set_later;
static const binary host_table[] = {add, multiply, difference, power};

typedef double (*wide)(double);
__device__ double half_of(double x) {
  return x / 2;
}
__device__ wide of_wide = half_of;

__global__ void set(int which) {
  set_later = which ? &multiply : &add;
}

__global__ void pointers(int *out, binary given, int n) {
  const int t = threadIdx.x;
  int r = table[t & 3](t % 7, 3);
  r = 3 * r + constants[n & 1](r, 2);
  r = 3 * r + given(r, t);
  r = 3 * r + set_later(t, 5);
  if (t & 8)
    r += (int)of_wide(t);
  binary chosen = t % 3 ? add : multiply;
  out[t] = r + chosen(t, t) + (chosen == add) + (given == difference) * 2;
}

static int pointers_on_host(int t, int n) {
  int r = host_table[t & 3](t % 7, 3);
  r = 3 * r + host_table[n & 1 ? 2 : 3](r, 2);
  r = 3 * r + difference(r, t);
  r = 3 * r + multiply(t, 5);
  if (t & 8)
    r += t / 2;
  return r + (t % 3 ? add : multiply)(t, t) + (t % 3 != 0) + 2;
}

// ---- virtual functions

struct shape {
  BOTH virtual float area() const = 0;
  BOTH virtual int count() const { return 1; }
  BOTH virtual ~shape() {}
};
struct square : shape {
  float side;
  BOTH explicit square(float x) : side(x) {}
  BOTH float area() const override { return side * side; }
};
struct ring : shape {
  float outer, inner;
  BOTH ring(float a, float b) : outer(a), inner(b) {}
  BOTH float area() const override { return 3.0f * (outer * outer - inner * inner); }
};
struct group : shape {  // its functions call those of others, and of groups
  shape *of[2];
  BOTH group(shape *a, shape *b) : of{a, b} {}
  BOTH float area() const override { return of[0]->area() + of[1]->area(); }
  BOTH int count() const override { return of[0]->count() + of[1]->count(); }
  BOTH ~group() override {
    delete of[0];
    delete of[1];
  }
};

BOTH shape *make(int depth, int t) {
  if (depth == 0 || t % 5 == 0)
    return t & 1 ? (shape *)new square((float)t) : (shape *)new ring((float)t, 2);
  return new group(make(depth - 1, t / 2), make(depth - 1, t + 3));
}

__global__ void virtuals(float *areas, int *counts) {
  const int t = threadIdx.x;
  shape *s = make(t % 4, t);
  areas[t] = s->area();
  counts[t] = s->count();
  delete s;
  ring here((float)t, 1);  // in local memory
  const shape *p = &here;
  areas[t] += p->area();
}

// ---- where lanes meet

__global__ void meet(unsigned *out, int *sums) {
  __shared__ int all[64];
  const int t = threadIdx.x;
  int r = 0;
  if (t & 1)
    r = fib(t % 8);
  out[t] = __activemask();
  r += __shfl_xor_sync(0xffffffff, r, 1);
  if (t & 2)
    r += even(t % 6);
  else
    r -= fib(t % 5);
  all[t] = r;
  __syncthreads();
  r = all[t ^ 33];
  for (int n = 0; n < t % 3; n++)
    r += table[(t + n) & 3](t & 3, n);
  out[64 + t] = __activemask();
  __syncwarp();
  r += __shfl_down_sync(0xffffffff, r, 4);
  sums[t] = r;
}

static void meet_on_host(int *sums) {
  int r[64], all[64];
  for (int t = 0; t < 64; t++)
    all[t] = t & 1 ? fib(t % 8) : 0;
  for (int t = 0; t < 64; t++)
    r[t] = all[t] + all[t ^ 1];
  for (int t = 0; t < 64; t++)
    all[t] = t & 2 ? r[t] + even(t % 6) : r[t] - fib(t % 5);
  for (int t = 0; t < 64; t++) {
    r[t] = all[t ^ 33];
    for (int n = 0; n < t % 3; n++)
      r[t] += host_table[(t + n) & 3](t & 3, n);
  }
  for (int t = 0; t < 64; t++)
    sums[t] = r[t] + (t % 32 < 28 ? r[t + 4] : r[t]);
}

// ----

template <typename T>
static T *device(size_t count) {
  T *p = nullptr;
  cudaMalloc((void **)&p, count * sizeof(T));
  return p;
}

int main() {
  enum { N = 64 };
  int *out = device<int>(N), got[N], sorted[N * SORTED], want[N * SORTED];
  int *arrays = device<int>(N * SORTED);
  double *x = device<double>(N), real[N];
  float *areas = device<float>(N), area[N];
  unsigned *masks = device<unsigned>(2 * N), mask[2 * N];
  check(cudaDeviceSetLimit(cudaLimitStackSize, 4096) == cudaSuccess, "the limit", -1);

  for (int n = 0; n < N * SORTED; n++)
    want[n] = rand() % 100;
  cudaMemcpy(arrays, want, sizeof want, cudaMemcpyHostToDevice);
  recursion<<<1, N>>>(out, arrays, x);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  cudaMemcpy(real, x, sizeof real, cudaMemcpyDeviceToHost);
  cudaMemcpy(sorted, arrays, sizeof sorted, cudaMemcpyDeviceToHost);
  for (int t = 0; t < N; t++) {
    double y;
    check(got[t] == recursion_on_host(t, &y), "recursion", t);
    check(real[t] == y, "recursion with doubles", t);
    quicksort(want + t * SORTED, 0, SORTED - 1);
    for (int n = 0; n < SORTED; n++)
      check(sorted[t * SORTED + n] == want[t * SORTED + n], "quicksort", t);
  }

  binary given;
  cudaMemcpyFromSymbol(&given, one, sizeof given);
  set<<<1, 1>>>(1);
  pointers<<<1, N>>>(out, given, 1);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  for (int t = 0; t < N; t++)
    check(got[t] == pointers_on_host(t, 1), "pointers", t);

  virtuals<<<1, N>>>(areas, out);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  cudaMemcpy(area, areas, sizeof area, cudaMemcpyDeviceToHost);
  for (int t = 0; t < N; t++) {
    shape *s = make(t % 4, t);
    check(got[t] == s->count(), "virtual functions", t);
    check(area[t] == s->area() + ring((float)t, 1).area(), "virtual functions with floats", t);
    delete s;
  }

  meet<<<1, N>>>(masks, out);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  cudaMemcpy(mask, masks, sizeof mask, cudaMemcpyDeviceToHost);
  int sums[N];
  meet_on_host(sums);
  for (int t = 0; t < N; t++) {
    check(got[t] == sums[t], "behind the calls", t);
    check(mask[t] == 0xffffffff && mask[N + t] == 0xffffffff, "the lanes do not meet", t);
  }
  check(cudaDeviceSynchronize() == cudaSuccess, "a launch", -1);
  return wrong != 0;
}

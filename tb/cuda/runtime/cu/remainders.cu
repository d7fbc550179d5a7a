// SPDX-License-Identifier: Apache-2.0
// Functions of two numbers that are exact, on numbers of any size, also subnormal: as on the host.
#include <cmath>
#include <cstdio>
#include <cstring>

template <class T>
struct results {
  T mod, rest, quotient_rest, scaled, scaled_long;
  int quotient, power;
};

template <class T>
__host__ __device__ results<T> all(T a, T b, int n) {
  results<T> r = {};
  r.mod = fmod(a, b);
  r.rest = remainder(a, b);
  r.quotient_rest = remquo(a, b, &r.quotient);
  r.quotient &= 7;
  r.scaled = ldexp(a, n);
  r.scaled_long = scalbln(a, (long)-n);
  r.power = ilogb(a);
  return r;
}

template <class T>
__global__ void device(const T *a, const T *b, results<T> *r, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    r[i] = all(a[i], b[i], i * 37 % 2400 - 1200);
}

static unsigned long long random_bits() {
  static unsigned long long x = 88172645463325252ull;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return x;
}

// Anything; close to each other; subnormal; zeros, infinities, NaNs.
template <class T, class U>
static void draw(T *a, T *b, int n, U exponent) {
  U x = (U)random_bits(), y = (U)random_bits();
  const U sign = ~(~(U)0 >> 1), unit = exponent & (0 - exponent);
  if (n % 3 == 0)
    y &= sign | 255;
  if (n % 3 == 1)
    x = (x & ~exponent) | ((y & exponent) + 5 * unit);
  if (n % 7 == 0)
    x &= ~exponent;
  const U special[] = {0, sign, exponent, sign | exponent, exponent | unit / 2};
  if (n % 41 == 0)
    x = special[n / 41 % 5];
  if (n % 43 == 0)
    y = special[n / 43 % 5];
  memcpy(a, &x, sizeof x);
  memcpy(b, &y, sizeof y);
}

// NaNs are alike, and zeros where C libraries differ about the sign.
template <class T>
static bool same(T a, T b) {
  return (a != a && b != b) || a == b;
}
template <class T>
static bool same_all(const results<T> &d, const results<T> &h) {
  return same(d.mod, h.mod) &&
         (d.mod != d.mod || std::signbit(d.mod) == std::signbit(h.mod)) && same(d.rest, h.rest) && same(d.quotient_rest, h.quotient_rest) &&
         (h.rest != h.rest || d.quotient == h.quotient) && same(d.scaled, h.scaled) &&
         same(d.scaled_long, h.scaled_long) && d.power == h.power;
}

template <class T, class U>
static int check(const char *name, U exponent) {
  const int n = 3000;
  static T a[n], b[n];
  static results<T> r[n];
  T *da, *db;
  results<T> *dr;
  int wrong = 0;
  for (int i = 0; i < n; i++)
    draw(&a[i], &b[i], i, exponent);
  cudaMalloc(&da, sizeof a);
  cudaMalloc(&db, sizeof b);
  cudaMalloc(&dr, sizeof r);
  cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
  device<T><<<(n + 127) / 128, 128>>>(da, db, dr, n);
  if (cudaMemcpy(r, dr, sizeof r, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
  for (int i = 0; i < n; i++) {
    const results<T> h = all(a[i], b[i], i * 37 % 2400 - 1200);
    if (!same_all(r[i], h) && wrong++ < 5)
      printf("%s %d: of %a and %a mod %a rest %a %a %d scaled %a %a power %d\n"
             "  on the host mod %a rest %a %a %d scaled %a %a power %d\n",
             name, i, a[i], b[i], r[i].mod, r[i].rest, r[i].quotient_rest, r[i].quotient,
             r[i].scaled, r[i].scaled_long, r[i].power, h.mod, h.rest, h.quotient_rest, h.quotient,
             h.scaled, h.scaled_long, h.power);
  }
  return wrong;
}

int main() {
  const int wrong = check<float, unsigned>("float", 0x7f800000u) +
                    check<double, unsigned long long>("double", 0x7ff0000000000000ull);
  printf("%s: %d differ\n", wrong ? "FAIL" : "PASS", wrong);
  return wrong != 0;
}

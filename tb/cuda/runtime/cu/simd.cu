// SPDX-License-Identifier: Apache-2.0
// The SIMD functions of words, against a reference on the host that computes each number in 64 bits.
#include "check.h"

// X(name, signed, value): a and b are numbers, `most` and `least` those of the type.
#define CLAMP(v) ((v) > most ? most : (v) < least ? least : (v))
#define FLOOR_HALF(v) ((v) >= 0 ? (v) / 2 : -((1 - (v)) / 2))
#define FUNCTIONS(X)                                                   \
  X(__vadd, 0, a + b)                                                  \
  X(__vsub, 0, a - b)                                                  \
  X(__vaddss, 1, CLAMP(a + b))                                         \
  X(__vaddus, 0, CLAMP(a + b))                                         \
  X(__vsubss, 1, CLAMP(a - b))                                         \
  X(__vsubus, 0, CLAMP(a - b))                                         \
  X(__vavgs, 1, a + b >= 0 ? (a + b + 1) / 2 : FLOOR_HALF(a + b))      \
  X(__vavgu, 0, (a + b + 1) / 2)                                       \
  X(__vhaddu, 0, (a + b) / 2)                                          \
  X(__vmaxs, 1, a > b ? a : b)                                         \
  X(__vmaxu, 0, a > b ? a : b)                                         \
  X(__vmins, 1, a < b ? a : b)                                         \
  X(__vminu, 0, a < b ? a : b)                                         \
  X(__vabsdiffs, 1, a > b ? a - b : b - a)                             \
  X(__vabsdiffu, 0, a > b ? a - b : b - a)                             \
  X(__vcmpeq, 0, a == b ? -1 : 0)                                      \
  X(__vcmpgts, 1, a > b ? -1 : 0)                                      \
  X(__vcmpleu, 0, a <= b ? -1 : 0)                                     \
  X(__vcmpges, 1, a >= b ? -1 : 0)                                     \
  X(__vsetne, 0, a != b)                                               \
  X(__vsetlts, 1, a < b)                                               \
  X(__vsetgtu, 0, a > b)
#define SUMS(X) X(__vsads, 1) X(__vsadu, 0)
#define ONES(X)                     \
  X(__vneg, -a)                     \
  X(__vnegss, CLAMP(-a))            \
  X(__vabs, a < 0 ? -a : a)         \
  X(__vabsss, CLAMP(a < 0 ? -a : a))

enum { PAIRS = 64, MOST = 64 };

static __host__ __device__ unsigned word(int n) {
  static const unsigned special[] = {0, 0x80008000, 0x7fff7fff, 0xffffffff, 0x80808080, 0x7f7f7f7f, 0x0180ff7f, 0x00010001};
  return n < 8 ? special[n] : (unsigned)n * 2654435761u ^ (unsigned)n << 13;
}

__global__ void compute(unsigned *out) {
  const int t = threadIdx.x;
  const unsigned x = word(t), y = word((t * 7 + 3) % PAIRS);
  unsigned *o = out + t * MOST, n = 0;
#define TWO(name, is_signed, value) o[n++] = name##2(x, y), o[n++] = name##4(x, y);
  FUNCTIONS(TWO)
#define SUM(name, is_signed) o[n++] = name##2(x, y), o[n++] = name##4(x, y);
  SUMS(SUM)
#define ONE(name, value) o[n++] = name##2(x), o[n++] = name##4(x);
  ONES(ONE)
}

static long long part(unsigned x, int bits, int n, bool is_signed) {
  const long long v = x >> bits * n & ((1u << bits) - 1);
  return is_signed && v >> (bits - 1) ? v - (1ll << bits) : v;
}

int main() {
  static unsigned got[PAIRS * MOST];
  unsigned *device;
  OK(cudaMalloc(&device, sizeof got));
  compute<<<1, PAIRS>>>(device);
  OK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
  for (int t = 0; t < PAIRS; t++) {
    const unsigned x = word(t), y = word((t * 7 + 3) % PAIRS), *o = got + t * MOST;
    unsigned n = 0;
#define WANT(is_signed, value, joined)                                                             \
  for (int bits = 16; bits >= 8; bits /= 2, n++) {                                                 \
    const long long most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;                    \
    const long long least = is_signed ? -most - 1 : 0;                                             \
    unsigned want = 0;                                                                             \
    for (int k = 0; k < 32 / bits; k++) {                                                          \
      const long long a = part(x, bits, k, is_signed), b = part(y, bits, k, is_signed);            \
      want = joined ? want + (unsigned)(value) : want | ((unsigned)(value) & ((1u << bits) - 1)) << bits * k; \
      (void)a, (void)b, (void)most, (void)least;                                                   \
    }                                                                                              \
    if (o[n] != want)                                                                              \
      printf("function %u of 0x%08x and 0x%08x: 0x%08x, not 0x%08x\n", n, x, y, o[n], want);       \
    CHECK(o[n] == want);                                                                           \
  }
#define WANT_TWO(name, is_signed, value) WANT(is_signed, value, false)
    FUNCTIONS(WANT_TWO)
#define WANT_SUM(name, is_signed) WANT(is_signed, a > b ? a - b : b - a, true)
    SUMS(WANT_SUM)
#define WANT_ONE(name, value) WANT(1, value, false)
    ONES(WANT_ONE)
  }
  END;
}

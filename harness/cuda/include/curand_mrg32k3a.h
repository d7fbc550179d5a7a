// SPDX-License-Identifier: Apache-2.0
// MRG32k3a (L'Ecuyer: Good parameters and implementations for combined multiple recursive random
// number generators; 1999), with the streams (2^127 numbers apart) and substreams (2^76) of his
// package RngStreams. Seed 0 is its default seed, six times 12345. Included by curand_kernel.h.
#ifndef NEARBANK_CURAND_MRG32K3A_H
#define NEARBANK_CURAND_MRG32K3A_H

struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3], flags;
  float extra;
  double extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

// Moduli 2^32 - MPU_MRG_1 and 2^32 - MPU_MRG_2.
#define MPU_MRG_1 209u
#define MPU_MRG_2 22853u
#define MPU_MRG_NORM 2.328306549295727688e-10  // 1 / (first modulus + 1)

constexpr MPU_RANDOM unsigned int mpu_mrg_mod(unsigned long long v, unsigned int below) {
  v = (v >> 32) * below + (v & 0xffffffffu);
  v = (v >> 32) * below + (v & 0xffffffffu);
  v = (v >> 32) * below + (v & 0xffffffffu);
  const unsigned long long m = 0x100000000ull - below;
  return (unsigned int)(v >= m ? v - m : v);
}

// From 1 to the first modulus: the numerators of the published numbers.
MPU_RANDOM unsigned int curand(curandStateMRG32k3a *s) {
  const unsigned int m1 = 0u - MPU_MRG_1, m2 = 0u - MPU_MRG_2;
  const unsigned int p1 =
      mpu_mrg_mod(1403580ull * s->s1[1] + 810728ull * (m1 - s->s1[0]), MPU_MRG_1);
  const unsigned int p2 =
      mpu_mrg_mod(527612ull * s->s2[2] + 1370589ull * (m2 - s->s2[0]), MPU_MRG_2);
  s->s1[0] = s->s1[1];
  s->s1[1] = s->s1[2];
  s->s1[2] = p1;
  s->s2[0] = s->s2[1];
  s->s2[1] = s->s2[2];
  s->s2[2] = p2;
  return p1 > p2 ? p1 - p2 : p1 + (m1 - p2);
}

// ---- skipping: powers 2^k of both steps

struct mpu_mrg_matrix {
  unsigned int at[9];
};
struct mpu_mrg_powers {
  mpu_mrg_matrix first[64], second[64];
};

constexpr mpu_mrg_matrix mpu_mrg_squared(const mpu_mrg_matrix &a, unsigned int below) {
  mpu_mrg_matrix b = {};
  for (int i = 0; i < 9; i++) {
    unsigned long long sum = 0;
    for (int k = 0; k < 3; k++)
      sum += mpu_mrg_mod((unsigned long long)a.at[i / 3 * 3 + k] * a.at[k * 3 + i % 3], below);
    b.at[i] = mpu_mrg_mod(sum, below);
  }
  return b;
}
// From the power 2^first on.
constexpr mpu_mrg_powers mpu_mrg_table(int first) {
  mpu_mrg_powers powers = {};
  mpu_mrg_matrix a = {{0, 1, 0, 0, 0, 1, 0u - MPU_MRG_1 - 810728u, 1403580, 0}};
  mpu_mrg_matrix b = {{0, 1, 0, 0, 0, 1, 0u - MPU_MRG_2 - 1370589u, 0, 527612}};
  for (int k = 0; k < first + 64; k++) {
    if (k >= first) {
      powers.first[k - first] = a;
      powers.second[k - first] = b;
    }
    a = mpu_mrg_squared(a, MPU_MRG_1);
    b = mpu_mrg_squared(b, MPU_MRG_2);
  }
  return powers;
}

MPU_RANDOM_TABLE(mpu_mrg_powers, mpu_mrg_steps, mpu_mrg_table(0))
MPU_RANDOM_TABLE(mpu_mrg_powers, mpu_mrg_substreams, mpu_mrg_table(76))
MPU_RANDOM_TABLE(mpu_mrg_powers, mpu_mrg_streams, mpu_mrg_table(127))

MPU_RANDOM void mpu_mrg_apply(const mpu_mrg_matrix &a, unsigned int *s, unsigned int below) {
  unsigned int to[3];
  for (int i = 0; i < 3; i++) {
    unsigned long long sum = 0;
    for (int k = 0; k < 3; k++)
      sum += mpu_mrg_mod((unsigned long long)a.at[i * 3 + k] * s[k], below);
    to[i] = mpu_mrg_mod(sum, below);
  }
  for (int i = 0; i < 3; i++)
    s[i] = to[i];
}

MPU_RANDOM void mpu_mrg_skip(const mpu_mrg_powers &powers, unsigned long long n,
                             curandStateMRG32k3a *s) {
  for (int k = 0; n; k++, n >>= 1)
    if (n & 1) {
      mpu_mrg_apply(powers.first[k], s->s1, MPU_MRG_1);
      mpu_mrg_apply(powers.second[k], s->s2, MPU_MRG_2);
    }
  s->flags = 0;
}

MPU_RANDOM void skipahead(unsigned long long n, curandStateMRG32k3a *s) {
  mpu_mrg_skip(mpu_mrg_steps(), n, s);
}
MPU_RANDOM void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a *s) {
  mpu_mrg_skip(mpu_mrg_substreams(), n, s);
}
MPU_RANDOM void skipahead_sequence(unsigned long long n, curandStateMRG32k3a *s) {
  mpu_mrg_skip(mpu_mrg_streams(), n, s);
}

// Other seeds than 0 are hashed to the six numbers. Sequences are substreams.
MPU_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
                            unsigned long long offset, curandStateMRG32k3a *s) {
  unsigned long long row = seed;
  for (int k = 0; k < 3; k++) {
    s->s1[k] = seed ? mpu_mrg_mod(mpu_random_hash(&row), MPU_MRG_1) : 12345;
    s->s2[k] = seed ? mpu_mrg_mod(mpu_random_hash(&row), MPU_MRG_2) : 12345;
  }
  s->s1[0] += s->s1[0] == 0;  // never all 0
  s->s2[0] += s->s2[0] == 0;
  s->extra = 0;
  s->extra_double = 0;
  skipahead_subsequence(subsequence, s);
  skipahead(offset, s);
}
#endif

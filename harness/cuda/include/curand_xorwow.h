// SPDX-License-Identifier: Apache-2.0
// Marsaglia's xorwow: five words of a shift register, and a counter (period 2^192 - 2^32). Where a
// sequence begins is hashed of its seed and number, so that curand_init takes little. Included by
// curand_kernel.h.
#ifndef NEARBANK_CURAND_XORWOW_H
#define NEARBANK_CURAND_XORWOW_H

struct curandStateXORWOW {
  unsigned int v[5], d;
  unsigned int flags, turns;  // turns: how often 2^32 numbers were skipped
  float extra;                // second normal of a pair, while flags say so
  double extra_double;
  unsigned long long seed, sequence;
};
typedef struct curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;

enum { MPU_XORWOW_COUNT = 362437 };

// The next of a row of hashes.
MPU_RANDOM unsigned long long mpu_random_hash(unsigned long long *row) {
  unsigned long long z = *row += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

MPU_RANDOM unsigned int curand(curandStateXORWOW *s) {
  const unsigned int t = s->v[0] ^ (s->v[0] >> 2);
  s->v[0] = s->v[1];
  s->v[1] = s->v[2];
  s->v[2] = s->v[3];
  s->v[3] = s->v[4];
  s->v[4] = (s->v[4] ^ (s->v[4] << 4)) ^ (t ^ (t << 1));
  s->d += MPU_XORWOW_COUNT;
  return s->v[4] + s->d;
}

// ---- skipping: the register after n steps is x^n modulo its polynomial, of the register

struct mpu_xorwow_power {
  unsigned int word[5];
};
struct mpu_xorwow_powers {
  mpu_xorwow_power of[64];  // x^(2^k)
};

// Times x, modulo the polynomial (160 bits; its highest is left out).
constexpr mpu_xorwow_power mpu_xorwow_shifted(mpu_xorwow_power a) {
  const unsigned int polynomial[5] = {0x00060001, 0x08610030, 0x00062121, 0x0f3c0035, 0x00000f0e};
  const bool over = a.word[4] >> 31;
  for (int k = 4; k >= 0; k--)
    a.word[k] = (a.word[k] << 1 | (k ? a.word[k - 1] >> 31 : 0)) ^ (over ? polynomial[k] : 0);
  return a;
}
constexpr mpu_xorwow_power mpu_xorwow_squared(mpu_xorwow_power a) {
  mpu_xorwow_power product = {{0, 0, 0, 0, 0}}, factor = a;
  for (int bit = 0; bit < 160; bit++) {
    if (a.word[bit / 32] >> bit % 32 & 1)
      for (int k = 0; k < 5; k++)
        product.word[k] ^= factor.word[k];
    factor = mpu_xorwow_shifted(factor);
  }
  return product;
}
constexpr mpu_xorwow_powers mpu_xorwow_table() {
  mpu_xorwow_powers powers = {};
  powers.of[0].word[0] = 2;
  for (int k = 1; k < 64; k++)
    powers.of[k] = mpu_xorwow_squared(powers.of[k - 1]);
  return powers;
}

MPU_RANDOM_TABLE(mpu_xorwow_powers, mpu_xorwow_jumps, mpu_xorwow_table())

MPU_RANDOM void skipahead(unsigned long long n, curandStateXORWOW *s) {
  const unsigned int d = s->d + (unsigned int)n * MPU_XORWOW_COUNT;
  s->turns += (unsigned int)(n >> 32);
  for (int k = 0; n; k++, n >>= 1) {
    if (!(n & 1))
      continue;
    unsigned int sum[5] = {0, 0, 0, 0, 0};
    for (int bit = 0; bit < 160; bit++) {
      if (mpu_xorwow_jumps().of[k].word[bit / 32] >> bit % 32 & 1)
        for (int w = 0; w < 5; w++)
          sum[w] ^= s->v[w];
      curand(s);
    }
    for (int w = 0; w < 5; w++)
      s->v[w] = sum[w];
  }
  s->d = d;
  s->flags = 0;
}

MPU_RANDOM unsigned int mpu_xorwow_first_count(unsigned long long seed,
                                               unsigned long long sequence) {
  unsigned long long row = seed ^ 0x6a09e667f3bcc909ull;
  row = mpu_random_hash(&row) ^ sequence;
  return (unsigned int)mpu_random_hash(&row);
}

MPU_RANDOM void curand_init(unsigned long long seed, unsigned long long sequence,
                            unsigned long long offset, curandStateXORWOW *s) {
  unsigned long long row = seed;
  row = mpu_random_hash(&row) ^ sequence;
  for (int k = 0; k < 4; k += 2) {
    const unsigned long long h = mpu_random_hash(&row);
    s->v[k] = (unsigned int)h;
    s->v[k + 1] = (unsigned int)(h >> 32);
  }
  s->v[4] = (unsigned int)mpu_random_hash(&row) | 1;  // never all 0
  s->d = mpu_xorwow_first_count(seed, sequence);
  s->flags = s->turns = 0;
  s->extra = 0;
  s->extra_double = 0;
  s->seed = seed;
  s->sequence = sequence;
  skipahead(offset, s);
}

// The same place of a sequence that is n later. The counter says which place it is.
MPU_RANDOM void skipahead_sequence(unsigned long long n, curandStateXORWOW *s) {
  const unsigned int inverse = 0x385e5f0d;  // of MPU_XORWOW_COUNT, modulo 2^32
  const unsigned int done = (s->d - mpu_xorwow_first_count(s->seed, s->sequence)) * inverse;
  curand_init(s->seed, s->sequence + n, (unsigned long long)s->turns << 32 | done, s);
}
#endif

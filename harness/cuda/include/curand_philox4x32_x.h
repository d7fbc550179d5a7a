// SPDX-License-Identifier: Apache-2.0
// Philox 4x32 with ten rounds (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as
// 1, 2, 3; SC 2011). The key is the seed; the counter's upper half is the number of the sequence,
// its lower half counts groups of four. Included by curand_kernel.h.
#ifndef NEARBANK_CURAND_PHILOX_H
#define NEARBANK_CURAND_PHILOX_H

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int index, flags;
  float extra;
  double extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

MPU_RANDOM uint4 curand_Philox4x32_10(uint4 c, uint2 k) {
  for (int round = 0; round < 10; round++) {
    const unsigned long long a = 0xd2511f53ull * c.x, b = 0xcd9e8d57ull * c.z;
    c = make_uint4((unsigned int)(b >> 32) ^ c.y ^ k.x, (unsigned int)b,
                   (unsigned int)(a >> 32) ^ c.w ^ k.y, (unsigned int)a);
    k.x += 0x9e3779b9;
    k.y += 0xbb67ae85;
  }
  return c;
}

// `add` groups on, from the lower half or from the sequence.
MPU_RANDOM void mpu_philox_add(curandStatePhilox4_32_10 *s, unsigned long long low,
                               unsigned long long high) {
  const unsigned long long before = (unsigned long long)s->ctr.y << 32 | s->ctr.x;
  const unsigned long long after = before + low;
  const unsigned long long upper =
      ((unsigned long long)s->ctr.w << 32 | s->ctr.z) + high + (after < before);
  s->ctr = make_uint4((unsigned int)after, (unsigned int)(after >> 32), (unsigned int)upper,
                      (unsigned int)(upper >> 32));
}

MPU_RANDOM unsigned int curand(curandStatePhilox4_32_10 *s) {
  const unsigned int v = s->index == 0   ? s->output.x
                         : s->index == 1 ? s->output.y
                         : s->index == 2 ? s->output.z
                                         : s->output.w;
  if (++s->index == 4) {
    s->index = 0;
    mpu_philox_add(s, 1, 0);
    s->output = curand_Philox4x32_10(s->ctr, s->key);
  }
  return v;
}

MPU_RANDOM uint4 curand4(curandStatePhilox4_32_10 *s) {
  uint4 v;
  if (s->index == 0) {
    v = s->output;
    mpu_philox_add(s, 1, 0);
    s->output = curand_Philox4x32_10(s->ctr, s->key);
    return v;
  }
  v.x = curand(s);
  v.y = curand(s);
  v.z = curand(s);
  v.w = curand(s);
  return v;
}

MPU_RANDOM void skipahead(unsigned long long n, curandStatePhilox4_32_10 *s) {
  const unsigned long long low = s->index + (n & 3);
  s->index = (unsigned int)(low & 3);
  s->flags = 0;
  mpu_philox_add(s, (n >> 2) + (low >> 2), 0);
  s->output = curand_Philox4x32_10(s->ctr, s->key);
}

MPU_RANDOM void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *s) {
  mpu_philox_add(s, 0, n);
  s->flags = 0;
  s->output = curand_Philox4x32_10(s->ctr, s->key);
}

MPU_RANDOM void curand_init(unsigned long long seed, unsigned long long sequence,
                            unsigned long long offset, curandStatePhilox4_32_10 *s) {
  s->ctr = make_uint4(0, 0, (unsigned int)sequence, (unsigned int)(sequence >> 32));
  s->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
  s->index = 0;
  s->extra = 0;
  s->extra_double = 0;
  skipahead(offset, s);
}
#endif

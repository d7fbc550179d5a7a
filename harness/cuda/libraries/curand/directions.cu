// SPDX-License-Identifier: Apache-2.0
// Direction vectors of Sobol sequences: of the primitive polynomials over GF(2) in their order, the
// first numbers as Joe and Kuo chose them for ten dimensions, and hashed for the others. Each
// dimension by itself is equidistributed, whichever odd numbers they are.
#include <mutex>
#include <vector>

#include "generator.h"

static curandDirectionVectors32_t vectors[DIMENSIONS];
static curandDirectionVectors64_t long_vectors[DIMENSIONS];
static std::once_flag made;

// a x b modulo a polynomial of some degree, over GF(2).
static unsigned int multiply(unsigned int a, unsigned int b, unsigned int polynomial, int degree) {
  unsigned int product = 0;
  for (; b; b >>= 1) {
    product ^= b & 1 ? a : 0;
    a <<= 1;
    a ^= a >> degree & 1 ? polynomial : 0;
  }
  return product;
}

static unsigned int power_of_x(unsigned int exponent, unsigned int polynomial, int degree) {
  unsigned int result = 1, factor = degree == 1 ? 1 : 2;
  for (; exponent; exponent >>= 1) {
    result = exponent & 1 ? multiply(result, factor, polynomial, degree) : result;
    factor = multiply(factor, factor, polynomial, degree);
  }
  return result;
}

// x has the order 2^degree - 1.
static bool is_primitive(unsigned int polynomial, int degree) {
  const unsigned int order = (1u << degree) - 1;
  if (power_of_x(order, polynomial, degree) != 1)
    return false;
  for (unsigned int left = order, p = 2; left > 1; p++) {
    if (left % p)
      continue;
    if (power_of_x(order / p, polynomial, degree) == 1 && order > 1 && order / p)
      return order / p == order;
    while (left % p == 0)
      left /= p;
  }
  return true;
}

// The first number k of a dimension: odd, of k + 1 bits.
static unsigned int first_number(int dimension, int k) {
  static const unsigned int chosen[][5] = {
      {1},           {1, 3},           {1, 3, 1},       {1, 1, 1},        {1, 1, 3, 3},
      {1, 3, 5, 13}, {1, 1, 5, 5, 17}, {1, 1, 5, 5, 5}, {1, 1, 7, 11, 19}};
  if (dimension <= 9)
    return chosen[dimension - 1][k];
  unsigned long long row = (unsigned long long)dimension * 64 + (unsigned long long)k;
  return ((unsigned int)mpu_random_hash(&row) & ((2u << k) - 1)) | 1;
}

// Of the 64 bits that a vector has, vector k has zeros behind bit 63 - k: the upper halves of the
// first 32 are those of 32 bits.
static void make_dimension(int dimension, unsigned int polynomial, int degree) {
  unsigned long long *v = long_vectors[dimension];
  for (int k = 0; k < 64; k++) {
    if (k < degree) {
      v[k] = (unsigned long long)first_number(dimension, k) << (63 - k);
      continue;
    }
    v[k] = v[k - degree] ^ (v[k - degree] >> degree);
    for (int j = 1; j < degree; j++)
      v[k] ^= polynomial >> (degree - j) & 1 ? v[k - j] : 0;
  }
}

static void make_all(void) {
  int dimension = 1;
  for (int k = 0; k < 64; k++)
    long_vectors[0][k] = 1ull << (63 - k);
  for (int degree = 1; dimension < DIMENSIONS; degree++)
    for (unsigned int p = 1u << degree | 1; p < 2u << degree && dimension < DIMENSIONS; p += 2)
      if (is_primitive(p, degree))
        make_dimension(dimension++, p, degree);
  for (int d = 0; d < DIMENSIONS; d++)
    for (int k = 0; k < 32; k++)
      vectors[d][k] = (unsigned int)(long_vectors[d][k] >> 32);
}

const unsigned int *nearbank_curand_directions(unsigned int dimension) {
  std::call_once(made, make_all);
  return vectors[dimension];
}

template <class T>
static curandStatus_t get(T **to, T *all, bool known) {
  if (!to || !known)
    return CURAND_STATUS_OUT_OF_RANGE;
  nearbank_curand_directions(0);
  *to = all;
  return CURAND_STATUS_SUCCESS;
}

extern "C" curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *to[],
                                                      curandDirectionVectorSet_t set) {
  return get(to, vectors, set == CURAND_DIRECTION_VECTORS_32_JOEKUO6);
}
extern "C" curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *to[],
                                                      curandDirectionVectorSet_t set) {
  return get(to, long_vectors, set == CURAND_DIRECTION_VECTORS_64_JOEKUO6);
}

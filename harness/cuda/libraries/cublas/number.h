// SPDX-License-Identifier: Apache-2.0
// Numbers of the four kinds: float, double, and pairs of them with arithmetic.
#ifndef NEARBANK_CUBLAS_NUMBER_H
#define NEARBANK_CUBLAS_NUMBER_H

#include "cublas_api.h"

#define HD __host__ __device__ inline

template <class R>
struct alignas(2 * sizeof(R)) pair {
  R x, y;
};

template <class R>
HD pair<R> operator+(pair<R> a, pair<R> b) {
  return {a.x + b.x, a.y + b.y};
}
template <class R>
HD pair<R> operator-(pair<R> a, pair<R> b) {
  return {a.x - b.x, a.y - b.y};
}
template <class R>
HD pair<R> operator*(pair<R> a, pair<R> b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
// Scaled, so that squares do not overflow.
template <class R>
HD pair<R> operator/(pair<R> a, pair<R> b) {
  const R s = fabs(b.x) + fabs(b.y), x = b.x / s, y = b.y / s, d = x * x + y * y;
  const pair<R> q = a * pair<R>{x, -y};
  return {q.x / d / s, q.y / d / s};
}
template <class R>
HD bool operator==(pair<R> a, pair<R> b) {
  return a.x == b.x && a.y == b.y;
}

// number<T>: the real kind, and T of a number that may be real.
template <class T>
struct number {
  typedef T real;
  static constexpr bool is_complex = false;
  static HD T of(T v) { return v; }
};
template <class R>
struct number<pair<R>> {
  typedef R real;
  static constexpr bool is_complex = true;
  static HD pair<R> of(R v) { return {v, 0}; }
  static HD pair<R> of(pair<R> v) { return v; }
};
template <class T>
using real_of = typename number<T>::real;

// The kind of a type of programs.
template <class T>
struct kind {
  typedef T type;
};
template <>
struct kind<cuComplex> {
  typedef pair<float> type;
};
template <>
struct kind<cuDoubleComplex> {
  typedef pair<double> type;
};
template <class T>
using kind_of = typename kind<T>::type;
template <class T>
const kind_of<T> *in(const T *p) {
  return (const kind_of<T> *)p;
}
template <class T>
kind_of<T> *in(T *p) {
  return (kind_of<T> *)p;
}

HD float conjugate(float v) {
  return v;
}
HD double conjugate(double v) {
  return v;
}
template <class R>
HD pair<R> conjugate(pair<R> v) {
  return {v.x, -v.y};
}
template <class T>
HD T conjugate_if(T v, bool c) {
  return c ? conjugate(v) : v;
}
HD float without_imaginary(float v) {
  return v;
}
HD double without_imaginary(double v) {
  return v;
}
template <class R>
HD pair<R> without_imaginary(pair<R> v) {
  return {v.x, 0};
}
HD float sum_of_parts(float v) {
  return fabsf(v);
}
HD double sum_of_parts(double v) {
  return fabs(v);
}
template <class R>
HD R sum_of_parts(pair<R> v) {
  return sum_of_parts(v.x) + sum_of_parts(v.y);
}
HD float multiply_add(float a, float b, float c) {
  return fmaf(a, b, c);
}
HD double multiply_add(double a, double b, double c) {
  return fma(a, b, c);
}
template <class R>
HD pair<R> multiply_add(pair<R> a, pair<R> b, pair<R> c) {
  return {fma(a.x, b.x, fma(-a.y, b.y, c.x)), fma(a.x, b.y, fma(a.y, b.x, c.y))};
}

// For each of the four kinds: X(letter, type of programs).
#define KINDS(X) X(S, float) X(D, double) X(C, cuComplex) X(Z, cuDoubleComplex)
#endif

// SPDX-License-Identifier: Apache-2.0
// The vectors of that library that the suite uses.
#ifndef CATALOGUE_CUTIL_MATH_H
#define CATALOGUE_CUTIL_MATH_H
#include <cuda_runtime.h>
#include <math.h>
#define VECTOR static inline __host__ __device__ __attribute__((unused))

VECTOR float3 make_float3(float4 a) {
  return make_float3(a.x, a.y, a.z);
}
VECTOR float3 make_float3(float a) {
  return make_float3(a, a, a);
}
VECTOR float4 make_float4(float3 a, float w) {
  return make_float4(a.x, a.y, a.z, w);
}
VECTOR float3 operator-(float3 a) {
  return make_float3(-a.x, -a.y, -a.z);
}
VECTOR float3 operator+(float3 a, float3 b) {
  return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
VECTOR float3 operator-(float3 a, float3 b) {
  return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}
VECTOR float3 operator*(float3 a, float3 b) {
  return make_float3(a.x * b.x, a.y * b.y, a.z * b.z);
}
VECTOR float3 operator*(float3 a, float s) {
  return make_float3(a.x * s, a.y * s, a.z * s);
}
VECTOR float3 operator*(float s, float3 a) {
  return a * s;
}
VECTOR float3 operator/(float3 a, float s) {
  return a * (1.0f / s);
}
VECTOR void operator+=(float3 &a, float3 b) {
  a = a + b;
}
VECTOR void operator-=(float3 &a, float3 b) {
  a = a - b;
}
VECTOR void operator*=(float3 &a, float s) {
  a = a * s;
}
VECTOR float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
VECTOR float4 operator*(float4 a, float s) {
  return make_float4(a.x * s, a.y * s, a.z * s, a.w * s);
}
VECTOR float4 operator*(float s, float4 a) {
  return a * s;
}
VECTOR float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
VECTOR float4 operator-(float4 a, float4 b) {
  return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
}
VECTOR void operator+=(float4 &a, float4 b) {
  a = a + b;
}
VECTOR float dot(float4 a, float4 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
VECTOR float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
VECTOR float length(float3 a) {
  return sqrtf(dot(a, a));
}
VECTOR float3 normalize(float3 a) {
  return a * (1.0f / sqrtf(dot(a, a)));
}
VECTOR float clamp(float x, float low, float high) {
  return fmaxf(low, fminf(x, high));
}
VECTOR int clamp(int x, int low, int high) {
  return x < low ? low : x > high ? high : x;
}
#undef VECTOR
#endif

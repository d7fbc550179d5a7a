// SPDX-License-Identifier: Apache-2.0
// Marks and ranges for a profiler on the host. Nothing records them; ranges are counted.
#ifndef NEARBANK_NVTOOLSEXT_H
#define NEARBANK_NVTOOLSEXT_H
#include <stddef.h>
#include <stdint.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
enum { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 };
enum { NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE = 2 };
typedef struct nvtxEventAttributes_v2 {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  union {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  union {
    const char *ascii;
    const wchar_t *unicode;
  } message;
} nvtxEventAttributes_t;

// How many ranges of this file are open: what pushing and popping give back.
static int mpu_nvtx_depth;
static inline void nvtxMarkA(const char *text) {
  (void)text;
}
static inline void nvtxMarkEx(const nvtxEventAttributes_t *a) {
  (void)a;
}
static inline int nvtxRangePushA(const char *text) {
  (void)text;
  return mpu_nvtx_depth++;
}
static inline int nvtxRangePushEx(const nvtxEventAttributes_t *a) {
  (void)a;
  return mpu_nvtx_depth++;
}
static inline int nvtxRangePop(void) {
  return mpu_nvtx_depth ? --mpu_nvtx_depth : -2;
}
static inline nvtxRangeId_t nvtxRangeStartA(const char *text) {
  (void)text;
  return 0;
}
static inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *a) {
  (void)a;
  return 0;
}
static inline void nvtxRangeEnd(nvtxRangeId_t id) {
  (void)id;
}
static inline void nvtxNameOsThreadA(uint32_t thread, const char *name) {
  (void)thread, (void)name;
}
static inline void nvtxNameCategoryA(uint32_t category, const char *name) {
  (void)category, (void)name;
}
static inline nvtxDomainHandle_t nvtxDomainCreateA(const char *name) {
  (void)name;
  return 0;
}
static inline void nvtxDomainDestroy(nvtxDomainHandle_t domain) {
  (void)domain;
}
static inline int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a) {
  (void)domain;
  return nvtxRangePushEx(a);
}
static inline int nvtxDomainRangePop(nvtxDomainHandle_t domain) {
  (void)domain;
  return nvtxRangePop();
}
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#endif

// SPDX-License-Identifier: Apache-2.0
// The calls of CUDA that allocate device memory, with where they are, as mpu_places.h says.
#ifndef NEARBANK_CUDA_PLACES_H
#define NEARBANK_CUDA_PLACES_H
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"

static inline cudaError_t cudaMalloc(void **p, size_t bytes, MPU_AT) MPU_PREFERRED {
  mpu_place here("cudaMalloc", file, line, column);
  return static_cast<cudaError_t (*)(void **, size_t)>(cudaMalloc)(p, bytes);
}
template <class T>
static inline cudaError_t cudaMalloc(T **p, size_t bytes, MPU_AT) MPU_PREFERRED {
  return cudaMalloc((void **)p, bytes, file, line, column);
}

static inline cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t s,
                                          MPU_AT) MPU_PREFERRED {
  mpu_place here("cudaMallocAsync", file, line, column);
  return static_cast<cudaError_t (*)(void **, size_t, cudaStream_t)>(cudaMallocAsync)(p, bytes, s);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t s,
                                          MPU_AT) MPU_PREFERRED {
  return cudaMallocAsync((void **)p, bytes, s, file, line, column);
}

static inline cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned flags = 1,
                                            MPU_AT) MPU_PREFERRED {
  mpu_place here("cudaMallocManaged", file, line, column);
  return static_cast<cudaError_t (*)(void **, size_t, unsigned)>(cudaMallocManaged)(p, bytes,
                                                                                    flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned flags = 1,
                                            MPU_AT) MPU_PREFERRED {
  return cudaMallocManaged((void **)p, bytes, flags, file, line, column);
}

static inline cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags,
                                        MPU_AT) MPU_PREFERRED {
  mpu_place here("cudaHostAlloc", file, line, column);
  return static_cast<cudaError_t (*)(void **, size_t, unsigned)>(cudaHostAlloc)(p, bytes, flags);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned flags, MPU_AT) MPU_PREFERRED {
  return cudaHostAlloc((void **)p, bytes, flags, file, line, column);
}

static inline cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height,
                                          MPU_AT) MPU_PREFERRED {
  mpu_place here("cudaMallocPitch", file, line, column);
  return static_cast<cudaError_t (*)(void **, size_t *, size_t, size_t)>(cudaMallocPitch)(
      p, pitch, width, height);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height,
                                          MPU_AT) MPU_PREFERRED {
  return cudaMallocPitch((void **)p, pitch, width, height, file, line, column);
}

static inline cudaError_t cudaMalloc3D(cudaPitchedPtr *p, cudaExtent e, MPU_AT) MPU_PREFERRED {
  mpu_place here("cudaMalloc3D", file, line, column);
  return static_cast<cudaError_t (*)(cudaPitchedPtr *, cudaExtent)>(cudaMalloc3D)(p, e);
}

static inline cudaError_t cudaMalloc3DArray(cudaArray_t *a, const cudaChannelFormatDesc *d,
                                            cudaExtent e, unsigned flags = 0,
                                            MPU_AT) MPU_PREFERRED {
  mpu_place here("cudaMalloc3DArray", file, line, column);
  return static_cast<cudaError_t (*)(cudaArray_t *, const cudaChannelFormatDesc *, cudaExtent,
                                     unsigned)>(cudaMalloc3DArray)(a, d, e, flags);
}
static inline cudaError_t cudaMallocArray(cudaArray_t *a, const cudaChannelFormatDesc *d, size_t w,
                                          size_t h = 0, unsigned flags = 0, MPU_AT) MPU_PREFERRED {
  mpu_place here("cudaMallocArray", file, line, column);
  return static_cast<cudaError_t (*)(cudaArray_t *, const cudaChannelFormatDesc *, size_t, size_t,
                                     unsigned)>(cudaMallocArray)(a, d, w, h, flags);
}
static inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t *o, const cudaResourceDesc *r,
                                                  const cudaTextureDesc *d,
                                                  const cudaResourceViewDesc *v,
                                                  MPU_AT) MPU_PREFERRED {
  mpu_place here("cudaCreateTextureObject", file, line, column);
  return static_cast<cudaError_t (*)(cudaTextureObject_t *, const cudaResourceDesc *,
                                     const cudaTextureDesc *, const cudaResourceViewDesc *)>(
      cudaCreateTextureObject)(o, r, d, v);
}
static inline cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *o, const cudaResourceDesc *r,
                                                  MPU_AT) MPU_PREFERRED {
  mpu_place here("cudaCreateSurfaceObject", file, line, column);
  return static_cast<cudaError_t (*)(cudaSurfaceObject_t *, const cudaResourceDesc *)>(
      cudaCreateSurfaceObject)(o, r);
}
#pragma clang diagnostic pop
#endif

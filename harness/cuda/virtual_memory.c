// SPDX-License-Identifier: Apache-2.0
// Virtual memory of the driver API. The machine has no page tables: a range has memory from the
// start, and mapping only notes whose it is. So memory that was mapped cannot be mapped again,
// elsewhere or twice.
#include "include/cuda_virtual_memory.h"
#include <stdlib.h>
#include "driver_api.h"
#include "rt.h"

enum { GRANULE = 1 << 16 };

typedef struct memory {
  CUmemAllocationProp prop;
  size_t bytes;
  bool was_mapped, mapped, released;
  CUdeviceptr at;
  CUmemAccess_flags access;
  struct memory *next;
} memory;
typedef struct range {
  CUdeviceptr at;
  size_t bytes;
  struct range *next;
} range;

static memory *memories;
static range *ranges;

static memory *memory_of(CUmemGenericAllocationHandle handle) {
  memory *m = memories;
  while (m && ((uintptr_t)m != handle || m->released))
    m = m->next;
  return m;
}
static bool is_granular(size_t bytes) {
  return bytes && bytes % GRANULE == 0;
}
static bool inside(CUdeviceptr at, size_t bytes, CUdeviceptr from, size_t size) {
  return at >= from && bytes <= size && at - from <= size - bytes;
}
static bool meets(const memory *m, CUdeviceptr at, size_t bytes) {
  return m->mapped && m->at < at + bytes && at < m->at + m->bytes;
}
// Bytes of the range that are mapped, in whole allocations.
static size_t mapped_in(CUdeviceptr at, size_t bytes) {
  size_t all = 0;
  for (const memory *m = memories; m; m = m->next)
    all += m->mapped && inside(m->at, m->bytes, at, bytes) ? m->bytes : 0;
  return all;
}
static void forget(memory *gone) {
  memory **m = &memories;
  while (*m != gone)
    m = &(*m)->next;
  *m = gone->next;
  free(gone);
}

// What memory may be: of a device, not for other processes.
static CUresult check(const CUmemAllocationProp *p) {
  if (!p || p->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
      p->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_INVALID_VALUE;
  if (!rt_device_exists(p->location.id))
    return CUDA_ERROR_INVALID_DEVICE;
  return p->requestedHandleTypes ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *p,
                                       CUmemAllocationGranularity_flags which) {
  const CUresult e = check(p);
  if (e || !bytes || (unsigned)which > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
    return e ? e : CUDA_ERROR_INVALID_VALUE;
  *bytes = GRANULE;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *at, size_t bytes, size_t alignment, CUdeviceptr wish,
                             unsigned long long flags) {
  void *p = NULL;
  (void)wish;  // it is a hint
  if (!at || !is_granular(bytes) || flags || (alignment & (alignment - 1)))
    return CUDA_ERROR_INVALID_VALUE;
  range *r = malloc(sizeof *r);
  const CUresult e = r ? IN_CONTEXT(cudaMalloc(&p, bytes)) : CUDA_ERROR_OUT_OF_MEMORY;
  if (e || (alignment && (uintptr_t)p % alignment)) {
    free(r);
    cudaFree(p);
    return e ? e : CUDA_ERROR_NOT_SUPPORTED;
  }
  *at = (uintptr_t)p;
  *r = (range){*at, bytes, ranges};
  ranges = r;
  return CUDA_SUCCESS;
}
CUresult cuMemAddressFree(CUdeviceptr at, size_t bytes) {
  range **r = &ranges;
  while (*r && (*r)->at != at)
    r = &(*r)->next;
  if (!*r || (*r)->bytes != bytes || mapped_in(at, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  range *gone = *r;
  *r = gone->next;
  free(gone);
  return IN_CONTEXT(cudaFree((void *)(uintptr_t)at));
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *p, unsigned long long flags) {
  const CUresult e = check(p);
  if (e || !handle || !is_granular(bytes) || flags)
    return e ? e : CUDA_ERROR_INVALID_VALUE;
  memory *m = calloc(1, sizeof *m);
  if (!m)
    return CUDA_ERROR_OUT_OF_MEMORY;
  m->prop = *p;
  m->prop.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_NONE;
  m->bytes = bytes;
  m->next = memories;
  memories = m;
  *handle = (uintptr_t)m;
  return CUDA_SUCCESS;
}
// It lives on while it is mapped.
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  memory *m = memory_of(handle);
  if (!m)
    return CUDA_ERROR_INVALID_VALUE;
  m->released = true;
  if (!m->mapped)
    forget(m);
  return CUDA_SUCCESS;
}
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *p,
                                                CUmemGenericAllocationHandle handle) {
  const memory *m = memory_of(handle);
  if (!m || !p)
    return CUDA_ERROR_INVALID_VALUE;
  *p = m->prop;
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr at, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  memory *m = memory_of(handle);
  const range *r = ranges;
  while (r && !inside(at, bytes, r->at, r->bytes))
    r = r->next;
  if (!m || !r || !is_granular(bytes) || offset % GRANULE || flags ||
      !inside(offset, bytes, 0, m->bytes))
    return CUDA_ERROR_INVALID_VALUE;
  for (const memory *other = memories; other; other = other->next)
    if (meets(other, at, bytes))
      return CUDA_ERROR_INVALID_VALUE;
  if (m->was_mapped || bytes != m->bytes)  // its bytes are where it was
    return CUDA_ERROR_NOT_SUPPORTED;
  m->was_mapped = m->mapped = true;
  m->at = at;
  m->access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}
CUresult cuMemUnmap(CUdeviceptr at, size_t bytes) {
  if (!bytes || mapped_in(at, bytes) != bytes)
    return CUDA_ERROR_INVALID_VALUE;
  for (memory *m = memories, *next; m; m = next) {
    next = m->next;
    if (!m->mapped || !inside(m->at, m->bytes, at, bytes))
      continue;
    m->mapped = false;
    if (m->released)
      forget(m);
  }
  return CUDA_SUCCESS;
}

// Of the device's own memory to itself. Nothing keeps kernels from other accesses.
CUresult cuMemSetAccess(CUdeviceptr at, size_t bytes, const CUmemAccessDesc *list, size_t n) {
  if (!bytes || !list || !n || mapped_in(at, bytes) != bytes)
    return CUDA_ERROR_INVALID_VALUE;
  for (memory *m = memories; m; m = m->next) {
    if (!m->mapped || !inside(m->at, m->bytes, at, bytes))
      continue;
    for (size_t k = 0; k < n; k++) {
      if (list[k].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
          list[k].location.id != m->prop.location.id)
        return CUDA_ERROR_NOT_SUPPORTED;
      m->access = list[k].flags;
    }
  }
  return CUDA_SUCCESS;
}
CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr at) {
  if (!flags || !location)
    return CUDA_ERROR_INVALID_VALUE;
  for (const memory *m = memories; m; m = m->next)
    if (meets(m, at, 1)) {
      const bool own =
          location->type == CU_MEM_LOCATION_TYPE_DEVICE && location->id == m->prop.location.id;
      *flags = own ? m->access : CU_MEM_ACCESS_FLAGS_PROT_NONE;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemExportToShareableHandle(void *shared, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags) {
  (void)type, (void)flags;
  return shared && memory_of(handle) ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shared,
                                        CUmemAllocationHandleType type) {
  (void)shared, (void)type;
  return handle ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}

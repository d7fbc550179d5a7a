// SPDX-License-Identifier: Apache-2.0
// Memory that host and device share: managed, and mapped host memory. The host gets pages at the
// very address that the device uses; their bytes go over before a launch and come back after it.
// The host waits for a launch when there is mapped memory, which it may access meanwhile; managed
// memory it may not.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "arrays.h"
#include "named.h"
#include "rt.h"
#include "target.h"

#define PAGE 4096ull

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

// Host pages at exactly that address, or NULL.
static void *pages_at(uint64_t address, uint64_t bytes) {
  void *want = (void *)(uintptr_t)address;
  void *got = mmap(want, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED)
    return NULL;
  if (got != want) {  // an old kernel took the address as a hint
    munmap(got, bytes);
    return NULL;
  }
  return got;
}

cudaError_t rt_mirror_new(rt_context *c, size_t bytes, bool managed, void **p) {
  // low addresses may be forbidden or taken by the program: go further and further up
  static const uint64_t skips[] = {0, 1ull << 20, 1ull << 26, 1ull << 30, 1ull << 33};
  uint64_t size = (bytes + PAGE - 1) / PAGE * PAGE, base;
  rt_mirror *r = malloc(sizeof *r);
  if (!r || bytes > (1ull << 40)) {
    free(r);
    return cudaErrorMemoryAllocation;
  }
  for (size_t n = 0; n < sizeof skips / sizeof *skips; n++) {
    if (target_malloc(c, skips[n] + size + PAGE, &base)) {
      free(r);
      return n ? cudaErrorNotSupported : cudaErrorMemoryAllocation;
    }
    uint64_t at = (base + skips[n] + PAGE - 1) / PAGE * PAGE;
    void *host = pages_at(at, size);
    if (host) {
      *r = (rt_mirror){host, bytes, size, base, managed, c->mirrors};
      c->mirrors = r;
      arrays_allocated(c->arrays, at, bytes);
      named_allocated(c, at, bytes);
      *p = host;
      return cudaSuccess;
    }
    target_release(c, base);
  }
  free(r);
  return cudaErrorNotSupported;
}

rt_mirror *rt_mirror_find(const rt_context *c, const void *p) {
  for (rt_mirror *r = c->mirrors; r; r = r->next)
    if ((uintptr_t)p - (uintptr_t)r->host < r->bytes)
      return r;
  return NULL;
}

bool rt_mirror_free(rt_context *c, void *p) {
  for (rt_mirror **at = &c->mirrors; *at; at = &(*at)->next) {
    rt_mirror *r = *at;
    if (r->host != p)
      continue;
    rt_digest_add(c, (uint64_t)(uintptr_t)r->host, r->bytes);
    *at = r->next;
    arrays_released(c->arrays, (uint64_t)(uintptr_t)r->host);
    named_released(c, (uint64_t)(uintptr_t)r->host);
    munmap(r->host, r->pages);
    target_release(c, r->base);
    free(r);
    return true;
  }
  return false;
}

bool rt_has_mapped(const rt_context *c) {
  for (const rt_mirror *r = c->mirrors; r; r = r->next)
    if (!r->managed)
      return true;
  return false;
}

void rt_mirrors_out(rt_context *c) {
  for (rt_mirror *r = c->mirrors; r; r = r->next)
    target_write(c, (uint64_t)(uintptr_t)r->host, r->host, r->bytes);
}

void rt_mirrors_back(rt_context *c) {
  for (rt_mirror *r = c->mirrors; r; r = r->next)
    target_read(c, r->host, (uint64_t)(uintptr_t)r->host, r->bytes);
}

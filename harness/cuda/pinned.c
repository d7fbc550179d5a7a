// SPDX-License-Identifier: Apache-2.0
// Pinned host memory, which kernels access at its own address. Host and machine map the same pages,
// so nothing is copied, and memory that no kernel touches costs a launch nothing. It lies at the
// end of the addresses of device memory, so that it does not move what cudaMalloc gives. Where this
// cannot be, because the machine is in another process or the addresses are not free, it is memory
// of the host that is registered.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "arrays.h"
#include "named.h"
#include "rt.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
enum { PAGE = 4096, TRIES = 24, STEP = 1 << 20 };

// The pages at exactly that address of the host.
static bool map_here(int fd, uint64_t at, size_t pages) {
  void *want = (void *)(uintptr_t)at;
  void *got = mmap(want, pages, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
  if (got != MAP_FAILED && got != want)  // an old kernel took the address as a hint
    munmap(got, pages);
  return got == want;
}

// What the host has there already is passed over in growing steps.
static bool map_both(rt_context *c, int fd, size_t bytes, size_t pages, uint64_t *at) {
  uint64_t below = 0, step = STEP;
  for (unsigned n = 0; n < TRIES; n++, step *= 2) {
    if (machine_map(c->m, fd, bytes, below, at))
      return false;
    if (map_here(fd, *at, pages))
      return true;
    machine_unmap(c->m, *at);
    if (*at <= step)
      return false;
    below = *at - step;
  }
  return false;
}

static bool share(rt_context *c, size_t bytes, uint64_t *at) {
  const size_t pages = (bytes + PAGE - 1) / PAGE * PAGE;
  const int fd = memfd_create("pinned", MFD_CLOEXEC);
  rt_mirror *r = malloc(sizeof *r);
  const bool ok = r && fd >= 0 && !ftruncate(fd, (off_t)pages) && map_both(c, fd, bytes, pages, at);
  if (fd >= 0)
    close(fd);
  if (!ok) {
    free(r);
    return false;
  }
  *r = (rt_mirror){.host = (void *)(uintptr_t)*at,
                   .device = *at,
                   .bytes = bytes,
                   .pages = pages,
                   .shared = true,
                   .next = c->mirrors};
  c->mirrors = r;
  arrays_allocated(c->arrays, *at, bytes);
  named_allocated(c, *at, bytes);
  return true;
}

typedef struct plain {  // what is registered instead
  void *p;
  struct plain *next;
} plain;
static plain *plains;

static cudaError_t registered(rt_context *c, size_t bytes, void **p) {
  plain *k = malloc(sizeof *k);
  void *host = malloc(bytes);
  const cudaError_t e =
      k && host ? rt_mirror_register(c, host, bytes, false) : cudaErrorMemoryAllocation;
  if (e != cudaSuccess) {
    free(k);
    free(host);
    return e;
  }
  *k = (plain){host, plains};
  plains = k;
  *p = host;
  return cudaSuccess;
}

cudaError_t rt_pinned_new(rt_context *c, size_t bytes, void **p) {
  uint64_t at;
  if (bytes > 1ull << 40)
    return cudaErrorMemoryAllocation;
  if (!c->m || !share(c, bytes, &at))
    return registered(c, bytes, p);
  *p = (void *)(uintptr_t)at;
  return cudaSuccess;
}

static bool free_plain(rt_context *c, void *p) {
  for (plain **at = &plains; *at; at = &(*at)->next) {
    plain *k = *at;
    if (k->p != p)
      continue;
    *at = k->next;
    rt_mirror_unregister(c, p);
    free(k);
    free(p);
    return true;
  }
  return false;
}

bool rt_pinned_free(rt_context *c, void *p) {
  for (rt_mirror **at = &c->mirrors; *at; at = &(*at)->next) {
    rt_mirror *r = *at;
    if (r->host != p || !r->shared)
      continue;
    *at = r->next;
    arrays_released(c->arrays, r->device);
    named_released(c, r->device);
    machine_unmap(c->m, r->device);
    munmap(r->host, r->pages);
    free(r);
    return true;
  }
  return free_plain(c, p);
}

bool rt_pinned_argument(const rt_context *c, const uint8_t *params, uint32_t bytes) {
  for (uint32_t at = 0; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
    uint64_t address;
    memcpy(&address, params + at, sizeof address);
    const rt_mirror *r = rt_mirror_find(c, (const void *)(uintptr_t)address);
    if (r && r->shared)
      return true;
  }
  return false;
}

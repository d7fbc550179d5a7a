// SPDX-License-Identifier: Apache-2.0
// Memory that host and device share: managed, and mapped host memory. The host gets pages at the
// very address that the device uses; their bytes go over before a launch and come back after it.
// The host waits for a launch when there is mapped memory, which it may access meanwhile; managed
// memory it may not. Managed variables are copied in the same way, between two addresses.
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
      *r = (rt_mirror){host, at, bytes, size, base, managed, false, c->mirrors};
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
    if (r->host != p || r->variable)
      continue;
    rt_digest_add(c, r->device, r->bytes);
    *at = r->next;
    arrays_released(c->arrays, r->device);
    named_released(c, r->device);
    if (r->pages)
      munmap(r->host, r->pages);
    target_release(c, r->base);
    free(r);
    return true;
  }
  return false;
}

// ---- registered memory: that of the host stays where it is

typedef struct registration {
  void *p;
  size_t bytes;
  rt_context *of;
  bool mapped;
  struct registration *next;
} registration;
static registration *registrations;

static cudaError_t map_registered(rt_context *c, void *p, size_t bytes) {
  rt_mirror *r = malloc(sizeof *r);
  uint64_t at;
  if (!r || target_malloc(c, bytes, &at)) {
    free(r);
    return cudaErrorMemoryAllocation;
  }
  *r = (rt_mirror){.host = p, .device = at, .bytes = bytes, .base = at, .next = c->mirrors};
  c->mirrors = r;
  arrays_allocated(c->arrays, at, bytes);
  named_allocated(c, at, bytes);
  return cudaSuccess;
}

cudaError_t rt_mirror_register(rt_context *c, void *p, size_t bytes, bool mapped) {
  for (const registration *k = registrations; k; k = k->next)
    if ((uintptr_t)p < (uintptr_t)k->p + k->bytes && (uintptr_t)k->p < (uintptr_t)p + bytes)
      return cudaErrorHostMemoryAlreadyRegistered;
  registration *k = malloc(sizeof *k);
  const cudaError_t e = !k       ? cudaErrorMemoryAllocation
                        : mapped ? map_registered(c, p, bytes)
                                 : cudaSuccess;
  if (e != cudaSuccess) {
    free(k);
    return e;
  }
  *k = (registration){p, bytes, c, mapped, registrations};
  registrations = k;
  return cudaSuccess;
}

bool rt_mirror_unregister(rt_context *c, void *p) {
  for (registration **at = &registrations; *at; at = &(*at)->next) {
    registration *k = *at;
    if (k->p != p || k->of != c)
      continue;
    *at = k->next;
    if (k->mapped)
      rt_mirror_free(c, p);
    free(k);
    return true;
  }
  return false;
}

// ---- pinned memory: mapped, like registered memory, when a kernel is first given its address

typedef struct pinned {
  void *p;
  size_t bytes;
  struct pinned *next;
} pinned;
static pinned *pins;

void *rt_pinned_new(size_t bytes) {
  pinned *k = malloc(sizeof *k);
  void *p = k ? malloc(bytes ? bytes : 1) : NULL;
  if (!p) {
    free(k);
    return NULL;
  }
  *k = (pinned){p, bytes, pins};
  pins = k;
  return p;
}
bool rt_pinned_free(void *p) {
  for (pinned **at = &pins; *at; at = &(*at)->next) {
    pinned *k = *at;
    if (k->p != p)
      continue;
    *at = k->next;
    for (unsigned d = 0; d < rt_devices(); d++)
      rt_mirror_free(&process.contexts[d], p);
    free(k);
    free(p);
    return true;
  }
  return false;
}
bool rt_pinned_map(rt_context *c, const void *p) {
  for (const pinned *k = pins; k; k = k->next)
    if ((uintptr_t)p - (uintptr_t)k->p < k->bytes)
      return rt_mirror_find(c, p) || map_registered(c, k->p, k->bytes) == cudaSuccess;
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
    target_write(c, r->device, r->host, r->bytes);
}

void rt_mirrors_back(rt_context *c) {
  for (rt_mirror *r = c->mirrors; r; r = r->next)
    target_read(c, r->host, r->device, r->bytes);
}

// ---- managed variables: the host's shadow of a variable lies where the linker put it, the
// variable where the module has it. The copying is the same.

enum { MAX_RANGES = 256 };
static struct {
  uintptr_t begin, end;
} ranges[MAX_RANGES];  // of shadows, one for each file that was linked
static size_t range_count;

static bool is_managed(const void *shadow) {
  for (size_t n = 0; n < range_count; n++)
    if ((uintptr_t)shadow >= ranges[n].begin && (uintptr_t)shadow < ranges[n].end)
      return true;
  return false;
}

static void first_value(const rt_mirror *r, const rt_symbol *s) {
  const module *mod = s->program->mod;
  if (s->symbol->offset + r->bytes <= mod->data_bytes)
    memcpy(r->host, mod->data + s->symbol->offset, r->bytes);
  else
    memset(r->host, 0, r->bytes);
}

void rt_mirror_symbol(rt_context *c, const rt_symbol *s) {
  void *shadow = (void *)(uintptr_t)s->shadow;
  if (!is_managed(shadow) || !s->symbol || rt_mirror_find(c, shadow))
    return;
  rt_mirror *r = malloc(sizeof *r);
  if (rt_devices() > 1)
    fprintf(stderr, "mpu: managed variables such as %s need a single device\n", s->name);
  if (!r || rt_devices() > 1) {
    free(r);
    process.load_error = cudaErrorNotSupported;
    return;
  }
  *r = (rt_mirror){.host = shadow,
                   .device = target_symbol(c, s->program, s->symbol),
                   .bytes = s->symbol->bytes,
                   .managed = true,
                   .variable = true,
                   .next = c->mirrors};
  c->mirrors = r;
  first_value(r, s);
}

// Of managed_variables.h.
void mpu_managed_variables(void *begin, void *end);
void mpu_managed_variables(void *begin, void *end) {
  if (begin == end || is_managed(begin) || range_count == MAX_RANGES)
    return;
  ranges[range_count].begin = (uintptr_t)begin;
  ranges[range_count++].end = (uintptr_t)end;
  for (unsigned k = 0; k < rt_devices(); k++)
    for (const rt_symbol *s = process.contexts[k].symbols; s; s = s->next)
      rt_mirror_symbol(&process.contexts[k], s);
}

void rt_mirrors_free(rt_context *c) {
  for (registration *k = registrations, *more; k; k = more) {
    more = k->next;
    rt_mirror_unregister(c, k->p);
  }
  for (rt_mirror *r = c->mirrors, *next; r; r = next) {
    next = r->next;
    if (!r->variable)
      rt_mirror_free(c, r->host);
  }
  for (const rt_symbol *s = c->symbols; s; s = s->next) {
    const rt_mirror *r = rt_mirror_find(c, s->shadow);
    if (r)
      first_value(r, s);
  }
}

uint64_t rt_mirror_address(const rt_context *c, uint64_t address) {
  const rt_mirror *r = rt_mirror_find(c, (const void *)(uintptr_t)address);
  return r ? r->device + (address - (uint64_t)(uintptr_t)r->host) : address;
}

// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "machine_priv.h"
#include "csim/base/sum.h"

enum { ALIGN = 256, FIRST = 4096, SUBARRAYS = 32, SUBARRAY_STEP = 7, LARGE = 2 << 20, PAGE = 4096 };

machine_config machine_config_default(void) {
  return (machine_config){
      .memory_bytes = 32ull << 30, .cores = 128, .warps_per_core = 64, .shared_per_block = 65536};
}

machine_error machine_fail(machine *m, machine_error e, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(m->message, sizeof m->message, format, args);
  va_end(args);
  return e;
}

const char *machine_message(const machine *m) {
  return m->message;
}

enum { TRAIL_MALLOC, TRAIL_RELEASE, TRAIL_WRITE, TRAIL_COPY, TRAIL_FILL };

static void leave_trail(machine *m, uint64_t call, uint64_t at, uint64_t bytes, uint64_t what) {
  const uint64_t words[] = {call, at, bytes, what};
  if (m->config.trail)
    m->trail = sum_bytes(m->trail, words, sizeof words);
}

uint64_t machine_trail(const machine *m) {
  return m->trail;
}

// Takes the place of a released one: the number of a constant bank is that of its place.
static module no_module;

machine *machine_new(const machine_config *config) {
  machine *m = calloc(1, sizeof *m);
  if (!m)
    return NULL;
  m->config = *config;
  void *at = mmap(NULL, config->memory_bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    free(m);
    return NULL;
  }
  m->memory = at;
  if (config->count_bytes && !(m->sectors = sectors_new(config->memory_bytes))) {
    machine_free(m);
    return NULL;
  }
  m->owner = 1;
  m->lanes = lanes_host();
  return m;
}

void machine_free(machine *m) {
  if (!m)
    return;
  munmap(m->memory, m->config.memory_bytes);
  for (unsigned n = 0; n < m->module_count; n++)
    if (m->modules[n] != &no_module)
      module_free(m->modules[n]);
  free(m->allocations);
  sectors_free(m->sectors);
  free(m);
}

machine *machine_shadow(const machine *m) {
  machine_config config = m->config;
  config.trace = NULL;
  config.count_bytes = false;
  machine *s = machine_new(&config);
  if (!s)
    return NULL;
  s->allocations = malloc((m->count ? m->count : 1) * sizeof *s->allocations);
  if (!s->allocations) {
    machine_free(s);
    return NULL;
  }
  s->count = s->capacity = m->count;
  for (size_t n = 0; n < m->count; n++) {
    s->allocations[n] = m->allocations[n];
    memcpy(s->memory + m->allocations[n].base, m->memory + m->allocations[n].base,
           m->allocations[n].bytes);
  }
  memcpy(s->modules, m->modules, sizeof s->modules);
  memcpy(s->segments, m->segments, sizeof s->segments);
  memcpy(s->module_owners, m->module_owners, sizeof s->module_owners);
  s->owner = m->owner;
  s->named = m->named, s->named_ctx = m->named_ctx;
  s->module_count = m->module_count;
  s->launches = m->launches;
  return s;
}

void machine_shadow_free(machine *shadow) {
  if (shadow)
    shadow->module_count = 0;
  machine_free(shadow);
}

// Index of the first allocation that starts behind `address`.
static size_t upper(const machine *m, uint64_t address) {
  size_t lo = 0, hi = m->count;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (m->allocations[mid].base <= address)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

// Where the first allocation may lie. With page_reads a page that may be read is before it.
static uint64_t start(const machine *m) {
  return m->config.first + FIRST + (m->config.page_reads ? PAGE : 0);
}

static const allocation *find(const machine *m, uint64_t address) {
  size_t n = upper(m, address);
  if (n == 0 || address - m->allocations[n - 1].base >= m->allocations[n - 1].bytes)
    return NULL;
  return &m->allocations[n - 1];
}

bool machine_find(const machine *m, uint64_t address, uint64_t *base, uint64_t *bytes) {
  const allocation *a = find(m, address);
  if (!a)
    return false;
  *base = a->base;
  *bytes = a->bytes;
  return true;
}

void machine_set_named(machine *m, machine_named *name, void *ctx) {
  m->named = name;
  m->named_ctx = ctx;
}

bool machine_page_reads(const machine *m, uint64_t address, uint64_t bytes) {
  const uint64_t page = address / PAGE * PAGE;
  if (!m->config.page_reads || address >= m->config.memory_bytes || address + bytes > page + PAGE)
    return false;
  const allocation *first = m->count ? m->allocations : NULL;
  bool owns = first && first->base / PAGE * PAGE == page + PAGE && machine_owns(m, first->owners);
  for (size_t n = upper(m, page + PAGE - 1); n-- > 0;) {
    const allocation *a = &m->allocations[n];
    if (a->base + a->bytes <= page)
      break;
    if (machine_owns(m, a->owners))
      owns = true;
    else if (a->base < address + bytes && a->base + a->bytes > address)
      return false;
  }
  return owns;
}

// The first good address from `at` on. Allocations of a row number or more begin at different
// subarrays, so that what a kernel reads side by side does not share one.
static uint64_t good_address(const machine *m, uint64_t at, uint64_t bytes) {
  const uint64_t align = m->config.align ? m->config.align : ALIGN, row = m->config.row_bytes;
  at = (at + align - 1) / align * align;
  if (!row || bytes < row)
    return at;
  at = (at + row - 1) / row * row;
  const uint64_t is = at / row % SUBARRAYS, wanted = m->large * SUBARRAY_STEP % SUBARRAYS;
  return at + (wanted + SUBARRAYS - is) % SUBARRAYS * row;
}

static uint64_t limit(const machine *m) {
  return m->config.limit ? m->config.limit : m->config.memory_bytes;
}

// Large pages of the host, but only whole ones: memory that is not used takes none.
static void large_pages(const machine *m, uint64_t at, uint64_t bytes) {
  const uintptr_t from = (uintptr_t)m->memory + at, first = (from + LARGE - 1) / LARGE * LARGE;
  const uintptr_t end = (from + bytes) / LARGE * LARGE;
  if (first < end)
    madvise((void *)first, end - first, MADV_HUGEPAGE);
}

// As the n-th, by their addresses.
static bool insert(machine *m, size_t n, allocation a) {
  if (m->count == m->capacity) {
    size_t capacity = m->capacity ? 2 * m->capacity : 64;
    allocation *more = realloc(m->allocations, capacity * sizeof *more);
    if (!more)
      return false;
    m->allocations = more;
    m->capacity = capacity;
  }
  memmove(&m->allocations[n + 1], &m->allocations[n], (m->count - n) * sizeof *m->allocations);
  m->allocations[n] = a;
  m->count++;
  return true;
}

static void remove_at(machine *m, allocation *a) {
  m->last = (allocation){0};
  m->count--;
  memmove(a, a + 1, (size_t)(m->allocations + m->count - a) * sizeof *a);
}

machine_error machine_malloc(machine *m, uint64_t bytes, uint64_t *address) {
  return machine_malloc_room(m, bytes, bytes, address);
}

machine_error machine_malloc_room(machine *m, uint64_t bytes, uint64_t room, uint64_t *address) {
  const uint64_t end = limit(m);
  uint64_t at = good_address(m, start(m), bytes);
  size_t n = 0;
  assert(room >= bytes);
  if (bytes == 0 || room > end)
    return machine_fail(m, MACHINE_OUT_OF_MEMORY, "cannot allocate %llu bytes of device memory",
                        (unsigned long long)bytes);
  for (; n < m->count; n++) {
    if (m->allocations[n].base >= at && m->allocations[n].base - at >= room)
      break;
    at = good_address(m, m->allocations[n].base + m->allocations[n].room, bytes);
  }
  if (at > end || end - at < room)
    return machine_fail(m, MACHINE_OUT_OF_MEMORY, "cannot allocate %llu bytes of device memory",
                        (unsigned long long)bytes);
  if (!insert(m, n, (allocation){at, bytes, room, m->owner, false}))
    return machine_fail(m, MACHINE_OUT_OF_MEMORY, "out of host memory");
  m->large += m->config.row_bytes && bytes >= m->config.row_bytes;
  *address = at;
  large_pages(m, at, bytes);
  leave_trail(m, TRAIL_MALLOC, at, bytes, room - bytes);
  return MACHINE_OK;
}

void machine_set_owner(machine *m, uint32_t owner) {
  m->owner = owner;
  m->last = (allocation){0};
}

bool machine_owns(const machine *m, uint32_t owners) {
  return (owners & m->owner) != 0;
}

// The allocation of the current owner that begins there. NULL, with a message: there is none.
static allocation *own_start(machine *m, uint64_t address) {
  const size_t n = upper(m, address);
  allocation *a = n ? &m->allocations[n - 1] : NULL;
  if (a && a->base == address && machine_owns(m, a->owners) && !a->mapped)
    return a;
  machine_fail(m, MACHINE_BAD_POINTER, "0x%llx is not the start of an allocation",
               (unsigned long long)address);
  return NULL;
}

machine_error machine_share(machine *m, uint64_t address, uint32_t owners) {
  allocation *a = own_start(m, address);
  if (!a)
    return MACHINE_BAD_POINTER;
  a->owners |= owners;
  return MACHINE_OK;
}

void machine_release_all(machine *m) {
  for (size_t n = m->count; n-- > 0;)
    if (machine_owns(m, m->allocations[n].owners) && !m->allocations[n].mapped)
      machine_release(m, m->allocations[n].base);
  for (unsigned n = 0; n < m->module_count; n++)
    if (m->modules[n] != &no_module && machine_owns(m, m->module_owners[n])) {
      module_free(m->modules[n]);
      m->modules[n] = &no_module;
    }
  bool empty = true;
  for (size_t n = 0; n < m->count; n++)
    empty &= m->allocations[n].mapped;
  if (empty)
    m->large = 0;  // the next owner's addresses do not depend on this one's
}

static void tell_host(const machine *m, uint64_t address, uint64_t bytes) {
  if (m->written)
    m->written(m->written_ctx, NULL, address, bytes, 0);
}

// Zeros it, so that the next owner finds nothing there; whole pages go back to the host.
static void clear(machine *m, uint64_t from, uint64_t to) {
  const uint64_t first = (from + PAGE - 1) / PAGE * PAGE, end = to / PAGE * PAGE;
  if (end <= first) {
    memset(m->memory + from, 0, to - from);
    return;
  }
  memset(m->memory + from, 0, first - from);
  madvise(m->memory + first, end - first, MADV_DONTNEED);
  memset(m->memory + end, 0, to - end);
}

machine_error machine_release(machine *m, uint64_t address) {
  allocation *a = own_start(m, address);
  if (!a)
    return MACHINE_BAD_POINTER;
  if (a->owners & ~m->owner) {
    m->last = (allocation){0};
    a->owners &= ~m->owner;
    return MACHINE_OK;
  }
  clear(m, a->base, a->base + a->bytes);
  tell_host(m, a->base, a->bytes);
  if (m->sectors)
    sectors_forget(m->sectors, a->base, a->bytes);
  remove_at(m, a);
  leave_trail(m, TRAIL_RELEASE, address, 0, 0);
  return MACHINE_OK;
}

// Where `bytes` are free, as high as can be before `top`, and before which allocation; 0: nowhere.
static uint64_t highest(const machine *m, uint64_t bytes, uint64_t top, size_t *n) {
  for (*n = m->count;; --*n) {
    const allocation *a = *n ? &m->allocations[*n - 1] : NULL;
    const uint64_t bottom = a ? a->base + a->room : start(m);
    if (top > bottom && top - bottom >= bytes && (top - bytes) / PAGE * PAGE >= bottom)
      return (top - bytes) / PAGE * PAGE;
    if (!a)
      return 0;
    top = a->base < top ? a->base : top;
  }
}

machine_error machine_map(machine *m, int fd, uint64_t bytes, uint64_t below, uint64_t *address) {
  const uint64_t pages = (bytes + PAGE - 1) / PAGE * PAGE, end = limit(m);
  const uint64_t top = below ? below : end - (end - m->config.first) / 8;
  size_t n;
  const uint64_t at = bytes && bytes <= end ? highest(m, pages, top, &n) : 0;
  if (!at)
    return machine_fail(m, MACHINE_OUT_OF_MEMORY, "no addresses for %llu bytes of host memory",
                        (unsigned long long)bytes);
  if (!insert(m, n, (allocation){at, bytes, pages, UINT32_MAX, true}))
    return machine_fail(m, MACHINE_OUT_OF_MEMORY, "out of host memory");
  if (mmap(m->memory + at, pages, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
      MAP_FAILED) {
    remove_at(m, &m->allocations[n]);
    return machine_fail(m, MACHINE_OUT_OF_MEMORY, "the host cannot map these pages");
  }
  *address = at;
  return MACHINE_OK;
}

void machine_unmap(machine *m, uint64_t address) {
  const size_t n = upper(m, address);
  assert(n && m->allocations[n - 1].base == address && m->allocations[n - 1].mapped);
  allocation *a = &m->allocations[n - 1];
  tell_host(m, a->base, a->bytes);
  if (m->sectors)
    sectors_forget(m->sectors, a->base, a->bytes);
  mmap(m->memory + a->base, a->room, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  remove_at(m, a);
}

uint8_t *memory_at(machine *m, uint64_t address, uint64_t bytes) {
  const allocation *a = &m->last;
  if (address - a->base >= a->bytes) {
    a = find(m, address);
    if (!a || !machine_owns(m, a->owners))
      return NULL;
    m->last = *a;
  }
  return bytes <= a->bytes - (address - a->base) ? m->memory + address : NULL;
}

// Host address for the host's own accesses: global memory, or the constant bank of a module. The
// constant window starts with the bank of the kernel that executes; those of the modules follow.
static uint8_t *host_at(machine *m, uint64_t address, uint64_t bytes) {
  uint64_t bank = (address - ISA_WINDOW_CONST) / ISA_WINDOW_BYTES;
  if (address < ISA_WINDOW_CONST || bank == 0 || bank > m->module_count)
    return memory_at(m, address, bytes);
  const module *mod = m->modules[bank - 1];
  uint64_t offset = address % ISA_WINDOW_BYTES;
  if (!machine_owns(m, m->module_owners[bank - 1]))
    return NULL;
  return offset <= mod->constant_bytes && bytes <= mod->constant_bytes - offset
             ? mod->constants + offset
             : NULL;
}

static machine_error bad_range(machine *m, uint64_t address, uint64_t bytes) {
  return machine_fail(m, MACHINE_BAD_POINTER,
                      "%llu bytes at 0x%llx are not inside one allocation of device memory",
                      (unsigned long long)bytes, (unsigned long long)address);
}

machine_error machine_reach(machine *m, uint64_t address, uint64_t bytes) {
  return bytes && !host_at(m, address, bytes) ? bad_range(m, address, bytes) : MACHINE_OK;
}

machine_error machine_write(machine *m, uint64_t to, const void *from, uint64_t bytes) {
  uint8_t *at = bytes ? host_at(m, to, bytes) : NULL;
  if (bytes && !at)
    return bad_range(m, to, bytes);
  if (bytes)
    memcpy(at, from, bytes);
  tell_host(m, to, bytes);
  if (m->config.trail)
    leave_trail(m, TRAIL_WRITE, to, bytes, sum_bytes(0, from, bytes));
  return MACHINE_OK;
}

machine_error machine_read(machine *m, void *to, uint64_t from, uint64_t bytes) {
  const uint8_t *at = bytes ? host_at(m, from, bytes) : NULL;
  if (bytes && !at)
    return bad_range(m, from, bytes);
  if (bytes)
    memcpy(to, at, bytes);
  return MACHINE_OK;
}

machine_error machine_copy(machine *m, uint64_t to, uint64_t from, uint64_t bytes) {
  uint8_t *d = bytes ? host_at(m, to, bytes) : NULL;
  const uint8_t *s = bytes ? host_at(m, from, bytes) : NULL;
  if (bytes && (!d || !s))
    return bad_range(m, d ? from : to, bytes);
  if (bytes)
    memmove(d, s, bytes);
  tell_host(m, to, bytes);
  leave_trail(m, TRAIL_COPY, to, bytes, from);
  return MACHINE_OK;
}

machine_error machine_fill(machine *m, uint64_t to, uint8_t byte, uint64_t bytes) {
  uint8_t *at = bytes ? host_at(m, to, bytes) : NULL;
  if (bytes && !at)
    return bad_range(m, to, bytes);
  if (bytes)
    memset(at, byte, bytes);
  tell_host(m, to, bytes);
  leave_trail(m, TRAIL_FILL, to, bytes, byte);
  return MACHINE_OK;
}

// Pages of zeros, of which programs that take all memory have many, are found out and left out.
uint64_t machine_sum(const machine *m, uint64_t address, uint64_t bytes) {
  const allocation *a = find(m, address);
  if (!a || bytes > a->bytes - (address - a->base))
    return 0;
  return sum_memory(0, 0, m->memory + address, bytes);
}

machine_bytes machine_compulsory(const machine *m) {
  return m->sectors ? (machine_bytes){sectors_read(m->sectors), sectors_written(m->sectors)}
                    : (machine_bytes){0, 0};
}

void machine_memory_info(const machine *m, uint64_t *free_bytes, uint64_t *total_bytes) {
  uint64_t used = start(m) - m->config.first;
  for (size_t n = 0; n < m->count; n++)
    if (!m->allocations[n].mapped)
      used += (m->allocations[n].room + ALIGN - 1) / ALIGN * ALIGN;
  *total_bytes = limit(m) - m->config.first;
  *free_bytes = used < *total_bytes ? *total_bytes - used : 0;
}

machine_error machine_add_module(machine *m, module *mod) {
  uint64_t at = 0;
  unsigned n = 0;
  while (n < m->module_count && m->modules[n] != &no_module)
    n++;
  if (n == MAX_MODULES) {
    module_free(mod);
    return machine_fail(m, MACHINE_OUT_OF_MEMORY, "more than %d modules", MAX_MODULES);
  }
  if (mod->segment_bytes) {
    machine_error e = machine_malloc(m, mod->segment_bytes, &at);
    if (e) {
      module_free(mod);
      return e;
    }
  }
  module_bind(mod, at);
  if (mod->segment_bytes) {
    memset(m->memory + at, 0, mod->segment_bytes);
    if (mod->data_bytes)
      memcpy(m->memory + at, mod->data, mod->data_bytes);
  }
  m->segments[n] = at;
  m->modules[n] = mod;
  m->module_owners[n] = m->owner;
  m->module_count += n == m->module_count;
  return MACHINE_OK;
}

uint64_t machine_symbol_address(const machine *m, const module *mod, const module_symbol *s) {
  for (unsigned n = 0; n < m->module_count; n++)
    if (m->modules[n] == mod)
      return s->is_const ? ISA_WINDOW_CONST + (n + 1) * ISA_WINDOW_BYTES + s->offset
                         : m->segments[n] + s->offset;
  return 0;
}

uint8_t *machine_memory(const machine *m) {
  return m->memory;
}
uint64_t machine_memory_bytes(const machine *m) {
  return m->config.memory_bytes;
}
bool machine_allocation(const machine *m, size_t n, allocation *a) {
  if (n >= m->count)
    return false;
  *a = m->allocations[n];
  return true;
}
const module *machine_module(const machine *m, unsigned n) {
  return n < m->module_count ? m->modules[n] : NULL;
}

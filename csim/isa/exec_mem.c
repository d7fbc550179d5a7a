// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics.
#include <string.h>
#include "exec.h"
#include "machine_priv.h"
#include "mpu_elf.h"
#include "scalar.h"

typedef struct access {
  launch *l;
  block *b;
  warp *w;
  const decoded *d;
  uint32_t pc, lanes;
  uint32_t bytes;  // a lane
  uint64_t address[ISA_LANES];
  uint8_t *at[ISA_LANES];  // host addresses, of the lanes that take part
  bool dense;              // all lanes, one behind the other
  bool uniform;            // all lanes at one address
} access;

static uint64_t address_of(const access *x, unsigned lane) {
  const uint32_t *a = exec_src(x->w, x->d, 1);
  return x->d->words[1] == 2
             ? (a[lane] | (uint64_t)a[lane + ISA_LANES] << 32) + (uint64_t)(int32_t)x->d->i.imm
             : a[lane] + x->d->i.imm;
}

static void addresses(access *x) {
  for (unsigned k = 0; k < ISA_LANES; k++)
    x->address[k] = address_of(x, k);
}

// How the addresses lie: most accesses have one lane behind the other, or all at one place. Then
// only the first and the last address are computed.
static void arrange(access *x) {
  const uint32_t *a = exec_src(x->w, x->d, 1);
  uint32_t spread = 0, apart = 0, high = 0;
  for (unsigned k = 0; k < ISA_LANES; k++) {
    spread |= (a[k] - a[0]) ^ k * x->bytes;
    apart |= a[k] ^ a[0];
  }
  if (x->d->words[1] == 2)
    for (unsigned k = 0; k < ISA_LANES; k++)
      high |= a[k + ISA_LANES] ^ a[ISA_LANES];
  x->address[0] = address_of(x, 0);
  x->address[ISA_LANES - 1] = address_of(x, ISA_LANES - 1);
  uint64_t length = x->address[ISA_LANES - 1] - x->address[0];
  x->dense = x->lanes == ~0u && !spread && !high && length == (ISA_LANES - 1) * x->bytes;
  x->uniform = !apart && !high;
  if (!x->dense && !x->uniform)
    addresses(x);
}

// The owner's allocation nearest to `bytes` at an address that are not inside one.
static void nearest(const machine *m, uint64_t address, uint32_t bytes, char *to, size_t room) {
  const allocation *before = NULL, *after = NULL;
  for (size_t k = 0; k < m->count && !after; k++)
    if (!machine_owns(m, m->allocations[k].owners))
      continue;
    else if (m->allocations[k].base <= address)
      before = &m->allocations[k];
    else
      after = &m->allocations[k];
  uint64_t end = before ? before->base + before->bytes : 0;
  if (before && after && address > end && address - end > after->base - address)
    before = NULL;
  const allocation *best = before ? before : after;
  if (!best) {
    snprintf(to, room, "; nothing is allocated");
    return;
  }
  int n = snprintf(to, room, "; the nearest allocation has %llu bytes at 0x%llx",
                   (unsigned long long)best->bytes, (unsigned long long)best->base);
  if (m->named)
    m->named(m->named_ctx, best->base, to + n, room - (size_t)n);
  n = (int)strlen(to);
  const uint64_t by = before ? address + bytes - end : after->base - address;
  snprintf(to + n, room - (size_t)n, "; this is %llu bytes %s", (unsigned long long)by,
           before ? "beyond its end" : "before it");
}

static void fault(access *x, unsigned lane, bool align, unsigned space, uint64_t limit) {
  char what[600];
  static const char *const verbs[] = {"reads", "writes", "updates"};
  const char *verb = verbs[x->d->i.op == ISA_OP_LD ? 0 : x->d->i.op == ISA_OP_ST ? 1 : 2];
  int n = snprintf(what, sizeof what, "%s %u bytes at %s address 0x%llx", verb, x->bytes,
                   x->d->i.space == ISA_SPACE_GENERIC ? "generic" : isa_space_name(space),
                   (unsigned long long)x->address[lane]);
  char *to = what + n;
  size_t room = sizeof what - (size_t)n;
  if (align)
    snprintf(to, room, ", which is not a multiple of %u", x->bytes);
  else if (space == ISA_SPACE_GLOBAL)
    nearest(x->l->m, x->address[lane], x->bytes, to, room);
  else if (space >= ISA_SPACE_CONST && x->d->i.op != ISA_OP_LD)
    snprintf(to, room, "; the %s space is read only", isa_space_name(space));
  else if (space == ISA_SPACE_LOCAL && x->l->kernel->flags & MPU_KERNEL_STACK)
    snprintf(to, room,
             "; the local space has %llu bytes, with a stack of %u: functions that call themselves "
             "may need more (cudaDeviceSetLimit(cudaLimitStackSize, BYTES))",
             (unsigned long long)limit, x->l->kernel->local_bytes - x->l->kernel->stack_at);
  else
    snprintf(to, room, "; the %s space has %llu bytes", isa_space_name(space),
             (unsigned long long)limit);
  trace_fault(x->l, x->b, x->w, x->pc, lane, align ? MACHINE_FAULT_ALIGN : MACHINE_FAULT_ADDRESS,
              what);
}

// Memory of a space but global and constant, as lane 0 sees it; local memory has `stride` bytes a
// lane.
static uint8_t *space_base(const access *x, unsigned space, uint64_t *limit, uint64_t *stride) {
  const launch *l = x->l;
  *stride = 0;
  switch (space) {
    case ISA_SPACE_SHARED:
      *limit = l->shared_bytes;
      return x->b->shared;
    case ISA_SPACE_LOCAL:
      *limit = *stride = l->kernel->local_bytes;
      return x->b->local + (size_t)x->w->index * ISA_LANES * *limit;
    case ISA_SPACE_CONST:
      *limit = l->mod->constant_bytes;
      return l->mod->constants;
    default:
      *limit = l->kernel->param_bytes;
      return l->params;
  }
}

// Bytes of a lane that must be allocated: of atom.volatile the first two, as the word around a
// number of 16 bits may reach over the end.
static uint32_t checked_bytes(const access *x) {
  return x->d->i.op == ISA_OP_ATOM && x->d->i.order == ISA_ORDER_VOLATILE ? 2 : x->bytes;
}

// Host address of one lane's access, or NULL after a fault.
static uint8_t *lane_at(access *x, unsigned lane) {
  launch *l = x->l;
  unsigned space = x->d->i.space;
  uint64_t offset = x->address[lane], limit, stride;
  if (space == ISA_SPACE_GENERIC) {
    space = exec_space(offset);
    if (space != ISA_SPACE_GLOBAL)
      offset &= ISA_WINDOW_SHARED - 1;
  }
  if (offset & (x->bytes - 1)) {
    fault(x, lane, true, space, 0);
    return NULL;
  }
  if (space == ISA_SPACE_GLOBAL) {
    uint8_t *at = memory_at(l->m, offset, checked_bytes(x));
    if (!at && x->d->i.op == ISA_OP_LD && machine_page_reads(l->m, offset, x->bytes))
      at = l->m->memory + offset;
    if (at)
      l->stats.global_bytes += x->bytes;
    else
      fault(x, lane, false, space, 0);
    return at;
  }
  uint8_t *base = space_base(x, space, &limit, &stride);
  uint64_t bank = offset / ISA_WINDOW_BYTES;  // the first one is the kernel's own
  if (space == ISA_SPACE_CONST && bank && bank <= l->m->module_count &&
      machine_owns(l->m, l->m->module_owners[bank - 1])) {
    base = l->m->modules[bank - 1]->constants;
    limit = l->m->modules[bank - 1]->constant_bytes;
    offset %= ISA_WINDOW_BYTES;
  }
  bool read_only = space >= ISA_SPACE_CONST && x->d->i.op != ISA_OP_LD;
  if (offset > limit || x->bytes > limit - offset || read_only) {
    fault(x, lane, false, space, limit);
    return NULL;
  }
  return base + lane * stride + offset;
}

// Smallest and largest address of the lanes that take part; false when one is misaligned.
static bool range(const access *x, uint64_t *from, uint64_t *to) {
  uint64_t min = ~0ull, max = 0, bits = 0;
  if (x->dense || x->uniform) {
    *from = x->address[0];
    *to = x->address[ISA_LANES - 1];
    return !(*from & (x->bytes - 1));
  }
  for (unsigned k = 0; k < ISA_LANES; k++) {
    uint64_t a = x->address[k];
    bool on = x->lanes >> k & 1;
    min = on && a < min ? a : min;
    max = on && a > max ? a : max;
    bits |= on ? a : 0;
  }
  *from = min;
  *to = max;
  return !(bits & (x->bytes - 1));
}

// One check for all lanes; false when that does not decide.
static bool resolve_together(access *x) {
  uint64_t min, max, limit, stride = 0, window = 0;
  unsigned space = x->d->i.space;
  if (!range(x, &min, &max))
    return false;
  if (space == ISA_SPACE_GENERIC) {
    space = exec_space(min);
    if (exec_space(max) != space)
      return false;
    window = space == ISA_SPACE_GLOBAL ? 0 : min & ~(ISA_WINDOW_SHARED - 1);
  }
  uint8_t *base;
  if (space == ISA_SPACE_GLOBAL) {
    base = max - min < 1ull << 40 ? memory_at(x->l->m, min, max - min + x->bytes) : NULL;
    if (!base)
      return false;
    uint32_t lanes = x->dense ? ISA_LANES : (uint32_t)__builtin_popcount(x->lanes);
    x->l->stats.global_bytes += (uint64_t)x->bytes * lanes;
  } else {
    base = space_base(x, space, &limit, &stride);
    bool read_only = space >= ISA_SPACE_CONST && x->d->i.op != ISA_OP_LD;
    if (max - window + x->bytes > limit || read_only)
      return false;
    base += min - window;
  }
  x->l->stats.shared_accesses += space == ISA_SPACE_SHARED;
  if (stride) {
    addresses(x);
    x->dense = x->uniform = false;
  }
  if (x->uniform)
    for (unsigned k = 0; k < ISA_LANES; k++)
      x->at[k] = base;
  else if (x->dense)
    for (unsigned k = 0; k < ISA_LANES; k++)
      x->at[k] = base + k * x->bytes;
  else
    for (unsigned k = 0; k < ISA_LANES; k++)
      x->at[k] = base + k * stride + (x->lanes >> k & 1 ? x->address[k] - min : 0);
  return true;
}

static bool resolve(access *x) {
  if (resolve_together(x))
    return true;
  bool shared = x->d->i.space == ISA_SPACE_SHARED;
  addresses(x);
  x->dense = x->uniform = false;
  for (unsigned k = 0; k < ISA_LANES; k++) {
    if (!(x->lanes >> k & 1))
      continue;
    shared |= x->d->i.space == ISA_SPACE_GENERIC && exec_space(x->address[k]) == ISA_SPACE_SHARED;
    if (!(x->at[k] = lane_at(x, k)))
      return false;
  }
  x->l->stats.shared_accesses += shared;
  return true;
}

// machine_accessed: lanes in one sector share it. A load without a destination accesses nothing.
static void tell_sectors(const access *x) {
  const machine *m = x->l->m;
  const bool reads = x->d->i.op != ISA_OP_ST, writes = x->d->i.op != ISA_OP_LD;
  const bool generic = x->d->i.space == ISA_SPACE_GENERIC;
  const uint64_t bytes = x->dense ? ISA_LANES * x->bytes : x->bytes;
  if ((!generic && x->d->i.space != ISA_SPACE_GLOBAL) || (!writes && x->d->reg[0] < 0))
    return;
  for (uint32_t left = x->dense || x->uniform ? 1 : x->lanes; left;) {
    const uint64_t exact = x->address[__builtin_ctz(left)], at = exact / SECTOR_BYTES;
    const uint64_t end = (exact + bytes - 1) / SECTOR_BYTES;
    for (uint32_t same = left; same; same &= same - 1)
      if (x->address[__builtin_ctz(same)] / SECTOR_BYTES == at)
        left &= ~(same & -same);
    if (!generic || exec_space(at * SECTOR_BYTES) == ISA_SPACE_GLOBAL)
      for (uint64_t k = at; k <= end; k++)
        m->accessed(m->accessed_ctx, &(machine_access){.address = k * SECTOR_BYTES,
                                                       .exact = k > at ? k * SECTOR_BYTES : exact,
                                                       .reads = reads,
                                                       .writes = writes,
                                                       .block = x->b->index,
                                                       .warp = x->w->index,
                                                       .pc = x->pc});
  }
}

// Sectors of global memory that the access touches (machine_compulsory).
static void count_sectors(const access *x) {
  const bool reads = x->d->i.op != ISA_OP_ST, writes = x->d->i.op != ISA_OP_LD;
  const bool generic = x->d->i.space == ISA_SPACE_GENERIC;
  if (!generic && x->d->i.space != ISA_SPACE_GLOBAL)
    return;
  const bool together = x->dense || x->uniform;
  for (uint32_t m = together ? 1 : x->lanes; m; m &= m - 1) {
    const uint64_t at = x->address[__builtin_ctz(m)];
    if (!generic || exec_space(at) == ISA_SPACE_GLOBAL)
      sectors_access(x->l->m->sectors, at, x->dense ? ISA_LANES * x->bytes : x->bytes, reads,
                     writes);
  }
}

// machine_written: of one lane.
static void tell_written(const access *x, unsigned lane) {
  const machine *m = x->l->m;
  const uint64_t at = (uint64_t)(x->at[lane] - m->memory);
  if (x->at[lane] >= m->memory && at < m->config.memory_bytes)
    m->written(m->written_ctx, x->l, at, x->bytes, x->pc);
}

// ---- the data

static void load_lane(const access *x, unsigned lane, uint32_t v[4]) {
  unsigned type = x->d->i.type;
  v[0] = 0;
  memcpy(v, x->at[lane], x->bytes);
  if (type == ISA_TYPE_S8)
    v[0] = (uint32_t)(int8_t)v[0];
  else if (type == ISA_TYPE_S16)
    v[0] = (uint32_t)(int16_t)v[0];
}

static void load(access *x) {
  _Alignas(64) uint32_t some[4 * ISA_LANES];
  const unsigned words = x->d->words[0];
  uint32_t v[4];
  if (x->d->reg[0] < 0)
    return;
  if (x->dense && x->bytes == 4) {
    memcpy(exec_dst(x->w, x->d), x->at[0], 4 * ISA_LANES);
    return;
  }
  uint32_t *out = x->lanes == ~0u ? exec_dst(x->w, x->d) : some;
  if (x->uniform) {
    load_lane(x, (unsigned)__builtin_ctz(x->lanes), v);
    for (unsigned p = 0; p < words; p++)
      for (unsigned k = 0; k < ISA_LANES; k++)
        out[p * ISA_LANES + k] = v[p];
  } else {
    for (uint32_t m = x->lanes; m; m &= m - 1) {
      const unsigned k = (unsigned)__builtin_ctz(m);
      load_lane(x, k, v);
      for (unsigned p = 0; p < words; p++)
        out[p * ISA_LANES + k] = v[p];
    }
  }
  if (out == some)
    exec_write(x->w, x->d, out, x->lanes);
}

static void store(access *x) {
  const uint32_t *b = exec_src(x->w, x->d, 2);
  if (x->dense && x->bytes == 4) {
    memcpy(x->at[0], b, 4 * ISA_LANES);
    return;
  }
  for (unsigned k = 0; k < ISA_LANES; k++) {
    if (!(x->lanes >> k & 1))
      continue;
    uint32_t v[4];
    for (unsigned p = 0; p < x->d->words[2]; p++)
      v[p] = b[p * ISA_LANES + k];
    memcpy(x->at[k], v, x->bytes);
  }
}

// Not what the twins use (csim/mpu/atomic.h): it is what they are compared with.
uint64_t exec_atomic(const isa_inst *i, uint64_t old, uint64_t b, uint64_t c) {
  bool wide = isa_types[i->type].bits == 64, is_signed = isa_types[i->type].kind == 'S';
  isa_inst add = isa_inst_new(ISA_OP_ADD, i->type);
  int64_t so = wide ? (int64_t)old : (int32_t)old, sb = wide ? (int64_t)b : (int32_t)b;
  bool less = is_signed ? so < sb : old < b;
  switch (i->fn) {
    case ISA_ATOM_ADD:
      return i->type == ISA_TYPE_F32   ? scalar_f32(&add, (uint32_t)old, (uint32_t)b, 0)
             : i->type == ISA_TYPE_F64 ? scalar_f64(&add, old, b, 0)
                                       : old + b;
    case ISA_ATOM_MIN:
      return less ? old : b;
    case ISA_ATOM_MAX:
      return less ? b : old;
    case ISA_ATOM_INC:
      return old >= b ? 0 : old + 1;
    case ISA_ATOM_DEC:
      return old == 0 || old > b ? b : old - 1;
    case ISA_ATOM_AND:
      return old & b;
    case ISA_ATOM_OR:
      return old | b;
    case ISA_ATOM_XOR:
      return old ^ b;
    case ISA_ATOM_EXCH:
      return b;
    default:
      return old == b ? c : old;
  }
}

static uint64_t value(const uint32_t *p, unsigned words, unsigned lane) {
  return p[lane] | (words == 2 ? (uint64_t)p[lane + ISA_LANES] << 32 : 0);
}

// Lanes take their turn in order.
static void atomic(access *x) {
  _Alignas(64) uint32_t out[2 * ISA_LANES] = {0};
  const decoded *d = x->d;
  const uint32_t *b = exec_src(x->w, d, 2), *c = exec_src(x->w, d, 3);
  for (unsigned k = 0; k < ISA_LANES; k++) {
    if (!(x->lanes >> k & 1))
      continue;
    uint64_t old = 0;
    memcpy(&old, x->at[k], x->bytes);
    uint64_t now = exec_atomic(&d->i, old, value(b, d->words[2], k), value(c, d->words[3], k));
    memcpy(x->at[k], &now, x->bytes);
    if (x->l->m->written && memcmp(&now, &old, x->bytes) != 0)
      tell_written(x, k);
    out[k] = (uint32_t)old;
    out[k + ISA_LANES] = (uint32_t)(old >> 32);
  }
  exec_write(x->w, d, out, x->lanes);
}

static access access_of(launch *l, block *b, warp *w, const decoded *d, uint32_t pc,
                        uint32_t lanes) {
  return (access){.l = l,
                  .b = b,
                  .w = w,
                  .d = d,
                  .pc = pc,
                  .lanes = lanes,
                  .bytes = isa_types[d->i.type].bits / 8};
}

bool exec_memory(launch *l, block *b, warp *w, const decoded *d, uint32_t pc, uint32_t lanes) {
  access x;
  x.l = l;
  x.b = b;
  x.w = w;
  x.d = d;
  x.pc = pc;
  x.lanes = lanes;
  x.bytes = isa_types[d->i.type].bits / 8;
  arrange(&x);
  if (!resolve(&x))
    return false;
  if (l->m->sectors)
    count_sectors(&x);
  if (l->m->accessed)
    tell_sectors(&x);
  if (d->i.op == ISA_OP_LD)
    load(&x);
  else if (d->i.op == ISA_OP_ST)
    store(&x);
  else
    atomic(&x);
  if (l->m->written && d->i.op == ISA_OP_ST)
    for (uint32_t left = lanes; left; left &= left - 1)
      tell_written(&x, (unsigned)__builtin_ctz(left));
  return true;
}

bool exec_places(launch *l, block *b, warp *w, const decoded *d, uint32_t pc, uint32_t lanes,
                 uint8_t space[ISA_LANES], uint64_t at[ISA_LANES], bool *dense) {
  access x = access_of(l, b, w, d, pc, lanes);
  arrange(&x);
  if (!resolve(&x))
    return false;
  *dense = x.dense &&
           (d->i.space == ISA_SPACE_GLOBAL ||
            (d->i.space == ISA_SPACE_GENERIC && exec_space(x.address[0]) == ISA_SPACE_GLOBAL));
  if (*dense) {
    at[0] = x.address[0];
    return true;
  }
  addresses(&x);
  for (unsigned k = 0; k < ISA_LANES; k++) {
    if (!(lanes >> k & 1))
      continue;
    const bool generic = d->i.space == ISA_SPACE_GENERIC;
    space[k] = (uint8_t)(generic ? exec_space(x.address[k]) : d->i.space);
    at[k] = generic && space[k] != ISA_SPACE_GLOBAL ? x.address[k] & (ISA_WINDOW_SHARED - 1)
                                                    : x.address[k];
    if (space[k] >= ISA_SPACE_CONST)
      at[k] = (uint64_t)(uintptr_t)x.at[k];
  }
  return true;
}

void exec_shared_fault(launch *l, block *b, warp *w, const decoded *d, uint32_t pc, unsigned lane,
                       uint64_t address, bool align) {
  access x = access_of(l, b, w, d, pc, 1u << lane);
  x.address[lane] = address;
  fault(&x, lane, align, ISA_SPACE_SHARED, l->shared_bytes);
}

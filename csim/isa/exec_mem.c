// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics.
#include <string.h>
#include "exec.h"
#include "scalar.h"

typedef struct access {
  launch *l;
  block *b;
  warp *w;
  const decoded *d;
  uint32_t lanes;
  uint32_t bytes;              // a lane
  uint64_t address[ISA_LANES];
  uint8_t *at[ISA_LANES];      // host addresses, of the lanes that take part
  bool dense;                  // all lanes, one behind the other
} access;

static void addresses(access *x) {
  const uint32_t *a = exec_src(x->w, x->d, 1);
  int64_t offset = (int32_t)x->d->i.imm;
  if (x->d->words[1] == 2)
    for (unsigned k = 0; k < ISA_LANES; k++)
      x->address[k] = (a[k] | (uint64_t)a[k + ISA_LANES] << 32) + (uint64_t)offset;
  else
    for (unsigned k = 0; k < ISA_LANES; k++)
      x->address[k] = a[k] + (uint32_t)offset;
}

static void fault(access *x, unsigned lane, bool align, unsigned space, uint64_t limit) {
  char what[400];
  static const char *const verbs[] = {"reads", "writes", "updates"};
  const char *verb = verbs[x->d->i.op == ISA_OP_LD ? 0 : x->d->i.op == ISA_OP_ST ? 1 : 2];
  uint64_t address = x->address[lane];
  int n = snprintf(what, sizeof what, "%s %u bytes at %s address 0x%llx", verb, x->bytes,
                   space == ISA_SPACE_GENERIC ? "generic" : isa_space_name(space),
                   (unsigned long long)address);
  if (align) {
    snprintf(what + n, sizeof what - (size_t)n, ", which is not a multiple of %u", x->bytes);
  } else if (space != ISA_SPACE_GLOBAL) {
    snprintf(what + n, sizeof what - (size_t)n, "; there are %llu bytes",
             (unsigned long long)limit);
  } else {
    const machine *m = x->l->m;
    const allocation *best = NULL;
    for (size_t k = 0; k < m->count && m->allocations[k].base <= address; k++)
      best = &m->allocations[k];
    if (best)
      snprintf(what + n, sizeof what - (size_t)n,
               "; the allocation before it has %llu bytes at 0x%llx",
               (unsigned long long)best->bytes, (unsigned long long)best->base);
    else
      snprintf(what + n, sizeof what - (size_t)n, "; no allocation lies before it");
  }
  exec_fault(x->l, x->b, x->w, lane, align ? MACHINE_FAULT_ALIGN : MACHINE_FAULT_ADDRESS, what);
}

// Host address of one lane's access in a space, or NULL after a fault.
static uint8_t *lane_at(access *x, unsigned lane) {
  launch *l = x->l;
  unsigned space = x->d->i.space;
  uint64_t offset = x->address[lane], limit = 0;
  uint8_t *base = NULL;
  if (space == ISA_SPACE_GENERIC) {
    space = exec_space(offset);
    if (space != ISA_SPACE_GLOBAL)
      offset &= ISA_WINDOW_SHARED - 1;
  }
  if (offset & (x->bytes - 1)) {
    fault(x, lane, true, space, 0);
    return NULL;
  }
  switch (space) {
    case ISA_SPACE_GLOBAL: {
      uint8_t *at = memory_at(l->m, offset, x->bytes);
      if (at)
        l->stats.global_bytes += x->bytes;
      else
        fault(x, lane, false, space, 0);
      return at;
    }
    case ISA_SPACE_SHARED:
      base = x->b->shared;
      limit = l->shared_bytes;
      break;
    case ISA_SPACE_LOCAL:
      limit = l->kernel->local_bytes;
      base = x->b->local + (x->w->index * ISA_LANES + lane) * limit;
      break;
    case ISA_SPACE_CONST: {  // the first bank is the module's own
      const module *mod = l->mod;
      if (offset / ISA_WINDOW_BYTES && offset / ISA_WINDOW_BYTES < l->m->module_count) {
        mod = l->m->modules[offset / ISA_WINDOW_BYTES];
        offset %= ISA_WINDOW_BYTES;
      }
      base = mod->constants;
      limit = mod->constant_bytes;
      break;
    }
    default:
      base = l->params;
      limit = l->kernel->param_bytes;
      break;
  }
  bool read_only = space >= ISA_SPACE_CONST && x->d->i.op != ISA_OP_LD;
  if (offset > limit || x->bytes > limit - offset || read_only) {
    fault(x, lane, false, space, limit);
    return NULL;
  }
  return base + offset;
}

// One check for all lanes when they stay inside one allocation; true when that was enough.
static bool resolve_global(access *x) {
  uint64_t min = ~0ull, max = 0, bits = 0;
  for (unsigned k = 0; k < ISA_LANES; k++) {
    uint64_t a = x->address[k];
    bool on = x->lanes >> k & 1;
    min = on && a < min ? a : min;
    max = on && a > max ? a : max;
    bits |= on ? a : 0;
  }
  if ((bits & (x->bytes - 1)) || max - min > (1ull << 40))
    return false;
  uint8_t *base = memory_at(x->l->m, min, max - min + x->bytes);
  if (!base)
    return false;
  x->dense = x->lanes == ~0u;
  for (unsigned k = 0; k < ISA_LANES; k++) {
    x->dense &= x->address[k] == x->address[0] + (uint64_t)k * x->bytes;
    x->at[k] = base + (x->lanes >> k & 1 ? x->address[k] - min : 0);
  }
  x->l->stats.global_bytes += (uint64_t)x->bytes * (uint64_t)__builtin_popcount(x->lanes);
  return true;
}

static bool resolve_shared(access *x) {
  uint64_t max = 0, bits = 0;
  for (unsigned k = 0; k < ISA_LANES; k++) {
    uint64_t a = x->lanes >> k & 1 ? x->address[k] : 0;
    max = a > max ? a : max;
    bits |= a;
  }
  if ((bits & (x->bytes - 1)) || max + x->bytes > x->l->shared_bytes)
    return false;
  for (unsigned k = 0; k < ISA_LANES; k++)
    x->at[k] = x->b->shared + (x->lanes >> k & 1 ? x->address[k] : 0);
  return true;
}

static bool resolve(access *x) {
  unsigned space = x->d->i.space;
  bool shared = space == ISA_SPACE_SHARED;
  if (space == ISA_SPACE_GENERIC)
    for (unsigned k = 0; k < ISA_LANES; k++)
      shared |= (x->lanes >> k & 1) && exec_space(x->address[k]) == ISA_SPACE_SHARED;
  x->l->stats.shared_accesses += shared;
  if ((space == ISA_SPACE_GLOBAL && resolve_global(x)) ||
      (space == ISA_SPACE_SHARED && resolve_shared(x)))
    return true;
  for (unsigned k = 0; k < ISA_LANES; k++)
    if ((x->lanes >> k & 1) && !(x->at[k] = lane_at(x, k)))
      return false;
  return true;
}

// ---- the data

static void load(access *x) {
  _Alignas(64) uint32_t out[4 * ISA_LANES];
  unsigned words = x->d->words[0], type = x->d->i.type;
  if (x->dense && x->bytes == 4 && x->d->reg[0] >= 0) {
    memcpy(exec_dst(x->w, x->d), x->at[0], 4 * ISA_LANES);
    return;
  }
  for (unsigned k = 0; k < ISA_LANES; k++) {
    if (!(x->lanes >> k & 1))
      continue;
    uint32_t v[4] = {0};
    memcpy(v, x->at[k], x->bytes);
    if (type == ISA_TYPE_S8)
      v[0] = (uint32_t)(int8_t)v[0];
    else if (type == ISA_TYPE_S16)
      v[0] = (uint32_t)(int16_t)v[0];
    for (unsigned p = 0; p < words; p++)
      out[p * ISA_LANES + k] = v[p];
  }
  if (x->d->reg[0] < 0)
    return;
  uint32_t *to = exec_dst(x->w, x->d);
  for (unsigned p = 0; p < words; p++)
    for (unsigned k = 0; k < ISA_LANES; k++)
      if (x->lanes >> k & 1)
        to[p * ISA_LANES + k] = out[p * ISA_LANES + k];
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

static uint64_t combine(const isa_inst *i, uint64_t old, uint64_t b, uint64_t c) {
  bool wide = isa_types[i->type].bits == 64, is_signed = isa_types[i->type].kind == 'S';
  isa_inst add = isa_inst_new(ISA_OP_ADD, i->type);
  int64_t so = wide ? (int64_t)old : (int32_t)old, sb = wide ? (int64_t)b : (int32_t)b;
  bool less = is_signed ? so < sb : old < b;
  switch (i->fn) {
    case ISA_ATOM_ADD:
      return i->type == ISA_TYPE_F32   ? scalar_f32(&add, (uint32_t)old, (uint32_t)b, 0)
             : i->type == ISA_TYPE_F64 ? scalar_f64(&add, old, b, 0)
                                       : old + b;
    case ISA_ATOM_MIN: return less ? old : b;
    case ISA_ATOM_MAX: return less ? b : old;
    case ISA_ATOM_INC: return old >= b ? 0 : old + 1;
    case ISA_ATOM_DEC: return old == 0 || old > b ? b : old - 1;
    case ISA_ATOM_AND: return old & b;
    case ISA_ATOM_OR: return old | b;
    case ISA_ATOM_XOR: return old ^ b;
    case ISA_ATOM_EXCH: return b;
    default: return old == b ? c : old;
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
    uint64_t now = combine(&d->i, old, value(b, d->words[2], k), value(c, d->words[3], k));
    memcpy(x->at[k], &now, x->bytes);
    out[k] = (uint32_t)old;
    out[k + ISA_LANES] = (uint32_t)(old >> 32);
  }
  exec_write(x->w, d, out, x->lanes);
}

bool exec_memory(launch *l, block *b, warp *w, const decoded *d, uint32_t lanes) {
  access x;
  x.l = l;
  x.b = b;
  x.w = w;
  x.d = d;
  x.lanes = lanes;
  x.bytes = isa_types[d->i.type].bits / 8;
  x.dense = false;
  addresses(&x);
  if (!resolve(&x))
    return false;
  if (d->i.op == ISA_OP_LD)
    load(&x);
  else if (d->i.op == ISA_OP_ST)
    store(&x);
  else
    atomic(&x);
  return true;
}

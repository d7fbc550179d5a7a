// SPDX-License-Identifier: Apache-2.0
// A verilated block behind the interface of csim/base/block.h. Compiled once a block, with RTL_BLOCK its
// name; ports come from csim/*/ports/<block>.def. Each instance has a context of its own: instances
// share nothing, and may live in different threads.
#include <verilated.h>
#include <verilated_vcd_c.h>

#include <cstring>
#include <new>

#include "rtl_trace.h"

#ifndef RTL_SIZES
#define RTL_SIZES ""
#endif

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define STR_(a) #a
#define STR(a) STR_(a)
#include STR(CAT(V, RTL_BLOCK).h)

#define BLOCK RTL_BLOCK
#include "block_declare.h"
#define BLOCK RTL_BLOCK
#include "block_table.h"

namespace {

using verilated = CAT(V, RTL_BLOCK);
using block_in = CAT(RTL_BLOCK, _in);
using block_out = CAT(RTL_BLOCK, _out);

// Where VerilatedVcdC writes: no file.
struct trace_file : VerilatedVcdFile {
  rtl_trace to = {};
  bool open(const std::string &) override { return true; }
  void close() override {}
  ssize_t write(const char *text, ssize_t bytes) override {
    to.write(to.ctx, text, static_cast<size_t>(bytes));
    return bytes;
  }
};

struct model {
  VerilatedContext context;
  verilated *v = nullptr;
  trace_file file;
  VerilatedVcdC *trace = nullptr;
  block_in shown;  // by the trace
};

// Verilator does not cut inputs to their width.
template <unsigned BITS, class T>
void put(T &port, uint32_t x) {
  port = static_cast<T>(BITS >= 32 ? x : x & ((1u << (BITS & 31)) - 1));
}
template <unsigned BITS>
void put_wide(QData &port, const uint32_t *x) {
  uint64_t v = x[0] | static_cast<uint64_t>(x[1]) << 32;
  port = BITS >= 64 ? v : v & ((1ull << (BITS & 63)) - 1);
}
template <unsigned BITS, std::size_t N>
void put_wide(VlWide<N> &port, const uint32_t *x) {
  std::memcpy(port.data(), x, 4 * N);
  if (BITS % 32)
    port.data()[N - 1] &= (1u << (BITS % 32)) - 1;
}
// A port of a smaller build is narrower than the list of ports says: the words above it are zero.
template <unsigned BITS>
[[maybe_unused]] void get_wide(uint32_t *x, const QData &port) {
  std::memset(x, 0, 4 * BLOCK_WORDS(BITS));
  x[0] = static_cast<uint32_t>(port);
  x[1] = static_cast<uint32_t>(port >> 32);
}
template <unsigned BITS, std::size_t N>
void get_wide(uint32_t *x, const VlWide<N> &port) {
  static_assert(N <= BLOCK_WORDS(BITS), "a port is wider than the list of ports says");
  std::memset(x + N, 0, 4 * (BLOCK_WORDS(BITS) - N));
  std::memcpy(x, port.data(), 4 * N);
}

void eval(model *m, int clk) {
  Verilated::threadContextp(&m->context);  // whose $finish it is
  m->v->clk_i = static_cast<CData>(clk);
  m->v->eval();
}

void dump(model *m, uint64_t after, uint64_t time) {
  m->trace->dump(RTL_TRACE_TIMES * (*m->file.to.cycle + after) + time);
  m->trace->flush();
}

// clang-format off
void inputs(model *m, const block_in *in) {
  m->v->rst_ni = in->rst_n & 1;
#define IN(name, bits, doc) put<bits>(m->v->name##_i, in->name);
#define IN_W(name, bits, doc) put_wide<bits>(m->v->name##_i, in->name);
#define OUT(name, bits, doc)
#define OUT_W(name, bits, doc)
#include BLOCK_DEF_OF(RTL_BLOCK)
#undef IN
#undef IN_W
#undef OUT
#undef OUT_W
}

void outputs(model *m, block_out *out) {
#define IN(name, bits, doc)
#define IN_W(name, bits, doc)
#define OUT(name, bits, doc) out->name = static_cast<uint32_t>(m->v->name##_o);
#define OUT_W(name, bits, doc) get_wide<bits>(out->name, m->v->name##_o);
#include BLOCK_DEF_OF(RTL_BLOCK)
#undef IN
#undef IN_W
#undef OUT
#undef OUT_W
}
// clang-format on

void destroy(void *p) {
  model *m = static_cast<model *>(p);
  if (m)
    Verilated::threadContextp(&m->context);  // models leave the context of the thread, not theirs
  if (m && m->v)
    m->v->final();
  if (m) {
    delete m->trace;
    delete m->v;
  }
  delete m;
}

void *create(const void *) {
  model *m = new (std::nothrow) model;
  if (!m)
    return nullptr;
  Verilated::threadContextp(&m->context);
  m->context.traceEverOn(true);
  m->context.randReset(0);
  m->context.timeunit(-12);
  m->context.timeprecision(-12);
  m->v = new (std::nothrow) verilated{&m->context, "top"};
  if (!m->v) {
    destroy(m);
    return nullptr;
  }
  block_in in;
  std::memset(&in, 0, sizeof in);
  inputs(m, &in);
  for (int k = 0; k < 2; k++) {
    eval(m, 0);
    eval(m, 1);
  }
  return m;
}

void show_inputs(model *m, const block_in *in, uint64_t time) {
  m->shown = *in;
  eval(m, 1);
  dump(m, 0, time);
}

void step(void *p, const void *in, void *out) {
  model *m = static_cast<model *>(p);
  inputs(m, static_cast<const block_in *>(in));
  if (m->trace)
    show_inputs(m, static_cast<const block_in *>(in), RTL_TRACE_HIGH);
  eval(m, 0);
  if (m->trace)
    dump(m, 0, RTL_TRACE_LOW);
  eval(m, 1);
  if (m->trace)
    dump(m, 1, RTL_TRACE_EDGE);
  outputs(m, static_cast<block_out *>(out));
}

template <class T>
auto busy(const T *v, int) -> decltype(v->busy_o, true) {
  return v->busy_o != 0;
}
template <class T>
bool busy(const T *, long) {
  return true;
}
bool idle(const void *p) {
  return !busy(static_cast<const model *>(p)->v, 0);
}

}  // namespace

extern "C" {
extern const block_ops CAT(RTL_BLOCK, _rtl);
const block_ops CAT(RTL_BLOCK, _rtl) = {STR(RTL_BLOCK) " Verilog",
                                        CAT(RTL_BLOCK, _ports),
                                        sizeof CAT(RTL_BLOCK, _ports) / sizeof(block_port),
                                        sizeof(block_in),
                                        sizeof(block_out),
                                        create,
                                        destroy,
                                        step,
                                        idle};

// The sizes that it was built with: those of csim/mpu/structure.def that are not the default ones.
extern const char *const CAT(RTL_BLOCK, _rtl_sizes);
const char *const CAT(RTL_BLOCK, _rtl_sizes) = RTL_SIZES;

// A check of the Verilog was false; it has said which.
bool CAT(RTL_BLOCK, _rtl_failed)(const void *p) {
  return static_cast<const model *>(p)->context.gotFinish();
}

// From now on, until _trace_off. False: no memory.
// `in`: its inputs now.
bool CAT(RTL_BLOCK, _rtl_trace)(void *p, const rtl_trace *to, const void *in) {
  model *m = static_cast<model *>(p);
  m->file.to = *to;
  m->trace = new (std::nothrow) VerilatedVcdC{&m->file};
  if (!m->trace)
    return false;
  Verilated::threadContextp(&m->context);
  inputs(m, static_cast<const block_in *>(in));
  eval(m, 1);
  m->v->trace(m->trace, 99);
  m->trace->open("");
  m->shown = *static_cast<const block_in *>(in);
  dump(m, 0, RTL_TRACE_EDGE);
  return true;
}

// Inputs of a cycle whose edge does not come.
void CAT(RTL_BLOCK, _rtl_trace_inputs)(void *p, const void *in) {
  model *m = static_cast<model *>(p);
  if (!std::memcmp(&m->shown, in, sizeof m->shown))
    return;
  inputs(m, static_cast<const block_in *>(in));
  show_inputs(m, static_cast<const block_in *>(in), RTL_TRACE_STILL);
}

void CAT(RTL_BLOCK, _rtl_trace_off)(void *p) {
  model *m = static_cast<model *>(p);
  Verilated::threadContextp(&m->context);
  delete m->trace;
  m->trace = nullptr;
}
}

#ifdef RTL_PARTS
#include RTL_PARTS
#endif

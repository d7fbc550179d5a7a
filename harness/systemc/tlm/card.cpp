// SPDX-License-Identifier: Apache-2.0
#include "card.h"

#include <algorithm>
#include <cstring>

namespace nearbank {

using namespace sc_core;

namespace {

constexpr std::uint64_t some_cycles = 32ull * CARD_PERIOD;
constexpr std::uint64_t piece = 1ull << 16;  // of host memory, loosely timed: one transaction

// Of SystemC and of the card.
std::uint64_t to_ps(const sc_time &t) {
  return t.value() / sc_time(1, SC_PS).value();
}
sc_time of_ps(std::uint64_t ps) {
  return sc_time::from_value(ps * sc_time(1, SC_PS).value());
}
std::uint64_t now() {
  return to_ps(sc_time_stamp());
}

// The rest of an access is at the initiator's own time, which SystemC's becomes.
void arrive(sc_time &delay) {
  if (delay != SC_ZERO_TIME)
    wait(delay);
  delay = SC_ZERO_TIME;
}

// What the base protocol wants a target to refuse that has neither byte enables nor streaming; and
// what asks for nothing.
bool refused(tlm::tlm_generic_payload &t) {
  if (t.get_command() == tlm::TLM_IGNORE_COMMAND)
    t.set_response_status(tlm::TLM_OK_RESPONSE);
  else if (t.get_byte_enable_ptr())
    t.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  else if (!t.get_data_length() || t.get_streaming_width() < t.get_data_length())
    t.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  else
    return false;
  return true;
}

}  // namespace

card::card(sc_module_name name, const ::card_ops *ops, const ::card_device &device,
           const card_timing &timing)
    : sc_module(name),
      registers("registers"),
      memory("memory"),
      host("host"),
      interrupt("interrupt"),
      ops_(ops),
      timing_(timing) {
  card_transport t = {};
  t.ctx = this;
  t.read = [](void *me, std::uint64_t at, void *to, std::uint64_t bytes) {
    return static_cast<card *>(me)->access(false, at, to, bytes);
  };
  t.write = [](void *me, std::uint64_t at, const void *from, std::uint64_t bytes) {
    return static_cast<card *>(me)->access(true, at, const_cast<void *>(from), bytes);
  };
  t.interrupt = [](void *me) {
    static_cast<card *>(me)->pending_ = true;
    static_cast<card *>(me)->raise_.notify(SC_ZERO_TIME);
  };
  t.features = CARD_FEATURES_MEMORY_WINDOW | CARD_FEATURES_INTERRUPTS;
  if (sc_get_time_resolution() > sc_time(1, SC_PS))
    SC_REPORT_FATAL("nearbank", "a card needs a time resolution of 1 ps or finer");
  card_ = ops->make(&device, &t);
  if (!card_)
    SC_REPORT_FATAL("nearbank", "out of memory");
  latency_ = of_ps(register_value(CARD_R_LINK_LATENCY) * 1000);
  up_ = static_cast<double>(register_value(CARD_R_LINK_UP));
  registers.register_b_transport(this, &card::registers_b);
  registers.register_transport_dbg(this, &card::registers_debug);
  memory.register_b_transport(this, &card::memory_b);
  memory.register_transport_dbg(this, &card::memory_debug);
  memory.register_get_direct_mem_ptr(this, &card::memory_dmi);
  host.register_invalidate_direct_mem_ptr(this, &card::host_invalid);
  SC_HAS_PROCESS(card);
  SC_THREAD(run);
  set_stack_size(1 << 20);
  SC_METHOD(pulse);
  sensitive << raise_;
  dont_initialize();
}

card::~card() {
  ops_->free(card_);
}

std::uint64_t card::register_value(std::uint64_t offset) const {
  std::uint64_t value = 0;
  ops_->read(card_, offset, 4, &value);
  return value;
}

// ---- time

const std::vector<shown> &card::show(unsigned contexts) {
  static const struct {
    std::string page, name;
    unsigned offset, bits;
  } all[] = {
#define CARD_REG(page, offset, bits, name, ...) {#page, #name, offset, bits},
#include "harness/systemc/card/card.def"
  };
  for (unsigned page = 0; page <= contexts; page++)
    for (const auto &r : all)
      if ((r.page == "CARD") == !page) {
        const std::string of = page ? "CONTEXT" + std::to_string(page - 1) + "_" : "";
        shown_.emplace_back(of + r.name, r.bits);
        offsets_.push_back(page * CARD_PAGE + r.offset);
      }
  look();
  return shown_;
}

void card::trace(sc_trace_file *f) const {
  nearbank::trace(f, name(), shown_);
  sc_trace(f, interrupt, interrupt.name());
}

void card::look() {
  for (unsigned n = 0; n < shown_.size(); n++) {
    std::uint64_t value = 0;
    ops_->read(card_, offsets_[n], shown_[n].bits / 8, &value);
    shown_[n].value->write(value);
  }
}

// Host memory may take time while the card runs, and doorbells that are rung meanwhile are not
// lost: the card looks at them before ops_->run returns.
void card::run() {
  const std::uint64_t ahead = loose() ? to_ps(timing_.quantum) : some_cycles;
  for (;;) {
    std::uint64_t bytes;
    const std::uint64_t next = ops_->run(card_, now(), ahead);
    look();
    if (!shown_.empty())
      went_on_.notify(SC_ZERO_TIME);
    if (granted_ && !ops_->window(card_, &bytes)) {
      granted_ = false;
      memory->invalidate_direct_mem_ptr(0, bytes - 1);
    }
    if (next == CARD_NEVER)
      wait(rung_);
    else if (next > now())
      wait(of_ps(next - now()), rung_);
  }
}

// Every pulse has an edge of its own: one that comes while the wire is up follows it.
void card::pulse() {
  const bool up = !interrupt.read() && pending_;
  if (up)
    pending_ = false;
  interrupt.write(up);
  if (up || pending_)
    next_trigger(1, SC_NS);
}

// The host's own accesses cross the link too: those that it does not wait for take no time of its
// own.
sc_time card::link_time(const tlm::tlm_generic_payload &t) const {
  return t.is_read() ? 2 * latency_ + sc_time(1e6 * t.get_data_length() / up_, SC_PS)
                     : SC_ZERO_TIME;
}

// ---- registers

void card::registers_b(tlm::tlm_generic_payload &t, sc_time &delay) {
  const unsigned bytes = t.get_data_length();
  std::uint64_t value = 0;
  bool ok;
  if (refused(t))
    return;
  if (bytes != 4 && bytes != 8) {
    t.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  arrive(delay);
  if (t.is_read()) {
    ok = ops_->read(card_, t.get_address(), bytes, &value);
    if (ok)
      std::memcpy(t.get_data_ptr(), &value, bytes);
  } else {
    std::memcpy(&value, t.get_data_ptr(), bytes);
    ok = ops_->write(card_, t.get_address(), bytes, value, now());
    look();
    rung_.notify(SC_ZERO_TIME);
  }
  delay += link_time(t);
  t.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

// Any bytes; a write does not ring.
unsigned card::registers_debug(tlm::tlm_generic_payload &t) {
  const unsigned bytes = t.get_command() == tlm::TLM_IGNORE_COMMAND ? 0 : t.get_data_length();
  for (unsigned n = 0; n < bytes; n++) {
    const std::uint64_t at = t.get_address() + n, word = at - at % 4;
    const unsigned bell = at < CARD_PAGE ? +CARD_R_DOORBELL : +CONTEXT_R_DOORBELL;
    unsigned char value[8] = {}, *byte = t.get_data_ptr() + n;
    std::uint64_t all = 0;
    if (!ops_->read(card_, word, 4, &all))
      return n;
    std::memcpy(value, &all, 4);
    if (t.is_read()) {
      *byte = value[at % 4];
    } else if (word % CARD_PAGE != bell) {
      value[at % 4] = *byte;
      std::memcpy(&all, value, 4);
      ops_->write(card_, word, 4, all, now());
    }
  }
  return bytes;
}

// ---- device memory

void card::memory_b(tlm::tlm_generic_payload &t, sc_time &delay) {
  const unsigned bytes = t.get_data_length();
  std::uint64_t all;
  if (refused(t))
    return;
  arrive(delay);
  const bool ok = t.is_read() ? ops_->window_read(card_, t.get_address(), t.get_data_ptr(), bytes)
                              : ops_->window_write(card_, t.get_address(), t.get_data_ptr(), bytes);
  delay += link_time(t);
  t.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  t.set_dmi_allowed(ok && ops_->window(card_, &all));
}

// As many bytes as there are.
unsigned card::memory_debug(tlm::tlm_generic_payload &t) {
  std::uint64_t all;
  ops_->window(card_, &all);
  if (t.get_command() == tlm::TLM_IGNORE_COMMAND || t.get_address() >= all)
    return 0;
  const unsigned bytes =
      static_cast<unsigned>(std::min<std::uint64_t>(t.get_data_length(), all - t.get_address()));
  if (t.is_read())
    ops_->window_read(card_, t.get_address(), t.get_data_ptr(), bytes);
  else
    ops_->window_write(card_, t.get_address(), t.get_data_ptr(), bytes);
  return bytes;
}

bool card::memory_dmi(tlm::tlm_generic_payload &t, tlm::tlm_dmi &dmi) {
  std::uint64_t bytes;
  std::uint8_t *at = ops_->window(card_, &bytes);
  const bool inside = t.get_address() < bytes;
  dmi.allow_read_write();  // granted, or refused
  dmi.set_start_address(inside ? 0 : bytes);
  dmi.set_end_address(inside ? bytes - 1 : ~0ull);
  if (!inside || !at)
    return false;
  granted_ = true;
  dmi.set_dmi_ptr(at);
  dmi.set_read_latency(2 * latency_);
  return true;
}

// ---- memory of the host

void card::host_invalid(sc_dt::uint64 first, sc_dt::uint64 last) {
  if (first <= host_dmi_.get_end_address() && last >= host_dmi_.get_start_address())
    have_host_ = false;
}

// False: direct access to all of these bytes is not granted.
bool card::direct(bool write, std::uint64_t offset, unsigned char *data, std::uint64_t bytes) {
  const tlm::tlm_dmi &d = host_dmi_;
  if (!have_host_ || !(write ? d.is_write_allowed() : d.is_read_allowed()))
    return false;
  if (offset < d.get_start_address() || offset > d.get_end_address() ||
      bytes - 1 > d.get_end_address() - offset)
    return false;
  sc_time delay = write ? d.get_write_latency() : d.get_read_latency();
  unsigned char *there = d.get_dmi_ptr() + (offset - d.get_start_address());
  std::memcpy(write ? there : data, write ? data : there, bytes);
  arrive(delay);
  return true;
}

bool card::burst(bool write, std::uint64_t offset, unsigned char *data, unsigned bytes) {
  tlm::tlm_generic_payload t;
  sc_time delay = SC_ZERO_TIME;
  t.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  t.set_address(offset);
  t.set_data_ptr(data);
  t.set_data_length(bytes);
  t.set_streaming_width(bytes);
  host->b_transport(t, delay);
  arrive(delay);
  if (loose() && t.is_dmi_allowed()) {
    t.set_address(offset);  // an interconnect may have changed it
    host_dmi_.init();
    have_host_ = host->get_direct_mem_ptr(t, host_dmi_);
  }
  return t.is_response_ok();
}

bool card::access(bool write, std::uint64_t offset, void *data, std::uint64_t bytes) {
  unsigned char *at = static_cast<unsigned char *>(data);
  for (const std::uint64_t most = loose() ? piece : timing_.burst_bytes; bytes;) {
    const std::uint64_t n = std::min(bytes, most);
    if (!direct(write, offset, at, n) && !burst(write, offset, at, static_cast<unsigned>(n)))
      return false;
    offset += n, at += n, bytes -= n;
  }
  return true;
}

}  // namespace nearbank

// SPDX-License-Identifier: Apache-2.0
#include "card.h"

#include <cstring>

extern "C" {
#include "harness/systemc/card/card_ops.h"
}

namespace nearbank {

using namespace sc_core;

namespace {

constexpr std::uint64_t some_cycles = 32ull * CARD_PERIOD;

const sc_time period(1, SC_NS);

// The base protocol says which accesses a target has to refuse; registers and memory refuse the same.
bool odd(tlm::tlm_generic_payload &t) {
  if (t.get_command() == tlm::TLM_IGNORE_COMMAND) {
    t.set_response_status(tlm::TLM_OK_RESPONSE);
    return true;
  }
  if (t.get_byte_enable_ptr()) {
    t.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return true;
  }
  if (t.get_streaming_width() < t.get_data_length()) {
    t.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return true;
  }
  return false;
}

}  // namespace

card::card(sc_module_name name, const ::card_ops *ops, const ::config *config, ::machine *m, ::sim *s,
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
  card_ = ops->make(config, m, s, &t);
  if (!card_)
    SC_REPORT_FATAL("nearbank", "out of memory");
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

// The host's own accesses cross the link too: those that it does not wait for take no time of its own.
void card::link(const tlm::tlm_generic_payload &t, sc_time &delay) const {
  if (!t.is_read())
    return;
  std::uint64_t latency = 0, up = 0;
  ops_->read(card_, CARD_R_LINK_LATENCY, 4, &latency);
  ops_->read(card_, CARD_R_LINK_UP, 4, &up);
  delay += sc_time(2.0 * static_cast<double>(latency), SC_NS);
  delay += sc_time(1e6 * t.get_data_length() / static_cast<double>(up), SC_PS);
}

card::~card() {
  ops_->free(card_);
}

std::uint64_t card::now(const sc_time &delay) const {
  return static_cast<std::uint64_t>((sc_time_stamp() + delay) / sc_time(1, SC_PS) + 0.5);
}

void card::run() {
  const bool loose = timing_.quantum != SC_ZERO_TIME;
  const std::uint64_t ahead =
      loose ? static_cast<std::uint64_t>(timing_.quantum / sc_time(1, SC_PS)) : some_cycles;
  for (;;) {
    std::uint64_t bytes;
    const std::uint64_t next = ops_->run(card_, now(), ahead);
    if (granted_ && !ops_->window(card_, &bytes)) {
      granted_ = false;
      memory->invalidate_direct_mem_ptr(0, bytes - 1);
    }
    if (next == CARD_NEVER)
      wait(rung_);
    else
      wait(sc_time(static_cast<double>(next - now()), SC_PS), rung_);
  }
}

// Every pulse has an edge of its own: one that comes while the wire is up follows it.
void card::pulse() {
  if (interrupt.read()) {
    interrupt.write(false);
    if (pending_)
      next_trigger(period);
    return;
  }
  if (!pending_)
    return;
  pending_ = false;
  interrupt.write(true);
  next_trigger(period);
}

// ---- registers

void card::registers_b(tlm::tlm_generic_payload &t, sc_time &delay) {
  if (odd(t))
    return;
  const unsigned bytes = t.get_data_length();
  std::uint64_t value = 0;
  bool ok;
  link(t, delay);
  if (t.is_read()) {
    ok = ops_->read(card_, t.get_address(), bytes, &value);
    if (ok)
      std::memcpy(t.get_data_ptr(), &value, bytes);
  } else {
    if (bytes <= sizeof value)
      std::memcpy(&value, t.get_data_ptr(), bytes);
    ok = ops_->write(card_, t.get_address(), bytes, value, now(delay));
    rung_.notify(delay);
  }
  t.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

// Reads anything; a write does not ring.
unsigned card::registers_debug(tlm::tlm_generic_payload &t) {
  unsigned done = 0;
  for (; done + 4 <= t.get_data_length(); done += 4) {
    const std::uint64_t at = t.get_address() + done;
    std::uint64_t value = 0;
    const bool bell = at % CARD_PAGE == (at < CARD_PAGE ? +CARD_R_DOORBELL : +CONTEXT_R_DOORBELL);
    if (t.is_read() ? !ops_->read(card_, at, 4, &value) : at >= CARD_REGISTERS || at % 4 != 0)
      break;
    if (t.is_read()) {
      std::memcpy(t.get_data_ptr() + done, &value, 4);
    } else if (!bell) {
      std::memcpy(&value, t.get_data_ptr() + done, 4);
      ops_->write(card_, at, 4, value, now());
    }
  }
  return done;
}

// ---- device memory

void card::memory_b(tlm::tlm_generic_payload &t, sc_time &delay) {
  if (odd(t))
    return;
  link(t, delay);
  const bool ok = t.is_read()
                      ? ops_->window_read(card_, t.get_address(), t.get_data_ptr(), t.get_data_length())
                      : ops_->window_write(card_, t.get_address(), t.get_data_ptr(), t.get_data_length());
  std::uint64_t bytes;
  t.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  t.set_dmi_allowed(ok && ops_->window(card_, &bytes));
}

unsigned card::memory_debug(tlm::tlm_generic_payload &t) {
  const bool ok = t.is_read()
                      ? ops_->window_read(card_, t.get_address(), t.get_data_ptr(), t.get_data_length())
                      : ops_->window_write(card_, t.get_address(), t.get_data_ptr(), t.get_data_length());
  return ok ? t.get_data_length() : 0;
}

bool card::memory_dmi(tlm::tlm_generic_payload &t, tlm::tlm_dmi &dmi) {
  std::uint64_t bytes;
  std::uint8_t *at = ops_->window(card_, &bytes);
  dmi.init();
  dmi.set_start_address(0);
  dmi.set_end_address(bytes - 1);
  if (!at || t.get_address() >= bytes) {
    dmi.allow_none();
    return false;
  }
  granted_ = true;
  dmi.set_dmi_ptr(at);
  dmi.allow_read_write();
  return true;
}

// ---- memory of the host

void card::host_invalid(sc_dt::uint64 first, sc_dt::uint64 last) {
  if (have_host_ && first <= host_dmi_.get_end_address() && last >= host_dmi_.get_start_address())
    have_host_ = false;
}

bool card::burst(bool write, std::uint64_t offset, unsigned char *data, unsigned bytes) {
  tlm::tlm_generic_payload t;
  sc_time delay = SC_ZERO_TIME;
  t.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  t.set_address(offset);
  t.set_data_ptr(data);
  t.set_data_length(bytes);
  t.set_streaming_width(bytes);
  t.set_byte_enable_ptr(nullptr);
  t.set_dmi_allowed(false);
  t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  host->b_transport(t, delay);
  if (delay != SC_ZERO_TIME)
    wait(delay);
  if (t.is_dmi_allowed() && !have_host_ && timing_.quantum != SC_ZERO_TIME) {
    host_dmi_.init();
    have_host_ = host->get_direct_mem_ptr(t, host_dmi_);
  }
  return t.is_response_ok();
}

bool card::access(bool write, std::uint64_t offset, void *data, std::uint64_t bytes) {
  unsigned char *at = static_cast<unsigned char *>(data);
  const unsigned most = timing_.quantum != SC_ZERO_TIME ? 1u << 16 : timing_.burst_bytes;
  while (bytes) {
    if (have_host_ && offset >= host_dmi_.get_start_address() &&
        bytes - 1 <= host_dmi_.get_end_address() - offset && offset <= host_dmi_.get_end_address() &&
        (write ? host_dmi_.is_write_allowed() : host_dmi_.is_read_allowed())) {
      unsigned char *memory = host_dmi_.get_dmi_ptr() + (offset - host_dmi_.get_start_address());
      std::memcpy(write ? memory : at, write ? at : memory, bytes);
      return true;
    }
    const unsigned n = bytes < most ? static_cast<unsigned>(bytes) : most;
    if (!burst(write, offset, at, n))
      return false;
    offset += n, at += n, bytes -= n;
  }
  return true;
}

}  // namespace nearbank

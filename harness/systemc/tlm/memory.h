// SPDX-License-Identifier: Apache-2.0
// nearbank::memory: memory of a host, of a given time an access, with direct access or without.
#ifndef NEARBANK_SYSTEMC_MEMORY_H
#define NEARBANK_SYSTEMC_MEMORY_H

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace nearbank {

class memory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<memory> socket;

  // The bytes stay the caller's.
  memory(sc_core::sc_module_name name, unsigned char *at, std::uint64_t bytes,
         sc_core::sc_time latency = sc_core::SC_ZERO_TIME, bool direct = true)
      : sc_module(name),
        socket("socket"),
        at_(at),
        bytes_(bytes),
        latency_(latency),
        direct_(direct) {
    socket.register_b_transport(this, &memory::b_transport);
    socket.register_transport_dbg(this, &memory::transport_dbg);
    socket.register_get_direct_mem_ptr(this, &memory::get_direct_mem_ptr);
  }

 private:
  // How many of a transaction's bytes are there; it moves so many.
  unsigned move(tlm::tlm_generic_payload &t, bool all) {
    const std::uint64_t at = t.get_address(), left = at < bytes_ ? bytes_ - at : 0;
    const unsigned n = static_cast<unsigned>(std::min<std::uint64_t>(t.get_data_length(), left));
    if (t.get_command() == tlm::TLM_IGNORE_COMMAND || (all && n < t.get_data_length()))
      return 0;
    if (t.is_read())
      std::memcpy(t.get_data_ptr(), at_ + at, n);
    else
      std::memcpy(at_ + at, t.get_data_ptr(), n);
    return n;
  }

  void b_transport(tlm::tlm_generic_payload &t, sc_core::sc_time &delay) {
    if (t.get_command() == tlm::TLM_IGNORE_COMMAND) {
      t.set_response_status(tlm::TLM_OK_RESPONSE);
    } else if (t.get_byte_enable_ptr()) {
      t.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    } else if (!t.get_data_length() || t.get_streaming_width() < t.get_data_length()) {
      t.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    } else if (!move(t, true)) {
      t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    } else {
      delay += latency_;
      t.set_dmi_allowed(direct_);
      t.set_response_status(tlm::TLM_OK_RESPONSE);
    }
  }

  unsigned transport_dbg(tlm::tlm_generic_payload &t) { return move(t, false); }

  bool get_direct_mem_ptr(tlm::tlm_generic_payload &t, tlm::tlm_dmi &dmi) {
    const bool inside = t.get_address() < bytes_;
    dmi.allow_read_write();  // granted, or refused
    dmi.set_start_address(inside ? 0 : bytes_);
    dmi.set_end_address(inside ? bytes_ - 1 : ~0ull);
    if (!direct_ || !inside)
      return false;
    dmi.set_dmi_ptr(at_);
    dmi.set_read_latency(latency_);
    dmi.set_write_latency(latency_);
    return true;
  }

  unsigned char *at_;
  std::uint64_t bytes_;
  sc_core::sc_time latency_;
  bool direct_;
};

}  // namespace nearbank

#endif

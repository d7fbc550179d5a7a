// SPDX-License-Identifier: Apache-2.0
// nearbank::memory: memory of a host, of a given time an access, with direct access.
#ifndef NEARBANK_SYSTEMC_MEMORY_H
#define NEARBANK_SYSTEMC_MEMORY_H

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <cstring>

namespace nearbank {

class memory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<memory> socket;

  // The bytes stay the caller's.
  memory(sc_core::sc_module_name name, unsigned char *at, std::uint64_t bytes,
         sc_core::sc_time latency = sc_core::SC_ZERO_TIME, bool direct = true)
      : sc_module(name), socket("socket"), at_(at), bytes_(bytes), latency_(latency), direct_(direct) {
    socket.register_b_transport(this, &memory::b_transport);
    socket.register_transport_dbg(this, &memory::transport_dbg);
    socket.register_get_direct_mem_ptr(this, &memory::get_direct_mem_ptr);
  }

 private:
  bool inside(const tlm::tlm_generic_payload &t) const {
    return t.get_address() <= bytes_ && t.get_data_length() <= bytes_ - t.get_address();
  }

  void move(tlm::tlm_generic_payload &t) {
    unsigned char *mine = at_ + t.get_address();
    if (t.is_read())
      std::memcpy(t.get_data_ptr(), mine, t.get_data_length());
    else if (t.is_write())
      std::memcpy(mine, t.get_data_ptr(), t.get_data_length());
  }

  void b_transport(tlm::tlm_generic_payload &t, sc_core::sc_time &delay) {
    if (t.get_byte_enable_ptr()) {
      t.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    } else if (t.get_streaming_width() < t.get_data_length()) {
      t.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    } else if (!inside(t)) {
      t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    } else {
      move(t);
      delay += latency_;
      t.set_dmi_allowed(direct_);
      t.set_response_status(tlm::TLM_OK_RESPONSE);
    }
  }

  unsigned transport_dbg(tlm::tlm_generic_payload &t) {
    if (!inside(t))
      return 0;
    move(t);
    return t.get_data_length();
  }

  bool get_direct_mem_ptr(tlm::tlm_generic_payload &, tlm::tlm_dmi &dmi) {
    dmi.init();
    dmi.set_start_address(0);
    dmi.set_end_address(bytes_ - 1);
    if (!direct_) {
      dmi.allow_none();
      return false;
    }
    dmi.set_dmi_ptr(at_);
    dmi.set_read_latency(latency_);
    dmi.set_write_latency(latency_);
    dmi.allow_read_write();
    return true;
  }

  unsigned char *at_;
  std::uint64_t bytes_;
  sc_core::sc_time latency_;
  bool direct_;
};

}  // namespace nearbank

#endif

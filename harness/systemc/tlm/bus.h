// SPDX-License-Identifier: Apache-2.0
// nearbank::bus: a loosely timed interconnect. A range of addresses belongs to each target, which
// sees offsets in it. It adds no time, and lets accesses of several initiators pass at the same
// time.
#ifndef NEARBANK_SYSTEMC_BUS_H
#define NEARBANK_SYSTEMC_BUS_H

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nearbank {

class bus : public sc_core::sc_module {
 public:
  using in = tlm_utils::simple_target_socket_tagged<bus>;
  using out = tlm_utils::simple_initiator_socket_tagged<bus>;

  sc_core::sc_vector<in> from;  // initiators bind to these

  bus(sc_core::sc_module_name name, unsigned initiators, unsigned targets)
      : sc_module(name), from("from", initiators), to_("to", targets), ranges_(targets) {
    for (unsigned n = 0; n < initiators; n++) {
      from[n].register_b_transport(this, &bus::b_transport, static_cast<int>(n));
      from[n].register_transport_dbg(this, &bus::transport_dbg, static_cast<int>(n));
      from[n].register_get_direct_mem_ptr(this, &bus::get_direct_mem_ptr, static_cast<int>(n));
    }
    for (unsigned n = 0; n < targets; n++)
      to_[n].register_invalidate_direct_mem_ptr(this, &bus::invalidate, static_cast<int>(n));
  }

  // Target n has these addresses. Ranges do not overlap.
  template <class socket>
  void to(unsigned n, std::uint64_t first, std::uint64_t bytes, socket &target) {
    ranges_[n] = {first, bytes, &to_[n]};
    to_[n].bind(target);
  }

 private:
  using payload = tlm::tlm_generic_payload;
  struct range {
    std::uint64_t first = 0, bytes = 0;
    out *socket = nullptr;
  };

  // Whose an address is, or NULL.
  range *find(std::uint64_t address) {
    for (range &r : ranges_)
      if (address - r.first < r.bytes)
        return &r;
    return nullptr;
  }

  void b_transport(int, payload &t, sc_core::sc_time &delay) {
    const std::uint64_t address = t.get_address();
    range *r = find(address);
    if (!r || t.get_data_length() > r->bytes - (address - r->first)) {
      t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    t.set_address(address - r->first);
    (*r->socket)->b_transport(t, delay);
    t.set_address(address);
  }

  // As many bytes as are in the range, and in the target.
  unsigned transport_dbg(int, payload &t) {
    range *r = find(t.get_address());
    payload part;
    if (!r)
      return 0;
    const std::uint64_t at = t.get_address() - r->first;
    part.set_command(t.get_command());
    part.set_address(at);
    part.set_data_ptr(t.get_data_ptr());
    part.set_data_length(
        static_cast<unsigned>(std::min<std::uint64_t>(t.get_data_length(), r->bytes - at)));
    return (*r->socket)->transport_dbg(part);
  }

  // Nothing is granted beyond the range.
  bool get_direct_mem_ptr(int, payload &t, tlm::tlm_dmi &dmi) {
    const std::uint64_t address = t.get_address();
    range *r = find(address);
    if (!r) {
      dmi.allow_read_write();
      dmi.set_start_address(address);
      dmi.set_end_address(address);
      return false;
    }
    t.set_address(address - r->first);
    const bool ok = (*r->socket)->get_direct_mem_ptr(t, dmi);
    t.set_address(address);
    dmi.set_start_address(dmi.get_start_address() + r->first);
    dmi.set_end_address(std::min<std::uint64_t>(dmi.get_end_address(), r->bytes - 1) + r->first);
    return ok;
  }

  void invalidate(int n, sc_dt::uint64 first, sc_dt::uint64 last) {
    const range &r = ranges_[static_cast<unsigned>(n)];
    if (first >= r.bytes)
      return;
    for (auto &i : from)
      i->invalidate_direct_mem_ptr(first + r.first,
                                   std::min<std::uint64_t>(last, r.bytes - 1) + r.first);
  }

  sc_core::sc_vector<out> to_;
  std::vector<range> ranges_;
};

}  // namespace nearbank

#endif

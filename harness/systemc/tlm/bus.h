// SPDX-License-Identifier: Apache-2.0
// nearbank::bus: a loosely timed interconnect. A range of addresses belongs to each target, which sees
// offsets in it. It adds no time.
#ifndef NEARBANK_SYSTEMC_BUS_H
#define NEARBANK_SYSTEMC_BUS_H

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace nearbank {

class bus : public sc_core::sc_module {
 public:
  using in = tlm_utils::simple_target_socket_tagged<bus>;
  using out = tlm_utils::simple_initiator_socket_tagged<bus>;

  explicit bus(sc_core::sc_module_name name) : sc_module(name) {}

  // The socket for another initiator, and for another target: before simulation begins.
  in &from() {
    const int n = static_cast<int>(in_.size());
    in_.emplace_back(new in(sc_core::sc_gen_unique_name("in")));
    in_.back()->register_b_transport(this, &bus::b_transport, n);
    in_.back()->register_transport_dbg(this, &bus::transport_dbg, n);
    in_.back()->register_get_direct_mem_ptr(this, &bus::get_direct_mem_ptr, n);
    return *in_.back();
  }
  out &to(std::uint64_t first, std::uint64_t bytes) {
    const int n = static_cast<int>(out_.size());
    out_.push_back({first, bytes, std::unique_ptr<out>(new out(sc_core::sc_gen_unique_name("out")))});
    out_.back().socket->register_invalidate_direct_mem_ptr(this, &bus::invalidate, n);
    return *out_.back().socket;
  }

 private:
  struct range {
    std::uint64_t first, bytes;
    std::unique_ptr<out> socket;
  };

  // Whose all bytes of a transaction are, or NULL.
  range *find(const tlm::tlm_generic_payload &t) {
    for (range &r : out_)
      if (t.get_address() >= r.first && t.get_address() - r.first < r.bytes &&
          t.get_data_length() <= r.bytes - (t.get_address() - r.first))
        return &r;
    return nullptr;
  }

  void b_transport(int, tlm::tlm_generic_payload &t, sc_core::sc_time &delay) {
    range *r = find(t);
    if (!r) {
      t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    t.set_address(t.get_address() - r->first);
    (*r->socket)->b_transport(t, delay);
    t.set_address(t.get_address() + r->first);
  }

  unsigned transport_dbg(int, tlm::tlm_generic_payload &t) {
    range *r = find(t);
    if (!r)
      return 0;
    t.set_address(t.get_address() - r->first);
    const unsigned n = (*r->socket)->transport_dbg(t);
    t.set_address(t.get_address() + r->first);
    return n;
  }

  bool get_direct_mem_ptr(int, tlm::tlm_generic_payload &t, tlm::tlm_dmi &dmi) {
    range *r = find(t);
    if (!r)
      return false;
    t.set_address(t.get_address() - r->first);
    const bool ok = (*r->socket)->get_direct_mem_ptr(t, dmi);
    t.set_address(t.get_address() + r->first);
    const std::uint64_t last = r->bytes - 1;
    dmi.set_start_address(dmi.get_start_address() + r->first);
    dmi.set_end_address((dmi.get_end_address() < last ? dmi.get_end_address() : last) + r->first);
    return ok;
  }

  void invalidate(int n, sc_dt::uint64 first, sc_dt::uint64 last) {
    const range &r = out_[static_cast<unsigned>(n)];
    for (auto &i : in_)
      (*i)->invalidate_direct_mem_ptr(first + r.first, (last < r.bytes ? last : r.bytes - 1) + r.first);
  }

  std::vector<std::unique_ptr<in>> in_;
  std::vector<range> out_;
};

}  // namespace nearbank

#endif

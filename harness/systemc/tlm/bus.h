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
#include <cstring>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/systemc/tlm/shown.h"

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

  // What initiator n does, as signals: transactions so far, how many are under way, and of the
  // latest one whether it writes, address, bytes, and the first 8 of these. Once, before the
  // simulation begins.
  const std::vector<shown> &show(unsigned n) {
    if (lanes_.empty())
      lanes_.resize(from.size());
    lanes_[n].reset(new lane);
    return lanes_[n]->signals;
  }

 private:
  using payload = tlm::tlm_generic_payload;
  struct range {
    std::uint64_t first = 0, bytes = 0;
    out *socket = nullptr;
  };

  // Of an initiator that is shown.
  struct lane : sc_core::sc_object {
    enum { COUNT, BUSY, WRITE, ADDRESS, BYTES, DATA };
    std::vector<shown> signals;
    std::uint64_t count = 0, busy = 0;
    sc_core::sc_event_queue ends;

    lane()
        : sc_object(sc_core::sc_gen_unique_name("lane")),
          ends(sc_core::sc_gen_unique_name("ends")) {
      signals.emplace_back("count", 32);
      signals.emplace_back("busy", 8);
      signals.emplace_back("write", 1);
      signals.emplace_back("address", 64);
      signals.emplace_back("bytes", 32);
      signals.emplace_back("data", 64);
      sc_core::sc_spawn_options o;
      o.spawn_method();
      o.dont_initialize();
      o.set_sensitivity(&ends);
      sc_core::sc_spawn([this] { signals[BUSY].value->write(--busy); }, nullptr, &o);
    }
    void begin(const payload &t, std::uint64_t address) {
      signals[COUNT].value->write(++count);
      signals[BUSY].value->write(++busy);
      signals[WRITE].value->write(t.is_write());
      signals[ADDRESS].value->write(address);
      signals[BYTES].value->write(t.get_data_length());
    }
    void end(const payload &t, const sc_core::sc_time &delay) {
      std::uint64_t data = 0;
      std::memcpy(&data, t.get_data_ptr(), std::min(8u, t.get_data_length()));
      signals[DATA].value->write(data);
      ends.notify(delay);
    }
  };

  // Whose an address is, or NULL.
  range *find(std::uint64_t address) {
    for (range &r : ranges_)
      if (address - r.first < r.bytes)
        return &r;
    return nullptr;
  }

  void b_transport(int n, payload &t, sc_core::sc_time &delay) {
    const std::uint64_t address = t.get_address();
    range *r = find(address);
    lane *l = lanes_.empty() ? nullptr : lanes_[static_cast<unsigned>(n)].get();
    if (l)
      l->begin(t, address);
    if (!r || t.get_data_length() > r->bytes - (address - r->first)) {
      t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    } else {
      t.set_address(address - r->first);
      (*r->socket)->b_transport(t, delay);
      t.set_address(address);
    }
    if (l)
      l->end(t, delay);
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
  std::vector<std::unique_ptr<lane>> lanes_;  // of initiators; none: nothing is shown
};

}  // namespace nearbank

#endif

// SPDX-License-Identifier: Apache-2.0
// Memories of a host in the coding styles of TLM-2.0, beside nearbank::memory.
#ifndef NEARBANK_TB_TLM_TARGETS_H
#define NEARBANK_TB_TLM_TARGETS_H

#include "tb/systemc/tlm/masters.h"

#include <algorithm>
#include <deque>

namespace targets {

using payload = tlm::tlm_generic_payload;
using sc_core::sc_time;

inline void execute(payload &t, std::vector<unsigned char> &bytes) {
  const std::uint64_t at = t.get_address(), n = t.get_data_length();
  if (at > bytes.size() || n > bytes.size() - at) {
    t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (t.is_read())
    std::memcpy(t.get_data_ptr(), &bytes[at], n);
  else
    std::memcpy(&bytes[at], t.get_data_ptr(), n);
  t.set_response_status(tlm::TLM_OK_RESPONSE);
}

// Loosely timed with direct access, which it takes back: its bytes then are elsewhere.
class moving : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<moving> socket;
  std::vector<unsigned char> bytes;
  bool grants = true;
  std::uint64_t granted = 0;

  moving(sc_core::sc_module_name name, std::size_t n)
      : sc_module(name), socket("socket"), bytes(n) {
    socket.register_b_transport(this, &moving::b_transport);
    socket.register_transport_dbg(this, &moving::transport_dbg);
    socket.register_get_direct_mem_ptr(this, &moving::get_direct_mem_ptr);
  }
  void invalidate(std::uint64_t first, std::uint64_t last) {
    socket->invalidate_direct_mem_ptr(first, last);
  }
  void move() {
    invalidate(0, bytes.size() - 1);
    std::vector<unsigned char> elsewhere(bytes);
    bytes.swap(elsewhere);
    std::memset(elsewhere.data(), 0xee, elsewhere.size());
    left_.push_back(std::move(elsewhere));  // whoever still writes there does so in vain
  }

 private:
  void b_transport(payload &t, sc_time &) {
    execute(t, bytes);
    t.set_dmi_allowed(grants && t.is_response_ok());
  }
  unsigned transport_dbg(payload &t) {
    execute(t, bytes);
    return t.is_response_ok() ? t.get_data_length() : 0;
  }
  bool get_direct_mem_ptr(payload &, tlm::tlm_dmi &dmi) {
    dmi.allow_read_write();
    dmi.set_start_address(0);
    dmi.set_end_address(bytes.size() - 1);
    if (!grants)
      return false;
    dmi.set_dmi_ptr(bytes.data());
    granted++;
    return true;
  }
  std::vector<std::vector<unsigned char>> left_;
};

// Loosely timed with direct access to the page of an address only, which in every other page is for
// reading; in an address space of its own. As the standard allows, addresses come back as it left
// them.
class paged : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<paged> socket;
  std::vector<unsigned char> bytes;
  enum { page = 4096 };
  static constexpr std::uint64_t base = 1ull << 40;
  unsigned largest = 0;  // transaction
  unsigned writes = 0;   // of pages for reading, by transactions

  paged(sc_core::sc_module_name name, std::size_t n) : sc_module(name), socket("socket"), bytes(n) {
    socket.register_b_transport(this, &paged::b_transport);
    socket.register_get_direct_mem_ptr(this, &paged::get_direct_mem_ptr);
  }

 private:
  void b_transport(payload &t, sc_time &) {
    largest = std::max(largest, t.get_data_length());
    writes += t.is_write() && t.get_address() / page % 2;
    execute(t, bytes);
    t.set_address(t.get_address() + base);
    t.set_dmi_allowed(t.is_response_ok());
  }
  bool get_direct_mem_ptr(payload &t, tlm::tlm_dmi &dmi) {
    const std::uint64_t at = t.get_address(), first = at - at % page;
    const bool inside = at < bytes.size(), only_reads = at / page % 2;
    t.set_address(at + base);
    dmi.allow_read_write();
    if (inside && only_reads && t.is_read())
      dmi.allow_read();
    dmi.set_start_address(first);
    dmi.set_end_address(first + (page - 1));
    if (!inside || (only_reads && t.is_write()))
      return false;
    dmi.set_dmi_ptr(&bytes[first]);
    return true;
  }
};

// Approximately timed. What it says to BEGIN_REQ, and how it goes on:
enum class style {
  four,      // ACCEPTED; END_REQ; BEGIN_RESP
  end_req,   // UPDATED to END_REQ; BEGIN_RESP
  skips,     // ACCEPTED; BEGIN_RESP, which stands for END_REQ too
  response,  // UPDATED to BEGIN_RESP
  completed  // COMPLETED
};

class timed : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<timed> socket;
  std::vector<unsigned char> bytes;

  timed(sc_core::sc_module_name name, std::size_t n, style s, sc_time latency)
      : sc_module(name),
        socket("socket"),
        bytes(n),
        style_(s),
        latency_(latency),
        peq_(this, &timed::comes) {
    socket.register_nb_transport_fw(this, &timed::nb_transport_fw);
  }

 private:
  tlm::tlm_sync_enum nb_transport_fw(payload &t, tlm::tlm_phase &phase, sc_time &delay) {
    if (phase == tlm::END_RESP) {
      peq_.notify(t, phase, delay);
      return tlm::TLM_ACCEPTED;
    }
    if (style_ == style::completed) {
      execute(t, bytes);
      delay += latency_;
      return tlm::TLM_COMPLETED;
    }
    t.acquire();
    if (style_ == style::response && !responding_ && waiting_.empty()) {
      execute(t, bytes);
      responding_ = true;
      delay += latency_;
      phase = tlm::BEGIN_RESP;
      return tlm::TLM_UPDATED;
    }
    peq_.notify(t, tlm::BEGIN_REQ, delay);
    if (style_ != style::end_req)
      return tlm::TLM_ACCEPTED;
    delay += latency_ / 2;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  // BEGIN_RESP: it is time for it.
  void comes(payload &t, const tlm::tlm_phase &phase) {
    if (phase == tlm::BEGIN_REQ) {
      if (style_ == style::four)
        peq_.notify(t, tlm::END_REQ, latency_ / 2);
      else
        peq_.notify(t, tlm::BEGIN_RESP, latency_);
    } else if (phase == tlm::END_REQ) {
      send(t, tlm::END_REQ);
      peq_.notify(t, tlm::BEGIN_RESP, latency_ - latency_ / 2);
    } else if (phase == tlm::BEGIN_RESP) {
      execute(t, bytes);
      waiting_.push_back(&t);
      respond();
    } else {
      responding_ = false;
      t.release();
      respond();
    }
  }

  tlm::tlm_sync_enum send(payload &t, tlm::tlm_phase phase) {
    sc_time none = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum how = socket->nb_transport_bw(t, phase, none);
    if (phase == tlm::END_RESP || how == tlm::TLM_COMPLETED)
      peq_.notify(t, tlm::END_RESP, none);
    return how;
  }

  void respond() {
    if (responding_ || waiting_.empty())
      return;
    payload *t = waiting_.front();
    waiting_.pop_front();
    responding_ = true;
    send(*t, tlm::BEGIN_RESP);
  }

  style style_;
  sc_time latency_;
  tlm_utils::peq_with_cb_and_phase<timed> peq_;
  std::deque<payload *> waiting_;
  bool responding_ = false;
};

// b_transport in front of a target that has nb_transport only.
class to_timed : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<to_timed> socket;
  masters::timed out;

  to_timed(sc_core::sc_module_name name, masters::answer how, sc_time accept)
      : sc_module(name), socket("socket"), out("out", how, accept) {
    socket.register_b_transport(this, &to_timed::b_transport);
  }

 private:
  void b_transport(payload &t, sc_time &delay) {
    wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    t.set_response_status(
        out.access(t.get_command(), t.get_address(), t.get_data_ptr(), t.get_data_length()));
  }
};

}  // namespace targets

#endif

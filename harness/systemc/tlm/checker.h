// SPDX-License-Identifier: Apache-2.0
// nearbank::checker: stands between an initiator and a target, passes everything on, and reports what
// breaks the base protocol of TLM-2.0 (IEEE 1666-2011, section 15). One initiator, one target.
//
//     initiator --> checker.target   checker.initiator --> target
//
// Rules, with the number that a report carries:
//   1  on the way out: a command that is one; data, their length and the streaming width are there; a
//      byte enable pointer has a length; the response is INCOMPLETE and direct access not allowed
//   2  on the way back: the response is not INCOMPLETE
//   3  command, data pointer, lengths, streaming width and byte enables stay what they were
//   4  phases come in their order, each once: BEGIN_REQ, END_REQ, BEGIN_RESP, END_RESP
//   5  no BEGIN_REQ before the request before it has ended, no BEGIN_RESP before the response has
//   6  what a call returns fits: ACCEPTED leaves the phase alone, UPDATED moves it on
//   7  a transaction of nb_transport has a memory manager and is held (its reference count is not 0)
//   8  transport_dbg and get_direct_mem_ptr take no time; debug moves at most what was asked
//   9  a granted range includes the address, and has a pointer where it may be used
//  10  direct access is used only while it is granted: invalidations are passed on (counted here)
#ifndef NEARBANK_SYSTEMC_CHECKER_H
#define NEARBANK_SYSTEMC_CHECKER_H

#include <systemc>
#include <tlm>

#include <cstdint>
#include <map>
#include <string>

namespace nearbank {

class checker : public sc_core::sc_module,
                public tlm::tlm_fw_transport_if<>,
                public tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_target_socket<> target;
  tlm::tlm_initiator_socket<> initiator;

  std::uint64_t transactions = 0, phases = 0, grants = 0, invalidations = 0, broken = 0;
  bool fatal = true;  // a broken rule ends the simulation; else it is counted

  explicit checker(sc_core::sc_module_name name)
      : sc_module(name), target("target"), initiator("initiator") {
    target.bind(*this);
    initiator.bind(*this);
  }

 private:
  struct fields {
    tlm::tlm_command command;
    unsigned char *data, *enables;
    unsigned length, enables_length, width;
    explicit fields(const tlm::tlm_generic_payload &t)
        : command(t.get_command()),
          data(t.get_data_ptr()),
          enables(t.get_byte_enable_ptr()),
          length(t.get_data_length()),
          enables_length(t.get_byte_enable_length()),
          width(t.get_streaming_width()) {}
    bool operator==(const fields &o) const {
      return command == o.command && data == o.data && enables == o.enables && length == o.length &&
             enables_length == o.enables_length && width == o.width;
    }
  };
  struct under_way {
    fields before;
    int phase;  // that it has come to: 1 BEGIN_REQ to 4 END_RESP
  };

  void rule(int number, bool ok, const char *what) {
    if (ok)
      return;
    broken++;
    const std::string text = std::string(name()) + ": rule " + std::to_string(number) + ": " + what;
    if (fatal)
      SC_REPORT_FATAL("nearbank/checker", text.c_str());
    else
      SC_REPORT_INFO("nearbank/checker", text.c_str());
  }

  void going(tlm::tlm_generic_payload &t) {
    const bool moves = t.get_command() != tlm::TLM_IGNORE_COMMAND;
    rule(1, t.get_command() == tlm::TLM_READ_COMMAND || t.get_command() == tlm::TLM_WRITE_COMMAND || !moves,
         "the command is not one");
    rule(1, !moves || t.get_data_ptr(), "no data pointer");
    rule(1, !moves || t.get_data_length(), "a data length of 0");
    rule(1, t.get_streaming_width() != 0, "a streaming width of 0");
    rule(1, !t.get_byte_enable_ptr() || t.get_byte_enable_length(), "byte enables without a length");
    rule(1, t.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE, "the response is there before the request");
    rule(1, !t.is_dmi_allowed(), "direct access is allowed before the target said so");
    transactions++;
  }

  void back(const fields &before, const tlm::tlm_generic_payload &t) {
    rule(2, t.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE, "the target gave no response");
    rule(3, before == fields(t), "command, data, lengths or byte enables have changed");
  }

  static int order(const tlm::tlm_phase &p) {
    return p == tlm::BEGIN_REQ ? 1 : p == tlm::END_REQ ? 2 : p == tlm::BEGIN_RESP ? 3 : p == tlm::END_RESP ? 4 : 0;
  }

  // A transaction comes to a phase. BEGIN_RESP without END_REQ before it ends the request too.
  void moves_to(tlm::tlm_generic_payload &t, int phase) {
    phases++;
    auto at = open_.find(&t);
    if (phase == 1) {
      rule(4, at == open_.end(), "BEGIN_REQ of a transaction that is under way");
      rule(5, !request_, "BEGIN_REQ before the request before it has ended");
      open_.insert({&t, under_way{fields(t), 1}});
      request_ = &t;
      return;
    }
    if (at == open_.end()) {
      rule(4, false, "a phase of a transaction that has not begun");
      return;
    }
    const int from = at->second.phase;
    rule(4, phase == from + 1 || (phase == 3 && from == 1), "a phase out of order");
    at->second.phase = phase;
    if (phase >= 2 && request_ == &t)
      request_ = nullptr;
    if (phase == 3) {
      rule(5, !response_, "BEGIN_RESP before the response before it has ended");
      response_ = &t;
      back(at->second.before, t);
    }
    if (phase == 4) {
      response_ = response_ == &t ? nullptr : response_;
      open_.erase(at);
    }
  }

  void ends(tlm::tlm_generic_payload &t) {
    auto at = open_.find(&t);
    if (at == open_.end())
      return;
    if (at->second.phase < 3)
      back(at->second.before, t);
    request_ = request_ == &t ? nullptr : request_;
    response_ = response_ == &t ? nullptr : response_;
    open_.erase(at);
  }

  void returned(tlm::tlm_generic_payload &t, tlm::tlm_sync_enum how, int sent, const tlm::tlm_phase &p) {
    if (how == tlm::TLM_COMPLETED) {
      ends(t);
    } else if (how == tlm::TLM_ACCEPTED) {
      rule(6, order(p) == sent, "ACCEPTED, but the phase has changed");
    } else {
      rule(6, order(p) > sent, "UPDATED, but the phase has not moved on");
      moves_to(t, order(p));
    }
  }

  // ---- forward
  void b_transport(tlm::tlm_generic_payload &t, sc_core::sc_time &delay) override {
    const fields before(t);
    going(t);
    initiator->b_transport(t, delay);
    back(before, t);
  }

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &t, tlm::tlm_phase &p,
                                     sc_core::sc_time &delay) override {
    const int sent = order(p);
    rule(4, sent == 1 || sent == 4, "an initiator sends BEGIN_REQ and END_RESP only");
    rule(7, t.has_mm() && t.get_ref_count() > 0, "no memory manager, or nobody holds the transaction");
    if (sent == 1)
      going(t);
    moves_to(t, sent);
    const tlm::tlm_sync_enum how = initiator->nb_transport_fw(t, p, delay);
    if (sent != 4)
      returned(t, how, sent, p);
    return how;
  }

  unsigned transport_dbg(tlm::tlm_generic_payload &t) override {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    const unsigned n = initiator->transport_dbg(t);
    rule(8, now == sc_core::sc_time_stamp(), "transport_dbg took time");
    rule(8, n <= t.get_data_length(), "transport_dbg moved more than it was asked to");
    return n;
  }

  bool get_direct_mem_ptr(tlm::tlm_generic_payload &t, tlm::tlm_dmi &dmi) override {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    const bool ok = initiator->get_direct_mem_ptr(t, dmi);
    rule(8, now == sc_core::sc_time_stamp(), "get_direct_mem_ptr took time");
    rule(9, dmi.get_start_address() <= t.get_address() && t.get_address() <= dmi.get_end_address(),
         "the range does not include the address");
    rule(9, !ok || dmi.get_dmi_ptr(), "direct access without a pointer");
    rule(9, ok != dmi.is_none_allowed(), "granted, but nothing is allowed, or the other way round");
    grants += ok;
    return ok;
  }

  // ---- backward
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &t, tlm::tlm_phase &p,
                                     sc_core::sc_time &delay) override {
    const int sent = order(p);
    rule(4, sent == 2 || sent == 3, "a target sends END_REQ and BEGIN_RESP only");
    moves_to(t, sent);
    const tlm::tlm_sync_enum how = target->nb_transport_bw(t, p, delay);
    returned(t, how, sent, p);
    return how;
  }

  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
    invalidations++;
    target->invalidate_direct_mem_ptr(first, last);
  }

  std::map<tlm::tlm_generic_payload *, under_way> open_;
  tlm::tlm_generic_payload *request_ = nullptr, *response_ = nullptr;
};

}  // namespace nearbank

#endif

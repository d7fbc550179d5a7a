// SPDX-License-Identifier: Apache-2.0
// nearbank::checker: stands between an initiator and a target, passes everything on, and reports
// what breaks the base protocol of TLM-2.0 (IEEE 1666-2011, clauses 11, 14 and 15). It changes
// nothing, and allows all coding styles: b_transport and nb_transport in turns, several
// transactions under way, early completion by either side, a transaction object that is used again
// once it has ended.
//
//     initiator --> checker.target   checker.initiator --> target
//
// Rules, with the numbers that reports carry:
//   1  A new transaction is complete: a valid command; data, their length and a streaming width;
//      a length with byte enables; response INCOMPLETE; direct access not allowed.
//   2  A response that was announced is not INCOMPLETE, and does not change afterwards.
//   3  Command, pointers, lengths, streaming width, byte enables and written data do not change.
//   4  BEGIN_REQ, END_REQ, BEGIN_RESP, END_RESP come in this order, once each, from their side.
//      BEGIN_RESP may imply END_REQ. Ignorable phases are reported too: nobody here sends them.
//   5  No BEGIN_REQ before the previous request has ended, no BEGIN_RESP before the response has.
//   6  Return values fit: ACCEPTED changes neither phase nor time; UPDATED moves from BEGIN_REQ to
//      END_REQ or BEGIN_RESP, or from BEGIN_RESP to END_RESP; COMPLETED ends all but an END_REQ.
//   7  nb_transport needs a memory manager; a managed transaction has a reference.
//   8  Only b_transport takes time; annotated times of a transaction do not decrease.
//   9  A DMI descriptor comes as init() leaves it. The granted or refused range includes the
//      address; a grant has a pointer and allows what was asked for.
//  10  A transaction is in one b_transport call, or in nb_transport; a thread calls b_transport.
//  11  transport_dbg has data and moves at most what was asked for.
#ifndef NEARBANK_SYSTEMC_CHECKER_H
#define NEARBANK_SYSTEMC_CHECKER_H

#include <systemc>
#include <tlm>

#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace nearbank {

class checker : public sc_core::sc_module,
                public tlm::tlm_fw_transport_if<>,
                public tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_target_socket<> target;
  tlm::tlm_initiator_socket<> initiator;

  // What it has seen.
  std::uint64_t transactions = 0, phases = 0, grants = 0, invalidations = 0, debugs = 0;
  std::uint64_t broken = 0;
  int last_broken = 0;  // the number of the rule
  bool fatal = true;    // a broken rule ends the simulation; else it is counted

  explicit checker(sc_core::sc_module_name name)
      : sc_module(name), target("target"), initiator("initiator") {
    target.bind(*this);
    initiator.bind(*this);
  }

 private:
  using payload = tlm::tlm_generic_payload;
  using sc_time = sc_core::sc_time;

  // What stays while a transaction is under way.
  struct fields {
    tlm::tlm_command command;
    unsigned char *data, *enables;
    unsigned length, enables_length, width;
    std::vector<unsigned char> enabled, written;
    explicit fields(const payload &t)
        : command(t.get_command()),
          data(t.get_data_ptr()),
          enables(t.get_byte_enable_ptr()),
          length(t.get_data_length()),
          enables_length(t.get_byte_enable_length()),
          width(t.get_streaming_width()) {
      if (enables)
        enabled.assign(enables, enables + enables_length);
      if (data && t.is_write())
        written.assign(data, data + length);
    }
    bool operator==(const fields &o) const {
      return command == o.command && data == o.data && enables == o.enables && length == o.length &&
             enables_length == o.enables_length && width == o.width && enabled == o.enabled &&
             written == o.written;
    }
  };
  enum { begin_req = 1, end_req, begin_resp, end_resp };
  struct under_way {
    fields before;
    int phase;  // that it has come to
    sc_time at;
    tlm::tlm_response_status response;
  };

  // Phase and time that a call of nb_transport brings.
  struct sent {
    int phase;
    sc_time delay, now = sc_core::sc_time_stamp();
    sent(const tlm::tlm_phase &p, const sc_time &d) : phase(order(p)), delay(d) {}
  };

  bool rule(int number, bool ok, const char *what) {
    if (ok)
      return true;
    broken++;
    last_broken = number;
    const std::string text = std::string(name()) + ": rule " + std::to_string(number) + ": " + what;
    if (fatal)
      SC_REPORT_FATAL("nearbank/checker", text.c_str());
    else
      SC_REPORT_INFO("nearbank/checker", text.c_str());
    return false;
  }

  static int order(const tlm::tlm_phase &p) {
    return p == tlm::BEGIN_REQ    ? begin_req
           : p == tlm::END_REQ    ? end_req
           : p == tlm::BEGIN_RESP ? begin_resp
           : p == tlm::END_RESP   ? end_resp
                                  : 0;
  }

  // ---- a transaction
  void begins(const payload &t) {
    const bool reads_or_writes = t.is_read() || t.is_write();
    transactions++;
    rule(1, reads_or_writes || t.get_command() == tlm::TLM_IGNORE_COMMAND,
         "the command is not one");
    rule(1, !reads_or_writes || t.get_data_ptr(), "no data pointer");
    rule(1, !reads_or_writes || t.get_data_length(), "a data length of 0");
    rule(1, t.get_streaming_width(), "a streaming width of 0");
    rule(1, !t.get_byte_enable_ptr() || t.get_byte_enable_length(),
         "byte enables without a length");
    rule(1, t.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE,
         "a response before the request");
    rule(1, !t.is_dmi_allowed(), "direct access is allowed before the target said so");
  }

  void stays(const fields &before, const payload &t) {
    rule(3, before == fields(t), "command, data, lengths or byte enables have changed");
  }

  void answered(const payload &t) {
    rule(2, t.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE, "the response is missing");
  }

  void in_time(under_way &u, const sc_time &delay) {
    const sc_time at = sc_core::sc_time_stamp() + delay;
    rule(8, u.at <= at, "the annotated time goes back");
    u.at = at;
  }

  void moves_to(payload &t, int phase, const sc_time &delay) {
    auto at = open_.find(&t);
    phases++;
    if (phase == begin_req) {
      if (!rule(4, at == open_.end(), "BEGIN_REQ of a transaction that is under way") ||
          !rule(10, !blocking_.count(&t), "nb_transport of a transaction that is in b_transport"))
        return;
      rule(5, !request_, "BEGIN_REQ before the request before it has ended");
      begins(t);
      open_.insert(
          {&t, {fields(t), begin_req, sc_core::sc_time_stamp() + delay, t.get_response_status()}});
      request_ = &t;
      return;
    }
    if (!rule(4, at != open_.end(), "a phase of a transaction that is not under way"))
      return;
    under_way &u = at->second;
    if (!rule(4, phase == u.phase + 1 || (phase == begin_resp && u.phase == begin_req),
              "a phase out of order"))
      return;
    u.phase = phase;
    in_time(u, delay);
    stays(u.before, t);
    if (request_ == &t)
      request_ = nullptr;
    if (phase == begin_resp) {
      rule(5, !response_, "BEGIN_RESP before the response before it has ended");
      answered(t);
      response_ = &t;
      u.response = t.get_response_status();
    }
    if (phase == end_resp) {
      rule(2, u.response == t.get_response_status(), "the response has changed");
      ended(at);
    }
  }

  void ended(std::map<payload *, under_way>::iterator at) {
    request_ = request_ == at->first ? nullptr : request_;
    response_ = response_ == at->first ? nullptr : response_;
    open_.erase(at);
  }

  // By COMPLETED. Without BEGIN_RESP before it the response comes with it; after that the initiator
  // may have given the transaction back already, and nobody looks into it.
  void completed(payload &t, const sc_time &delay) {
    auto at = open_.find(&t);
    if (at == open_.end())
      return;
    in_time(at->second, delay);
    if (at->second.phase < begin_resp) {
      stays(at->second.before, t);
      answered(t);
    }
    ended(at);
  }

  void held(const payload &t) {
    rule(7, t.has_mm(), "a transaction of nb_transport without a memory manager");
    rule(7, !t.has_mm() || t.get_ref_count() > 0, "nobody holds the transaction");
  }

  void returned(payload &t, tlm::tlm_sync_enum how, const sent &s, const tlm::tlm_phase &p,
                const sc_time &delay) {
    const int next = order(p);
    rule(8, s.now == sc_core::sc_time_stamp(), "nb_transport took time");
    if (how == tlm::TLM_ACCEPTED) {
      rule(6, next == s.phase && delay == s.delay, "ACCEPTED, but phase or time have changed");
    } else if (how == tlm::TLM_UPDATED) {
      const bool fits = s.phase == begin_req    ? next == end_req || next == begin_resp
                        : s.phase == begin_resp ? next == end_resp
                                                : false;
      if (rule(6, fits, "UPDATED to a phase that does not come next"))
        moves_to(t, next, delay);
    } else if (rule(6, s.phase != end_req, "COMPLETED is not an answer to END_REQ")) {
      completed(t, delay);
    }
  }

  // ---- forward
  void b_transport(payload &t, sc_time &delay) override {
    const sc_time from = sc_core::sc_time_stamp() + delay;
    const sc_core::sc_process_handle caller = sc_core::sc_get_current_process_handle();
    rule(10, caller.proc_kind() != sc_core::SC_METHOD_PROC_, "b_transport is called by a method");
    rule(10, !open_.count(&t), "b_transport of a transaction that is in nb_transport");
    rule(10, blocking_.insert(&t).second, "b_transport of a transaction that is in b_transport");
    rule(7, !t.has_mm() || t.get_ref_count() > 0, "nobody holds the transaction");
    begins(t);
    const fields before(t);
    initiator->b_transport(t, delay);
    blocking_.erase(&t);
    stays(before, t);
    answered(t);
    rule(8, from <= sc_core::sc_time_stamp() + delay, "b_transport ends before it began");
  }

  tlm::tlm_sync_enum nb_transport_fw(payload &t, tlm::tlm_phase &p, sc_time &delay) override {
    const sent s(p, delay);
    held(t);
    if (!rule(4, s.phase == begin_req || s.phase == end_resp,
              "an initiator sends BEGIN_REQ and END_RESP"))
      return initiator->nb_transport_fw(t, p, delay);
    moves_to(t, s.phase, delay);
    const tlm::tlm_sync_enum how = initiator->nb_transport_fw(t, p, delay);
    returned(t, how, s, p, delay);
    return how;
  }

  unsigned transport_dbg(payload &t) override {
    const sc_time now = sc_core::sc_time_stamp();
    debugs++;
    rule(11, t.get_data_ptr() || !t.get_data_length(), "transport_dbg without data");
    const unsigned n = initiator->transport_dbg(t);
    rule(8, now == sc_core::sc_time_stamp(), "transport_dbg took time");
    rule(11, n <= t.get_data_length(), "transport_dbg moved more than it was asked to");
    return n;
  }

  bool get_direct_mem_ptr(payload &t, tlm::tlm_dmi &dmi) override {
    const sc_time now = sc_core::sc_time_stamp();
    const sc_dt::uint64 address = t.get_address();
    rule(9,
         !dmi.get_dmi_ptr() && dmi.is_none_allowed() && !dmi.get_start_address() &&
             !~dmi.get_end_address(),
         "the descriptor is not as init() leaves it");
    const bool ok = initiator->get_direct_mem_ptr(t, dmi);
    rule(8, now == sc_core::sc_time_stamp(), "get_direct_mem_ptr took time");
    rule(9, dmi.get_start_address() <= address && address <= dmi.get_end_address(),
         "the range does not include the address");
    rule(9, !ok || dmi.get_dmi_ptr(), "granted without a pointer");
    rule(9, !ok || (t.is_write() ? dmi.is_write_allowed() : dmi.is_read_allowed()),
         "granted, but not what was asked for");
    grants += ok;
    return ok;
  }

  // ---- backward
  tlm::tlm_sync_enum nb_transport_bw(payload &t, tlm::tlm_phase &p, sc_time &delay) override {
    const sent s(p, delay);
    held(t);
    if (!rule(4, s.phase == end_req || s.phase == begin_resp,
              "a target sends END_REQ and BEGIN_RESP"))
      return target->nb_transport_bw(t, p, delay);
    moves_to(t, s.phase, delay);
    const tlm::tlm_sync_enum how = target->nb_transport_bw(t, p, delay);
    returned(t, how, s, p, delay);
    return how;
  }

  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
    rule(9, first <= last, "an invalidated range ends before it begins");
    invalidations++;
    target->invalidate_direct_mem_ptr(first, last);
  }

  std::map<payload *, under_way> open_;  // in nb_transport
  std::set<payload *> blocking_;         // in b_transport
  payload *request_ = nullptr, *response_ = nullptr;
};

}  // namespace nearbank

#endif

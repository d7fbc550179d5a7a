// SPDX-License-Identifier: Apache-2.0
// Masters in the coding styles of TLM-2.0, behind one call that a thread makes.
#ifndef NEARBANK_TB_TLM_MASTERS_H
#define NEARBANK_TB_TLM_MASTERS_H

#include "tb/systemc/tlm/systemc.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace masters {

using payload = tlm::tlm_generic_payload;
using sc_core::sc_time;

class master : public sc_core::sc_module {
 public:
  // Returns when it is done; the master may then be ahead of SystemC's time.
  virtual tlm::tlm_response_status access(tlm::tlm_command c, std::uint64_t address, void *data,
                                          unsigned bytes) = 0;
  virtual void sync() {}  // it is not ahead any more
  virtual void bind(tlm::tlm_target_socket<> &s) = 0;
  virtual bool direct() const { return false; }  // it has direct access now

  bool read(std::uint64_t address, void *to, unsigned bytes) {
    return access(tlm::TLM_READ_COMMAND, address, to, bytes) == tlm::TLM_OK_RESPONSE;
  }
  bool write(std::uint64_t address, const void *from, unsigned bytes) {
    return access(tlm::TLM_WRITE_COMMAND, address, const_cast<void *>(from), bytes) ==
           tlm::TLM_OK_RESPONSE;
  }

 protected:
  explicit master(sc_core::sc_module_name name) : sc_module(name) {}
};

inline void fill(payload &t, tlm::tlm_command c, std::uint64_t address, void *data,
                 unsigned bytes) {
  t.set_command(c);
  t.set_address(address);
  t.set_data_ptr(static_cast<unsigned char *>(data));
  t.set_data_length(bytes);
  t.set_streaming_width(bytes);
  t.set_byte_enable_ptr(nullptr);
  t.set_dmi_allowed(false);
  t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

// Loosely timed, ahead of SystemC by up to the global quantum; with direct access where it is
// granted.
class loose : public master {
 public:
  tlm_utils::simple_initiator_socket<loose> socket;
  std::uint64_t direct_accesses = 0;

  // Masters with one keeper are one processor.
  using keeper = std::shared_ptr<tlm_utils::tlm_quantumkeeper>;
  loose(sc_core::sc_module_name name, keeper k, bool direct)
      : master(name), socket("socket"), keeper_(k), direct_(direct) {
    socket.register_invalidate_direct_mem_ptr(this, &loose::invalidate);
  }

  tlm::tlm_response_status access(tlm::tlm_command c, std::uint64_t address, void *data,
                                  unsigned bytes) override {
    if (have_ && address >= dmi_.get_start_address() && address <= dmi_.get_end_address() &&
        bytes - 1 <= dmi_.get_end_address() - address) {
      unsigned char *there = dmi_.get_dmi_ptr() + (address - dmi_.get_start_address());
      const bool write = c == tlm::TLM_WRITE_COMMAND;
      std::memcpy(write ? there : data, write ? data : there, bytes);
      direct_accesses++;
      keeper_->inc(write ? dmi_.get_write_latency() : dmi_.get_read_latency());
      if (keeper_->need_sync())
        keeper_->sync();
      return tlm::TLM_OK_RESPONSE;
    }
    payload t;
    fill(t, c, address, data, bytes);
    sc_time delay = keeper_->get_local_time();
    socket->b_transport(t, delay);
    keeper_->set_and_sync(delay);
    if (direct_ && t.is_dmi_allowed()) {
      t.set_address(address);
      dmi_.init();
      have_ = socket->get_direct_mem_ptr(t, dmi_);
    }
    return t.get_response_status();
  }
  void sync() override { keeper_->sync(); }
  void bind(tlm::tlm_target_socket<> &s) override { socket.bind(s); }
  bool direct() const override { return have_; }

 private:
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
    if (first <= dmi_.get_end_address() && last >= dmi_.get_start_address())
      have_ = false;
  }
  keeper keeper_;
  bool direct_, have_ = false;
  tlm::tlm_dmi dmi_;
};

// Memory of transactions. One goes back to the pool when its last holder releases it.
class pool : public tlm::tlm_mm_interface {
 public:
  ~pool() override {
    for (payload *t : all_)
      delete t;
  }
  payload *get() {
    if (free_.empty()) {
      all_.push_back(new payload(this));
      free_.push_back(all_.back());
    }
    payload *t = free_.back();
    free_.pop_back();
    t->acquire();
    return t;
  }
  void free(payload *t) override {
    t->reset();
    free_.push_back(t);
  }
  std::size_t made() const { return all_.size(); }
  bool all_back() const { return all_.size() == free_.size(); }

 private:
  std::vector<payload *> all_, free_;
};

// How it ends a transaction when the target sends BEGIN_RESP.
enum class answer { end_resp, updated, completed };

// Approximately timed: four phases, several threads may have a transaction under way.
class timed : public master {
 public:
  tlm_utils::simple_initiator_socket<timed> socket;
  pool memory;

  timed(sc_core::sc_module_name name, answer how, sc_time accept = sc_time(2, sc_core::SC_NS),
        sc_time request = sc_core::SC_ZERO_TIME)
      : master(name),
        socket("socket"),
        how_(how),
        accept_(accept),
        request_(request),
        peq_(this, &timed::comes) {
    socket.register_nb_transport_bw(this, &timed::nb_transport_bw);
  }

  tlm::tlm_response_status access(tlm::tlm_command c, std::uint64_t address, void *data,
                                  unsigned bytes) override {
    payload *t = memory.get();
    sc_core::sc_event done;
    fill(*t, c, address, data, bytes);
    while (requesting_)
      wait(request_ended_);
    requesting_ = t;
    done_[t] = &done;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay = request_;
    switch (socket->nb_transport_fw(*t, phase, delay)) {
      case tlm::TLM_ACCEPTED:
        break;
      case tlm::TLM_UPDATED:
        peq_.notify(*t, phase, delay);
        break;
      case tlm::TLM_COMPLETED:
        peq_.notify(*t, tlm::END_RESP, delay);
        ended_.insert(t);
        break;
    }
    wait(done);
    const tlm::tlm_response_status status = t->get_response_status();
    t->release();
    return status;
  }
  void bind(tlm::tlm_target_socket<> &s) override { socket.bind(s); }

 private:
  tlm::tlm_sync_enum nb_transport_bw(payload &t, tlm::tlm_phase &phase, sc_time &delay) {
    if (phase == tlm::BEGIN_RESP && how_ != answer::end_resp) {
      delay += accept_;
      ended_.insert(&t);
      peq_.notify(t, tlm::END_RESP, delay);
      phase = tlm::END_RESP;
      return how_ == answer::updated ? tlm::TLM_UPDATED : tlm::TLM_COMPLETED;
    }
    peq_.notify(t, phase, delay);
    return tlm::TLM_ACCEPTED;
  }

  // END_RESP: the transaction has ended, or this master ends it now.
  void comes(payload &t, const tlm::tlm_phase &phase) {
    if (requesting_ == &t) {
      requesting_ = nullptr;
      request_ended_.notify(sc_core::SC_ZERO_TIME);
    }
    if (phase == tlm::BEGIN_RESP)
      peq_.notify(t, tlm::END_RESP, accept_);
    if (phase != tlm::END_RESP)
      return;
    if (!ended_.erase(&t)) {
      tlm::tlm_phase p = tlm::END_RESP;
      sc_time none = sc_core::SC_ZERO_TIME;
      socket->nb_transport_fw(t, p, none);
    }
    done_[&t]->notify(sc_core::SC_ZERO_TIME);
    done_.erase(&t);
  }

  answer how_;
  sc_time accept_, request_;
  tlm_utils::peq_with_cb_and_phase<timed> peq_;
  payload *requesting_ = nullptr;
  sc_core::sc_event request_ended_;
  std::map<payload *, sc_core::sc_event *> done_;
  std::set<payload *> ended_;
};

}  // namespace masters

#endif

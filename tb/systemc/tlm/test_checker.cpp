// SPDX-License-Identifier: Apache-2.0
// nearbank::checker: breaking a rule breaks this rule once and no other; correct traffic of all
// coding styles breaks none.
#include "tb/systemc/tlm/systemc.h"

#include <random>

#include "harness/systemc/tlm/bus.h"
#include "harness/systemc/tlm/checker.h"
#include "harness/systemc/tlm/memory.h"
#include "tb/systemc/tlm/cases.h"
#include "tb/systemc/tlm/masters.h"
#include "tb/systemc/tlm/targets.h"

using namespace sc_core;
using masters::payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

namespace {

DECLARE_EXTENDED_PHASE(own_phase);

const auto ns = [](double n) { return sc_time(n, SC_NS); };

// ---- what is wrong

// Both ends of a checker; what they do is a function.
class ends : public sc_module, tlm::tlm_bw_transport_if<>, tlm::tlm_fw_transport_if<> {
 public:
  tlm::tlm_initiator_socket<> out;
  nearbank::checker check;
  tlm::tlm_target_socket<> in;
  masters::pool memory;
  unsigned char data[16] = {}, enables[4] = {};

  using nb = std::function<tlm_sync_enum(payload &, tlm_phase &, sc_time &)>;
  nb fw = [](payload &, tlm_phase &, sc_time &) { return tlm::TLM_ACCEPTED; };
  nb bw = fw;
  std::function<void(payload &, sc_time &)> b = [](payload &t, sc_time &) { ok(t); };
  std::function<unsigned(payload &)> debug = [](payload &t) { return t.get_data_length(); };
  std::function<bool(payload &, tlm::tlm_dmi &)> dmi = [this](payload &, tlm::tlm_dmi &d) {
    d.set_dmi_ptr(data);
    d.allow_read();
    return true;
  };

  explicit ends(sc_module_name name) : sc_module(name), out("out"), check("check"), in("in") {
    out.bind(*this);
    in.bind(*this);
    out.bind(check.target);
    check.initiator.bind(in);
    check.fatal = false;
  }

  static void ok(payload &t) { t.set_response_status(tlm::TLM_OK_RESPONSE); }
  payload *read() {
    payload *t = memory.get();
    masters::fill(*t, tlm::TLM_READ_COMMAND, 0, data, 16);
    return t;
  }
  payload *write() {
    payload *t = memory.get();
    masters::fill(*t, tlm::TLM_WRITE_COMMAND, 0, data, 16);
    return t;
  }
  // Calls of the initiator and of the target. *phase and *delay: as they come back.
  tlm_sync_enum forward(payload *t, tlm_phase phase, sc_time delay = SC_ZERO_TIME) {
    return out->nb_transport_fw(*t, phase, delay);
  }
  tlm_sync_enum backward(payload *t, tlm_phase phase, sc_time delay = SC_ZERO_TIME) {
    if (phase == tlm::BEGIN_RESP)
      ok(*t);
    return in->nb_transport_bw(*t, phase, delay);
  }
  void blocking(payload *t, sc_time delay = SC_ZERO_TIME) { out->b_transport(*t, delay); }
  // What the target answers to calls from now on.
  static nb says(tlm_sync_enum how, tlm_phase phase, sc_time more = SC_ZERO_TIME) {
    return [=](payload &t, tlm_phase &p, sc_time &delay) {
      p = phase;
      delay += more;
      if (phase == tlm::BEGIN_RESP || how == tlm::TLM_COMPLETED)
        ok(t);
      return how;
    };
  }

 private:
  void b_transport(payload &t, sc_time &delay) override { b(t, delay); }
  tlm_sync_enum nb_transport_fw(payload &t, tlm_phase &p, sc_time &d) override {
    return fw(t, p, d);
  }
  tlm_sync_enum nb_transport_bw(payload &t, tlm_phase &p, sc_time &d) override {
    return bw(t, p, d);
  }
  unsigned transport_dbg(payload &t) override { return debug(t); }
  bool get_direct_mem_ptr(payload &t, tlm::tlm_dmi &d) override { return dmi(t, d); }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

struct deed {
  int rule;  // that it breaks; 0: none
  const char *what;
  std::function<void(ends &)> run;
};

using E = ends;
const deed deeds[] = {
    // ---- 1: a new transaction
    {1, "no such command",
     [](E &e) {
       payload *t = e.read();
       t->set_command(static_cast<tlm::tlm_command>(3));
       e.blocking(t);
     }},
    {1, "no data",
     [](E &e) {
       payload *t = e.read();
       t->set_data_ptr(nullptr);
       e.blocking(t);
     }},
    {1, "length 0",
     [](E &e) {
       payload *t = e.read();
       t->set_data_length(0);
       e.blocking(t);
     }},
    {1, "width 0",
     [](E &e) {
       payload *t = e.read();
       t->set_streaming_width(0);
       e.blocking(t);
     }},
    {1, "byte enables of length 0",
     [](E &e) {
       payload *t = e.read();
       t->set_byte_enable_ptr(e.enables);
       e.blocking(t);
     }},
    {1, "a response",
     [](E &e) {
       payload *t = e.read();
       e.ok(*t);
       e.blocking(t);
     }},
    {1, "direct access",
     [](E &e) {
       payload *t = e.read();
       t->set_dmi_allowed(true);
       e.blocking(t);
     }},
    {1, "a response, nb_transport",
     [](E &e) {
       payload *t = e.read();
       e.ok(*t);
       e.forward(t, tlm::BEGIN_REQ);
     }},
    {0, "nothing to move",
     [](E &e) {
       payload *t = e.memory.get();
       t->set_command(tlm::TLM_IGNORE_COMMAND);
       t->set_streaming_width(4);
       e.blocking(t);
     }},
    {0, "byte enables",
     [](E &e) {
       payload *t = e.write();
       t->set_byte_enable_ptr(e.enables);
       t->set_byte_enable_length(4);
       e.blocking(t);
     }},
    // ---- 2: the response
    {2, "none",
     [](E &e) {
       e.b = [](payload &, sc_time &) {};
       e.blocking(e.read());
     }},
    {2, "none with BEGIN_RESP",
     [](E &e) {
       payload *t = e.read();
       tlm_phase p = tlm::BEGIN_RESP;
       sc_time delay;
       e.forward(t, tlm::BEGIN_REQ);
       e.in->nb_transport_bw(*t, p, delay);
     }},
    {2, "none with COMPLETED",
     [](E &e) {
       e.fw = [](payload &, tlm_phase &, sc_time &) { return tlm::TLM_COMPLETED; };
       e.forward(e.read(), tlm::BEGIN_REQ);
     }},
    {2, "changed",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::BEGIN_RESP);
       t->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
       e.forward(t, tlm::END_RESP);
     }},
    {0, "an error",
     [](E &e) {
       e.b = [](payload &t, sc_time &) { t.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE); };
       e.blocking(e.read());
     }},
    // ---- 3: what stays
    {3, "the command",
     [](E &e) {
       e.b = [](payload &t, sc_time &) {
         t.set_read();
         E::ok(t);
       };
       e.blocking(e.write());
     }},
    {3, "the command of a read",
     [](E &e) {
       e.b = [](payload &t, sc_time &) {
         t.set_command(tlm::TLM_IGNORE_COMMAND);
         E::ok(t);
       };
       e.blocking(e.read());
     }},
    {3, "the data pointer",
     [](E &e) {
       e.b = [&](payload &t, sc_time &) {
         t.set_data_ptr(e.data + 1);
         E::ok(t);
       };
       e.blocking(e.read());
     }},
    {3, "the length",
     [](E &e) {
       e.b = [](payload &t, sc_time &) {
         t.set_data_length(8);
         E::ok(t);
       };
       e.blocking(e.read());
     }},
    {3, "the width",
     [](E &e) {
       e.b = [](payload &t, sc_time &) {
         t.set_streaming_width(8);
         E::ok(t);
       };
       e.blocking(e.read());
     }},
    {3, "byte enables come",
     [](E &e) {
       e.b = [&](payload &t, sc_time &) {
         t.set_byte_enable_ptr(e.enables);
         E::ok(t);
       };
       e.blocking(e.read());
     }},
    {3, "their length",
     [](E &e) {
       e.b = [](payload &t, sc_time &) {
         t.set_byte_enable_length(3);
         E::ok(t);
       };
       e.blocking(e.read());
     }},
    {3, "byte enables",
     [](E &e) {
       payload *t = e.read();
       t->set_byte_enable_ptr(e.enables);
       t->set_byte_enable_length(4);
       e.b = [&](payload &x, sc_time &) {
         e.enables[1] = 0xff;
         E::ok(x);
       };
       e.blocking(t);
     }},
    {3, "data of a write",
     [](E &e) {
       e.b = [&](payload &t, sc_time &) {
         e.data[3]++;
         E::ok(t);
       };
       e.blocking(e.write());
     }},
    {3, "before the end of the request",
     [](E &e) {
       payload *t = e.write();
       e.forward(t, tlm::BEGIN_REQ);
       t->set_data_length(4);
       e.backward(t, tlm::END_REQ);
     }},
    {3, "before BEGIN_RESP",
     [](E &e) {
       payload *t = e.write();
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::END_REQ);
       e.data[0]++;
       e.backward(t, tlm::BEGIN_RESP);
     }},
    {3, "before END_RESP",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::BEGIN_RESP);
       t->set_write();
       e.forward(t, tlm::END_RESP);
     }},
    {3, "before COMPLETED",
     [](E &e) {
       e.fw = [](payload &t, tlm_phase &, sc_time &) {
         t.set_data_length(1);
         E::ok(t);
         return tlm::TLM_COMPLETED;
       };
       e.forward(e.read(), tlm::BEGIN_REQ);
     }},
    {0, "data of a read, address",
     [](E &e) {
       e.b = [&](payload &t, sc_time &) {
         e.data[3]++;
         t.set_address(77);
         E::ok(t);
       };
       e.blocking(e.read());
     }},
    // ---- 4: phases
    {4, "END_REQ by the initiator",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.forward(t, tlm::END_REQ);
     }},
    {4, "BEGIN_RESP by the initiator",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.forward(t, tlm::BEGIN_RESP);
     }},
    {4, "BEGIN_REQ by the target", [](E &e) { e.backward(e.read(), tlm::BEGIN_REQ); }},
    {4, "END_RESP by the target",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::BEGIN_RESP);
       e.backward(t, tlm::END_RESP);
     }},
    {4, "no phase", [](E &e) { e.forward(e.read(), tlm::UNINITIALIZED_PHASE); }},
    {4, "an ignorable phase", [](E &e) { e.backward(e.read(), own_phase); }},
    {4, "BEGIN_REQ twice",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::END_REQ);
       e.forward(t, tlm::BEGIN_REQ);
     }},
    {4, "END_REQ twice",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::END_REQ);
       e.backward(t, tlm::END_REQ);
     }},
    {4, "BEGIN_RESP twice",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::BEGIN_RESP);
       e.backward(t, tlm::BEGIN_RESP);
     }},
    {4, "END_REQ after BEGIN_RESP",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::BEGIN_RESP);
       e.backward(t, tlm::END_REQ);
     }},
    {4, "END_RESP before BEGIN_RESP",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.forward(t, tlm::END_RESP);
     }},
    {4, "END_RESP twice",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::BEGIN_RESP);
       e.forward(t, tlm::END_RESP);
       e.forward(t, tlm::END_RESP);
     }},
    {4, "END_RESP after COMPLETED",
     [](E &e) {
       payload *t = e.read();
       e.bw = E::says(tlm::TLM_COMPLETED, tlm::BEGIN_RESP);
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::BEGIN_RESP);
       e.forward(t, tlm::END_RESP);
     }},
    {4, "BEGIN_RESP after COMPLETED",
     [](E &e) {
       payload *t = e.read();
       e.fw = E::says(tlm::TLM_COMPLETED, tlm::BEGIN_REQ);
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::BEGIN_RESP);
     }},
    // ---- 5: one request, one response
    {5, "two requests",
     [](E &e) {
       e.forward(e.read(), tlm::BEGIN_REQ);
       e.forward(e.read(), tlm::BEGIN_REQ);
     }},
    {5, "two responses",
     [](E &e) {
       payload *t[2] = {e.read(), e.read()};
       for (payload *x : t) {
         e.forward(x, tlm::BEGIN_REQ);
         e.backward(x, tlm::END_REQ);
       }
       e.backward(t[1], tlm::BEGIN_RESP);
       e.backward(t[0], tlm::BEGIN_RESP);
     }},
    {5, "a second response by UPDATED",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::BEGIN_RESP);
       e.fw = E::says(tlm::TLM_UPDATED, tlm::BEGIN_RESP);
       e.forward(e.read(), tlm::BEGIN_REQ);
     }},
    {0, "a request while a response is under way",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::BEGIN_RESP);
       e.forward(e.read(), tlm::BEGIN_REQ);
     }},
    {0, "COMPLETED while a response is under way",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::BEGIN_RESP);
       e.fw = E::says(tlm::TLM_COMPLETED, tlm::BEGIN_REQ);
       e.forward(e.read(), tlm::BEGIN_REQ);
     }},
    {0, "requests end by END_REQ, UPDATED, BEGIN_RESP, COMPLETED; responses out of order",
     [](E &e) {
       payload *t[4] = {e.read(), e.read(), e.read(), e.read()};
       e.forward(t[0], tlm::BEGIN_REQ);
       e.backward(t[0], tlm::END_REQ);
       e.fw = E::says(tlm::TLM_UPDATED, tlm::END_REQ);
       e.forward(t[1], tlm::BEGIN_REQ);
       e.fw = E::says(tlm::TLM_COMPLETED, tlm::BEGIN_REQ);
       e.forward(t[2], tlm::BEGIN_REQ);
       e.fw = E::says(tlm::TLM_UPDATED, tlm::BEGIN_RESP);
       e.forward(t[3], tlm::BEGIN_REQ);
       e.fw = E::says(tlm::TLM_ACCEPTED, tlm::END_RESP);
       e.forward(t[3], tlm::END_RESP);
       e.bw = E::says(tlm::TLM_UPDATED, tlm::END_RESP);
       e.backward(t[1], tlm::BEGIN_RESP);
       e.bw = E::says(tlm::TLM_COMPLETED, tlm::BEGIN_RESP);
       e.backward(t[0], tlm::BEGIN_RESP);
       EQUAL(e.check.transactions, 4u);
       EQUAL(e.check.phases, 4u + 2u + 3u + 2u);  // requests; END_REQ; BEGIN_RESP; END_RESP
     }},
    // ---- 6: what calls return
    {6, "ACCEPTED with another phase",
     [](E &e) {
       e.fw = E::says(tlm::TLM_ACCEPTED, tlm::END_REQ);
       e.forward(e.read(), tlm::BEGIN_REQ);
     }},
    {6, "ACCEPTED with another time",
     [](E &e) {
       e.fw = E::says(tlm::TLM_ACCEPTED, tlm::BEGIN_REQ, ns(1));
       e.forward(e.read(), tlm::BEGIN_REQ);
     }},
    {6, "UPDATED to the same phase",
     [](E &e) {
       e.fw = E::says(tlm::TLM_UPDATED, tlm::BEGIN_REQ);
       e.forward(e.read(), tlm::BEGIN_REQ);
     }},
    {6, "UPDATED to the end",
     [](E &e) {
       e.fw = E::says(tlm::TLM_UPDATED, tlm::END_RESP);
       e.forward(e.read(), tlm::BEGIN_REQ);
     }},
    {6, "UPDATED, after END_RESP",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::BEGIN_RESP);
       e.fw = E::says(tlm::TLM_UPDATED, tlm::END_RESP);
       e.forward(t, tlm::END_RESP);
     }},
    {6, "UPDATED, after END_REQ",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.bw = E::says(tlm::TLM_UPDATED, tlm::BEGIN_RESP);
       e.backward(t, tlm::END_REQ);
     }},
    {6, "COMPLETED, after END_REQ",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.bw = E::says(tlm::TLM_COMPLETED, tlm::END_REQ);
       e.backward(t, tlm::END_REQ);
     }},
    {6, "ACCEPTED with another phase, backward",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.bw = E::says(tlm::TLM_ACCEPTED, tlm::END_RESP);
       e.backward(t, tlm::BEGIN_RESP);
     }},
    {0, "COMPLETED after END_RESP, with any phase",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::BEGIN_RESP);
       e.fw = E::says(tlm::TLM_COMPLETED, tlm::UNINITIALIZED_PHASE, ns(3));
       e.forward(t, tlm::END_RESP);
     }},
    // ---- 7: who holds it
    {7, "no memory manager",
     [](E &e) {
       payload t;
       masters::fill(t, tlm::TLM_READ_COMMAND, 0, e.data, 16);
       e.fw = E::says(tlm::TLM_COMPLETED, tlm::BEGIN_REQ);
       e.forward(&t, tlm::BEGIN_REQ);
     }},
    {7, "nobody",
     [](E &e) {
       payload t(&e.memory);
       masters::fill(t, tlm::TLM_READ_COMMAND, 0, e.data, 16);
       e.fw = E::says(tlm::TLM_COMPLETED, tlm::BEGIN_REQ);
       e.forward(&t, tlm::BEGIN_REQ);
     }},
    {7, "nobody, b_transport",
     [](E &e) {
       payload t(&e.memory);
       masters::fill(t, tlm::TLM_READ_COMMAND, 0, e.data, 16);
       e.blocking(&t);
     }},
    {0, "no memory manager, b_transport",
     [](E &e) {
       payload t;
       masters::fill(t, tlm::TLM_READ_COMMAND, 0, e.data, 16);
       e.blocking(&t);
     }},
    // ---- 8: time
    {8, "nb_transport_fw waits",
     [](E &e) {
       e.fw = [](payload &, tlm_phase &, sc_time &) {
         wait(1, SC_NS);
         return tlm::TLM_ACCEPTED;
       };
       e.forward(e.read(), tlm::BEGIN_REQ);
     }},
    {8, "nb_transport_bw waits",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.bw = [](payload &, tlm_phase &, sc_time &) {
         wait(1, SC_NS);
         return tlm::TLM_ACCEPTED;
       };
       e.backward(t, tlm::END_REQ);
     }},
    {8, "END_REQ before BEGIN_REQ",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ, ns(5));
       wait(1, SC_NS);
       e.backward(t, tlm::END_REQ, ns(3));
     }},
    {8, "UPDATED goes back",
     [](E &e) {
       e.fw = [](payload &, tlm_phase &p, sc_time &d) {
         p = tlm::END_REQ;
         d = ns(1);
         return tlm::TLM_UPDATED;
       };
       e.forward(e.read(), tlm::BEGIN_REQ, ns(2));
     }},
    {8, "COMPLETED goes back",
     [](E &e) {
       e.fw = [](payload &t, tlm_phase &, sc_time &d) {
         E::ok(t);
         d = ns(1);
         return tlm::TLM_COMPLETED;
       };
       e.forward(e.read(), tlm::BEGIN_REQ, ns(2));
     }},
    {8, "BEGIN_RESP before END_REQ",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::END_REQ, ns(4));
       e.backward(t, tlm::BEGIN_RESP, ns(3));
     }},
    {8, "END_RESP before BEGIN_RESP",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::BEGIN_RESP, ns(4));
       e.forward(t, tlm::END_RESP, ns(3));
     }},
    {8, "b_transport goes back",
     [](E &e) {
       e.b = [](payload &t, sc_time &d) {
         E::ok(t);
         d = ns(1);
       };
       e.blocking(e.read(), ns(2));
     }},
    {0, "b_transport waits",
     [](E &e) {
       e.b = [](payload &t, sc_time &d) {
         wait(d);
         E::ok(t);
         d = SC_ZERO_TIME;
       };
       e.blocking(e.read(), ns(2));
     }},
    {0, "another transaction comes earlier",
     [](E &e) {
       e.fw = E::says(tlm::TLM_UPDATED, tlm::END_REQ, ns(1));
       e.forward(e.read(), tlm::BEGIN_REQ, ns(9));
       e.forward(e.read(), tlm::BEGIN_REQ, ns(2));
     }},
    {8, "transport_dbg waits",
     [](E &e) {
       e.debug = [](payload &) {
         wait(1, SC_NS);
         return 0u;
       };
       e.out->transport_dbg(*e.read());
     }},
    {8, "get_direct_mem_ptr waits",
     [](E &e) {
       tlm::tlm_dmi d;
       e.dmi = [](payload &, tlm::tlm_dmi &) {
         wait(1, SC_NS);
         return false;
       };
       e.out->get_direct_mem_ptr(*e.read(), d);
     }},
    // ---- 9: direct access
    {9, "a used descriptor",
     [](E &e) {
       tlm::tlm_dmi d;
       d.set_start_address(1);
       e.dmi = [](payload &, tlm::tlm_dmi &x) {
         x.init();
         return false;
       };
       e.out->get_direct_mem_ptr(*e.read(), d);
     }},
    {9, "no pointer",
     [](E &e) {
       tlm::tlm_dmi d;
       e.dmi = [](payload &, tlm::tlm_dmi &x) {
         x.allow_read_write();
         return true;
       };
       e.out->get_direct_mem_ptr(*e.read(), d);
     }},
    {9, "elsewhere",
     [](E &e) {
       tlm::tlm_dmi d;
       e.dmi = [&](payload &, tlm::tlm_dmi &x) {
         x.set_dmi_ptr(e.data), x.allow_read(), x.set_start_address(64);
         return true;
       };
       e.out->get_direct_mem_ptr(*e.read(), d);
     }},
    {9, "refused elsewhere",
     [](E &e) {
       tlm::tlm_dmi d;
       payload *t = e.read();
       t->set_address(99);
       e.dmi = [&](payload &, tlm::tlm_dmi &x) {
         x.set_end_address(98);
         return false;
       };
       e.out->get_direct_mem_ptr(*t, d);
     }},
    {9, "to read, but a write was asked for",
     [](E &e) {
       tlm::tlm_dmi d;
       e.out->get_direct_mem_ptr(*e.write(), d);
     }},
    {9, "an invalid range", [](E &e) { e.in->invalidate_direct_mem_ptr(5, 4); }},
    {0, "granted, refused, invalidated",
     [](E &e) {
       tlm::tlm_dmi d, f;
       CHECK(e.out->get_direct_mem_ptr(*e.read(), d));
       e.dmi = [](payload &, tlm::tlm_dmi &x) {
         x.allow_read_write();
         return false;
       };
       CHECK(!e.out->get_direct_mem_ptr(*e.read(), f));
       e.in->invalidate_direct_mem_ptr(0, 0);
       EQUAL(e.check.grants, 1u);
       EQUAL(e.check.invalidations, 1u);
     }},
    // ---- 10: once
    {10, "nb_transport in b_transport",
     [](E &e) {
       e.b = [&](payload &t, sc_time &) {
         e.forward(&t, tlm::BEGIN_REQ);
         E::ok(t);
       };
       e.blocking(e.read());
     }},
    {10, "b_transport in nb_transport",
     [](E &e) {
       payload *t = e.read();
       e.forward(t, tlm::BEGIN_REQ);
       e.blocking(t);
     }},
    {10, "b_transport twice",
     [](E &e) {
       payload *t = e.read();
       e.b = [](payload &x, sc_time &) {
         wait(1, SC_NS);
         E::ok(x);
       };
       sc_spawn([&e, t] { e.blocking(t); });
       e.blocking(t);
       wait(1, SC_NS);
     }},
    {10, "b_transport of a method",
     [](E &e) {
       payload *t = e.read();
       sc_spawn_options o;
       o.spawn_method();
       sc_spawn([&e, t] { e.blocking(t); }, nullptr, &o);
       wait(1, SC_NS);
     }},
    {0, "b_transport beside nb_transport",
     [](E &e) {
       e.forward(e.read(), tlm::BEGIN_REQ);
       e.blocking(e.read());
     }},
    // ---- 11: debug
    {11, "no data",
     [](E &e) {
       payload *t = e.read();
       t->set_data_ptr(nullptr);
       e.out->transport_dbg(*t);
     }},
    {11, "too much",
     [](E &e) {
       e.debug = [](payload &) { return 17u; };
       e.out->transport_dbg(*e.read());
     }},
    {0, "less, or nothing",
     [](E &e) {
       payload *t = e.read();
       e.debug = [](payload &) { return 3u; };
       EQUAL(e.out->transport_dbg(*t), 3u);
       t->set_data_ptr(nullptr);
       t->set_data_length(0);
       e.debug = [](payload &) { return 0u; };
       e.out->transport_dbg(*t);
     }},
    // ---- the object again
    {0, "a transaction object, again and again",
     [](E &e) {
       payload *t = e.read();
       const auto anew = [&] { t->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE); };
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::END_REQ);
       e.backward(t, tlm::BEGIN_RESP);
       e.forward(t, tlm::END_RESP);
       anew();
       t->set_data_length(4);
       e.fw = E::says(tlm::TLM_COMPLETED, tlm::BEGIN_REQ);
       e.forward(t, tlm::BEGIN_REQ);
       anew();
       t->set_write();
       e.blocking(t);
       anew();
       e.fw = E::says(tlm::TLM_UPDATED, tlm::END_REQ, ns(5));
       e.bw = E::says(tlm::TLM_COMPLETED, tlm::BEGIN_RESP);
       e.forward(t, tlm::BEGIN_REQ);
       e.backward(t, tlm::BEGIN_RESP, ns(5));
       anew();
       e.forward(t, tlm::BEGIN_REQ);  // earlier than what it was in before
     }},
};

class wrongs : public sc_module {
 public:
  wrongs(sc_module_name name) : sc_module(name), ends_("ends", std::size(deeds)) {
    SC_HAS_PROCESS(wrongs);
    SC_THREAD(run);
  }

 private:
  void run() {
    for (std::size_t n = 0; n < std::size(deeds); n++) {
      const deed &d = deeds[n];
      nearbank::checker &c = ends_[n].check;
      cases::context = "rule " + std::to_string(d.rule) + ", " + d.what;
      d.run(ends_[n]);
      EQUAL(c.broken, d.rule ? 1u : 0u);
      EQUAL(c.last_broken, d.rule);
      wait(10, SC_NS);
    }
    done = true;
  }
  sc_vector<ends> ends_;

 public:
  bool done = false;
};

void rules() {
  sc_report_handler::set_actions("nearbank/checker", SC_INFO, SC_DO_NOTHING);
  wrongs w("wrongs");
  sc_start();
  CHECK(w.done);
}

// A broken rule ends the simulation unless it is only counted.
void fatal() {
  ends e("ends");
  sc_report_handler::set_actions("nearbank/checker", SC_FATAL, SC_THROW);
  e.check.fatal = true;
  bool thrown = false;
  sc_start(SC_ZERO_TIME);
  try {
    payload *t = e.read();
    t->set_streaming_width(0);
    e.blocking(t);
  } catch (const sc_report &r) {
    thrown = std::string(r.get_msg()).find("ends.check: rule 1: a streaming width of 0") !=
             std::string::npos;
  }
  CHECK(thrown);
}

// ---- what is right

enum { threads = 3, accesses = 200, area = 256 };

// Threads, an area of memory each, that read back what they wrote.
class traffic : public sc_module {
 public:
  masters::master &m;
  nearbank::checker check;
  std::uint64_t done = 0;

  traffic(sc_module_name name, masters::master &master, tlm::tlm_target_socket<> &target,
          unsigned users)
      : sc_module(name), m(master), check("check") {
    m.bind(check.target);
    check.initiator.bind(target);
    check.fatal = false;
    for (unsigned k = 0; k < users; k++)
      sc_spawn([this, k] { run(k); });
  }

 private:
  void run(unsigned k) {
    std::minstd_rand engine(k + 1);
    const auto random = [&] { return static_cast<unsigned>(engine()) >> 4; };
    unsigned char memory[area] = {}, data[area];
    for (unsigned n = 0; n < accesses; n++) {
      const unsigned at = random() % area, bytes = 1 + random() % (area - at);
      const bool write = random() & 1;
      for (unsigned i = 0; i < bytes; i++)
        data[i] = static_cast<unsigned char>(random());
      if (write) {
        CHECK(m.write(k * area + at, data, bytes));
        std::memcpy(memory + at, data, bytes);
      } else {
        CHECK(m.read(k * area + at, data, bytes));
        CHECK(!std::memcmp(memory + at, data, bytes));
      }
      if (random() % 4 == 0)
        wait(random() % 40, SC_NS);
    }
    unsigned char nothing;
    EQUAL(m.access(tlm::TLM_READ_COMMAND, 1 << 20, &nothing, 1), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    m.sync();
    done++;
  }
};

// All masters on all targets.
void traffics() {
  tlm::tlm_global_quantum::instance().set(sc_time(100, SC_NS));
  std::vector<std::unique_ptr<sc_module>> all;
  std::vector<std::unique_ptr<traffic>> of;
  std::vector<masters::timed *> timed;
  std::deque<std::vector<unsigned char>> bytes;
  const auto keep = [&](auto *m) {
    all.emplace_back(m);
    return m;
  };
  const auto name = [](const char *what) { return sc_gen_unique_name(what); };
  const masters::answer answers[] = {masters::answer::end_resp, masters::answer::updated,
                                     masters::answer::completed};
  const targets::style styles[] = {targets::style::four, targets::style::end_req,
                                   targets::style::skips, targets::style::response,
                                   targets::style::completed};
  for (unsigned master = 0; master < 5; master++)
    for (unsigned target = 0; target < 9; target++) {
      tlm::tlm_target_socket<> *socket;
      if (target < 2)  // nearbank::memory: at once; with a latency and direct access
        socket =
            &keep(new nearbank::memory(name("memory"), bytes.emplace_back(threads * area).data(),
                                       threads * area, ns(target * 10), target == 1))
                 ->socket;
      else if (target < 7)
        socket = &keep(new targets::timed(name("timed"), threads * area, styles[target - 2], ns(7)))
                      ->socket;
      else  // without time
        socket = &keep(new targets::timed(name("timed"), threads * area,
                                          styles[target == 7 ? 0 : 3], SC_ZERO_TIME))
                      ->socket;
      masters::master *m;
      if (master < 2) {
        auto k = std::make_shared<tlm_utils::tlm_quantumkeeper>();
        m = keep(new masters::loose(name("loose"), k, master == 1));
      } else {
        timed.push_back(
            keep(new masters::timed(name("timed_master"), answers[master - 2], ns(3), ns(master))));
        m = timed.back();
      }
      // a processor that runs ahead has one thread
      of.emplace_back(new traffic(name("traffic"), *m, *socket, master < 2 ? 1 : threads));
      of.back()->done = master < 2 ? threads - 1 : 0;
    }
  sc_start();
  std::uint64_t phases = 0, grants = 0;
  for (auto &t : of) {
    cases::context = t->name();
    EQUAL(t->done, std::uint64_t{threads});
    EQUAL(t->check.broken, 0u);
    EQUAL(t->check.last_broken, 0);
    CHECK(t->check.transactions > 0);
    phases += t->check.phases;
    grants += t->check.grants;
  }
  for (masters::timed *m : timed) {
    cases::context = m->name();
    CHECK(m->memory.all_back());
    CHECK(m->memory.made() <= threads);
  }
  CHECK(phases > 1000);
  CHECK(grants == 1);
  CHECK(!sc_pending_activity());
}

}  // namespace

int sc_main(int, char **) {
  return 0;
}

int main(int argc, char **argv) {
  return cases::run(argc, argv, {{"rules", rules}, {"fatal", fatal}, {"traffic", traffics}});
}

// SPDX-License-Identifier: Apache-2.0
// nearbank::card: the card of docs/card.md as a SystemC module with TLM-2.0 base-protocol sockets.
//
//   registers   target: the window of registers, from address 0 on
//   memory      target: device memory, from address 0 on
//   host        initiator: its addresses are the offsets of the host window
//   interrupt   a pulse of 1 ns
//
// Targets take b_transport, nb_transport (by the conversion of tlm_utils) and transport_dbg. An
// access happens at its annotated time, so an initiator that runs ahead waits here; a read takes
// the time of the link, a write takes none. memory grants direct access (DMI) while no launch is
// under way and invalidates it when one begins. The initiator uses b_transport, and DMI where it is
// granted.
//
// Cycle n of a launch is at its begin plus n ns of SystemC's time. What the card does to registers,
// host memory and interrupt is done at its time, however far a launch is simulated ahead; only
// device memory shows during a launch what the kernel stores up to a quantum later. There is no
// clock: the card does nothing between events. SystemC's time resolution must be 1 ps or finer.
#ifndef NEARBANK_SYSTEMC_CARD_H
#define NEARBANK_SYSTEMC_CARD_H

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>

#include "harness/systemc/card/card_machine.h"
#include "harness/systemc/tlm/shown.h"

namespace nearbank {

// How a card runs in time.
struct card_timing {
  // How far a launch may be simulated ahead of SystemC's time: the quantum of loosely timed
  // simulation. 0: approximately timed, a few cycles, and burst_bytes in one transaction.
  sc_core::sc_time quantum = sc_core::sc_time(10, sc_core::SC_US);
  unsigned burst_bytes = 256;
};

class card : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<card> registers, memory;
  tlm_utils::simple_initiator_socket<card> host;
  sc_core::sc_out<bool> interrupt;

  // On a machine that stays the caller's, with the functions of the card (card_functions).
  card(sc_core::sc_module_name name, const ::card_ops *ops, const ::card_device &device,
       const card_timing &timing = card_timing());
  // The same, for those who link the library of card_machine.h.
  card(sc_core::sc_module_name name, ::card_machine *m, const card_timing &timing = card_timing())
      : card(name, card_machine_ops(), *card_machine_device(m), timing) {}
  ~card() override;

  ::card *model() { return card_; }

  // Registers of the card and of its first contexts as signals, which follow them from the call on.
  // Once, before the simulation begins.
  const std::vector<shown> &show(unsigned contexts = 1);
  // While registers are shown: the card has done something, or simulated a launch further.
  const sc_core::sc_event &went_on() const { return went_on_; }
  // What is shown, and the interrupt.
  void trace(sc_core::sc_trace_file *f) const override;

 private:
  void run();
  void look();
  void pulse();
  void registers_b(tlm::tlm_generic_payload &t, sc_core::sc_time &delay);
  unsigned registers_debug(tlm::tlm_generic_payload &t);
  void memory_b(tlm::tlm_generic_payload &t, sc_core::sc_time &delay);
  unsigned memory_debug(tlm::tlm_generic_payload &t);
  bool memory_dmi(tlm::tlm_generic_payload &t, tlm::tlm_dmi &dmi);
  sc_core::sc_time link_time(const tlm::tlm_generic_payload &t) const;
  std::uint64_t register_value(std::uint64_t offset) const;
  void host_invalid(sc_dt::uint64 first, sc_dt::uint64 last);
  bool access(bool write, std::uint64_t offset, void *data, std::uint64_t bytes);
  bool direct(bool write, std::uint64_t offset, unsigned char *data, std::uint64_t bytes);
  bool burst(bool write, std::uint64_t offset, unsigned char *data, unsigned bytes);
  bool loose() const { return timing_.quantum != sc_core::SC_ZERO_TIME; }

  const ::card_ops *ops_;
  ::card *card_ = nullptr;
  card_timing timing_;
  sc_core::sc_time latency_;  // of the link, one way
  double up_;                 // its bandwidth, MB/s
  bool granted_ = false;      // direct access to device memory
  bool have_host_ = false;    // direct access to host memory
  tlm::tlm_dmi host_dmi_;
  sc_core::sc_event rung_, raise_, went_on_;
  bool pending_ = false;  // an interrupt that is not on the wire yet
  std::vector<shown> shown_;
  std::vector<std::uint64_t> offsets_;  // of the registers that are shown
};

}  // namespace nearbank

#endif

// SPDX-License-Identifier: Apache-2.0
// A card with memory of a host, masters on its sockets and checkers between all of them; and a
// program of the host that uses a context of it.
//
//   masters --> checkers --> registers, memory of the card
//                            host socket of the card --> checker --> host memory
#ifndef NEARBANK_TB_TLM_BOARD_H
#define NEARBANK_TB_TLM_BOARD_H

#include "tb/systemc/tlm/systemc.h"

#include <optional>

#include "harness/systemc/tlm/card.h"
#include "harness/systemc/tlm/checker.h"
#include "harness/systemc/tlm/memory.h"
#include "tb/systemc/tlm/cases.h"
#include "tb/systemc/tlm/masters.h"
#include "tb/systemc/tlm/objects.h"
#include "tb/systemc/tlm/targets.h"

namespace boards {

using sc_core::sc_time;

inline std::uint64_t ps(const sc_time &t) {
  return t.value() / sc_time(1, sc_core::SC_PS).value();
}
inline std::uint64_t now() {
  return ps(sc_core::sc_time_stamp());
}
inline sc_time at_ps(std::uint64_t n) {
  return sc_time::from_value(n * sc_time(1, sc_core::SC_PS).value());
}
inline void wait_until(std::uint64_t t) {
  if (t > now())
    sc_core::wait(at_ps(t - now()));
}

// From the end of a command until its record is there; from a doorbell until n commands are.
enum {
  us = 1000000,
  up_64 = 64 * us / LINK_UP,
  latency = LINK_LATENCY * 1000,
  shown = latency + up_64
};

// What a context has in host memory: an area for each.
enum {
  area = 0x20000,
  ring_at = 0x1000,
  completions = 0x1400,  // in one page
  message = 0x2000,
  message_bytes = 0x1000,
  data = 0x4000,
  contexts = 4,
  host_bytes = contexts * area
};

enum class masters_of { loose, direct, timed, early };
enum class memory_of { plain, slow, direct, slow_direct, moving, paged, four, early, converted };

struct board_options {
  masters_of masters = masters_of::loose;
  memory_of host = memory_of::plain;
  sc_time quantum = sc_time(10, sc_core::SC_US);
  sc_time slow = sc_time(20, sc_core::SC_NS);  // an access of slow memory
};

class board : public sc_core::sc_module {
 public:
  nearbank::card card;
  nearbank::checker on_registers, on_memory, on_host;
  std::unique_ptr<masters::master> registers, memory;
  sc_core::sc_signal<bool> wire;
  std::vector<std::uint64_t> edges;  // when the interrupt came

  board(sc_core::sc_module_name name, card_machine *m, const board_options &o = board_options())
      : sc_module(name),
        card("card", m, timing(o)),
        on_registers("on_registers"),
        on_memory("on_memory"),
        on_host("on_host"),
        wire("wire") {
    make_masters(o.masters);
    registers->bind(on_registers.target);
    memory->bind(on_memory.target);
    on_registers.initiator.bind(card.registers);
    on_memory.initiator.bind(card.memory);
    card.host.bind(on_host.target);
    make_host(o.host, o.slow);
    card.interrupt.bind(wire);
    SC_HAS_PROCESS(board);
    SC_METHOD(edge);
    sensitive << wire.posedge_event();
    dont_initialize();
    on_registers.fatal = on_memory.fatal = on_host.fatal = false;
  }

  // The host's own way to its memory.
  unsigned char *host(std::uint64_t offset) { return host_->data() + offset; }
  targets::moving *moving = nullptr;  // the host memory, if it is one of these
  targets::paged *paged = nullptr;
  nearbank::checker *on_timed() { return on_timed_.get(); }

  std::uint64_t broken() const {
    return on_registers.broken + on_memory.broken + on_host.broken +
           (on_timed_ ? on_timed_->broken : 0);
  }
  // A register, as transport_dbg shows it.
  std::uint64_t peek(std::uint64_t offset, unsigned bytes = 4) {
    std::uint64_t value = 0;
    masters::payload t;
    masters::fill(t, tlm::TLM_READ_COMMAND, offset, &value, bytes);
    EQUAL(on_registers.initiator->transport_dbg(t), bytes);
    return value;
  }
  unsigned debug_memory(tlm::tlm_command c, std::uint64_t address, void *to, unsigned bytes) {
    masters::payload t;
    masters::fill(t, c, address, to, bytes);
    return on_memory.initiator->transport_dbg(t);
  }

 private:
  static nearbank::card_timing timing(const board_options &o) {
    nearbank::card_timing t;
    t.quantum = o.quantum;
    return t;
  }

  void make_masters(masters_of kind) {
    const auto keeper = std::make_shared<tlm_utils::tlm_quantumkeeper>();
    const bool direct = kind == masters_of::direct;
    const masters::answer how =
        kind == masters_of::early ? masters::answer::completed : masters::answer::end_resp;
    if (kind == masters_of::loose || direct) {
      registers.reset(new masters::loose("registers", keeper, direct));
      memory.reset(new masters::loose("memory", keeper, direct));
    } else {
      registers.reset(new masters::timed("registers", how));
      memory.reset(new masters::timed("memory", how));
    }
  }

  void make_host(memory_of kind, sc_time time_of_slow) {
    if (kind == memory_of::moving) {
      moving = keep(new targets::moving("host", host_bytes));
      host_ = &moving->bytes;
      on_host.initiator.bind(moving->socket);
    } else if (kind == memory_of::paged) {
      paged = keep(new targets::paged("host", host_bytes));
      host_ = &paged->bytes;
      on_host.initiator.bind(paged->socket);
    } else if (kind == memory_of::four || kind == memory_of::early ||
               kind == memory_of::converted) {
      make_timed_host(kind);
    } else {
      const bool slow = kind == memory_of::slow || kind == memory_of::slow_direct;
      const bool direct = kind == memory_of::direct || kind == memory_of::slow_direct;
      own_.resize(host_bytes);
      host_ = &own_;
      auto *m = keep(new nearbank::memory("host", own_.data(), host_bytes,
                                          slow ? time_of_slow : sc_core::SC_ZERO_TIME, direct));
      on_host.initiator.bind(m->socket);
    }
  }

  void make_timed_host(memory_of kind) {
    const bool four = kind == memory_of::four;
    const sc_time time = four ? sc_core::SC_ZERO_TIME : sc_time(6, sc_core::SC_NS);
    auto *m = keep(new targets::timed("host", host_bytes,
                                      four ? targets::style::four : targets::style::end_req, time));
    host_ = &m->bytes;
    if (kind == memory_of::converted) {
      on_host.initiator.bind(m->socket);
      return;
    }
    auto *way = keep(new targets::to_timed(
        "way", four ? masters::answer::end_resp : masters::answer::completed, time));
    on_host.initiator.bind(way->socket);
    on_timed_.reset(new nearbank::checker("on_timed"));
    on_timed_->fatal = false;
    way->out.bind(on_timed_->target);
    on_timed_->initiator.bind(m->socket);
  }

  template <class T>
  T *keep(T *m) {
    kept_.emplace_back(m);
    return m;
  }

  void edge() {
    CHECK(edges.empty() || edges.back() < now());
    edges.push_back(now());
  }

  std::vector<std::unique_ptr<sc_module>> kept_;
  std::unique_ptr<nearbank::checker> on_timed_;
  std::vector<unsigned char> own_, *host_ = nullptr;
};

// A command: do_(CARD_DO_WRITE, to, from, bytes)
inline card_command command(card_opcode o, std::uint64_t a = 0, std::uint64_t b = 0,
                            std::uint64_t c = 0, std::uint32_t stream = 0,
                            std::uint16_t flags = 0) {
  return {static_cast<std::uint16_t>(o), flags, stream, 0, {a, b, c, 0, 0, 0}};
}

// A program of the host, on one context of a card; its calls are made by a thread.
class user {
 public:
  enum { entries = 16 };
  user(board &b, unsigned k) : b_(b), k_(k) {}

  board &on() { return b_; }
  std::uint64_t reg(std::uint64_t r) const { return (1 + k_) * std::uint64_t{CARD_PAGE} + r; }
  std::uint64_t place(std::uint64_t offset) const { return k_ * std::uint64_t{area} + offset; }
  unsigned char *bytes(std::uint64_t offset) { return b_.host(place(offset)); }

  void set(std::uint64_t offset, std::uint64_t value, unsigned bytes = 4) {
    CHECK(b_.registers->write(offset, &value, bytes));
  }
  std::uint64_t get(std::uint64_t offset, unsigned bytes = 4) {
    std::uint64_t value = 0;
    CHECK(b_.registers->read(offset, &value, bytes));
    return value;
  }
  std::uint64_t state() { return b_.peek(reg(CONTEXT_R_STATE)); }
  std::uint64_t done() { return b_.peek(reg(CONTEXT_R_DONE)); }

  void turn_on() {
    tail_ = 0;
    std::memset(bytes(completions), 0, entries * sizeof(card_record));
    set(reg(CONTEXT_R_ENTRIES), entries);
    set(reg(CONTEXT_R_RING), place(ring_at), 8);
    set(reg(CONTEXT_R_COMPLETIONS), place(completions), 8);
    set(reg(CONTEXT_R_MESSAGE), place(message), 8);
    set(reg(CONTEXT_R_MESSAGE_BYTES), message_bytes);
    set(reg(CONTEXT_R_TAIL), 0);
    set(reg(CONTEXT_R_CONTROL), CONTEXT_CONTROL_ENABLE | CONTEXT_CONTROL_INTERRUPT);
    set(reg(CONTEXT_R_DOORBELL), 1);
    b_.registers->sync();
    EQUAL(state(), std::uint64_t{CONTEXT_STATE_ON});
  }
  void turn_off() {
    set(reg(CONTEXT_R_CONTROL), 0);
    set(reg(CONTEXT_R_DOORBELL), 1);
    b_.registers->sync();
    EQUAL(state(), std::uint64_t{CONTEXT_STATE_OFF});
  }

  // Into the ring; its number.
  std::uint32_t put(card_command c) {
    c.tag = tail_ * 0x9e3779b97f4a7c15ull;
    std::memcpy(bytes(ring_at + tail_ % entries * sizeof c), &c, sizeof c);
    return tail_++;
  }
  // TAIL, and DOORBELL at time `at` if that is to come.
  void ring(std::uint64_t at = 0) {
    set(reg(CONTEXT_R_TAIL), tail_);
    b_.registers->sync();
    wait_until(at);
    set(reg(CONTEXT_R_DOORBELL), 1);
    b_.registers->sync();
  }

  std::uint32_t commands() const { return tail_; }
  bool has(std::uint32_t n) { return record_at(n).number == n + 1; }
  card_record record(std::uint32_t n) {
    const card_record r = record_at(n);
    EQUAL(r.number, n + 1);
    EQUAL(r.tag, n * 0x9e3779b97f4a7c15ull);
    return r;
  }
  // Sleeps until the record is there; it is one with an interrupt.
  card_record finish(std::uint32_t n) {
    while (!has(n)) {
      if (b_.edges.size() == seen_)
        sc_core::wait(b_.wire.posedge_event());
      seen_ = b_.edges.size();
    }
    const card_record r = record(n);
    EQUAL(r.status, std::uint32_t{CARD_OK});
    return r;
  }
  card_record run(card_command c, std::uint64_t at = 0) {
    c.flags = CARD_FLAG_INTERRUPT;
    const std::uint32_t n = put(c);
    ring(at);
    return finish(n);
  }

  std::uint64_t alloc(std::uint64_t n) {
    return run(command(CARD_DO_ALLOC, n)).words[CARD_ALLOC_GIVES_ADDRESS];
  }
  // Program 0, the kernels; its object goes through the data of the context.
  void load() {
    std::size_t n;
    const std::uint8_t *image = objects_kernels(&n);
    CHECK(n <= area - data);
    std::memcpy(bytes(data), image, n);
    run(command(CARD_DO_LOAD, place(data), n));
  }
  std::uint32_t kernel(const char *name) {
    std::memcpy(bytes(data), name, std::strlen(name));
    return static_cast<std::uint32_t>(
        run(command(CARD_DO_KERNEL, 0, place(data), std::strlen(name)))
            .words[CARD_KERNEL_GIVES_KERNEL]);
  }
  // A launch whose record is at `where` of the area.
  card_command launch(std::uint64_t where, std::uint32_t kernel, unsigned blocks, unsigned threads,
                      const std::vector<std::uint64_t> &parameters) {
    const std::uint32_t n = static_cast<std::uint32_t>(8 * parameters.size());
    const card_launch l = {0, kernel, {blocks, 1, 1}, {threads, 1, 1}, 0, n};
    std::memcpy(bytes(where), &l, sizeof l);
    std::memcpy(bytes(where + sizeof l), parameters.data(), n);
    return command(CARD_DO_LAUNCH, place(where), sizeof l + n);
  }

 private:
  card_record record_at(std::uint32_t n) {
    card_record r;
    std::memcpy(&r, bytes(completions + n % entries * sizeof r), sizeof r);
    return r;
  }
  board &b_;
  unsigned k_;
  std::uint32_t tail_ = 0;
  std::size_t seen_ = 0;
};

}  // namespace boards

#endif

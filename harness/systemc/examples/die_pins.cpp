// SPDX-License-Identifier: Apache-2.0
// A small base die for nearbank::die_pins: DRAM arrays for unit 0, packets down, answers up.
//
//   example_die_pins [WAVES]     WAVES.vcd (die_pins.vcd), for gtkwave
//
// It writes 32 bytes to DRAM and reads them, then adds two registers of 32 lanes next to the banks.
#include "harness/systemc/pins/die_pins.h"

#include <cstdio>
#include <deque>
#include <map>
#include <vector>

extern "C" {
#include "csim/dram/dram.h"
#include "csim/isa/isa.h"
#include "csim/mpu/tsv_packet.h"
}

using namespace sc_core;
using nearbank::pin;

namespace {

// The arrays of one unit: what they do, not when they may do it. A process at the rising edge sees
// the pins of the cycle that ends there, and sets them for the cycle that begins.
class arrays : public sc_module {
 public:
  sc_in<bool> clk{"clk"};
  sc_in<std::uint32_t> cmd{"cmd"}, bank{"bank"}, row{"row"}, col{"col"}, wmask{"wmask"};
  sc_in<pin<256>> wdata{"wdata"};
  sc_out<pin<256>> rdata{"rdata"};

  explicit arrays(sc_module_name name) : sc_module(name) {
    SC_HAS_PROCESS(arrays);
    SC_METHOD(edge);
    sensitive << clk.pos();
    dont_initialize();
  }

 private:
  // By default CWL is 2; and CL + burst - 1 is 3, of which one is the cycle that begins now.
  enum { to_write = 2, to_read = 2 };
  struct access {
    std::uint64_t at;  // edges from the first one
    std::uint32_t address;
  };

  void edge() {
    if (!writes_.empty() && writes_.front().at == now_) {
      pin<256> &x = bytes_[writes_.front().address];
      const pin<256> data = wdata.read();
      for (int b = 0; b < 32; b++)
        if (wmask.read() >> b & 1)
          x.range(8 * b + 7, 8 * b) = data.range(8 * b + 7, 8 * b);
      writes_.pop_front();
    }
    if (!reads_.empty() && reads_.front().at == now_) {
      rdata.write(bytes_[reads_.front().address]);
      reads_.pop_front();
    }
    const std::uint32_t b = bank.read(), address = b << 19 | row_[b] << 5 | col.read();
    if (cmd.read() == DRAM_ACT || cmd.read() == DRAM_SASEL)
      row_[b] = row.read();
    else if (cmd.read() == DRAM_WR)
      writes_.push_back({now_ + to_write, address});
    else if (cmd.read() == DRAM_RD)
      reads_.push_back({now_ + to_read, address});
    now_++;
  }

  std::map<std::uint32_t, pin<256>> bytes_;
  std::uint32_t row_[4] = {};  // that is selected in each bank
  std::deque<access> writes_, reads_;
  std::uint64_t now_ = 0;
};

class base_die : public sc_module {
 public:
  sc_clock clk{"clk", sc_time(1, SC_NS)};
  sc_signal<bool> rst_n{"rst_n"};
  nearbank::die_pins die{"die"};
  nearbank::die_signals pins{die};
  bool passed = false;

  explicit base_die(sc_module_name name) : sc_module(name), arrays_("arrays") {
    die.clk_i(clk);
    die.rst_ni(rst_n);
    arrays_.clk(clk);
    arrays_.cmd(pins.m0_cmd), arrays_.bank(pins.m0_bank);
    arrays_.row(pins.m0_row), arrays_.col(pins.m0_col);
    arrays_.wdata(pins.m0_wdata), arrays_.wmask(pins.m0_wmask), arrays_.rdata(pins.m0_rdata);
    SC_HAS_PROCESS(base_die);
    SC_THREAD(run);
    SC_METHOD(up);
    sensitive << clk.posedge_event();
    dont_initialize();
  }

 private:
  using flits = std::vector<std::uint64_t>;

  // Down, a flit in each cycle, in place 0 of the bus. These packets are short: the unit has room
  // for 16 flits, so nobody counts dn_credit here.
  void send(const flits &packet) {
    for (const std::uint64_t flit : packet) {
      pin<128> bus;
      bus.range(63, 0) = flit;
      pins.dn_valid = 1;
      pins.dn_sel = 0;
      pins.dn_data = bus;
      wait(clk.posedge_event());
    }
    pins.dn_valid = 0;
  }

  // Up: takes a flit of unit 0 in every other cycle, so that up_count is never old. Each flit that
  // has arrived makes room for another one.
  void up() {
    const bool arrived = pins.up_valid.read() & 1;
    if (arrived)
      arrived_.push_back(pins.up_data.read().range(63, 0).to_uint64());
    pins.up_credit = arrived;
    pins.up_take = pins.up_take.read() == 0 && (pins.up_count.read() & 3) != 0;
  }

  std::uint64_t flit() {
    while (arrived_.empty())
      wait(clk.posedge_event());
    const std::uint64_t f = arrived_.front();
    arrived_.pop_front();
    return f;
  }

  bool expect(std::uint64_t wanted, const char *what) {
    const std::uint64_t f = flit();
    if (f != wanted)
      std::printf("%s: 0x%016llx, not 0x%016llx\n", what, static_cast<unsigned long long>(f),
                  static_cast<unsigned long long>(wanted));
    return f == wanted;
  }
  bool done(std::uint64_t tag) {
    return expect(TSV_UP_DONE | tsv_put(TSV_UP_DONE_COUNT, 1) | tsv_put(TSV_UP_DONE_TAGS, tag),
                  "DONE");
  }

  bool memory() {
    const flits data = {0x1111222233334444, 0x5555666677778888, 0x0123456789abcdef, 42};
    const std::uint64_t sector = 0x12345;
    flits write = {TSV_DN_WR | tsv_put(TSV_DN_ANY_TAG, 1) | tsv_put(TSV_DN_ANY_LEN, 4) |
                   tsv_put(TSV_DN_WR_CHUNKS, 15) | tsv_put(TSV_DN_WR_FULL, 1) |
                   tsv_put(TSV_DN_WR_SECTOR, sector)};
    write.insert(write.end(), data.begin(), data.end());
    send(write);
    bool ok = done(1);
    send({TSV_DN_RD | tsv_put(TSV_DN_ANY_TAG, 2) | tsv_put(TSV_DN_RD_CHUNKS, 15) |
          tsv_put(TSV_DN_RD_SECTOR, sector)});
    ok &= expect(TSV_UP_DATA | tsv_put(TSV_UP_ANY_TAG, 2) | tsv_put(TSV_UP_ANY_LEN, 4) |
                     tsv_put(TSV_UP_DATA_CHUNKS, 15),
                 "DATA");
    for (const std::uint64_t word : data)
      ok &= expect(word, "data of the sector");
    return ok;
  }

  // A register of all lanes.
  void set(std::uint64_t tag, std::uint64_t reg, std::uint64_t value) {
    send({TSV_DN_REGWR | tsv_put(TSV_DN_ANY_TAG, tag) | tsv_put(TSV_DN_ANY_LEN, 1) |
              tsv_put(TSV_DN_REGWR_LINEAR, 1) | tsv_put(TSV_DN_REGWR_REG, reg) |
              tsv_put(TSV_DN_REGWR_MASK, 0xffffffff),
          value});
  }

  bool add() {
    set(3, 10, 40);
    bool ok = done(3);
    set(4, 11, 2);
    ok &= done(4);
    send({TSV_DN_EXEC | tsv_put(TSV_DN_ANY_TAG, 5) | tsv_put(TSV_DN_EXEC_OP, ISA_OP_ADD) |
          tsv_put(TSV_DN_EXEC_TYPE, ISA_TYPE_U32) | tsv_put(TSV_DN_EXEC_D, 12) |
          tsv_put(TSV_DN_EXEC_A, 10) | tsv_put(TSV_DN_EXEC_B, 11)});
    ok &= done(5);
    send({TSV_DN_REGRD | tsv_put(TSV_DN_ANY_TAG, 6) | tsv_put(TSV_DN_REGRD_REG, 12) |
          tsv_put(TSV_DN_REGRD_MASK, 0xffffffff)});
    ok &= expect(TSV_UP_REGD | tsv_put(TSV_UP_ANY_TAG, 6) | tsv_put(TSV_UP_ANY_LEN, 1) |
                     tsv_put(TSV_UP_REGD_LINEAR, 1),
                 "REGD");
    return ok & expect(42, "the sum");
  }

  void run() {
    pins.cfg_rows = 1;
    pins.cfg_times = nearbank::die_pins::default_times();
    for (unsigned n = 0; n < 3; n++)  // edges in reset
      wait(clk.posedge_event());
    rst_n = true;
    wait(clk.posedge_event());
    passed = memory();
    passed &= add();
    for (unsigned n = 0; n < 10; n++)
      wait(clk.posedge_event());
    sc_stop();
  }

  arrays arrays_;
  std::deque<std::uint64_t> arrived_;
};

}  // namespace

int sc_main(int argc, char **argv) {
  base_die base("base");
  sc_trace_file *waves = sc_create_vcd_trace_file(argc > 1 ? argv[1] : "die_pins");
  waves->set_time_unit(1, SC_PS);
  sc_trace(waves, base.clk, "clk");
  sc_trace(waves, base.rst_n, "rst_n");
  base.pins.trace(waves);
  sc_start(10, SC_US);
  sc_close_vcd_trace_file(waves);
  std::puts(base.passed ? "PASS" : "FAIL");
  return !base.passed;
}

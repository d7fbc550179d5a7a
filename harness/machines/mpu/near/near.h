// SPDX-License-Identifier: Apache-2.0
// The near side of one core: four near-bank units, their shared memory, the DRAM arrays behind
// them, and the register track tables of the four subcores (they lie on the base die, but are
// Verilog like the rest). Built from C twins, from verilated Verilog, or from both at once, which
// are then compared in every output of every cycle.
//
// The blocks are nbu, smem and rtt, wired here as docs/blocks/die_slice.md wires them: the pins of
// near_in and near_out that it has too mean the same. Each block whose clock stands is not stepped.
//
// Step n, from 0 on, is the edge that ends cycle n: it takes what near_in says in cycle n, and what
// it leaves in near_out is there in cycle n + 1. Messages count cycles like that, those of the DRAM
// too.
#ifndef NEARBANK_NEAR_H
#define NEARBANK_NEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "csim/mpu/structure.h"
#include "csim/base/prefetch.h"
#include "csim/dram/channel.h"
#include "csim/mpu/nbu.h"
#include "csim/mpu/rtt.h"
#include "shared_meter.h"
#include "csim/mpu/smem.h"

enum { NEAR_NBUS = 4, NEAR_LANES = 32, NEAR_PLACES = 128 };

typedef enum near_mode { NEAR_C, NEAR_RTL, NEAR_LOCKSTEP, NEAR_MODES } near_mode;
extern const char *const near_mode_names[NEAR_MODES];  // as options spell them
bool near_mode_named(const char *name, near_mode *mode);

typedef struct near near;

typedef struct near_config {
  near_mode mode;
  const char *name;  // of the core, in messages: "core 0"
  // Of NBU 0, but for its geometry, which is in `sizes`, and its controller, which is in the NBU.
  // CHANNEL_GIVEN: ref_tick will come as tREFI asks for; the arrays count on what it promises. NBU
  // n has its bytes n * nbu_stride behind channel.base.
  channel_config channel;
  uint64_t nbu_stride;
  const structure *sizes;  // the caller's until near_new returns; NULL: the default ones
  const near *like;  // one of the same kind, with which tables and library are shared, or NULL
  // Lockstep: a mutant of this block stands in for the Verilog ("opc"), NULL: none. For tests.
  const char *mutant;
  const char *library;  // file of the verilated models, NULL: that of the build
} near_config;

// What the base die drives before an edge. All zero: nothing happens. rst_n of the tables is not
// looked at.
typedef struct near_in {
  uint32_t dn_valid, dn_sel, dn_data[4];
  uint32_t up_take, up_credit, ref_tick;
  rtt_in rtt[NEAR_NBUS];
} near_in;

// What it sees after it. The same struct in every step.
typedef struct near_out {
  uint32_t dn_credit, up_count, up_valid, up_sel, up_data[4];
  // Records of the NBUs, for those who look on: packets that valu, lsux and regmove have completed
  // (three bits and three tags of eight bits an NBU), and one that has begun (a bit, eight bits).
  uint32_t ret_valid, ret_tag[NEAR_NBUS], begin_valid, begin_tag;
  uint32_t sm_done;  // bit n: shared memory has ended a request of NBU n (qN_rvalid)
  bool busy;         // something is under way: not near_idle()
  rtt_out rtt[NEAR_NBUS];
} near_out;

// After reset. NULL: `why` says what is missing (the library of models, memory). The configuration
// is copied, the memory stays the caller's. The library is that of the build, or `library`; for
// other sizes it is built when there is none, which takes minutes (models.h). NEAR_C needs none.
near *near_new(const near_config *c, char *why, size_t why_bytes);
void near_free(near *n);

// As after near_new, but for the cycle number, what was counted, and what memories hold. Nothing
// may be under way. False: as of near_step.
bool near_reset(near *n);

// One clock edge of all that has work. False: Verilog and twin differ, or a DRAM rule was broken;
// then near_error says which, where and when (in lines, the last one without its end), and the near
// side takes no further step.
bool near_step(near *n, const near_in *in, near_out *out);
// What the next edges will look at: parts 0 to NEAR_PARTS - 1, in this order and some time apart;
// of a unit that has nothing to do only its wires.
enum { NEAR_PARTS = NEAR_NBUS * NBU_PARTS };
void near_fetch(prefetch *a, const near *n, uint32_t part, bool works);
// The same of the track table, for the first `regs` registers of a warp.
void near_fetch_warp(prefetch *a, const near *n, uint32_t subcore, uint32_t warp, uint32_t regs);
uint64_t near_cycle(const near *n);          // edges so far
uint32_t near_access_cycles(const near *n);  // from RD to RD of a bank, at least
const char *near_error(const near *n);       // NULL: none

// Nothing is under way, and a step with quiet inputs would change nothing but the cycle number.
bool near_idle(const near *n);
uint32_t near_busy(const near *n);         // units that have something to do, a bit each
void near_skip(near *n, uint64_t cycles);  // that many such steps

// For the comparison with the functional machine, and for debugging: the words of the lanes of
// place `place` of NBU `nbu`, as they are now; and shared memory. NULL in mode NEAR_RTL.
const uint32_t *near_register(const near *n, uint32_t nbu, uint32_t place);
const uint32_t *near_shared(const near *n);  // 16384 words
// The same of the track table: bit 0 far, bit 1 near; and of what is in an NBU. NEAR_RTL: -1, NULL.
int near_valid(const near *n, uint32_t subcore, uint32_t warp, uint32_t reg);
const nbu *near_unit(const near *n, uint32_t nbu);

// Blocks: NBU 0 to 3, shared memory, track table 0 to 3.
enum { NEAR_SMEM = NEAR_NBUS, NEAR_RTT, NEAR_BLOCKS = NEAR_RTT + NEAR_NBUS };
// The signals of a block from now on (csim/base/rtl_trace.h; `cycle` there is near_cycle): those of
// its Verilog, in mode NEAR_C the ports of its twin. False: no memory, or a library that cannot.
bool near_trace(near *n, uint32_t block, void (*write)(void *ctx, const char *text, size_t bytes),
                void *ctx);
void near_trace_off(near *n, uint32_t block);
const dram *near_arrays(const near *n, uint32_t nbu);  // in any mode; cycles as of near_cycle

// Where Verilog and twin differ, or whose command broke a rule: what near_error says, for those who
// look further. NULL: neither.
typedef struct near_fault {
  uint64_t cycle;
  uint32_t block;    // of the above
  const char *name;  // of the block, which may be one inside: "opc"
  bool rule;         // a DRAM rule, or a check in the Verilog
  int tag;           // of the packet that a differing block of an NBU works on, -1: none is known
} near_fault;
const near_fault *near_failed(const near *n);

// The outputs in this cycle of a block in an NBU: of the Verilog in mode NEAR_RTL, else of the
// twin. False: a library that does not show them.
bool near_part(const near *n, uint32_t nbu, nbu_part part, void *out);
// All outputs of an NBU in this cycle, DRAM pins among them; and of shared memory.
const nbu_out *near_pins(const near *n, uint32_t nbu);
const smem_out *near_shared_pins(const near *n);

// Counted so far: commands of the arrays; what reads and writes met there (with closed pages there
// are no conflicts: these rows too were closed before anybody wanted another one); and by NBU.
typedef struct near_counts {
  uint64_t clocked;  // edges of the NBU
  shared_counts shared;
} near_counts;
uint64_t near_commands(const near *n, uint32_t nbu, uint32_t bank, dram_cmd cmd);
dram_rows near_rows(const near *n, uint32_t nbu, uint32_t bank);
near_counts near_counted(const near *n, uint32_t nbu);
// Who is told of each access of the arrays of an NBU, as of dram_watch. With closed pages what it
// calls a conflict counts as a miss above.
void near_watch(near *n, uint32_t nbu, dram_accessed *tell, void *ctx);
bool near_closes_pages(const near *n);

#endif

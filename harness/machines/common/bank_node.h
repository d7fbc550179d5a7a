// SPDX-License-Identifier: Apache-2.0
// A node that is a block next to a bank channel: its state begins with a bank_node. In its step it
// sees both (bank_node_begin), and at the end clocks both (bank_node_end).
#ifndef NEARBANK_BANK_NODE_H
#define NEARBANK_BANK_NODE_H

#include "harness/base/block_trace.h"
#include "harness/base/schedule/clocked.h"
#include "harness/base/schedule/machine.h"
#include "csim/dram/channel.h"

typedef struct bank_node {
  clocked node;
  lockstep *block;
  channel *channel;
  model controller;  // Verilog of the channel's; ops NULL: none
  block_trace trace;
  bool recorded;                        // the block
  uint64_t block_cycle, channel_cycle;  // of the last edge, of what is recorded
} bank_node;

// The block has this twin; its Verilog, and that of the bank controller, is in the library of the
// machine: `machine` is the folder of the machine in rtl/. False: `why`; _finish in any case.
// step, counters and idle of `node` are the caller's; idle is first that of the block.
bool bank_node_init(bank_node *b, const machine_site *site, const block_ops *twin,
                    const char *machine, char *why, size_t why_bytes);
void bank_node_finish(void *bank_node);

// The arrays have seen what is on the pins, also in the time in which the node stood still: what
// the bank channel has at its outputs in this cycle. The block's are lockstep_out().
const bankctl_out *bank_node_begin(bank_node *b);
// The edge. `in` of the block, which stays where it is (lockstep_step); the request to the bank
// channel, NULL: none.
void bank_node_end(bank_node *b, const void *in, const channel_request *request);
// The 32 bytes of an access, by its number: row, column and bank, the bank lowest.
uint8_t *bank_node_access(bank_node *b, uint32_t number);

// Of node_ops. The node declares two modules, its block and bankctl: they are recorded.
bool bank_node_trace(void *node, uint32_t module, const rtl_trace *to);
void bank_node_come_to(void *node, uint64_t cycle);
#define BANK_NODE_OPS CLOCKED_OPS, .trace = bank_node_trace, .come_to = bank_node_come_to

#endif

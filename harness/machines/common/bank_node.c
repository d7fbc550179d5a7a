// SPDX-License-Identifier: Apache-2.0
#include "bank_node.h"

#include <stdio.h>
#include "channel_of.h"
#include "csim/base/differ.h"

static bool idle(const void *node) {
  return lockstep_idle(((const bank_node *)node)->block);
}

// Verilog of the block and of the bank controller, the latter with the sizes of the configuration.
static bool open_models(bank_node *b, model *block, const channel_config *c, const block_ops *twin,
                        const char *machine, char *why, size_t why_bytes) {
  char target[64], sizes[STRUCTURE_TEXT];
  verilated_library l;
  snprintf(target, sizeof target, "%srtl", machine);
  channel_sizes(c, sizes);
  if (!verilated_open(&l, target, sizes, NULL, NULL, "bankctl", why, why_bytes) ||
      !verilated_block(&l, block, twin->name, twin, why, why_bytes) ||
      !verilated_block(&l, &b->controller, "bankctl", &bankctl_twin, why, why_bytes))
    return false;
  verilated_close(&l);
  return true;
}

bool bank_node_init(bank_node *b, const machine_site *site, const block_ops *twin,
                    const char *machine, char *why, size_t why_bytes) {
  channel_config c = channel_of_config(site->config);
  model block = {0};
  b->node.idle = idle;
  if (!node_port_init(&b->node.port, site->index, site->net) ||
      (site->near != LOCKSTEP_C && !open_models(b, &block, &c, twin, machine, why, why_bytes)))
    return false;
  if (site->near == LOCKSTEP_RTL)
    c.model = b->controller.ops;
  if (site->near == LOCKSTEP_BOTH)
    c.second = b->controller.ops;
  c.failed = b->controller.failed, c.differ = differ_ports;
  return (b->block = lockstep_new(site->near, twin, NULL, &block, why, why_bytes)) &&
         (b->channel = channel_new(&c, why, why_bytes));
}

void bank_node_finish(void *node) {
  bank_node *b = node;
  clocked_finish(b);
  block_trace_off(&b->trace);
  lockstep_free(b->block);
  channel_free(b->channel);
}

// ---- a cycle

static bool clock_channel(bank_node *b, const channel_request *request) {
  b->channel_cycle = channel_cycle(b->channel);
  const bool ok = channel_clock(b->channel, request);
  block_trace_step(&b->trace, channel_in(b->channel), channel_out(b->channel));
  return ok;
}

// The channel by itself, to this cycle.
static void catch_up(bank_node *b, uint64_t cycle) {
  while (channel_cycle(b->channel) < cycle && !channel_error(b->channel)) {
    if (channel_idle(b->channel))
      channel_skip(b->channel, cycle);
    if (channel_cycle(b->channel) == cycle)
      break;
    channel_pins(b->channel);
    clock_channel(b, NULL);
  }
}

// The block has had no edge since then, if it stood still before this cycle.
static void stand_still(bank_node *b, uint64_t cycle) {
  if (++b->block_cycle < cycle)
    lockstep_still(b->block);
}

const bankctl_out *bank_node_begin(bank_node *b) {
  if (b->recorded)
    stand_still(b, b->node.cycle);
  catch_up(b, b->node.cycle);
  channel_pins(b->channel);
  return channel_out(b->channel);
}

void bank_node_end(bank_node *b, const void *in, const channel_request *request) {
  b->block_cycle = b->node.cycle;
  if (channel_out(b->channel)->rsp_valid)
    b->node.moved = b->node.cycle;
  if (!lockstep_step(b->block, in))
    b->node.error = lockstep_error(b->block);
  else if (!clock_channel(b, request))
    b->node.error = channel_error(b->channel);
}

uint8_t *bank_node_access(bank_node *b, uint32_t number) {
  const dram_geometry *g = dram_geometry_of(channel_dram(b->channel));
  const uint32_t column = number / g->banks;
  return dram_access(channel_dram(b->channel), number % g->banks, column / g->cols,
                     column % g->cols);
}

// ---- signals

void bank_node_come_to(void *node, uint64_t cycle) {
  bank_node *b = node;
  if (b->node.error)
    return;
  catch_up(b, cycle);
  if (b->recorded)
    stand_still(b, cycle), b->block_cycle = cycle - 1;
}

bool bank_node_trace(void *node, uint32_t module, const rtl_trace *to) {
  bank_node *b = node;
  rtl_trace here = to ? *to : (rtl_trace){0};
  if (!module) {
    here.cycle = &b->block_cycle, b->block_cycle = b->node.cycle;
    b->recorded = lockstep_trace(b->block, to ? &here : NULL) && to;
    b->block_cycle--;  // no edge since
    return b->recorded || !to;
  }
  here.cycle = &b->channel_cycle, b->channel_cycle = channel_cycle(b->channel);
  if (to)
    return block_trace_on(&b->trace, &bankctl_twin, b->controller.ops ? &b->controller : NULL,
                          channel_controller(b->channel), &here, channel_in(b->channel),
                          channel_out(b->channel));
  block_trace_off(&b->trace);
  return true;
}

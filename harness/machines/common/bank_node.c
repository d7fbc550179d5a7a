// SPDX-License-Identifier: Apache-2.0
#include "bank_node.h"

#include "channel_of.h"

static bool idle(const void *node) {
  return lockstep_idle(((const bank_node *)node)->block);
}

bool bank_node_init(bank_node *b, const machine_site *site, const block_ops *twin,
                    const char *library, char *why, size_t why_bytes) {
  const channel_config c = channel_of_config(site->config);
  b->node.idle = idle;
  return node_port_init(&b->node.port, site->index, site->net) &&
         (b->block = lockstep_new(site->near, twin, library, twin->name, why, why_bytes)) &&
         (b->channel = channel_new(&c, why, why_bytes));
}

void bank_node_finish(void *node) {
  bank_node *b = node;
  clocked_finish(b);
  lockstep_free(b->block);
  channel_free(b->channel);
}

const bankctl_out *bank_node_begin(bank_node *b) {
  while (channel_cycle(b->channel) < b->node.cycle && !channel_error(b->channel)) {
    if (channel_idle(b->channel))
      channel_skip(b->channel, b->node.cycle);
    if (channel_cycle(b->channel) == b->node.cycle)
      break;
    channel_pins(b->channel);
    channel_clock(b->channel, NULL);
  }
  channel_pins(b->channel);
  return channel_out(b->channel);
}

void bank_node_end(bank_node *b, const void *in, const channel_request *request) {
  if (channel_out(b->channel)->rsp_valid)
    b->node.moved = b->node.cycle;
  if (!lockstep_step(b->block, in))
    b->node.error = lockstep_error(b->block);
  else if (!channel_clock(b->channel, request))
    b->node.error = channel_error(b->channel);
}

uint8_t *bank_node_access(bank_node *b, uint32_t number) {
  const dram_geometry *g = dram_geometry_of(channel_dram(b->channel));
  const uint32_t column = number / g->banks;
  return dram_access(channel_dram(b->channel), number % g->banks, column / g->cols,
                     column % g->cols);
}

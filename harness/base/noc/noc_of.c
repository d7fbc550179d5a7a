// SPDX-License-Identifier: Apache-2.0
#include "noc_of.h"

_Static_assert((int)CONFIG_TOPOLOGY_MESH == NOC_MESH &&
                   (int)CONFIG_TOPOLOGY_DIAGONAL_MESH == NOC_DIAGONAL_MESH &&
                   (int)CONFIG_TOPOLOGY_CONCENTRATED == NOC_CONCENTRATED &&
                   (int)CONFIG_TOPOLOGY_CONCENTRATED_DIAGONAL == NOC_CONCENTRATED_DIAGONAL &&
                   (int)CONFIG_TOPOLOGY_CROSSBAR == NOC_CROSSBAR,
               "the same numbers");

noc_config noc_of_config(const config *c) {
  const uint32_t x = config_columns(c->machine.cores, c->network.columns);
  const uint32_t chips_x = config_columns(c->machine.processors, c->network.processor_columns);
  return (noc_config){
      .topology = (noc_topology)c->network.topology,
      .x = x,
      .y = c->machine.cores / x,
      .chips_x = chips_x,
      .chips_y = c->machine.processors / chips_x,
      .gateways = c->network.gateways,
      .group_x = c->network.group_columns,
      .group_y = c->network.group_rows,
      .vcs = c->network.virtual_channels,
      .ordered = true,
      .oldest_first = c->network.arbiter == CONFIG_ARBITER_OLDEST,
      .depth = c->network.on_chip_buffer,
      .off_depth = c->network.off_chip_buffer,
      .loop = c->network.credit_loop,
      .flit_bytes = c->network.on_chip_bits / 8,
      .off_flit_bytes = c->network.off_chip_bits / 8,
      .link = c->network.on_chip_link,
      .off_link = c->network.off_chip_link,
      .link_interval = c->network.router_mhz / c->network.on_chip_mhz,
      .off_link_interval = c->network.router_mhz / c->network.off_chip_mhz,
      .send_packets = c->network.send_packets,
      .take_packets = c->network.take_packets,
  };
}

uint32_t noc_steps_a_cycle(const config *c) {
  return c->network.router_mhz / c->machine.core_mhz;
}

// SPDX-License-Identifier: Apache-2.0
#include "renewal.h"

enum {
  LINE = 128,
  SECTORS = 4,
  HEADER = 8,
  READ_FLITS = 19,   // of a line on the TSV bus: LINE, REGRD and what comes up
  WRITE_FLITS = 18,  // REGWR and LINE
  STAGES = 3,        // of a router
  ENDS = 18          // router cycles of a packet between chips without its routers and links
};

static uint64_t flits_of(uint32_t bytes) {
  return (LINE + HEADER + bytes - 1) / bytes;
}

static uint64_t most(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static uint64_t rounded_up(uint64_t n, uint64_t by) {
  return (n + by - 1) / by;
}

// From a corner of the machine to the opposite one, in core cycles.
static uint64_t longest_path(const renewal_config *c) {
  const noc_config *n = c->noc;
  const uint64_t on = n->x - 1 + (n->y - 1), off = n->chips_x - 1 + (n->chips_y - 1);
  const uint64_t hops = off ? 2 * on : on;
  return c->interface + rounded_up(ENDS + hops * (STAGES + n->link) + off * (STAGES + n->off_link),
                                   c->router_cycles);
}

void renewal_add(renewals *to, const renewal_config *c, uint64_t lines) {
  const noc_config *n = c->noc;
  const uint64_t on = flits_of(n->flit_bytes), off = flits_of(n->off_flit_bytes);
  const uint64_t link = most(on * n->link_interval,  // in router cycles, of a line
                             c->processors > 1 ? off * n->off_link_interval : 0);
  const uint64_t bus = lines * WRITE_FLITS + rounded_up(lines, c->cores) * READ_FLITS;
  const bool others = c->cores > 1;
  to->made++;
  to->cycles +=
      most(others ? rounded_up(lines * link, c->router_cycles) : 0, rounded_up(bus, c->tsv_flits)) +
      (others ? longest_path(c) : 0);
  to->bytes += lines * LINE * c->cores;
  to->dram_reads += lines * SECTORS, to->dram_writes += lines * SECTORS * c->cores;
  to->tsv_flits += lines * (READ_FLITS + (uint64_t)WRITE_FLITS * c->cores);
  to->on_chip_flits += lines * on * (c->cores - c->processors);
  to->off_chip_flits += lines * off * (c->processors - 1);
}

// SPDX-License-Identifier: Apache-2.0
#include "transfer.h"

#include <assert.h>
#include <stdlib.h>

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

static_assert(sizeof(transfers) % sizeof(uint64_t) == 0, "counts");
void transfers_add(transfers *to, const transfers *t) {
  uint64_t *a = (uint64_t *)to;
  const uint64_t *b = (const uint64_t *)t;
  for (size_t k = 0; k < sizeof *t / sizeof *a; k++)
    a[k] += b[k];
}

// From a corner of the machine to the opposite one, in core cycles.
static uint64_t longest_path(const transfer_config *c) {
  const noc_config *n = c->noc;
  const uint64_t on = n->x - 1 + (n->y - 1), off = n->chips_x - 1 + (n->chips_y - 1);
  const uint64_t hops = off ? 2 * on : on;
  return c->interface + rounded_up(ENDS + hops * (STAGES + n->link) + off * (STAGES + n->off_link),
                                   c->router_cycles);
}

void transfer_copies(transfers *to, const transfer_config *c, uint64_t lines) {
  const noc_config *n = c->noc;
  const uint64_t on = flits_of(n->flit_bytes), off = flits_of(n->off_flit_bytes);
  const uint64_t link = most(on * n->link_interval,  // in router cycles, of a line
                             c->processors > 1 ? off * n->off_link_interval : 0);
  const uint64_t bus = lines * WRITE_FLITS + rounded_up(lines, c->cores) * READ_FLITS;
  const bool others = c->cores > 1;
  to->copies++;
  to->cycles +=
      most(others ? rounded_up(lines * link, c->router_cycles) : 0, rounded_up(bus, c->tsv_flits)) +
      (others ? longest_path(c) : 0);
  to->bytes += lines * LINE * c->cores;
  to->dram_reads += lines * SECTORS, to->dram_writes += lines * SECTORS * c->cores;
  to->tsv_flits += lines * (READ_FLITS + (uint64_t)WRITE_FLITS * c->cores);
  to->on_chip_flits += lines * on * (c->cores - c->processors);
  to->off_chip_flits += lines * off * (c->processors - 1);
}

static uint64_t distance(uint32_t a, uint32_t b) {
  return a > b ? a - b : b - a;
}

// Router cycles of the busiest link between processors, each of whose packets goes along x and then
// along y; with the flits over all links.
static uint64_t busiest_link(const transfer_config *c, const uint32_t *lines, transfers *to) {
  const noc_config *n = c->noc;
  const uint32_t per = c->cores / c->processors, x = n->chips_x;
  const uint64_t off = flits_of(n->off_flit_bytes), on = flits_of(n->flit_bytes);
  uint64_t most_lines = 0, *links = calloc((size_t)c->processors * 4, sizeof *links);
  for (uint32_t k = 0; k < c->cores * c->cores && links; k++) {
    const uint32_t a = k / c->cores, b = k % c->cores;
    uint32_t at = a / per, last = b / per;
    const uint32_t ax = a % per % n->x, ay = a % per / n->x, bx = b % per % n->x,
                   by = b % per / n->x;
    // to a gateway and from one: halfway across the processor
    const uint64_t hops =
        at == last ? distance(ax, bx) + distance(ay, by) : n->x - 1 + (uint64_t)(n->y - 1);
    to->on_chip_flits += lines[k] * on * hops;
    while (at != last) {
      const bool along_x = at % x != last % x;
      const bool up = along_x ? at % x < last % x : at < last;
      uint64_t *link = &links[at * 4 + (along_x ? 0u : 2u) + (up ? 1u : 0u)];
      *link += lines[k];
      most_lines = most(most_lines, *link);
      to->off_chip_flits += lines[k] * off;
      at = up ? at + (along_x ? 1 : x) : at - (along_x ? 1 : x);
    }
  }
  free(links);
  return most_lines * off * n->off_link_interval;
}

void transfer_move(transfers *to, const transfer_config *c, const uint32_t *lines) {
  uint64_t busiest = 0, all = 0;
  bool others = false;
  for (uint32_t k = 0; k < c->cores; k++) {
    uint64_t bus = 0;
    for (uint32_t j = 0; j < c->cores; j++) {
      bus += (uint64_t)lines[k * c->cores + j] * READ_FLITS;
      bus += (uint64_t)lines[j * c->cores + k] * WRITE_FLITS;
      all += lines[k * c->cores + j];
      others |= j != k && lines[k * c->cores + j];
    }
    busiest = most(busiest, bus);
  }
  const uint64_t link = busiest_link(c, lines, to);
  to->moves++;
  to->cycles += most(rounded_up(link, c->router_cycles), rounded_up(busiest, c->tsv_flits)) +
                (others ? longest_path(c) : 0);
  to->bytes += all * LINE;
  to->dram_reads += all * SECTORS, to->dram_writes += all * SECTORS;
  to->tsv_flits += all * (READ_FLITS + WRITE_FLITS);
}

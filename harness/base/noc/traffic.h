// SPDX-License-Identifier: Apache-2.0
// Synthetic traffic on a network: open loop, so that sources do not slow down when it is full. What
// a network cannot take yet waits in the source, and this waiting is part of the latency.
#ifndef NEARBANK_TRAFFIC_H
#define NEARBANK_TRAFFIC_H

#include "noc.h"

typedef enum traffic_pattern {
  TRAFFIC_UNIFORM,    // any terminal, also the sender itself
  TRAFFIC_TRANSPOSE,  // terminal (x, y) of the whole machine as one square to (y, x)
  TRAFFIC_HOTSPOT,    // as uniform, but a share of the packets goes to one terminal
  TRAFFIC_NEIGHBOUR,  // the next terminal of the row, the last one of it to the first
  TRAFFIC_VAULTS,     // six processors ask sixteen vaults (docs/network.md)
  TRAFFIC_PATTERNS
} traffic_pattern;
extern const char *const traffic_names[TRAFFIC_PATTERNS];

typedef struct traffic_config {
  noc_config net;
  traffic_pattern pattern;
  bool answers;  // who gets a request answers it; a request has its place until the answer has one
  double load;   // flits a terminal and cycle; with answers: requests a client and cycle; 0: one
                 // packet at a time, however long that takes
  uint32_t packet_bytes;             // without answers
  double read_share;                 // with answers
  uint32_t short_bytes, long_bytes;  // a read: short, then long; a write: long, then short
  uint32_t hotspot;                  // the terminal
  double hotspot_share;
  uint64_t seed;
  uint64_t warm, measure, drain;  // cycles; drain: at most
  double give_up;                 // not 0: the run may end when the mean latency will be more
} traffic_config;

traffic_config traffic_default(void);
// The network of TRAFFIC_VAULTS, of a topology: concentrated ones and crossbars.
noc_config traffic_vaults(noc_topology t);

typedef struct traffic_result {
  double offered, accepted;      // as load; in the cycles that are measured
  double latency;                // mean of the packets made in these cycles
  double of_class[NOC_CLASSES];  // the same by class
  uint64_t most;                 // the longest of them
  uint64_t packets;              // of them, that arrived
  bool drained;                  // all of them did
  uint64_t cycles;               // that the network made
  // What waits in the sources at the end of the cycles that are measured, less what did at their
  // begin. More than twice the square root of the packets made in between, which chance makes of a
  // load that the network just carries, mean that the sources fill: latency then measures the
  // length of the run.
  int64_t growth;
  bool saturated;
} traffic_result;

// False after a message in `why`: the network cannot be, or the pattern is not for it.
bool traffic_run(const traffic_config *c, traffic_result *r, char *why, size_t bytes);
// The mean latency of one packet at a time, and the largest load at which no sources fill and the
// mean latency is not more than ten times that. At least as many cycles to drain as the default.
bool traffic_saturation(const traffic_config *c, double *empty, double *load, char *why,
                        size_t bytes);

#endif

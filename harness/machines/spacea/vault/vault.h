// SPDX-License-Identifier: Apache-2.0
// A vault of SpaceA as a node: bank groups with the matrix, one with the vectors, the TSVs between
// them and the base die, and the vault controller there (docs/spacea.md).
#ifndef NEARBANK_SPACEA_VAULT_H
#define NEARBANK_SPACEA_VAULT_H

#include "csim/spacea/ldq.h"
#include "harness/base/schedule/clocked.h"
#include "harness/base/schedule/machine.h"
#include "matrix_group.h"
#include "vectors.h"

enum { VAULT_GROUPS = 7 };

// TSVs: who sends next (send_one in vault.c), and until when they are taken, in halves of a cycle.
typedef struct vault_bus {
  uint32_t next;
  uint64_t taken;
  uint32_t flits, latency;  // spacea.tsv_flits and tsv_latency
} vault_bus;

typedef struct vault vault;

// Whoever looks on, by the thread that steps the vault: each cycle that it steps, before its edge.
typedef struct vault_looker {
  void (*cycle)(void *ctx, const vault *v);  // NULL: nobody
  void *ctx;
} vault_looker;

struct vault {
  clocked node;
  vault_looker looker;
  uint32_t groups;
  matrix_group group[VAULT_GROUPS];
  bool recorded[VAULT_GROUPS];
  uint64_t group_cycle;  // of the last edge of the groups
  vectors vectors;
  vault_bus bus;
  packets down[VAULT_GROUPS + 1];  // of the base die, to each layer
  packets asked, lines;            // from the layers: WANT and SUM; LINE
  xcam *lines_here;                // the L2 CAM
  xcam_in line_in;
  xcam_out line_out;
  ldq *under_way;
  ldq_in ask_in;
  ldq_out ask_out;
  bool prefer_network;        // of requests, for the look
  bool prefer_far;            // of lines that come from the network and from the vault's vectors
  uint32_t share_x, share_y;  // elements of a vault
  vault_counters counters;
};

// All lines are dropped; START goes to the bank groups.
void vault_start(vault *v, const packet *p, semiring s);

extern const machine_ops spacea_vaults, spacea_machine_ops;

#endif

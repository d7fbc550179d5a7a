// SPDX-License-Identifier: Apache-2.0
// The state of a vault of SpaceA as text: queues of PEs, lines, packets. docs/spacea.md.
#ifndef NEARBANK_VAULT_SHOW_H
#define NEARBANK_VAULT_SHOW_H

#include <stdio.h>
#include "harness/machines/spacea/vault/vault.h"

enum { VAULT_SHOW_ALL = UINT32_MAX };

// What is shown: a vault, a layer of it, a PE of the layer. VAULT_SHOW_ALL: all of them, and what
// they share.
typedef struct vault_place {
  uint32_t vault, layer, pe;
} vault_place;

extern const char vault_place_forms[];  // for messages
// "3", "3.2" or "3.2.1", of `vaults` vaults of `groups` layers with PEs. False: it is none of
// these.
bool vault_place_parse(const char *text, uint32_t vaults, uint32_t groups, vault_place *to);

void vault_show(const vault *v, const vault_place *what, FILE *to);
// Where a line of X is in a vault: in which memories of lines, and who has asked for it.
void vault_show_line(const vault *v, uint32_t key, FILE *to);

#endif

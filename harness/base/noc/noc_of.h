// SPDX-License-Identifier: Apache-2.0
// The network of a machine's configuration.
#ifndef NEARBANK_NOC_OF_H
#define NEARBANK_NOC_OF_H

#include "harness/base/config/config.h"
#include "noc.h"

noc_config noc_of_config(const config *c);
// Steps of the network in a cycle of the cores.
uint32_t noc_steps_a_cycle(const config *c);

#endif

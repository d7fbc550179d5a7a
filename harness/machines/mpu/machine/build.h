// SPDX-License-Identifier: Apache-2.0
// From a configuration to a machine. Whoever wants a machine of a configuration (the runtime,
// tests, benches) comes here: nobody else reads the keys of a config into the parts of a machine,
// and no part has defaults of its own.
//
// To make one: sim_of_config, then what belongs to the run and not to the machine (threads, limits,
// watchers; sim.h), sim_machine, machine_new, sim_new. Each call makes a machine of its own: as
// many as one likes live in a process, on different threads too.
#ifndef NEARBANK_BUILD_H
#define NEARBANK_BUILD_H

#include "harness/base/config/config.h"
#include "sim.h"

// The machine of a configuration that config_check accepts. The near sides of all cores are of mode
// `mode`; there is one thread, and no limit.
sim_config sim_of_config(const config *c, near_mode mode);
// Of the preset small: one core.
sim_config sim_config_default(near_mode mode);

// Its parts.
core_config core_of_config(const config *c);
map_config map_of_config(const config *c);
isa_dies dies_of_config(const config *c);  // what programs have to be compiled for

#endif

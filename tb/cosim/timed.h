// SPDX-License-Identifier: Apache-2.0
// For tests that execute programs on the functional machine: with MPU_NEAR=c, rtl or lockstep in
// the environment they execute on the cycle-by-cycle one, which has to give the same; with
// MPU_CORES=N on N cores, 1 when it is not set: a power of two, processors of 16 at most; by
// MPU_THREADS threads; with MPU_CONFIG on a machine of that name or file, but for its cores.
#pragma once

#include "harness/machines/mpu/machine/build.h"
#include "csim/isa/isa.h"
#include "csim/isa/machine.h"

// The dies of that machine: MPU_DIES in the environment, as --dies has it, or those of MPU_CONFIG.
isa_dies timed_dies(void);

// Before machine_new and after it; and before machine_free. Without MPU_NEAR they do nothing.
void timed_config(machine_config *c);
void *timed_attach(machine *m);
uint64_t timed_cycles(const void *timed);  // of all cores; 0 without MPU_NEAR
void timed_detach(void *timed);
// machine_malloc, between the two; on several cores `number` says how its lines lie: by digits,
// with copies, or as the machine places them.
machine_error timed_malloc(void *timed, machine *m, unsigned number, uint64_t bytes,
                           uint64_t *address);

// Its parts: the mode, false: MPU_NEAR is not set; memory and register files of one core.
bool timed_mode(near_mode *mode);
void timed_machine(machine_config *c);
// What the environment says of the host's side of a machine: MPU_RTL_LIBRARY, MPU_THREADS.
void timed_host(sim_config *c);
// A machine of so many cores, its network as near to a square as there is.
sim_config timed_cores(uint32_t cores, near_mode mode);

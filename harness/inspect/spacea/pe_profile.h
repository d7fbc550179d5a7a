// SPDX-License-Identifier: Apache-2.0
// Where the cycles of SpaceA went: what each PE did or waited for in each of them, what its bank
// read, and what was found where. docs/spacea.md.
#ifndef NEARBANK_PE_PROFILE_H
#define NEARBANK_PE_PROFILE_H

#include <stdio.h>
#include "csim/spacea/bgroup.h"
#include "harness/base/build_info.h"
#include "harness/base/config/config.h"
#include "harness/machines/spacea/vault/vault.h"

typedef struct pe_profile pe_profile;

// Looks on from now on, from the first cycle on. All bank groups have a twin (lockstep_twin). NULL:
// no memory.
pe_profile *pe_profile_new(machine_run *r);
void pe_profile_free(pe_profile *p);  // looks on no longer
// The machine is at rest after so many cycles: then the classes of each PE add up to them.
void pe_profile_end(pe_profile *p, uint64_t cycles);

extern const char *const pe_wait_names[SPE_WAITS], *const pe_wait_docs[SPE_WAITS];
// A class by its name (csim/spacea/waits.def); SPE_WAITS: there is no such. And its cycles, of all
// PEs of a vault.
spe_wait pe_profile_class(const char *name);
uint64_t pe_profile_of(const pe_profile *p, uint32_t vault, spe_wait w);

// All of it, as one object.
void pe_profile_json(const pe_profile *p, const config *c, const build_info *b, FILE *to);
// Tables for people, with `top` of the PEs that ended last.
void pe_profile_print(const pe_profile *p, uint32_t top, FILE *to);

#endif

// SPDX-License-Identifier: Apache-2.0
// The times of the DRAM arrays that a configuration asks for.
#ifndef NEARBANK_CONFIG_TIMING_H
#define NEARBANK_CONFIG_TIMING_H

#include "harness/base/config/config.h"
#include "csim/dram/dram.h"

static inline dram_timing config_timing(const config *c) {
  dram_timing t = dram_timing_default;
#define PS(key) t.key = (int64_t)c->dram.key * t.tCK
#define CK(key) t.key = c->dram.key
  PS(tRCD), PS(tRTP), PS(tRP), PS(tRAS), PS(tRFC), PS(tREFI), PS(tWR), PS(tWTR), PS(tRRD), PS(tFAW);
  PS(tSCD), PS(tRA), PS(tWA), CK(tCCD), CK(CL), CK(CWL), CK(burst);
#undef PS
#undef CK
  t.tRC = t.tRAS + t.tRP;
  return t;
}

#endif

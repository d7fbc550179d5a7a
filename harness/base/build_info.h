// SPDX-License-Identifier: Apache-2.0
// What this program was built of and with: `mpu --version`, and `build` in statistics.
#ifndef NEARBANK_BUILD_INFO_H
#define NEARBANK_BUILD_INFO_H

typedef struct build_info {
  const char *release;   // of the file VERSION
  const char *commit;    // "unknown" without git, "... with changes"
  const char *compiler;  // of the C
  const char *verilog;   // "none": Verilator was not there
} build_info;

extern const build_info build_info_all;

#endif

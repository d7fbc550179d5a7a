// SPDX-License-Identifier: Apache-2.0
// MPU among the machines of nodes: what its cores declare. It executes programs, so it is not run
// as they are.
#include "harness/base/schedule/machine.h"
#include "harness/machines/mpu/core/core.h"

static bool check(const config *c, uint32_t nodes, char *why, size_t why_bytes) {
  (void)c, (void)nodes;
  snprintf(why, why_bytes, "mpu executes programs: mpu run kernels/axpy");
  return false;
}

static const machine_part parts[] = {{.ops = &core_node_ops}};
const machine_ops mpu_machine = {.name = "mpu",
                                 .doc = "the SIMT processor next to the banks",
                                 .section = "core",
                                 .parts = parts,
                                 .n_parts = 1,
                                 .check = check};

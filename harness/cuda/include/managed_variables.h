// SPDX-License-Identifier: Apache-2.0
// Tells the runtime where the managed variables of a linked file are on the host, before main.
#ifndef NEARBANK_MANAGED_VARIABLES_H
#define NEARBANK_MANAGED_VARIABLES_H

extern "C" {
void mpu_managed_variables(void *begin, void *end);
// The linker's; without such variables there are none.
extern char __start_mpu_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_mpu_managed[] __attribute__((weak, visibility("hidden")));
}
static __attribute__((constructor)) void mpu_tell_managed() {
  mpu_managed_variables(__start_mpu_managed, __stop_mpu_managed);
}
#endif

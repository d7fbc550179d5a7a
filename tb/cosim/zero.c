// SPDX-License-Identifier: Apache-2.0
// A VPI module for Icarus: all registers and memories of the block are zero when
// simulation starts, as they are in the twins and in Verilator.
#include <string.h>
#include <vpi_user.h>

static void zero(vpiHandle h) {
  s_vpi_value v = {.format = vpiDecStrVal, .value = {.str = (char[]){"0"}}};
  vpi_put_value(h, &v, NULL, vpiNoDelay);
}

static void zero_scope(vpiHandle scope) {
  vpiHandle i, h, j, w;
  if ((i = vpi_iterate(vpiReg, scope)))
    while ((h = vpi_scan(i)))
      zero(h);
  if ((i = vpi_iterate(vpiMemory, scope)))
    while ((h = vpi_scan(i)))
      if ((j = vpi_iterate(vpiMemoryWord, h)))
        while ((w = vpi_scan(j)))
          zero(w);
  if ((i = vpi_iterate(vpiInternalScope, scope)))
    while ((h = vpi_scan(i)))
      if (vpi_get(vpiType, h) == vpiModule || vpi_get(vpiType, h) == vpiGenScope)
        zero_scope(h);  // no functions: their variables do not exist yet
}

static PLI_INT32 start(p_cb_data data) {
  (void)data;
  zero_scope(vpi_handle_by_name((char[]){"bench.i_shell.dut"}, NULL));
  return 0;
}

// When time 0 has begun: values that are put before it do not reach the logic.
static void enter(void) {
  static s_vpi_time none = {.type = vpiSimTime};
  s_cb_data at = {.reason = cbReadWriteSynch, .cb_rtn = start, .time = &none};
  vpi_register_cb(&at);
}

void (*vlog_startup_routines[])(void) = {enter, NULL};

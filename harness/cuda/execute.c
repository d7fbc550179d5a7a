// SPDX-License-Identifier: Apache-2.0
#include "execute.h"

#include <string.h>
#include "csim/isa/turns.h"
#include "harness/machines/mpu/machine/build.h"
#include "target.h"

// As many as the machine holds that programs are told of: the preset paper.
static uint32_t resident(void *ctx, const module_kernel *k, const launch_shape *shape) {
  const config *machine = ctx;
  const core_config core = core_of_config(machine);
  const uint32_t threads = shape->block[0] * shape->block[1] * shape->block[2];
  return core_room(&core, k, threads, shape->dynamic_shared) * machine->machine.processors *
         machine->machine.cores;
}

void execute_in_order(machine *m) {
  static turns order;
  const char *text = process.settings.schedule;
  if (!text || !m)
    return;
  if (process.settings.timed)
    rt_wrong("MPU_SCHEDULE is for the functional machine: MPU_NEAR=none");
  if (!turns_parse(text, &order))
    rt_wrong("MPU_SCHEDULE takes %s; not '%.60s'", turns_forms, text);
  order.resident = resident;
  order.ctx = &process.settings.machine;
  machine_set_runner(m, turns_run, &order);
}

bool execute_page_reads(void) {
  const char *text = process.settings.bounds;
  if (!text || strcmp(text, "strict") == 0)
    return false;
  if (strcmp(text, "page") != 0)
    rt_wrong("MPU_BOUNDS takes strict or page, not '%.60s'", text);
  return true;
}

void execute_check_placed(void) {
  if (execute_page_reads())
    rt_wrong("--bounds=page is for arrays that lie as the machine places them: not with --place");
}

// SPDX-License-Identifier: Apache-2.0
// mpu sdk: writes a folder like the vendor's toolkit.
#include "harness/cuda/sdk/sdk.h"
#include "tool.h"

int command_sdk(int argc, char **argv) {
  const char *folder = NULL;
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  for (args_item item; (item = args_next(&a)) != ARGS_END; folder = a.value) {
    if (item == ARGS_WRONG)
      return EXIT_USAGE;
    if (folder)
      return user_error("one folder at a time; '%s' is a second", a.value);
  }
  return folder ? sdk_write(folder) : user_error("which folder? see mpu sdk --help");
}

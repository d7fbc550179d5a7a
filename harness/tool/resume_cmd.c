// SPDX-License-Identifier: Apache-2.0
// mpu resume.
#include "harness/cuda/driver/start.h"
#include "tool.h"

int command_resume(int argc, char **argv) {
  const char *file = NULL, *threads = NULL;
  bool unchecked = false;
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  for (args_item item; (item = args_next(&a)) != ARGS_END;) {
    if (item == ARGS_WRONG)
      return EXIT_USAGE;
    if (item == ARGS_OPERAND && file)
      return user_error("one checkpoint at a time; '%s' is a second", a.value);
    if (item == ARGS_OPERAND)
      file = a.value;
    else if (args_is(&a, "--unchecked"))
      unchecked = true;
    else if (!start_threads_ok(a.value))
      return EXIT_USAGE;
    else
      threads = a.value;
  }
  return file ? start_resume(file, threads, unchecked)
              : user_error("which checkpoint? see mpu resume --help");
}

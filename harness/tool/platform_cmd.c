// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include "platform.h"

int command_platform(int argc, char **argv) {
  platform_options o = {.seconds = 300};
  const char *socket = NULL;
  bool qemu = false, time_out = false;
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  for (args_item item; (item = args_next(&a)) != ARGS_END;) {
    if (item == ARGS_WRONG || (item == ARGS_OPTION && machine_take(&o.machine, &a) == 2))
      return EXIT_USAGE;
    if (item == ARGS_OPERAND && o.given)
      return user_error("one program at a time; '%s' is a second (arguments go after --)", a.value);
    if (item == ARGS_OPERAND)
      o.given = a.value;
    else if (args_is(&a, "--near"))
      o.near = a.value;
    else if (args_is(&a, "--cards"))
      o.cards = a.value;
    else if (args_is(&a, "--wave"))
      o.wave = a.value;
    else if (args_is(&a, "--time-out"))
      o.seconds = strtod(a.value, NULL), time_out = true;
    else if (args_is(&a, "--qemu"))
      qemu = true;
    else if (args_is(&a, "--no-cuda"))
      o.no_cuda = true;
    else if (args_is(&a, "--listen"))
      socket = a.value;
  }
  o.arguments = a.rest, o.count = a.rest_count;
  if (qemu && socket)
    return user_error("mpu platform takes --qemu or --listen SOCKET, not both");
  if ((qemu || socket) && (o.cards || o.wave))
    return user_error("--cards and --wave are for a platform without --qemu and --listen");
  if (!qemu && (time_out || o.no_cuda))
    return user_error("--time-out and --no-cuda are for --qemu");
  if (o.given && o.no_cuda)
    return user_error("--no-cuda is an example of its own, and takes no program");
  if (!qemu && !socket)
    return platform_here(&o, argc, argv);
  if (!o.near)
    o.near = "c";
  if (qemu && !o.given && !o.no_cuda)
    o.given = NEARBANK_ROOT "/kernels/plain/axpy";
  if (socket && o.given)
    return user_error("--listen takes no program: programs connect to the socket");
  return qemu ? platform_qemu(&o) : platform_listen(&o, socket);
}

// SPDX-License-Identifier: Apache-2.0
// mpu platform: its command line, and what carries it out.
#ifndef NEARBANK_TOOL_PLATFORM_H
#define NEARBANK_TOOL_PLATFORM_H

#include "tool.h"

typedef struct platform_options {
  const char *given;  // the program, or NULL
  bool no_cuda;       // the example of a program that calls the driver
  char **arguments;
  int count;
  const char *near;  // or NULL
  machine_args machine;
  double seconds;  // for each step
  const char *cards, *wave;
} platform_options;

// The program is the host, of cards on a bus in SystemC; the command line is that of the options.
int platform_here(const platform_options *o, int argc, char **argv);

// A card as a process, and an unmodified QEMU with a Linux in which the program, or the example,
// runs on it. An exit status.
int platform_qemu(const platform_options *o);
// The card alone, on a socket of that name (@NAME: an abstract one), for one client after the
// other.
int platform_listen(const platform_options *o, const char *socket);

#endif

// SPDX-License-Identifier: Apache-2.0
// Relocatable device code in the objects and archives of a linker's command.
#ifndef NEARBANK_SDK_OBJECTS_H
#define NEARBANK_SDK_OBJECTS_H

#include "harness/cuda/driver/command.h"
#include "kernels/mpucc/image.h"

typedef struct device_unit {
  char *file;         // as messages name it: b.o, lib.a(b.o)
  mpucc_image image;  // without an object
} device_unit;

struct device_file;
typedef struct device_units {
  device_unit *units;  // in the order of the command
  size_t count;
  command registers;  // functions that host objects call to register their kernels
  struct device_file *files;
} device_units;

// The units of the files, and of the libraries that -l and -L say, which belong to no device link
// yet: a file whose functions to register are defined in another one is complete. Of libraries
// shared ones come first, as they do for the linker, and have none. 0, or 1 after a message.
int device_units_read(const command *words, device_units *to);
void device_units_clear(device_units *u);
// The smallest bound of registers that a unit was compiled with; 0: none has one.
unsigned device_units_registers(const device_units *u);

#endif

// SPDX-License-Identifier: Apache-2.0
// What the runs of `mpu run --races` leave behind (harness/cuda/races.c), and what the command
// reads (harness/tool/races.c). Both are of one build, on one host: structs as they lie in memory.
//
// The record (MPU_RACES): races_launch for each launch, each with `pages` races_page behind it, of
// the pages whose bytes changed since the launch before, by address.
//
// A look (MPU_RACES_LOOK names a races_look with its pages) makes one file more, MPU_RACES.look,
// when that launch ends: for each of these pages a races_bytes; then `names` of races_name, of
// arrays and variables; then `writers` of races_writer. A races_look_head comes first.
#ifndef NEARBANK_RACES_FILE_H
#define NEARBANK_RACES_FILE_H

#include <stdint.h>

enum { RACES_PAGE = 4096, RACES_TEXT = 200, RACES_LOOKS = 1024 };

typedef struct races_launch {
  uint64_t number;  // from 1 on
  uint64_t error;   // machine_error
  uint64_t pages;
  char kernel[RACES_TEXT];
} races_launch;

typedef struct races_page {
  uint64_t address, sum;
} races_page;

typedef struct races_look {
  uint64_t launch, pages;  // at most RACES_LOOKS addresses follow
} races_look;

typedef struct races_look_head {
  uint64_t pages, names, writers;
} races_look_head;

typedef struct races_bytes {
  uint64_t address;
  uint8_t bytes[RACES_PAGE];
  uint32_t writer[RACES_PAGE];  // 0: no kernel since the start; else n + 1 of the writers
} races_bytes;

typedef struct races_name {
  uint64_t address, bytes;
  char name[RACES_TEXT];   // d_x
  char place[RACES_TEXT];  // x.cu:12; empty: it is not known
} races_name;

typedef struct races_writer {
  uint64_t launch;
  uint32_t pc;
  uint32_t floats;  // 32, 64: an atomic on floats of so many bits; else 0
  char kernel[RACES_TEXT];
  char line[RACES_TEXT];  // x.cu:12; empty: it is not known
  char near[RACES_TEXT];  // of a line in a header: a line of the kernel before it; else empty
} races_writer;

#endif

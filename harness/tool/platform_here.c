// SPDX-License-Identifier: Apache-2.0
// mpu platform without QEMU: the program itself is the host. What is not given of cards, waves and
// program is added to the command line, which is then that of mpu run.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform.h"

#define EXAMPLE NEARBANK_ROOT "/harness/systemc/examples/halves.cu"
#define CARDS "2"
#define WAVES "platform.fst"
enum { MORE = 7 };  // words at most
enum { MOST = 8 };  // cards

static void describe(const char *cards, const char *wave) {
  const int n = atoi(cards);
  puts("The platform: the program is the host, each card is a device of CUDA.\n");
  for (int k = 0; k < n; k++)
    printf("  %-23s +-- card %d: registers, device memory, DMA, interrupt\n",
           k ? "" : "host, its memory -- bus", k);
  printf("\nWaves of bus, registers and cores go to %s.\n\n", wave);
  fflush(stdout);
}

int platform_here(const platform_options *o, int argc, char **argv) {
  const char *cards = o->cards ? o->cards : CARDS, *wave = o->wave ? o->wave : WAVES;
  const long count = strtol(cards, NULL, 10);
  if (count < 1 || count > MOST)
    return user_error("--cards takes 1 to %d, not '%.40s'", MOST, cards);
  const char **words = calloc((size_t)argc + MORE, sizeof *words);
  int n = 0;
  if (!words)
    return user_error("out of host memory");
  words[n++] = "run";
  words[n++] = "--cards", words[n++] = cards;
  if (!o->near)
    words[n++] = "--near", words[n++] = "c";
  if (!o->wave)
    words[n++] = "--wave", words[n++] = wave;
  if (!o->given)
    words[n++] = EXAMPLE;
  for (int k = 1; k < argc; k++)
    words[n++] = argv[k];
  describe(cards, wave);
  const int status = command_run(n, (char **)words);
  free(words);
  return status;
}

// SPDX-License-Identifier: Apache-2.0
// The device linker as a program: PTX of objects and archives to one PTX, which ptxas compiles.
#include <stdlib.h>
#include <string.h>

#include "harness/base/out_file.h"
#include "harness/base/user_error.h"
#include "kernels/mpucc/ptx_link.h"
#include "nvcc_priv.h"
#include "objects.h"

static int wrong(const char *what, const char *word) {
  fprintf(stderr, "nvlink: error: %s '%s'\n", what, word);
  return EXIT_FAILED;
}

static int link_to(const device_units *u, const char *out) {
  ptx_unit *units = calloc(u->count + 1, sizeof *units);
  if (!units)
    abort();
  for (size_t n = 0; n < u->count; n++)
    units[n] = (ptx_unit){u->units[n].file, u->units[n].image.ptx, u->units[n].image.ptx_bytes};
  out_file *o = out_open(out);
  const bool ok = o && ptx_link(units, u->count, out_stream(o), stderr);
  free(units);
  if (o && !ok)
    out_drop(o);
  else if (!o || !out_close(o))
    cannot_write(out);
  else
    return EXIT_OK;
  return EXIT_FAILED;
}

// Options that say nothing here: the architecture, as everywhere; the size of addresses.
static bool says_nothing(const char *word) {
  static const char *const names[] = {"-arch=", "--arch=", "-m64", "--verbose", "-v"};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    if (strncmp(word, names[n], strlen(names[n])) == 0)
      return true;
  return false;
}

int nvlink_main(int argc, char **argv) {
  const char *out = "a_dlink.ptx";
  command words = {0};
  device_units u = {0};
  int status = 0;
  for (int n = 1; n < argc && !status; n++)
    if (strcmp(argv[n], "-o") == 0 && n + 1 < argc)
      out = argv[++n];
    else if (argv[n][0] != '-' || (argv[n][1] && strchr("lL", argv[n][1]) && argv[n][2]))
      command_add(&words, argv[n]);
    else if (!says_nothing(argv[n]))
      status = wrong("unknown option", argv[n]);
  if (!status)
    status = device_units_read(&words, &u);
  if (!status && !u.count)
    status = wrong("no file has relocatable device code (nvcc -dc) for", out);
  if (!status)
    status = link_to(&u, out);
  device_units_clear(&u);
  command_clear(&words);
  return status;
}

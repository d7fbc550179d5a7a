// SPDX-License-Identifier: Apache-2.0
// Any bytes through the whole compiler. A PTX text that parses must print to one that parses.
#include <assert.h>
#include <stdlib.h>
#include "kernels/mpucc/mpucc.h"
#include "kernels/mpucc/ptx.h"
#include "csim/isa/module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_again(const char *text, size_t size) {
  diag *d = diag_new("fuzz", text, size);
  ptx_module *m = ptx_parse(text, size, "fuzz", d);
  if (m) {
    char *printed = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&printed, &bytes);
    assert(f);
    ptx_print(m, f);
    fclose(f);
    diag *again = diag_new("printed", printed, bytes);
    ptx_module *n = ptx_parse(printed, bytes, "printed", again);
    if (!n) {
      fprintf(stderr, "%s", printed);
      diag_print(again, stderr);
    }
    assert(n);
    ptx_free(n);
    diag_free(again);
    free(printed);
  }
  ptx_free(m);
  diag_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mpucc_options o = mpucc_options_default();
  uint8_t *image;
  size_t bytes;
  char why[200];
  static FILE *nowhere;
  if (!nowhere)
    nowhere = fopen("/dev/null", "w");
  o.messages = nowhere;
  o.max_regs = size % 3 == 0 ? 16 : 0;
  print_again((const char *)data, size);
  if (mpucc_compile((const char *)data, size, "fuzz", &o, &image, &bytes) == 0) {
    module *m = module_load(image, bytes, why, sizeof why);
    if (!m)
      fprintf(stderr, "%s\n", why);
    assert(m);
    module_free(m);
  }
  free(image);
  return 0;
}

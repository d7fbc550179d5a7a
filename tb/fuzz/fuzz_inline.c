// SPDX-License-Identifier: Apache-2.0
// Any bytes through the PTX parser and the inliner. What they make must print to a text that
// parses and prints to the same text.
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/mpucc/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *print(const ptx_module *m, size_t *bytes) {
  char *text = NULL;
  FILE *f = open_memstream(&text, bytes);
  assert(f);
  ptx_print(m, f);
  fclose(f);
  return text;
}

static void check_print(const ptx_module *m) {
  size_t bytes, bytes_again;
  char *text = print(m, &bytes);
  diag *d = diag_new("printed", text, bytes);
  ptx_module *again = ptx_parse(text, bytes, "printed", d);
  if (!again)
    diag_print(d, stderr);
  assert(again);
  char *text_again = print(again, &bytes_again);
  assert(bytes == bytes_again && memcmp(text, text_again, bytes) == 0);
  free(text_again);
  free(text);
  ptx_free(again);
  diag_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  diag *d = diag_new("fuzz", text, size);
  ptx_module *m = ptx_parse(text, size, "fuzz", d);
  assert((m == NULL) == (diag_errors(d) != 0));
  if (m) {
    check_print(m);
    if (ptx_inline(m, d))
      check_print(m);
  }
  char *messages = NULL;
  size_t bytes = 0;
  FILE *f = open_memstream(&messages, &bytes);
  assert(f);
  diag_print(d, f);
  fclose(f);
  free(messages);
  ptx_free(m);
  diag_free(d);
  return 0;
}

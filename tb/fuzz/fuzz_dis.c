// SPDX-License-Identifier: Apache-2.0
// Any bytes through the decoder and the disassembler, and the same bytes as text through the parser
// of instructions. What is an instruction comes back from its bits and from its text.
#include <assert.h>
#include <string.h>
#include "csim/isa/asm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char text[ASM_TEXT], why[100];
  isa_inst i, back;
  size_t at;
  for (size_t n = 0; n + ISA_BYTES <= size; n += ISA_BYTES) {
    uint64_t word[2], again[2];
    memcpy(word, data + n, sizeof word);
    if (!isa_decode(word, &i))
      continue;
    isa_encode(&i, again);
    assert(memcmp(word, again, sizeof word) == 0);
    size_t length = asm_print(&i, NULL, text, sizeof text);
    assert(length < sizeof text);
    assert(asm_parse(text, length, NULL, &back, &at, why, sizeof why));
    isa_encode(&back, again);
    assert(memcmp(word, again, sizeof word) == 0);
  }
  if (asm_parse((const char *)data, size, NULL, &i, &at, why, sizeof why))
    asm_print(&i, NULL, text, sizeof text);
  else
    assert(at <= size && why[0]);
  return 0;
}

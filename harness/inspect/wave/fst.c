// SPDX-License-Identifier: Apache-2.0
#include "fst.h"

#include <stddef.h>

#include "gtkwave/fstapi.h"

static void *create(const char *file) {
  void *f = fstWriterCreate(file, 1);
  if (!f)
    return NULL;
  fstWriterSetTimescale(f, -12);
  fstWriterSetVersion(f, "nearbank");
  fstWriterSetDate(f, "");  // the same run gives the same file
  fstWriterSetPackType(f, FST_WR_PT_LZ4);
  return f;
}

static void scope(void *f, const char *name) {
  fstWriterSetScope(f, FST_ST_VCD_MODULE, name, NULL);
}

static uint32_t var(void *f, const char *name, uint32_t bits, uint32_t same) {
  return fstWriterCreateVar(f, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, bits, name, same);
}

static void value(void *f, uint32_t n, const char *digits) {
  fstWriterEmitValueChange(f, n, digits);
}

static void active(void *f, bool on) {
  fstWriterEmitDumpActive(f, on);
}

extern const fst_ops wave_fst;
const fst_ops wave_fst = {.create = create,
                          .scope = scope,
                          .upscope = fstWriterSetUpscope,
                          .var = var,
                          .time = fstWriterEmitTimeChange,
                          .value = value,
                          .active = active,
                          .flush = fstWriterFlushContext,
                          .close = fstWriterClose};

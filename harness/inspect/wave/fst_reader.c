// SPDX-License-Identifier: Apache-2.0
#include "fst_reader.h"

#include <stdio.h>

#include "gtkwave/fstapi.h"

// Blocks of a kind and a length, one after the other; of a file that was cut off the last one ends
// behind it, which the library does not survive. A block that was being written is to be skipped.
static bool is_whole(const char *name) {
  FILE *f = fopen(name, "rb");
  bool ok = f && fseek(f, 0, SEEK_END) == 0;
  const long size = ok ? ftell(f) : 0;
  for (long at = 0; ok && at < size;) {
    unsigned char head[9];
    uint64_t length = 0;
    ok = fseek(f, at, SEEK_SET) == 0 && fread(head, sizeof head, 1, f) == 1;
    for (int k = 1; ok && k < 9; k++)
      length = length << 8 | head[k];
    if (!ok || head[0] == FST_BL_SKIP)
      break;
    ok = length >= 8 && length < (uint64_t)(size - at);
    at += 1 + (long)length;
  }
  if (f)
    fclose(f);
  return ok && size > 0;
}

static void *open_file(const char *file) {
  void *f = is_whole(file) ? fstReaderOpen(file) : NULL;
  if (f && (!fstReaderGetMaxHandle(f) || !fstReaderGetValueChangeSectionCount(f))) {
    fstReaderClose(f);
    f = NULL;
  }
  return f;
}

static int scale(void *f) {
  return fstReaderGetTimescale(f);
}

static uint32_t numbers(void *f) {
  return fstReaderGetMaxHandle(f) + 1;
}

static void names(void *f, fst_name *name, void *ctx) {
  const struct fstHier *h;
  fstReaderIterateHierRewind(f);
  fstReaderResetScope(f);
  while ((h = fstReaderIterateHier(f))) {
    if (h->htyp == FST_HT_SCOPE)
      fstReaderPushScope(f, h->u.scope.name, NULL);
    else if (h->htyp == FST_HT_UPSCOPE)
      fstReaderPopScope(f);
    else if (h->htyp == FST_HT_VAR)
      name(ctx, fstReaderGetCurrentFlatScope(f), h->u.var.name, h->u.var.length, h->u.var.handle);
  }
}

static void keep(void *f, uint32_t number) {
  fstReaderSetFacProcessMask(f, number);
}

static bool values(void *f, fst_value *value, void *ctx) {
  return fstReaderIterBlocks(f, value, ctx, NULL);
}

static bool turn(void *f, uint32_t n, uint64_t *time, bool *on) {
  if (n >= fstReaderGetNumberDumpActivityChanges(f))
    return false;
  *time = fstReaderGetDumpActivityChangeTime(f, n);
  *on = fstReaderGetDumpActivityChangeValue(f, n);
  return true;
}

extern const fst_reader_ops wave_fst_reader;
const fst_reader_ops wave_fst_reader = {.open = open_file,
                                        .scale = scale,
                                        .first = fstReaderGetStartTime,
                                        .last = fstReaderGetEndTime,
                                        .numbers = numbers,
                                        .names = names,
                                        .keep = keep,
                                        .values = values,
                                        .turn = turn,
                                        .close = fstReaderClose};

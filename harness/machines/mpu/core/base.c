// SPDX-License-Identifier: Apache-2.0
#include "base.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

void base_reset(base *b) {
  b->l = NULL;
  b->memory = NULL;
  b->uops = NULL;
  b->n_uops = b->reg_words = 0;
  b->copied = b->copies = region_fresh(b->place.map);
  b->copies_ended = 0;
  b->local_lines = b->cycle = b->last_end = 0;
  memset(&b->in, 0, sizeof b->in);
  memset(&b->out, 0, sizeof b->out);
  b->result = CORE_OK;
  b->stalled = false;
  b->suspect = 0;
  b->message[0] = 0;
}

void base_wrong(base *b, const char *format, ...) {
  if (b->result)
    return;
  va_list args;
  va_start(args, format);
  const int n = snprintf(b->message, sizeof b->message, "cycle %" PRIu64 ": ", b->cycle);
  vsnprintf(b->message + n, sizeof b->message - (size_t)n, format, args);
  va_end(args);
  b->result = CORE_WRONG;
}

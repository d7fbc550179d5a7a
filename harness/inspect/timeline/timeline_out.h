// SPDX-License-Identifier: Apache-2.0
// The file of a timeline as it is written: NAME.part until it is closed. It can be read whenever
// nothing is being written: each piece is written with the tail of the file behind it, and the next
// one over that tail.
#ifndef NEARBANK_TIMELINE_OUT_H
#define NEARBANK_TIMELINE_OUT_H

#include "harness/base/out_file.h"
#include "timeline_format.h"

typedef struct timeline_out {
  const timeline_format *format;
  out_place place;
  int fd;
  bool seeks;         // a file does; of a pipe the tail is written when it is closed
  const char *error;  // NULL: all was written; later pieces are dropped
  uint64_t events;    // where the next ones begin
} timeline_out;

// `head`: all up to and with the first event. False: it cannot be opened, errno says why.
bool timeline_out_open(timeline_out *f, const timeline_format *format, const char *name,
                       text *head);
// Events, which are taken out of the text. When there is no room for all of them, the file is cut
// behind the last whole record.
void timeline_out_write(timeline_out *f, text *events);
void timeline_out_close(timeline_out *f);

#endif

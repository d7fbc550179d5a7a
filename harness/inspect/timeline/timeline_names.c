// SPDX-License-Identifier: Apache-2.0
// Tracks of a core, and of the machine.
#include <stdio.h>
#include "timeline_priv.h"

static void name_of(const void *ctx, uint32_t group, uint32_t u, char *to, size_t bytes) {
  (void)ctx;
  switch ((track_group)group) {
    case TRACKS_LAUNCHES:
      snprintf(to, bytes, "launches");
      break;
    case TRACKS_BLOCKS:
      snprintf(to, bytes, "blocks");
      break;
    case TRACKS_WARPS:
      snprintf(to, bytes, "subcore %u, warp slot %u", u / EVENT_SLOTS, u % EVENT_SLOTS);
      break;
    case TRACKS_OFFLOAD:
      snprintf(to, bytes, "subcore %u, offload engine", u);
      break;
    case TRACKS_REQUESTS:
      snprintf(to, bytes, "requests to other cores");
      break;
    case TRACKS_SERVES:
      snprintf(to, bytes, "LSU-Remote");
      break;
    case TRACKS_DOWN:
      snprintf(to, bytes, "TSV bus down, place %u", u);
      break;
    case TRACKS_UP:
      snprintf(to, bytes, "TSV bus up, place %u", u);
      break;
    case TRACKS_PACKETS:
      snprintf(to, bytes, "NBU %u, packets", u);
      break;
    case TRACKS_DONE:
      snprintf(to, bytes, "NBU %u, completions", u);
      break;
    case TRACKS_SHARED:
      snprintf(to, bytes, "shared memory, port %u", u);
      break;
    case TRACKS_BANKS:
      snprintf(to, bytes, "NBU %u, bank %u, commands", u / DRAM_BANKS, u % DRAM_BANKS);
      break;
    case TRACKS_ROWS:
      snprintf(to, bytes, "NBU %u, bank %u, row buffer %u", u / ROW_BUFFERS / DRAM_BANKS,
               u / ROW_BUFFERS % DRAM_BANKS, u % ROW_BUFFERS);
      break;
  }
}

bool timeline_process(process *p, uint32_t pid, uint64_t from, uint64_t to,
                      const timeline_format *format) {
  static const track_row rows[] = {
#define TRACK_ROW(group, units, each) {TRACK_##group, units, each},
      TIMELINE_TRACKS(TRACK_ROW)
#undef TRACK_ROW
  };
  static const track_table table = {rows, sizeof rows / sizeof *rows, TRACKS, name_of, NULL};
  return process_init(p, pid, from, to, &table, format);
}

// SPDX-License-Identifier: Apache-2.0
// Tracks of a core, and of the machine.
#include <stdio.h>
#include <string.h>
#include "timeline_priv.h"

static const char *const completers[COMPLETERS] = {"valu", "lsux", "regmove"};

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
      snprintf(to, bytes, "NBU %u, completions of %s", u / COMPLETERS, completers[u % COMPLETERS]);
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

// ---- lists of them

#define TRACK_NAME(group, units, each, name) [TRACKS_##group] = (name),
static const char *const in_lists[32] = {
    TIMELINE_TRACKS(TRACK_NAME)[TRACKS_STREAMS] = "streams", [TRACKS_ENGINES] = "engines",
    [TRACKS_COUNTERS] = "counters"};
#undef TRACK_NAME

void timeline_tracks_names(char *to, size_t bytes) {
  size_t n = 0;
  *to = 0;
  for (uint32_t g = 0; g < 32 && n < bytes; g++)
    if (in_lists[g] && (!g || !in_lists[g - 1] || strcmp(in_lists[g], in_lists[g - 1]) != 0))
      n += (size_t)snprintf(to + n, bytes - n, "%s%s", n ? ", " : "", in_lists[g]);
}

bool timeline_tracks_parse(const char *list, uint32_t *hidden) {
  uint32_t shown = 0;
  for (const char *at = list;; at++) {
    const size_t n = strcspn(at, ",");
    uint32_t of = 0;
    for (uint32_t g = 0; g < 32; g++)
      if (in_lists[g] && strncmp(in_lists[g], at, n) == 0 && !in_lists[g][n])
        of |= 1u << g;
    shown |= of;
    at += n;
    if (!of || !*at) {
      *hidden = ~shown;
      return of;
    }
  }
}

bool timeline_process(process *p, uint32_t pid, const timeline_config *c) {
  static const track_row rows[] = {
#define TRACK_ROW(group, units, each, name) {TRACK_##group, units, each},
      TIMELINE_TRACKS(TRACK_ROW)
#undef TRACK_ROW
  };
  static const track_table table = {rows, sizeof rows / sizeof *rows, TRACKS, name_of, NULL};
  const bool ok = process_init(p, pid, c->from, c->to, &table, timeline_format_of(c->file));
  p->hidden = c->hidden;
  return ok;
}

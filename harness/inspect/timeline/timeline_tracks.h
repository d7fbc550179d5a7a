// SPDX-License-Identifier: Apache-2.0
// Tracks of a timeline, and what is drawn on them; the file that it goes to. Whose tracks they are
// is not known here.
#ifndef NEARBANK_TIMELINE_TRACKS_H
#define NEARBANK_TIMELINE_TRACKS_H

#include "timeline_out.h"

#define NEVER UINT64_MAX

// Tracks come in groups, in the order of the screen: a group has `units` units of `each` tracks.
// Where things of a unit overlap in time it has several: each takes the first that is free; one
// more than there can be, for what begins in the cycle in which another one ends.
typedef struct track_row {
  uint32_t first, units, each;
} track_row;
typedef struct track_table {
  const track_row *rows;
  uint32_t n_rows, tracks;
  void (*name)(const void *ctx, uint32_t group, uint32_t unit, char *to, size_t bytes);
  const void *ctx;
} track_table;

enum { TRACK_STRIDE = 1 << 15 };  // tid: pid * this + track

struct process {
  const timeline_format *format;
  uint32_t pid;
  uint64_t from, to;  // the window
  const char *clock;  // what a slice calls the time in which it begins
  const track_table *table;
  uint32_t hidden;  // groups that are not drawn: bits
  uint64_t *until;  // the track has something up to this cycle
  bool *named;
  text text;
  // the format's
  size_t args;
  struct packed *packed;
};

// The table stays the caller's. False: no memory; process_free in any case.
bool process_init(process *p, uint32_t pid, uint64_t from, uint64_t to, const track_table *table,
                  const timeline_format *format);
void process_free(process *p);

// The first track of a unit that is free in a cycle; the last one when none is. It is taken until
// it is said to be free.
uint32_t track_take(process *p, uint32_t group, uint32_t unit, uint64_t cycle);
void track_free(process *p, uint32_t track, uint64_t cycle);

// Why a slice ends, when it is not because its thing does.
typedef enum slice_cut { CUT_NO, CUT_WINDOW, CUT_LAUNCH, CUT_RUN, CUTS } slice_cut;

// A slice from `begin` to before `end`, clipped to the window; arguments may follow, then
// slice_end. False: nothing of it is in the window or its track is hidden, and nothing was written.
// A slice is written before those in it.
bool slice_begin(process *p, uint32_t track, uint64_t begin, uint64_t end, const char *name,
                 slice_cut cut);
void slice_number(process *p, const char *name, uint64_t value);
void slice_text(process *p, const char *name, const char *value);
void slice_hex(process *p, const char *name, uint64_t value, unsigned digits);
void slice_end(process *p);
void slice_inner(process *p, uint32_t track, uint64_t begin, uint64_t end, const char *name);

// An arrow: 's' from a slice, 't' over others, 'f' to one, all of one `id`. Hidden tracks have
// none; `tid` is of any process with the same table.
void flow_step(process *p, char phase, uint32_t tid, uint64_t cycle, uint64_t id);
uint32_t track_tid(const process *p, uint32_t track);

// Values in a cycle, which are drawn until they change.
void track_counters(process *p, uint64_t cycle, const char *name, const char *const *names,
                    const uint32_t *values, uint32_t n);

// ---- the file

typedef struct timeline_file {
  const char *name;  // the caller's
  const timeline_format *format;
  uint64_t from, to;  // the window
  bool asked;         // for this one
  timeline_out out;
  text text;       // to be written
  uint64_t whole;  // all that has ended before this cycle is in it
} timeline_file;

// `names`: of all processes (name_process of the format). False: `why` says what the file cannot
// be.
bool timeline_file_open(timeline_file *f, const text *names, char *why, size_t why_bytes);
void timeline_file_take(timeline_file *f, process *p);  // the text of a process
// What was taken has happened before cycle `until`. False: nothing more can be written.
bool timeline_file_write(timeline_file *f, uint64_t until);
// The run has had so many cycles. What is not in the file is said on stderr. False: it is not
// whole.
bool timeline_file_close(timeline_file *f, uint64_t cycles);

#endif

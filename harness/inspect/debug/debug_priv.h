// SPDX-License-Identifier: Apache-2.0
// Inside of the debugger.
//
// debug.c     launches, windows, stops
// prompt.c    where commands come from
// commands.c  what they do; commands.def is the table of them
// words.c     what words of a command mean
// breaks.c    breakpoints
// watches.c   what is watched
// edit.c      a line of a terminal
// state.c     memory, source and code, launches: what is not in a core
// (harness/inspect/debug/show.h is)
#ifndef NEARBANK_DEBUG_PRIV_H
#define NEARBANK_DEBUG_PRIV_H

#include <stdio.h>
#include "csim/isa/model.h"
#include "show.h"
#include "debug.h"
#include "edit.h"

enum {
  LINE = 400,
  WORDS = 24,
  BREAKS = 32,
  WATCHES = 8,
  HITS = 8,
  WHY = 600
};  // HITS: that are shown

// A line of a command, in words.
typedef struct words {
  char text[LINE], spaced[LINE];  // without its end; with ends of words in it
  uint32_t n;
  const char *word[WORDS];
} words;

// ---- breakpoints. Number 0 is that of the command under way (next, block).
typedef enum break_kind {
  BREAK_ISSUE,    // of an instruction in `at`, or of any
  BREAK_CYCLE,    // before cycle `cycle`
  BREAK_START,    // a block starts
  BREAK_BLOCK,    // a block has ended
  BREAK_BARRIER,  // a warp arrives at one
  BREAK_RETIRE,   // an instruction has ended
  BREAK_FAULT,    // the launch ends with one
  BREAK_BANK,     // a command of the arrays
  BREAK_PACKET,
} break_kind;

enum { BREAK_ANY = 0xffffffff };

typedef struct breakpoint {
  bool used;
  break_kind kind;
  char text[LINE];  // as the user would write it
  uint64_t hits;
  // conditions
  uint32_t core, nbu, bank, row;  // BREAK_ANY: all
  bool of_warp;
  show_warp warp;
  uint64_t cycle;
  dram_cmd cmd;
  bool up;
  uint8_t packet;
  // where: a line, or an instruction of a kernel
  char file[LINE], kernel[LINE];
  uint32_t line, pc;
  uint8_t *at;  // of the launch's kernel, by instruction; NULL: of any
} breakpoint;

typedef struct hit {
  uint32_t number;  // of the breakpoint
  core_event event;
  uint32_t row;  // BREAK_BANK: of its command; nbu and bank, cmd: event.nbu, tag, packet
} hit;

// What the thread of a core writes in a window, and is taken from it behind it.
typedef struct watch {
  const debug *d;
  uint32_t n, of[BREAKS];  // all hits, and of each breakpoint; the first HITS are kept
  hit first[HITS];
  show_packets packets;
} watch;

// What is watched: by the words of a print. text NULL: nothing.
typedef struct watched {
  words what;
  bool of_warp;
  uint32_t core;
  show_warp warp;
  char *text;  // what print said last
} watched;

// ---- where commands come from
typedef struct input {
  FILE *f;
  const char *name;
  uint32_t line;
  bool tty;
  edit *edit;  // of a terminal that can, else NULL
} input;

struct debug {
  debug_config config;
  sim *s;
  uint32_t cores;
  FILE *to;  // what is printed
  // commands
  input in;
  words last;    // of a terminal: an empty line says it again
  bool no_more;  // there are none: the program goes on by itself
  bool quit;
  char why[WHY];  // a command is wrong
  // of a launch, NULL: none is under way
  const launch *l;
  uint64_t launches, begun, cycles;  // begun: its first cycle; cycles: of the machine before it
  bool arrived;                      // nothing of it was done yet
  bool dead;                         // it has ended with an error, found by core `guilty`
  uint32_t guilty;
  // what was asked for
  bool through;     // beginnings and ends of launches are no matter
  uint64_t target;  // cycle, UINT64_MAX: none
  uint64_t left;    // hits of breakpoint 0 to go
  // what is selected
  uint32_t core;
  bool has_warp;
  show_warp warp;
  breakpoint breaks[BREAKS];
  watched watched[WATCHES];
  watch *watch;  // of each core
};

static inline const core *debug_core(const debug *d) {
  return sim_core(d->s, d->core);
}
// The cycle before which the cores stand.
uint64_t debug_now(const debug *d);
bool debug_warp(debug *d);  // selects the oldest one, if none is; false: there is none (why)
bool debug_wrong(debug *d, const char *format, ...) __attribute__((format(printf, 2, 3)));  // false

// ---- prompt.c
bool prompt_open(debug *d, char *why, size_t why_bytes);
void prompt_close(debug *d);
void prompt_commands(debug *d);    // until one lets the program go on
void prompt_left(const debug *d);  // says so when commands are left that nobody will read

// ---- commands.c
typedef enum command_result { COMMAND_STAY, COMMAND_GO, COMMAND_WRONG } command_result;
command_result command_do(debug *d, const words *w);
bool command_print(debug *d, const words *w);
edit_complete commands_complete;

// ---- words.c
void words_split(words *w);
bool word_is(const char *word, const char *name);  // the beginning of it
// The name that the word is, or is the beginning of; -1: of none, -2: of several. NULL: the end.
int word_choice(const char *word, const char *const names[]);
bool word_number(const char *word, uint64_t *n);     // decimal or 0x...
bool word_lanes(const char *word, uint32_t *lanes);  // 0-3,7
bool word_type(const char *word, show_type *t);
// Words `at` and behind it: BLOCK WARP, of the launch. A block is a number or x,y,z.
bool word_block(debug *d, const char *word, uint32_t *block);
bool word_warp(debug *d, const words *w, uint32_t at, show_warp *warp);

// ---- breaks.c
bool break_new(debug *d, const words *w);  // of the words behind the first
bool break_delete(debug *d, uint64_t number);
void breaks_delete(debug *d);  // all
void breaks_list(const debug *d);
void breaks_locate(debug *d);                         // in the kernel of a launch that begins
bool breaks_by_event(const debug *d);                 // some want windows of one cycle
uint64_t breaks_cycle(const debug *d, uint64_t now);  // the next one, UINT64_MAX: none
void breaks_look(watch *w, const core *c, const core_event *events, uint32_t count);
void break_clear(breakpoint *b, break_kind kind);  // of any warp of any core
bool break_at(const debug *d, uint32_t pc);        // an instruction has one

// ---- watches.c
bool watch_new(debug *d, const words *w);  // of the words behind the first
bool watch_delete(debug *d, uint64_t number);
void watches_delete(debug *d);  // all
void watches_list(const debug *d);
bool watches_any(const debug *d);  // they want windows of one cycle
void watches_begin(debug *d);      // a launch does
bool watches_look(debug *d);       // behind a cycle: true, something is not what it was

// ---- state.c
void state_stop(const debug *d);    // "before cycle ..."
void state_launch(const debug *d);  // which one, in a line
bool state_memory(debug *d, const words *w, uint32_t at);
bool state_shared(debug *d, const words *w, uint32_t at);
bool state_list(debug *d, uint32_t line);  // 0: of the selected warp
bool state_disassemble(debug *d, const words *w);
bool state_info(debug *d, const char *what);  // NULL: in short
const char *state_source(const debug *d);     // the file of the kernel

#endif

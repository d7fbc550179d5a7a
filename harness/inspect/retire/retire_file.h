// SPDX-License-Identifier: Apache-2.0
// The file of an instruction trace (docs/retire.md): kernels, launches, and each warp instruction
// that has ended, in pieces of a core's RETIRE_CYCLES cycles. It is only ever appended to, and what
// is whole of it can be read, wherever it was cut.
#ifndef NEARBANK_RETIRE_FILE_H
#define NEARBANK_RETIRE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "harness/base/out_file.h"

enum {
  RETIRE_VERSION = 1,
  RETIRE_CYCLES = 4096,
  RETIRE_PLACES = 64,  // of warps in a core
  RETIRE_WARPS = 32,   // of a block
  RETIRE_CORES = 128,
};

// A warp instruction that has ended. Of the functional machine issue and end are its number.
typedef struct retire_entry {
  uint64_t issue, end;  // cycles
  uint32_t block;       // linear index in the grid
  uint32_t index;       // in the order of the program: of the warp's instructions, from 0 on
  uint32_t pc, lanes;
  uint8_t core, place;  // place: which warp of the core, the subcore in its lower
                        // two bits; until another warp has it, the same
  uint8_t warp;         // in the block
  bool near;
} retire_entry;

typedef struct retire_inst {
  const char *text, *file;  // disassembly, CUDA file; "" when unknown
  uint32_t ptx_line, cuda_line;
} retire_inst;

typedef struct retire_kernel {
  const char *name;
  const retire_inst *insts;  // by pc / ISA_BYTES
  uint32_t count;
} retire_kernel;

typedef struct retire_launch {
  uint32_t number;  // from 1 on
  uint32_t kernel;  // as they were written, from 0 on
  uint32_t grid[3], block[3];
  uint64_t cycle;  // in which it begins
} retire_launch;

// ---- writing
// Kernels before launches of them; of a launch: retire_put_launch, pieces, retire_put_end. Where a
// function returns false, errno says why, the file is what it was before, and the writer is of no
// more use. The file is NAME.part until retire_finish.

// What ended in a core from cycle `first` on.
typedef struct retire_piece {
  uint8_t *bytes;
  size_t used, room;
  uint64_t first, last;  // last: the end of the last one
  uint32_t count;
  bool failed;  // there was no memory
  struct {
    uint32_t block, index, pc, lanes;  // index, pc: behind the last one
    uint8_t warp;
    bool known;
  } places[RETIRE_PLACES];
} retire_piece;

void retire_piece_begin(retire_piece *p, uint64_t first);       // empty; its memory stays
void retire_piece_add(retire_piece *p, const retire_entry *e);  // in the order of their ends
void retire_piece_free(retire_piece *p);

typedef struct retire_writer {
  out_place place;
  int fd;
  uint64_t bytes;    // of the file
  uint64_t entries;  // of the launch
  uint8_t *chunk;
  size_t used, room;
} retire_writer;

// `cores` 0: the functional machine.
bool retire_create(retire_writer *w, const char *name, uint32_t cores);
bool retire_put_kernel(retire_writer *w, const retire_kernel *k);
bool retire_put_launch(retire_writer *w, const retire_launch *l);
bool retire_put_piece(retire_writer *w, uint32_t core, const retire_piece *p);
bool retire_put_end(retire_writer *w, uint64_t cycle, bool whole);
bool retire_finish(retire_writer *w);  // the run has ended
void retire_writer_free(retire_writer *w);

// ---- reading

typedef enum retire_item {
  RETIRE_LAUNCH,      // a launch begins
  RETIRE_ENTRY,       // an instruction of it
  RETIRE_LAUNCH_END,  // it has ended
  RETIRE_END,         // the run has; there is nothing more
  RETIRE_CUT,         // the file ends before that
  RETIRE_BAD,         // it is damaged, or cannot be read: retire_message
} retire_item;

typedef struct retire_reader retire_reader;

// NULL: `why` is a sentence for the user.
retire_reader *retire_open(const char *name, char *why, size_t why_bytes);
void retire_close(retire_reader *r);
retire_item retire_next(retire_reader *r, retire_entry *e);
const char *retire_message(const retire_reader *r);
uint32_t retire_cores(const retire_reader *r);
// Of the last launch, NULL before the first one. Kernels stay where they are until retire_close.
const retire_launch *retire_current(const retire_reader *r);
const retire_kernel *retire_kernel_of(const retire_reader *r);
bool retire_whole(const retire_reader *r);          // at RETIRE_LAUNCH_END: it came to its end
uint64_t retire_end_cycle(const retire_reader *r);  // then too

#endif

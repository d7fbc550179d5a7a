// SPDX-License-Identifier: Apache-2.0
// A small random program, as data: generated once, written out as PTX and as C.
//
// Threads of a few blocks own variables of six classes and a region of memory each; they meet only
// at exchanges (shared memory with barriers, shuffles, votes), which stand outside of all control
// flow, and in commutative reductions. So a host can run them one after the other, phase by phase.
#ifndef NEARBANK_TB_CORPUS_PROG_H
#define NEARBANK_TB_CORPUS_PROG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Classes: h 16 bit, r 32 bit, d 64 bit, f f32, g f64, p predicate.
#define PROG_CLASSES "hrdfgp"
enum { PROG_H = 4, PROG_R = 7, PROG_D = 4, PROG_F = 5, PROG_G = 3, PROG_P = 4, PROG_LOOPS = 12 };
enum {
  PROG_IN = 4096,     // bytes of input, read only
  PROG_REGION = 256,  // bytes of output a thread: SCRATCH to play with, then its variables
  PROG_SCRATCH = 128,
  PROG_REDS = 64,   // words for reductions
  PROG_LOCAL = 64,  // bytes of a thread's local array
};

typedef struct prog_op {
  const char *ptx;  // the same with _ for . is its name in host.h
  char d;           // class of the destination
  const char *src;  // classes of the sources
} prog_op;
extern const prog_op prog_ops[];
extern const size_t prog_op_count;

typedef struct prog_value {
  char cls;
  bool imm;
  unsigned var;
  uint64_t bits;
} prog_value;

typedef enum prog_kind {
  PROG_ASSIGN,   // dst = op(src...)
  PROG_COMPARE,  // p (| q) = compare, perhaps with a third predicate
  PROG_PACK,     // d = {r, r}
  PROG_UNPACK,   // {r, r} = d
  PROG_CHAIN,    // dst = src through steps in fresh 64-bit or 16-bit registers, as compilers do
  PROG_LOAD,     // dst[0..lanes) = memory
  PROG_STORE,
  PROG_REDUCE,  // red on a word of the reduction area
  PROG_IF,
  PROG_LOOP,
  PROG_BREAK,  // out of the innermost loop, where the guard holds
  PROG_CONTINUE,
  PROG_SWITCH,  // on src[0] & 3; arms in body[0..3]
  PROG_RETURN,  // where the guard holds
  PROG_SHARE,   // dst = src of another thread, through shared memory
  PROG_SHUFFLE,
  PROG_VOTE,
  PROG_REPEAT,  // body[0], with exchanges in it, src[0].bits times by all threads
} prog_kind;

typedef enum prog_place { PROG_FROM_IN, PROG_FROM_REGION, PROG_FROM_LOCAL } prog_place;

typedef struct prog_stmt prog_stmt;
struct prog_stmt {
  prog_kind kind;
  prog_stmt *next;
  prog_stmt *body[4];
  bool off;     // dropped by the reducer
  unsigned id;  // for labels
  int guard;    // predicate variable, -1: none
  bool guard_neg;
  const prog_op *op;
  prog_value dst[4], src[6];
  const char *text;  // type of a load, comparison, mode of a shuffle
  char text_buffer[32];
  unsigned lanes;  // of a vector access; arms of a switch that fall through (bits)
  prog_place place;
  bool generic, post;  // generic address; loop tested at its end
  bool has_q, neg;
  unsigned amount;      // byte offset, exchange distance
  bool ftz;             // of a comparison
  const char *step[5];  // operations of a chain; the values they take are src[1...]
};

typedef struct prog {
  uint64_t seed;
  unsigned number, blocks, threads;
  prog_stmt *body;
  prog_stmt *all[1024];  // every statement, for the reducer
  unsigned count;
  bool uses_local;
} prog;

// The same program for the same seed and number.
prog *prog_generate(uint64_t seed, unsigned number);
void prog_free(prog *p);
// kernel `prog_<number>(in, out, red)`
void prog_write_ptx(const prog *p, FILE *f);
// function `void prog_<number>(const uint8_t *in, uint8_t *out, uint32_t *red)` for host.h
void prog_write_c(const prog *p, FILE *f);
unsigned prog_vars(char cls);
unsigned prog_bytes(char cls);               // of a variable in memory
unsigned prog_slot(char cls, unsigned var);  // its place in the region, behind SCRATCH

#endif

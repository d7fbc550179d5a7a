// SPDX-License-Identifier: Apache-2.0
// Calls: what the files of this pass share.
//
// Most calls are inlined: functions are made whole from the leaves up (ptx_inline.c). A call
// through a pointer becomes a tree of comparisons with the functions of its type whose address is
// taken somewhere, each of which is called directly (ptx_pointer.c). Two kinds of functions stand
// once in the kernel instead, and calls jump there and back (ptx_stack.c): those that call
// themselves, directly or through others, and large ones that many calls through pointers may mean.
// Which these are is worked out first (ptx_graph.c).
#ifndef NEARBANK_PTX_CALLS_H
#define NEARBANK_PTX_CALLS_H

#include "ptx.h"

enum { CALLEE_FRESH, CALLEE_BUSY, CALLEE_DONE };
enum { CALLS_MAX_DEPTH = 200 };

typedef struct callee {
  ptx_function *f;
  int state;        // of the pass that runs
  uint32_t number;  // by which pointers know it, from 1 on; 0: its address is not taken
  bool stands;
  uint32_t region;            // the same for functions that call each other in a ring
  uint32_t order, low;        // ptx_graph.c: when it was met, and the first that it leads back to
  uint64_t weight;            // statements, with what is inlined
  uint64_t sites;             // calls through pointers that may mean it
  struct stack_frame *frame;  // ptx_stack.c
} callee;

typedef struct inliner {
  ptx_module *m;
  diag *d;
  bool ok;
  callee *callees;  // one a function
  callee **taken;   // those whose address is taken, by number
  uint32_t taken_count;
} inliner;

// The pieces of `call (rets), f, (args)`; f may be a register that holds a pointer or, of
// call.index in a function that is whole, the index of a function that stands.
typedef struct call_parts {
  ptx_function *f;  // NULL: in a register
  uint32_t reg;
  const ptx_operand *rets, *args;  // lists, or NULL
  uint32_t at;                     // operand of f
} call_parts;

bool calls_is(const ptx_stmt *s);
__attribute__((format(printf, 3, 4))) bool calls_refuse(inliner *in, const ptx_stmt *s,
                                                        const char *why, ...);
// Of a call in f. False after reporting one that is wrong in itself.
bool calls_split(inliner *in, const ptx_stmt *s, const ptx_function *f, call_parts *c);

// ---- ptx_graph.c
// Which functions stand. Requires numbers of those whose address is taken.
void calls_graph(inliner *in);

// ---- ptx_pointer.c
// Numbers functions whose address is taken, and puts the number in the address's place.
void calls_addresses(inliner *in);
// Whether a call through a pointer may mean the function: its type has the same sizes.
bool calls_fits(const call_parts *c, const ptx_function *f);
// Whether it calls what stands in place of functions that a class does not have: an error.
bool calls_is_pure(const ptx_stmt *s);
// What tables of virtual functions have where a class has none: no file defines it.
bool calls_is_pure_name(const char *name);
uint32_t calls_index(const callee *c);  // in the low bits of its address
// Adds comparisons to `to`, with `leaf` for the call of each function that does not stand, and one
// call.index for all that do.
typedef void calls_leaf(void *context, const ptx_stmt *call);
void calls_pointer(inliner *in, ptx_function *to, const ptx_stmt *s, const call_parts *c,
                   calls_leaf *leaf, void *context);

// ---- ptx_inline.c
// Where the names of one copy of a callee live in the caller. The callee's variables carry their
// place in `vars`, counted from 1, in their mark while the copy is made.
typedef struct call_copy {
  const ptx_function *from;
  ptx_function *to;
  uint32_t *regs, *labels;
  ptx_var **old_vars, **vars;
  uint32_t var_count;
  const char **tables;  // names of the callee's branch targets
  uint32_t end;         // label behind the copy
} call_copy;

void copy_start(inliner *in, call_copy *c, const ptx_function *from, ptx_function *to);
void copy_names(inliner *in, call_copy *c);  // of registers, labels and tables
void copy_bind(call_copy *c, ptx_var *formal, ptx_var *actual);
ptx_stmt copy_stmt(inliner *in, const call_copy *c, const ptx_stmt *from);
void copy_end(call_copy *c);

// ---- ptx_stack.c
// Puts the functions that stand into a kernel that is whole otherwise.
void calls_stack(inliner *in, ptx_function *kernel);

// ---- ptx_live.c
// The registers that are read after a call before they are written.
typedef struct live_call {
  uint32_t stmt;
  uint32_t *regs, count;
} live_call;
// One a call, in the order of the statements; *count of them.
live_call *calls_live(ptx_module *m, const ptx_function *f, uint32_t *count);

#endif

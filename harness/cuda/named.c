// SPDX-License-Identifier: Apache-2.0
#include "named.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "harness/base/plain_name.h"
#include "target.h"

struct named_block {
  uint64_t address, bytes;
  rt_place at;
};

void named_allocated(rt_context *c, uint64_t address, uint64_t bytes) {
  struct named_block *more = realloc(c->blocks, (c->n_blocks + 1) * sizeof *more);
  if (!more)
    rt_wrong("out of host memory");
  c->blocks = more;
  c->blocks[c->n_blocks++] = (struct named_block){address, bytes, thread.place};
}

void named_released(rt_context *c, uint64_t address) {
  for (uint32_t n = 0; n < c->n_blocks; n++)
    if (c->blocks[n].address == address) {
      c->blocks[n] = c->blocks[--c->n_blocks];
      return;
    }
}

void named_forget(rt_context *c) {
  free(c->blocks);
  c->blocks = NULL, c->n_blocks = 0;
}

static void name_block(const struct named_block *b, rt_named *to) {
  const rt_place *at = &b->at;
  *to = (rt_named){.address = b->address, .bytes = b->bytes};
  const char *slash = at->file ? strrchr(at->file, '/') : NULL;
  if (at->file)
    snprintf(to->place, sizeof to->place, "%.60s:%d", slash ? slash + 1 : at->file, at->line);
  if (!at->file || !array_name(at->file, at->line, at->column, at->call, to->name, sizeof to->name))
    snprintf(to->name, sizeof to->name, "an array");
}

bool named_of(const rt_context *c, uint32_t n, rt_named *to) {
  if (n < c->n_blocks) {
    name_block(&c->blocks[n], to);
    return true;
  }
  n -= c->n_blocks;
  for (const rt_program *p = c->programs; p; p = p->next)
    for (uint32_t k = 0; k < p->mod->symbol_count; k++) {
      const module_symbol *s = &p->mod->symbols[k];
      if (s->is_const || !s->bytes || n--)
        continue;
      char *name = plain_name(s->name);
      *to = (rt_named){.address = target_symbol(c, p, s), .bytes = s->bytes};
      snprintf(to->name, sizeof to->name, "%.63s", name);
      free(name);
      return true;
    }
  return false;
}

// All variables of a program are one allocation of the machine: the last one is at its end.
static void put_variable(const rt_context *c, uint64_t from, uint64_t until, char *to,
                         size_t bytes) {
  rt_named x, last = {0};
  for (uint32_t n = c->n_blocks; named_of(c, n, &x); n++)
    if (x.address >= from && x.address < until && x.address >= last.address)
      last = x;
  if (last.bytes)
    snprintf(to, bytes, ": variables of the device, the last one is %s", last.name);
}

static void put_name(void *ctx, uint64_t base, char *to, size_t bytes) {
  const rt_context *c = ctx;
  rt_named x;
  uint64_t from, size;
  if (!machine_find(c->m, base, &from, &size))
    return;
  for (uint32_t n = 0; n < c->n_blocks; n++)
    if (c->blocks[n].address - from < size) {
      name_block(&c->blocks[n], &x);
      if (x.place[0])
        snprintf(to, bytes, ": %s, allocated at %s", x.name, x.place);
      return;
    }
  put_variable(c, from, from + size, to, bytes);
}

void named_tell(rt_context *c) {
  if (c->m)
    machine_set_named(c->m, put_name, c);
}

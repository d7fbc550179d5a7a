// SPDX-License-Identifier: Apache-2.0
// An instruction trace as text.
#include "retire_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "csim/isa/isa.h"
#include "harness/base/user_error.h"

const char *retire_show_file(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

void retire_show_line(const retire_inst *i, char *to, size_t bytes) {
  *to = 0;
  if (i->cuda_line)
    snprintf(to, bytes, "%s:%u", retire_show_file(i->file), i->cuda_line);
  else if (i->ptx_line)
    snprintf(to, bytes, "PTX line %u", i->ptx_line);
}

void retire_show_columns(const char *indent) {
  printf("%s%9s %9s %6s %7s %4s %6s %-8s    %-40s %s\n", indent, "issue", "end", "core", "block",
         "warp", "pc", "lanes", "instruction", "line");
}

void retire_show_launch(const retire_launch *l, const retire_kernel *k) {
  printf("launch %u: %s, grid (%u,%u,%u), block (%u,%u,%u), from cycle %" PRIu64, l->number,
         k->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
         l->cycle);
}

void retire_show_entry(const char *indent, const retire_kernel *k, const retire_entry *e) {
  const retire_inst *i = &k->insts[e->pc / ISA_BYTES];
  char line[300];
  retire_show_line(i, line, sizeof line);
  printf("%s%9" PRIu64 " %9" PRIu64 " %4u.%u %7u %4u %6x %08x %c  %-*s%s%s\n", indent, e->issue,
         e->end, e->core, e->place % 4, e->block, e->warp, e->pc, e->lanes, e->near ? 'N' : 'F',
         *line ? 40 : 0, i->text, *line ? " " : "", line);
}

int retire_show_cut(const retire_reader *r, const char *file, uint64_t cycle) {
  const retire_launch *l = retire_current(r);
  fflush(stdout);
  if (!l)
    user_error("'%s' ends before its first launch: the run was killed, or the file was truncated",
               file);
  else
    user_error("'%s' has nothing after cycle %" PRIu64
               " of launch %u: the run was killed, or the file was truncated",
               file, cycle, l->number);
  return EXIT_FAILED;
}

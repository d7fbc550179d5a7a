// SPDX-License-Identifier: Apache-2.0
// Unit and meaning of counters: those of the tables of MPU, and what nodes of other machines
// declare.
#include <string.h>
#include "diff_priv.h"
#include "harness/base/schedule/counters.h"

#define COUNTER(level, name, unit, doc) {IN_##level #name, unit, doc},
#define IN_RUN ""
#define IN_CORE "core."
#define IN_SUB "core.subcores."
#define IN_NBU "core.nbus."
#define IN_BANK "core.nbus.banks."
#define PACKET_DN(name, doc)                         \
  {"core.nbus.packets_down." #name, "packets", doc}, \
      {"core.nbus.flits_down_by_kind." #name, "flits", doc},
#define PACKET_UP(name, doc)                       \
  {"core.nbus.packets_up." #name, "packets", doc}, \
      {"core.nbus.flits_up_by_kind." #name, "flits", doc},
static const diff_name names[] = {
#include "harness/machines/mpu/core/stats.def"
#define STATS_CLASS(name, doc) {"core.subcores.lanes_near." #name, "lanes", doc},
#include "harness/machines/mpu/core/classes.def"
#undef STATS_CLASS
#define STATS_CLASS(name, doc) {"core.subcores.lanes_far." #name, "lanes", doc},
#include "harness/machines/mpu/core/classes.def"
#define TSV_PACKET(direction, number, name, reply, body, doc) PACKET_##direction(name, doc)
#include "csim/mpu/tsv.def"
    {"copies.bytes_down", "bytes", "copied to the machine"},
    {"copies.bytes_up", "bytes", "copied to the host"},
    {"copies.ps_down", "ps", "that copies to the machine take on the link"},
    {"stream_time.ps", "ps", "of simulated time with that of copies"},
    {"stream_time.ps_kernels", "ps", "in which kernels ran"},
    {"stream_time.ps_machine", "ps", "in which the machine ran kernels, or copied or filled"},
    {"stream_time.ps_down", "ps", "in which the link to the machine was busy"},
    {"stream_time.ps_up", "ps", "in which the link to the host was busy"},
    {"stream_time.ps_overlapped", "ps", "in which more than one of these was busy"},
    {"array_transfers.copies", "times", "that copies of an array were made in all cores"},
    {"array_transfers.moves", "times", "that an array was moved to other cores"},
    {"array_transfers.cycles", "cycles", "that copies and moves take, estimated"},
    {"array_transfers.bytes", "bytes", "written into copies and by moves"},
    {"array_transfers.dram_reads", "commands", "32 bytes read for copies and moves, estimated"},
    {"array_transfers.dram_writes", "commands",
     "32 bytes written into copies and by moves, estimated"},
    {"array_transfers.tsv_flits", "flits", "on the buses for copies and moves, estimated"},
    {"array_transfers.on_chip_flits", "flits",
     "over links on processors for copies and moves, estimated"},
    {"array_transfers.off_chip_flits", "flits",
     "over links between them for copies and moves, estimated"},
    {"array_transfers.joules", "J", "for copies and moves, estimated"},
    {"copies.ps_up", "ps", "that copies to the host take on the link"},
};

typedef struct looking {
  const char *path;
  diff_name *to;
  bool found;
} looking;

static bool look(void *ctx, const char *path, const node_counter *c, uint32_t instance,
                 uint32_t word) {
  looking *l = ctx;
  (void)instance, (void)word;
  if (strcmp(path, l->path) != 0)
    return true;
  l->to->doc = c->doc, l->found = true;
  return false;
}

static bool of_nodes(const char *name, const machine_ops *machine, diff_name *to) {
  for (uint32_t p = 0; p < machine->n_parts; p++) {
    const node_kind *k = machine->parts[p].ops->declares;
    const size_t n = k ? strlen(k->name) : 0;
    if (!k || strncmp(name, "sums.", 5) || strncmp(name + 5, k->name, n) || name[5 + n] != '.')
      continue;
    looking l = {name + 6 + n, to, false};
    counters_each(k, look, &l);
    if (l.found)
      return true;
  }
  return false;
}

bool diff_name_of(const char *name, const machine_ops *machine, diff_name *to) {
  *to = (diff_name){name, "", ""};
  if (machine)
    return of_nodes(name, machine, to);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strcmp(name, names[k].name) == 0) {
      *to = names[k];
      return true;
    }
  return false;
}

// SPDX-License-Identifier: Apache-2.0
// Launches on the cycle-by-cycle machine, where the settings ask for it.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/number_list.h"
#include "harness/base/schedule/energies.h"
#include "harness/machines/mpu/machine/build.h"
#include "placer.h"
#include "rt.h"

static volatile sig_atomic_t interrupted;  // exit status

static void on_signal(int n) {
  (void)n;
  interrupted = RT_INTERRUPTED;
}

void rt_timed_config(machine_config *m) {
  char why[CONFIG_WHY];
  const sim_config k = sim_of_config(&process.settings.machine, NEAR_C);
  if (!sim_machine(&k, m, why, sizeof why))
    rt_wrong("%s", why);
  m->trail = process.settings.checkpoint;
}

static bool watch(void *ctx, uint64_t cycles, uint32_t done, uint32_t blocks) {
  rt_context *c = ctx;
  progress_step(&c->progress, cycles, done, blocks);
  return interrupted;
}

// Of each core: those of the setting rtl_cores are of the mode (Verilog, when that is c), the
// others in C.
static void modes_of(sim_config *k, uint32_t cores) {
  const char *list = process.settings.rtl_cores;
  bool in[SIM_CORES] = {false};
  if (list && !number_list(list, cores, in)) {
    rt_wrong("--rtl-core takes cores from 0 to %u, like 3,8-11; not '%.60s'", cores - 1, list);
  }
  for (uint32_t n = 0; n < cores; n++)
    k->mode[n] = !list || (in[n] && process.settings.near != NEAR_C) ? process.settings.near
                 : in[n]                                             ? NEAR_RTL
                                                                     : NEAR_C;
}

// The cores of a file, one a block.
static uint32_t *given_blocks(const char *file, uint32_t cores, uint32_t *count) {
  char word[32];
  uint32_t *list = NULL;
  FILE *f = fopen(file, "r");
  if (!f) {
    rt_wrong("cannot read '%.200s': %s", file, strerror(errno));
  }
  for (*count = 0; fscanf(f, "%31s", word) == 1; ++*count) {
    char *end;
    const unsigned long core = strtoul(word, &end, 10);
    if (*end || core >= cores) {
      rt_wrong("%.200s: block %u: '%s' is not a valid core; allowed: 0 to %u", file, *count, word,
               cores - 1);
    }
    if (!(*count & (*count - 1)) &&
        !(list = realloc(list, (*count ? 2 * *count : 1) * sizeof *list)))
      rt_wrong("out of host memory");
    list[*count] = (uint32_t)core;
  }
  fclose(f);
  if (!*count) {
    rt_wrong("%.200s: the file has no core numbers", file);
  }
  return list;
}

sim *rt_timed_start(rt_context *rt) {
  char why[CONFIG_WHY];
  const run_settings *set = &process.settings;
  sim_config k = sim_of_config(&set->machine, process.settings.near);
  k.near.mutant = set->mutant;
  k.near.library = set->rtl_library;
  k.threads = set->threads ? (uint32_t)set->threads : 1;
  k.max_cycles = set->max_cycles;
  k.marks = set->checkpoint;
  k.watch = watch, k.ctx = rt;
  const uint32_t cores = set->machine.machine.processors * set->machine.machine.cores;
  modes_of(&k, cores);
  uint32_t *list = NULL;
  if (set->blocks) {
    k.given = list = given_blocks(set->blocks, cores, &k.n_given);
    k.schedule = SIM_GIVEN;
  }
  // the first signal ends the launch or, between launches, the next call: the report says how far
  // it came. A second one ends the program at once.
  const struct sigaction act = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
  sim *s = sim_new(&k, rt->m, why, sizeof why);
  free(list);
  if (!s)
    rt_wrong("%s", why);
  sigaction(SIGINT, &act, NULL);
  sigaction(SIGTERM, &act, NULL);
  rt_observe(rt, s);
  return s;
}

static core_stats counted(const rt_context *c) {
  return sim_all(c->timed);
}

// What core and context have counted after a launch that ended with e.
void rt_timed_count(rt_context *c, machine_error e) {
  const core_stats all = counted(c), *t = &all;
  c->differ |= e == MACHINE_MODEL;
  if (process.placer)
    placer_launched(process.placer, c);
  c->stats.warp_instructions = stats_issued(t);
  c->stats.near_instructions = c->stats.thread_instructions = 0;
  for (unsigned n = 0; n < 4; n++) {
    c->stats.near_instructions += t->sub[n].near;
    c->stats.thread_instructions += t->sub[n].lanes;
  }
  c->stats.far_instructions = c->stats.warp_instructions - c->stats.near_instructions;
}

int rt_timed_interrupted(void) {
  return interrupted;
}
void rt_timed_interrupt(int status) {
  interrupted = status;
}

// ---- the report

uint64_t rt_timed_cycles(const rt_context *c) {
  return sim_cycles(c->timed) * sim_cores(c->timed);
}

// Joules of making copies of arrays and of moving them.
static double energy_of(const transfers *n) {
  const config *machine = &process.settings.machine;
  double joules = 1e-12 * ((double)(n->dram_reads + n->dram_writes) * machine->energy.dram_access +
                           64.0 * (double)n->tsv_flits * machine->energy.tsv_bit);
  for (uint32_t k = 0; k < ENERGIES_NETWORK; k++)
    joules += energies_network(k, n->on_chip_flits * machine->network.on_chip_bits,
                               n->off_chip_flits * machine->network.off_chip_bits, machine)
                  .joules;
  return joules;
}

static void array_transfers_json(const rt_context *c, json_writer *j) {
  const transfers n = sim_transfers(c->timed);
  jw_object(j, "array_transfers");
  jw_count(j, "copies", n.copies);
  jw_count(j, "moves", n.moves);
  jw_count(j, "cycles", n.cycles);
  jw_count(j, "bytes", n.bytes);
  jw_count(j, "dram_reads", n.dram_reads);
  jw_count(j, "dram_writes", n.dram_writes);
  jw_count(j, "tsv_flits", n.tsv_flits);
  jw_count(j, "on_chip_flits", n.on_chip_flits);
  jw_count(j, "off_chip_flits", n.off_chip_flits);
  jw_number(j, "joules", "%.6g", energy_of(&n));
  jw_end(j);
}

static void report_array_transfers(const rt_context *c, uint64_t cycles, FILE *f) {
  const transfers n = sim_transfers(c->timed);
  if (n.copies || n.moves)
    fprintf(f,
            "cycles of copies   %llu, estimated (%llu with those of the launches): %llu made, "
            "%llu arrays moved, %llu bytes, %.3f uJ\n",
            (unsigned long long)n.cycles, (unsigned long long)(cycles + n.cycles),
            (unsigned long long)n.copies, (unsigned long long)n.moves, (unsigned long long)n.bytes,
            1e6 * energy_of(&n));
}

void rt_timed_json(const rt_context *c, json_writer *j) {
  const core_stats all = counted(c), *s = &all;
  const stats_bounds b = sim_bounds(c->timed);
  const noc_stats n = sim_network(c->timed);
  const uint32_t cores = sim_cores(c->timed);
  const config *machine = &process.settings.machine;
  jw_count(j, "cycles", s->cycles);
  jw_count(j, "cycles_whole",
           s->cycles + sim_transfers(c->timed).cycles + placer_cycles(process.placer));
  jw_count(j, "cores", cores);
  jw_count(j, "processors", machine->machine.processors);
  jw_count(j, "core_cycles", rt_timed_cycles(c));
  jw_text(j, "near", near_mode_names[process.settings.near]);
  if (process.settings.near == NEAR_LOCKSTEP)
    jw_truth(j, "agree", !c->differ);
  else
    jw_null(j, "agree");
  if (rt_devices() == 1)  // several compute in the same seconds
    jw_number(j, "core_cycles_per_second", "%.0f",
              c->seconds > 0 ? (double)rt_timed_cycles(c) / c->seconds : 0);
  jw_count(j, "network_packets", n.packets[NOC_REQUEST] + n.packets[NOC_RESPONSE]);
  jw_count(j, "network_cycles", n.latency[NOC_REQUEST] + n.latency[NOC_RESPONSE]);
  jw_count(j, "on_chip_flits", n.on_chip_flits);
  jw_count(j, "off_chip_flits", n.off_flits);
  jw_count(j, "on_chip_bits", machine->network.on_chip_bits);
  jw_count(j, "off_chip_bits", machine->network.off_chip_bits);
  if (cores > 1) {
    jw_object(j, "network");
    sim_links_json(c->timed, j);
    jw_end(j);
  }
  jw_count(j, "bound_issue", b.issue);
  jw_count(j, "bound_tsv", b.tsv);
  jw_count(j, "bound_banks", b.banks);
  jw_count(j, "bound_commands", b.commands);
  jw_count(j, "bound_shared", b.shared);
  if (process.placer)
    jw_count(j, "placement_cycles", placer_cycles(process.placer));
  stats_json(s, "core", j);
  if (sim_has_transfers(c->timed))
    array_transfers_json(c, j);
  if (cores == 1)
    return;
  jw_list(j, "each");
  for (uint32_t k = 0; k < cores; k++)
    stats_json(core_statistics(sim_core(c->timed, k)), NULL, j);
  jw_end(j);
}

static double percent(uint64_t n, uint64_t of) {
  return of ? 100.0 * (double)n / (double)of : 0;
}

// Of memory, for what; but for memory of the own core.
static void parts_of_memory(const core_stats *s, uint64_t all, FILE *f) {
  const char *before = " (";
  uint64_t parts[2] = {0};
  static const char *const names[] = {"remote", "shared"};
  for (unsigned k = 0; k < 4; k++) {
    parts[0] += s->sub[k].cycles_memory_remote;
    parts[1] += s->sub[k].cycles_memory_shared;
  }
  for (unsigned n = 0; n < 2; n++)
    if (parts[n]) {
      fprintf(f, "%s%s %.1f %%", before, names[n], percent(parts[n], all));
      before = ", ";
    }
  fputs(parts[0] || parts[1] ? ")" : "", f);
}

// Shares of the cycles of the four subcores.
static void where_cycles_went(const core_stats *s, FILE *f) {
  enum { MEMORY = 1, CLASSES = 7 };
  static const char *const names[CLASSES] = {"issue", "memory", "scoreboard", "barrier",
                                             "fetch", "engine", "empty"};
  uint64_t parts[CLASSES] = {0}, all = 0;
  for (unsigned k = 0; k < 4; k++) {
    const subcore_stats *x = &s->sub[k];
    const uint64_t of[CLASSES] = {x->cycles_issue,   x->cycles_memory, x->cycles_scoreboard,
                                  x->cycles_barrier, x->cycles_fetch,  x->cycles_engine,
                                  x->cycles_empty};
    for (unsigned n = 0; n < CLASSES; n++)
      parts[n] += of[n], all += of[n];
  }
  fprintf(f, "  went to         ");
  for (unsigned n = 0; n < CLASSES; n++) {
    fprintf(f, "%s %s %.1f %%", n ? "," : "", names[n], percent(parts[n], all));
    if (n == MEMORY)
      parts_of_memory(s, all, f);
  }
  fputc('\n', f);
}

// How far the run is from what its resources allow.
static void bounds(const rt_context *c, const core_stats *s, FILE *f) {
  const stats_bounds b = sim_bounds(c->timed);
  const struct {
    const char *name;
    uint64_t cycles;
  } all[] = {{"issue", b.issue},
             {"TSV bus", b.tsv},
             {"banks", b.banks},
             {"command bus", b.commands},
             {"shared memory", b.shared}};
  uint64_t tightest = 0;
  fputs("  at least        ", f);
  for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
    fprintf(f, "%s %s %llu", n ? "," : "", all[n].name, (unsigned long long)all[n].cycles);
    tightest = all[n].cycles > tightest ? all[n].cycles : tightest;
  }
  fprintf(f, "%s: %.1f %% of the cycles\n", sim_cores(c->timed) > 1 ? " of a core" : "",
          percent(tightest, s->cycles));
}

// All banks, row hits by number of row buffers.
static bank_stats banks(const core_stats *s) {
  bank_stats all = {0};
  for (unsigned n = 0; n < 16; n++) {
    const bank_stats *b = &s->nbu[n / 4].bank[n % 4];
    all.rd += b->rd, all.wr += b->wr;
    all.row_hits_1 += b->row_hits_1, all.row_hits_2 += b->row_hits_2;
    all.row_hits_3 += b->row_hits_3, all.row_hits_4 += b->row_hits_4;
    all.row_misses += b->row_misses, all.row_conflicts += b->row_conflicts;
  }
  return all;
}

static void network(const rt_context *c, const core_stats *s, FILE *f) {
  const noc_stats n = sim_network(c->timed);
  const uint64_t packets = n.packets[NOC_REQUEST] + n.packets[NOC_RESPONSE];
  fprintf(f,
          "other cores        %llu requests, answered after %.1f cycles\n"
          "network            %llu packets, %.1f cycles of the routers each; %llu flits over links "
          "on processors, %llu between them\n",
          (unsigned long long)s->remote_answers,
          (double)s->remote_cycles / (double)s->remote_answers, (unsigned long long)packets,
          (double)(n.latency[NOC_REQUEST] + n.latency[NOC_RESPONSE]) / (double)packets,
          (unsigned long long)n.on_chip_flits, (unsigned long long)n.off_flits);
}

static void remote_lines(const core_stats *s, FILE *f) {
  const uint64_t wanted = s->cache_hits + s->cache_misses;
  fprintf(f,
          "  by the line      %llu requests for %.1f sectors each; %llu loads waited for these\n"
          "  cache            %.1f %% of %llu sectors found, emptied %llu times\n",
          (unsigned long long)s->line_requests, (double)s->line_sectors / (double)s->line_requests,
          (unsigned long long)s->line_merged, percent(s->cache_hits, wanted),
          (unsigned long long)wanted, (unsigned long long)s->cache_emptied);
}

void rt_timed_report(const rt_context *c, FILE *f) {
  const core_stats all = counted(c), *s = &all;
  const bank_stats b = banks(s);
  uint64_t near_moves = 0, far_moves = 0, requests = 0, conflicts = 0;
  for (unsigned n = 0; n < 4; n++) {
    near_moves += s->sub[n].moves_near + s->sub[n].moves_zero;
    far_moves += s->sub[n].moves_far;
    requests += s->nbu[n].smem_requests, conflicts += s->nbu[n].smem_conflicts;
  }
  const double cycles = s->cycles ? (double)s->cycles : 1;
  const double core_cycles = cycles * sim_cores(c->timed);
  const uint64_t flits = (uint64_t)core_cycles * process.settings.machine.tsv.flits_per_cycle;
  fprintf(f, "cycles             %llu (%.3f warp instructions a cycle)\n",
          (unsigned long long)s->cycles, (double)stats_issued(s) / cycles);
  where_cycles_went(s, f);
  bounds(c, s, f);
  const uint64_t accesses = b.rd + b.wr;
  fprintf(f,
          "TSV bus            %.1f %% of its flits used (%llu down, %llu up)\n"
          "register moves     %llu to the banks, %llu from them\n"
          "DRAM               %llu reads, %llu writes of 32 bytes: %.1f %% of the command slots\n"
          "  row buffers      %.1f %% hits, %.1f %% misses, %.1f %% conflicts\n",
          percent(s->bus_down + s->bus_up, flits), (unsigned long long)s->bus_down,
          (unsigned long long)s->bus_up, (unsigned long long)near_moves,
          (unsigned long long)far_moves, (unsigned long long)b.rd, (unsigned long long)b.wr,
          100.0 * (double)accesses / (4 * core_cycles),
          percent(b.row_hits_1 + b.row_hits_2 + b.row_hits_3 + b.row_hits_4, accesses),
          percent(b.row_misses, accesses), percent(b.row_conflicts, accesses));
  report_array_transfers(c, s->cycles, f);
  if (s->remote_answers)
    network(c, s, f);
  if (s->line_requests)
    remote_lines(s, f);
  if (requests)
    fprintf(f, "bank conflicts     %.2f cycles an access of shared memory\n",
            (double)conflicts / (double)requests);
  if (process.settings.near == NEAR_LOCKSTEP)
    fprintf(f, "models             %s\n",
            c->differ ? "DIFFER" : "Verilog, C and the functional machine agree");
}

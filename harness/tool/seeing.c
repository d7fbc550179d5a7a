// SPDX-License-Identifier: Apache-2.0
#include "seeing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "harness/base/out_file.h"
#include "harness/study/plot/grid_map.h"

int seeing_take(seeing_args *o, const args *a) {
  const struct {
    const char *name, **to;
  } texts[] = {{"--profile", &o->profile},
               {"--heat", &o->heat},
               {"--heat-of", &o->heat_of},
               {"-x", &o->commands}};
  if (args_is(a, "--top"))
    return whole_number(a, &o->top) ? 1 : EXIT_USAGE;
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    if (args_is(a, texts[k].name)) {
      *texts[k].to = a->value;
      return 1;
    }
  return 0;
}

bool seeing_any(const seeing_args *o) {
  return o->profile || o->table || o->heat || o->debug;
}

// ---- heat map: a counter of the vaults, or a class of the profile

static const char *heat_of(const seeing_args *o) {
  return o->heat_of ? o->heat_of : "busy";
}

// Its number among the counters; as many as there are: it is none of them.
static uint32_t counter_named(const char *name) {
  const node_kind *kind = spacea_machine_ops.parts->ops->declares;
  uint32_t k = 0;
  while (k < kind->n_counters && strcmp(name, kind->counters[k].name))
    k++;
  return k;
}

static bool is_counter(const char *name) {
  return counter_named(name) < spacea_machine_ops.parts->ops->declares->n_counters;
}

static bool wants_profile(const seeing_args *o) {
  return o->profile || o->table || (o->heat && !is_counter(heat_of(o)));
}

static void write_map(const seeing_args *o, const seeing *s, const uint64_t *values, FILE *to) {
  const node_kind *kind = spacea_machine_ops.parts->ops->declares;
  const char *name = heat_of(o);
  const config *c = s->config;
  char title[64], note[256];
  snprintf(title, sizeof title, "SpaceA: %s", name);
  if (is_counter(name))
    snprintf(note, sizeof note, "%s", kind->counters[counter_named(name)].doc);
  else
    snprintf(note, sizeof note, "cycles of all PEs of a vault: %s",
             pe_wait_docs[pe_profile_class(name)]);
  grid_map_write(&(grid_map){title, note, "cube", "vault", (uint32_t)c->spacea.cubes,
                             config_columns(c->spacea.cubes, c->network.processor_columns),
                             (uint32_t)c->spacea.vaults,
                             config_columns(c->spacea.vaults, c->network.columns), values},
                 to);
}

static int write_heat(const seeing_args *o, const seeing *s) {
  uint32_t n;
  const node *nodes = machine_run_nodes(s->run, &n);
  uint64_t *values = malloc(n * sizeof *values);
  out_file *f = values ? out_open(o->heat) : NULL;
  const uint32_t counter = counter_named(heat_of(o));
  for (uint32_t k = 0; f && k < n; k++)
    values[k] = is_counter(heat_of(o)) ? nodes[k].ops->counters(nodes[k].state)[counter]
                                       : pe_profile_of(s->profile, k, pe_profile_class(heat_of(o)));
  if (f)
    write_map(o, s, values, out_stream(f));
  free(values);
  return f && out_close(f) ? EXIT_OK : cannot_write(o->heat);
}

static int check_heat(const seeing_args *o) {
  if (o->heat_of && !o->heat)
    return user_error("--heat-of needs --heat FILE.svg");
  if (!o->heat || is_counter(heat_of(o)) || pe_profile_class(heat_of(o)) < SPE_WAITS)
    return check_output("--heat", o->heat);
  return user_error(
      "--heat-of takes a counter of the vaults (mpu machine --list spacea) or a class of the "
      "profile, like elements, tsv_flits or lines; not '%.60s'",
      o->heat_of);
}

int seeing_check(const seeing_args *o) {
  const int status = check_output("--profile", o->profile);
  if (o->commands && !o->debug)
    return user_error("-x is for mpu spacea debug");
  if (o->commands && access(o->commands, R_OK))
    return user_error("cannot read '%s': %s", o->commands, strerror(errno));
  return status ? status : check_heat(o);
}

// ---- a run

static int open_profile(machine_run *r, const lockstep_mode *near, seeing *s) {
  uint32_t n;
  machine_run_nodes(r, &n);
  for (uint32_t k = 0; k < n; k++)
    if (near[k] == LOCKSTEP_RTL)
      return user_error(
          "a profile needs PEs in C: of vault %u they are inside the Verilog; --near c and "
          "lockstep have them",
          k);
  return (s->profile = pe_profile_new(r)) ? EXIT_OK : user_error("out of memory");
}

static int open_debug(const seeing_args *o, machine_run *r, seeing *s) {
  s->commands = o->commands ? fopen(o->commands, "r") : stdin;
  if (!s->commands)
    return user_error("cannot read '%s': %s", o->commands, strerror(errno));
  const vault_debug_config c = {.from = s->commands,
                                .name = o->commands ? o->commands : "standard input",
                                .terminal = !o->commands && isatty(STDIN_FILENO)};
  return (s->debug = vault_debug_new(&c, r)) ? EXIT_OK : user_error("out of memory");
}

int seeing_open(const seeing_args *o, const config *c, machine_run *r, const lockstep_mode *near,
                seeing *s) {
  *s = (seeing){.config = c, .run = r};
  const int status = wants_profile(o) ? open_profile(r, near, s) : EXIT_OK;
  return status || !o->debug ? status : open_debug(o, r, s);
}

static int write_profile(const seeing *s, const char *name) {
  out_file *f = out_open(name);
  if (!f)
    return cannot_write(name);
  pe_profile_json(s->profile, s->config, &build_info_all, out_stream(f));
  return out_close(f) ? EXIT_OK : cannot_write(name);
}

int seeing_close(const seeing_args *o, seeing *s, int status) {
  const bool ended = status <= EXIT_FAILED && s->profile;
  if (ended)
    pe_profile_end(s->profile, machine_run_cycles(s->run));
  if (ended && o->table)
    pe_profile_print(s->profile, (uint32_t)o->top, stdout);
  if (ended && o->profile && write_profile(s, o->profile))
    status = EXIT_USAGE;
  if (status <= EXIT_FAILED && o->heat && write_heat(o, s))
    status = EXIT_USAGE;
  if (status == EXIT_MACHINE && s->debug)
    vault_debug_failed(s->debug);
  if (s->debug && vault_debug_ended(s->debug) == VAULT_DEBUG_WRONG)
    status = EXIT_USAGE;
  vault_debug_free(s->debug);
  if (s->commands && s->commands != stdin)
    fclose(s->commands);
  pe_profile_free(s->profile);
  return status;
}

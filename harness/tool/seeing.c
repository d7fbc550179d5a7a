// SPDX-License-Identifier: Apache-2.0
#include "seeing.h"

#include "harness/base/out_file.h"

int seeing_take(seeing_args *o, const args *a) {
  if (args_is(a, "--top"))
    return whole_number(a, &o->top) ? 1 : EXIT_USAGE;
  if (!args_is(a, "--profile"))
    return 0;
  o->profile = a->value;
  return 1;
}

bool seeing_any(const seeing_args *o) {
  return o->profile || o->table;
}

int seeing_check(const seeing_args *o) {
  return check_output("--profile", o->profile);
}

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

int seeing_open(const seeing_args *o, const config *c, machine_run *r, const lockstep_mode *near,
                seeing *s) {
  *s = (seeing){.config = c, .run = r};
  return o->profile || o->table ? open_profile(r, near, s) : EXIT_OK;
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
  pe_profile_free(s->profile);
  return status;
}

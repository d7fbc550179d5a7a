// SPDX-License-Identifier: Apache-2.0
// mpu man, mpu completion; and `mpu-tool needs COMMAND ARGUMENTS...`, for the launcher: what has to
// be built or installed before a command line can be executed, a word a line.
#include <stdlib.h>
#include <string.h>
#include "csim/mpu/structure.h"
#include "harness/base/checkpoint/checkpoint.h"
#include "harness/machines/mpu/machine/build.h"
#include "harness/study/file/study.h"
#include "tool.h"

static int done(void) {
  return EXIT_OK;
}

int command_man(int argc, char **argv) {
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  for (args_item item; (item = args_next(&a)) != ARGS_END;)
    return item == ARGS_WRONG ? EXIT_USAGE : user_error("mpu man takes no '%s'", a.value);
  man_print(stdout);
  return done();
}

int command_completion(int argc, char **argv) {
  const char *shell = NULL;
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  for (args_item item; (item = args_next(&a)) != ARGS_END; shell = a.value)
    if (item == ARGS_WRONG)
      return EXIT_USAGE;
  if (!shell || strcmp(shell, "bash") != 0)
    return user_error("mpu completion supports bash only: mpu completion bash");
  completion_print(stdout);
  return done();
}

// ---- what a command line needs

typedef struct seen {
  const char *near, *model, *operand;
  bool help, list, rtl_core, waves, picture, card, qemu, listen;
  machine_args machine;
} seen;

static seen look(args a) {
  seen s = {0};
  a.quiet = true;
  for (args_item item; (item = args_next(&a)) != ARGS_END;) {
    if (item == ARGS_OPERAND)
      s.operand = a.value;
    if (item != ARGS_OPTION)
      continue;
    machine_take(&s.machine, &a);
    s.near = args_is(&a, "--near") ? a.value : s.near;
    s.near = args_is(&a, "--races") ? "none" : s.near;
    s.model = args_is(&a, "--model") ? a.value : s.model;
    s.card = args_is(&a, "--device") ? strcmp(a.value, "card") == 0 : s.card;
    s.card |= args_is(&a, "--cards");
    s.list |= args_is(&a, "--list");
    s.help |= args_is(&a, "--help");
    s.rtl_core |= args_is(&a, "--rtl-core") || args_is(&a, "--rtl-node");
    s.waves |= strncmp(a.name, "--wave", 6) == 0 || args_is(&a, "--postmortem");
    s.picture |= args_is(&a, "--picture");
    s.qemu |= args_is(&a, "--qemu");
    s.listen |= args_is(&a, "--listen");
  }
  return s;
}

static bool is(const char *a, const char *b) {
  return a && strcmp(a, b) == 0;
}

// Of the run that a checkpoint is of.
static const char *of_checkpoint(const char *file, bool *card) {
  char why[CHECKPOINT_WHY];
  size_t bytes = 0;
  const char *needs = NULL;
  char *head = file ? checkpoint_head(file, &bytes, why, sizeof why) : NULL;
  for (const char *line = head; head && line < head + bytes; line += strlen(line) + 1)
    if (strcmp(line, "MPU_NEAR=rtl") == 0 || strcmp(line, "MPU_NEAR=lockstep") == 0 ||
        strncmp(line, "MPU_RTL_CORES=", 14) == 0)
      needs = "nearrtl";
    else if (strcmp(line, "MPU_DEVICE=card") == 0)
      *card = true;
  free(head);
  return needs;
}

// Of a machine of nodes: the library of its blocks, with which comes what writes waves.
static const char *of_machine(const seen *s) {
  static char library[64];
  if (s->list || !machine_library(s->operand, library, sizeof library))
    return NULL;
  return !is(s->near, "c") || s->rtl_core ? library : s->waves ? "nearwave" : NULL;
}

static const char *of_spacea(const seen *s) {
  const bool verilog = is(s->near, "rtl") || is(s->near, "lockstep") || s->rtl_core;
  return verilog ? "spaceartl" : s->waves ? "nearwave" : NULL;
}

// The Verilog of this machine: of other sizes than the default ones the run builds what it needs by
// itself (verilated.sh), and the launcher only what writes waves.
static const char *of_sizes(const machine_args *m) {
  char text[STRUCTURE_TEXT];
  config c;
  if (machine_config_of(m, "small", &c))
    return "nearrtl";
  const structure sizes = core_of_config(&c).sizes;
  return *structure_parameters(&sizes, text, sizeof text) ? "nearwave" : "nearrtl";
}

static const char *of_study(const seen *s) {
  char why[STUDY_WHY];
  study *file = s->operand && !s->near && !s->list ? study_read(s->operand, why, sizeof why) : NULL;
  const bool verilog =
      is(s->near, "rtl") || is(s->near, "lockstep") || (file && study_has_verilog(file));
  study_free(file);
  return verilog && !s->list ? "nearrtl" : NULL;
}

// *card: SystemC, too.
static const char *needs_of(const char *command, const seen *s, bool *card) {
  const char *environment = getenv("MPU_NEAR"), *near = s->near;
  if (s->help)
    return NULL;
  const bool platform = is(command, "platform") && !s->qemu && !s->listen;
  *card = s->card || platform || (is(command, "bench") && is(s->operand, "card"));
  if (is(command, "bench"))
    return is(s->operand, "core") || is(s->operand, "machine") ? "nearrtl" : NULL;
  if (is(command, "activity"))
    return "nearwave";
  if (is(command, "dram"))
    return is(s->model, "rtl") || is(s->model, "both") ? "bankctlrtl" : NULL;
  if (is(command, "machine"))
    return of_machine(s);
  if (is(command, "spacea"))
    return of_spacea(s);
  if (is(command, "study"))
    return of_study(s);
  if (is(command, "waves"))
    return s->picture ? "picture" : NULL;
  if (is(command, "platform"))
    return is(near, "rtl") || is(near, "lockstep") ? of_sizes(&s->machine)
           : platform                              ? "nearwave"
                                                   : NULL;
  if (is(command, "resume"))
    return of_checkpoint(s->operand, card);
  if (!is(command, "run") && !is(command, "debug") && !is(command, "profile"))
    return NULL;
  if (!near)
    near = is(command, "profile") ? "c" : environment && *environment ? environment : "lockstep";
  if (is(near, "rtl") || is(near, "lockstep") || s->rtl_core)
    return of_sizes(&s->machine);
  return s->waves || is(command, "debug") ? "nearwave" : NULL;
}

int command_needs(int argc, char **argv) {
  if (argc < 2 || !command_named(argv[1]))
    return EXIT_OK;
  const args a = args_of(argc - 1, argv + 1);
  if (!freopen("/dev/null", "w", stderr))  // the command itself says what is wrong
    return EXIT_USAGE;
  const seen s = look(a);
  bool card = false;
  const char *needs = needs_of(argv[1], &s, &card);
  if (needs)
    puts(needs);
  if (card)
    puts("nearcard");
  if (s.qemu && !s.help)
    puts("guest");
  return EXIT_OK;
}

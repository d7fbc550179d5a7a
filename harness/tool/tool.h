// SPDX-License-Identifier: Apache-2.0
// The mpu tool: what its commands share.
#ifndef NEARBANK_TOOL_H
#define NEARBANK_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "harness/base/user_error.h"
#include "harness/cuda/driver/compile.h"
#include "args.h"

// Takes the option that was met when it is one of compilation. 0: it is not, 1: taken, 2: wrong
// value (a message was given).
int compile_option(compile_options *o, const args *a);

// The program that a command is given: a CUDA file or its folder, or a file that the host can
// execute, with the name that it is shown by.
typedef struct given_program {
  char file[4096], name[256];
  bool compiled;
} given_program;
// 0 or EXIT_USAGE after a message.
int program_find(const char *given, const compile_options *o, given_program *p);
// What is to be started: compiled, unless it is.
int program_make(const given_program *p, const compile_options *o, char *program, size_t bytes);

// The counts of a profile (mpu run --profile-out) as the compiler takes them, until the next call.
// NULL after a message.
const mir_profile *profile_in(const char *file);

// The machine of --config and --set (small), as the program gets it (CONFIG_FLAT bytes). A location
// policy of it is the compiler's matter. 0 or EXIT_USAGE.
int machine_of(const machine_args *m, compile_options *o, char *flat);
bool is_count(const char *v);  // a number from 1 on
// The value of the option that was met, a whole number from 0 on. False after a message.
bool whole_number(const args *a, uint64_t *to);
// The command, for messages that say how to do it again; to be freed.
char *command_text(int argc, char **argv);
// 0 (also for NULL), or EXIT_USAGE. A file of an option: standard output (-) will not do.
int check_writable(const char *file);
int check_output(const char *option, const char *file);

int command_cc(int argc, char **argv);
int command_sdk(int argc, char **argv);
int command_resume(int argc, char **argv);
int command_retire(int argc, char **argv);
int command_run(int argc, char **argv);
int command_profile(int argc, char **argv);
int command_debug(int argc, char **argv);
int command_asm(int argc, char **argv);
int command_dis(int argc, char **argv);
int command_config(int argc, char **argv);
int command_noc(int argc, char **argv);
int command_plot(int argc, char **argv);
int command_waves(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_dram(int argc, char **argv);
int command_energy(int argc, char **argv);
int command_report(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_activity(int argc, char **argv);
int command_platform(int argc, char **argv);
int command_machine(int argc, char **argv);
int command_map(int argc, char **argv);
int command_matrix(int argc, char **argv);
int command_spacea(int argc, char **argv);
int command_study(int argc, char **argv);
int command_job(int argc, char **argv);
int command_man(int argc, char **argv);
int command_completion(int argc, char **argv);
int command_needs(int argc, char **argv);
int command_structure(int argc, char **argv);

// The file of the store: as it is given, or build/study.db.
void study_store(const char *given, char *to, size_t bytes);
// The page of a study, of what the store (NULL: build/study.db) has.
int study_report(const char *study, const char *store_file, const char *page);

// The library with the verilated blocks of a machine of nodes. NULL: there is no such machine.
const char *machine_library(const char *name, char *to, size_t bytes);
// All machines, up to a NULL.
const struct machine_ops *const *machines_known(void);
// A machine of nodes has failed, or its models differ.
enum { EXIT_MACHINE = 3 };

#endif

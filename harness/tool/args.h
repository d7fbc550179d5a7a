// SPDX-License-Identifier: Apache-2.0
// Command lines. What options a command has is in one table (commands.c): from it come parsing,
// --help, the man page, the completion of shells, and what the launcher has to build for a command
// line (mpu-tool needs).
#ifndef NEARBANK_ARGS_H
#define NEARBANK_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "harness/base/config/config.h"

typedef enum option_kind {
  OPTION_FLAG,   // without a value
  OPTION_ANY,    // a value, also an empty one
  OPTION_TEXT,   // a value
  OPTION_FILE,   // the name of a file
  OPTION_COUNT,  // a number from 1 on
  OPTION_WORD,   // one of `words`
  OPTION_JOINED  // the value is in the same word: -O2
} option_kind;

typedef struct option_info {
  const char *name;   // "--near"; with another spelling "-q, --quiet", the last one is the name.
                      // NULL with a doc: a heading; NULL without: the end of a table
  const char *value;  // its value in texts: "FILE"
  option_kind kind;
  const char *words;  // "c rtl lockstep"
  const char *doc;    // broken into lines as wide as it takes, and at each \n
} option_info;

enum { ARGS_GROUPS = 6 };
typedef struct command_info {
  const char *name, *what;             // what: in lists of commands
  const char *usage, *about, *ending;  // of --help: lines; what it does; exit status
  const option_info *groups[ARGS_GROUPS];
  bool program;  // what is behind -- belongs to a program that it starts
  bool script;   // parses its options by itself; the table is for texts
} command_info;

extern const command_info commands[];                 // ends with a NULL name
const command_info *command_named(const char *name);  // NULL: there is none

// ---- parsing

typedef struct args {
  const command_info *command;
  int argc, n;
  char **argv;
  bool quiet;                // no messages
  const char *name, *value;  // of the option that was met; an operand: only the value
  const char *word;          // the word that it is in
  char **rest;               // behind --
  int rest_count;
} args;

// argv[0] is the name of the command.
args args_of(int argc, char **argv);
// Prints the help of the command when it is asked for: then true, and nothing else is to be done.
bool args_help(const args *a);
typedef enum args_item { ARGS_END, ARGS_OPTION, ARGS_OPERAND, ARGS_WRONG } args_item;
// The next one; ARGS_WRONG: a message was given.
args_item args_next(args *a);
bool args_is(const args *a, const char *name);  // the option that was met

// ---- the machine: --config and --set, which all commands with a machine have

enum { MACHINE_SETS = 256 };
typedef struct machine_args {
  const char *config;  // NULL: the command's own
  const char *sets[MACHINE_SETS];
  size_t n;
} machine_args;

extern const option_info machine_options[];
// Takes the option when it is one of these: 1, 0: it is not, 2: too many (a message was given).
int machine_take(machine_args *m, const args *a);
// The configuration `standard` (NULL: that of --config must be given), or that of --config, with
// the values of --set in their order. 0 or EXIT_USAGE.
int machine_config_of(const machine_args *m, const char *standard, config *c);
// "small --set dram.page=closed", for reports.
void machine_name(const machine_args *m, const char *standard, char *to, size_t bytes);

// ---- texts

void help_print(const command_info *c, FILE *to);
void man_print(FILE *to);         // of all commands, as man(7) has it
void completion_print(FILE *to);  // for bash

#endif

// SPDX-License-Identifier: Apache-2.0
// The command line of nvcc, with the table nvcc_options.def.
#ifndef NEARBANK_SDK_OPTIONS_H
#define NEARBANK_SDK_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

#include "harness/cuda/driver/command.h"

typedef enum option_value { NONE, ONE, JOINED } option_value;
typedef enum option_done {
  ACCEPT,
  REFUSE,
  DO_COMPILE,
  DO_PREPROCESS,
  DO_M,
  DO_MD,
  DO_MF,
  DO_MT,
  DO_PTX,
  DO_HOST_TEXT,
  DO_CUBIN,
  DO_LIB,
  DO_LINK,
  DO_RUN,
  DO_SHARED,
  DO_OUT,
  DO_ODIR,
  DO_X,
  DO_CCBIN,
  DO_BOTH,
  DO_BOTH_APART,
  DO_STD,
  DO_LINKER_JOINED,
  DO_HOST_JOINED,
  DO_HOST_DEBUG,
  DO_HOST,
  DO_BOTH_WORD,
  DO_XCOMPILER,
  DO_XLINKER,
  DO_ARCH,
  DO_GENCODE,
  DO_REGISTERS,
  DO_FAST,
  DO_FTZ,
  DO_DIV,
  DO_SQRT,
  DO_FMAD,
  DO_MACHINE,
  DO_STREAM,
  DO_CUDART,
  DO_WERROR,
  DO_FORWARD,
  DO_FORWARD_LINK,
  DO_KEEP,
  DO_KEEP_DIR,
  DO_DRYRUN,
  DO_VERBOSE,
  DO_VERSION,
  DO_HELP,
  DO_FILE,
  DO_RDC,
  DO_DC,
  DO_DW,
  DO_DLINK,
  DO_NODLINK
} option_done;

typedef struct nvcc_option {
  const char *name, *longer;
  option_value value;
  option_done done;
  const char *text;
} nvcc_option;

// The option of a word of the command line, NULL: unknown. *value: what is in the same word, or
// NULL.
const nvcc_option *option_of(const char *word, const char **value);
void options_help(FILE *to);

// The words of a file or of a variable: blanks between them, quotes and backslashes as in a shell.
void words_of(const char *text, command *to);
// The parts of a list with commas between, quotes around what has some.
void parts_of(const char *text, command *to);

#endif

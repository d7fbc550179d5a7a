// SPDX-License-Identifier: Apache-2.0
// What the parts of nvcc share: a command line that was read (read.c), and what is done with it
// (nvcc.c, link.c, rdc.c); the other programs of the folder (tools.c).
#ifndef NEARBANK_NVCC_PRIV_H
#define NEARBANK_NVCC_PRIV_H

#include <stdbool.h>

#include "options.h"

enum { PATH = 4096, NVCC_INPUTS = 4096 };
enum { NVCC_MAJOR = 11, NVCC_MINOR = 8, NVCC_BUILD = 89 };

typedef enum nvcc_phase {
  LINK,
  OBJECTS,
  ARCHIVE,
  PREPROCESS,
  RULES,
  PTX,
  IMAGE,
  HOST_TEXT
} nvcc_phase;
// Sources, and words of the linker's command, which stay in their order.
typedef enum nvcc_language { BY_NAME, CUDA, C, CXX, PTX_TEXT, LINKER_WORD } nvcc_language;

typedef struct nvcc_input {
  char *name;
  nvcc_language language;
} nvcc_input;

typedef struct nvcc {
  char top[PATH], include[PATH + 16], libraries[PATH + 16], bitcode[PATH + 64];
  char temporary[PATH];  // folder, empty: none yet
  nvcc_phase phase;
  const char *out, *folder, *keep_folder, *std, *registers, *rules;  // rules: -M, -MM, -MD, -MMD
  const char *rules_file;
  char *host;  // compiler
  enum { STATIC, SHARED, NONE_AT_ALL } runtime;
  bool shared, run, keep, dryrun, verbose, forward, forward_link, help, version, rules_target;
  bool debug;
  bool rdc, dlink, nodlink;  // relocatable device code; its link alone; not at all
  command both, outer, device, targets, words;  // words: the command line
  nvcc_input *inputs;
  size_t count;
} nvcc;

// A line on stderr; returns 1.
int nvcc_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

int nvcc_read(nvcc *n, int argc, char **argv);  // 0, or 1 after a message
int nvcc_do(const nvcc *n, const command *c);   // prints and executes it, as -dryrun and -v say
int nvcc_link(nvcc *n, const command *objects);
// NAME with another ending, in a folder (NULL: none), into PATH bytes.
void nvcc_name_of(const char *folder, const char *name, const char *ending, char *to);
int nvcc_device_object(const nvcc *n, const char *ptx, const char *object);
int nvcc_device_image(const nvcc *n, const char *ptx, const char *object, const char *image);
void nvcc_print(const nvcc *n);  // -v: the variables that build systems read

// ---- relocatable device code: rdc.c

enum { NVCC_ID = 17 };
// What no other object has in its names: 16 digits, of the source and the command.
void rdc_id(const nvcc *n, const char *source, char id[NVCC_ID]);
// Gives the id to the function that clang's object calls to register its kernels: clang makes its
// name of the source's alone, and two folders may have a file of one name.
int rdc_set_id(const nvcc *n, const char *object, const char *id);
// Links what the words of a linker's command have: to *object, a host object; as -dlink, -ptx and
// -cubin say. *object stays empty when there is nothing to link.
int rdc_link(nvcc *n, const command *words, char *object);

int nvlink_main(int argc, char **argv);
int tool_main(const char *tool, int argc, char **argv);  // ptxas, fatbinary, nvlink, cuobjdump
void tool_version(const char *tool);

#endif

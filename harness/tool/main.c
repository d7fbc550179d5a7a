// SPDX-License-Identifier: Apache-2.0
// The mpu tool. The launcher at the root builds it and passes everything but `test` on to it.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "harness/base/build_info.h"
#include "harness/base/out_file.h"
#include "tool.h"

// An even number of commands would be put into two columns.
// clang-format off
static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
} mains[] = {
    {"run", command_run},
    {"profile", command_profile},
    {"debug", command_debug},
    {"resume", command_resume},
    {"retire", command_retire},
    {"cc", command_cc},
    {"sdk", command_sdk},
    {"mpucc", mpucc_main},
    {"asm", command_asm},
    {"dis", command_dis},
    {"config", command_config},
    {"noc", command_noc},
    {"dram", command_dram},
    {"energy", command_energy},
    {"report", command_report},
    {"diff", command_diff},
    {"activity", command_activity},
    {"waves", command_waves},
    {"plot", command_plot},
    {"bench", command_bench},
    {"machine", command_machine},
    {"map", command_map},
    {"matrix", command_matrix},
    {"spacea", command_spacea},
    {"platform", command_platform},
    {"study", command_study},
    {"job", command_job},
    {"man", command_man},
    {"completion", command_completion},
    {"needs", command_needs},
    {"structure", command_structure},
};
// clang-format on

static void usage(FILE *f) {
  fputs(
      "usage: mpu COMMAND [options]\n\n"
      "nearbank: CUDA programs on the MPU, the SIMT processor next to the DRAM banks.\n\n"
      "commands:\n",
      f);
  for (const command_info *c = commands; c->name; c++)
    fprintf(f, "  %-10s  %s\n", c->name, c->what);
  fputs(
      "  help        this text; mpu COMMAND --help says more about one\n\n"
      "A first program: mpu run kernels/axpy\n",
      f);
}

static int version(void) {
  const build_info *b = &build_info_all;
  printf("nearbank %s\ncommit %s\ncompiler %s\nverilog %s\n", b->release, b->commit, b->compiler,
         b->verilog);
  return fflush(stdout) || ferror(stdout) ? user_error("cannot write the output") : EXIT_OK;
}

static int command(int argc, char **argv) {
  if (argc < 2 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
      strcmp(argv[1], "-h") == 0) {
    usage(stdout);
    return 0;
  }
  if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0)
    return version();
  for (size_t n = 0; n < sizeof mains / sizeof *mains; n++)
    if (strcmp(argv[1], mains[n].name) == 0)
      return mains[n].run(argc - 1, argv + 1);
  return user_error("unknown %s '%s'; mpu --help lists what there is",
                    argv[1][0] == '-' ? "option" : "command", argv[1]);
}

int main(int argc, char **argv) {
  out_standard();
  const int status = command(argc, argv);
  return out_printed() ? status : status ? status : cannot_write("-");
}

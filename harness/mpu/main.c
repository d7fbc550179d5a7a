// SPDX-License-Identifier: Apache-2.0
// The mpu tool. The launcher at the root builds it and passes everything but `test` on to it.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "tool.h"

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *text;
} commands[] = {
    {"run", command_run, "compile a CUDA program and run it, cycle by cycle"},
    {"profile", command_profile, "run it, and show which lines the cycles went to"},
    {"debug", command_debug, "run a CUDA program under a debugger: cycles, breakpoints, state"},
    {"resume", command_resume, "go on with a run that was killed, from its checkpoint"},
    {"retire", command_retire, "print or compare instruction traces (mpu run --retire)"},
    {"cc", command_cc, "compile a CUDA program (or PTX) and keep the result"},
    {"mpucc", mpucc_main, "the device compiler by itself: PTX to an MPU object"},
    {"asm", command_asm, "assemble an MPU assembly file to an object"},
    {"dis", command_dis, "disassemble an MPU object"},
    {"config", command_config, "print the configuration of the machine, or list the presets"},
    {"noc", command_noc, "synthetic traffic on the network: latency over load"},
    {"dram", command_dram, "traffic for one bank controller: rates, latencies, commands"},
    {"energy", command_energy, "energy and power of runs, by component, from their statistics"},
    {"activity", command_activity, "toggle counts of a wave file, as SAIF"},
    {"waves", command_waves, "open a wave file in GTKWave, with a view of it"},
    {"plot", command_plot, "draw a table as SVG"},
    {"bench", command_bench, "measure the speed of the machine and of the Verilog"},
};

static void usage(FILE *f) {
  fputs(
      "usage: mpu COMMAND [options]\n\n"
      "nearbank: CUDA programs on the MPU, the SIMT processor next to the DRAM banks.\n\n"
      "commands:\n",
      f);
  for (size_t n = 0; n < sizeof commands / sizeof *commands; n++)
    fprintf(f, "  %-8s  %s\n", commands[n].name, commands[n].text);
  fputs(
      "  test      build and run every test\n"
      "  formal    prove the properties of the Verilog\n"
      "  mutate    put faults into the Verilog, count those that the tests find\n"
      "  coverage  lines of the Verilog that the tests run through, bits that toggle\n"
      "  timing    longest path of each block of the Verilog\n"
      "  area      area of each block of the Verilog, and of the die\n"
      "  power     power of the logic of the die in a run, from its wave file\n"
      "  export    Verilog-2001, constraints, lists of files and memories for other flows\n"
      "  help      this text; mpu COMMAND --help says more about one\n\n"
      "A first program: mpu run kernels/axpy\n",
      f);
}

int tool_error(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("mpu: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return TOOL_USAGE;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    usage(stdout);
    return 0;
  }
  if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
      strcmp(argv[1], "-h") == 0) {
    usage(stdout);
    return 0;
  }
  for (size_t n = 0; n < sizeof commands / sizeof *commands; n++)
    if (strcmp(argv[1], commands[n].name) == 0)
      return commands[n].run(argc - 1, argv + 1);
  return tool_error("unknown %s '%s'; mpu --help lists what there is",
                    argv[1][0] == '-' ? "option" : "command", argv[1]);
}

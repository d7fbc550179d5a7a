// SPDX-License-Identifier: Apache-2.0
// mpu run, mpu debug and mpu cc.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../config/config.h"
#include "../runtime/window.h"
#include "start.h"
#include "tool.h"

enum { PATH = 4096, ARGS = 1024 };

static bool wants_help(int argc, char **argv) {
  for (int n = 1; n < argc && strcmp(argv[n], "--") != 0; n++)
    if (strcmp(argv[n], "--help") == 0 || strcmp(argv[n], "-h") == 0)
      return true;
  return false;
}

static void run_usage(void) {
  printf(
      "usage: mpu run [options] DIRECTORY|FILE.cu [-- ARGUMENTS]\n\n"
      "Compiles a CUDA program, runs it cycle by cycle, and reports.\n"
      "kernels/axpy means kernels/axpy/axpy.cu. ARGUMENTS go to the program; its own --help is\n"
      "mpu run kernels/axpy -- --help\n\n%s"
      "  --near=MODE            what the near side is made of: c (twins), rtl (Verilog), lockstep\n"
      "                         (both, compared in every cycle, and with the functional machine;\n"
      "                         the default), or none: the functional machine alone, untimed\n"
      "  --config NAME|FILE     the machine, see mpu config --list (small: one core; paper: 128)\n"
      "  --threads N            of the host, for many cores; the result is the same (1)\n"
      "  --rtl-core LIST        these cores alone are as --near says (rtl, when that is c), the\n"
      "                         others in C: 5, or 0,8-11\n"
      "  --blocks FILE          which core executes which block: numbers of cores, that of block "
      "0\n"
      "                         first; when they are used up they begin again\n"
      "  --max-cycles N         end a launch after N cycles\n"
      "  --stats FILE           write the report as JSON\n"
      "  --checkpoint FILE      after each launch, record what it left behind; after a kill,\n"
      "                         mpu resume FILE goes on from there\n"
      "  --wave FILE            signals of the near-bank dies and base dies (FST); mpu waves opens "
      "them\n"
      "  --wave-window A:B      from cycle A to before cycle B of the run; or A: or :B; SIGUSR1 "
      "turns\n"
      "                         them on and off\n"
      "  --wave-scope LIST      of these scopes: core5, core0.nbu1.opc, core*.smem (core0)\n"
      "  --wave-at EVENT        around the first of these: difference, cycle:N, pc:0x150, "
      "line:12,\n"
      "                         bank:ACT, barrier (docs/waves.md)\n"
      "  --wave-margin B:A      cycles before and after it (200:200)\n"
      "  --postmortem FILE      waves of the 1000 cycles before something goes wrong; none: there "
      "are\n"
      "                         none (mismatch.fst, fault.fst and so on, where there is Verilog)\n"
      "  --retire FILE          record each warp instruction that ends: mpu retire FILE shows "
      "them\n"
      "  --timeline FILE        write what each unit does as trace events, for ui.perfetto.dev "
      "and\n"
      "                         chrome://tracing\n"
      "  --timeline-window A:B  from cycle A to before cycle B of the run; or A: or :B (:100000)\n"
      "  --timeline-cores LIST  of these cores only: 5, or 0,8-11 (all)\n"
      "  --trace FILE           write a line for each retired warp instruction (--near=none)\n"
      "  --max-instructions N   end a launch after N warp instructions (--near=none)\n"
      "  -q, --quiet            no report, and no progress on a terminal\n"
      "  -h, --help             this text\n\n"
      "Exit status: the program's own (0 its check passed, 1 it failed), 1 when it does not\n"
      "compile, 2 wrong use, 3 a launch that does not fit the machine, a fault on it, or models\n"
      "that differ, 130 interrupted (SIGINT or SIGTERM; the report is written all the same).\n",
      compile_help);
}

static void debug_usage(void) {
  printf(
      "usage: mpu debug [options of mpu run] [-x FILE] DIRECTORY|FILE.cu [-- ARGUMENTS]\n\n"
      "Runs a program cycle by cycle as mpu run does, and stops at the beginning of each launch "
      "for\n"
      "commands: steps, breakpoints, registers, memory, queues, banks (docs/debugger.md; help "
      "lists\n"
      "them).\n\n"
      "  -x FILE                commands from FILE; at its end they come from the terminal, or "
      "the\n"
      "                         program goes on by itself when there is none\n"
      "  -h, --help             this text; mpu run --help has the other options (--checkpoint is\n"
      "                         none of them, --near=none neither)\n\n"
      "Without -x commands are read from the terminal, or from standard input when that is a pipe\n"
      "or a file; the program then finds its own empty. Commands that do not come from a terminal\n"
      "are printed before what they say.\n\n"
      "Exit status: as of mpu run; 130 also after quit, 2 also when a command of a file or pipe "
      "is\n"
      "wrong.\n");
}

// What looks on while a launch runs: each option is a setting of the program.
static const struct {
  const char *option, *variable;
  bool file;        // its value is a file that is written
  bool functional;  // also for the functional machine
} observers[] = {
    // clang-format off
    {"--wave", "MPU_WAVE", true, false},
    {"--wave-window", "MPU_WAVE_WINDOW", false, false},
    {"--wave-scope", "MPU_WAVE_SCOPE", false, false},
    {"--wave-at", "MPU_WAVE_AT", false, false},
    {"--wave-margin", "MPU_WAVE_MARGIN", false, false},
    {"--postmortem", "MPU_POSTMORTEM", false, false},
    {"--retire", "MPU_RETIRE", true, true},
    {"--timeline", "MPU_TIMELINE", true, false},
    {"--timeline-window", "MPU_TIMELINE_WINDOW", false, false},
    {"--timeline-cores", "MPU_TIMELINE_CORES", false, false},
    // clang-format on
    {NULL, NULL, false, false},
};
enum { OBSERVERS = sizeof observers / sizeof *observers };

typedef struct run_options {
  compile_options compile;
  const char *given, *stats, *trace, *limit, *near, *config, *cycles, *threads, *rtl_cores, *blocks,
      *checkpoint;
  const char *observed[OBSERVERS];  // values of these options
  bool quiet, debug;
  const char *commands;  // of the debugger
  char **rest;
  int rest_count;
} run_options;

bool is_count(const char *v) {
  char *end;
  errno = 0;
  const unsigned long long n = strtoull(v, &end, 10);
  return *v && *v != '-' && !*end && !errno && n;
}

// 0: it is none of these options, 1: taken, 2: without a value (a message was given).
static int parse_observer(run_options *r, int argc, char **argv, int *n) {
  for (size_t k = 0; observers[k].option; k++) {
    const char *v = option_value(observers[k].option, argc, argv, n);
    if (v && !*v)
      return tool_error("%s needs a value", observers[k].option);
    if (v)
      r->observed[k] = v;
    if (v)
      return 1;
  }
  return 0;
}

static int parse_run(int argc, char **argv, run_options *r) {
  for (int n = 1; n < argc; n++) {
    const char *v;
    if (strcmp(argv[n], "--") == 0) {
      r->rest = argv + n + 1;
      r->rest_count = argc - n - 1;
      break;
    }
    int taken = compile_option(&r->compile, argc, argv, &n);
    if (!taken)
      taken = parse_observer(r, argc, argv, &n);
    if (taken == 2)
      return TOOL_USAGE;
    if (taken)
      continue;
    if ((v = option_value("--stats", argc, argv, &n))) {
      r->stats = v;
      if (!*v)
        return tool_error("--stats needs a file");
    } else if ((v = option_value("--checkpoint", argc, argv, &n))) {
      r->checkpoint = v;
      if (!*v)
        return tool_error("--checkpoint needs a file");
    } else if ((v = option_value("--trace", argc, argv, &n))) {
      r->trace = v;
      if (!*v)
        return tool_error("--trace needs a file");
    } else if ((v = option_value("--max-instructions", argc, argv, &n))) {
      if (!is_count(v))
        return tool_error("--max-instructions takes a number from 1, not '%s'", v);
      r->limit = v;
    } else if ((v = option_value("--max-cycles", argc, argv, &n))) {
      if (!is_count(v))
        return tool_error("--max-cycles takes a number from 1, not '%s'", v);
      r->cycles = v;
    } else if ((v = option_value("--near", argc, argv, &n))) {
      if (strcmp(v, "c") && strcmp(v, "rtl") && strcmp(v, "lockstep") && strcmp(v, "none"))
        return tool_error("--near takes c, rtl, lockstep or none, not '%s'", v);
      r->near = v;
    } else if ((v = option_value("--threads", argc, argv, &n))) {
      if (!start_threads_ok(v))
        return TOOL_USAGE;
      r->threads = v;
    } else if ((v = option_value("--rtl-core", argc, argv, &n))) {
      r->rtl_cores = v;
    } else if ((v = option_value("--blocks", argc, argv, &n))) {
      r->blocks = v;
    } else if ((v = option_value("--config", argc, argv, &n))) {
      r->config = v;
    } else if (strcmp(argv[n], "-q") == 0 || strcmp(argv[n], "--quiet") == 0) {
      r->quiet = true;
    } else if (r->debug && strcmp(argv[n], "-x") == 0) {
      r->commands = n + 1 < argc ? argv[++n] : NULL;
      if (!r->commands)
        return tool_error("-x needs a file");
    } else if (argv[n][0] == '-') {
      return tool_error(
          "unknown option '%s'; see mpu run --help (what belongs to the program "
          "goes behind --)",
          argv[n]);
    } else if (r->given) {
      return tool_error("one program at a time; '%s' is a second (arguments go behind --)",
                        argv[n]);
    } else {
      r->given = argv[n];
    }
  }
  return r->given ? TOOL_OK : tool_error("which program? see mpu run --help");
}

int check_writable(const char *file) {
  FILE *f = file ? fopen(file, "a") : NULL;
  if (file && !f)
    return tool_error("cannot write '%s': %s", file, strerror(errno));
  if (f)
    fclose(f);
  return TOOL_OK;
}

int machine_of(const char *name, compile_options *o, char *flat) {
  char why[8192];
  config c;
  if (!config_load(&c, name ? name : "small", why, sizeof why))
    return tool_error("%s", why);
  const bool base = c.core.compute == CONFIG_COMPUTE_BASE_DIE;
  const isa_dies dies = base                                 ? ISA_DIES_BASE
                        : c.shared.place == CONFIG_PLACE_FAR ? ISA_DIES_FAR_SHARED
                                                             : ISA_DIES_HYBRID;
  if (o->mpucc.dies != ISA_DIES_HYBRID && o->mpucc.dies != dies)
    return tool_error("--dies=%s does not fit %s, which is --dies=%s",
                      isa_dies_names[o->mpucc.dies], name ? name : "small", isa_dies_names[dies]);
  o->mpucc.dies = dies;
  static const mir_policy policies[] = {
      [CONFIG_LOCATION_COMPILER] = MIR_LOCATE_PAPER,
      [CONFIG_LOCATION_HARDWARE] = MIR_LOCATE_NONE,
      [CONFIG_LOCATION_NEAR] = MIR_LOCATE_NEAR,
      [CONFIG_LOCATION_FAR] = MIR_LOCATE_FAR,
  };
  const mir_policy asked = o->mpucc.locate, policy = policies[c.core.location];
  if (c.core.location != CONFIG_LOCATION_COMPILER) {
    if (asked != MIR_LOCATE_PAPER && asked != policy)
      return tool_error("--locate does not fit the core.location of %s; leave one of them out",
                        name);
    o->mpucc.locate = policy;
  }
  config_write_flat(&c, flat, CONFIG_FLAT);
  return TOOL_OK;
}

static const char *setting_of(const run_options *r, const char *variable) {
  for (size_t n = 0; observers[n].option; n++)
    if (strcmp(observers[n].variable, variable) == 0)
      return r->observed[n];
  return NULL;
}

// A word as a shell takes it.
static void put_word(FILE *f, const char *word) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./%@";
  if (*word && strspn(word, plain) == strlen(word)) {
    fprintf(f, " %s", word);
    return;
  }
  fputs(" '", f);
  for (; *word; word++)
    fputs(*word == '\'' ? "'\\''" : (char[]){*word, 0}, f);
  fputc('\'', f);
}

// The command, for messages that say how to do it again.
static char *command_text(int argc, char **argv) {
  char *text = NULL;
  size_t bytes;
  FILE *f = open_memstream(&text, &bytes);
  if (!f)
    abort();
  fputs("mpu run", f);
  for (int n = 1; n < argc; n++)
    put_word(f, argv[n]);
  fclose(f);
  return text;
}

static int check_timeline(const run_options *r) {
  const char *window = setting_of(r, "MPU_TIMELINE_WINDOW");
  uint64_t from, until;
  if (!setting_of(r, "MPU_TIMELINE") && (window || setting_of(r, "MPU_TIMELINE_CORES")))
    return tool_error("--timeline-window and --timeline-cores need --timeline FILE");
  if (window && !window_parse(window, &from, &until))
    return tool_error("--timeline-window takes %s, not '%s'", window_forms, window);
  return TOOL_OK;
}

// The debugger has a file of its own for waves.
static int check_waves(const run_options *r) {
  const char *window = setting_of(r, "MPU_WAVE_WINDOW"), *at = setting_of(r, "MPU_WAVE_AT");
  const char *margin = setting_of(r, "MPU_WAVE_MARGIN"), *scope = setting_of(r, "MPU_WAVE_SCOPE");
  uint64_t a, b;
  if (!setting_of(r, "MPU_WAVE") && (window || at || (scope && !r->debug)))
    return tool_error("--wave-window, --wave-at and --wave-scope need --wave FILE.fst");
  if (window && !window_parse(window, &a, &b))
    return tool_error("--wave-window takes %s, not '%s'", window_forms, window);
  if (window && at)
    return tool_error("--wave-at and --wave-window do not go together");
  if (margin && !at)
    return tool_error("--wave-margin is for --wave-at");
  if (margin && !window_pair(margin, &a, &b))
    return tool_error("--wave-margin takes cycles BEFORE:AFTER, not '%s'", margin);
  return TOOL_OK;
}

static int check_debug(const run_options *r) {
  if (strcmp(r->near, "none") == 0)
    return tool_error("mpu debug is for the cycle-by-cycle machine: --near=c, rtl or lockstep");
  if (r->checkpoint)
    return tool_error("mpu debug writes no checkpoints: leave --checkpoint out");
  FILE *f = r->commands ? fopen(r->commands, "r") : NULL;
  if (r->commands && !f)
    return tool_error("cannot read '%s': %s", r->commands, strerror(errno));
  if (f)
    fclose(f);
  return TOOL_OK;
}

// Where the debugger reads commands, or goes on to read them. A pipe that they come from is not the
// program's any more. To be called once.
static const char *commands_from(const run_options *r) {
  static char number[16];
  if (isatty(STDIN_FILENO))
    return "tty";
  const int from = r->commands ? -1 : dup(STDIN_FILENO), nothing = open("/dev/null", O_RDONLY);
  if (from >= 0 && nothing >= 0)
    dup2(nothing, STDIN_FILENO);
  if (nothing >= 0)
    close(nothing);
  snprintf(number, sizeof number, "%d", from);
  return from < 0 ? "none" : number;
}

static int run(int argc, char **argv, bool debug) {
  run_options r = {.compile = compile_options_default(), .debug = debug};
  char source[PATH], program[PATH], flat[CONFIG_FLAT];
  if (wants_help(argc, argv)) {
    (debug ? debug_usage : run_usage)();
    return 0;
  }
  int status = parse_run(argc, argv, &r);
  if (!r.near)
    r.near = getenv("MPU_NEAR") && *getenv("MPU_NEAR") ? getenv("MPU_NEAR") : "lockstep";
  const bool timed = strcmp(r.near, "none") != 0;
  if (!status && debug)
    status = check_debug(&r);
  if (!status && timed && (r.trace || r.limit))
    status =
        tool_error("--trace and --max-instructions are for the functional machine: --near=none");
  if (!status && !timed &&
      (r.config || r.cycles || r.threads || r.rtl_cores || r.blocks || r.checkpoint))
    status = tool_error(
        "--config, --max-cycles, --threads, --rtl-core, --blocks and --checkpoint are not for the "
        "functional machine");
  for (size_t n = 0; !status && !timed && observers[n].option; n++)
    if (r.observed[n] && !observers[n].functional)
      status = tool_error("%s is not for the functional machine", observers[n].option);
  if (!status && timed)
    status = machine_of(r.config, &r.compile, flat);
  if (!status)
    status = find_source(r.given, source, sizeof source);
  if (!status)
    status = check_writable(r.stats);
  if (!status)
    status = check_writable(r.trace);
  if (!status)
    status = check_timeline(&r);
  if (!status)
    status = check_waves(&r);
  for (size_t n = 0; !status && observers[n].option; n++)
    status = check_writable(observers[n].file ? r.observed[n] : NULL);
  if (!status && r.checkpoint)
    status = start_checkpoint_free(r.checkpoint);
  if (!status)
    status = compile_cached(source, &r.compile, program, sizeof program);
  if (status)
    return status;
  char *name = strrchr(source, '/') ? strrchr(source, '/') + 1 : source;
  char shown[256];
  snprintf(shown, sizeof shown, "%.*s", (int)(strlen(name) - 3), name);
  start s = {.program = program, .arguments = r.rest, .count = (size_t)r.rest_count};
  start_set(&s, "MPU_PROGRAM", shown);
  start_set(&s, "MPU_STATS", r.stats);
  start_set(&s, "MPU_TRACE", r.trace);
  start_set(&s, "MPU_MAX_INSTRUCTIONS", r.limit);
  start_set(&s, "MPU_NEAR", r.near);
  start_set(&s, "MPU_CONFIG", timed ? flat : NULL);
  start_set(&s, "MPU_MAX_CYCLES", r.cycles);
  start_set(&s, "MPU_THREADS", r.threads);
  start_set(&s, "MPU_RTL_CORES", r.rtl_cores);
  start_set(&s, "MPU_BLOCKS", r.blocks);
  start_set(&s, "MPU_FAULT_STATUS", timed ? "3" : NULL);
  start_set(&s, "MPU_REPORT", r.quiet ? NULL : "1");
  start_set(&s, "MPU_PROGRESS", r.quiet || debug ? NULL : "1");
  start_set(&s, "MPU_DEBUG", debug ? commands_from(&r) : NULL);
  start_set(&s, "MPU_DEBUG_COMMANDS", r.commands);
  start_set(&s, "MPU_UNCHECKED", NULL);
  for (size_t n = 0; observers[n].option; n++)
    start_set(&s, observers[n].variable, r.observed[n]);
  if (!setting_of(&r, "MPU_POSTMORTEM"))  // it may be in the environment, for all runs
    start_set(&s, "MPU_POSTMORTEM", getenv("MPU_POSTMORTEM"));
  start_set(&s, "MPU_COMMAND", debug ? NULL : command_text(argc, argv));
  return start_program(&s, r.checkpoint, r.checkpoint != NULL);
}

int command_run(int argc, char **argv) {
  return run(argc, argv, false);
}
int command_debug(int argc, char **argv) {
  return run(argc, argv, true);
}

static void cc_usage(void) {
  printf(
      "usage: mpu cc [options] FILE.cu -o PROGRAM\n"
      "       mpu cc [options] FILE.ptx -o OBJECT\n\n"
      "Compiles a CUDA program, host and device; the program runs its kernels on the functional\n"
      "machine. Of PTX it makes an MPU object (an ELF file, see mpu dis).\n\n%s"
      "  -o FILE                the result\n"
      "  -h, --help             this text\n\n"
      "A program reads MPU_STATS, MPU_TRACE, MPU_REPORT=1 and MPU_MAX_INSTRUCTIONS from its\n"
      "environment (docs/cuda.md).\n",
      compile_help);
}

int command_cc(int argc, char **argv) {
  compile_options o = compile_options_default();
  const char *file = NULL, *out = NULL;
  char source[PATH];
  if (wants_help(argc, argv)) {
    cc_usage();
    return 0;
  }
  for (int n = 1; n < argc; n++) {
    int taken = compile_option(&o, argc, argv, &n);
    const char *v;
    if (taken == 2)
      return TOOL_USAGE;
    if (taken)
      continue;
    if ((v = option_value("-o", argc, argv, &n)))
      out = v;
    else if (argv[n][0] == '-')
      return tool_error("unknown option '%s'; see mpu cc --help", argv[n]);
    else if (file)
      return tool_error("one file at a time; '%s' is a second", argv[n]);
    else
      file = argv[n];
  }
  if (!file)
    return tool_error("which file? see mpu cc --help");
  if (!out || !*out)
    return tool_error("-o FILE is missing");
  size_t length = strlen(file);
  if (length > 4 && strcmp(file + length - 4, ".ptx") == 0)
    return compile_ptx(file, out, &o);
  int status = find_source(file, source, sizeof source);
  return status ? status : compile_program(source, out, &o);
}

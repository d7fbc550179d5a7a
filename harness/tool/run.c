// SPDX-License-Identifier: Apache-2.0
// mpu run, mpu debug and mpu cc.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "harness/base/out_file.h"
#include "harness/base/shell.h"
#include "harness/base/window.h"
#include "harness/inspect/interval/interval.h"
#include "harness/cuda/driver/start.h"
#include "harness/cuda/fit.h"
#include "csim/isa/turns.h"
#include "races.h"
#include "tool.h"

enum { PATH = 4096 };

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
    {"--timeline-tracks", "MPU_TIMELINE_TRACKS", false, false},
    {"--profile-out", "MPU_PROFILE", true, false},
    {"--interval", "MPU_INTERVAL", true, false},
    {"--interval-cycles", "MPU_INTERVAL_CYCLES", false, false},
    // clang-format on
    {NULL, NULL, false, false},
};
enum { OBSERVERS = sizeof observers / sizeof *observers };

typedef struct run_options {
  compile_options compile;
  machine_args machine;
  const char *given, *stats, *trace, *limit, *near, *cycles, *threads, *rtl_cores, *blocks, *place,
      *place_out, *place_report, *checkpoint, *device, *cards, *schedule, *bounds, *races,
      *races_out;
  const char *observed[OBSERVERS];  // values of these options
  bool quiet, count_bytes, debug, arrays;
  const char *commands;  // of the debugger
  char **rest;
  int rest_count;
} run_options;

// The options whose value is a text. False: it is none of them.
static bool take_text(run_options *r, const args *a) {
  const struct {
    const char *name, **to;
  } texts[] = {{"--stats", &r->stats},
               {"--checkpoint", &r->checkpoint},
               {"--trace", &r->trace},
               {"--max-instructions", &r->limit},
               {"--max-cycles", &r->cycles},
               {"--near", &r->near},
               {"--threads", &r->threads},
               {"--rtl-core", &r->rtl_cores},
               {"--blocks", &r->blocks},
               {"--place", &r->place},
               {"--place-out", &r->place_out},
               {"--place-report", &r->place_report},
               {"--device", &r->device},
               {"--cards", &r->cards},
               {"--schedule", &r->schedule},
               {"--bounds", &r->bounds},
               {"--races", &r->races},
               {"--races-out", &r->races_out},
               {"-x", &r->commands}};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    if (args_is(a, texts[k].name)) {
      *texts[k].to = a->value;
      return true;
    }
  for (size_t k = 0; observers[k].option; k++)
    if (args_is(a, observers[k].option)) {
      r->observed[k] = a->value;
      return true;
    }
  return false;
}

static int take_option(run_options *r, const args *a) {
  int taken = compile_option(&r->compile, a);
  if (!taken)
    taken = machine_take(&r->machine, a);
  if (taken)
    return taken == 2 ? EXIT_USAGE : EXIT_OK;
  if (args_is(a, "--quiet"))
    r->quiet = true;
  else if (args_is(a, "--count-bytes"))
    r->count_bytes = true;
  else if (args_is(a, "--arrays"))
    r->arrays = true;
  else if (take_text(r, a) && args_is(a, "--threads") && !start_threads_ok(a->value))
    return EXIT_USAGE;
  return EXIT_OK;
}

static int parse_run(args *a, run_options *r) {
  args_item item;
  while ((item = args_next(a)) != ARGS_END) {
    if (item == ARGS_WRONG || (item == ARGS_OPTION && take_option(r, a)))
      return EXIT_USAGE;
    if (item == ARGS_OPERAND && r->given)
      return user_error("one program at a time; '%s' is a second (arguments go after --)",
                        a->value);
    if (item == ARGS_OPERAND)
      r->given = a->value;
  }
  r->rest = a->rest, r->rest_count = a->rest_count;
  return r->given ? EXIT_OK : user_error("which program? see mpu %s --help", a->command->name);
}

// Once for each output of a command: two of them cannot have one file.
int check_writable(const char *file) {
  enum { OUTPUTS = 16 };
  static const char *others[OUTPUTS];
  static size_t n;
  if (!file || !strcmp(file, "-") || !strncmp(file, "/dev/", 5))
    return !file || out_can(file) ? EXIT_OK : cannot_write(file);
  for (size_t k = 0; k < n; k++)
    if (!strcmp(file, others[k]))
      return user_error("'%s' is named for two outputs", file);
  if (n < OUTPUTS)
    others[n++] = file;
  return out_can(file) ? EXIT_OK : cannot_write(file);
}

int check_output(const char *option, const char *file) {
  if (file && strcmp(file, "-") == 0)
    return user_error("%s writes a file, not standard output; a file of the name - is ./-", option);
  return check_writable(file);
}

int machine_of(const machine_args *m, compile_options *o, char *flat) {
  char name[256];
  config c;
  if (machine_config_of(m, "small", &c))
    return EXIT_USAGE;
  machine_name(m, "small", name, sizeof name);
  if (fit_options(&o->mpucc, &c, name))
    return EXIT_USAGE;
  config_write_flat(&c, flat, CONFIG_FLAT);
  return EXIT_OK;
}

static const char *setting_of(const run_options *r, const char *variable) {
  for (size_t n = 0; observers[n].option; n++)
    if (strcmp(observers[n].variable, variable) == 0)
      return r->observed[n];
  return NULL;
}

char *command_text(int argc, char **argv) {
  char *text = NULL;
  size_t bytes;
  FILE *f = open_memstream(&text, &bytes);
  if (!f)
    abort();
  fputs("mpu", f);
  for (int n = 0; n < argc; n++)
    shell_put_word(f, argv[n]);
  fclose(f);
  return text;
}

static int check_timeline(const run_options *r) {
  const char *window = setting_of(r, "MPU_TIMELINE_WINDOW");
  uint64_t from, until;
  if (!setting_of(r, "MPU_TIMELINE") &&
      (window || setting_of(r, "MPU_TIMELINE_CORES") || setting_of(r, "MPU_TIMELINE_TRACKS")))
    return user_error(
        "--timeline-window, --timeline-cores and --timeline-tracks need --timeline FILE");
  if (window && !window_parse(window, &from, &until))
    return user_error("--timeline-window takes %s, not '%s'", window_forms, window);
  return EXIT_OK;
}

static int check_interval(const run_options *r) {
  const char *cycles = setting_of(r, "MPU_INTERVAL_CYCLES");
  if (cycles && !setting_of(r, "MPU_INTERVAL"))
    return user_error("--interval-cycles needs --interval FILE");
  if (cycles && (!is_count(cycles) || strtoull(cycles, NULL, 10) < INTERVAL_LEAST))
    return user_error("--interval-cycles takes a number from %d, not '%s'", INTERVAL_LEAST, cycles);
  return EXIT_OK;
}

// The debugger has a file of its own for waves.
static int check_waves(const run_options *r) {
  const char *window = setting_of(r, "MPU_WAVE_WINDOW"), *at = setting_of(r, "MPU_WAVE_AT");
  const char *margin = setting_of(r, "MPU_WAVE_MARGIN"), *scope = setting_of(r, "MPU_WAVE_SCOPE");
  uint64_t a, b;
  if (!setting_of(r, "MPU_WAVE") && (window || at || (scope && !r->debug)))
    return user_error("--wave-window, --wave-at and --wave-scope need --wave FILE.fst");
  if (window && !window_parse(window, &a, &b))
    return user_error("--wave-window takes %s, not '%s'", window_forms, window);
  if (window && at)
    return user_error("--wave-at and --wave-window do not go together");
  if (margin && !at)
    return user_error("--wave-margin is for --wave-at");
  if (margin && !window_pair(margin, &a, &b))
    return user_error("--wave-margin takes cycles BEFORE:AFTER, not '%s'", margin);
  return EXIT_OK;
}

static int check_debug(const run_options *r) {
  if (strcmp(r->near, "none") == 0)
    return user_error("mpu debug is for the cycle-by-cycle machine: --near=c, rtl or lockstep");
  if (r->checkpoint)
    return user_error("mpu debug writes no checkpoints: leave --checkpoint out");
  FILE *f = r->commands ? fopen(r->commands, "r") : NULL;
  if (r->commands && !f)
    return user_error("cannot read '%s': %s", r->commands, strerror(errno));
  if (f)
    fclose(f);
  return EXIT_OK;
}

// Where the debugger reads commands, or goes on to read them. A pipe that they come from is not the
// program's any more. To be called once.
static const char *commands_from(const run_options *r) {
  static char number[16];
  if (isatty(STDIN_FILENO))
    return "tty";
  const bool closed = (fcntl(STDIN_FILENO, F_GETFL) & O_ACCMODE) == O_WRONLY;  // out_standard
  const int from = r->commands || closed ? -1 : dup(STDIN_FILENO),
            nothing = open("/dev/null", O_RDONLY);
  if (from >= 0 && nothing >= 0)
    dup2(nothing, STDIN_FILENO);
  if (nothing >= 0)
    close(nothing);
  snprintf(number, sizeof number, "%d", from);
  return from < 0 ? "none" : number;
}

// What one run writes or shows does not go with many.
static int check_races(const run_options *r) {
  const char *const others[] = {r->stats,     r->trace,      r->near,   r->schedule,
                                r->place_out, r->checkpoint, r->device, r->cards};
  bool other = r->debug || r->count_bytes || r->arrays;
  for (size_t n = 0; n < sizeof others / sizeof *others; n++)
    other |= others[n] && (others[n] != r->near || strcmp(r->near, "none") != 0);
  for (size_t n = 0; observers[n].option; n++)
    other |= r->observed[n] != NULL;
  if (!r->races)
    return r->races_out ? user_error("--races-out needs --races N") : EXIT_OK;
  if (other)
    return user_error(
        "--races runs the functional machine many times, in orders of its own: with it go "
        "--races-out, --bounds, --max-instructions and options of compilation only");
  if (strtoull(r->races, NULL, 10) > RACES_RUNS)
    return user_error("--races takes a number from 1 to %d, not '%s'", RACES_RUNS, r->races);
  return EXIT_OK;
}

static int check_schedule(const run_options *r, bool timed) {
  turns s;
  if (r->schedule && timed)
    return user_error("--schedule is for the functional machine: --near=none");
  if (r->schedule && !turns_parse(r->schedule, &s))
    return user_error("--schedule takes %s; not '%s'", turns_forms, r->schedule);
  if (r->bounds && strcmp(r->bounds, "page") == 0 && r->place && strcmp(r->place, "paper") != 0)
    return user_error(
        "--bounds=page is for arrays that lie as the machine places them: not with --place");
  return EXIT_OK;
}

static int run(int argc, char **argv, bool debug) {
  run_options r = {.compile = compile_options_default(), .debug = debug};
  char program[PATH], flat[CONFIG_FLAT];
  given_program given;
  args a = args_of(argc, argv);
  if (args_help(&a))
    return 0;
  int status = parse_run(&a, &r);
  if (!status)
    status = check_races(&r);
  if (r.races)
    r.near = "none";
  if (!r.near)
    r.near = getenv("MPU_NEAR") && *getenv("MPU_NEAR") ? getenv("MPU_NEAR") : "lockstep";
  const bool timed = strcmp(r.near, "none") != 0;
  if (!status && debug)
    status = check_debug(&r);
  if (!status)
    status = check_schedule(&r, timed);
  if (!status && timed && (r.trace || r.limit || r.count_bytes || r.place_out))
    status = user_error(
        "--trace, --max-instructions, --count-bytes and --place-out are for the functional "
        "machine: --near=none");
  if (!status && r.place_out && r.arrays)
    status = user_error("--place-out does not go with --arrays");
  if (!status && !timed &&
      (r.machine.config || r.machine.n || r.cycles || r.threads || r.rtl_cores || r.blocks ||
       r.place || r.checkpoint))
    status = user_error(
        "--config, --set, --max-cycles, --threads, --rtl-core, --blocks, --place and --checkpoint "
        "are not for the functional machine");
  if (r.cards && !r.device)
    r.device = "card";
  if (!status && !timed && r.device && strcmp(r.device, "card") == 0)
    status =
        user_error("--device card is for the cycle-by-cycle machine: --near=c, rtl or lockstep");
  for (size_t n = 0; !status && !timed && observers[n].option; n++)
    if (r.observed[n] && !observers[n].functional)
      status = user_error("%s is not for the functional machine", observers[n].option);
  if (!status && timed)
    status = machine_of(&r.machine, &r.compile, flat);
  if (!status)
    status = program_find(r.given, &r.compile, &given);
  if (!status)
    status = check_writable(r.stats);
  if (!status)
    status = check_writable(r.trace);
  if (!status)
    status = check_writable(r.place_out);
  if (!status)
    status = check_writable(r.place_report);
  if (!status)
    status = check_output("--races-out", r.races_out);
  if (!status)
    status = check_timeline(&r);
  if (!status)
    status = check_interval(&r);
  if (!status)
    status = check_waves(&r);
  for (size_t n = 0; !status && observers[n].option; n++)
    status = check_output(observers[n].option, observers[n].file ? r.observed[n] : NULL);
  if (!status)
    status = check_output("--checkpoint", r.checkpoint);
  if (!status && r.checkpoint)
    status = start_checkpoint_free(r.checkpoint);
  if (!status)
    status = program_make(&given, &r.compile, program, sizeof program);
  if (status)
    return status;
  start s = start_of(program, r.rest, (size_t)r.rest_count);
  start_set(&s, "MPU_PROGRAM", given.name);
  // also from a source: its libraries are compiled already
  start_set(&s, "MPU_COMPILE", *r.compile.given ? r.compile.given : NULL);
  start_set(&s, "MPU_STATS", r.stats);
  start_set(&s, "MPU_TRACE", r.trace);
  start_set(&s, "MPU_ARRAYS", r.arrays ? "1" : NULL);
  start_set(&s, "MPU_MAX_INSTRUCTIONS", r.limit);
  start_set(&s, "MPU_NEAR", r.near);
  start_set(&s, "MPU_SCHEDULE", r.schedule);
  start_set(&s, "MPU_BOUNDS", r.bounds);
  start_set(&s, "MPU_CONFIG", timed ? flat : NULL);
  start_set(&s, "MPU_MAX_CYCLES", r.cycles);
  start_set(&s, "MPU_THREADS", r.threads);
  start_set(&s, "MPU_RTL_CORES", r.rtl_cores);
  start_set(&s, "MPU_BLOCKS", r.blocks);
  start_set(&s, "MPU_PLACE", r.place);
  start_set(&s, "MPU_PLACE_OUT", r.place_out);
  start_set(&s, "MPU_PLACE_REPORT", r.place_report);
  start_set(&s, "MPU_DEVICE", r.device);
  start_set(&s, "MPU_CARDS", r.cards);
  start_set(&s, "MPU_FAULT_STATUS", timed ? "3" : NULL);
  start_set(&s, "MPU_COUNT_BYTES", r.count_bytes ? "1" : NULL);
  if (r.races)
    return races_command(&s, given.name, (unsigned)strtoul(r.races, NULL, 10), r.races_out);
  start_set(&s, "MPU_REPORT", r.quiet ? NULL : "1");
  start_set(&s, "MPU_PROGRESS", r.quiet || debug ? NULL : "1");
  start_set(&s, "MPU_DEBUG", debug ? commands_from(&r) : NULL);
  start_set(&s, "MPU_DEBUG_COMMANDS", r.commands);
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

int command_cc(int argc, char **argv) {
  compile_options o = compile_options_default();
  const char *file = NULL, *out = NULL;
  char source[PATH];
  args a = args_of(argc, argv);
  if (args_help(&a))
    return 0;
  for (args_item item; (item = args_next(&a)) != ARGS_END;) {
    if (item == ARGS_WRONG || (item == ARGS_OPTION && compile_option(&o, &a) == 2))
      return EXIT_USAGE;
    if (item == ARGS_OPTION && args_is(&a, "-o"))
      out = a.value;
    if (item == ARGS_OPERAND && file)
      return user_error("one file at a time; '%s' is a second", a.value);
    if (item == ARGS_OPERAND)
      file = a.value;
  }
  if (!file)
    return user_error("which file? see mpu cc --help");
  if (!out || !*out)
    return user_error("-o FILE is missing");
  size_t length = strlen(file);
  if (length > 4 && strcmp(file + length - 4, ".ptx") == 0)
    return compile_ptx(file, out, &o);
  int status = strcmp(out, "-") == 0 ? check_output("-o of a program", out)
                                     : find_source(file, source, sizeof source);
  return status ? status : compile_program(source, out, &o);
}

// SPDX-License-Identifier: Apache-2.0
// mpu profile: runs a program that writes down its profile (MPU_PROFILE), and shows it.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness/base/out_file.h"
#include "harness/base/config/config.h"
#include "harness/inspect/profile/profile_view.h"
#include "harness/cuda/driver/start.h"
#include "kernels/mpucc/image.h"
#include "tool.h"

enum { PATH = 4096, TOP = 5, MOST_TOP = 1000 };

typedef struct options {
  compile_options compile;
  machine_args machine;
  char machine_is[256];
  const char *given, *near, *cycles, *threads, *rtl_cores, *blocks, *place, *stats, *out;
  char html[PATH], json[PATH];  // "" none
  profile_by by;
  uint32_t top;
  bool quiet;
  char **rest;
  int rest_count;
} options;

static void parse_by(const char *v, profile_by *by) {
  static const char *const names[] = {"line", "ptx", "instruction"};
  for (int n = 0; n < 3; n++)
    if (strcmp(v, names[n]) == 0)
      *by = (profile_by)n;
}

static int parse_top(const char *v, uint32_t *top) {
  char *end;
  const unsigned long n = strtoul(v, &end, 10);
  if (*v < '0' || *v > '9' || *end || n > MOST_TOP)
    return user_error("--top takes a number from 0 to %d, not '%s'", MOST_TOP, v);
  *top = (uint32_t)n;
  return EXIT_OK;
}

static int parse_file(const char *option, const char *v, char *to) {
  if (snprintf(to, PATH, "%s", v) >= PATH)
    return user_error("the name of %s is too long", option);
  return EXIT_OK;
}

// The options whose value is a text.
static void take_text(options *r, const args *a) {
  const struct {
    const char *name, **to;
  } texts[] = {{"--rtl-core", &r->rtl_cores}, {"--blocks", &r->blocks},
               {"--place", &r->place},        {"--stats", &r->stats},
               {"--max-cycles", &r->cycles},  {"--threads", &r->threads},
               {"--near", &r->near},          {"-o", &r->out}};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    if (args_is(a, texts[k].name))
      *texts[k].to = a->value;
}

static int take_option(options *r, const args *a) {
  int taken = compile_option(&r->compile, a);
  if (!taken)
    taken = machine_take(&r->machine, a);
  if (taken)
    return taken == 2 ? EXIT_USAGE : EXIT_OK;
  if (args_is(a, "--by"))
    parse_by(a->value, &r->by);
  else if (args_is(a, "--top"))
    return parse_top(a->value, &r->top);
  else if (args_is(a, "--html"))
    return parse_file("--html", a->value, r->html);
  else if (args_is(a, "--json"))
    return parse_file("--json", a->value, r->json);
  else if (args_is(a, "--threads") && !start_threads_ok(a->value))
    return EXIT_USAGE;
  else if (args_is(a, "--quiet"))
    r->quiet = true;
  else
    take_text(r, a);
  return EXIT_OK;
}

static int parse(args *a, options *r) {
  for (args_item item; (item = args_next(a)) != ARGS_END;) {
    if (item == ARGS_WRONG || (item == ARGS_OPTION && take_option(r, a)))
      return EXIT_USAGE;
    if (item == ARGS_OPERAND && r->given)
      return user_error("one program at a time; '%s' is a second (arguments go after --)",
                        a->value);
    if (item == ARGS_OPERAND)
      r->given = a->value;
  }
  r->rest = a->rest, r->rest_count = a->rest_count;
  return r->given ? EXIT_OK : user_error("which program? see mpu profile --help");
}

// ---- the run

// Ctrl-C comes to the program too, which then ends and writes down what it has done.
static void go_on(int signal) {
  (void)signal;
}

// The program as a child that ends when this does. Its exit status, 128 + signal when it was
// killed.
static int run_child(const start *s) {
  const struct sigaction act = {.sa_handler = go_on, .sa_flags = SA_RESTART};
  int status;
  fflush(NULL);
  sigaction(SIGINT, &act, NULL);
  const pid_t parent = getpid(), child = fork();
  if (child < 0)
    return user_error("cannot start '%s': %s", s->program, strerror(errno));
  if (!child) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    _exit(getppid() == parent ? start_program(s, NULL, false) : EXIT_FAILED);
  }
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return EXIT_FAILED;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run_program(const options *r, const given_program *given, const char *program,
                       const char *flat, const char *data) {
  start s = start_of(program, r->rest, (size_t)r->rest_count);
  start_set(&s, "MPU_PROGRAM", given->name);
  start_set(&s, "MPU_COMPILE", *r->compile.given ? r->compile.given : NULL);
  start_set(&s, "MPU_PROFILE", data);
  start_set(&s, "MPU_NEAR", r->near);
  start_set(&s, "MPU_CONFIG", flat);
  start_set(&s, "MPU_STATS", r->stats);
  start_set(&s, "MPU_MAX_CYCLES", r->cycles);
  start_set(&s, "MPU_THREADS", r->threads);
  start_set(&s, "MPU_RTL_CORES", r->rtl_cores);
  start_set(&s, "MPU_BLOCKS", r->blocks);
  start_set(&s, "MPU_PLACE", r->place);
  start_set(&s, "MPU_FAULT_STATUS", "3");
  start_set(&s, "MPU_PROGRESS", r->quiet ? NULL : "1");
  return run_child(&s);
}

// ---- what it shows

typedef void report(FILE *f, const profile_run *r, uint32_t top);

static void put_json(FILE *f, const profile_run *r, uint32_t top) {
  (void)top;
  profile_json(f, r);
}

static int write_report(const char *file, report *put, const profile_run *r, uint32_t top) {
  if (!*file)
    return EXIT_OK;
  out_file *o = out_open(file);
  if (o)
    put(out_stream(o), r, top);
  return o && out_close(o) ? EXIT_OK : cannot_write(file);
}

static int show(const options *r, const profile_run *run) {
  if (!r->quiet)
    profile_text(stdout, run, r->by, r->top);
  const int html = write_report(r->html, profile_html, run, r->top);
  const int json = write_report(r->json, put_json, run, r->top);
  return html ? html : json;
}

// The files of -o.
static int name_files(options *r, const char *program) {
  struct stat s;
  char prefix[PATH - 8];
  if (!r->out)
    return EXIT_OK;
  const size_t n = strlen(r->out);
  const bool directory = r->out[n - 1] == '/' || (stat(r->out, &s) == 0 && S_ISDIR(s.st_mode));
  if (directory)
    mkdir(r->out, 0777);
  const int bytes =
      snprintf(prefix, sizeof prefix, "%s%s%s", r->out,
               directory && r->out[n - 1] != '/' ? "/" : "", directory ? program : "");
  if (bytes >= (int)sizeof prefix)
    return user_error("the name of -o is too long");
  if (!*r->html)
    snprintf(r->html, PATH, "%s.html", prefix);
  if (!*r->json)
    snprintf(r->json, PATH, "%s.json", prefix);
  return EXIT_OK;
}

// The PTX of the first CUDA file of a program that was compiled before, in memory; else the
// compiler has kept it. False after a message.
static bool find_ptx(const given_program *given, const char *program, char ptx[PATH]) {
  mpucc_image i;
  size_t bytes;
  snprintf(ptx, PATH, "%.*sdevice.ptx", (int)(strrchr(program, '/') + 1 - program), program);
  if (!given->compiled)
    return true;
  char *file = read_file(program, &bytes);
  if (!file)
    return false;
  const int fd = memfd_create("ptx", 0);
  snprintf(ptx, PATH, "/proc/self/fd/%d", fd);
  const bool ok = !mpucc_image_find(file, bytes, 0, &i) || write_file(ptx, i.ptx, i.ptx_bytes);
  free(file);
  return ok;
}

// Runs the program, then shows what it wrote down.
static int profile_program(const options *r, const given_program *given, const char *program,
                           const char *flat) {
  const char *name = given->name;
  char data[40], ptx[PATH], why[CONFIG_WHY];
  profile p;
  config machine;
  if (!config_read_flat(&machine, flat, why, sizeof why))
    return user_error("%s", why);
  const int fd = memfd_create("profile", 0);
  FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
  if (!f)
    return user_error("cannot make a file in memory: %s", strerror(errno));
  snprintf(data, sizeof data, "/proc/self/fd/%d", fd);
  if (!find_ptx(given, program, ptx))
    return EXIT_USAGE;
  const int status = run_program(r, given, program, flat, data);
  const bool ok = profile_read(&p, f);
  fclose(f);
  if (!(ok && p.n) && status != EXIT_USAGE)  // then the program said why
    user_error(
        ok ? "%s launched no kernel, so nothing was profiled" : "%s did not write its profile",
        name);
  if (!ok)
    return status ? status : EXIT_FAILED;
  const profile_run run = {.data = &p,
                           .program = name,
                           .source = given->file,
                           .ptx = r->compile.device ? r->compile.device : ptx,
                           .config = r->machine_is,
                           .near = r->near,
                           .bus_flits = machine.tsv.flits_per_cycle,
                           .arguments = r->rest,
                           .n_arguments = (size_t)r->rest_count};
  const int written = p.n ? show(r, &run) : EXIT_OK;
  profile_free(&p);
  return status ? status : written;
}

int command_profile(int argc, char **argv) {
  options r = {.compile = compile_options_default(), .near = "c", .top = TOP};
  char program[PATH], flat[CONFIG_FLAT];
  given_program given;
  args a = args_of(argc, argv);
  if (args_help(&a))
    return EXIT_OK;
  int status = parse(&a, &r);
  if (!status)
    status = machine_of(&r.machine, &r.compile, flat);
  machine_name(&r.machine, "small", r.machine_is, sizeof r.machine_is);
  if (!status)
    status = program_find(r.given, &r.compile, &given);
  if (!status)
    status = name_files(&r, given.name);
  if (!status)
    status = check_writable(r.stats);
  if (!status)
    status = check_writable(*r.html ? r.html : NULL);
  if (!status)
    status = check_writable(*r.json ? r.json : NULL);
  if (!status)
    status = program_make(&given, &r.compile, program, sizeof program);
  return status ? status : profile_program(&r, &given, program, flat);
}

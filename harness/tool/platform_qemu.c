// SPDX-License-Identifier: Apache-2.0
// mpu platform --qemu (docs/guest.md): three processes. This one starts the others, reads what they
// say, and ends them; a step that takes too long ends all. The card has one end of a socket, QEMU
// the other; memory and archives have no names. So nothing is left behind, however somebody dies.
//
//   this process --+-- card: machine, card, peer of ivshmem
//                  +-- QEMU: Linux, driver, program
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness/base/children.h"
#include "harness/machines/mpu/machine/build.h"
#include "harness/systemc/guest/initramfs.h"
#include "harness/systemc/ivshmem/peer.h"
#include "platform.h"

#define QEMU "qemu-system-x86_64"
#define EXAMPLE NEARBANK_BUILD "/axpy_guest"
enum { PATH = 4096, TEXT = 512, CONSOLE = 12, MEMORY_MB = 512, INTERRUPTED = 130 };
enum { CARD_BYTES = 64 << 20 };  // that card and guest share

typedef struct guest {
  const platform_options *o;
  const char *step;  // that is under way, for messages
  double began;      // when it was
  int failed;        // exit status, 0: nothing has failed
  // what is made
  char qemu[PATH], busybox[PATH], kernel[PATH], program[PATH], name[TEXT];  // for users
  char flat[CONFIG_FLAT];
  bool example;
  int archive;    // memfd
  int socket[2];  // the card's, QEMU's
  int signals;
  // who is under way
  child card, vm, job;
  lines of_card, of_job, console, said;
  // what they said
  char last[CONSOLE][LINE];  // lines of the guest's console
  uint32_t n_last;
  char linux_name[TEXT], address[TEXT], report[TEXT], answer[PATH];
  bool card_ready, up, has_card, pass, exited;
  int status;  // of the program in the guest
  uint64_t taken, raised;
} guest;

// ---- messages

static void done(guest *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The step has ended: a line with what came of it, and its seconds.
static void done(guest *g, const char *format, ...) {
  char text[TEXT];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  printf("%-11s %-64s %5.1f s\n", g->step, text, seconds_now() - g->began);
  fflush(stdout);
}

static void begin(guest *g, const char *step) {
  g->step = step;
  g->began = seconds_now();
}

static int fail(guest *g, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The first failure counts; what the guest's Linux said last may explain it.
static int fail(guest *g, int status, const char *format, ...) {
  char text[TEXT];
  va_list args;
  if (g->failed)
    return g->failed;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  user_error("%s", text);
  if (g->vm.pid && !g->exited && status != INTERRUPTED)
    for (uint32_t k = g->n_last > CONSOLE ? g->n_last - CONSOLE : 0; k < g->n_last; k++)
      fprintf(stderr, "  console: %s\n", g->last[k % CONSOLE]);
  return g->failed = status;
}

// ---- what is heard

static void hear_console(void *ctx, const char *line) {
  guest *g = ctx;
  snprintf(g->last[g->n_last++ % CONSOLE], LINE, "%s", line);
}

static void hear_job(void *ctx, const char *line) {
  snprintf(((guest *)ctx)->answer, PATH, "%s", line);
}

static void hear_card(void *ctx, const char *line) {
  guest *g = ctx;
  g->card_ready |= strcmp(line, "ready") == 0;
  if (sscanf(line, "interrupts %" SCNu64, &g->raised) == 1)
    return;
  if (strncmp(line, "report ", 7) == 0)
    snprintf(g->report, sizeof g->report, "%s", line + 7);
}

// Lines of init begin with a record separator; the others are the program's.
static void hear_guest(void *ctx, const char *line) {
  guest *g = ctx;
  if (*line != '\036') {
    printf("  | %s\n", line);
    fflush(stdout);
    g->pass |= strstr(line, "PASS") != NULL;
    return;
  }
  line++;
  if (sscanf(line, "up %511s", g->linux_name) == 1)
    g->up = true;
  else if (sscanf(line, "exit %d %" SCNu64, &g->status, &g->taken) == 2)
    g->exited = true;
  else if (strncmp(line, "failed ", 7) == 0)
    fail(g, EXIT_FAILED, "the guest: %s", line + 7);
  else
    g->has_card |= sscanf(line, "card %511s", g->address) == 1;
}

// Takes what they say next. False: the step has failed, with a message.
static bool hear(guest *g) {
  static void (*const take[])(void *, const char *) = {hear_card, hear_job, hear_console,
                                                       hear_guest};
  lines *const from[] = {&g->of_card, &g->of_job, &g->console, &g->said};
  enum { N = sizeof from / sizeof *from };
  struct pollfd fds[N + 1] = {[N] = {.fd = g->signals, .events = POLLIN}};
  const double left = g->began + g->o->seconds - seconds_now();
  if (g->failed)
    return false;
  if (left <= 0)
    return fail(g, EXIT_FAILED, "%s: not done after %g s (--time-out); everything was stopped",
                g->step, g->o->seconds),
           false;
  for (size_t k = 0; k < N; k++)
    fds[k] = (struct pollfd){.fd = from[k]->fd, .events = POLLIN};
  if (poll(fds, N + 1, left < 1 ? (int)(left * 1000) + 1 : 1000) <= 0)
    return true;
  if (fds[N].revents)
    return fail(g, INTERRUPTED, "%s: interrupted; everything was stopped", g->step), false;
  for (size_t k = 0; k < N; k++)
    if (fds[k].fd >= 0 && fds[k].revents)
      lines_read(from[k], take[k], g);
  return !g->failed;
}

// Whose output has ended is about to end.
static const char *end_of(child *c, char *to, size_t bytes) {
  for (const double until = seconds_now() + 2; !child_ended(c) && seconds_now() < until;)
    poll(NULL, 0, 5);
  if (!c->ended)
    child_kill(c);
  return child_end(c, to, bytes);
}

// One of card and QEMU has ended too early, and the other may have followed: a card ends by itself
// when its guest is gone.
static bool too_early(guest *g) {
  char how[TEXT];
  if (g->of_card.fd < 0)
    end_of(&g->card, how, sizeof how);
  if (g->of_card.fd < 0 && (!g->vm.pid || WIFSIGNALED(g->card.status)))
    fail(g, EXIT_FAILED, "%s: the card %s%s", g->step, how, g->vm.pid ? "; QEMU was stopped" : "");
  else
    fail(g, EXIT_FAILED, "%s: QEMU %s before the guest had powered off", g->step,
         end_of(&g->vm, how, sizeof how));
  return false;
}

// Until *flag, while both card and QEMU are there.
static bool hear_until(guest *g, const bool *flag) {
  while (!*flag) {
    if (g->of_card.fd < 0 || (g->vm.pid && g->console.fd < 0))
      return too_early(g);
    if (!hear(g))
      return false;
  }
  return true;
}

// ---- children

static void keep_open(int fd) {
  fcntl(fd, F_SETFD, 0);
}

static bool pipe_from(guest *g, lines *l, int *to) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return fail(g, EXIT_FAILED, "no pipe: %s", strerror(errno)), false;
  *l = (lines){.fd = ends[0]};
  *to = ends[1];
  return true;
}

// Does a step in a process of its own, so that it can be stopped; its last line is the answer.
static bool do_job(guest *g, int (*work)(guest *g)) {
  int to;
  if (!pipe_from(g, &g->of_job, &to))
    return false;
  if (child_fork(&g->job)) {
    dup2(to, STDOUT_FILENO);
    const int status = work(g);
    fflush(NULL);
    _exit(status);
  }
  close(to);
  while (g->of_job.fd >= 0)
    if (!hear(g))
      return false;
  char how[TEXT];
  end_of(&g->job, how, sizeof how);
  if (!WIFEXITED(g->job.status))
    return fail(g, EXIT_FAILED, "%s: its process %s", g->step, how), false;
  g->failed = WEXITSTATUS(g->job.status);  // it has said why
  return !g->failed;
}

// ---- packages, kernel

static bool find_program(const char *name, char *to) {
  const char *path = getenv("PATH");
  for (path = path ? path : "/usr/bin:/bin"; *path; path += *path == ':') {
    const int n = (int)strcspn(path, ":");
    snprintf(to, PATH, "%.*s/%s", n, path, name);
    if (n && access(to, X_OK) == 0)
      return true;
    path += n;
  }
  return false;
}

static bool check_packages(guest *g) {
  begin(g, "packages");
  if (!find_program(QEMU, g->qemu))
    return fail(g, EXIT_USAGE, "%s is missing (Debian: qemu-system-x86)", QEMU), false;
  if (!find_program("busybox", g->busybox))
    return fail(g, EXIT_USAGE, "busybox is missing (Debian: busybox-static)"), false;
  done(g, "%s, %s", g->qemu, g->busybox);
  return true;
}

static int fetch_kernel(guest *g) {
  char script[PATH], folder[PATH];
  (void)g;
  snprintf(script, sizeof script, "%s/harness/systemc/guest/kernel.sh", compile_root());
  snprintf(folder, sizeof folder, "%s/build/guest", compile_root());
  const char *const argv[] = {"bash", script, folder, NULL};
  return run_command(argv, false);
}

static bool get_kernel(guest *g) {
  begin(g, "kernel");
  if (!do_job(g, fetch_kernel))
    return false;
  snprintf(g->kernel, sizeof g->kernel, "%s", g->answer);
  const char *name = strrchr(g->kernel, '/');
  done(g, "%.200s", name ? name + 1 : g->kernel);
  return true;
}

// ---- program

static bool is_executable(const char *file) {
  char magic[4] = "";
  struct stat s;
  const int f = open(file, O_RDONLY | O_CLOEXEC);
  const bool ok = f >= 0 && !fstat(f, &s) && S_ISREG(s.st_mode) && (s.st_mode & 0111) &&
                  read(f, magic, 4) == 4 && memcmp(magic, "\177ELF", 4) == 0;
  if (f >= 0)
    close(f);
  return ok;
}

static int compile(guest *g) {
  compile_options c = compile_options_default();
  char source[PATH], program[PATH];
  int status = machine_of(&g->o->machine, &c, g->flat);
  if (!status)
    status = find_source(g->o->given, source, sizeof source);
  if (!status)
    status = compile_cached(source, &c, program, sizeof program);
  if (!status)
    puts(program);
  return status;
}

// kernels/axpy/, axpy.cu: axpy
static void name_of(const char *given, char *name) {
  size_t n = strlen(given);
  while (n > 1 && given[n - 1] == '/')
    n--;
  n -= n > 3 && strncmp(given + n - 3, ".cu", 3) == 0 ? 3 : 0;
  size_t from = n;
  while (from && given[from - 1] != '/')
    from--;
  snprintf(name, TEXT, "%.*s", (int)(n - from), given + from);
}

static bool get_program(guest *g) {
  begin(g, "program");
  compile_options c = compile_options_default();
  if ((g->failed = machine_of(&g->o->machine, &c, g->flat)))
    return false;
  g->example = g->o->no_cuda;
  name_of(g->example ? EXAMPLE : g->o->given, g->name);
  if (g->example || is_executable(g->o->given)) {
    snprintf(g->program, sizeof g->program, "%s", g->example ? EXAMPLE : g->o->given);
    if (access(g->program, X_OK))
      return fail(g, EXIT_USAGE, "'%s' is missing: mpu platform builds it", g->program), false;
  } else if (do_job(g, compile)) {
    snprintf(g->program, sizeof g->program, "%s", g->answer);
  } else {
    return false;
  }
  done(g, "%.200s", g->name);
  return true;
}

// ---- the archive of the guest

static int object_of_example(guest *g, initramfs *i) {
  char file[PATH];
  size_t bytes;
  uint8_t *image = NULL;
  compile_options c = compile_options_default();
  snprintf(file, sizeof file, "%s/harness/systemc/guest/axpy.ptx", compile_root());
  char *text = read_file(file, &bytes);
  int status = text ? machine_of(&g->o->machine, &c, g->flat) : EXIT_USAGE;
  if (!status)
    status = mpucc_compile(text, bytes, file, &c.mpucc, &image, &i->data_bytes);
  i->data = image;
  return status;
}

static int write_archive(guest *g) {
  static const char *const modules[] = {"vfio_iommu_type1", "vfio-pci", NULL};
  char init[PATH], near[TEXT], config[CONFIG_FLAT + 16], name[TEXT], why[TEXT];
  const char *words[MACHINE_SETS] = {g->example ? "/data" : NULL};
  const char *const environment[] = {"MPU_DEVICE=vfio", near, config, name, NULL};
  initramfs i = {.kernel = g->kernel,
                 .busybox = g->busybox,
                 .init = init,
                 .modules = modules,
                 .program = g->program,
                 .arguments = words,
                 .environment = environment};
  snprintf(init, sizeof init, "%s/harness/systemc/guest/init", compile_root());
  snprintf(near, sizeof near, "MPU_NEAR=%s", g->o->near);
  snprintf(config, sizeof config, "MPU_CONFIG=%s", g->flat);
  snprintf(name, sizeof name, "MPU_PROGRAM=%.200s", g->name);
  for (int k = 0; k < g->o->count && k + 2 < MACHINE_SETS; k++)
    words[k + g->example] = g->o->arguments[k];
  int status = g->example ? object_of_example(g, &i) : EXIT_OK;
  FILE *f = fdopen(dup(g->archive), "wb");
  if (!status && !f)
    status = user_error("no memory for the guest's files");
  if (!status && !initramfs_write(&i, f, why, sizeof why))
    status = user_error("%s", why);
  if (f && fclose(f))
    status = user_error("no memory for the guest's files");
  return status;
}

static bool make_archive(guest *g) {
  struct stat s = {0};
  begin(g, "initramfs");
  if ((g->archive = memfd_create("nearbank-guest", MFD_CLOEXEC)) < 0)
    return fail(g, EXIT_FAILED, "no memory for the guest's files: %s", strerror(errno)), false;
  if (!do_job(g, write_archive) || fstat(g->archive, &s))
    return false;
  done(g, "%.1f MB", 1e-6 * (double)s.st_size);
  return true;
}

// ---- card

static int be_card(guest *g) {
  char why[8192];
  const machine_args *m = &g->o->machine;
  prctl(PR_SET_NAME, "mpu-card");
  card_machine *machine = card_machine_new(m->config ? m->config : "small", m->sets, m->n,
                                           g->o->near, 1, why, sizeof why);
  peer *p = machine ? peer_new(machine, CARD_BYTES, why, sizeof why) : NULL;
  if (!p)
    return user_error("%s", why);
  puts("ready");
  fflush(stdout);
  const peer_end end = peer_serve(p, g->socket[0], -1);
  const card_counts n = card_counted(peer_card(p));
  printf("interrupts %" PRIu64 "\nreport %" PRIu64 " commands, %" PRIu64 " doorbells, %" PRIu64
         " interrupts; %" PRIu64 " cycles of the machine\n",
         n.interrupts, n.commands, n.doorbells, n.interrupts,
         sim_cycles(card_machine_device(machine)->s));
  if (!end.greeted || end.contexts)
    user_error("the card: the guest is gone, and %" PRIu32 " context%s of the card %s on",
               end.contexts, end.contexts == 1 ? "" : "s", end.contexts == 1 ? "was" : "were");
  return end.greeted && !end.contexts ? EXIT_OK : EXIT_FAILED;
}

static bool start_card(guest *g) {
  int to;
  char name[TEXT];
  begin(g, "card");
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, g->socket))
    return fail(g, EXIT_FAILED, "no socket: %s", strerror(errno)), false;
  if (!pipe_from(g, &g->of_card, &to))
    return false;
  if (child_fork(&g->card)) {
    dup2(to, STDOUT_FILENO);
    close(g->socket[1]);
    const int status = be_card(g);
    fflush(NULL);
    _exit(status);
  }
  close(to);
  close(g->socket[0]);
  if (!hear_until(g, &g->card_ready))
    return false;
  machine_name(&g->o->machine, "small", name, sizeof name);
  done(g, "process %d: %.40s, near %s", (int)g->card.pid, name, g->o->near);
  return true;
}

// ---- guest

// no_timer_check: Linux takes a timer that is late for one that is broken, and on a host with much
// to do it is late.
static void be_qemu(guest *g, int console, int said) {
  char kernel[PATH], archive[64], chardev[64], out[64], memory[16];
  const char *name = strstr(g->kernel, "linux-image-");
  const int n = name ? (int)strcspn(name + 12, "_") : 0;
  snprintf(kernel, sizeof kernel, "%.3000s/boot/vmlinuz-%.*s", g->kernel, n, name ? name + 12 : "");
  snprintf(archive, sizeof archive, "/proc/self/fd/%d", g->archive);
  snprintf(chardev, sizeof chardev, "socket,id=card,fd=%d", g->socket[1]);
  snprintf(out, sizeof out, "file,id=said,path=/proc/self/fd/%d", said);
  snprintf(memory, sizeof memory, "%d", MEMORY_MB);
  const char *const argv[] = {
      g->qemu,
      "-nodefaults",
      "-no-user-config",
      "-no-reboot",
      "-display",
      "none",
      "-machine",
      "q35",
      "-accel",
      "tcg",
      "-m",
      memory,
      "-device",
      "intel-iommu,intremap=on",
      "-chardev",
      chardev,
      "-device",
      "ivshmem-doorbell,vectors=1,chardev=card",
      "-chardev",
      "stdio,id=console,signal=off",
      "-serial",
      "chardev:console",
      "-chardev",
      out,
      "-serial",
      "chardev:said",
      "-kernel",
      kernel,
      "-initrd",
      archive,
      "-append",
      "console=ttyS0 intel_iommu=on no_timer_check panic=-1 loglevel=4",
      NULL,
  };
  keep_open(g->archive);
  keep_open(g->socket[1]);
  keep_open(said);
  dup2(console, STDOUT_FILENO);
  dup2(console, STDERR_FILENO);
  execv(g->qemu, (char *const *)argv);
  fprintf(stderr, "cannot start '%s': %s\n", g->qemu, strerror(errno));
  _exit(127);
}

static bool start_guest(guest *g) {
  int console, said;
  begin(g, "qemu");
  if (!pipe_from(g, &g->console, &console) || !pipe_from(g, &g->said, &said))
    return false;
  if (child_fork(&g->vm))
    be_qemu(g, console, said);
  close(console);
  close(said);
  close(g->socket[1]);
  done(g, "process %d", (int)g->vm.pid);
  begin(g, "guest");
  if (!hear_until(g, &g->up))
    return false;
  done(g, "Linux %.200s is up", g->linux_name);
  return true;
}

static bool run_program(guest *g) {
  begin(g, "driver");
  if (!hear_until(g, &g->has_card))
    return false;
  if (strcmp(g->address, "none") == 0)
    return fail(g, EXIT_FAILED, "the guest has no card: there is no PCI device 1af4:1110"), false;
  done(g, "vfio-pci is loaded, the card is the device %.200s", g->address);
  begin(g, "in guest");
  if (!hear_until(g, &g->exited))
    return false;
  done(g, "the program ended with status %d", g->status);
  begin(g, "power off");
  while (g->console.fd >= 0 || g->said.fd >= 0 || g->of_card.fd >= 0)
    if (!hear(g))
      return false;
  char how[TEXT];
  end_of(&g->vm, how, sizeof how);
  if (g->vm.status)
    return fail(g, EXIT_FAILED, "QEMU %s", how), false;
  end_of(&g->card, how, sizeof how);
  if (g->card.status)
    return fail(g, EXIT_FAILED, "the card %s", how), false;
  done(g, "the guest and QEMU have ended, and the card with them");
  return true;
}

// ---- begin and end

// What has been begun ends. A card whose guest is gone says so before it ends.
static void stop(guest *g) {
  child_kill(&g->job);
  child_kill(&g->vm);
  for (const double until = seconds_now() + 5;
       g->card.pid && g->vm.pid && !child_ended(&g->card) && seconds_now() < until;)
    poll(NULL, 0, 5);
  child_kill(&g->card);
}

static int verdict(guest *g) {
  printf("%-11s %s\n%-11s %" PRIu64 " raised by the card, %" PRIu64 " taken by the guest\n", "card",
         g->report, "interrupts", g->raised, g->taken);
  if (g->status)
    return fail(g, EXIT_FAILED, "the program in the guest ended with status %d", g->status);
  if (!g->pass)
    return fail(g, EXIT_FAILED, "the program in the guest did not say PASS");
  if (!g->taken)
    return fail(g, EXIT_FAILED, "the guest took no interrupt");
  puts("PASS");
  return EXIT_OK;
}

int platform_qemu(const platform_options *o) {
  guest *g = calloc(1, sizeof *g);
  sigset_t ends;
  if (!g)
    return user_error("out of host memory");
  *g = (guest){.o = o, .archive = -1, .of_card.fd = -1, .of_job.fd = -1, .console.fd = -1};
  g->said.fd = -1;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGHUP);
  sigprocmask(SIG_BLOCK, &ends, NULL);
  g->signals = signalfd(-1, &ends, SFD_CLOEXEC);
  const bool ok = check_packages(g) && get_kernel(g) && get_program(g) && make_archive(g) &&
                  start_card(g) && start_guest(g) && run_program(g);
  stop(g);
  const int status = ok ? verdict(g) : g->failed;
  free(g);
  return status;
}

// SPDX-License-Identifier: Apache-2.0
// mpu platform --listen: the card as a process of its own, for clients of ivshmem: a QEMU that a
// user has started, or a program (harness/systemc/driver/shm.h).
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "harness/machines/mpu/machine/build.h"
#include "harness/systemc/ivshmem/peer.h"
#include "platform.h"

enum { BYTES = 64 << 20 };

// The name of the socket, to be removed at the end of the process.
static char name[sizeof((struct sockaddr_un *)0)->sun_path];

static void end(int signal) {
  unlink(name);
  _exit(128 + signal);
}

static int listen_at(const char *socket_name) {
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  const size_t length = strlen(socket_name);
  if (length >= sizeof a.sun_path)
    return user_error("the name of a socket has 1 to %zu bytes", sizeof a.sun_path - 1), -1;
  memcpy(a.sun_path, socket_name, length);
  if (*socket_name == '@')
    a.sun_path[0] = 0;
  const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (s < 0 || bind(s, (void *)&a, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) ||
      listen(s, 8))
    return user_error("cannot listen at '%s': %s", socket_name, strerror(errno)), -1;
  memcpy(name, a.sun_path, sizeof name);
  return s;
}

static void serve(card_machine *m, peer *p, int listener) {
  for (;;) {
    const card_counts before = card_counted(peer_card(p));
    const uint64_t cycles = sim_cycles(card_machine_device(m)->s);
    const int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (client < 0)
      continue;
    const peer_end end = peer_serve(p, client, listener);
    close(client);
    const card_counts n = card_counted(peer_card(p));
    printf("a client: %" PRIu64 " commands, %" PRIu64 " doorbells, %" PRIu64 " interrupts; %" PRIu64
           " cycles of the machine\n",
           n.commands - before.commands, n.doorbells - before.doorbells,
           n.interrupts - before.interrupts, sim_cycles(card_machine_device(m)->s) - cycles);
    if (end.contexts)
      printf("  it went away with %" PRIu32 " context%s on\n", end.contexts,
             end.contexts == 1 ? "" : "s");
    fflush(stdout);
  }
}

int platform_listen(const platform_options *o, const char *socket_name) {
  char why[8192];
  const machine_args *m = &o->machine;
  card_machine *machine =
      card_machine_new(m->config ? m->config : "small", m->sets, m->n, o->near, 1, why, sizeof why);
  peer *p = machine ? peer_new(machine, BYTES, why, sizeof why) : NULL;
  if (!p)
    return user_error("%s", why);
  const int listener = listen_at(socket_name);
  if (listener < 0)
    return EXIT_USAGE;
  signal(SIGINT, end);
  signal(SIGTERM, end);
  signal(SIGHUP, end);
  printf("a card listens at %s\n", socket_name);
  fflush(stdout);
  serve(machine, p, listener);
  return EXIT_OK;
}

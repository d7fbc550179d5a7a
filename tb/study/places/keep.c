// SPDX-License-Identifier: Apache-2.0
// keep COMMAND...: executes it. It ends with this program, as does all that it has started, daemons
// and sessions of their own too, and this program with the one that has started it.
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness/study/pool/guard.h"

int main(int argc, char **argv) {
  const pid_t parent = getppid();
  child c;
  sigset_t ends;
  int signal = SIGCHLD;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ends, NULL);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (argc < 2 || getppid() != parent || !guard_start(&c, argv + 1, 0, 1, 2))
    return EXIT_FAILURE;
  while (!child_ended(&c) && signal != SIGTERM)
    if (sigwait(&ends, &signal))
      abort();
  guard_stop(&c);
  return WIFEXITED(c.status) ? WEXITSTATUS(c.status) : EXIT_FAILURE;
}

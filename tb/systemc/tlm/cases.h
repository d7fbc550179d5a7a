// SPDX-License-Identifier: Apache-2.0
// Cases of a test program, each in a process of its own: SystemC has one simulation in a process.
//
//   test_tlm_NAME [--only CASE]     CASE in this process, for a debugger
#ifndef NEARBANK_TB_TLM_CASES_H
#define NEARBANK_TB_TLM_CASES_H

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace cases {

inline unsigned failures = 0;
inline std::string context;  // of the checks that follow

inline bool check(bool ok, const char *what, const char *file, int line) {
  if (ok)
    return true;
  if (++failures < 20)
    std::fprintf(stderr, "%s:%d: %s%s%s\n", file, line, context.c_str(),
                 context.empty() ? "" : ": ", what);
  return false;
}

template <class A, class B>
bool equal(const A &a, const B &b, const char *what, const char *file, int line) {
  if (a == b)
    return true;
  if (++failures < 20)
    std::cerr << file << ':' << line << ": " << context << (context.empty() ? "" : ": ") << what
              << ": " << a << " and " << b << std::endl;
  return false;
}

#define CHECK(x) cases::check((x), #x, __FILE__, __LINE__)
#define EQUAL(a, b) cases::equal((a), (b), #a " == " #b, __FILE__, __LINE__)

// What processes leave for others.
template <class T>
T *shared(std::size_t n = 1) {
  void *p = mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    std::abort();
  return static_cast<T *>(p);
}

enum { seconds = 20 };  // that a case may take

// False: a check failed, or it did not come to its end.
inline bool apart(const std::function<void()> &f, const std::string &name) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(seconds);
    f();
    std::fflush(nullptr);
    _exit(failures != 0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    std::abort();
  if (WIFSIGNALED(status))
    std::fprintf(
        stderr, "%s: %s\n", name.c_str(),
        WTERMSIG(status) == SIGALRM ? "does not come to an end" : strsignal(WTERMSIG(status)));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct one {
  std::string name;
  std::function<void()> run;
};

inline int run(int argc, char **argv, const std::vector<one> &all) {
  const std::string only = argc == 3 && !std::strcmp(argv[1], "--only") ? argv[2] : "";
  unsigned bad = 0, done = 0;
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  for (const one &c : all) {
    if (!only.empty() && c.name != only)
      continue;
    done++;
    if (!only.empty()) {
      c.run();
      return failures != 0;
    }
    if (!apart(c.run, c.name)) {
      bad++;
      std::fprintf(stderr, "failed; to repeat it: %s --only '%s'\n", argv[0], c.name.c_str());
    }
  }
  if (!done)
    std::fprintf(stderr, "no case '%s'\n", only.c_str());
  std::printf("%u of %u cases passed\n", done - bad, done);
  return bad != 0 || !done;
}

}  // namespace cases

#endif

// SPDX-License-Identifier: Apache-2.0
// For a loop that waits for another thread: the host's hint that nothing else is to be done, which
// leaves the core to its other hardware thread. Where a host has none, only the compiler is kept
// from merging reads.
#ifndef NEARBANK_CPU_RELAX_H
#define NEARBANK_CPU_RELAX_H

static inline void cpu_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __asm__ volatile("pause" ::: "memory");
#elif defined(__aarch64__) || (defined(__arm__) && __ARM_ARCH >= 7)
  __asm__ volatile("yield" ::: "memory");
#elif defined(__riscv)
  __asm__ volatile(".insn i 0x0f, 0, x0, x0, 0x010" ::: "memory");  // pause of Zihintpause
#else
  __asm__ volatile("" ::: "memory");
#endif
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Preloaded into a process, shows it its processor as one without AVX-512 and
// AMX, which is most people's. No flag does: libraries of kernels, XLA:CPU's
// among them, ask the processor. `cpuid` is made to fault and answered here.
// Needs Linux and a processor with cpuid_fault (/proc/cpuinfo); ends the
// process elsewhere.
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <cpuid.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// Of leaf 7: F, DQ, IFMA, PF, ER, CD, BW, VL; VBMI, VBMI2, VNNI, BITALG,
// VPOPCNTDQ; 4VNNIW, 4FMAPS, VP2INTERSECT, FP16 and AMX's three.
static const uint32_t kEbx = 1u << 16 | 1u << 17 | 1u << 21 | 1u << 26 |
                             1u << 27 | 1u << 28 | 1u << 30 | 1u << 31;
static const uint32_t kEcx = 1u << 1 | 1u << 6 | 1u << 11 | 1u << 12 | 1u << 14;
static const uint32_t kEdx = 1u << 2 | 1u << 3 | 1u << 8 | 1u << 22 | 1u << 23 |
                             1u << 24 | 1u << 25;
typedef int SigactionFunction(int, const struct sigaction*, struct sigaction*);
static SigactionFunction* set_action;
// What the process would do about a fault that is none of ours.
static struct sigaction before;

static void SetFaults(int faults) {
  if (syscall(SYS_arch_prctl, ARCH_SET_CPUID, !faults) == 0) return;
  static const char kNo[] = "cpuid cannot be made to fault here\n";
  _exit(write(STDERR_FILENO, kNo, sizeof(kNo) - 1) < 0 ? 3 : 2);
}

static void Answer(greg_t* registers) {
  const uint32_t leaf = (uint32_t)registers[REG_RAX];
  const uint32_t subleaf = (uint32_t)registers[REG_RCX];
  uint32_t eax, ebx, ecx, edx;
  SetFaults(0);
  __cpuid_count(leaf, subleaf, eax, ebx, ecx, edx);
  SetFaults(1);
  if (leaf == 7 && subleaf == 0) {
    ebx &= ~kEbx;
    ecx &= ~kEcx;
    edx &= ~kEdx;
  } else if (leaf == 7) {
    // AVX-VNNI, BF16 and others that x86-64-v3 has not.
    eax = ebx = ecx = edx = 0;
  }
  registers[REG_RAX] = eax;
  registers[REG_RBX] = ebx;
  registers[REG_RCX] = ecx;
  registers[REG_RDX] = edx;
  registers[REG_RIP] += 2;
}

static void OnFault(int signal, siginfo_t* info, void* context) {
  greg_t* const registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  const uint8_t* const code = (const uint8_t*)registers[REG_RIP];
  // An access of memory has its address; a bad jump is one, too.
  if (info->si_code == SI_KERNEL && code[0] == 0x0f && code[1] == 0xa2) {
    Answer(registers);
  } else if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(signal, info, context);
  } else {
    set_action(signal, &before, NULL);
  }
}

// IREE's compiler has a handler of its own: it becomes the second one.
int sigaction(int signal, const struct sigaction* action,
              struct sigaction* old) {
  if (signal != SIGSEGV) return set_action(signal, action, old);
  if (old) *old = before;
  if (action) before = *action;
  return 0;
}

__attribute__((constructor)) static void Begin(void) {
  struct sigaction action = {0};
  action.sa_sigaction = &OnFault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  set_action = (SigactionFunction*)dlsym(RTLD_NEXT, "sigaction");
  set_action(SIGSEGV, &action, &before);
  SetFaults(1);
}

// SPDX-License-Identifier: Apache-2.0
#include "child.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <thread>

namespace iree_pjrt_fuzz {
namespace {

constexpr int kCrashed = 99;
constexpr rlim_t kMemory = rlim_t{8} << 30;
constexpr int kFrames = 48;
constexpr int kNamedFrames = 4;

// What the child reports, in memory that outlives it.
struct Board {
  std::atomic<uint64_t> number;
  std::atomic<uint64_t> accepted;
  char what[64];
  char where[512];
};

Board* board;

bool IsOfTheSystem(const char* library) {
  return std::strstr(library, "libc.so") ||
         std::strstr(library, "libpthread") ||
         std::strstr(library, "linux-vdso") || std::strstr(library, "ld-linux");
}

// This is not async-signal-safe to the letter, but the process ends anyway.
void Describe() {
  void* frames[kFrames];
  const int count = backtrace(frames, kFrames);
  size_t used = 0;
  int named = 0;
  // The first two are this function and the handler.
  for (int i = 2; i < count && named < kNamedFrames; ++i) {
    Dl_info info;
    if (!dladdr(frames[i], &info) || IsOfTheSystem(info.dli_fname)) continue;
    const char* slash = std::strrchr(info.dli_fname, '/');
    const int written = std::snprintf(
        board->where + used, sizeof(board->where) - used, "%s%s+0x%zx",
        used ? " " : "", slash ? slash + 1 : info.dli_fname,
        static_cast<size_t>(static_cast<char*>(frames[i]) -
                            static_cast<char*>(info.dli_fbase)));
    if (written < 0) return;
    used =
        std::min(used + static_cast<size_t>(written), sizeof(board->where) - 1);
    ++named;
  }
}

void OnSignal(int number) {
  std::snprintf(board->what, sizeof(board->what), "%s", strsignal(number));
  signal(number, SIG_DFL);
  Describe();
  _exit(kCrashed);
}

void HandleSignals() {
  // The handlers of a sanitizer are better.
  if (dlsym(RTLD_DEFAULT, "__asan_init")) return;
  static char stack[1 << 16];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof(stack);
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_handler = &OnSignal;
  action.sa_flags = SA_ONSTACK;
  for (int number : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP}) {
    sigaction(number, &action, nullptr);
  }
  // Limited, as a program may describe an array of any size.
  const rlimit memory{kMemory, kMemory};
  setrlimit(RLIMIT_AS, &memory);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

[[noreturn]] void Work(const Start& start, uint64_t first, uint64_t count) {
  HandleSignals();
  const auto feed = start();
  for (uint64_t number = first; number < first + count; ++number) {
    board->number = number;
    board->accepted += feed(number) ? 1 : 0;
  }
  board->number = first + count;
  _exit(0);
}

// Waits for the child, or ends it when one input takes too long.
Fate Await(pid_t child, double seconds_per_input, int* status) {
  using Clock = std::chrono::steady_clock;
  uint64_t seen = ~uint64_t{0};
  auto since = Clock::now();
  while (waitpid(child, status, WNOHANG) == 0) {
    const uint64_t number = board->number;
    const auto now = Clock::now();
    if (number != seen) {
      seen = number;
      since = now;
    } else if (now - since > std::chrono::duration<double>(seconds_per_input)) {
      kill(child, SIGKILL);
      waitpid(child, status, 0);
      return Fate::kHang;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  const bool fine = WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
  return fine ? Fate::kFine : Fate::kCrash;
}

}  // namespace

Batch RunBatch(const Start& start, uint64_t first, uint64_t count,
               double seconds_per_input) {
  if (!board) {
    void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
    board = new (memory) Board();
  }
  new (board) Board();
  board->number = first;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) Work(start, first, count);
  int status = 0;
  Batch batch;
  batch.fate = Await(child, seconds_per_input, &status);
  batch.number = board->number;
  batch.accepted = board->accepted;
  batch.what = board->what;
  batch.where = board->where;
  if (batch.fate == Fate::kCrash && batch.what.empty()) {
    batch.what = WIFSIGNALED(status)
                     ? strsignal(WTERMSIG(status))
                     : "exit code " + std::to_string(WEXITSTATUS(status));
  }
  return batch;
}

}  // namespace iree_pjrt_fuzz

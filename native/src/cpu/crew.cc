// SPDX-License-Identifier: Apache-2.0
#include "cpu/crew.h"

#include <algorithm>
#include <chrono>

#include "base/host_allocator.h"
#include "iree/base/internal/fpu_state.h"
#include "iree/base/threading/thread.h"

namespace iree_pjrt {
namespace {

using Clock = std::chrono::steady_clock;

// Work must take so long to be worth a helper: waking one takes some
// microseconds of this thread, and 20 to 50 until it works.
constexpr double kShareFrom = 30e3;      // ns
constexpr double kForEachHelper = 15e3;  // ns
// Parts are taken some at a time: so many that taking them costs nothing.
constexpr double kChunk = 3e3;  // ns
// And so few that all finish together.
constexpr uint64_t kChunksEach = 4;
// How long a helper looks for more work before it sleeps: bridges the gaps
// between the dispatches of one program.
constexpr iree_duration_t kHelperSpin = 50'000;  // ns

// As large as the stacks of other threads; only what is touched takes memory.
// IREE's default of 32 KiB is as large as the arrays that its compiler puts on
// the stack.
constexpr size_t kStack = 8 << 20;  // bytes

// As IREE's executors: whoever asks for more, asks by mistake.
constexpr size_t kMostThreads = 256;

constexpr uint32_t kFree = 0;
constexpr uint32_t kTaken = 1U << 31;
constexpr uint32_t kOpen = 1U << 30;
constexpr uint32_t kHelpers = kOpen - 1;

// Tells the processor that this thread waits in a loop.
void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

double NanosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// How long each part takes of those that `work` says it has done; 0 if it has
// done none.
template <typename Work>
float NanosecondsEach(const Work& work) {
  const auto start = Clock::now();
  const uint64_t done = work();
  return done == 0 ? 0
                   : static_cast<float>(NanosecondsSince(start) /
                                        static_cast<double>(done));
}

}  // namespace

Crew& Crew::Get() {
  // Never destroyed: helpers use it until the process ends.
  static Crew& crew = *new Crew();
  return crew;
}

Crew::Crew() {
  iree_notification_initialize(&opened_);
  for (Slot& slot : slots_) iree_notification_initialize(&slot.left);
}

void Crew::set_threads(size_t threads) {
  threads_.store(std::clamp<size_t>(threads, 1, kMostThreads));
}

void Crew::Run(uint64_t kind, uint64_t count, Work work, void* context) {
  if (count == 0) return;
  std::atomic<float>& known =
      part_ns_[(kind * 0x9e37'79b9'7f4a'7c15) >> 52 & (part_ns_.size() - 1)];
  const float part_ns = known.load(std::memory_order_relaxed);
  const size_t helpers = HelpersFor(count, part_ns);
  Slot* slot = helpers > 0 ? Take() : nullptr;
  float took;
  if (slot) {
    slot->work = work;
    slot->context = context;
    took = Share(*slot, count, helpers, part_ns);
  } else {
    took = NanosecondsEach([&] {
      work(context, 0, count);
      return count;
    });
  }
  if (took == 0) return;
  // Only slowness can come from other work of the machine.
  known.store(part_ns == 0 || took < part_ns ? std::max(took, 1.0F)
                                             : part_ns + (took - part_ns) / 8,
              std::memory_order_relaxed);
}

size_t Crew::HelpersFor(uint64_t count, float part_ns) const {
  const size_t others = threads_.load(std::memory_order_relaxed) - 1;
  const auto most = static_cast<size_t>(std::min<uint64_t>(others, count - 1));
  if (part_ns == 0) return most;
  const double whole = static_cast<double>(count) * part_ns;
  if (whole < kShareFrom) return 0;
  return std::min(most, static_cast<size_t>(whole / kForEachHelper));
}

float Crew::Share(Slot& slot, uint64_t count, size_t helpers, float part_ns) {
  Hire(helpers);
  slot.count.store(count, std::memory_order_relaxed);
  slot.most_helpers.store(static_cast<uint32_t>(helpers),
                          std::memory_order_relaxed);
  slot.chunk = std::clamp<uint64_t>(
      static_cast<uint64_t>(kChunk / std::max(part_ns, 1.0F)), 1,
      std::max<uint64_t>(1, count / ((helpers + 1) * kChunksEach)));
  slot.next.store(0, std::memory_order_relaxed);
  slot.state.store(kTaken | kOpen, std::memory_order_release);
  iree_notification_post(&opened_, static_cast<int32_t>(helpers));
  const float took = NanosecondsEach([&] { return WorkOn(slot); });
  slot.state.fetch_and(~kOpen, std::memory_order_acq_rel);
  AwaitHelpers(slot);
  slot.state.store(kFree, std::memory_order_release);
  return took;
}

Crew::Slot* Crew::Take() {
  for (Slot& slot : slots_) {
    uint32_t expected = kFree;
    if (slot.state.compare_exchange_strong(expected, kTaken,
                                           std::memory_order_acq_rel)) {
      return &slot;
    }
  }
  return nullptr;
}

uint64_t Crew::WorkOn(Slot& slot) {
  const uint64_t count = slot.count.load(std::memory_order_relaxed);
  uint64_t done = 0;
  for (;;) {
    const uint64_t begin =
        slot.next.fetch_add(slot.chunk, std::memory_order_relaxed);
    if (begin >= count) return done;
    const uint64_t end = std::min(begin + slot.chunk, count);
    slot.work(slot.context, begin, end);
    done += end - begin;
  }
}

void Crew::AwaitHelpers(Slot& slot) {
  const auto gone = [](void* state) {
    return (static_cast<std::atomic<uint32_t>*>(state)->load(
                std::memory_order_acquire) &
            kHelpers) == 0;
  };
  if (gone(&slot.state)) return;
  // Mostly they are about to finish.
  const auto start = Clock::now();
  while (NanosecondsSince(start) < kHelperSpin) {
    for (int i = 0; i < 32; ++i) {
      if (gone(&slot.state)) return;
      Pause();
    }
  }
  iree_notification_await(&slot.left, gone, &slot.state,
                          iree_infinite_timeout());
}

bool Crew::HelpSomebody() {
  for (Slot& slot : slots_) {
    uint32_t state = slot.state.load(std::memory_order_relaxed);
    while ((state & kOpen) &&
           (state & kHelpers) <
               slot.most_helpers.load(std::memory_order_relaxed) &&
           slot.next.load(std::memory_order_relaxed) <
               slot.count.load(std::memory_order_relaxed)) {
      if (!slot.state.compare_exchange_weak(state, state + 1,
                                            std::memory_order_acq_rel)) {
        continue;
      }
      WorkOn(slot);
      const uint32_t before =
          slot.state.fetch_sub(1, std::memory_order_acq_rel);
      if (!(before & kOpen)) {
        iree_notification_post(&slot.left, IREE_ALL_WAITERS);
      }
      return true;
    }
  }
  return false;
}

void Crew::Help() {
  // As on the threads that launch (inline_command_buffer.c).
  iree_fpu_state_push(IREE_FPU_STATE_FLAG_FLUSH_DENORMALS_TO_ZERO);
  for (;;) {
    const iree_wait_token_t token = iree_notification_prepare_wait(&opened_);
    if (HelpSomebody()) {
      iree_notification_cancel_wait(&opened_);
    } else {
      iree_notification_commit_wait(&opened_, token, kHelperSpin,
                                    IREE_TIME_INFINITE_FUTURE);
    }
  }
}

// Where no thread can be made, there is less help.
void Crew::Hire(size_t helpers) {
  if (hired_.load(std::memory_order_relaxed) >= helpers) return;
  std::lock_guard<std::mutex> lock(hiring_);
  while (hired_ < helpers) {
    iree_thread_create_params_t params{};
    params.name = iree_make_cstring_view("iree-pjrt-helper");
    params.stack_size = kStack;
    iree_thread_t* thread = nullptr;
    const iree_status_t status = iree_thread_create(
        [](void* crew) {
          static_cast<Crew*>(crew)->Help();
          return 0;
        },
        this, params, HostAllocator(), &thread);
    if (!iree_status_is_ok(status)) {
      iree_status_ignore(status);
      return;
    }
    // Letting go of the last reference would wait for the thread's end.
    helpers_.push_back(thread);
    hired_.store(helpers_.size(), std::memory_order_relaxed);
  }
}

}  // namespace iree_pjrt

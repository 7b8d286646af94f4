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

// What is left must take so long to be worth a helper: waking one takes some
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
  threads_.store(std::max<size_t>(1, threads));
}

void Crew::Run(uint64_t count, Work work, void* context) {
  if (count <= 1 || threads_.load(std::memory_order_relaxed) == 1) {
    if (count) work(context, 0, count);
    return;
  }
  // How long parts take is known from the first ones.
  const auto start = Clock::now();
  for (uint64_t done = 0, batch = 1; done < count; batch = done) {
    batch = std::min(batch, count - done);
    work(context, done, done + batch);
    done += batch;
    const double part = NanosecondsSince(start) / static_cast<double>(done);
    if (part * static_cast<double>(count - done) >= kShareFrom) {
      return Share(done, count, part, work, context);
    }
  }
}

void Crew::Share(uint64_t begin, uint64_t count, double part_ns, Work work,
                 void* context) {
  Slot* slot = Take();
  if (!slot) return work(context, begin, count);
  const uint64_t rest = count - begin;
  const size_t helpers =
      std::min<size_t>({threads_.load(std::memory_order_relaxed) - 1, rest - 1,
                        static_cast<size_t>(static_cast<double>(rest) *
                                            part_ns / kForEachHelper)});
  Hire(helpers);
  slot->most_helpers.store(static_cast<uint32_t>(helpers),
                           std::memory_order_relaxed);
  slot->work = work;
  slot->context = context;
  slot->count.store(count, std::memory_order_relaxed);
  slot->chunk = std::clamp<uint64_t>(
      static_cast<uint64_t>(kChunk / std::max(part_ns, 1.0)), 1,
      std::max<uint64_t>(1, rest / ((helpers + 1) * kChunksEach)));
  slot->next.store(begin, std::memory_order_relaxed);
  slot->state.store(kTaken | kOpen, std::memory_order_release);
  iree_notification_post(&opened_, static_cast<int32_t>(helpers));
  WorkOn(*slot);
  slot->state.fetch_and(~kOpen, std::memory_order_acq_rel);
  AwaitHelpers(*slot);
  slot->state.store(kFree, std::memory_order_release);
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

void Crew::WorkOn(Slot& slot) {
  const uint64_t count = slot.count.load(std::memory_order_relaxed);
  for (;;) {
    const uint64_t begin =
        slot.next.fetch_add(slot.chunk, std::memory_order_relaxed);
    if (begin >= count) return;
    slot.work(slot.context, begin, std::min(begin + slot.chunk, count));
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

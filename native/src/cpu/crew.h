// SPDX-License-Identifier: Apache-2.0
// Threads that help others with work that has many equal parts. IREE's task
// system hands a whole program to its workers, which wake, finish, and wake who
// waits: 50 to 150 us, several times what most dispatches take. Here the thread
// that has the work begins at once, and helpers are called where it took long
// before, or nobody knows yet. Whoever comes takes parts; nobody waits for a
// helper that has taken none, so that on a busy machine the work is done as on
// one thread.
#ifndef IREE_PJRT_CPU_CREW_H_
#define IREE_PJRT_CPU_CREW_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "iree/base/threading/notification.h"
#include "iree/base/threading/thread.h"

namespace iree_pjrt {

class Crew {
 public:
  // Does the parts [begin, end); on any thread, several at a time.
  using Work = void (*)(void* context, uint64_t begin, uint64_t end);

  // The crew of this process. It lives as long.
  static Crew& Get();

  // How many threads share work, those that have it included; 1 to 256, others
  // become the nearest. What is being done goes on as before.
  void set_threads(size_t threads);
  size_t threads() const { return threads_.load(std::memory_order_relaxed); }

  // Returns when all `count` parts are done. Parts of the same `kind`, any
  // number, take about as long each time. Any thread may call, also several; a
  // part may not.
  void Run(uint64_t kind, uint64_t count, Work work, void* context);

 private:
  // Work that is open to helpers. Also the helpers that work on it use it.
  struct alignas(64) Slot {
    // kFree; or kTaken, kOpen and how many helpers are here.
    std::atomic<uint32_t> state{0};
    std::atomic<uint32_t> most_helpers;
    Work work;
    void* context;
    std::atomic<uint64_t> count;
    uint64_t chunk;
    alignas(64) std::atomic<uint64_t> next;
    iree_notification_t left;
  };

  Crew();

  // How many helpers are worth calling.
  size_t HelpersFor(uint64_t count, float part_ns) const;
  // Opens the slot; returns how long a part took on this thread, 0 if it has
  // done none.
  float Share(Slot& slot, uint64_t count, size_t helpers, float part_ns);
  Slot* Take();
  static uint64_t WorkOn(Slot& slot);
  static void AwaitHelpers(Slot& slot);
  bool HelpSomebody();
  void Help();
  void Hire(size_t helpers);

  std::array<Slot, 16> slots_;
  // Nanoseconds that a part takes, by kind; 0 where it is not known. Kinds that
  // share a place are only guessed worse.
  std::array<std::atomic<float>, 4096> part_ns_{};
  iree_notification_t opened_;
  std::atomic<size_t> threads_{1};
  std::atomic<size_t> hired_{0};
  std::mutex hiring_;
  std::vector<iree_thread_t*> helpers_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_CPU_CREW_H_

// SPDX-License-Identifier: Apache-2.0
// Work of many equal parts that is done on the host. Families of devices that
// have threads of their own let them help (cpu/crew.h).
#ifndef IREE_PJRT_RUNTIME_SHARE_WORK_H_
#define IREE_PJRT_RUNTIME_SHARE_WORK_H_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>

namespace iree_pjrt {

// Does the parts [begin, end); on any thread, several at a time. May not throw,
// nor share work itself.
using WorkParts = void (*)(void* context, uint64_t begin, uint64_t end);

// How many threads share work, the calling one included.
size_t WorkThreads();

// Into how many parts work is best divided: enough for threads that come late.
inline size_t PartsForThreads() {
  const size_t threads = WorkThreads();
  return threads == 1 ? 1 : threads * 4;
}

// Returns when all `count` parts are done. Parts of the same `kind`, any
// number, take about as long each time.
void ShareWork(uint64_t kind, uint64_t count, WorkParts work, void* context);

// The same of work that may throw, a function of `begin` and `end`: throws one
// of the errors once all parts are done, or given up.
template <typename Work>
void ShareThrowingWork(uint64_t kind, uint64_t count, const Work& work) {
  struct Shared {
    const Work& work;
    std::mutex mutex;
    std::exception_ptr error;

    static void Run(void* context, uint64_t begin, uint64_t end) noexcept {
      auto& shared = *static_cast<Shared*>(context);
      try {
        shared.work(begin, end);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(shared.mutex);
        shared.error = std::current_exception();
      }
    }
  } shared{work, {}, nullptr};
  ShareWork(kind, count, &Shared::Run, &shared);
  if (shared.error) std::rethrow_exception(shared.error);
}

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RUNTIME_SHARE_WORK_H_

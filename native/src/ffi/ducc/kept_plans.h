// SPDX-License-Identifier: Apache-2.0
#ifndef IREE_PJRT_FFI_DUCC_KEPT_PLANS_H_
#define IREE_PJRT_FFI_DUCC_KEPT_PLANS_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace iree_pjrt {

// The plans that were last asked for, as many as take `bytes` together; the
// very last one is kept whatever it takes. A Plan is made of its length and of
// whether it is to take several numbers at a time, and tells its footprint().
// Threads may share one.
template <typename Plan>
class KeptPlans {
 public:
  explicit KeptPlans(size_t bytes) : bytes_(bytes) {}

  std::shared_ptr<Plan> Get(size_t length, bool vectorize) {
    if (auto plan = Find(length, vectorize)) return plan;
    // Others need not wait for it; two threads may make the same one.
    auto plan = std::make_shared<Plan>(length, vectorize);
    const std::lock_guard<std::mutex> lock(mutex_);
    entries_.insert(entries_.begin(), {length, vectorize, plan});
    size_t bytes = 0;
    size_t count = 0;
    for (; count < entries_.size(); ++count) {
      bytes += entries_[count].plan->footprint();
      if (bytes > bytes_ && count > 0) break;
    }
    entries_.resize(std::min(count, kMost));
    return plan;
  }

 private:
  struct Entry {
    size_t length;
    bool vectorize;
    std::shared_ptr<Plan> plan;
  };

  // Of small ones: they are looked through one by one.
  static constexpr size_t kMost = 16;

  std::shared_ptr<Plan> Find(size_t length, bool vectorize) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
          return entry.length == length && entry.vectorize == vectorize;
        });
    if (found == entries_.end()) return nullptr;
    std::rotate(entries_.begin(), found, found + 1);
    return entries_.front().plan;
  }

  const size_t bytes_;
  std::mutex mutex_;
  std::vector<Entry> entries_;  // the last one asked for first
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_FFI_DUCC_KEPT_PLANS_H_

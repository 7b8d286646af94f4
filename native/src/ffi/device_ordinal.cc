// SPDX-License-Identifier: Apache-2.0
#include "ffi/device_ordinal.h"

#include <map>
#include <mutex>
#include <thread>

namespace iree_pjrt {
namespace {

// The ordinals of threads that are in a scope. The map takes the place of a
// thread_local: LeakSanitizer now and then fails on threads that have
// thread_locals of a library that was opened later.
class Ordinals {
 public:
  static Ordinals& Get() {
    static auto* const ordinals = new Ordinals();  // threads outlive exit()
    return *ordinals;
  }

  std::optional<int32_t> Find() {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = of_thread_.find(std::this_thread::get_id());
    if (found == of_thread_.end()) return std::nullopt;
    return found->second;
  }

  void Set(std::optional<int32_t> ordinal) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (ordinal) {
      of_thread_[std::this_thread::get_id()] = *ordinal;
    } else {
      of_thread_.erase(std::this_thread::get_id());
    }
  }

 private:
  std::mutex mutex_;
  std::map<std::thread::id, int32_t> of_thread_;
};

}  // namespace

DeviceOrdinalScope::DeviceOrdinalScope(int32_t ordinal)
    : outer_(Ordinals::Get().Find()) {
  Ordinals::Get().Set(ordinal);
}

DeviceOrdinalScope::~DeviceOrdinalScope() { Ordinals::Get().Set(outer_); }

int32_t DeviceOrdinalScope::Current() {
  return Ordinals::Get().Find().value_or(0);
}

}  // namespace iree_pjrt

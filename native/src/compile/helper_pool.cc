// SPDX-License-Identifier: Apache-2.0
#include "compile/helper_pool.h"

#include <unistd.h>

#include <utility>

#include "runtime/runtime.h"

namespace iree_pjrt {

HelperPool::HelperPool(const ClientOptions& options)
    : options_(options), log_(options.log_level), owner_(getpid()) {}

std::optional<CompileResult> HelperPool::Compile(const CompileTask& task) {
  auto helper = Take();
  if (!helper) return std::nullopt;
  try {
    CompileResult result = helper->Compile(task);
    GiveBack(std::move(helper));
    return result;
  } catch (...) {
    GiveBack(std::move(helper));
    throw;
  }
}

std::unique_ptr<HelperProcess> HelperPool::Take() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (owner_ != getpid()) {
    // A fork: the helpers answer the process that started them.
    owner_ = getpid();
    idle_.clear();
    busy_ = 0;
  }
  freed_.wait(lock, [this] { return busy_ < AvailableCores(); });
  if (impossible_) return nullptr;
  ++busy_;
  while (!idle_.empty()) {
    auto helper = std::move(idle_.back());
    idle_.pop_back();
    // Somebody may have ended it since.
    if (!helper->ended()) return helper;
  }
  lock.unlock();
  std::string reason;
  auto helper = HelperProcess::Start(options_, &reason);
  if (helper) return helper;
  log_.Info("programs are compiled in this process: " + reason);
  lock.lock();
  impossible_ = true;
  --busy_;
  freed_.notify_all();
  return nullptr;
}

void HelperPool::GiveBack(std::unique_ptr<HelperProcess> helper) {
  std::lock_guard<std::mutex> lock(mutex_);
  --busy_;
  freed_.notify_one();
  if (!helper->ended()) idle_.push_back(std::move(helper));
}

}  // namespace iree_pjrt

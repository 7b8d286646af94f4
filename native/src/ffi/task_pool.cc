// SPDX-License-Identifier: Apache-2.0
#include "ffi/task_pool.h"

#include <system_error>
#include <thread>

namespace iree_pjrt {

TaskPool& TaskPool::Get() {
  static auto& pool = *new TaskPool();
  return pool;
}

void TaskPool::Add(Task task, void* data, size_t threads) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (Hire(threads)) {
      scheduled_.push_back({task, data});
      added_.notify_one();
      return;
    }
  }
  task(data);
}

bool TaskPool::Hire(size_t threads) {
  if (idle_ > scheduled_.size() || threads_ >= threads) return true;
  try {
    std::thread([this] { Work(); }).detach();
    ++threads_;
  } catch (const std::system_error&) {
    // The system has no more.
  }
  return threads_ > 0;
}

void TaskPool::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    ++idle_;
    added_.wait(lock, [this] { return !scheduled_.empty(); });
    --idle_;
    const Scheduled next = scheduled_.front();
    scheduled_.pop_front();
    lock.unlock();
    next.task(next.data);
    lock.lock();
  }
}

}  // namespace iree_pjrt

// SPDX-License-Identifier: Apache-2.0
#include "pjrt/launch_registry.h"

namespace iree_pjrt {

void LaunchRegistry::DropFinished() {
  std::erase_if(entries_, [](const Entry& entry) {
    const auto completion = entry.completion.lock();
    return !completion || completion->done();
  });
}

void LaunchRegistry::Add(int id,
                         const std::shared_ptr<Completion>& completion) {
  if (id == 0) return;
  std::lock_guard<std::mutex> lock(mutex_);
  DropFinished();
  entries_.push_back({id, completion});
}

bool LaunchRegistry::Poison(int id, Error error, WorkQueue* callbacks) {
  const auto outcome = std::make_shared<const Error>(std::move(error));
  std::deque<Entry> entries;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    DropFinished();
    entries = entries_;
  }
  for (const Entry& entry : entries) {
    if (entry.id != id) continue;
    const auto completion = entry.completion.lock();
    if (completion && completion->Complete(outcome, callbacks)) return true;
  }
  return false;
}

}  // namespace iree_pjrt

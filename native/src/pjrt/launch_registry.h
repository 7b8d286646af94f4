// SPDX-License-Identifier: Apache-2.0
// Launches of one device that were given an id and may not be finished, so that
// they can be failed from outside. Owned by the Device; any thread may use it.
#ifndef IREE_PJRT_PJRT_LAUNCH_REGISTRY_H_
#define IREE_PJRT_PJRT_LAUNCH_REGISTRY_H_

#include <deque>
#include <memory>
#include <mutex>

#include "pjrt/event.h"

namespace iree_pjrt {

class LaunchRegistry {
 public:
  // Id 0 is none.
  void Add(int id, const std::shared_ptr<Completion>& completion);

  // Fails the outputs of the earliest unfinished launch with this id. A program
  // that runs already is not stopped. False if there is no such launch.
  bool Poison(int id, Error error, WorkQueue* callbacks);

 private:
  struct Entry {
    int id;
    std::weak_ptr<Completion> completion;
  };

  void DropFinished();

  std::mutex mutex_;
  std::deque<Entry> entries_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_PJRT_LAUNCH_REGISTRY_H_

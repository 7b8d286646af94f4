// SPDX-License-Identifier: Apache-2.0
// One thread that runs tasks in the order they were posted, made at the first
// task. Each device has one, so that launches are asynchronous and in order;
// each client has one for callbacks of the framework (which may take Python's
// GIL), so that they never hold up a device.
//
// Any thread may call Post. The destructor runs what is left and joins; when a
// task on that very thread drops the last reference, the thread is detached and
// ends by itself.
#ifndef IREE_PJRT_RUNTIME_WORK_QUEUE_H_
#define IREE_PJRT_RUNTIME_WORK_QUEUE_H_

#include <functional>
#include <memory>

namespace iree_pjrt {

class WorkQueue {
 public:
  WorkQueue();
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // `task` may not throw.
  void Post(std::function<void()> task);
  // Whether the caller is one of the tasks.
  bool OnThread() const;

 private:
  struct State;
  static void Run(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_RUNTIME_WORK_QUEUE_H_

// SPDX-License-Identifier: Apache-2.0
// Threads for the tasks that handlers of custom calls schedule: jaxlib's LAPACK
// cuts batches of matrices to as many tasks as there are threads, and waits.
// The crew (cpu/crew.h) cannot do them: who waits for its parts does them too.
#ifndef IREE_PJRT_FFI_TASK_POOL_H_
#define IREE_PJRT_FFI_TASK_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>

namespace iree_pjrt {

class TaskPool {
 public:
  using Task = void (*)(void* data);

  // The pool of this process. It lives as long.
  static TaskPool& Get();

  // Returns at once; one of at most `threads` threads, 1 or more, does the
  // task. On the calling thread, before it returns, if no thread can be had.
  // Any thread may call, also a task.
  void Add(Task task, void* data, size_t threads);

 private:
  struct Scheduled {
    Task task;
    void* data;
  };

  // Whether there is a thread now.
  bool Hire(size_t threads);
  [[noreturn]] void Work();

  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<Scheduled> scheduled_;
  size_t threads_ = 0;
  size_t idle_ = 0;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_FFI_TASK_POOL_H_

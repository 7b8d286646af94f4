// SPDX-License-Identifier: Apache-2.0
// Completion: the shared state of something that finishes once, with or without
// an error. PJRT_Event is a handle on one; buffers hold one too. All methods
// may be called from any thread. Whoever completes the event names the queue
// that callbacks run on; without a queue they run on the completing thread. A
// callback that is added to a complete event runs at once, on the caller's
// thread. No lock is held while a callback runs. No event has a thread of its
// own.
#ifndef IREE_PJRT_PJRT_EVENT_H_
#define IREE_PJRT_PJRT_EVENT_H_

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/handle.h"
#include "base/status.h"
#include "runtime/work_queue.h"

namespace iree_pjrt {

class Completion {
 public:
  // Null for success. Shared with everyone who asks.
  using Outcome = std::shared_ptr<const Error>;
  using Callback = std::function<void(const Outcome&)>;

  static std::shared_ptr<Completion> Ready();
  static std::shared_ptr<Completion> Failed(Error error);

  bool done() const { return done_.load(std::memory_order_acquire); }
  // Only after done().
  const Outcome& outcome() const { return outcome_; }

  // The first call wins; true if it was this one.
  bool Complete(Outcome outcome, WorkQueue* callback_queue = nullptr);
  const Outcome& Await();
  void OnDone(Callback callback);

 private:
  std::atomic<bool> done_{false};
  Outcome outcome_;
  std::mutex mutex_;
  std::condition_variable condition_;
  std::vector<Callback> callbacks_;
};

// What a PJRT_Event* points to. Owned by the caller of the C API.
struct Event {
  std::shared_ptr<Completion> completion;
};
IREE_PJRT_HANDLE(PJRT_Event, Event)

PJRT_Event* NewEvent(std::shared_ptr<Completion> completion);

void EventDestroy(PJRT_Event_Destroy_Args& args);
void EventIsReady(PJRT_Event_IsReady_Args& args);
void EventError(PJRT_Event_Error_Args& args);
void EventAwait(PJRT_Event_Await_Args& args);
void EventOnReady(PJRT_Event_OnReady_Args& args);
void EventCreate(PJRT_Event_Create_Args& args);
void EventSet(PJRT_Event_Set_Args& args);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_PJRT_EVENT_H_

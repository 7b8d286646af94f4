// SPDX-License-Identifier: Apache-2.0
#include "pjrt/event.h"

#include "base/error.h"

namespace iree_pjrt {

std::shared_ptr<Completion> Completion::Ready() {
  static const std::shared_ptr<Completion> ready = [] {
    auto completion = std::make_shared<Completion>();
    completion->Complete(nullptr);
    return completion;
  }();
  return ready;
}

std::shared_ptr<Completion> Completion::Failed(Error error) {
  auto completion = std::make_shared<Completion>();
  completion->Complete(std::make_shared<const Error>(std::move(error)));
  return completion;
}

bool Completion::Complete(Outcome outcome, WorkQueue* callback_queue) {
  std::vector<Callback> callbacks;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (done()) return false;
    outcome_ = std::move(outcome);
    done_.store(true, std::memory_order_release);
    callbacks.swap(callbacks_);
  }
  condition_.notify_all();
  for (Callback& callback : callbacks) {
    if (callback_queue) {
      callback_queue->Post([callback = std::move(callback),
                            outcome = outcome_] { callback(outcome); });
    } else {
      callback(outcome_);
    }
  }
  return true;
}

const Completion::Outcome& Completion::Await() {
  if (!done()) {
    std::unique_lock<std::mutex> lock(mutex_);
    condition_.wait(lock, [this] { return done(); });
  }
  return outcome_;
}

void Completion::OnDone(Callback callback) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!done()) {
      callbacks_.push_back(std::move(callback));
      return;
    }
  }
  callback(outcome_);
}

PJRT_Event* NewEvent(std::shared_ptr<Completion> completion) {
  return ToC(new Event{std::move(completion)});
}

void EventDestroy(PJRT_Event_Destroy_Args& args) { delete Take(args.event); }

void EventIsReady(PJRT_Event_IsReady_Args& args) {
  args.is_ready = FromC(args.event, "event").completion->done();
}

void EventError(PJRT_Event_Error_Args& args) {
  const auto& completion = FromC(args.event, "event").completion;
  if (!completion->done()) {
    throw Error(PJRT_Error_Code_FAILED_PRECONDITION,
                "PJRT_Event_Error: the event is not ready");
  }
  if (completion->outcome()) throw Error(*completion->outcome());
}

void EventAwait(PJRT_Event_Await_Args& args) {
  const auto completion = FromC(args.event, "event").completion;
  if (const auto& outcome = completion->Await()) throw Error(*outcome);
}

void EventOnReady(PJRT_Event_OnReady_Args& args) {
  const auto completion = FromC(args.event, "event").completion;
  if (!args.callback) ThrowInvalidArgument("callback is null");
  completion->OnDone([callback = args.callback, user_arg = args.user_arg](
                         const Completion::Outcome& outcome) {
    callback(outcome ? MakeError(*outcome) : nullptr, user_arg);
  });
}

void EventCreate(PJRT_Event_Create_Args& args) {
  args.event = NewEvent(std::make_shared<Completion>());
}

void EventSet(PJRT_Event_Set_Args& args) {
  const auto completion = FromC(args.event, "event").completion;
  Completion::Outcome outcome;
  if (args.error_code != PJRT_Error_Code_OK) {
    outcome = std::make_shared<const Error>(ErrorFromC(
        args.error_code, args.error_message, args.error_message_size));
  }
  if (!completion->Complete(std::move(outcome))) {
    throw Error(PJRT_Error_Code_FAILED_PRECONDITION,
                "PJRT_Event_Set: the event is already set");
  }
}

}  // namespace iree_pjrt

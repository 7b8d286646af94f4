// SPDX-License-Identifier: Apache-2.0
#include "pjrt/event.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace iree_pjrt {
namespace {

TEST(CompletionTest, FirstOutcomeWins) {
  Completion completion;
  EXPECT_FALSE(completion.done());
  EXPECT_TRUE(completion.Complete(nullptr));
  EXPECT_FALSE(completion.Complete(
      std::make_shared<const Error>(PJRT_Error_Code_INTERNAL, "too late")));
  EXPECT_EQ(completion.outcome(), nullptr);
}

TEST(CompletionTest, CallbacksBeforeAndAfter) {
  Completion completion;
  int calls = 0;
  completion.OnDone([&](const Completion::Outcome& outcome) {
    ++calls;
    EXPECT_EQ(outcome->message(), "broken");
  });
  EXPECT_EQ(calls, 0);
  completion.Complete(
      std::make_shared<const Error>(PJRT_Error_Code_ABORTED, "broken"));
  EXPECT_EQ(calls, 1);
  completion.OnDone([&](const Completion::Outcome&) { ++calls; });
  EXPECT_EQ(calls, 2);
}

TEST(CompletionTest, AwaitBlocksUntilAnotherThreadCompletes) {
  Completion completion;
  std::thread thread([&] { completion.Complete(nullptr); });
  EXPECT_EQ(completion.Await(), nullptr);
  thread.join();
}

TEST(CompletionTest, CallbacksRunOnTheQueue) {
  WorkQueue queue;
  Completion completion;
  std::promise<std::thread::id> ran;
  completion.OnDone([&](const Completion::Outcome&) {
    ran.set_value(std::this_thread::get_id());
  });
  completion.Complete(nullptr, &queue);
  EXPECT_NE(ran.get_future().get(), std::this_thread::get_id());
}

TEST(WorkQueueTest, RunsInOrderAndDrainsAtTheEnd) {
  std::vector<int> order;
  {
    WorkQueue queue;
    for (int i = 0; i < 100; ++i)
      queue.Post([&order, i] { order.push_back(i); });
  }
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

TEST(WorkQueueTest, MayBeDestroyedByItsOwnTask) {
  auto queue = std::make_shared<WorkQueue>();
  std::promise<void> done;
  WorkQueue* raw = queue.get();
  raw->Post([queue = std::move(queue), &done]() mutable {
    queue.reset();
    done.set_value();
  });
  done.get_future().get();
}

}  // namespace
}  // namespace iree_pjrt

// SPDX-License-Identifier: Apache-2.0
#include "ffi/ducc/kept_plans.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace iree_pjrt {
namespace {

std::atomic<int> made = 0;

struct Plan {
  Plan(size_t length, bool vectorize) : length(length), vectorize(vectorize) {
    ++made;
  }
  size_t footprint() const { return length; }
  size_t length;
  bool vectorize;
};

int MadeBy(KeptPlans<Plan>& plans, size_t length, bool vectorize = false) {
  const int before = made;
  const auto plan = plans.Get(length, vectorize);
  EXPECT_EQ(plan->length, length);
  EXPECT_EQ(plan->vectorize, vectorize);
  return made - before;
}

TEST(KeptPlansTest, KeepsWhatFits) {
  KeptPlans<Plan> plans(100);
  EXPECT_EQ(MadeBy(plans, 40), 1);
  EXPECT_EQ(MadeBy(plans, 60), 1);
  EXPECT_EQ(MadeBy(plans, 40), 0);
  EXPECT_EQ(MadeBy(plans, 40, true), 1);  // in the place of 60, the oldest
  EXPECT_EQ(MadeBy(plans, 40), 0);
  EXPECT_EQ(MadeBy(plans, 60), 1);
}

TEST(KeptPlansTest, KeepsTheLastWhateverItTakes) {
  KeptPlans<Plan> plans(100);
  EXPECT_EQ(MadeBy(plans, 10), 1);
  EXPECT_EQ(MadeBy(plans, 1000), 1);
  EXPECT_EQ(MadeBy(plans, 1000), 0);
  EXPECT_EQ(MadeBy(plans, 10), 1);
}

TEST(KeptPlansTest, KeepsFewSmallOnes) {
  KeptPlans<Plan> plans(1'000'000);
  for (size_t length = 1; length <= 100; ++length) MadeBy(plans, length);
  EXPECT_EQ(MadeBy(plans, 100), 0);
  EXPECT_EQ(MadeBy(plans, 1), 1);
}

TEST(KeptPlansTest, IsSharedByThreads) {
  KeptPlans<Plan> plans(200);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&plans, i] {
      for (size_t turn = 0; turn < 10'000; ++turn) {
        const size_t length = 1 + (turn * (i + 1)) % 64;
        ASSERT_EQ(plans.Get(length, false)->length, length);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace iree_pjrt

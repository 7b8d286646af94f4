// SPDX-License-Identifier: Apache-2.0
#include "cpu/crew.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace iree_pjrt {
namespace {

using std::chrono::microseconds;

// Work whose parts note how often they were done, and by whom.
struct Noted {
  explicit Noted(uint64_t count, microseconds each = microseconds(0))
      : times(count), each(each) {}

  void Run() {
    Crew::Get().Run(
        kind, times.size(),
        [](void* context, uint64_t begin, uint64_t end) {
          static_cast<Noted*>(context)->Do(begin, end);
        },
        this);
  }

  void Do(uint64_t begin, uint64_t end) {
    EXPECT_LT(begin, end);
    for (uint64_t i = begin; i < end; ++i) {
      const auto start = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - start < each) continue;
      ++times.at(i);
    }
    std::lock_guard<std::mutex> lock(mutex);
    threads.insert(std::this_thread::get_id());
  }

  bool AllOnce() const {
    for (const auto& time : times) {
      if (time != 1) return false;
    }
    return true;
  }

  static uint64_t NewKind() {
    static std::atomic<uint64_t> kinds{1};
    return kinds++;
  }

  uint64_t kind = NewKind();
  std::vector<std::atomic<int>> times;
  const microseconds each;
  std::mutex mutex;
  std::set<std::thread::id> threads;
};

class CrewTest : public testing::TestWithParam<size_t> {
 protected:
  CrewTest() { Crew::Get().set_threads(GetParam()); }
};

TEST_P(CrewTest, EachPartIsDoneOnce) {
  for (const uint64_t count : {0, 1, 2, 3, 1000, 1000000}) {
    Noted work(count);
    work.Run();
    EXPECT_TRUE(work.AllOnce()) << count;
  }
}

TEST_P(CrewTest, LongWorkIsShared) {
  Noted work(200, microseconds(500));
  work.Run();
  EXPECT_TRUE(work.AllOnce());
  EXPECT_LE(work.threads.size(), GetParam());
  if (GetParam() > 1) {
    EXPECT_GT(work.threads.size(), 1u);
  }
}

TEST_P(CrewTest, WhatWasShortIsNot) {
  const uint64_t kind = Noted::NewKind();
  // Alone: helpers that look for work may hold a part up.
  Crew::Get().set_threads(1);
  for (int turn = 0; turn < 5; ++turn) {
    Noted first(2);
    first.kind = kind;
    first.Run();
  }
  Crew::Get().set_threads(GetParam());
  Noted second(2);
  second.kind = kind;
  second.Run();
  EXPECT_EQ(second.threads, std::set{std::this_thread::get_id()});
}

TEST_P(CrewTest, WhatBecomesLongIsShared) {
  const uint64_t kind = Noted::NewKind();
  for (const int each : {0, 2000}) {
    Noted work(50, microseconds(each));
    work.kind = kind;
    work.Run();
    EXPECT_TRUE(work.AllOnce());
  }
  Noted last(50, microseconds(2000));
  last.kind = kind;
  last.Run();
  EXPECT_EQ(last.threads.size() > 1, GetParam() > 1);
}

// More at once than there are places for shared work.
TEST_P(CrewTest, ManyMayHaveWorkAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 24; ++i) {
    threads.emplace_back([] {
      for (int turn = 0; turn < 100; ++turn) {
        Noted work(40, microseconds(5));
        work.Run();
        EXPECT_TRUE(work.AllOnce());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Long enough between two for helpers to fall asleep, and too short.
TEST_P(CrewTest, OneAfterAnother) {
  for (int turn = 0; turn < 200; ++turn) {
    Noted work(20, microseconds(10));
    work.Run();
    EXPECT_TRUE(work.AllOnce());
    if (turn % 4 == 0) std::this_thread::sleep_for(microseconds(300));
  }
}

TEST(CrewThreadsTest, NonsenseIsBounded) {
  for (const size_t threads : {size_t{0}, size_t{1000000}}) {
    Crew::Get().set_threads(threads);
    Noted work(2000, microseconds(20));
    work.Run();
    EXPECT_TRUE(work.AllOnce());
    EXPECT_LE(work.threads.size(), threads == 0 ? 1u : 256u);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, CrewTest, testing::Values(1, 2, 5));

}  // namespace
}  // namespace iree_pjrt

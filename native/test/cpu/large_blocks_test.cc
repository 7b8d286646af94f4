// SPDX-License-Identifier: Apache-2.0
#include "cpu/large_blocks.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace iree_pjrt {
namespace {

constexpr size_t kMega = size_t{1} << 20;

long PageFaults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

bool IsMapped(void* page) {
  unsigned char resident = 0;
  return mincore(page, 1, &resident) == 0;
}

// The bytes of the process that the kernel may take.
size_t LentBytes() {
  std::ifstream maps("/proc/self/smaps_rollup");
  size_t kilobytes = 0;
  for (std::string word; maps >> word;) {
    if (word == "LazyFree:") maps >> kilobytes;
  }
  return kilobytes << 10;
}

TEST(LargeBlocksTest, ABlockIsUsedAgainForTheSameAndForALittleLess) {
  LargeBlocks blocks;
  for (const size_t size :
       {LargeBlocks::kLeast, kMega, 5 * kMega, 80 * kMega}) {
    const auto first = blocks.Take(size);
    ASSERT_NE(first.pointer, nullptr);
    EXPECT_EQ(first.size, size);
    EXPECT_EQ(blocks.GiveBack(first.pointer), size);
    EXPECT_EQ(blocks.Take(size).pointer, first.pointer);
    blocks.GiveBack(first.pointer);
    const auto less = blocks.Take(size - size / 10);
    EXPECT_EQ(less.pointer, first.pointer);
    EXPECT_EQ(less.size, size);
    blocks.GiveBack(first.pointer);
    EXPECT_NE(blocks.Take(size / 2).pointer, first.pointer);
    EXPECT_NE(blocks.Take(size + 4096).pointer, first.pointer);
  }
}

TEST(LargeBlocksTest, TheBestFitIsTaken) {
  LargeBlocks blocks;
  void* const larger = blocks.Take(33 * kMega).pointer;
  void* const exact = blocks.Take(32 * kMega).pointer;
  void* const largest = blocks.Take(34 * kMega).pointer;
  for (void* block : {larger, exact, largest}) blocks.GiveBack(block);
  EXPECT_EQ(blocks.Take(32 * kMega).pointer, exact);
  EXPECT_EQ(blocks.Take(32 * kMega).pointer, larger);
  EXPECT_EQ(blocks.Take(32 * kMega).pointer, largest);
}

TEST(LargeBlocksTest, WhatIsUsedAgainTouchesNoNewPages) {
  LargeBlocks blocks;
  const auto use = [&blocks](size_t size) {
    void* const block = blocks.Take(size).pointer;
    std::memset(block, 1, size);
    blocks.GiveBack(block);
  };
  // Two of the sizes are kept, and one is lent to the kernel.
  for (const size_t size : {kMega, 4 * kMega, 80 * kMega}) {
    use(size);
    const long before = PageFaults();
    for (int i = 0; i < 100; ++i) use(size);
    EXPECT_LT(PageFaults() - before, 100) << size;
  }
}

TEST(LargeBlocksTest, PointersOfOthersAreNoBlocks) {
  LargeBlocks blocks;
  void* const block = blocks.Take(2 * LargeBlocks::kLeast).pointer;
  char* const inside = static_cast<char*>(block) + LargeBlocks::kLeast;
  EXPECT_EQ(blocks.GiveBack(inside), 0u);
  EXPECT_EQ(blocks.GiveBack(inside + 16), 0u);
  EXPECT_EQ(blocks.GiveBack(nullptr), 0u);
  EXPECT_EQ(blocks.GiveBack(block), 2 * LargeBlocks::kLeast);
  EXPECT_EQ(blocks.GiveBack(block), 0u);
}

// As a program whose arrays come one after the other, each of another size.
TEST(LargeBlocksTest, TwiceWhatWasTakenAtOnceIsKept) {
  LargeBlocks blocks;
  void* const large = blocks.Take(8 * kMega).pointer;
  blocks.GiveBack(large);
  void* const middle = blocks.Take(6 * kMega).pointer;
  blocks.GiveBack(middle);
  EXPECT_TRUE(IsMapped(large));
  void* const small = blocks.Take(4 * kMega).pointer;
  EXPECT_TRUE(IsMapped(large));
  blocks.GiveBack(small);
  EXPECT_FALSE(IsMapped(large));
  EXPECT_TRUE(IsMapped(middle));
  EXPECT_TRUE(IsMapped(small));
}

TEST(LargeBlocksTest, NoMoreThanSoManyBlocksAreKept) {
  LargeBlocks blocks;
  std::vector<void*> taken(600);
  for (void*& block : taken) block = blocks.Take(LargeBlocks::kLeast).pointer;
  for (void* block : taken) blocks.GiveBack(block);
  EXPECT_FALSE(IsMapped(taken.front()));
  EXPECT_TRUE(IsMapped(taken.back()));
}

TEST(LargeBlocksTest, TheKernelMayTakeWhatWasNotUsedLast) {
  const auto lent_by = [](size_t size, size_t count) {
    LargeBlocks blocks;
    const size_t before = LentBytes();
    std::vector<void*> taken(count);
    for (void*& block : taken) {
      block = blocks.Take(size).pointer;
      std::memset(block, 1, size);
    }
    for (void* block : taken) blocks.GiveBack(block);
    return LentBytes() - before;
  };
  EXPECT_EQ(lent_by(2 * kMega, 32), 0u);
  // The kernel counts some small pages a moment later.
  EXPECT_GE(lent_by(2 * kMega, 48), 31 * kMega);
  EXPECT_LE(lent_by(2 * kMega, 48), 32 * kMega);
  EXPECT_GE(lent_by(80 * kMega, 1), 79 * kMega);
}

TEST(LargeBlocksTest, WithoutMemoryThereIsNoBlock) {
  LargeBlocks blocks;
  EXPECT_EQ(blocks.Take(SIZE_MAX).pointer, nullptr);
  EXPECT_EQ(blocks.Take(size_t{1} << 60).pointer, nullptr);
  EXPECT_NE(blocks.Take(LargeBlocks::kLeast).pointer, nullptr);
}

TEST(LargeBlocksTest, NoTwoThreadsHaveTheSameBlock) {
  LargeBlocks blocks;
  const auto work = [&blocks](unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 300; ++i) {
      const size_t size = LargeBlocks::kLeast + random() % (3 * kMega);
      auto* block = static_cast<unsigned char*>(blocks.Take(size).pointer);
      ASSERT_NE(block, nullptr);
      std::memset(block, static_cast<int>(seed), size);
      std::this_thread::yield();
      for (size_t at = 0; at < size; at += 4096) ASSERT_EQ(block[at], seed);
      ASSERT_GE(blocks.GiveBack(block), size);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 4; ++seed) threads.emplace_back(work, seed);
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace iree_pjrt

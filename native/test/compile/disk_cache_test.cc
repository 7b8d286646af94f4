// SPDX-License-Identifier: Apache-2.0
#include "compile/disk_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/scratch_file.h"

namespace iree_pjrt {
namespace {

namespace fs = std::filesystem;

class DiskCacheTest : public testing::Test {
 protected:
  ~DiskCacheTest() override { fs::remove_all(folder_); }

  DiskCache Open(uint64_t max_bytes = 1 << 20) const {
    return DiskCache(folder_, max_bytes, Log(LogLevel::kInfo));
  }
  fs::path FileOf(const std::string& key) const {
    return fs::path(folder_) / (key + ".program");
  }
  size_t CountFiles() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_),
                                             fs::directory_iterator()));
  }

  const std::string folder_ = testing::TempDir() + RandomName() + "/cache";
};

TEST_F(DiskCacheTest, FindsWhatWasStored) {
  Open().Store("key", std::string("a\0b", 3));
  EXPECT_EQ(Open().Find("key"), std::string("a\0b", 3));
  EXPECT_EQ(Open().Find("other"), std::nullopt);
}

TEST_F(DiskCacheTest, FindsItUnderItsAlias) {
  DiskCache cache = Open();
  cache.Store("key", "blob");
  cache.Link("key", "alias");
  EXPECT_EQ(cache.Find("alias"), "blob");
}

TEST_F(DiskCacheTest, BelongsToItsOwner) {
  Open().Store("key", "blob");
  struct stat about;
  ASSERT_EQ(stat(folder_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700u);
}

TEST_F(DiskCacheTest, TurnedOffItKeepsNothing) {
  DiskCache off = Open(0);
  off.Store("key", "blob");
  EXPECT_FALSE(fs::exists(folder_));
  EXPECT_EQ(off.Find("key"), std::nullopt);
}

TEST_F(DiskCacheTest, DamageIsAMissAndGoes) {
  const std::string blob = "some blob of bytes";
  Open().Store("key", blob);
  const std::string whole = ReadFile(FileOf("key"));
  for (size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(FileOf("key"), std::ios::binary) << whole.substr(0, size);
    EXPECT_EQ(Open().Find("key"), std::nullopt) << size;
    EXPECT_FALSE(fs::exists(FileOf("key"))) << size;
  }
  std::string flipped = whole;
  flipped.back() ^= 1;
  std::ofstream(FileOf("key"), std::ios::binary) << flipped;
  EXPECT_EQ(Open().Find("key"), std::nullopt);
  Open().Store("key", blob);
  EXPECT_EQ(Open().Find("key"), blob);
}

TEST_F(DiskCacheTest, TheLeastRecentlyUsedGoFirst) {
  const std::string blob(1000, 'x');
  DiskCache cache = Open(10'000);
  for (int i = 0; i < 9; ++i) {
    const std::string key = std::to_string(i);
    cache.Store(key, blob);
    fs::last_write_time(FileOf(key), fs::file_time_type::clock::now() -
                                         std::chrono::hours(100 - i));
  }
  EXPECT_EQ(CountFiles(), 9u);
  // The oldest entry was used just now, and stays.
  EXPECT_TRUE(cache.Find("0"));
  cache.Store("new", blob);
  EXPECT_TRUE(cache.Find("new"));
  EXPECT_TRUE(cache.Find("0"));
  EXPECT_FALSE(cache.Find("1"));
  EXPECT_LE(CountFiles(), 9u);
}

TEST_F(DiskCacheTest, ABlobLargerThanTheCacheIsNotKept) {
  Open(1000).Store("key", std::string(1000, 'x'));
  EXPECT_EQ(Open().Find("key"), std::nullopt);
}

TEST_F(DiskCacheTest, AbandonedTemporaryFilesGo) {
  Open(3000).Store("key", std::string(1000, 'x'));
  const fs::path left = fs::path(folder_) / "left.tmp";
  std::ofstream(left) << "half of";
  fs::last_write_time(left,
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  Open(3000).Store("other", std::string(1000, 'x'));
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(DiskCacheTest, AnUnusableFolderIsSaidOnce) {
  fs::create_directories(fs::path(folder_).parent_path());
  std::ofstream(fs::path(folder_)) << "a file where the folder should be";
  DiskCache cache = Open();
  testing::internal::CaptureStderr();
  cache.Store("a", "blob");
  cache.Store("b", "blob");
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  EXPECT_NE(log.find("cannot store"), std::string::npos) << log;
  EXPECT_EQ(cache.Find("a"), std::nullopt);
}

TEST_F(DiskCacheTest, ManyWritersAndReaders) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      DiskCache cache = Open(20'000);
      for (int i = 0; i < 50; ++i) {
        const std::string key = std::to_string((i + t) % 30);
        const std::string blob(1000,
                               static_cast<char>('a' + (i + t) % 30 % 26));
        cache.Store(key, blob);
        const auto found = cache.Find(key);
        if (found) EXPECT_EQ(*found, blob);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(DiskCacheTest, OneOfManyMakesAnEntryAndTheOthersFindIt) {
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      DiskCache cache = Open();
      const Claim claim = cache.ClaimToMake("1b");
      if (cache.Find("1b")) return;
      ++made;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      cache.Store("1b", "blob");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
}

TEST_F(DiskCacheTest, WhoWaitedInVainLetsTheNextGoOn) {
  Claim failing = Open().ClaimToMake("1b");
  EXPECT_FALSE(failing.waited());
  EXPECT_FALSE(Open().ClaimToMake("2c").waited());
  std::atomic<int> at_work = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      const Claim claim = Open().ClaimToMake("1b");
      EXPECT_TRUE(claim.waited());
      ++at_work;
      // Both are here at once, or the test does not end.
      while (at_work < 2) std::this_thread::yield();
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(at_work, 0);
  failing.GiveBack();
  for (std::thread& thread : threads) thread.join();
}

TEST_F(DiskCacheTest, AKilledProcessHasNoClaim) {
  DiskCache cache = Open();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Claim claim = cache.ClaimToMake("1b");
    if (write(ready[1], "x", 1) == 1) pause();
    _exit(1);
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    kill(child, SIGKILL);
  });
  EXPECT_TRUE(cache.ClaimToMake("1b").waited());
  killer.join();
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(cache.ClaimToMake("1b").waited());
}

TEST_F(DiskCacheTest, AForkedProcessKeepsNoClaim) {
  DiskCache cache = Open();
  std::optional<Claim> claim(cache.ClaimToMake("1b"));
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(1);
  }
  claim.reset();
  EXPECT_FALSE(cache.ClaimToMake("1b").waited());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace iree_pjrt

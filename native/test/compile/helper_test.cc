// SPDX-License-Identifier: Apache-2.0
// Helper processes, from outside: they are children of this process.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "plugin_library.h"

namespace iree_pjrt_test {
namespace {

std::vector<pid_t> Helpers() {
  std::vector<pid_t> found;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(task.path() / "children");
    for (pid_t child; children >> child;) found.push_back(child);
  }
  return found;
}

// Compiles for as long as it takes to be stopped.
std::string SlowProgram() {
  std::string text = R"(module @slow {
  func.func public @main(%v0: tensor<64x64xf32>) -> tensor<64x64xf32> {
)";
  constexpr int kProducts = 10000;
  for (int i = 0; i < kProducts; ++i) {
    const std::string from = "%v" + std::to_string(i);
    const std::string to = "%v" + std::to_string(i + 1);
    text += "    %p" + std::to_string(i) + " = stablehlo.dot_general " + from +
            ", " + from +
            ", contracting_dims = [1] x [0] : (tensor<64x64xf32>, "
            "tensor<64x64xf32>) -> tensor<64x64xf32>\n    " +
            to + " = stablehlo.tanh %p" + std::to_string(i) +
            " : tensor<64x64xf32>\n";
  }
  return text + "    return %v" + std::to_string(kProducts) +
         " : tensor<64x64xf32>\n  }\n}\n";
}

std::string SmallProgram(int number) {
  return "module @small { func.func public @main(%a: tensor<" +
         std::to_string(number) + "xf32>) -> tensor<" + std::to_string(number) +
         "xf32> { return %a : tensor<" + std::to_string(number) + "xf32> } }";
}

void ExpectCompiles(int number) {
  PJRT_LoadedExecutable* const executable = Compile(SmallProgram(number));
  ASSERT_NE(executable, nullptr);
  Destroy(executable);
}

// What the caller is told when its helper is ended by the signal.
Failure FailureBy(int signal) {
  Failure failure;
  std::thread caller([&] { Compile(SlowProgram(), &failure); });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  for (const pid_t helper : Helpers()) kill(helper, signal);
  caller.join();
  return failure;
}

class HelperTest : public ::testing::Test {
 protected:
  // What is found in the cache is not compiled.
  void SetUp() override { setenv("IREE_PJRT_CACHE_SIZE", "0", 1); }
};

TEST_F(HelperTest, OneServesProgramAfterProgram) {
  ExpectCompiles(3);
  const std::vector<pid_t> first = Helpers();
  EXPECT_EQ(first.size(), 1u);
  ExpectCompiles(4);
  EXPECT_EQ(Helpers(), first);
}

TEST_F(HelperTest, ItsCrashIsAnErrorOfOneProgram) {
  const Failure failure = FailureBy(SIGSEGV);
  EXPECT_EQ(failure.code, PJRT_Error_Code_INTERNAL) << failure.message;
  EXPECT_NE(failure.message.find("by signal 11"), std::string::npos)
      << failure.message;
  const size_t at = failure.message.rfind(" in /");
  ASSERT_NE(at, std::string::npos) << failure.message;
  const std::filesystem::path folder = failure.message.substr(at + 4);
  EXPECT_TRUE(std::filesystem::exists(folder / "program.mlirbc")) << folder;
  EXPECT_TRUE(std::filesystem::exists(folder / "flags.txt")) << folder;
  std::filesystem::remove_all(folder.parent_path());
  ExpectCompiles(5);
}

TEST_F(HelperTest, ItsEndForWantOfMemoryIsSaidSo) {
  const Failure failure = FailureBy(SIGKILL);
  EXPECT_EQ(failure.code, PJRT_Error_Code_RESOURCE_EXHAUSTED)
      << failure.message;
  ExpectCompiles(6);
}

TEST_F(HelperTest, ADeadOneIsReplaced) {
  ExpectCompiles(7);
  for (const pid_t helper : Helpers()) kill(helper, SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ExpectCompiles(8);
  ExpectCompiles(9);
}

// JAX waits for ever in such a fork, for threads that it does not have there;
// others need not.
TEST_F(HelperTest, AForkHasItsOwn) {
  ExpectCompiles(11);
  const std::vector<pid_t> mine = Helpers();
  const pid_t fork = ::fork();
  if (fork == 0) {
    ExpectCompiles(12);
    const std::vector<pid_t> its = Helpers();
    _exit(its.size() == 1 && its != mine && !HasFailure() ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(fork, &status, 0), fork);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Helpers(), mine);
  ExpectCompiles(13);
}

TEST_F(HelperTest, TooLongIsTooLong) {
  setenv("IREE_PJRT_COMPILE_TIMEOUT", "1", 1);
  Failure failure;
  Compile(SlowProgram(), &failure);
  EXPECT_EQ(failure.code, PJRT_Error_Code_DEADLINE_EXCEEDED) << failure.message;
  EXPECT_NE(failure.message.find("1 s of IREE_PJRT_COMPILE_TIMEOUT"),
            std::string::npos)
      << failure.message;
}

TEST_F(HelperTest, TheCallersProcessCompilesIfItIsToldTo) {
  setenv("IREE_PJRT_COMPILE_IN_PROCESS", "1", 1);
  ExpectCompiles(10);
  EXPECT_TRUE(Helpers().empty());
}

}  // namespace
}  // namespace iree_pjrt_test

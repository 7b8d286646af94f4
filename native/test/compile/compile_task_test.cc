// SPDX-License-Identifier: Apache-2.0
#include "compile/compile_task.h"

#include <gtest/gtest.h>

#include <string>

#include "base/status.h"
#include "compile/helper_reply.h"

namespace iree_pjrt {
namespace {

TEST(CompileTaskTest, NothingIsLostOnTheWay) {
  CompileTask task;
  task.program = std::string("ML\xefR\0bytes", 10);
  task.received = "received";
  task.shown = "shown";
  task.options_proto = "options";
  task.key = "key";
  task.replicas = 2;
  task.partitions = 3;
  task.flags = {"--one", "", "--two=3"};
  task.cpu = "znver4";
  task.device_targets = "[#hal.device]";
  task.libraries = "these";
  task.handlers = {"lapack_sgetrf", "mine"};
  task.scratch_folder = "/scratch";
  task.traced = true;
  task.alone = true;
  const CompileTask arrived = ParseTask(SerializeTask(task));
  EXPECT_EQ(SerializeTask(arrived), SerializeTask(task));
  EXPECT_EQ(arrived.program, task.program);
  EXPECT_EQ(arrived.flags, task.flags);
  EXPECT_EQ(arrived.handlers, task.handlers);
  EXPECT_EQ(arrived.Key("text"), task.Key("text"));
}

TEST(CompileTaskTest, TheKeyIsOfAllThatTheResultDependsOn) {
  const CompileTask plain;
  const auto differs = [&](auto change) {
    CompileTask task;
    change(task);
    return task.Key("text") != plain.Key("text");
  };
  EXPECT_TRUE(differs([](CompileTask& task) { task.flags = {"--one"}; }));
  EXPECT_TRUE(differs([](CompileTask& task) { task.cpu = "znver4"; }));
  EXPECT_TRUE(differs([](CompileTask& task) { task.device_targets = "t"; }));
  EXPECT_TRUE(differs([](CompileTask& task) { task.libraries = "other"; }));
  EXPECT_TRUE(differs([](CompileTask& task) { task.replicas = 2; }));
  EXPECT_FALSE(differs([](CompileTask& task) { task.handlers = {"mine"}; }));
  EXPECT_NE(plain.Key("text"), plain.Key("another"));
}

TEST(CompileTaskTest, OptionsOfTheCompilerArrive) {
  ClientOptions options;
  options.compiler_library_path = "/lib.so";
  options.save_artifacts_dir = "/artifacts";
  options.saved_passes = {"KeepInputs"};
  options.skipped_passes = {"ExpandPowers", "KeepInputs"};
  options.cache_dir = "/cache";
  options.cache_bytes = uint64_t{3} << 40;
  options.log_level = LogLevel::kInfo;
  const std::string sent = SerializeCompilerOptions(options);
  const ClientOptions arrived = ParseCompilerOptions(sent);
  EXPECT_EQ(SerializeCompilerOptions(arrived), sent);
  EXPECT_EQ(arrived.cache_bytes, options.cache_bytes);
  EXPECT_EQ(arrived.skipped_passes, options.skipped_passes);
}

TEST(CompileTaskTest, AnErrorIsThrownWhereItArrives) {
  const std::string reply =
      SerializeReply(Error(PJRT_Error_Code_NOT_FOUND, "no library"));
  try {
    ParseReply(reply, "");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), PJRT_Error_Code_NOT_FOUND);
    EXPECT_EQ(error.message(), "no library");
  }
}

}  // namespace
}  // namespace iree_pjrt

// SPDX-License-Identifier: Apache-2.0
#include "program/compile_options.h"

#include <gtest/gtest.h>

#include "base/status.h"
#include "base/wire.h"

namespace iree_pjrt {
namespace {

std::string Options(int64_t replicas, int64_t partitions,
                    const std::string& assignment) {
  WireWriter build;
  build.Number(4, replicas);
  build.Number(5, partitions);
  if (!assignment.empty()) build.Bytes(9, assignment);
  WireWriter options;
  options.Bytes(3, build.Take());
  return options.Take();
}

std::string Override(const std::string& key, const std::string& text) {
  WireWriter value;
  value.Bytes(1, text);
  WireWriter entry;
  entry.Bytes(1, key);
  entry.Bytes(2, value.Take());
  WireWriter options;
  options.Bytes(7, entry.Take());
  return options.Take();
}

TEST(CompileOptionsTest, EmptyIsOneDevice) {
  const CompileOptions options = ParseCompileOptions("");
  EXPECT_EQ(options.num_replicas, 1);
  EXPECT_EQ(options.num_partitions, 1);
  EXPECT_TRUE(options.device_ids.empty());
}

TEST(CompileOptionsTest, AssignmentRoundTrip) {
  const std::vector<int64_t> ids{0, 1, 2, 3, 4, 5};
  const auto options =
      ParseCompileOptions(Options(2, 3, SerializeDeviceAssignment(2, 3, ids)));
  EXPECT_EQ(options.num_replicas, 2);
  EXPECT_EQ(options.num_partitions, 3);
  EXPECT_EQ(options.device_ids, ids);
}

TEST(CompileOptionsTest, CompilerFlags) {
  EXPECT_EQ(ParseCompileOptions(Override("iree_compiler_options", "--a --b"))
                .compiler_flags,
            (std::vector<std::string>{"--a", "--b"}));
  EXPECT_THROW(ParseCompileOptions(Override("something", "x")), Error);
  EXPECT_TRUE(ParseCompileOptions(Override("xla_something", "x"))
                  .compiler_flags.empty());
}

TEST(CompileOptionsTest, GarbageAndNonsenseAreErrors) {
  EXPECT_THROW(ParseCompileOptions("\xff\xff\xff\xff"), Error);
  EXPECT_THROW(ParseCompileOptions(Options(-1, 1, "")), Error);
  EXPECT_THROW(ParseCompileOptions(Options(int64_t{1} << 40, 1, "")), Error);
  WireWriter half;
  half.Number(1, 2);
  half.Number(2, 1);
  EXPECT_THROW(ParseCompileOptions(Options(2, 1, half.Take())), Error);
}

TEST(CompileOptionsTest, ReplicasOfNothingAreNotCounted) {
  WireWriter endless;
  endless.Number(1, int64_t{1} << 60);
  const auto options = ParseCompileOptions(Options(1, 1, endless.Take()));
  EXPECT_TRUE(options.device_ids.empty());
}

TEST(CompileOptionsTest, EveryTruncationIsAnErrorOrHarmless) {
  const std::string whole =
      Options(2, 1, SerializeDeviceAssignment(2, 1, {0, 1})) +
      Override("iree_compiler_options", "--a");
  for (size_t size = 0; size < whole.size(); ++size) {
    try {
      ParseCompileOptions(whole.substr(0, size));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), PJRT_Error_Code_INVALID_ARGUMENT);
    }
  }
}

}  // namespace
}  // namespace iree_pjrt

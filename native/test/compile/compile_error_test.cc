// SPDX-License-Identifier: Apache-2.0
// What the compiler's failures look like from outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "plugin_library.h"

namespace iree_pjrt_test {
namespace {

// A call that no one implements, at the location `location`.
std::string UnknownCallAt(const std::string& location) {
  return R"(
module @jit_bad {
  func.func public @main(%a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.custom_call @nobody_knows_me(%a) : (tensor<3xf32>) -> tensor<3xf32> loc()" +
         location + R"()
    return %0 : tensor<3xf32>
  }
})";
}

std::string MessageFor(const std::string& program) {
  Failure failure;
  EXPECT_EQ(Compile(program, &failure), nullptr);
  EXPECT_EQ(failure.code, PJRT_Error_Code_INVALID_ARGUMENT);
  return failure.message;
}

void ExpectHolds(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(CompileError, NamesTheOperationAndTheUsersLines) {
  const std::string message = MessageFor(UnknownCallAt(
      R"("jit(f)/call"(callsite("inner"("model.py":7:4) at "outer"("train.py":3:1))))"));
  ExpectHolds(message, "nobody_knows_me");
  ExpectHolds(message, "jit(f)/call: ");
  ExpectHolds(message, "\n  at inner (model.py:7)\n  at outer (train.py:3)");
}

TEST(CompileError, ShowsABoundedNumberOfCallers) {
  std::string location = R"("f"("deep.py":0:1))";
  for (int i = 1; i < 200; ++i) {
    location = "callsite(\"f\"(\"deep.py\":" + std::to_string(i) + ":1) at " +
               location + ")";
  }
  const std::string message = MessageFor(UnknownCallAt(location));
  ExpectHolds(message, "at f (deep.py:199)");
  ExpectHolds(message, "further callers");
  EXPECT_LT(std::count(message.begin(), message.end(), '\n'), 20) << message;
}

TEST(CompileError, IsShortWhateverTheProgramHolds) {
  std::string constant;
  for (int i = 0; i < 5000; ++i) constant += std::to_string(i) + ".0,";
  constant.back() = ']';
  const std::string message = MessageFor(
      "module @jit_bad {\n"
      "  func.func public @main() -> tensor<5000xf32> {\n"
      "    %0 = stablehlo.custom_call @nobody_knows_me() {table = dense<[" +
      constant +
      "> : tensor<5000xf32>} : () -> tensor<5000xf32>\n"
      "    return %0 : tensor<5000xf32>\n  }\n}");
  EXPECT_LT(message.size(), 2000u);
}

TEST(CompileError, SaysWhereATextIsNoProgram) {
  ExpectHolds(MessageFor("module {\n  nonsense\n}"), "program:2");
}

TEST(CompileError, GoesToTheFrameworkAlone) {
  testing::internal::CaptureStderr();
  MessageFor(UnknownCallAt("unknown"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace iree_pjrt_test

// SPDX-License-Identifier: Apache-2.0
#include "compile/compile_session.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/status.h"
#include "parsed_module.h"

namespace iree_pjrt {
namespace {

constexpr char kTuning[] = "--iree-global-opt-data-tiling";

const CompilerLibrary& Library() {
  const char* path = std::getenv("IREE_PJRT_COMPILER_LIB_PATH");
  return CompilerLibrary::Open(path ? path : "");
}

TEST(CompileSessionTest, FlagsThatItMayBeTunedWithAreTried) {
  EXPECT_NO_THROW(CompileSession(Library(), {}, false));
  try {
    CompileSession(Library(), {}, false, Contexts::kOneEach,
                   {"--iree-no-such-tuning"});
    FAIL() << "the compiler has no such flag";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), PJRT_Error_Code_INVALID_ARGUMENT);
    EXPECT_TRUE(Holds(error.message(), "tuning the IREE compiler"))
        << error.message();
    EXPECT_TRUE(Holds(error.message(), "iree-no-such-tuning"))
        << error.message();
  }
}

TEST(CompileSessionTest, EachTuningHasAContextThatIsKept) {
  CompileSession session(Library(), {}, false);
  const CompilerContext& plain = session.code({});
  const std::vector<std::string> tuning{kTuning};
  const CompilerContext& tuned = session.code(tuning);
  EXPECT_NE(plain.mlir().ptr, tuned.mlir().ptr);
  EXPECT_EQ(&session.code({}), &plain);
  EXPECT_EQ(&session.code(tuning), &tuned);
  EXPECT_EQ(&session.stream(), &session.stream());
  EXPECT_NE(session.stream().mlir().ptr, session.input().mlir().ptr);
}

TEST(CompileSessionTest, ALargeProgramStaysWhereItIs) {
  CompileSession session(Library(), {}, false, Contexts::kOneForAll);
  EXPECT_EQ(&session.code({}), &session.input());
  EXPECT_EQ(&session.stream(), &session.input());
  EXPECT_EQ(&session.code({kTuning}), &session.input());
}

TEST(CompileSessionTest, FlagsThatTheCompilerDoesNotTakeAreNamed) {
  try {
    CompileSession(Library(), {"--iree-no-such-flag"}, false);
    FAIL() << "the compiler has no such flag";
  } catch (const Error& error) {
    EXPECT_TRUE(Holds(error.message(), "flags of the IREE compiler"))
        << error.message();
    EXPECT_TRUE(Holds(error.message(), "iree-no-such-flag")) << error.message();
  }
}

}  // namespace
}  // namespace iree_pjrt

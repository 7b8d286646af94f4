// SPDX-License-Identifier: Apache-2.0
#include "compile/compile_session.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/status.h"
#include "parsed_module.h"

namespace iree_pjrt {
namespace {

const CompilerLibrary& Library() {
  const char* path = std::getenv("IREE_PJRT_COMPILER_LIB_PATH");
  return CompilerLibrary::Open(path ? path : "");
}

TEST(CompileSessionTest, FlagsThatItMayBeTunedWithAreTried) {
  EXPECT_NO_THROW(CompileSession(Library(), {}, false));
  try {
    CompileSession(Library(), {}, false, {"--iree-no-such-tuning"});
    FAIL() << "the compiler has no such flag";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), PJRT_Error_Code_INVALID_ARGUMENT);
    EXPECT_TRUE(Holds(error.message(), "tuning the IREE compiler"))
        << error.message();
    EXPECT_TRUE(Holds(error.message(), "iree-no-such-tuning"))
        << error.message();
  }
}

}  // namespace
}  // namespace iree_pjrt

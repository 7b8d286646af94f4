// SPDX-License-Identifier: Apache-2.0
#include "compile/compiler.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "parsed_module.h"

namespace iree_pjrt {
namespace {

// What making a compiler says to the names of passes; empty if it takes them.
std::string Refusal(const std::vector<std::string>& saved,
                    const std::vector<std::string>& skipped) {
  ClientOptions options;
  options.saved_passes = saved;
  options.skipped_passes = skipped;
  try {
    const Compiler compiler(options, Target{});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), PJRT_Error_Code_INVALID_ARGUMENT);
    return error.message();
  }
  return "";
}

TEST(CompilerTest, NamesOfPassesAreChecked) {
  EXPECT_EQ(Refusal({"WidenSums", "all"}, {"AlignLoops"}), "");
  EXPECT_EQ(Refusal({"changing"}, {}), "");
  EXPECT_TRUE(Holds(Refusal({"all", "WidenSum"}, {}),
                    "IREE_PJRT_SAVE_PASSES: there is no pass 'WidenSum'"));
  EXPECT_TRUE(Holds(Refusal({}, {"WidenSum"}),
                    "IREE_PJRT_SKIP_PASSES: there is no pass 'WidenSum'"));
  // Nothing works without any.
  EXPECT_TRUE(Holds(Refusal({}, {"all"}), "there is no pass 'all'"));
}

}  // namespace
}  // namespace iree_pjrt

// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace iree_pjrt {
namespace {

std::string LinesOf(LogLevel level) {
  const Log log(level);
  testing::internal::CaptureStderr();
  log.Error("bad\nthing");
  log.Info("done");
  log.Debug("detail");
  return testing::internal::GetCapturedStderr();
}

TEST(LogTest, WritesUpToItsLevel) {
  EXPECT_EQ(LinesOf(LogLevel::kOff), "");
  EXPECT_EQ(std::regex_replace(LinesOf(LogLevel::kDebug),
                               std::regex("[0-9:.]+ [0-9]+ "), ""),
            "iree-pjrt E bad | thing\niree-pjrt I done\niree-pjrt D detail\n");
  EXPECT_EQ(LinesOf(LogLevel::kInfo).find("detail"), std::string::npos);
  EXPECT_EQ(LinesOf(LogLevel::kError).find("done"), std::string::npos);
}

}  // namespace
}  // namespace iree_pjrt

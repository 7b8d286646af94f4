// SPDX-License-Identifier: Apache-2.0
// LoopOverSteps, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/sources/copied_part.h"
#include "rewrite/sources/passes.h"

namespace iree_pjrt {
namespace {

// The copy of every `row`-th row, and of every `step`-th column.
std::string Copied(int row, int step) {
  const std::string steps = std::to_string(row) + ", " + std::to_string(step);
  return After(CopyOf({"100x100xf32", "0, 0", "50, 50", steps},
                      {"50x50xf32", "0, 0", "50, 50", "1, 1"}, "50x50xf32"),
               &LoopOverSteps);
}

TEST(LoopOverStepsTest, WhatHasStepsAlongRows) {
  const std::string text = Copied(2, 2);
  EXPECT_TRUE(Holds(text, "linalg.generic")) << text;
  EXPECT_FALSE(Holds(text, "store %2")) << text;
  EXPECT_FALSE(Holds(Copied(2, 1), "linalg.generic"));
}

// The copy of a column of an array of so many.
std::string CopiedColumn(const std::string& columns) {
  return After(CopyOf({"100x" + columns + "xf32", "0, 0", "100, 1", "1, 1"},
                      {"100x1xf32", "0, 0", "100, 1", "1, 1"}, "100x1xf32"),
               &LoopOverSteps);
}

TEST(LoopOverStepsTest, OneColumnOfSeveral) {
  const std::string text = CopiedColumn("2");
  EXPECT_TRUE(Holds(text, "linalg.generic")) << text;
  EXPECT_FALSE(Holds(CopiedColumn("1"), "linalg.generic"));
}

}  // namespace
}  // namespace iree_pjrt

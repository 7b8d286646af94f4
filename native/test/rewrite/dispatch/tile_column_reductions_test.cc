// SPDX-License-Identifier: Apache-2.0
// TileColumnReductions, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/dispatch/passes.h"
#include "tiled_sums.h"

namespace iree_pjrt {
namespace {

// So many sums of 512 elements, of columns or rows.
std::string ColumnSums(int count, int part, int zeros, bool of_rows = false) {
  return After(TextOf({.rows = of_rows ? count : 512,
                       .columns = of_rows ? 512 : count,
                       .of_rows = of_rows,
                       .part = part,
                       .vector = part,
                       .zeros = zeros,
                       .elements = 1}),
               &TileColumnReductions);
}

TEST(TileColumnReductionsTest, FewColumnsAreWholeVectors) {
  const std::string text = ColumnSums(24, 2, 2);
  EXPECT_TRUE(Holds(text,
                    "distribution = [16, 0], vector_common_parallel = [16, 0], "
                    "vector_reduction = [0, 1]"))
      << text;
  EXPECT_TRUE(Holds(text, "vector_common_parallel = [16]>")) << text;
  EXPECT_TRUE(Holds(ColumnSums(3, 1, 1), "distribution = [3, 0]"));
}

TEST(TileColumnReductionsTest, WholeVectorsOtherTilesAndRowsStay) {
  const std::string sixteen = "distribution = [16, 0]";
  EXPECT_TRUE(Holds(ColumnSums(64, 32, 32), "distribution = [32, 0]"));
  EXPECT_FALSE(Holds(ColumnSums(24, 2, 4), sixteen));
  EXPECT_FALSE(Holds(ColumnSums(24, 2, 2, true), sixteen));
}

}  // namespace
}  // namespace iree_pjrt

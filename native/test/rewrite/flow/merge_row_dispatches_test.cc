// SPDX-License-Identifier: Apache-2.0
// Dispatches that go over the same rows, as text before and after.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "parsed_module.h"
#include "rewrite/flow/passes.h"

namespace iree_pjrt {
namespace {

// How the executables below begin, and the sums of rows.
constexpr char kHead[] = R"(  flow.executable private @NAME {
    flow.executable.export public @NAME_rows workgroups()
        -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @NAME_rows()";
constexpr char kReduced[] = R"(        %5 = linalg.generic {
            indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                             affine_map<(d0, d1) -> (d0)>],
            iterator_types = ["parallel", "reduction"]}
            ins(%0 : tensor<ROWSx64xf32>) outs(%4 : tensor<ROWSxf32>) {
        ^bb0(%in: f32, %out: f32):
          %7 = arith.addf %out, %in : f32
          linalg.yield %7 : f32
        } -> tensor<ROWSxf32>)";

// An executable of `ROWS` rows: their sums, and what `map` makes of each
// element and the sum of its row. %a and %b are elements of the first and the
// second operand.
constexpr char kExecutable[] = R"(
HEAD
          %arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<ROWSx64xf32>>,
          %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<OTHERxf32>>,
          %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<ROWSx64xf32>>) {
        %zero = arith.constant 0.0 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0],
            sizes = [ROWS, 64], strides = [1, 1]
            : !iree_tensor_ext.dispatch.tensor<readonly:tensor<ROWSx64xf32>>
            -> tensor<ROWSx64xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [ZEROS],
            sizes = [SIZES], strides = [ONES]
            : !iree_tensor_ext.dispatch.tensor<readonly:tensor<OTHERxf32>>
            -> tensor<OTHERxf32>
        %2 = tensor.empty() : tensor<ROWSx64xf32>
        %3 = tensor.empty() : tensor<ROWSxf32>
        %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<ROWSxf32>)
            -> tensor<ROWSxf32>
REDUCED
        %6 = linalg.generic {
            indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                             affine_map<(d0, d1) -> (INDEXED)>,
                             affine_map<(d0, d1) -> (d0)>,
                             affine_map<(d0, d1) -> (d0, d1)>],
            iterator_types = ["parallel", "parallel"]}
            ins(%0, %1, %5 : tensor<ROWSx64xf32>, tensor<OTHERxf32>,
                             tensor<ROWSxf32>)
            outs(%2 : tensor<ROWSx64xf32>) {
        ^bb0(%a: f32, %b: f32, %sum: f32, %out: f32):
          %7 = arith.subf %a, %sum : f32
          %8 = MAP : f32
          linalg.yield %8 : f32
        } -> tensor<ROWSx64xf32>
        iree_tensor_ext.dispatch.tensor.store %6, %arg2, offsets = [0, 0],
            sizes = [ROWS, 64], strides = [1, 1] : tensor<ROWSx64xf32>
            -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<ROWSx64xf32>>
        return
      }
    }
  })";

using Words = std::vector<std::pair<std::string, std::string>>;

std::string Replaced(std::string text, const Words& words) {
  for (const auto& [word, by] : words) {
    text = std::regex_replace(text, std::regex(word), by);
  }
  return text;
}

// An executable, whose words are replaced last.
std::string Made(const std::string& executable, const Words& words) {
  return Replaced(
      Replaced(executable, {{"HEAD", kHead}, {"REDUCED", kReduced}}), words);
}

// One that reads two arrays of one shape.
std::string Executable(const std::string& name, const std::string& map) {
  return Made(kExecutable, {{"NAME", name},
                            {"MAP", map},
                            {"INDEXED", "d0, d1"},
                            {"OTHER", "ROWSx64"},
                            {"ZEROS", "0, 0"},
                            {"SIZES", "ROWS, 64"},
                            {"ONES", "1, 1"}});
}

// After the pass, a program of three arrays with these dispatches.
std::string Merged(const std::string& executables, const std::string& program,
                   const std::string& result, const std::string& rows) {
  const std::string text = "module {" + executables + R"(
    util.func public @main(%x: ARRAY, %y: ARRAY, %z: ARRAY) -> ARRAY {)" +
                           program + "\nutil.return " + result +
                           " : ARRAY\n}\n}";
  return After(Replaced(text, {{"TWO", "(ARRAY, ARRAY) -> ARRAY"},
                               {"ARRAY", "tensor<ROWSx64xf32>"},
                               {"ROWS", rows}}),
               &MergeRowDispatches);
}

struct Rows {
  std::string rows = "100";
  std::string map = "arith.addf %7, %b";  // of the first executable
  // Dispatches of @one and @two, and what is returned.
  std::string program = R"(
      %0 = flow.dispatch @one::@one_rows(%x, %y) : TWO
      %1 = flow.dispatch @two::@two_rows(%0, %y) : TWO)";
  std::string result = "%1";
};

std::string Merged(const Rows& rows) {
  return Merged(
      Executable("one", rows.map) + Executable("two", "arith.mulf %7, %b"),
      rows.program, rows.result, rows.rows);
}

constexpr char kDispatch[] = "= flow.dispatch ";
constexpr char kFunction[] = "func.func ";

TEST(MergeRowDispatchesTest, TwoAreOne) {
  const std::string text = Merged({});
  EXPECT_EQ(Count(text, kDispatch), 1u) << text;
  EXPECT_EQ(Count(text, kFunction), 1u) << text;
  EXPECT_EQ(Count(text, "linalg.generic"), 4u) << text;
  // %y once, though both read it.
  EXPECT_TRUE(Holds(text, "(%arg1, %arg0)")) << text;
  EXPECT_EQ(Count(text, "tensor.store"), 1u) << text;
}

TEST(MergeRowDispatchesTest, AndMoreThanTwo) {
  const std::string text = Merged({.program = R"(
      %0 = flow.dispatch @one::@one_rows(%x, %y) : TWO
      %1 = flow.dispatch @two::@two_rows(%0, %y) : TWO
      %2 = flow.dispatch @one::@one_rows(%1, %z) : TWO)",
                                   .result = "%2"});
  EXPECT_EQ(Count(text, kDispatch), 1u) << text;
  EXPECT_EQ(Count(text, kFunction), 1u) << text;
}

TEST(MergeRowDispatchesTest, EqualPairsAreOneExecutable) {
  const std::string text = Merged({.program = R"(
      %0 = flow.dispatch @one::@one_rows(%x, %y) : TWO
      %1 = flow.dispatch @two::@two_rows(%0, %z) : TWO
      %2 = flow.tensor.clone %1 : ARRAY
      %3 = flow.dispatch @one::@one_rows(%2, %y) : TWO
      %4 = flow.dispatch @two::@two_rows(%3, %z) : TWO)",
                                   .result = "%4"});
  EXPECT_EQ(Count(text, kDispatch), 2u) << text;
  EXPECT_EQ(Count(text, kFunction), 1u) << text;
  EXPECT_EQ(Count(text, "(%arg2, %arg0, %arg1)"), 1u) << text;
}

TEST(MergeRowDispatchesTest, OthersStay) {
  const Rows cases[] = {{.rows = "63"},
                        // It would be computed twice.
                        {.map = "math.exp %7"},
                        {.result = "%0"},
                        // Rows of two arrays.
                        {.program = R"(
      %0 = flow.dispatch @one::@one_rows(%x, %y) : TWO
      %1 = flow.tensor.clone %0 : ARRAY
      %2 = flow.dispatch @two::@two_rows(%1, %z) : TWO)",
                         .result = "%2"}};
  for (const Rows& rows : cases) {
    const std::string text = Merged(rows);
    EXPECT_EQ(Count(text, kDispatch), 2u) << text;
    EXPECT_EQ(Count(text, kFunction), 2u) << text;
  }
}

// The sums of rows.
constexpr char kSums[] = R"(
HEAD
          %arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<ROWSx64xf32>>,
          %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<ROWSxf32>>) {
        %zero = arith.constant 0.0 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0],
            sizes = [ROWS, 64], strides = [1, 1]
            : !iree_tensor_ext.dispatch.tensor<readonly:tensor<ROWSx64xf32>>
            -> tensor<ROWSx64xf32>
        %3 = tensor.empty() : tensor<ROWSxf32>
        %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<ROWSxf32>)
            -> tensor<ROWSxf32>
REDUCED
        iree_tensor_ext.dispatch.tensor.store %5, %arg1, offsets = [0],
            sizes = [ROWS], strides = [1] : tensor<ROWSxf32>
            -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<ROWSxf32>>
        return
      }
    }
  })";

// Sums of rows that are read along each row (`x + x.sum(1)`), or in it.
std::string WithSums(const std::string& indexed) {
  return Merged(Made(kSums, {{"NAME", "sums"}}) +
                    Made(kExecutable, {{"NAME", "two"},
                                       {"MAP", "arith.mulf %7, %b"},
                                       {"INDEXED", indexed},
                                       {"OTHER", "64"},
                                       {"ZEROS", "0"},
                                       {"SIZES", "64"},
                                       {"ONES", "1"}}),
                R"(
      %0 = flow.dispatch @sums::@sums_rows(%x) : (ARRAY) -> tensor<64xf32>
      %1 = flow.dispatch @two::@two_rows(%x, %0)
          : (ARRAY, tensor<64xf32>) -> ARRAY)",
                "%1", "64");
}

TEST(MergeRowDispatchesTest, RowsThatNeedOtherRowsStay) {
  EXPECT_EQ(Count(WithSums("d0"), kDispatch), 1u);
  const std::string text = WithSums("d1");
  EXPECT_EQ(Count(text, kDispatch), 2u) << text;
}

}  // namespace
}  // namespace iree_pjrt

// SPDX-License-Identifier: Apache-2.0
// Indices outside of arrays, in programs as clients without Python send them:
// as text, in both dialects. What StableHLO's specification says is what comes
// out, and under AddressSanitizer nothing outside of an array is touched.
// Unsigned indices: unsigned_indices_test.cc.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/text.h"
#include "plugin_library.h"

namespace iree_pjrt_test {
namespace {

using Values = std::vector<float>;
constexpr int32_t kFar = std::numeric_limits<int32_t>::max();
constexpr int32_t kFarBelow = std::numeric_limits<int32_t>::min();

struct Case {
  std::string name;
  std::string program;  // takes an array, indices and maybe updates
  std::vector<int64_t> array;
  std::vector<int64_t> index;
  std::vector<int32_t> indices;
  std::vector<int64_t> update;  // no updates if empty
  Values expected;
};

// Replaces $A, $I, $U and $R by their types.
std::string Filled(std::string text, const std::vector<std::string>& types) {
  const std::string names = "AIUR";
  for (size_t i = 0; i < types.size(); ++i) {
    iree_pjrt::ReplaceAll(text, std::string{'$', names[i]}, types[i]);
  }
  return text;
}

std::string Gather(const std::string& numbers, const std::string& sizes,
                   const std::vector<std::string>& types) {
  return Filled(R"(module @gather {
    func.func public @main(%a: $A, %i: $I) -> $R {
      %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers =
          #stablehlo.gather<)" +
                    numbers + R"(>, slice_sizes = array<i64: )" + sizes +
                    R"(>}> : ($A, $I) -> $R
      return %0 : $R
    }
  })",
                {types[0], types[1], "", types[2]});
}

std::string Scatter(const std::string& numbers, const std::string& body,
                    const std::vector<std::string>& types) {
  return Filled(R"(module @scatter {
    func.func public @main(%a: $A, %i: $I, %u: $U) -> $A {
      %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers =
          #stablehlo.scatter<)" +
                    numbers +
                    R"(>, unique_indices = true}> ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          )" + body +
                    R"(
      }) : ($A, $I, $U) -> $A
      return %0 : $A
    }
  })",
                types);
}

constexpr char kSet[] = "stablehlo.return %y : tensor<f32>";
constexpr char kAdd[] = R"(%s = stablehlo.add %x, %y : tensor<f32>
          stablehlo.return %s : tensor<f32>)";
constexpr char kLargest[] = R"(%s = stablehlo.maximum %x, %y : tensor<f32>
          stablehlo.return %s : tensor<f32>)";
constexpr char kProduct[] = R"(%s = stablehlo.multiply %x, %y : tensor<f32>
          stablehlo.return %s : tensor<f32>)";
constexpr char kElements[] =
    "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
    "index_vector_dim = 1";
const std::vector<std::string> kThreeIntoEight = {
    "tensor<8xf32>", "tensor<3x1xi32>", "tensor<3xf32>"};

constexpr char kVhlo[] = R"(module @vhlo {
  vhlo.func_v1 @main(%a: !vhlo.tensor_v1<8x!vhlo.f32_v1>,
      %i: !vhlo.tensor_v1<3x1x!vhlo.i32_v1>,
      %u: !vhlo.tensor_v1<3x!vhlo.f32_v1>)
      -> (!vhlo.tensor_v1<3x2x!vhlo.f32_v1>) {
    %0 = "vhlo.scatter_v2"(%a, %i, %u) <{
        index_vector_dim = #vhlo.integer_v1<1 : i64>,
        indices_are_sorted = #vhlo.bool_v1<false>,
        input_batching_dims = #vhlo.tensor_v1<dense<> : tensor<0xi64>>,
        inserted_window_dims = #vhlo.tensor_v1<dense<0> : tensor<1xi64>>,
        scatter_dims_to_operand_dims =
            #vhlo.tensor_v1<dense<0> : tensor<1xi64>>,
        scatter_indices_batching_dims =
            #vhlo.tensor_v1<dense<> : tensor<0xi64>>,
        unique_indices = #vhlo.bool_v1<false>,
        update_window_dims = #vhlo.tensor_v1<dense<> : tensor<0xi64>>}> ({
      ^bb0(%x: !vhlo.tensor_v1<!vhlo.f32_v1>,
           %y: !vhlo.tensor_v1<!vhlo.f32_v1>):
        "vhlo.return_v1"(%y) : (!vhlo.tensor_v1<!vhlo.f32_v1>) -> ()
    }) : (!vhlo.tensor_v1<8x!vhlo.f32_v1>,
          !vhlo.tensor_v1<3x1x!vhlo.i32_v1>,
          !vhlo.tensor_v1<3x!vhlo.f32_v1>) -> !vhlo.tensor_v1<8x!vhlo.f32_v1>
    %1 = "vhlo.gather_v2"(%0, %i) <{
        collapsed_slice_dims = #vhlo.tensor_v1<dense<> : tensor<0xi64>>,
        index_vector_dim = #vhlo.integer_v1<1 : i64>,
        indices_are_sorted = #vhlo.bool_v1<false>,
        offset_dims = #vhlo.tensor_v1<dense<1> : tensor<1xi64>>,
        operand_batching_dims = #vhlo.tensor_v1<dense<> : tensor<0xi64>>,
        slice_sizes = #vhlo.tensor_v1<dense<2> : tensor<1xi64>>,
        start_index_map = #vhlo.tensor_v1<dense<0> : tensor<1xi64>>,
        start_indices_batching_dims =
            #vhlo.tensor_v1<dense<> : tensor<0xi64>>}>
        : (!vhlo.tensor_v1<8x!vhlo.f32_v1>, !vhlo.tensor_v1<3x1x!vhlo.i32_v1>)
        -> !vhlo.tensor_v1<3x2x!vhlo.f32_v1>
    "vhlo.return_v1"(%1) : (!vhlo.tensor_v1<3x2x!vhlo.f32_v1>) -> ()
  } {arg_attrs = #vhlo.array_v1<[]>, res_attrs = #vhlo.array_v1<[]>,
     sym_visibility = #vhlo.string_v1<"public">}
})";

// The array counts from 0, updates from 100 in hundreds.
const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {"gather_elements",
       Gather("collapsed_slice_dims = [0], start_index_map = [0], "
              "index_vector_dim = 1",
              "1", {"tensor<8xf32>", "tensor<4x1xi32>", "tensor<4xf32>"}),
       {8},
       {4, 1},
       {-1, 8, kFar, kFarBelow},
       {},
       {0, 7, 7, 0}},
      {"gather_windows",
       Gather("offset_dims = [1], start_index_map = [0], index_vector_dim = 1",
              "3", {"tensor<8xf32>", "tensor<3x1xi32>", "tensor<3x3xf32>"}),
       {8},
       {3, 1},
       {6, -2, kFar},
       {},
       {5, 6, 7, 0, 1, 2, 5, 6, 7}},
      {"gather_of_two_components",
       Gather("collapsed_slice_dims = [0, 1], start_index_map = [1, 0], "
              "index_vector_dim = 0",
              "1, 1", {"tensor<2x4xf32>", "tensor<2x3xi32>", "tensor<3xf32>"}),
       {2, 4},
       {2, 3},
       {9, 2, -1, 1, 9, -9},
       {},
       {7, 6, 0}},
      {"torch_index_select",
       R"(module @select {
         func.func public @main(%a: tensor<4x2xf32>, %i: tensor<3xi32>)
             -> tensor<3x2xf32> {
           %0 = "stablehlo.torch_index_select"(%a, %i)
               <{dim = 0 : i64, batch_dims = 0 : i64}>
               : (tensor<4x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
           return %0 : tensor<3x2xf32>
         }
       })",
       {4, 2},
       {3},
       {-1, 4, kFar},
       {},
       {0, 1, 6, 7, 6, 7}},
      {"dynamic_slice",
       R"(module @slice {
         func.func public @main(%a: tensor<8xf32>, %i: tensor<i32>)
             -> tensor<3xf32> {
           %0 = stablehlo.dynamic_slice %a, %i, sizes = [3]
               : (tensor<8xf32>, tensor<i32>) -> tensor<3xf32>
           return %0 : tensor<3xf32>
         }
       })",
       {8},
       {},
       {kFar},
       {},
       {5, 6, 7}},
      {"dynamic_update_slice",
       R"(module @update {
         func.func public @main(%a: tensor<8xf32>, %i: tensor<i32>,
                                %u: tensor<3xf32>) -> tensor<8xf32> {
           %0 = stablehlo.dynamic_update_slice %a, %u, %i
               : (tensor<8xf32>, tensor<3xf32>, tensor<i32>) -> tensor<8xf32>
           return %0 : tensor<8xf32>
         }
       })",
       {8},
       {},
       {kFarBelow},
       {3},
       {100, 200, 300, 3, 4, 5, 6, 7}},
      {"scatter_sets",
       Scatter(kElements, kSet, kThreeIntoEight),
       {8},
       {3, 1},
       {-1, 8, 2},
       {3},
       {0, 1, 300, 3, 4, 5, 6, 7}},
      {"scatter_sets_far_away",
       Scatter(kElements, kSet, kThreeIntoEight),
       {8},
       {3, 1},
       {kFar, 7, kFarBelow},
       {3},
       {0, 1, 2, 3, 4, 5, 6, 200}},
      {"scatter_adds",
       Scatter(kElements, kAdd, kThreeIntoEight),
       {8},
       {3, 1},
       {kFar, 7, -1},
       {3},
       {0, 1, 2, 3, 4, 5, 6, 207}},
      {"scatter_takes_the_largest",
       Scatter(kElements, kLargest, kThreeIntoEight),
       {8},
       {3, 1},
       {8, 0, kFarBelow},
       {3},
       {200, 1, 2, 3, 4, 5, 6, 7}},
      {"scatter_of_one",
       Scatter(kElements, kSet,
               {"tensor<8xf32>", "tensor<1x1xi32>", "tensor<1xf32>"}),
       {8},
       {1, 1},
       {8},
       {1},
       {0, 1, 2, 3, 4, 5, 6, 7}},
      {"scatter_of_one_that_multiplies",
       Scatter(kElements, kProduct,
               {"tensor<8xf32>", "tensor<1x1xi32>", "tensor<1xf32>"}),
       {8},
       {1, 1},
       {8},
       {1},
       {0, 1, 2, 3, 4, 5, 6, 7}},
      {"scatter_of_windows",
       Scatter("update_window_dims = [1], scatter_dims_to_operand_dims = [0], "
               "index_vector_dim = 1",
               kSet, {"tensor<8xf32>", "tensor<2x1xi32>", "tensor<2x2xf32>"}),
       {8},
       {2, 1},
       {7, 1},
       {2, 2},
       {0, 300, 400, 3, 4, 5, 6, 7}},
      {"scatter_of_rows",
       Scatter("update_window_dims = [1], inserted_window_dims = [0], "
               "scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
               kSet, {"tensor<4x2xf32>", "tensor<2x1xi32>", "tensor<2x2xf32>"}),
       {4, 2},
       {2, 1},
       {4, 1},
       {2, 2},
       {0, 1, 300, 400, 4, 5, 6, 7}},
      {"scatter_in_batches",
       Scatter("inserted_window_dims = [1], input_batching_dims = [0], "
               "scatter_indices_batching_dims = [0], "
               "scatter_dims_to_operand_dims = [1], index_vector_dim = 1",
               kAdd, {"tensor<4x2xf32>", "tensor<4x1xi32>", "tensor<4xf32>"}),
       {4, 2},
       {4, 1},
       {0, 2, -1, 1},
       {4},
       {100, 1, 2, 3, 4, 5, 6, 407}},
      {"both_in_vhlo",
       kVhlo,
       {8},
       {3, 1},
       {kFar, 2, -1},
       {3},
       {6, 7, 200, 3, 0, 1}},
  };
  return cases;
}

int64_t CountOf(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

class BoundsTest : public testing::TestWithParam<Case> {};

TEST_P(BoundsTest, AreKept) {
  const Case& given = GetParam();
  Values array;
  for (int64_t i = 0; i < CountOf(given.array); ++i) {
    array.push_back(static_cast<float>(i));
  }
  Values updates;
  for (int64_t i = 1; i <= CountOf(given.update); ++i) {
    updates.push_back(static_cast<float>(100 * i));
  }
  PJRT_LoadedExecutable* const program = Compile(given.program);
  ASSERT_NE(program, nullptr);
  std::vector<PJRT_Buffer*> arguments = {
      ToDevice(array.data(), {PJRT_Buffer_Type_F32, given.array, {}}),
      ToDevice(given.indices.data(), {PJRT_Buffer_Type_S32, given.index, {}})};
  if (!given.update.empty()) {
    arguments.push_back(
        ToDevice(updates.data(), {PJRT_Buffer_Type_F32, given.update, {}}));
  }
  const std::vector<PJRT_Buffer*> results = Execute(program, arguments, 1);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(Floats(ToHost(results[0])), given.expected);
  // The program did not write into its inputs.
  EXPECT_EQ(Floats(ToHost(arguments[0])), array);
  Destroy(results[0]);
  for (PJRT_Buffer* const argument : arguments) Destroy(argument);
  Destroy(program);
}

INSTANTIATE_TEST_SUITE_P(Each, BoundsTest, testing::ValuesIn(Cases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace iree_pjrt_test

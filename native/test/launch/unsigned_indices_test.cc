// SPDX-License-Identifier: Apache-2.0
// Unsigned indices of each size into an array of 8 numbers, up to the largest
// there is: as signed numbers those would lie in front of the array.
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

// Three indices, two of which lie outside, and -100, -200, -300 are written.
// `$I` is the type of an index.
struct Operation {
  std::string name;
  std::string body;  // %a and %u, the indices %i, and %0 of eight numbers
  Values expected;
};

constexpr char kUnsignedScatter[] = R"(
    %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers =
        #stablehlo.scatter<inserted_window_dims = [0],
            scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return $R : tensor<f32>
    }) : (tensor<8xf32>, tensor<3x1x$I>, tensor<3xf32>) -> tensor<8xf32>)";

// The index of one operation on a slice.
constexpr char kFirst[] = R"(
    %p = stablehlo.slice %i [0:1, 0:1] : (tensor<3x1x$I>) -> tensor<1x1x$I>
    %q = stablehlo.reshape %p : (tensor<1x1x$I>) -> tensor<$I>)";

// The first three of eight numbers are what was gathered.
constexpr char kFilled[] = R"(
    %z = stablehlo.slice %a [3:8] : (tensor<8xf32>) -> tensor<5xf32>
    %0 = stablehlo.concatenate %g, %z, dim = 0
        : (tensor<3xf32>, tensor<5xf32>) -> tensor<8xf32>)";

std::string Replaced(std::string text, const std::string& name,
                     const std::string& by) {
  iree_pjrt::ReplaceAll(text, name, by);
  return text;
}

const std::vector<Operation>& Operations() {
  static const std::vector<Operation> operations = {
      {"gather",
       std::string(R"(
    %g = "stablehlo.gather"(%a, %i) <{dimension_numbers =
        #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0],
            index_vector_dim = 1>, slice_sizes = array<i64: 1>}>
        : (tensor<8xf32>, tensor<3x1x$I>) -> tensor<3xf32>)") +
           kFilled,
       {7, 2, 7, 3, 4, 5, 6, 7}},
      {"dynamic_slice",
       std::string(kFirst) + R"(
    %g = stablehlo.dynamic_slice %a, %q, sizes = [3]
        : (tensor<8xf32>, tensor<$I>) -> tensor<3xf32>)" +
           kFilled,
       {5, 6, 7, 3, 4, 5, 6, 7}},
      {"dynamic_update_slice",
       std::string(kFirst) + R"(
    %0 = stablehlo.dynamic_update_slice %a, %u, %q
        : (tensor<8xf32>, tensor<3xf32>, tensor<$I>) -> tensor<8xf32>)",
       {0, 1, 2, 3, 4, -100, -200, -300}},
      {"scatter",
       Replaced(kUnsignedScatter, "$R", "%y"),
       {0, 1, -200, 3, 4, 5, 6, 7}},
      {"scatter_add",
       Replaced(kUnsignedScatter, "$R", "%s"),
       {0, 1, -198, 3, 4, 5, 6, 7}},
  };
  return operations;
}

class UnsignedIndicesTest : public testing::TestWithParam<Operation> {
 protected:
  // Runs the operation with the indices far, 2 and far.
  template <typename Index>
  static Values Run(PJRT_Buffer_Type type, Index far) {
    const Values array = {0, 1, 2, 3, 4, 5, 6, 7};
    const Values updates = {-100, -200, -300};
    const std::vector<Index> indices = {far, 2, far};
    const std::string element = "ui" + std::to_string(8 * sizeof(Index));
    PJRT_LoadedExecutable* const program = Compile(Replaced(
        "module @unsigned {\n  func.func public @main(%a: "
        "tensor<8xf32>, %i: tensor<3x1x$I>, %u: tensor<3xf32>) -> "
        "tensor<8xf32> {" +
            GetParam().body + "\n    return %0 : tensor<8xf32>\n  }\n}",
        "$I", element));
    const std::vector<PJRT_Buffer*> arguments = {
        ToDevice(array.data(), {PJRT_Buffer_Type_F32, {8}, {}}),
        ToDevice(indices.data(), {type, {3, 1}, {}}),
        ToDevice(updates.data(), {PJRT_Buffer_Type_F32, {3}, {}})};
    const std::vector<PJRT_Buffer*> results = Execute(program, arguments, 1);
    const Values values = Floats(ToHost(results.at(0)));
    Destroy(results[0]);
    for (PJRT_Buffer* const argument : arguments) Destroy(argument);
    Destroy(program);
    return values;
  }

  template <typename Index>
  static void ExpectFarIsOutside(PJRT_Buffer_Type type) {
    constexpr Index kAll = std::numeric_limits<Index>::max();
    // The first number that is negative where it is taken for a signed one.
    constexpr Index kHalf = kAll / 2 + 1;
    EXPECT_EQ(Run<Index>(type, kHalf), GetParam().expected) << "half";
    EXPECT_EQ(Run<Index>(type, kAll), GetParam().expected) << "all bits";
    EXPECT_EQ(Run<Index>(type, 8), GetParam().expected) << "one too far";
  }
};

TEST_P(UnsignedIndicesTest, Of8Bits) {
  ExpectFarIsOutside<uint8_t>(PJRT_Buffer_Type_U8);
}

TEST_P(UnsignedIndicesTest, Of16Bits) {
  ExpectFarIsOutside<uint16_t>(PJRT_Buffer_Type_U16);
}

TEST_P(UnsignedIndicesTest, Of32Bits) {
  ExpectFarIsOutside<uint32_t>(PJRT_Buffer_Type_U32);
}

TEST_P(UnsignedIndicesTest, Of64Bits) {
  ExpectFarIsOutside<uint64_t>(PJRT_Buffer_Type_U64);
}

INSTANTIATE_TEST_SUITE_P(Each, UnsignedIndicesTest,
                         testing::ValuesIn(Operations()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace iree_pjrt_test

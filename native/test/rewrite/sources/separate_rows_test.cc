// SPDX-License-Identifier: Apache-2.0
// SeparateRows, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/sources/passes.h"

namespace iree_pjrt {
namespace {

// A loop over `count` elements of `%in`, in which `%i` is the index.
std::string Looped(const std::string& count, const std::string& body) {
  const std::string type = "tensor<" + count + "xf32>";
  const std::string memory =
      "!iree_tensor_ext.dispatch.tensor<readonly:tensor<8x112x112x3xf32>>";
  return After("module { func.func @f(%memory: " + memory + ", %in: " + type +
                   ") -> " + type + " { %c0 = arith.constant 0 : index " +
                   "%c3 = arith.constant 3 : index " +
                   "%c7 = arith.constant 7 : index " +
                   "%c8 = arith.constant 8 : index " +
                   "%c111 = arith.constant 111 : index " +
                   "%c112 = arith.constant 112 : index " +
                   "%c1000 = arith.constant 1000 : index " +
                   "%zero = arith.constant 0.0 : f32 " +
                   "%array = iree_tensor_ext.dispatch.tensor.load %memory, "
                   "offsets = [0, 0, 0, 0], sizes = [8, 112, 112, 3], strides "
                   "= [1, 1, 1, 1] : " +
                   memory + " -> tensor<8x112x112x3xf32> " +
                   "%empty = tensor.empty() : " + type +
                   " %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> "
                   "(d0)>, affine_map<(d0) -> (d0)>], iterator_types = "
                   "[\"parallel\"]} ins(%in : " +
                   type + ") outs(%empty : " + type +
                   ") { ^bb0(%x: f32, %y: f32): %i = linalg.index 0 : index " +
                   body + " } -> " + type + " return %0 : " + type + " } }",
               &SeparateRows);
}

constexpr char kMasked[] =
    " %m = arith.cmpi sgt, %p, %c7 : index "
    "%s = arith.select %m, %x, %zero : f32 linalg.yield %s : f32";

TEST(SeparateRowsTest, ALoopOverRowsAndOneAlongThem) {
  const std::string text = Looped(
      "1000000", "%p = arith.remsi %i, %c1000 : index" + std::string(kMasked));
  EXPECT_TRUE(Holds(text, "expand_shape")) << text;
  EXPECT_TRUE(Holds(text, ": tensor<1000x1000xf32>) {")) << text;
  EXPECT_TRUE(Holds(text, "collapse_shape")) << text;
  const size_t index = text.find(" = linalg.index 1 ");
  ASSERT_NE(index, std::string::npos) << text;
  const std::string place =
      text.substr(text.rfind('%', index), index - text.rfind('%', index));
  EXPECT_TRUE(Holds(text, "arith.cmpi sgt, " + place + ",")) << text;
}

TEST(SeparateRowsTest, WhatIsShorterThanVectorsStaysTogether) {
  const std::string text = Looped(
      "336000",
      "%q = arith.divsi %i, %c3 : index %p = arith.remsi %q, %c112 : index" +
          std::string(kMasked));
  EXPECT_TRUE(Holds(text, "tensor<1000x336xf32>")) << text;
  EXPECT_TRUE(Holds(text, "linalg.index 1")) << text;
}

// Places in images, and the line `%b` that `%h` is once they are upside down.
constexpr char kTurned[] =
    "%c = arith.remsi %i, %c3 : index %q = arith.divsi %i, %c3 : index "
    "%w = arith.remsi %q, %c112 : index %r = arith.divsi %q, %c112 : index "
    "%h = arith.remsi %r, %c112 : index %n = arith.divsi %r, %c112 : index "
    "%b = arith.subi %c111, %h : index ";

TEST(SeparateRowsTest, WhatLiesSideBySideIsTakenByOneIndex) {
  const std::string text =
      Looped("301056", std::string(kTurned) +
                           "%e = tensor.extract %array[%n, %b, %w, %c] : "
                           "tensor<8x112x112x3xf32> "
                           "linalg.yield %e : f32");
  EXPECT_TRUE(Holds(text, "tensor<8x112x336xf32>")) << text;
  EXPECT_FALSE(Holds(text, "tensor.extract %0[")) << text;
}

TEST(SeparateRowsTest, WhatLiesElsewhereInOneArrayKeepsItsIndices) {
  // Of the second, lines are taken in another order.
  const std::string text = Looped(
      "301056", std::string(kTurned) +
                    "%e = tensor.extract %array[%n, %h, %w, %c] : "
                    "tensor<8x112x112x3xf32> "
                    "%f = tensor.extract %array[%n, %b, %w, %c] : "
                    "tensor<8x112x112x3xf32> "
                    "%s = arith.addf %e, %f : f32 linalg.yield %s : f32");
  EXPECT_EQ(Count(text, "-> tensor<8x112x112x3xf32>"), 1u);
  EXPECT_EQ(Count(text, "tensor<8x112x336xf32>) {"), 1u) << text;
}

TEST(SeparateRowsTest, OtherLoopsStay) {
  for (const char* body :
       {"%p = arith.addi %i, %c7 : index", "%p = arith.remsi %c7, %i : index",
        "%p = arith.remsi %i, %c8 : index"}) {
    const std::string text = Looped("1001", body + std::string(kMasked));
    EXPECT_FALSE(Holds(text, "expand_shape")) << text;
  }
}

}  // namespace
}  // namespace iree_pjrt

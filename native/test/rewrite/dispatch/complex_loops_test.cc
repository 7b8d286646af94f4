// SPDX-License-Identifier: Apache-2.0
// VectorizeComplex, and FillParts of complex numbers, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// Twice the numbers of a list of this length, of which workers get 32.
std::string Doubled(int length, const std::string& element,
                    const std::string& sum, void (*pass)(const Ir&)) {
  const std::string type =
      "tensor<" + std::to_string(length) + "x" + element + ">";
  return After(
      "module { hal.executable private @e { hal.executable.variant public @v "
      "target(<\"llvm-cpu\", \"static\", {cpu = \"generic\"}>) { "
      "builtin.module { func.func @f(%a: " +
          type + ", %b: " + type + ") -> " + type +
          " { %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, "
          "affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]} ins(%a "
          ": " +
          type + ") outs(%b : " + type +
          ") attrs = {lowering_config = "
          "#iree_cpu.lowering_config<distribution = [32], "
          "vector_common_parallel = [8]>} { ^bb0(%x: " +
          element + ", %y: " + element + "): %s = " + sum +
          " %x, %x : " + element + " linalg.yield %s : " + element + " } -> " +
          type + " return %0 : " + type + " } } } } }",
      pass);
}

std::string DoubledComplex(int length, void (*pass)(const Ir&)) {
  return Doubled(length, "complex<f32>", "complex.add", pass);
}

TEST(VectorizeComplexTest, ByLlvmWhereThereAreSome) {
  const std::string text = DoubledComplex(1000, &VectorizeComplex);
  EXPECT_TRUE(Holds(text, "loop_vectorization = true")) << text;
  EXPECT_TRUE(Holds(text, "vector_common_parallel = [1]")) << text;
  const std::string floats =
      Doubled(1000, "f32", "arith.addf", &VectorizeComplex);
  EXPECT_FALSE(Holds(floats, "loop_vectorization"));
  EXPECT_TRUE(Holds(floats, "vector_common_parallel = [8]"));
}

TEST(VectorizeComplexTest, TilesStayBesideAPack) {
  const std::string text = After(R"(module {
    hal.executable private @e { hal.executable.variant public @v
        target(<"llvm-cpu", "static", {cpu = "generic"}>) { builtin.module {
      func.func @f(%a: tensor<64xcomplex<f32>>, %b: tensor<64xf32>,
                   %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
        %0 = linalg.generic {
            indexing_maps = [affine_map<(d0) -> (d0)>,
                             affine_map<(d0) -> (d0)>],
            iterator_types = ["parallel"]}
            ins(%a : tensor<64xcomplex<f32>>) outs(%b : tensor<64xf32>)
            attrs = {lowering_config = #iree_cpu.lowering_config<
                vector_common_parallel = [16]>} {
        ^bb0(%x: complex<f32>, %y: f32):
          %r = complex.re %x : complex<f32>
          linalg.yield %r : f32
        } -> tensor<64xf32>
        %1 = linalg.pack %0 inner_dims_pos = [0] inner_tiles = [16] into %c
            {lowering_config = #iree_cpu.lowering_config<
                vector_common_parallel = [1]>}
            : tensor<64xf32> -> tensor<4x16xf32>
        return %1 : tensor<4x16xf32>
      }
    } } }
  })",
                                 &VectorizeComplex);
  EXPECT_TRUE(Holds(text, "vector_common_parallel = [16]")) << text;
}

TEST(FillPartsTest, ComplexNumbersAreInLongParts) {
  const auto parts_are = [](int length, const std::string& size) {
    return Holds(DoubledComplex(length, &FillParts),
                 "distribution = [" + size + "]");
  };
  EXPECT_TRUE(parts_are(1000000, "4096"));
  EXPECT_TRUE(parts_are(10000, "1256"));
  EXPECT_TRUE(parts_are(100, "32"));
  EXPECT_TRUE(Holds(Doubled(1000000, "f32", "arith.addf", &FillParts),
                    "distribution = [32]"));
}

}  // namespace
}  // namespace iree_pjrt

// SPDX-License-Identifier: Apache-2.0
// Rewrites of how dispatches are compiled, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "release/release_line.h"
#include "rewrite/dispatch/passes.h"

namespace iree_pjrt {
namespace {

// The name of IREE's pipeline as its releases print it.
std::string Pipeline(const std::string& name) {
  return kReleaseLine < ReleaseLine{3, 13} ? "CPU" + name
                                           : "#iree_cpu.pipeline<" + name + ">";
}

// A dispatch that sums rows of 100, or doubles each element of them.
std::string Dispatch(const std::string& pipeline, bool reduces,
                     const std::string& config = "") {
  const std::string to = reduces ? "8xf32" : "8x100xf32";
  return "func.func @f(%a: tensor<8x100xf32>, %b: tensor<" + to +
         ">) -> tensor<" + to +
         "> attributes {translation_info = "
         "#iree_codegen.translation_info<pipeline = " +
         pipeline +
         ">} {\n %0 = linalg.generic {indexing_maps = ["
         "affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> " +
         (reduces ? "(d0)" : "(d0, d1)") +
         ">], iterator_types = [\"parallel\", " +
         (reduces ? "\"reduction\"" : "\"parallel\"") +
         "]} ins(%a : tensor<8x100xf32>) outs(%b : tensor<" + to + ">)" +
         config + R"( {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, )" +
         (reduces ? "%y" : "%x") + R"( : f32
      linalg.yield %s : f32
    } -> tensor<)" +
         to + "> return %0 : tensor<" + to + "> }";
}

// The dispatch that doubles, in vectors of that many elements, for a processor
// with these features.
std::string On(const std::string& features, int vector,
               const std::string& triple = "x86_64-unknown-linux-gnu") {
  return "module { hal.executable private @e { hal.executable.variant public "
         "@v target(<\"llvm-cpu\", \"embedded\", {cpu_features = \"" +
         features + "\", target_triple = \"" + triple +
         "\"}>) { builtin.module { " +
         Dispatch(Pipeline("DoubleTilingExpert"), false,
                  " attrs = {lowering_config = #iree_cpu.lowering_config<"
                  "distribution = [4, 50], vector_common_parallel = [1, " +
                      std::to_string(vector) + "]>}") +
         " } } } }";
}

bool Peels(const std::string& text) {
  return Holds(After(text, &PeelLoops), "{enable_loop_peeling}");
}

// The sums of so many columns, which workers get in parts of that many and
// compute in vectors of 32; their tiles after the pass.
std::string PartsOfColumns(int columns, int part) {
  const std::string count = std::to_string(columns);
  return After("func.func @f(%a: tensor<50x" + count + "xf32>, %b: tensor<" +
                   count + "xf32>) -> tensor<" + count +
                   "xf32> { %0 = linalg.generic {indexing_maps = ["
                   "affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> "
                   "(d0)>], iterator_types = [\"parallel\", \"reduction\"]} "
                   "ins(%a : tensor<50x" +
                   count + "xf32>) outs(%b : tensor<" + count +
                   "xf32>) attrs = {lowering_config = "
                   "#iree_cpu.lowering_config<distribution = [" +
                   std::to_string(part) +
                   ", 0], vector_common_parallel = [32, 0], vector_reduction = "
                   "[0, 1]>} { ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %y "
                   ": f32 linalg.yield %s : f32 } -> tensor<" +
                   count + "xf32> return %0 : tensor<" + count + "xf32> }",
               &FillParts);
}

TEST(FillPartsTest, FewVectorsAreOnePart) {
  EXPECT_TRUE(Holds(PartsOfColumns(100, 25), "distribution = [100, 0]"));
  EXPECT_TRUE(Holds(PartsOfColumns(256, 8), "distribution = [256, 0]"));
}

TEST(FillPartsTest, PartsOfManyAreOfWholeVectors) {
  EXPECT_TRUE(Holds(PartsOfColumns(1000, 125), "distribution = [128, 0]"));
}

// An elementwise loop whose second array has one element for each row.
std::string PartsOfRows(const std::string& shape, const std::string& parts,
                        const std::string& read = "(d0, d1)") {
  const std::string array = "tensor<" + shape + "xf32>";
  const std::string rows =
      "tensor<" + shape.substr(0, shape.find('x')) + "xf32>";
  return After("func.func @f(%a: " + array + ", %v: " + rows +
                   ", %b: " + array + ") -> " + array +
                   " { %0 = linalg.generic {indexing_maps = [affine_map<(d0, "
                   "d1) -> " +
                   read +
                   ">, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> "
                   "(d0, d1)>], iterator_types = [\"parallel\", "
                   "\"parallel\"]} ins(%a, %v : " +
                   array + ", " + rows + ") outs(%b : " + array +
                   ") attrs = {lowering_config = "
                   "#iree_cpu.lowering_config<distribution = [" +
                   parts +
                   "], vector_common_parallel = [1, 16]>} { ^bb0(%x: f32, %y: "
                   "f32, %z: f32): %s = arith.addf %x, %y : f32 linalg.yield "
                   "%s : f32 } -> " +
                   array + " return %0 : " + array + " }",
               &FillParts);
}

TEST(FillPartsTest, RowsAreAsLongAsThePartHasElements) {
  EXPECT_TRUE(
      Holds(PartsOfRows("4096x1000", "128, 50"), "distribution = [4, 1000]"));
  EXPECT_TRUE(
      Holds(PartsOfRows("1024x1024", "64, 64"), "distribution = [4, 1024]"));
  EXPECT_TRUE(
      Holds(PartsOfRows("17x30000", "17, 60"), "distribution = [1, 1024]"));
}

TEST(FillPartsTest, BlocksOfWhatIsTransposedStay) {
  EXPECT_TRUE(Holds(PartsOfRows("1024x1024", "64, 64", "(d1, d0)"),
                    "distribution = [64, 64]"));
}

TEST(FillPartsTest, WholeVectorsStay) {
  EXPECT_TRUE(Holds(PartsOfColumns(1024, 64), "distribution = [64, 0]"));
  EXPECT_TRUE(Holds(PartsOfColumns(20, 20), "distribution = [20, 0]"));
  EXPECT_TRUE(Holds(PartsOfColumns(20, 0), "distribution = [0, 0]"));
}

// A convolution along one dimension, for a processor with these features, and
// the tiles of its results after the pass.
std::string TilesOf(const std::string& features, int places, int results,
                    const std::string& reduced = "d1 + d3, d4") {
  const std::string array =
      reduced == "d1, d4" ? "tensor<2x800x7xf32>" : "tensor<2x802x7xf32>";
  const std::string parts =
      std::to_string(places) + ", " + std::to_string(results);
  return After(
      "module { hal.executable private @e { hal.executable.variant public @v "
      "target(<\"llvm-cpu\", \"embedded\", {cpu_features = \"" +
          features +
          "\", target_triple = \"x86_64-unknown-linux-gnu\"}>) { "
          "builtin.module { func.func @f(%a: " +
          array +
          ", %b: "
          "tensor<3x7x192xf32>, %c: tensor<2x800x192xf32>) -> "
          "tensor<2x800x192xf32> { %0 = linalg.generic {indexing_maps = "
          "[affine_map<(d0, d1, d2, d3, d4) -> (d0, " +
          reduced +
          ")>, affine_map<(d0, d1, d2, d3, d4) -> (d3, d4, d2)>, "
          "affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>], iterator_types = "
          "[\"parallel\", \"parallel\", \"parallel\", \"reduction\", "
          "\"reduction\"]} ins(%a, %b : " +
          array +
          ", tensor<3x7x192xf32>) outs(%c : tensor<2x800x192xf32>) attrs = "
          "{lowering_config = #iree_cpu.lowering_config<distribution = [2, " +
          parts +
          ", 0, 0], vector_common_parallel = [0, 1, 8, 0, 0], vector_reduction "
          "= [0, 0, 0, 1, 16]>} { ^bb0(%x: f32, %y: f32, %z: f32): %p = "
          "arith.mulf %x, %y : f32 %s = arith.addf %z, %p : f32 linalg.yield "
          "%s : f32 } -> tensor<2x800x192xf32> return %0 : "
          "tensor<2x800x192xf32> } } } } }",
      &TileConvolutions);
}

std::string Vectors(int places, int features) {
  return "vector_common_parallel = [0, " + std::to_string(places) + ", " +
         std::to_string(features) + ", 0, 0]";
}

TEST(TileConvolutionsTest, TilesFillHalfOfTheRegisters) {
  const std::string text = TilesOf("+avx512f,+fma", 32, 64);
  EXPECT_TRUE(Holds(text, Vectors(8, 32))) << text;
  EXPECT_TRUE(Holds(text, "vector_reduction = [0, 0, 0, 1, 8]")) << text;
  EXPECT_TRUE(Holds(TilesOf("+avx2,+fma", 32, 64), Vectors(4, 16)));
}

TEST(TileConvolutionsTest, OddPartsFillMore) {
  EXPECT_TRUE(Holds(TilesOf("+avx512f,+fma", 13, 64), Vectors(13, 32)));
  EXPECT_TRUE(Holds(TilesOf("+avx512f,+fma", 17, 64), Vectors(17, 16)));
  EXPECT_TRUE(Holds(TilesOf("+avx512f,+fma", 32, 8), Vectors(16, 8)));
}

TEST(TileConvolutionsTest, OthersStay) {
  EXPECT_TRUE(Holds(TilesOf("+sse4.2", 32, 64), Vectors(1, 8)));
  EXPECT_TRUE(Holds(TilesOf("+avx512f,+fma", 32, 10), Vectors(1, 8)));
  EXPECT_TRUE(Holds(TilesOf("+avx512f,+fma", 32, 64, "d1, d4"), Vectors(1, 8)));
}

TEST(PeelLoopsTest, WholeVectorsOfReductionsAreNotMasked) {
  const std::string text =
      After(Dispatch(Pipeline("DoubleTilingExpert"), true), &PeelLoops);
  EXPECT_TRUE(Holds(text, "DoubleTilingExpert")) << text;
  EXPECT_TRUE(Holds(text, "{enable_loop_peeling}")) << text;
}

TEST(PeelLoopsTest, OthersAreNotMaskedByProcessorsWithoutMasks) {
  EXPECT_TRUE(Peels(On("+avx2,-avx512f", 8)));
  EXPECT_FALSE(Peels(On("+avx2,+avx512f", 8)));
  EXPECT_FALSE(Peels(On("+sve", 8, "aarch64-unknown-linux-gnu")));
}

TEST(PeelLoopsTest, LoopsShorterThanAVectorStayMasked) {
  EXPECT_FALSE(Peels(On("+avx2", 128)));
}

TEST(PeelLoopsTest, OthersStayAsIreeChose) {
  EXPECT_FALSE(Peels(Dispatch(Pipeline("DoubleTilingExpert"), false)));
  EXPECT_FALSE(Peels(Dispatch(Pipeline("Default"), true)));
  const std::string chosen = Pipeline("DoubleTilingExpert") + ", {other}";
  EXPECT_FALSE(Peels(Dispatch(chosen, true)));
}

// A dispatch that reduces booleans from this byte on, as IREE has them.
std::string Reduction(const std::string& combine, const std::string& start) {
  return R"(func.func @f(%a: tensor<8x100xi8>, %b: tensor<8xi8>)
      -> tensor<8xi8> {
    %c = arith.constant )" +
         start + R"( : i8
    %i = linalg.fill ins(%c : i8) outs(%b : tensor<8xi8>) -> tensor<8xi8>
    %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
        affine_map<(d0, d1) -> (d0)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<8x100xi8>) outs(%i : tensor<8xi8>) {
    ^bb0(%x: i8, %y: i8):
      %so_far = arith.trunci %y : i8 to i1
      %bit = arith.trunci %x : i8 to i1
      %s = )" +
         combine + R"( %so_far, %bit : i1
      %r = arith.extui %s : i1 to i8
      linalg.yield %r : i8
    } -> tensor<8xi8>
    return %0 : tensor<8xi8> })";
}

TEST(ReduceBooleansTest, BytesAreReduced) {
  for (const std::string combine : {"arith.ori", "arith.andi", "arith.xori"}) {
    const std::string text = After(Reduction(combine, "1"), &ReduceBooleans);
    EXPECT_TRUE(Holds(text, combine + " %out, %")) << text;
  }
}

TEST(ReduceBooleansTest, BytesOfMoreBitsStay) {
  const std::string text = After(Reduction("arith.ori", "3"), &ReduceBooleans);
  EXPECT_FALSE(Holds(text, "arith.ori %out")) << text;
}

TEST(ReduceBooleansTest, WhatDoesNotReduceBitsStays) {
  const std::string text = After(Reduction("arith.addi", "0"), &ReduceBooleans);
  EXPECT_FALSE(Holds(text, "arith.addi %out")) << text;
}

// A dispatch that takes rows of 16 by index, the index an input of the loops
// by this map, of this definition.
std::string Rows(const std::string& map, const std::string& indices) {
  return R"(func.func @f(%m: memref<32xi32>, %n: memref<9x16xf32>,
      %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
    %t = iree_codegen.load_from_buffer %n : memref<9x16xf32>
        -> tensor<9x16xf32>
)" + indices +
         R"(
    %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()" +
         map +
         R"()>, affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%i : tensor<16xi32>) outs(%b : tensor<16x16xf32>) {
    ^bb0(%x: i32, %y: f32):
      %r = arith.index_cast %x : i32 to index
      %c = linalg.index 1 : index
      %e = tensor.extract %t[%r, %c] : tensor<9x16xf32>
      linalg.yield %e : f32
    } -> tensor<16x16xf32>
    return %0 : tensor<16x16xf32> })";
}

// The first of the indices in memory, or every other one.
std::string Loaded(int step) {
  const std::string view =
      "memref<16xi32, strided<[" + std::to_string(step) + "]>>";
  return "%v = memref.subview %m[0] [16] [" + std::to_string(step) +
         "] : memref<32xi32> to " + view +
         " %i = iree_codegen.load_from_buffer %v : " + view +
         " -> tensor<16xi32>";
}

TEST(TakeRowsTest, IndicesAreReadByPlace) {
  const std::string text = After(Rows("d0", Loaded(1)), &TakeRows);
  EXPECT_TRUE(Holds(text, "linalg.index 0")) << text;
  EXPECT_EQ(Count(text, "tensor.extract"), 2) << text;
}

TEST(TakeRowsTest, OtherIndicesStayInputs) {
  // Of each element, computed by the dispatch, and of every other one.
  for (const std::string& text :
       {Rows("d1", Loaded(1)),
        Rows("d0", "%i = tensor.empty() : tensor<16xi32>"),
        Rows("d0", Loaded(2))}) {
    EXPECT_EQ(Count(After(text, &TakeRows), "tensor.extract"), 1) << text;
  }
}

// A packed product of two arrays of this type, and its target after the pass.
std::string Packed(const std::string& element, const std::string& sum,
                   const std::string& features) {
  const std::string factor = "tensor<4x4x8x2x" + element + ">";
  const std::string result = "tensor<4x4x8x8x" + sum + ">";
  return After(
      "module { hal.executable private @e { hal.executable.variant public @v "
      "target(<\"llvm-cpu\", \"static\", {cpu_features = \"" +
          features +
          "\", target_triple = \"x86_64-unknown-linux-gnu\", ukernels = "
          "\"none\"}>) { builtin.module { func.func @f(%a: " +
          factor + ", %b: " + factor + ", %c: " + result + ") -> " + result +
          " { %0 = linalg.mmt4d ins(%a, %b : " + factor + ", " + factor +
          ") outs(%c : " + result + ") -> " + result +
          " return %0 : " + result + " } } } } }",
      &CallMicrokernels);
}

TEST(CallMicrokernelsTest, WhereTheyAreFaster) {
  constexpr char kUsed[] = "ukernels = \"mmt4d\"";
  EXPECT_TRUE(Holds(Packed("i8", "i32", "+avx,+avx2"), kUsed));
  EXPECT_TRUE(Holds(Packed("bf16", "f32", "+avx2,+avx512f"), kUsed));
  EXPECT_FALSE(Holds(Packed("bf16", "f32", "+avx2,-avx512f"), kUsed));
  EXPECT_FALSE(Holds(Packed("f32", "f32", "+avx2,+avx512f"), kUsed));
  EXPECT_FALSE(Holds(Packed("i8", "i32", "+sse4.2"), kUsed));
}

// A product of float64 in tiles of 4 by 4, distributed in these parts.
std::string Product(const std::string& features, const std::string& parts) {
  return After(
      "module { hal.executable private @e { hal.executable.variant public @v "
      "target(<\"llvm-cpu\", \"static\", {cpu_features = \"" +
          features +
          "\"}>) { builtin.module { func.func @f(%a: tensor<64x64xf64>, %b: "
          "tensor<64x64xf64>, %c: tensor<64x64xf64>) -> tensor<64x64xf64> { "
          "%0 = linalg.matmul {lowering_config = "
          "#iree_cpu.lowering_config<distribution = [" +
          parts +
          ", 0], vector_common_parallel = [4, 4, 0], vector_reduction = [0, 0, "
          "16]>} ins(%a, %b : tensor<64x64xf64>, tensor<64x64xf64>) outs(%c : "
          "tensor<64x64xf64>) -> tensor<64x64xf64> return %0 : "
          "tensor<64x64xf64> } } } } }",
      &TileFloat64Products);
}

TEST(TileFloat64ProductsTest, TilesFillTheRegisters) {
  const std::string text = Product("+avx512f", "64, 64");
  EXPECT_TRUE(Holds(text, "vector_common_parallel = [8, 16, 0]")) << text;
  EXPECT_TRUE(Holds(text, "vector_reduction = [0, 0, 4]")) << text;
  EXPECT_TRUE(Holds(Product("+avx512f", "12, 24"), "[4, 8, 0]"));
  EXPECT_TRUE(Holds(Product("+avx2", "64, 64"), "[4, 4, 0]"));
}

}  // namespace
}  // namespace iree_pjrt

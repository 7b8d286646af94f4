// SPDX-License-Identifier: Apache-2.0
// Loops that become one dispatch, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/loops/passes.h"

namespace iree_pjrt {
namespace {

// A loop of four turns over two arrays; `body` computes %c and %d from %a and
// %b.
std::string Loop(const std::string& body, const std::string& yielded = "%c, %d",
                 const std::string& results = "%l#0, %l#1") {
  return R"(#map = affine_map<(d0) -> (d0)>
module {
  util.func public @main(%x: tensor<8xf32>, %y: tensor<8xf32>)
      -> (tensor<8xf32>, tensor<8xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %l:2 = scf.for %i = %c0 to %c4 step %c1
        iter_args(%a = %x, %b = %y) -> (tensor<8xf32>, tensor<8xf32>) {
)" + body +
         "scf.yield " + yielded + R"( : tensor<8xf32>, tensor<8xf32>
    }
    util.return )" +
         results + R"( : tensor<8xf32>, tensor<8xf32>
  }
})";
}

// Adds up two arrays.
std::string Sum(const std::string& result, const std::string& a,
                const std::string& b) {
  return "%e" + result.substr(1) + " = tensor.empty() : tensor<8xf32>\n" +
         result +
         " = linalg.generic {indexing_maps = [#map, #map, #map], "
         "iterator_types = [\"parallel\"]} ins(" +
         a + ", " + b + " : tensor<8xf32>, tensor<8xf32>) outs(%e" +
         result.substr(1) + R"( : tensor<8xf32>) {
        ^bb0(%p: f32, %q: f32, %r: f32):
          %s = arith.addf %p, %q : f32
          linalg.yield %s : f32
        } -> tensor<8xf32>
)";
}

std::string Dispatched(const std::string& text) {
  return After(text, [](const Ir& ir) {
    DispatchLoops(ir, [](MlirOperation) { return true; });
  });
}

size_t Allocated(const std::string& text) {
  return Count(text, "memref.alloca");
}

// What is carried, the operands and the results have an array each, which are
// the operands' and the results' own later.
constexpr size_t kOutside = 4;

TEST(DispatchLoopsTest, TheLoopIsInAnExecutable) {
  const std::string after =
      Dispatched(Loop(Sum("%c", "%a", "%b") + Sum("%d", "%b", "%b")));
  EXPECT_TRUE(Holds(after, "flow.dispatch @loop_dispatch_0"));
  const std::string program = after.substr(after.find("util.func"));
  EXPECT_FALSE(Holds(program, "scf.for"));
  EXPECT_FALSE(Holds(after, "iter_args"));
}

TEST(DispatchLoopsTest, ResultsAreWrittenWhereTheyAreCarried) {
  // %c is read once %a is not any more, %d goes where %b was read.
  const auto of = [](const std::string& body) {
    return Allocated(Dispatched(Loop(body)));
  };
  EXPECT_EQ(of(Sum("%d", "%a", "%b") + Sum("%c", "%a", "%a")), kOutside);
  // %a is needed after %c.
  EXPECT_EQ(of(Sum("%c", "%a", "%b") + Sum("%d", "%a", "%b")), kOutside + 1);
}

TEST(DispatchLoopsTest, ExchangedArraysAreCopiedFirst) {
  const std::string after = Dispatched(Loop("", "%b, %a"));
  EXPECT_EQ(Allocated(after), kOutside + 2);
}

// Writes %u, an array of two numbers, into an array.
std::string Insert(const std::string& result, const std::string& into) {
  return "%u" + result.substr(1) +
         " = tensor.extract_slice %y[%i] [2] [1] : tensor<8xf32> to "
         "tensor<2xf32>\n" +
         result + " = tensor.insert_slice %u" + result.substr(1) + " into " +
         into + "[%i] [2] [1] : tensor<2xf32> into tensor<8xf32>\n";
}

TEST(DispatchLoopsTest, ArraysAreChangedInPlaceIfNoOneReadsThemLater) {
  const auto of = [](const std::string& body) {
    return Allocated(Dispatched(Loop(body)));
  };
  EXPECT_EQ(of(Insert("%c", "%a") + Insert("%d", "%b")), kOutside);
  EXPECT_EQ(of(Insert("%c", "%a") + Sum("%d", "%a", "%b")), kOutside + 1);
}

TEST(DispatchLoopsTest, WhatStartsAsOneNumberIsWrittenWhereItIsCarried) {
  std::string loop = Loop(Sum("%c", "%a", "%b") + Sum("%d", "%b", "%b"));
  const std::string start = "iter_args(%a = %x";
  loop.replace(loop.find(start), start.size(), "iter_args(%a = %z");
  const std::string first = "%c0 = ";
  loop.insert(loop.find(first),
              "%z = arith.constant dense<0.0> : tensor<8xf32>\n");
  // One operand less.
  EXPECT_EQ(Allocated(Dispatched(loop)), kOutside - 1);
}

// A loop that multiplies matrices of so many columns and rows with others.
std::string ProductOf(int terms) {
  const std::string n = std::to_string(terms);
  const std::string lhs = "tensor<4x" + n + "xf32>";
  const std::string rhs = "tensor<" + n + "x8xf32>";
  return Dispatched(R"(#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
module {
  util.func public @main(%x: )" +
                    lhs + ", %w: " + rhs + R"(, %y: tensor<4x8xf32>)
      -> tensor<4x8xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %l = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %y)
        -> tensor<4x8xf32> {
      %c = linalg.generic {indexing_maps = [#lhs, #rhs, #out],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %w : )" +
                    lhs + ", " + rhs + R"() outs(%a : tensor<4x8xf32>) {
        ^bb0(%p: f32, %q: f32, %r: f32):
          %m = arith.mulf %p, %q : f32
          %s = arith.addf %r, %m : f32
          linalg.yield %s : f32
        } -> tensor<4x8xf32>
      scf.yield %c : tensor<4x8xf32>
    }
    util.return %l : tensor<4x8xf32>
  }
})");
}

TEST(DispatchLoopsTest, ATurnTakesSeveralTermsOfASum) {
  EXPECT_EQ(Count(ProductOf(24), "arith.addf"), 8u) << ProductOf(24);
  EXPECT_EQ(Count(ProductOf(9), "arith.addf"), 3u) << ProductOf(9);
  EXPECT_EQ(Count(ProductOf(11), "arith.addf"), 1u) << ProductOf(11);
  // Each row of the second matrix is read once.
  EXPECT_TRUE(
      Holds(ProductOf(24),
            R"(iterator_types = ["reduction", "parallel", "parallel"])"))
      << ProductOf(24);
}

// A sum of so many terms in each turn of a loop.
std::string SumOf(int terms) {
  const std::string row = "tensor<" + std::to_string(terms) + "xf32>";
  return Dispatched(R"(#in = affine_map<(d0) -> (d0)>
#out = affine_map<(d0) -> ()>
module {
  util.func public @main(%x: )" +
                    row + R"(, %y: tensor<f32>) -> tensor<f32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %l = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %y) -> tensor<f32> {
      %c = linalg.generic {indexing_maps = [#in, #out],
          iterator_types = ["reduction"]}
          ins(%x : )" +
                    row + R"() outs(%a : tensor<f32>) {
        ^bb0(%p: f32, %q: f32):
          %s = arith.addf %q, %p : f32
          linalg.yield %s : f32
        } -> tensor<f32>
      scf.yield %c : tensor<f32>
    }
    util.return %l : tensor<f32>
  }
})");
}

TEST(DispatchLoopsTest, SumsAlongMemoryAreSeveralSideBySide) {
  EXPECT_TRUE(Holds(SumOf(64), "memref<8xf32>)")) << SumOf(64);
  EXPECT_TRUE(Holds(SumOf(160), "memref<16xf32>)")) << SumOf(160);
  EXPECT_FALSE(Holds(SumOf(63), "memref<8xf32>")) << SumOf(63);
}

TEST(DispatchLoopsTest, BitsAreBytesInMemory) {
  const std::string after = Dispatched(R"(#map = affine_map<() -> ()>
module {
  util.func public @main(%x: tensor<i1>) -> tensor<i1> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %true = arith.constant true
    %l = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x) -> tensor<i1> {
      %e = tensor.empty() : tensor<i1>
      %c = linalg.generic {indexing_maps = [#map, #map], iterator_types = []}
          ins(%a : tensor<i1>) outs(%e : tensor<i1>) {
        ^bb0(%p: i1, %q: i1):
          %r = arith.xori %p, %true : i1
          linalg.yield %r : i1
        } -> tensor<i1>
      scf.yield %c : tensor<i1>
    }
    util.return %l : tensor<i1>
  }
})");
  EXPECT_FALSE(Holds(after, "memref<i1"));
  EXPECT_TRUE(Holds(after, "memref<i8"));
}

TEST(DispatchLoopsTest, LoopsOfWhatIsNotKnownStay) {
  const std::string unknown =
      "%c = tensor.pad %a low[0] high[0] {^bb0(%k: index): %z = "
      "arith.constant 0.0 : f32 tensor.yield %z : f32} : tensor<8xf32> to "
      "tensor<8xf32>\n";
  const std::string after = Dispatched(Loop(unknown + Sum("%d", "%a", "%b")));
  EXPECT_FALSE(Holds(after, "flow.dispatch"));
  EXPECT_TRUE(Holds(after, "scf.for"));
}

TEST(DispatchLoopsTest, ALoopOnWhichSimplifyingFailsStays) {
  const std::string after = After(
      Loop(Sum("%c", "%a", "%b") + Sum("%d", "%b", "%b")), [](const Ir& ir) {
        DispatchLoops(ir, [](MlirOperation) { return false; });
      });
  EXPECT_FALSE(Holds(after, "flow."));
}

// A function over this many bindings.
std::string Bound(int bindings, const std::string& body) {
  std::string layout;
  for (int i = 0; i < bindings; ++i) {
    layout += i ? ", " : "";
    layout += "#hal.pipeline.binding<storage_buffer>";
  }
  return "#layout = #hal.pipeline.layout<bindings = [" + layout + R"(]>
module {
  hal.executable private @e {
    hal.executable.variant public @v
        target(<"llvm-cpu", "static", {cpu = "generic"}>) {
      hal.executable.export public @f ordinal(0) layout(#layout)
      builtin.module {
        func.func @f() {
)" + body +
         "return\n } } } } }";
}

// `tensor` is what is bound as number `binding`, from `offset` on, and `memory`
// is where it is.
std::string Loaded(int binding, const std::string& offset,
                   const std::string& access) {
  const std::string bound =
      "!iree_tensor_ext.dispatch.tensor<" + access + ":tensor<8xf32>>";
  return "%at = arith.constant " + offset + R"( : index
      %bound = hal.interface.binding.subspan layout(#layout) binding()" +
         std::to_string(binding) + ") offset(%at) : " + bound + R"(
      %tensor = iree_tensor_ext.dispatch.tensor.load %bound, offsets = [0],
          sizes = [8], strides = [1] : )" +
         bound + R"( -> tensor<8xf32>
      %memory = memref.alloca() : memref<8xf32>
      bufferization.materialize_in_destination %tensor in restrict writable
          %memory : (tensor<8xf32>, memref<8xf32>) -> ()
)";
}

// What is in the memory becomes that of the binding.
std::string Stored(const std::string& memory, const std::string& bound,
                   const std::string& access) {
  return "%result = bufferization.to_tensor " + memory + R"( restrict
          : memref<8xf32> to tensor<8xf32>
      iree_tensor_ext.dispatch.tensor.store %result, )" +
         bound + R"(, offsets = [0],
          sizes = [8], strides = [1] : tensor<8xf32>
          -> !iree_tensor_ext.dispatch.tensor<)" +
         access + ":tensor<8xf32>>\n";
}

// Copies one binding, which begins there, to another.
std::string CopyFrom(const std::string& offset) {
  return Bound(2, Loaded(0, offset, "readonly") + R"(
      %start = arith.constant 0 : index
      %target = hal.interface.binding.subspan layout(#layout) binding(1)
          offset(%start)
          : !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8xf32>>
      %copy = memref.alloca() : memref<8xf32>
      linalg.copy ins(%memory : memref<8xf32>) outs(%copy : memref<8xf32>)
)" + Stored("%copy", "%target", "writeonly"));
}

TEST(BindLoopsTest, MemoryIsThatOfTheBindings) {
  const std::string after = After(CopyFrom("0"), &BindLoops);
  EXPECT_EQ(Allocated(after), 0U);
  EXPECT_FALSE(Holds(after, "dispatch.tensor.load"));
  EXPECT_FALSE(Holds(after, "dispatch.tensor.store"));
  EXPECT_EQ(Count(after, ": memref<8xf32>\n"), 2U);
  EXPECT_TRUE(Holds(after, "translation_info"));
  EXPECT_TRUE(Holds(after, "loop_vectorization = true"));
}

TEST(BindLoopsTest, MemoryMayBeginAnywhere) {
  EXPECT_TRUE(Holds(After(CopyFrom("64"), &BindLoops),
                    ": memref<8xf32, strided<[1], offset: ?>>\n"));
}

TEST(BindLoopsTest, AResultInPlaceIsOneBinding) {
  const std::string after =
      After(Bound(1, Loaded(0, "64", "readwrite") +
                         Stored("%memory", "%bound", "readwrite")),
            &BindLoops);
  EXPECT_EQ(Allocated(after), 0U) << after;
  EXPECT_FALSE(Holds(after, "dispatch.tensor.store")) << after;
}

// A scatter of rows; the region computes %c from the update %a and %b.
std::string Scatter(const std::string& type, const std::string& region) {
  const std::string array = "tensor<8x4x" + type + ">";
  const std::string updates = "tensor<3x4x" + type + ">";
  return R"(module {
  util.func public @main(%x: )" +
         array + ", %u: " + updates + R"(, %i: tensor<3x1xi32>) -> )" + array +
         R"( {
    %k = arith.constant 2.0 : f32
    %0 = iree_linalg_ext.scatter dimension_map = [0] unique_indices(false)
        ins(%u, %i : )" +
         updates + ", tensor<3x1xi32>) outs(%x : " + array + R"() {
    ^bb0(%a: )" +
         type + ", %b: " + type + "):\n" + region +
         "iree_linalg_ext.yield %c : " + type + "\n} -> " + array +
         "\nutil.return %0 : " + array + "\n}\n}";
}

TEST(DispatchScattersTest, ItWritesRowsInPlace) {
  const std::string after = After(Scatter("f32",
                                          "%d = arith.mulf %a, %k : f32\n"
                                          "%c = arith.addf %b, %d : f32\n"),
                                  &DispatchScatters);
  EXPECT_FALSE(Holds(after, "linalg_ext.scatter")) << after;
  EXPECT_TRUE(Holds(after, "-> %arg0")) << after;  // tied
  EXPECT_TRUE(Holds(after, "arith.cmpi ult")) << after;
  // The index is read once for a row: before the loop over its elements.
  EXPECT_EQ(Count(after, "scf.for"), 2U);
  EXPECT_LT(after.find("arith.index_cast"), after.find("scf.if"));
  EXPECT_LT(after.find("scf.if"), after.rfind("scf.for"));
}

TEST(DispatchScattersTest, BitsAreBytesInMemory) {
  const std::string after =
      After(Scatter("i1", "%c = arith.ori %b, %a : i1\n"), &DispatchScatters);
  EXPECT_TRUE(Holds(after, "memref<8x4xi8>")) << after;
  EXPECT_FALSE(Holds(after, "memref<8x4xi1>")) << after;
}

}  // namespace
}  // namespace iree_pjrt

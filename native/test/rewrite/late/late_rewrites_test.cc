// SPDX-License-Identifier: Apache-2.0
// Rewrites of executables and registers, as text before and after.
#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "rewrite/late/passes.h"

namespace iree_pjrt {
namespace {

TEST(EmbedObjectTest, ItsBytesTakeThePlaceOfTheName) {
  const std::string text =
      After(R"(module {
    hal.executable private @e {
      "hal.executable.binary"() <{sym_name = "b", format = "static",
          data = dense<[1, 2]> : vector<2xi8>}> : () -> ()
    }
  })",
            [](const Ir& ir) {
              EXPECT_TRUE(EmbedObject(ir, [] { return std::string(3, 7); }));
            });
  EXPECT_TRUE(Holds(text, "dense<7> : vector<3xi8>")) << text;
}

// A loop that swaps the values it gets.
std::string Swapping(const std::string& first, const std::string& second) {
  return After("vm.module @m { vm.func @f(%c: i32, %a: " + first +
                   ", %b: " + second + ") -> " + first + R"( {
      vm.br ^next(%a, %b : )" +
                   first + ", " + second + R"()
    ^next(%x: )" + first +
                   ", %y: " + second + R"():
      vm.cond_br %c, ^next(%x, %y : )" +
                   first + ", " + second + R"(), ^end
    ^end:
      vm.return %x : )" +
                   first + "}}",
               &SeparateBlockArguments);
}

TEST(SeparateBlockArgumentsTest, BesideAnI64EverythingIsOne) {
  const std::string i32 = Swapping("i32", "i64");
  EXPECT_TRUE(Holds(i32, "vm.ext.i32.i64.u")) << i32;
  EXPECT_TRUE(Holds(i32, "^bb1(%1: i64, %2: i64)")) << i32;
  EXPECT_TRUE(Holds(i32, "vm.return %3 : i32")) << i32;
  const std::string f32 = Swapping("f32", "i64");
  EXPECT_TRUE(Holds(f32, "vm.bitcast.f32.i32")) << f32;
  EXPECT_TRUE(Holds(f32, ": f32")) << f32;
}

TEST(SeparateBlockArgumentsTest, ValuesOfOneSizeStay) {
  EXPECT_FALSE(Holds(Swapping("i32", "i32"), "vm.ext"));
  EXPECT_FALSE(Holds(Swapping("i64", "i64"), "vm.ext"));
}

TEST(SeparateBlockArgumentsTest, WhatIsHandedOverTwiceIsCopied) {
  const std::string text = After(R"(vm.module @m {
    vm.func @f(%a: !vm.buffer, %b: !vm.buffer) -> !vm.buffer {
      vm.br ^next(%a, %b, %a : !vm.buffer, !vm.buffer, !vm.buffer)
    ^next(%x: !vm.buffer, %y: !vm.buffer, %z: !vm.buffer):
      vm.return %x : !vm.buffer
    }
  })",
                                 &SeparateBlockArguments);
  EXPECT_TRUE(Holds(text, "= vm.assign.ref %arg0")) << text;
  EXPECT_FALSE(Holds(text, "vm.br ^bb1(%arg0, %arg1, %arg0")) << text;
}

}  // namespace
}  // namespace iree_pjrt

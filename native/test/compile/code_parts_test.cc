// SPDX-License-Identifier: Apache-2.0
#include "compile/code_parts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "parsed_module.h"

namespace iree_pjrt {
namespace {

// An executable as IREE has them before it links them, with a function of about
// as many operations.
std::string Executable(const std::string& name, int operations,
                       const std::string& function) {
  std::string text = "hal.executable private @" + name + R"( {
    hal.executable.variant public @v target(<"llvm-cpu", "static",
        {static_library_output = "/folder/all.o"}>) {
      hal.executable.export public @)" +
                     name + R"( ordinal(0)
          layout(#hal.pipeline.layout<bindings = [
              #hal.pipeline.binding<storage_buffer>]>)
          count(%d: !hal.device) -> (index, index, index) {
        %c1 = arith.constant 1 : index
        hal.return %c1, %c1, %c1 : index, index, index
      }
      builtin.module attributes {llvm.target_triple = "x86_64-none-elf"} {
        llvm.func @)" +
                     function + R"((%a: !llvm.ptr, %b: !llvm.ptr,
                                       %c: !llvm.ptr) -> i32 {
          %0 = llvm.mlir.constant(1 : i32) : i32
)";
  for (int i = 0; i < operations; ++i) {
    text += "%" + std::to_string(i + 1) + " = llvm.add %" + std::to_string(i) +
            ", %" + std::to_string(i) + " : i32\n";
  }
  return text + "llvm.return %" + std::to_string(operations) +
         " : i32\n}\n}\n}\n}\n";
}

std::string Executable(const std::string& name, int operations) {
  return Executable(name, operations, name);
}

std::string Joined(const std::string& executables) {
  return "module @program attributes {test.of = \"parts\"} {\n" + executables +
         "}";
}

// What stays, and the parts as text.
std::vector<std::string> Parts(const std::string& program, size_t count) {
  std::vector<std::string> all(1);
  WithModule(program, [&](const Ir& ir) {
    for (const CodePart& part : TakeCodeParts(ir, "/folder/all.o", count)) {
      EXPECT_EQ(part.object_path,
                "/folder/all." + std::to_string(all.size()) + ".o");
      all.push_back(part.bytecode);
    }
    EXPECT_TRUE(ir.api.mlirOperationVerify(ir.module));
    all[0] = ir.Print(ir.module);
  });
  for (size_t i = 1; i < all.size(); ++i) {
    WithModule(all[i],
               [&](const Ir& part) { all[i] = part.Print(part.module); });
  }
  return all;
}

TEST(CodePartsTest, EachFunctionIsInOnePart) {
  const auto all =
      Parts(Joined(Executable("small", 500) + Executable("large", 5000) +
                   Executable("other", 4000)),
            1);
  ASSERT_EQ(all.size(), 2U);
  // The largest goes, the others stay.
  EXPECT_EQ(Count(all[1], "llvm.add"), 5000U);
  EXPECT_TRUE(Holds(all[1], "test.of = \"parts\"")) << all[1].substr(0, 300);
  EXPECT_TRUE(Holds(all[1], "hal.executable public @large"));
  EXPECT_TRUE(Holds(all[1], "llvm.target_triple"));
  EXPECT_EQ(Count(all[0], "llvm.add"), 4500U);
  // All have a place in the program's table.
  for (const std::string name : {"small", "large", "other"}) {
    EXPECT_TRUE(Holds(all[0], "hal.executable private @" + name)) << name;
    EXPECT_TRUE(Holds(all[0], "hal.executable.export public @" + name)) << name;
    EXPECT_TRUE(Holds(all[0], "llvm.func @" + name + "(")) << name;
  }
  EXPECT_EQ(Count(all[0], "llvm.target_triple"), 3U);
  EXPECT_TRUE(Holds(all[0], "\"/folder/all.o\""));
  EXPECT_FALSE(Holds(all[0], "all.1.o"));
  EXPECT_TRUE(Holds(all[1], "\"/folder/all.1.o\""));
  EXPECT_FALSE(Holds(all[1], "\"/folder/all.o\""));
}

TEST(CodePartsTest, ThereAreNoMoreThanAreWorthIt) {
  const std::string few = Joined(Executable("a", 3000) + Executable("b", 3000));
  EXPECT_EQ(Parts(few, 3).size(), 1U);
  const std::string some =
      Joined(Executable("a", 5000) + Executable("b", 5000));
  EXPECT_EQ(Parts(some, 0).size(), 1U);
  EXPECT_EQ(Parts(some, 1).size(), 2U);
  EXPECT_EQ(Parts(some, 7).size(), 2U);
  // One executable is one part.
  EXPECT_EQ(Parts(Joined(Executable("a", 20000)), 3).size(), 2U);
}

TEST(CodePartsTest, FunctionsThatAreNotFoundByNameStay) {
  EXPECT_EQ(
      Parts(Joined(Executable("a", 6000, "elsewhere") + Executable("b", 6000)),
            1)
          .size(),
      1U);
}

TEST(CodePartsTest, AFewDispatchesAreNotAskedFor) {
  const std::string one = Executable("a", 1);
  WithModule(Joined(one), [](const Ir& ir) { EXPECT_FALSE(MayHaveParts(ir)); });
  WithModule(Joined(one + Executable("b", 1) + Executable("c", 1) +
                    Executable("d", 1)),
             [](const Ir& ir) { EXPECT_TRUE(MayHaveParts(ir)); });
}

}  // namespace
}  // namespace iree_pjrt

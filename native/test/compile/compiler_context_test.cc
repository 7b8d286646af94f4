// SPDX-License-Identifier: Apache-2.0
#include "compile/compiler_context.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "parsed_module.h"

namespace iree_pjrt {
namespace {

constexpr char kSum[] = R"(
module @sum {
  func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %b : tensor<4xf32> loc("file.py":3:1)
    return %0 : tensor<4xf32>
  }
})";

const CompilerLibrary& TheLibrary() {
  return CompilerLibrary::Open(CompilerLibraryPath());
}

std::string RefusalOf(const CompilerContext& context, const std::string& text) {
  try {
    const ModuleInContext module(context, text);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(CompilerContextTest, AProgramMovesWithItsLocations) {
  const CompilerContext first(TheLibrary(), {}, "first");
  const CompilerContext second(TheLibrary(), {}, "second");
  auto module = std::make_unique<ModuleInContext>(first, kSum);
  const std::string text = module->ir().Print(module->ir().module);
  module = std::make_unique<ModuleInContext>(second, module->ToBytecode());
  const Ir ir = module->ir();
  EXPECT_EQ(ir.Print(ir.module), text);
  bool located = false;
  for (const MlirOperation op : ir.AllOperations()) {
    if (ir.Name(op) != "stablehlo.add") continue;
    located = ir.api.mlirLocationIsAFileLineColRange(
        ir.api.mlirOperationGetLocation(op));
  }
  EXPECT_TRUE(located);
}

TEST(CompilerContextTest, APhaseMayRunInEach) {
  const CompilerContext first(TheLibrary(), {}, "first");
  const CompilerContext second(
      TheLibrary(), {"--iree-hal-target-backends=llvm-cpu"}, "second");
  auto module = std::make_unique<ModuleInContext>(first, kSum);
  module->RunPhases("start", "input");
  module = std::make_unique<ModuleInContext>(second, module->ToBytecode());
  module->RunPhases("input", "end");
  EXPECT_FALSE(module->Output().empty());
}

TEST(CompilerContextTest, AnErrorIsOfItsOwnProgram) {
  const CompilerContext context(TheLibrary(), {}, "it");
  EXPECT_TRUE(Holds(RefusalOf(context, "module { what.is_this }"), "what"));
  EXPECT_EQ(RefusalOf(context, kSum), "");
  // Cut off in the middle.
  const std::string bytecode = ModuleInContext(context, kSum).ToBytecode();
  EXPECT_NE(RefusalOf(context, bytecode.substr(0, bytecode.size() / 2)), "");
}

}  // namespace
}  // namespace iree_pjrt

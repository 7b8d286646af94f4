// SPDX-License-Identifier: Apache-2.0
#include "compile/task_compiler.h"

#include <gtest/gtest.h>

#include <string>

#include "parsed_module.h"
#include "program/options.h"

namespace iree_pjrt {
namespace {

// Products of different shapes: none shares the code of another.
std::string Products(int count) {
  const auto matrix = [](int i) {
    return "tensor<" + std::to_string(i + 3) + "x" + std::to_string(i + 4) +
           "xf32>";
  };
  std::string arguments;
  std::string body;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    arguments += ", %m" + number + ": " + matrix(i);
    const std::string row = "tensor<2x" + std::to_string(i + 3) + "xf32>";
    body += "%r" + std::to_string(i + 1) + " = stablehlo.dot_general %r" +
            number + ", %m" + number + ", contracting_dims = [1] x [0] : (" +
            row + ", " + matrix(i) + ") -> tensor<2x" + std::to_string(i + 4) +
            "xf32>\n";
  }
  const std::string last = "tensor<2x" + std::to_string(count + 3) + "xf32>";
  return "module @products { func.func public @main(%r0: tensor<2x3xf32>" +
         arguments + ") -> " + last + " {\n" + body + "return %r" +
         std::to_string(count) + " : " + last + "\n} }";
}

std::string Compiled(bool alone) {
  ClientOptions options;
  options.compiler_library_path = CompilerLibraryPath();
  CompileTask task;
  task.program = Products(8);
  // Linked by the compiler: no file is named in the program.
  task.flags = {
      "--iree-input-type=stablehlo_xla", "--iree-hal-target-device=local",
      "--iree-hal-local-target-device-backends=llvm-cpu",
      "--iree-llvmcpu-target-cpu=generic", "--iree-llvmcpu-link-embedded=true"};
  task.alone = alone;
  return TaskCompiler(options).Compile(task).program->vmfb;
}

TEST(TaskCompilerTest, SideBySideDispatchesBecomeTheSameCode) {
  const std::string one_by_one = Compiled(false);
  EXPECT_FALSE(one_by_one.empty());
  for (int turn = 0; turn < 5; ++turn) EXPECT_EQ(Compiled(true), one_by_one);
}

}  // namespace
}  // namespace iree_pjrt

// SPDX-License-Identifier: Apache-2.0
#include "compile/compile_session.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "compile/pass_lists.h"
#include "parsed_module.h"

namespace iree_pjrt {
namespace {

constexpr char kTuning[] = "--iree-global-opt-data-tiling";

const CompilerLibrary& Library() {
  return CompilerLibrary::Open(CompilerLibraryPath());
}

TEST(CompileSessionTest, FlagsThatItMayBeTunedWithAreTried) {
  EXPECT_NO_THROW(CompileSession(Library(), {}, false));
  try {
    CompileSession(Library(), {}, false, Contexts::kOneEach,
                   {"--iree-no-such-tuning"});
    FAIL() << "the compiler has no such flag";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), PJRT_Error_Code_INVALID_ARGUMENT);
    EXPECT_TRUE(Holds(error.message(), "tuning the IREE compiler"))
        << error.message();
    EXPECT_TRUE(Holds(error.message(), "iree-no-such-tuning"))
        << error.message();
  }
}

TEST(CompileSessionTest, EachTuningHasAContextThatIsKept) {
  CompileSession session(Library(), {}, false);
  const CompilerContext& plain = session.code({});
  const std::vector<std::string> tuning{kTuning};
  const CompilerContext& tuned = session.code(tuning);
  EXPECT_NE(plain.mlir().ptr, tuned.mlir().ptr);
  EXPECT_EQ(&session.code({}), &plain);
  EXPECT_EQ(&session.code(tuning), &tuned);
  EXPECT_EQ(&session.stream(), &session.stream());
  EXPECT_NE(session.stream().mlir().ptr, session.input().mlir().ptr);
  EXPECT_NE(session.vm().mlir().ptr, session.stream().mlir().ptr);
}

TEST(CompileSessionTest, ALargeProgramStaysWhereItIs) {
  CompileSession session(Library(), {}, false, Contexts::kOneForAll);
  EXPECT_EQ(&session.code({}), &session.input());
  EXPECT_EQ(&session.stream(), &session.input());
  EXPECT_EQ(&session.vm(), &session.input());
  EXPECT_EQ(&session.code({kTuning}), &session.input());
}

// As compiler_flags.cc has them, without a device.
const std::vector<std::string> kOurs{"--iree-opt-const-eval=false",
                                     "--iree-opt-const-expr-hoisting=false"};

// The program after IREE's own pipeline, and after our list of its passes.
void ExpectEqualAfter(const std::string& program, const char* from,
                      const char* to, const PassList& ours, const char* made) {
  const CompilerContext theirs(Library(), kOurs, "their passes");
  ModuleInContext expected(theirs, program);
  expected.RunPhases(from, to);
  const CompilerContext other(Library(), kOurs, "our passes");
  const PassPipeline pipeline(Library().mlir, other.mlir(), ours);
  const ModuleInContext module(other, program);
  EXPECT_TRUE(pipeline.Run(module.ir().module));
  const std::string text = module.ir().Print(module.ir().module);
  EXPECT_EQ(text, expected.ir().Print(expected.ir().module));
  EXPECT_TRUE(Holds(text, made)) << text;
}

TEST(CompileSessionTest, OurListsAreWhatTheFlagsAskFor) {
  ExpectEqualAfter(R"(
module @program {
  util.global private mutable @state = dense<1.0> : tensor<8x4xf32>
  func.func public @main(%a: tensor<8x8xf32>, %b: tensor<8x4xf32>, %n: index)
      -> (tensor<8x4xf32>, tensor<4xf32>) {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %table = arith.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
    %empty = tensor.empty() : tensor<8x4xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4xf32>)
        -> tensor<8x4xf32>
    %product = linalg.matmul
        ins(%a, %b : tensor<8x8xf32>, tensor<8x4xf32>)
        outs(%zeros : tensor<8x4xf32>) -> tensor<8x4xf32>
    %state = util.global.load @state : tensor<8x4xf32>
    %looped = scf.for %i = %c0 to %n step %c1 iter_args(%x = %product)
        -> tensor<8x4xf32> {
      %y = arith.addf %x, %state : tensor<8x4xf32>
      scf.yield %y : tensor<8x4xf32>
    }
    util.global.store %looped, @state : tensor<8x4xf32>
    %first = tensor.collapse_shape %table [[0, 1]]
        : tensor<1x4xf32> into tensor<4xf32>
    %sum = linalg.reduce { arith.addf }
        ins(%looped : tensor<8x4xf32>) outs(%first : tensor<4xf32>)
        dimensions = [0]
    return %looped, %sum : tensor<8x4xf32>, tensor<4xf32>
  }
})",
                   "input", "flow", PassesToDispatches(), "flow.dispatch");
  ExpectEqualAfter(R"(
module @program {
  util.global private mutable @turns = 0 : i64
  util.initializer {
    %0 = arith.constant 7 : i64
    util.global.store %0, @turns : i64
    util.return
  }
  util.func private @twice(%a: i32) -> i32 {
    %0 = arith.addi %a, %a : i32
    util.return %0 : i32
  }
  util.func public @main(%a: i32, %n: index) -> (i32, i64) {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %r = scf.for %i = %0 to %n step %1 iter_args(%x = %a) -> i32 {
      %y = util.call @twice(%x) : (i32) -> i32
      scf.yield %y : i32
    }
    %turns = util.global.load @turns : i64
    util.return %r, %turns : i32, i64
  }
})",
                   "hal", "vm", PassesToVm(), "vm.module");
}

TEST(CompileSessionTest, ADeviceIsWhatIreeAssigns) {
  const std::vector<std::string> flags{
      "--iree-hal-target-device=local",
      "--iree-hal-local-target-device-backends=llvm-cpu",
      "--iree-llvmcpu-target-cpu=generic"};
  CompileSession session(Library(), flags, false);
  const auto& device = session.device("");
  ASSERT_TRUE(device);
  EXPECT_EQ(&session.device(""), &device);
  const std::string program =
      "module @m { util.func public @f(%a: i32) -> i32 { util.return %a : i32 "
      "} }";
  ModuleInContext theirs(session.code({}), program);
  theirs.RunPhases("preprocessing", "global-optimization");
  ModuleInContext ours(session.stream(), program);
  device->AddTo(ours.ir());
  EXPECT_TRUE(Holds(device->target, "llvm-cpu")) << device->target;
  EXPECT_EQ(ours.ir().Print(ours.ir().module),
            theirs.ir().Print(theirs.ir().module));
}

TEST(CompileSessionTest, WithoutFlagsThereIsNoDevice) {
  EXPECT_FALSE(CompileSession(Library(), {}, false).device(""));
}

TEST(CompileSessionTest, FlagsOfOurPassesTakeTheirPipelines) {
  const auto takes_ours = [](const std::vector<std::string>& flags) {
    return CompileSession(Library(), flags, false).takes_our_passes();
  };
  EXPECT_TRUE(takes_ours(kOurs));
  EXPECT_TRUE(takes_ours({"--iree-llvmcpu-target-cpu=generic",
                          "--iree-hal-target-device=local",
                          "--iree-vm-bytecode-module-strip-source-map"}));
  EXPECT_FALSE(takes_ours({"--iree-opt-level=O1"}));
  EXPECT_FALSE(takes_ours({"--iree-opt-const-expr-hoisting=true"}));
  EXPECT_FALSE(takes_ours({"--iree-vm-target-index-bits=32"}));
}

TEST(CompileSessionTest, FlagsThatTheCompilerDoesNotTakeAreNamed) {
  try {
    CompileSession(Library(), {"--iree-no-such-flag"}, false);
    FAIL() << "the compiler has no such flag";
  } catch (const Error& error) {
    EXPECT_TRUE(Holds(error.message(), "flags of the IREE compiler"))
        << error.message();
    EXPECT_TRUE(Holds(error.message(), "iree-no-such-flag")) << error.message();
  }
}

}  // namespace
}  // namespace iree_pjrt

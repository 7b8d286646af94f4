// SPDX-License-Identifier: Apache-2.0
// Rewrites of programs as text, with the compiler library that
// IREE_PJRT_COMPILER_LIB_PATH names.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "compiler_library.h"
#include "rewrite/rewrites.h"

namespace iree_pjrt {
namespace {

// The module after the rewrite, printed; it is verified.
std::string After(const std::string& text,
                  const std::function<void(const Ir&)>& rewrite) {
  const char* path = std::getenv("IREE_PJRT_COMPILER_LIB_PATH");
  EXPECT_NE(path, nullptr) << "set it to the path of libIREECompiler.so";
  const CompilerLibrary& library = CompilerLibrary::Open(path ? path : "");
  auto* session = library.ireeCompilerSessionCreate();
  auto* invocation = library.ireeCompilerInvocationCreate(session);
  iree_compiler_source_t* source = nullptr;
  library.ireeCompilerSourceWrapBuffer(session, "test", text.c_str(),
                                       text.size() + 1, true, &source);
  std::string printed;
  EXPECT_TRUE(library.ireeCompilerInvocationParseSource(invocation, source));
  const Ir ir{library.mlir, library.ireeCompilerSessionBorrowContext(session),
              library.ireeCompilerInvocationExportStealModule(invocation)};
  if (ir.module.ptr) {
    rewrite(ir);
    EXPECT_TRUE(library.mlir.mlirOperationVerify(ir.module));
    printed = ir.Print(ir.module);
    library.ireeCompilerInvocationImportStealModule(invocation, ir.module);
  }
  library.ireeCompilerInvocationDestroy(invocation);
  library.ireeCompilerSourceDestroy(source);
  library.ireeCompilerSessionDestroy(session);
  return printed;
}

bool Holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(WidenLoopsTest, EveryCarriedValueHasAResult) {
  const std::string text = After(R"(module {
    util.func public @main(%a: index, %b: index) -> index {
      %0 = scf.while (%x = %a, %y = %b) : (index, index) -> index {
        %1 = arith.cmpi slt, %x, %y : index
        scf.condition(%1) %x : index
      } do {
      ^bb0(%z: index):
        %2 = arith.addi %z, %z : index
        scf.yield %2, %z : index, index
      }
      util.return %0 : index
    }
  })",
                                 &WidenLoops);
  EXPECT_TRUE(Holds(text, "(index, index) -> (index, i1)")) << text;
  EXPECT_TRUE(Holds(text, "#0 : index")) << text;
}

TEST(WidenLoopsTest, OtherLoopsStay) {
  const std::string text = After(R"(module {
    util.func public @main(%a: index, %b: index) -> index {
      %0 = scf.while (%x = %a) : (index) -> index {
        %1 = arith.cmpi slt, %x, %b : index
        scf.condition(%1) %x : index
      } do {
      ^bb0(%z: index):
        scf.yield %z : index
      }
      util.return %0 : index
    }
  })",
                                 &WidenLoops);
  EXPECT_TRUE(Holds(text, ": (index) -> index {")) << text;
}

TEST(StabilizeSortsTest, TurnsTheComparisonAround) {
  const std::string text = After(R"(module {
    util.func public @main(%v: tensor<8xi32>) -> tensor<8xi32> {
      %0 = iree_linalg_ext.sort dimension(0) outs(%v : tensor<8xi32>) {
      ^bb0(%a: i32, %b: i32):
        %1 = arith.cmpi slt, %a, %b : i32
        iree_linalg_ext.yield %1 : i1
      } -> tensor<8xi32>
      util.return %0 : tensor<8xi32>
    }
  })",
                                 &StabilizeSorts);
  EXPECT_TRUE(Holds(text, "arith.cmpi slt, %arg2, %arg1 : i32")) << text;
  EXPECT_TRUE(Holds(text, "arith.xori")) << text;
}

TEST(RewriteUnsignedOperationsTest, TheWindowIsOverSignedIntegers) {
  const std::string text = After(R"(module {
    func.func @main(%v: tensor<4xui8>, %i: tensor<ui8>) -> tensor<4xui8> {
      %0 = "stablehlo.reduce_window"(%v, %i) <{
          padding = dense<[[3, 0]]> : tensor<1x2xi64>,
          window_dimensions = array<i64: 4>}> ({
      ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
        %1 = stablehlo.maximum %a, %b : tensor<ui8>
        stablehlo.return %1 : tensor<ui8>
      }) : (tensor<4xui8>, tensor<ui8>) -> tensor<4xui8>
      return %0 : tensor<4xui8>
    }
  })",
                                 &RewriteUnsignedOperations);
  EXPECT_TRUE(Holds(text, "(tensor<4xi8>, tensor<i8>) -> tensor<4xi8>"))
      << text;
  EXPECT_TRUE(Holds(text, "stablehlo.maximum")) << text;
  EXPECT_TRUE(Holds(text, ": tensor<ui8>")) << text;
  EXPECT_TRUE(Holds(text, "(tensor<4xi8>) -> tensor<4xui8>")) << text;
}

}  // namespace
}  // namespace iree_pjrt

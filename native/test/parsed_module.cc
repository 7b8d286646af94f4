// SPDX-License-Identifier: Apache-2.0
#include "parsed_module.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "compiler_library.h"

namespace iree_pjrt {

void WithModule(const std::string& text,
                const std::function<void(const Ir&)>& look) {
  const char* path = std::getenv("IREE_PJRT_COMPILER_LIB_PATH");
  EXPECT_NE(path, nullptr) << "set it to the path of libIREECompiler.so";
  const CompilerLibrary& library = CompilerLibrary::Open(path ? path : "");
  auto* session = library.ireeCompilerSessionCreate();
  auto* invocation = library.ireeCompilerInvocationCreate(session);
  iree_compiler_source_t* source = nullptr;
  library.ireeCompilerSourceWrapBuffer(session, "test", text.c_str(),
                                       text.size() + 1, true, &source);
  EXPECT_TRUE(library.ireeCompilerInvocationParseSource(invocation, source));
  const Ir ir{library.mlir, library.ireeCompilerSessionBorrowContext(session),
              library.ireeCompilerInvocationExportStealModule(invocation)};
  EXPECT_NE(ir.module.ptr, nullptr);
  if (ir.module.ptr) {
    look(ir);
    library.ireeCompilerInvocationImportStealModule(invocation, ir.module);
  }
  library.ireeCompilerInvocationDestroy(invocation);
  library.ireeCompilerSourceDestroy(source);
  library.ireeCompilerSessionDestroy(session);
}

std::string After(const std::string& text,
                  const std::function<void(const Ir&)>& rewrite) {
  std::string printed;
  WithModule(text, [&](const Ir& ir) {
    rewrite(ir);
    EXPECT_TRUE(ir.api.mlirOperationVerify(ir.module));
    printed = ir.Print(ir.module);
  });
  return printed;
}

bool Holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace iree_pjrt

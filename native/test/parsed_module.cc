// SPDX-License-Identifier: Apache-2.0
#include "parsed_module.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "compile/compiler_library.h"

namespace iree_pjrt {

namespace {

// Gives everything back, even if the test throws.
class Parsed {
 public:
  Parsed(const CompilerLibrary& library, const std::string& text)
      : library_(library),
        session_(library.ireeCompilerSessionCreate()),
        invocation_(library.ireeCompilerInvocationCreate(session_)) {
    library.ireeCompilerSourceWrapBuffer(session_, "test", text.c_str(),
                                         text.size() + 1, true, &source_);
    EXPECT_TRUE(
        library.ireeCompilerInvocationParseSource(invocation_, source_));
    module_ = library.ireeCompilerInvocationExportStealModule(invocation_);
  }
  ~Parsed() {
    if (module_.ptr) {
      library_.ireeCompilerInvocationImportStealModule(invocation_, module_);
    }
    library_.ireeCompilerInvocationDestroy(invocation_);
    library_.ireeCompilerSourceDestroy(source_);
    library_.ireeCompilerSessionDestroy(session_);
  }
  Parsed(const Parsed&) = delete;
  Parsed& operator=(const Parsed&) = delete;

  Ir ir() const {
    return {library_.mlir, library_.ireeCompilerSessionBorrowContext(session_),
            module_};
  }

 private:
  const CompilerLibrary& library_;
  iree_compiler_session_t* session_;
  iree_compiler_invocation_t* invocation_;
  iree_compiler_source_t* source_ = nullptr;
  MlirOperation module_{};
};

}  // namespace

std::string CompilerLibraryPath() {
  const char* path = std::getenv("IREE_PJRT_COMPILER_LIB_PATH");
  EXPECT_NE(path, nullptr) << "set it to the path of libIREECompiler.so";
  return path ? path : "";
}

void WithModule(const std::string& text,
                const std::function<void(const Ir&)>& look) {
  const Parsed parsed(CompilerLibrary::Open(CompilerLibraryPath()), text);
  const Ir ir = parsed.ir();
  EXPECT_NE(ir.module.ptr, nullptr);
  if (ir.module.ptr) look(ir);
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

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) {
    ++count;
  }
  return count;
}

}  // namespace iree_pjrt

// SPDX-License-Identifier: Apache-2.0
#include "compile/compiler_context.h"

#include <cstdint>
#include <utility>

namespace iree_pjrt {

CompilerContext::CompilerContext(const CompilerLibrary& library,
                                 const std::vector<std::string>& flags,
                                 const char* doing)
    : library_(library),
      session_(library.ireeCompilerSessionCreate(),
               library.ireeCompilerSessionDestroy) {
  SetFlags(flags, doing);
  UseThreads(false);
}

void CompilerContext::UseThreads(bool use) const {
  library_.mlir.mlirContextEnableMultithreading(mlir(), use);
}

void CompilerContext::SetFlags(const std::vector<std::string>& flags,
                               const char* doing) const {
  std::vector<const char*> argv;
  for (const std::string& flag : flags) argv.push_back(flag.c_str());
  library_.Throw(
      library_.ireeCompilerSessionSetFlags(
          session_.get(), static_cast<int>(argv.size()), argv.data()),
      doing);
}

std::string ToBytecode(const MlirApi& api, MlirOperation module) {
  std::string bytecode;
  api.mlirOperationWriteBytecode(module, &AppendToString, &bytecode);
  return bytecode;
}

ModuleInContext::ModuleInContext(const CompilerContext& context,
                                 std::string source)
    : context_(context),
      library_(context.library()),
      text_(std::move(source)),
      source_(nullptr, library_.ireeCompilerSourceDestroy),
      invocation_(library_.ireeCompilerInvocationCreate(context.session()),
                  library_.ireeCompilerInvocationDestroy),
      diagnostics_(library_.mlir, context.mlir()) {
  iree_compiler_source_t* wrapped = nullptr;
  library_.Throw(library_.ireeCompilerSourceWrapBuffer(
                     context.session(), "program", text_.c_str(),
                     text_.size() + 1, /*isNullTerminated=*/true, &wrapped),
                 "reading the program");
  source_.reset(wrapped);
  if (!library_.ireeCompilerInvocationParseSource(invocation_.get(),
                                                  source_.get())) {
    diagnostics_.Fail("to read the program");
  }
  module_ = library_.ireeCompilerInvocationExportStealModule(invocation_.get());
  // Between its passes IREE's own IR does not verify (convolutions).
  library_.ireeCompilerInvocationSetVerifyIR(invocation_.get(), false);
}

ModuleInContext::~ModuleInContext() {
  if (module_.ptr) library_.mlir.mlirOperationDestroy(module_);
}

template <typename Function>
auto ModuleInContext::Lend(Function with_it) {
  library_.ireeCompilerInvocationImportStealModule(invocation_.get(), module_);
  const auto result = with_it();
  module_ = library_.ireeCompilerInvocationExportStealModule(invocation_.get());
  return result;
}

void ModuleInContext::RunPhases(const char* from, const char* to) {
  library_.ireeCompilerInvocationSetCompileFromPhase(invocation_.get(), from);
  library_.ireeCompilerInvocationSetCompileToPhase(invocation_.get(), to);
  const bool done = Lend([&] {
    return library_.ireeCompilerInvocationPipeline(invocation_.get(),
                                                   IREE_COMPILER_PIPELINE_STD);
  });
  if (!done) diagnostics_.Fail("to compile the program");
}

std::string ModuleInContext::Output() {
  iree_compiler_output_t* output = nullptr;
  library_.Throw(library_.ireeCompilerOutputOpenMembuffer(&output),
                 "opening the compiler's output");
  const std::unique_ptr<iree_compiler_output_t,
                        void (*)(iree_compiler_output_t*)>
      close(output, library_.ireeCompilerOutputDestroy);
  iree_compiler_error_t* const error = Lend([&] {
    return library_.ireeCompilerInvocationOutputVMBytecode(invocation_.get(),
                                                           output);
  });
  if (error) {
    // The error says no more than that there is one; the reason was a
    // diagnostic.
    library_.ireeCompilerErrorDestroy(error);
    diagnostics_.Fail("to write the compiled module");
  }
  void* contents = nullptr;
  uint64_t size = 0;
  library_.Throw(library_.ireeCompilerOutputMapMemory(output, &contents, &size),
                 "reading the compiled module");
  return std::string(static_cast<const char*>(contents), size);
}

}  // namespace iree_pjrt

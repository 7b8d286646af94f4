// SPDX-License-Identifier: Apache-2.0
// libIREECompiler.so, opened at run time: the embedding API and the part of the
// MLIR C API that the rewrites use, as tables of function pointers.
//
// One instance per path and process, never closed: other code of the process
// may use the same library, and a final shutdown could not be undone.
// Immutable; the functions are thread-safe as their headers say.
#ifndef IREE_PJRT_COMPILE_COMPILER_LIBRARY_H_
#define IREE_PJRT_COMPILE_COMPILER_LIBRARY_H_

#include <string>
#include <string_view>

#include "iree/compiler/embedding_api.h"
#include "mlir/mlir_c.h"

namespace iree_pjrt {

#define IREE_PJRT_COMPILER_FUNCTIONS(X)        \
  X(ireeCompilerEnumeratePlugins)              \
  X(ireeCompilerErrorDestroy)                  \
  X(ireeCompilerErrorGetMessage)               \
  X(ireeCompilerGetAPIVersion)                 \
  X(ireeCompilerGetRevision)                   \
  X(ireeCompilerGlobalInitialize)              \
  X(ireeCompilerInvocationCreate)              \
  X(ireeCompilerInvocationDestroy)             \
  X(ireeCompilerInvocationExportStealModule)   \
  X(ireeCompilerInvocationImportStealModule)   \
  X(ireeCompilerInvocationOutputVMBytecode)    \
  X(ireeCompilerInvocationParseSource)         \
  X(ireeCompilerInvocationPipeline)            \
  X(ireeCompilerInvocationSetCompileFromPhase) \
  X(ireeCompilerInvocationSetCompileToPhase)   \
  X(ireeCompilerInvocationSetVerifyIR)         \
  X(ireeCompilerOutputDestroy)                 \
  X(ireeCompilerOutputMapMemory)               \
  X(ireeCompilerOutputOpenMembuffer)           \
  X(ireeCompilerSessionBorrowContext)          \
  X(ireeCompilerSessionCreate)                 \
  X(ireeCompilerSessionDestroy)                \
  X(ireeCompilerSessionSetFlags)               \
  X(ireeCompilerSetupGlobalCL)                 \
  X(ireeCompilerSourceDestroy)                 \
  X(ireeCompilerSourceWrapBuffer)

class CompilerLibrary {
 public:
  // Throws NOT_FOUND or FAILED_PRECONDITION with what to do about it.
  static const CompilerLibrary& Open(const std::string& path);

#define IREE_PJRT_DECLARE(name) decltype(&::name) name = nullptr;
  IREE_PJRT_COMPILER_FUNCTIONS(IREE_PJRT_DECLARE)
#undef IREE_PJRT_DECLARE
  MlirApi mlir;

  const std::string& revision() const { return revision_; }

  // Throws INVALID_ARGUMENT unless `error` is null; `doing` begins the message.
  void Throw(iree_compiler_error_t* error, const char* doing) const;

 private:
  explicit CompilerLibrary(const std::string& path);
  void SetProcessFlags();
  // Whether a new session knows the dialect.
  bool HasDialect(std::string_view name) const;

  std::string revision_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_COMPILER_LIBRARY_H_

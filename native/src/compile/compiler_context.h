// SPDX-License-Identifier: Apache-2.0
// A context of the compiler, and a program in it. A canonicalizer gathers the
// patterns of every dialect that its context has loaded, which is most of the
// time that a small program takes: so each part of the pipeline has a context
// with what it needs, and programs move between them.
#ifndef IREE_PJRT_COMPILE_COMPILER_CONTEXT_H_
#define IREE_PJRT_COMPILE_COMPILER_CONTEXT_H_

#include <memory>
#include <string>
#include <vector>

#include "compile/compiler_library.h"
#include "compile/diagnostics.h"
#include "mlir/ir.h"

namespace iree_pjrt {

// One of IREE's sessions with its flags. One thread at a time. Borrows the
// library, which is never closed.
class CompilerContext {
 public:
  // Throws INVALID_ARGUMENT, beginning with `doing`, for flags that the
  // compiler does not take.
  CompilerContext(const CompilerLibrary& library,
                  const std::vector<std::string>& flags, const char* doing);
  CompilerContext(const CompilerContext&) = delete;
  CompilerContext& operator=(const CompilerContext&) = delete;

  // For the rest of its life: no flag can be taken back.
  void SetFlags(const std::vector<std::string>& flags, const char* doing) const;

  // Whether passes may work on several dispatches at once, on all cores. Never
  // while a pass runs. At first they may not.
  void UseThreads(bool use) const;

  const CompilerLibrary& library() const { return library_; }
  iree_compiler_session_t* session() const { return session_.get(); }
  MlirContext mlir() const {
    return library_.ireeCompilerSessionBorrowContext(session_.get());
  }

 private:
  const CompilerLibrary& library_;
  const std::unique_ptr<iree_compiler_session_t,
                        void (*)(iree_compiler_session_t*)>
      session_;
};

std::string ToBytecode(const MlirApi& api, MlirOperation module);

// A program in a context, which must outlive it. One thread at a time. Throws
// INVALID_ARGUMENT with what the compiler says.
class ModuleInContext {
 public:
  // Reads and verifies MLIR as text or bytecode.
  ModuleInContext(const CompilerContext& context, std::string source);
  ~ModuleInContext();
  ModuleInContext(const ModuleInContext&) = delete;
  ModuleInContext& operator=(const ModuleInContext&) = delete;

  // Valid until the next call that is not const.
  Ir ir() const { return {library_.mlir, context_.mlir(), module_}; }

  const CompilerContext& context() const { return context_; }
  std::string ToBytecode() const {
    return iree_pjrt::ToBytecode(library_.mlir, module_);
  }

  // IREE's pipeline from the end of one of its phases to that of another.
  void RunPhases(const char* from, const char* to);

  // The program as IREE's VM bytecode, after all phases.
  std::string Output();

  Diagnostics& diagnostics() { return diagnostics_; }

 private:
  // Calls `with_it` while the invocation has the module.
  template <typename Function>
  auto Lend(Function with_it);

  const CompilerContext& context_;
  const CompilerLibrary& library_;
  const std::string text_;
  std::unique_ptr<iree_compiler_source_t, void (*)(iree_compiler_source_t*)>
      source_;
  const std::unique_ptr<iree_compiler_invocation_t,
                        void (*)(iree_compiler_invocation_t*)>
      invocation_;
  MlirOperation module_{};
  Diagnostics diagnostics_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_COMPILER_CONTEXT_H_

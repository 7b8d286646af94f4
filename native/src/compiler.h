// SPDX-License-Identifier: Apache-2.0
// From a framework's program to IREE bytecode. Thread-safe: each compilation
// takes a session of its own from a pool, so that several run side by side.
// Owned by the Client.
#ifndef IREE_PJRT_COMPILER_H_
#define IREE_PJRT_COMPILER_H_

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "compile_session.h"
#include "compiler_library.h"
#include "options.h"
#include "program.h"

namespace iree_pjrt {

class Compiler {
 public:
  // Opens the library. Throws if that fails.
  explicit Compiler(const ClientOptions& options);
  ~Compiler();

  // `source`: MLIR bytecode, a portable artifact, or text. Throws
  // INVALID_ARGUMENT with the compiler's diagnostics.
  std::shared_ptr<const Program> Compile(std::string_view source,
                                         std::string_view options_proto);

 private:
  std::unique_ptr<CompileSession> TakeSession(
      const std::vector<std::string>& flags);
  void GiveBack(std::unique_ptr<CompileSession> session);
  std::vector<std::string> Flags(const CompileOptions& options) const;

  const ClientOptions& options_;
  const CompilerLibrary& library_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<CompileSession>> idle_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILER_H_

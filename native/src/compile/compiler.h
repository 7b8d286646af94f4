// SPDX-License-Identifier: Apache-2.0
// From a framework's program to IREE bytecode: out of the disk cache, or by
// libIREECompiler, in a helper process or, where none can be started or the
// user wants it, in this one. Thread-safe. Shared by a client and its topology.
#ifndef IREE_PJRT_COMPILE_COMPILER_H_
#define IREE_PJRT_COMPILE_COMPILER_H_

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "base/log.h"
#include "compile/compile_task.h"
#include "compile/helper_pool.h"
#include "compile/task_compiler.h"
#include "program/options.h"
#include "program/program.h"
#include "runtime/target.h"

namespace iree_pjrt {

class Stopwatch;

class Compiler {
 public:
  // The library is opened when a program is compiled that is not in the cache.
  Compiler(const ClientOptions& options, Target target);

  const Target& target() const { return target_; }

  // Compilers with equal identities compile a program to the same code.
  std::string identity() const;

  // `source`: MLIR bytecode, a portable artifact, or text. Throws
  // INVALID_ARGUMENT with the compiler's diagnostics, and what opening the
  // library throws.
  std::shared_ptr<const Program> Compile(std::string_view source,
                                         std::string_view options_proto);

 private:
  CompileTask MakeTask(std::string_view source,
                       std::string_view options_proto) const;
  std::shared_ptr<Program> CompileOrFind(CompileTask task,
                                         std::string_view source,
                                         Stopwatch& watch);
  CompileResult Compile(CompileTask task);

  const ClientOptions options_;
  const Target target_;
  const Log log_;
  TaskCompiler here_;
  HelperPool helpers_;
  std::atomic<int> compiling_ = 0;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_COMPILER_H_

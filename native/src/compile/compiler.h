// SPDX-License-Identifier: Apache-2.0
// From a framework's program to IREE bytecode: out of the disk cache, or by
// libIREECompiler. Thread-safe: each compilation takes a session of its own
// from a pool, so that several run side by side. Shared by a client and its
// topology.
#ifndef IREE_PJRT_COMPILE_COMPILER_H_
#define IREE_PJRT_COMPILE_COMPILER_H_

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "compile/compile_session.h"
#include "compile/compiler_library.h"
#include "compile/disk_cache.h"
#include "program/framework_passes.h"
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
  struct Request;

  Request MakeRequest(std::string_view source,
                      std::string_view options_proto) const;
  std::shared_ptr<Program> CompileOrFind(const Request& request,
                                         Stopwatch& watch);
  std::shared_ptr<Program> CompilePlain(const Request& request,
                                        const PlainProgram& prepared,
                                        const std::string& key,
                                        Stopwatch& watch);
  std::shared_ptr<Program> Find(const Request& request, const std::string& key);
  std::unique_ptr<CompileSession> TakeSession(
      const std::vector<std::string>& flags);
  void GiveBack(std::unique_ptr<CompileSession> session);

  const ClientOptions options_;
  const Target target_;
  const Log log_;
  DiskCache cache_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<CompileSession>> idle_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_COMPILER_H_

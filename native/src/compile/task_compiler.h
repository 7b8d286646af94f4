// SPDX-License-Identifier: Apache-2.0
// Compiles programs in this process, by libIREECompiler, or finds them in the
// disk cache. Thread-safe: each compilation takes a session of its own from a
// pool, so that several run side by side.
#ifndef IREE_PJRT_COMPILE_TASK_COMPILER_H_
#define IREE_PJRT_COMPILE_TASK_COMPILER_H_

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "compile/claim.h"
#include "compile/compile_session.h"
#include "compile/compile_task.h"
#include "compile/disk_cache.h"
#include "program/options.h"
#include "program/program.h"

namespace iree_pjrt {

class Stopwatch;

class TaskCompiler {
 public:
  // The library is opened when a program is compiled that is not in the cache.
  explicit TaskCompiler(const ClientOptions& options);

  // The program that is stored under `key`, or null and the claim to compile
  // it, once nobody else is compiling it.
  std::shared_ptr<Program> FindOrClaim(const std::string& key,
                                       std::string_view options_proto,
                                       Claim* claim);

  // Throws INVALID_ARGUMENT with the compiler's diagnostics, and what opening
  // the library throws.
  CompileResult Compile(const CompileTask& task);

 private:
  std::shared_ptr<Program> Find(const std::string& key,
                                std::string_view options_proto);
  std::unique_ptr<CompileSession> NewSession(const CompileTask& task,
                                             Contexts contexts) const;
  std::unique_ptr<CompileSession> TakeSession(const CompileTask& task);
  void GiveBack(std::unique_ptr<CompileSession> session);
  CompileResult CompileIn(CompileSession& session, const CompileTask& task,
                          Stopwatch& watch);

  const ClientOptions options_;
  const Log log_;
  DiskCache cache_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<CompileSession>> idle_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_TASK_COMPILER_H_

// SPDX-License-Identifier: Apache-2.0
// One run of the compiler over one program, step by step: Rewrite, Compile. One
// thread at a time; lives at most as long as its session. Each step throws
// INVALID_ARGUMENT with what the compiler says.
#ifndef IREE_PJRT_COMPILE_INVOCATION_H_
#define IREE_PJRT_COMPILE_INVOCATION_H_

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "compile/compile_session.h"
#include "compile/compiler_context.h"
#include "compile/cost_analysis.h"
#include "compile/signature.h"
#include "compile/tuning.h"
#include "rewrite/pipeline.h"

namespace iree_pjrt {

// The program cannot be read in another context: only within its pipeline does
// IREE take what does not verify.
struct NotMovable {
  std::string reason;
};

class Invocation {
 public:
  // Reads the program. All must outlive the invocation; a NUL follows `text`.
  // `targets`: the module's `hal.device.targets`; empty leaves it to the flags.
  Invocation(CompileSession& session, PassContext& passes,
             const std::string& text, const std::string& targets);
  Invocation(const Invocation&) = delete;
  Invocation& operator=(const Invocation&) = delete;

  // Reads the signature, applies the rewrites and verifies the result. `text`
  // gets what goes to the compiler, without locations; `name` the module's
  // name.
  Signature Rewrite(CostAnalysis* cost, std::string* text, std::string* name);

  // IREE's VM bytecode. Throws NotMovable, too, if the session has several
  // contexts. `side_by_side`: dispatches are compiled on all cores.
  std::string Compile(Cost* cost, bool side_by_side);

 private:
  Ir ir() const { return module_->ir(); }
  void MoveTo(const CompilerContext& context);
  void RunPipeline(const char* from, const char* to);
  void RunOurs(Phase phase);
  void RunTheirs(const PassPipeline& pipeline);
  void RunStream(const std::vector<PassPipeline>& pipelines);
  bool FuseLoop(MlirOperation module);
  void ToLinalg(Cost* cost);
  void ToDispatches(const CompilerContext& code, bool untuned);
  void Schedule();
  void ToCode(bool side_by_side);
  void ToExecutables(bool side_by_side);
  std::vector<std::future<std::string>> StartParts();
  void ToVm();

  CompileSession& session_;
  PassContext& passes_;
  const std::string& targets_;
  std::unique_ptr<ModuleInContext> module_;
  // Of the parts that other threads compiled.
  std::vector<std::string> objects_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_INVOCATION_H_

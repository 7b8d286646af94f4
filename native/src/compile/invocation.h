// SPDX-License-Identifier: Apache-2.0
// One run of the compiler over one program, step by step: Parse, Rewrite,
// Compile. One thread at a time; lives at most as long as its session. Each
// step throws INVALID_ARGUMENT with what the compiler says.
#ifndef IREE_PJRT_COMPILE_INVOCATION_H_
#define IREE_PJRT_COMPILE_INVOCATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compile/compile_session.h"
#include "compile/cost_analysis.h"
#include "compile/diagnostics.h"
#include "compile/signature.h"
#include "compile/tuning.h"
#include "rewrite/pipeline.h"

namespace iree_pjrt {

class Invocation {
 public:
  // Both must outlive it.
  Invocation(CompileSession& session, PassContext& passes);
  ~Invocation();
  Invocation(const Invocation&) = delete;
  Invocation& operator=(const Invocation&) = delete;

  // `text` must outlive the invocation and be followed by a NUL.
  void Parse(const std::string& text);

  // The module's `hal.device.targets`; empty leaves it to the flags.
  void SetTarget(const std::string& attribute);

  // Reads the signature, applies the rewrites and verifies the result. `text`
  // gets what goes to the compiler, without locations; `name` the module's
  // name.
  Signature Rewrite(CostAnalysis* cost, std::string* text, std::string* name);

  // IREE's VM bytecode. May tune the session to the program.
  std::string Compile(Cost* cost);

 private:
  class Borrowed;

  void RunPipeline(const char* from, const char* to);
  void RunOurs(Phase phase);
  void RunTheirs(const std::vector<PassPipeline>& pipelines);
  bool FuseLoop(MlirOperation module);
  void Schedule();
  std::string TakeObject();
  std::string Output();

  CompileSession& session_;
  PassContext& passes_;
  const CompilerLibrary& library_;
  iree_compiler_invocation_t* invocation_;
  iree_compiler_source_t* source_ = nullptr;
  Diagnostics diagnostics_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_INVOCATION_H_

// SPDX-License-Identifier: Apache-2.0
#include "compile/invocation.h"

#include <unistd.h>

#include <utility>

#include "base/object_list.h"
#include "base/scratch_file.h"
#include "base/status.h"
#include "compile/code_parts.h"
#include "compile/compiler_flags.h"
#include "compile/pass_lists.h"
#include "rewrite/pipeline.h"
#include "runtime/runtime.h"
#include "runtime/target.h"
#include "trace/trace.h"

namespace iree_pjrt {
namespace {

// StableHLO is gone and the calling convention is not there yet.
constexpr char kInputPhase[] = "input";
// Tensors have become dispatches.
constexpr char kFlowPhase[] = "flow";
// Dispatches have become commands over memory.
constexpr char kStreamPhase[] = "stream";
// Executables have a target each, and no choice is made.
constexpr char kSourcesPhase[] = "executable-sources";
// It is chosen how dispatches are compiled.
constexpr char kDispatchPhase[] = "executable-configurations";
// The dispatches are code of LLVM's dialect, and not linked.
constexpr char kTargetsPhase[] = "executable-targets";
// The executables are serialized and the module's code is not there yet.
constexpr char kHalPhase[] = "hal";
// Only registers and bytecode are missing.
constexpr char kVmPhase[] = "vm";

// Takes what the compiler wrote: the object, and a header that no one needs.
std::string TakeObject(const std::string& path) {
  std::string object = ReadFile(path);
  unlink(path.c_str());
  unlink((path.substr(0, path.size() - 1) + "h").c_str());
  return object;
}

std::string CompilePart(const CompilerContext& context, CodePart part) {
  ModuleInContext module(context, std::move(part.bytecode));
  module.RunPhases(kTargetsPhase, kHalPhase);
  return TakeObject(part.object_path);
}

// Whether code may be compiled in parts: into objects, and nobody wants to see
// it, as the parts would write their files over each other.
bool TakesParts(const CompileSession& session) {
  return session.contexts() == Contexts::kOneEach &&
         !session.object_path().empty() &&
         !AnyHolds(session.flags(), "--iree-hal-dump-");
}

}  // namespace

Invocation::Invocation(CompileSession& session, PassContext& passes,
                       const std::string& text, const std::string& targets)
    : session_(session),
      passes_(passes),
      targets_(targets),
      module_(std::make_unique<ModuleInContext>(session.input(), text)) {
  passes_.for_gpus = CompilesForGpus();
}

Signature Invocation::Rewrite(CostAnalysis* cost, std::string* text,
                              std::string* name) {
  const Ir ir = this->ir();
  *name = ir.StringAttribute(ir.module, "sym_name");
  RunPasses(Phase::kReceived, ir, passes_);
  Signature signature = ReadSignature(ir);
  *cost = AnalyzeCost(ir);
  RunPasses(Phase::kStablehlo, ir, passes_);
  signature.foreign_calls = std::move(passes_.foreign_calls);
  *text = ir.Print(ir.module);
  if (!ir.api.mlirOperationVerify(ir.module)) {
    module_->diagnostics().Fail("to verify the program");
  }
  return signature;
}

std::string Invocation::Compile(Cost* cost, bool side_by_side) {
  ToLinalg(cost);
  const std::vector<std::string> tuning = TuningFlags(*cost);
  const CompilerContext& code = session_.code(tuning);
  ToDispatches(code, tuning.empty());
  RunOurs(Phase::kFlow);
  Schedule();
  MoveTo(code);
  ToCode(side_by_side);
  if (session_.takes_our_passes()) {
    ToVm();
  } else {
    RunPipeline(kHalPhase, kVmPhase);
  }
  RunOurs(Phase::kVm);
  return module_->Output();
}

void Invocation::ToLinalg(Cost* cost) {
  RunPipeline("start", kInputPhase);
  *cost = EstimateCost(ir());
  passes_.packs = !TuningFlags(*cost).empty();
  passes_.fuse_loop = [this](MlirOperation module) { return FuseLoop(module); };
  RunOurs(Phase::kLinalg);
}

void Invocation::ToDispatches(const CompilerContext& code, bool untuned) {
  if (session_.takes_our_passes() && untuned) {
    if (const auto& device = session_.device(targets_)) {
      TraceSpan span(TraceKind::kCompile, kFlowPhase);
      MoveTo(session_.stream());
      device->AddTo(ir());
      RunTheirs(session_.to_dispatches());
      return;
    }
  }
  MoveTo(code);
  NameTargets(ir(), targets_);
  RunPipeline(kInputPhase, kFlowPhase);
}

// To the end of IREE's stream phase.
void Invocation::Schedule() {
  TraceSpan span(TraceKind::kCompile, kStreamPhase);
  MoveTo(session_.stream());
  const bool straight_line = IsStraightLine(ir());
  RunStream(session_.until_scheduling(straight_line));
  RunOurs(Phase::kScheduling);
  RunStream(session_.from_scheduling(straight_line));
}

// To executables that are compiled, and calls of the runtime.
void Invocation::ToCode(bool side_by_side) {
  if (!session_.object_path().empty()) {
    CheckScratchFolder();
    passes_.object = [this] {
      objects_.insert(objects_.begin(), TakeObject(session_.object_path()));
      return PackObjects(objects_);
    };
  }
  const CompilerContext& code = module_->context();
  code.UseThreads(side_by_side);
  RunPipeline(kStreamPhase, kSourcesPhase);
  RunOurs(Phase::kSources);
  RunPipeline(kSourcesPhase, kDispatchPhase);
  RunOurs(Phase::kDispatch);
  ToExecutables(side_by_side);
  // An idle session has no threads: a fork could not wait for them.
  code.UseThreads(false);
  RunOurs(Phase::kHal);
}

void Invocation::ToExecutables(bool side_by_side) {
  if (!side_by_side || !TakesParts(session_) || !MayHaveParts(ir())) {
    RunPipeline(kDispatchPhase, kHalPhase);
    return;
  }
  RunPipeline(kDispatchPhase, kTargetsPhase);
  std::vector<std::future<std::string>> parts = StartParts();
  RunPipeline(kTargetsPhase, kHalPhase);
  TraceSpan span(TraceKind::kCompile, kHalPhase);
  for (auto& part : parts) objects_.push_back(part.get());
}

std::vector<std::future<std::string>> Invocation::StartParts() {
  std::vector<std::future<std::string>> parts;
  for (CodePart& part :
       TakeCodeParts(ir(), session_.object_path(), AvailableCores() - 1)) {
    // Where no thread can be had, it is compiled when it is asked for.
    parts.push_back(
        std::async(std::launch::async | std::launch::deferred, CompilePart,
                   std::cref(session_.part(parts.size())), std::move(part)));
  }
  return parts;
}

void Invocation::ToVm() {
  TraceSpan span(TraceKind::kCompile, kVmPhase);
  MoveTo(session_.vm());
  RunTheirs(session_.to_vm());
}

void Invocation::MoveTo(const CompilerContext& context) {
  if (&context == &module_->context()) return;
  try {
    module_ = std::make_unique<ModuleInContext>(context, module_->ToBytecode());
  } catch (const Error& error) {
    throw NotMovable{error.message()};
  }
}

void Invocation::RunOurs(Phase phase) { RunPasses(phase, ir(), passes_); }

bool Invocation::FuseLoop(MlirOperation module) {
  const bool fused = session_.in_loops().Run(module);
  if (!fused) module_->diagnostics().Forget();
  return fused;
}

void Invocation::RunTheirs(const PassPipeline& pipeline) {
  if (pipeline.Run(ir().module)) return;
  if (!pipeline.may_give_up()) {
    module_->diagnostics().Fail("to compile the program");
  }
  module_->diagnostics().Forget();
}

void Invocation::RunStream(const std::vector<PassPipeline>& pipelines) {
  for (const PassPipeline& pipeline : pipelines) {
    RunOurs(Phase::kStream);
    RunTheirs(pipeline);
  }
}

void Invocation::RunPipeline(const char* from, const char* to) {
  TraceSpan span(TraceKind::kCompile, to);
  module_->RunPhases(from, to);
}

}  // namespace iree_pjrt

// SPDX-License-Identifier: Apache-2.0
#include "compile/invocation.h"

#include <unistd.h>

#include "base/scratch_file.h"
#include "base/status.h"
#include "rewrite/pipeline.h"
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
// The executables are serialized and the module's code is not there yet.
constexpr char kHalPhase[] = "hal";
// Only registers and bytecode are missing.
constexpr char kVmPhase[] = "vm";

}  // namespace

// The module, taken out of the invocation for as long as this lives.
class Invocation::Borrowed {
 public:
  explicit Borrowed(const Invocation& invocation)
      : invocation_(invocation),
        ir{invocation.library_.mlir,
           invocation.library_.ireeCompilerSessionBorrowContext(
               invocation.session_.get()),
           invocation.library_.ireeCompilerInvocationExportStealModule(
               invocation.invocation_)} {}
  ~Borrowed() {
    invocation_.library_.ireeCompilerInvocationImportStealModule(
        invocation_.invocation_, ir.module);
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

 private:
  const Invocation& invocation_;

 public:
  const Ir ir;
};

Invocation::Invocation(CompileSession& session, PassContext& passes)
    : session_(session),
      passes_(passes),
      library_(session.library()),
      invocation_(library_.ireeCompilerInvocationCreate(session.get())),
      diagnostics_(library_.mlir,
                   library_.ireeCompilerSessionBorrowContext(session.get())) {
  passes_.for_gpus = CompilesForGpus();
}

Invocation::~Invocation() {
  library_.ireeCompilerInvocationDestroy(invocation_);
  if (source_) library_.ireeCompilerSourceDestroy(source_);
}

void Invocation::Parse(const std::string& text) {
  library_.Throw(library_.ireeCompilerSourceWrapBuffer(
                     session_.get(), "program", text.c_str(), text.size() + 1,
                     /*isNullTerminated=*/true, &source_),
                 "reading the program");
  if (!library_.ireeCompilerInvocationParseSource(invocation_, source_)) {
    diagnostics_.Fail("to read the program");
  }
}

void Invocation::SetTarget(const std::string& attribute) {
  if (attribute.empty()) return;
  const Borrowed borrowed(*this);
  const Ir& ir = borrowed.ir;
  ir.SetAttribute(ir.module, "hal.device.targets", ir.Parse(attribute));
}

Signature Invocation::Rewrite(CostAnalysis* cost, std::string* text,
                              std::string* name) {
  const Borrowed borrowed(*this);
  const Ir& ir = borrowed.ir;
  *name = ir.StringAttribute(ir.module, "sym_name");
  RunPasses(Phase::kReceived, ir, passes_);
  Signature signature = ReadSignature(ir);
  *cost = AnalyzeCost(ir);
  RunPasses(Phase::kStablehlo, ir, passes_);
  signature.foreign_calls = std::move(passes_.foreign_calls);
  *text = ir.Print(ir.module);
  if (!library_.mlir.mlirOperationVerify(ir.module)) {
    diagnostics_.Fail("to verify the program");
  }
  return signature;
}

std::string Invocation::Compile(Cost* cost) {
  // Between its passes IREE's own IR does not verify (convolutions).
  library_.ireeCompilerInvocationSetVerifyIR(invocation_, false);
  RunPipeline("start", kInputPhase);
  *cost = EstimateCost(Borrowed(*this).ir);
  const auto tuning = TuningFlags(*cost);
  passes_.packs = !tuning.empty();
  passes_.fuse_loop = [this](MlirOperation module) { return FuseLoop(module); };
  RunOurs(Phase::kLinalg);
  if (!tuning.empty()) session_.Tune(tuning);
  Schedule();
  if (!session_.object_path().empty()) {
    CheckScratchFolder();
    passes_.object = [this] { return TakeObject(); };
  }
  RunPipeline(kStreamPhase, kSourcesPhase);
  RunOurs(Phase::kSources);
  RunPipeline(kSourcesPhase, kDispatchPhase);
  RunOurs(Phase::kDispatch);
  RunPipeline(kDispatchPhase, kHalPhase);
  RunOurs(Phase::kHal);
  RunPipeline(kHalPhase, kVmPhase);
  RunOurs(Phase::kVm);
  RunPipeline(kVmPhase, "end");
  return Output();
}

void Invocation::RunOurs(Phase phase) {
  const Borrowed borrowed(*this);
  RunPasses(phase, borrowed.ir, passes_);
}

bool Invocation::FuseLoop(MlirOperation module) {
  const bool fused = session_.in_loops().Run(module);
  if (!fused) diagnostics_.Forget();
  return fused;
}

// Runs from IREE's input phase to the end of its stream phase.
void Invocation::Schedule() {
  TraceSpan span(TraceKind::kCompile, kStreamPhase);
  RunPipeline(kInputPhase, kFlowPhase);
  RunOurs(Phase::kFlow);
  RunTheirs(session_.until_scheduling());
  RunOurs(Phase::kScheduling);
  RunTheirs(session_.from_scheduling());
}

void Invocation::RunTheirs(const std::vector<PassPipeline>& pipelines) {
  const Borrowed borrowed(*this);
  for (const PassPipeline& pipeline : pipelines) {
    RunPasses(Phase::kStream, borrowed.ir, passes_);
    if (pipeline.Run(borrowed.ir.module)) continue;
    if (!pipeline.may_give_up()) diagnostics_.Fail("to compile the program");
    diagnostics_.Forget();
  }
}

void Invocation::RunPipeline(const char* from, const char* to) {
  TraceSpan span(TraceKind::kCompile, to);
  library_.ireeCompilerInvocationSetCompileFromPhase(invocation_, from);
  library_.ireeCompilerInvocationSetCompileToPhase(invocation_, to);
  if (!library_.ireeCompilerInvocationPipeline(invocation_,
                                               IREE_COMPILER_PIPELINE_STD)) {
    diagnostics_.Fail("to compile the program");
  }
}

// Takes what the compiler wrote: the object, and a header that no one needs.
std::string Invocation::TakeObject() {
  const std::string& path = session_.object_path();
  std::string object = ReadFile(path);
  unlink(path.c_str());
  unlink((path.substr(0, path.size() - 1) + "h").c_str());
  return object;
}

std::string Invocation::Output() {
  iree_compiler_output_t* output = nullptr;
  library_.Throw(library_.ireeCompilerOutputOpenMembuffer(&output),
                 "opening the compiler's output");
  struct Close {
    const CompilerLibrary& library;
    iree_compiler_output_t* output;
    ~Close() { library.ireeCompilerOutputDestroy(output); }
  } close{library_, output};
  iree_compiler_error_t* error =
      library_.ireeCompilerInvocationOutputVMBytecode(invocation_, output);
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

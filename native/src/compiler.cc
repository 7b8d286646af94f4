// SPDX-License-Identifier: Apache-2.0
#include "compiler.h"

#include <algorithm>

#include "artifacts.h"
#include "partition.h"
#include "rewrite/rewrites.h"
#include "runtime.h"
#include "signature.h"
#include "status.h"

namespace iree_pjrt {
namespace {

constexpr size_t kMaxDiagnosticBytes = 16384;

const std::vector<std::string>& DefaultFlags() {
  static const auto& flags = *new std::vector<std::string>{
      "--iree-input-type=stablehlo_xla",
      "--iree-input-demote-f64-to-f32=false",
      "--iree-hal-target-device=local",
      "--iree-hal-local-target-device-backends=llvm-cpu",
      "--iree-llvmcpu-target-cpu=host",
      "--iree-llvmcpu-enable-ukernels=none",
      "--iree-llvmcpu-reassociate-fp-reductions",
      "--iree-llvmcpu-debug-symbols=false",
      "--iree-opt-const-eval=false",
      // Hoisted into a region that is outlined later, a constant expression is
      // lost ("op was not bufferized").
      "--iree-opt-const-expr-hoisting=false",
      "--iree-vm-bytecode-module-strip-source-map",
  };
  return flags;
}

void Throw(const CompilerLibrary& library, iree_compiler_error_t* error,
           const char* doing) {
  if (!error) return;
  std::string message =
      std::string(doing) + ": " + library.ireeCompilerErrorGetMessage(error);
  library.ireeCompilerErrorDestroy(error);
  ThrowInvalidArgument(std::move(message));
}

// Gathers the compiler's diagnostics; it may call from its own threads.
class Diagnostics {
 public:
  static void Receive(iree_compiler_diagnostic_severity_t severity,
                      const char* message, size_t size, void* user_data) {
    if (severity == IREE_COMPILER_DIAGNOSTIC_SEVERITY_REMARK) return;
    auto* self = static_cast<Diagnostics*>(user_data);
    std::lock_guard<std::mutex> lock(self->mutex_);
    if (self->text_.size() > kMaxDiagnosticBytes) return;
    self->text_ += "\n";
    self->text_.append(message, std::min(size, kMaxDiagnosticBytes));
  }

  [[noreturn]] void Fail(const char* doing) {
    std::lock_guard<std::mutex> lock(mutex_);
    ThrowInvalidArgument(std::string("the IREE compiler failed ") + doing +
                         (text_.empty() ? " and did not say why" : ":") +
                         text_);
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

}  // namespace

// A context with its flags: costs little to make, less to keep.
class Compiler::Session {
 public:
  Session(const CompilerLibrary& library, const std::vector<std::string>& flags)
      : library_(library),
        flags_(flags),
        session_(library.ireeCompilerSessionCreate()) {
    if (iree_compiler_error_t* error = Set(flags_)) {
      library.ireeCompilerSessionDestroy(std::exchange(session_, nullptr));
      Throw(library, error, "flags of the IREE compiler");
    }
  }
  ~Session() {
    if (session_) library_.ireeCompilerSessionDestroy(session_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  iree_compiler_session_t* get() const { return session_; }
  const std::vector<std::string>& flags() const { return flags_; }

  // For the rest of the session's life; the flags it was made with win.
  void Tune(std::vector<std::string> flags) {
    tuned_ = true;
    flags.insert(flags.end(), flags_.begin(), flags_.end());
    Throw(library_, Set(flags), "tuning the IREE compiler");
  }
  bool tuned() const { return tuned_; }

 private:
  iree_compiler_error_t* Set(const std::vector<std::string>& flags) {
    std::vector<const char*> argv;
    for (const std::string& flag : flags) argv.push_back(flag.c_str());
    return library_.ireeCompilerSessionSetFlags(
        session_, static_cast<int>(argv.size()), argv.data());
  }

  const CompilerLibrary& library_;
  const std::vector<std::string> flags_;
  iree_compiler_session_t* session_;
  bool tuned_ = false;
};

// One run over one program.
class Compiler::Invocation {
 public:
  Invocation(const CompilerLibrary& library, Session& session)
      : library_(library),
        owner_(session),
        session_(session.get()),
        invocation_(library.ireeCompilerInvocationCreate(session_)) {
    library_.ireeCompilerInvocationEnableCallbackDiagnostics(
        invocation_, 0, &Diagnostics::Receive, &diagnostics_);
  }
  ~Invocation() {
    library_.ireeCompilerInvocationDestroy(invocation_);
    if (source_) library_.ireeCompilerSourceDestroy(source_);
  }
  Invocation(const Invocation&) = delete;
  Invocation& operator=(const Invocation&) = delete;

  // `text` must outlive the invocation and be followed by a NUL.
  void Parse(const std::string& text) {
    Throw(library_,
          library_.ireeCompilerSourceWrapBuffer(
              session_, "program", text.c_str(), text.size() + 1,
              /*isNullTerminated=*/true, &source_),
          "reading the program");
    if (!library_.ireeCompilerInvocationParseSource(invocation_, source_)) {
      diagnostics_.Fail("to read the program");
    }
  }

  // Reads the signature, applies the rewrites and verifies the result. Saves
  // what goes to the compiler if `print` is wanted.
  Signature Rewrite(int64_t device_count, std::string* print) {
    const Borrowed borrowed(*this);
    const Ir& ir = borrowed.ir;
    Signature signature = ReadSignature(ir);
    RewriteProgram(ir, device_count);
    if (print) *print = ir.Print(ir.module);
    if (!library_.mlir.mlirOperationVerify(ir.module)) {
      diagnostics_.Fail("to verify the program");
    }
    // The passes are trusted from here on.
    library_.ireeCompilerInvocationSetVerifyIR(invocation_, false);
    return signature;
  }

  // `donatable`: for each input whether the program may write into it.
  std::string Compile(const std::vector<bool>& donatable, Cost* cost) {
    library_.ireeCompilerInvocationSetCompileToPhase(invocation_, kInputPhase);
    RunPipeline();
    {
      const Borrowed borrowed(*this);
      *cost = EstimateCost(borrowed.ir);
      KeepInputs(borrowed.ir, donatable);
    }
    const auto tuning = TuningFlags(*cost);
    if (!tuning.empty()) owner_.Tune(tuning);
    library_.ireeCompilerInvocationSetCompileFromPhase(invocation_,
                                                       kInputPhase);
    library_.ireeCompilerInvocationSetCompileToPhase(invocation_, "end");
    RunPipeline();
    return Output();
  }

 private:
  // The phase after which StableHLO is gone and the calling convention is not
  // there yet.
  static constexpr char kInputPhase[] = "input";

  // The module, taken out of the invocation; whatever happens it goes back.
  struct Borrowed {
    explicit Borrowed(Invocation& invocation)
        : self(invocation),
          ir{self.library_.mlir,
             self.library_.ireeCompilerSessionBorrowContext(self.session_),
             self.library_.ireeCompilerInvocationExportStealModule(
                 self.invocation_)} {}
    ~Borrowed() {
      self.library_.ireeCompilerInvocationImportStealModule(self.invocation_,
                                                            ir.module);
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;

    Invocation& self;
    const Ir ir;
  };

  void RunPipeline() {
    if (!library_.ireeCompilerInvocationPipeline(invocation_,
                                                 IREE_COMPILER_PIPELINE_STD)) {
      diagnostics_.Fail("to compile the program");
    }
  }

  std::string Output() {
    iree_compiler_output_t* output = nullptr;
    Throw(library_, library_.ireeCompilerOutputOpenMembuffer(&output),
          "opening the compiler's output");
    struct Close {
      const CompilerLibrary& library;
      iree_compiler_output_t* output;
      ~Close() { library.ireeCompilerOutputDestroy(output); }
    } close{library_, output};
    Throw(library_,
          library_.ireeCompilerInvocationOutputVMBytecode(invocation_, output),
          "writing the compiled module");
    void* contents = nullptr;
    uint64_t size = 0;
    Throw(library_,
          library_.ireeCompilerOutputMapMemory(output, &contents, &size),
          "reading the compiled module");
    return std::string(static_cast<const char*>(contents), size);
  }

  const CompilerLibrary& library_;
  Session& owner_;
  iree_compiler_session_t* session_;
  Diagnostics diagnostics_;
  iree_compiler_invocation_t* invocation_;
  iree_compiler_source_t* source_ = nullptr;
};

Compiler::Compiler(const ClientOptions& options)
    : options_(options),
      library_(CompilerLibrary::Open(options.compiler_library_path)) {}

Compiler::~Compiler() = default;

std::vector<std::string> Compiler::Flags(const CompileOptions& options) const {
  std::vector<std::string> flags = DefaultFlags();
  flags.insert(flags.end(), options_.extra_compiler_flags.begin(),
               options_.extra_compiler_flags.end());
  flags.insert(flags.end(), options.compiler_flags.begin(),
               options.compiler_flags.end());
  return flags;
}

std::unique_ptr<Compiler::Session> Compiler::TakeSession(
    const std::vector<std::string>& flags) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& session : idle_) {
      if (session->flags() != flags) continue;
      auto taken = std::move(session);
      session = std::move(idle_.back());
      idle_.pop_back();
      return taken;
    }
  }
  return std::make_unique<Session>(library_, flags);
}

void Compiler::GiveBack(std::unique_ptr<Session> session) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.size() < AvailableCores()) idle_.push_back(std::move(session));
}

std::shared_ptr<const Program> Compiler::Compile(
    std::string_view source, std::string_view options_proto) {
  auto program = std::make_shared<Program>();
  program->source = source;
  program->compile_options_proto = options_proto;
  program->compile_options = ParseCompileOptions(options_proto);
  const std::vector<std::string> flags = Flags(program->compile_options);
  std::vector<std::string_view> key{source, options_proto, library_.revision()};
  key.insert(key.end(), flags.begin(), flags.end());
  program->fingerprint = Fingerprint(key);
  program->name = "iree_" + program->fingerprint;

  const Artifacts artifacts(options_.save_artifacts_dir, program->fingerprint);
  artifacts.Save("received.mlir", source);
  const std::string plain = Partition(
      source, program->compile_options.num_replicas,
      program->compile_options.num_partitions, options_.partition_callback);

  // A session whose compilation failed is dropped with whatever state it is in.
  auto session = TakeSession(flags);
  {
    Invocation invocation(library_, *session);
    invocation.Parse(plain);
    std::string rewritten;
    Signature signature = invocation.Rewrite(
        program->device_count(), artifacts.enabled() ? &rewritten : nullptr);
    artifacts.Save("rewritten.mlir", rewritten);
    program->inputs = std::move(signature.inputs);
    program->outputs = std::move(signature.outputs);
    program->donatable = std::move(signature.donatable);
    program->vmfb = invocation.Compile(program->donatable, &program->cost);
    artifacts.Save("module.vmfb", program->vmfb);
  }
  if (!session->tuned()) GiveBack(std::move(session));
  return program;
}

}  // namespace iree_pjrt

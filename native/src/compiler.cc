// SPDX-License-Identifier: Apache-2.0
#include "compiler.h"

#include <algorithm>

#include "artifacts.h"
#include "bool_constants.h"
#include "invocation.h"
#include "object_image.h"
#include "partition.h"
#include "rewrite/rewrites.h"
#include "runtime.h"
#include "signature.h"
#include "status.h"

namespace iree_pjrt {
namespace {

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

// Whether flags of the user's say how executables are linked.
bool SayHowToLink(const std::vector<std::string>& flags) {
  return std::any_of(flags.begin(), flags.end(), [](const std::string& flag) {
    return flag.find("iree-llvmcpu-link-") != std::string::npos ||
           flag.find("linker-path") != std::string::npos;
  });
}

}  // namespace

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

std::unique_ptr<CompileSession> Compiler::TakeSession(
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
  return std::make_unique<CompileSession>(
      library_, flags, kLoadsObjects && !SayHowToLink(flags));
}

void Compiler::GiveBack(std::unique_ptr<CompileSession> session) {
  std::lock_guard<std::mutex> lock(mutex_);
  // Full of sessions with other flags, it would never keep one again.
  if (idle_.size() >= AvailableCores()) idle_.erase(idle_.begin());
  idle_.push_back(std::move(session));
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
  std::string plain = Partition(source, program->compile_options.num_replicas,
                                program->compile_options.num_partitions,
                                options_.partition_callback);
  if (std::string unpacked = UnpackBoolConstants(plain); !unpacked.empty()) {
    plain = std::move(unpacked);
  }

  // A session whose compilation failed is dropped with whatever state it is in.
  auto session = TakeSession(flags);
  {
    Invocation invocation(*session);
    invocation.Parse(plain);
    std::string rewritten;
    Signature signature = invocation.Rewrite(
        program->device_count(), &program->cost_analysis,
        artifacts.enabled() ? &rewritten : nullptr, &program->name);
    artifacts.Save("rewritten.mlir", rewritten);
    program->inputs = std::move(signature.inputs);
    program->outputs = std::move(signature.outputs);
    program->donatable = std::move(signature.donatable);
    program->foreign_calls = std::move(signature.foreign_calls);
    program->output_memories = std::move(signature.output_memories);
    program->vmfb = invocation.Compile(program->donatable, &program->cost);
    artifacts.Save("module.vmfb", program->vmfb);
  }
  if (!session->tuned()) GiveBack(std::move(session));
  return program;
}

}  // namespace iree_pjrt

// SPDX-License-Identifier: Apache-2.0
#include "compile/task_compiler.h"

#include "base/status.h"
#include "compile/artifacts.h"
#include "compile/invocation.h"
#include "ffi/tile_product.h"
#include "runtime/runtime.h"
#include "runtime/target.h"
#include "trace/stopwatch.h"
#include "trace/trace.h"

namespace iree_pjrt {
namespace {

// Of its size in bytes most are constants.
constexpr size_t kLargeProgram = 1 << 20;

void Describe(Signature signature, Program& program) {
  program.inputs = std::move(signature.inputs);
  program.outputs = std::move(signature.outputs);
  program.donatable = std::move(signature.donatable);
  program.foreign_calls = std::move(signature.foreign_calls);
  program.output_memories = std::move(signature.output_memories);
  if (program.device_count == 1) return;
  program.argument_inputs = std::move(signature.argument_inputs);
  program.result_outputs = std::move(signature.result_outputs);
  CheckDeviceMaps(program);
}

}  // namespace

TaskCompiler::TaskCompiler(const ClientOptions& options)
    : options_(options),
      log_(options.log_level),
      cache_(options.cache_dir, options.cache_bytes, log_) {}

std::unique_ptr<CompileSession> TaskCompiler::NewSession(
    const CompileTask& task, Contexts contexts) const {
  return std::make_unique<CompileSession>(
      CompilerLibrary::Open(options_.compiler_library_path), task.flags,
      EmbedsObject(task.flags), contexts);
}

std::unique_ptr<CompileSession> TaskCompiler::TakeSession(
    const CompileTask& task) {
  if (task.program.size() > kLargeProgram) {
    return NewSession(task, Contexts::kOneForAll);
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& session : idle_) {
      if (session->flags() != task.flags) continue;
      auto taken = std::move(session);
      session = std::move(idle_.back());
      idle_.pop_back();
      return taken;
    }
  }
  return NewSession(task, Contexts::kOneEach);
}

void TaskCompiler::GiveBack(std::unique_ptr<CompileSession> session) {
  if (session->contexts() == Contexts::kOneForAll) return;
  std::lock_guard<std::mutex> lock(mutex_);
  // A list full of sessions with other flags could never keep a new one.
  if (idle_.size() >= AvailableCores()) idle_.erase(idle_.begin());
  idle_.push_back(std::move(session));
}

std::shared_ptr<Program> TaskCompiler::Find(const std::string& key,
                                            std::string_view options_proto) {
  // A user who wants artifacts wants those of a compilation.
  if (!options_.save_artifacts_dir.empty()) return nullptr;
  TraceSpan span(TraceKind::kCompile, "CacheMiss");
  const auto stored = cache_.Find(key);
  if (!stored) return nullptr;
  span.set_what("CacheHit");
  try {
    return DeserializeProgram(*stored, &options_proto);
  } catch (const Error& error) {
    log_.Info("cache: " + error.message());
    return nullptr;
  }
}

std::shared_ptr<Program> TaskCompiler::FindOrClaim(
    const std::string& key, std::string_view options_proto, Claim* claim) {
  auto found = Find(key, options_proto);
  if (found || !options_.save_artifacts_dir.empty()) return found;
  *claim = cache_.ClaimToMake(key);
  // Whoever had it may have given it back just now.
  return Find(key, options_proto);
}

CompileResult TaskCompiler::Compile(const CompileTask& task) {
  Stopwatch watch;
  // A session whose compilation failed is dropped with whatever state it is in.
  auto session = TakeSession(task);
  watch.Lap("session");
  CompileResult result;
  try {
    result = CompileIn(*session, task, watch);
    GiveBack(std::move(session));
  } catch (const NotMovable& program) {
    log_.Info("again, in one context: " + program.reason);
    result = CompileIn(*NewSession(task, Contexts::kOneForAll), task, watch);
  }
  result.steps = watch.steps();
  return result;
}

CompileResult TaskCompiler::CompileIn(CompileSession& session,
                                      const CompileTask& task,
                                      Stopwatch& watch) {
  auto program = std::make_shared<Program>();
  program->cpu = task.cpu;
  program->device_count = static_cast<size_t>(task.replicas * task.partitions);
  program->shown = task.shown;
  const Artifacts artifacts(options_.save_artifacts_dir, task.key);
  artifacts.Save("received.mlir", task.received);
  PassContext passes;
  passes.device_count = program->device_count;
  passes.has_tiles = !task.cpu.empty() && HasTiles();
  passes.has_bfloat16_kernels = HasBfloat16Kernels();
  passes.skipped = options_.skipped_passes;
  if (artifacts.enabled()) {
    passes.saved = options_.saved_passes;
    passes.save = [&](const std::string& name, std::string_view text) {
      artifacts.Save(name.c_str(), text);
    };
  }

  Invocation invocation(session, passes, task.program, task.device_targets);
  watch.Lap("parse");
  std::string rewritten;
  Describe(
      invocation.Rewrite(&program->cost_analysis, &rewritten, &program->name),
      *program);
  artifacts.Save("rewritten.mlir", rewritten);
  watch.Lap("rewrite");
  // The text has no source locations: a program that only moved is found too.
  program->fingerprint = task.Key(SerializeProgram(*program) + rewritten);
  const bool portable = Portable(program->foreign_calls);
  if (auto stored =
          portable ? Find(program->fingerprint, task.options_proto) : nullptr) {
    cache_.Link(program->fingerprint, task.key);
    watch.Lap("read");
    return {.program = std::move(stored), .found = true};
  }
  passes.donatable = program->donatable;
  program->vmfb = invocation.Compile(&program->cost, task.alone);
  artifacts.Save("module.vmfb", program->vmfb);
  watch.Lap("compile");
  if (portable) {
    cache_.Store(program->fingerprint, SerializeProgram(*program));
    cache_.Link(program->fingerprint, task.key);
  }
  watch.Lap("store");
  return {.program = std::move(program)};
}

}  // namespace iree_pjrt

// SPDX-License-Identifier: Apache-2.0
#include "compile/compiler.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include "base/fingerprint.h"
#include "base/platform.h"
#include "base/status.h"
#include "bytecode/bool_constants.h"
#include "bytecode/bytecode_check.h"
#include "compile/artifacts.h"
#include "compile/compiler_flags.h"
#include "compile/invocation.h"
#include "program/framework_passes.h"
#include "runtime/runtime.h"
#include "trace/stopwatch.h"
#include "trace/trace.h"

namespace iree_pjrt {
namespace {

// Tells one build of the library from another without opening it.
std::string IdentityOf(const std::string& library_path) {
  struct stat about;
  if (stat(library_path.c_str(), &about) != 0) return "";
  return std::to_string(about.st_size) + "." +
         std::to_string(about.st_mtim.tv_sec) + "." +
         std::to_string(about.st_mtim.tv_nsec);
}

// While it is being worked on, the plugin changes without a new version.
std::string IdentityOfThisPlugin() {
  Dl_info about;
  if (!dladdr(reinterpret_cast<const void*>(&IdentityOf), &about)) return "";
  return IdentityOf(about.dli_fname);
}

}  // namespace

// What is to be compiled, and with what.
struct Compiler::Request {
  std::string_view source;
  std::string_view options_proto;
  CompileOptions options;
  std::vector<std::string> flags;
  // The processor that the code is for; empty if the flags name one.
  std::string cpu;
  // The targets that are written into the module, where flags cannot say them.
  std::string device_targets;
  std::string libraries;

  // The key of the result of compiling `program`, which stands for all that is
  // not in the flags.
  std::string Key(std::string_view program) const {
    const std::string devices = std::to_string(options.num_replicas) + "x" +
                                std::to_string(options.num_partitions);
    std::vector<std::string_view> parts{kPlatformVersion, libraries, cpu,
                                        device_targets,   devices,   program};
    parts.insert(parts.end(), flags.begin(), flags.end());
    return Fingerprint(parts);
  }
};

Compiler::Compiler(const ClientOptions& options, Target target)
    : options_(options),
      target_(std::move(target)),
      log_(options.log_level),
      cache_(options.cache_dir, options.cache_bytes, log_) {
  CheckPassNames("IREE_PJRT_SKIP_PASSES", options.skipped_passes);
  std::vector<std::string> saved = options.saved_passes;
  std::erase(saved, kAllPasses);
  CheckPassNames("IREE_PJRT_SAVE_PASSES", saved);
}

std::string Compiler::identity() const {
  std::vector<std::string_view> parts{Processor(), target_.name};
  parts.insert(parts.end(), options_.extra_compiler_flags.begin(),
               options_.extra_compiler_flags.end());
  return Fingerprint(parts);
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
      CompilerLibrary::Open(options_.compiler_library_path), flags,
      EmbedsObject(flags));
}

void Compiler::GiveBack(std::unique_ptr<CompileSession> session) {
  std::lock_guard<std::mutex> lock(mutex_);
  // A list full of sessions with other flags could never keep a new one.
  if (idle_.size() >= AvailableCores()) idle_.erase(idle_.begin());
  idle_.push_back(std::move(session));
}

Compiler::Request Compiler::MakeRequest(std::string_view source,
                                        std::string_view options_proto) const {
  Request request{source,
                  options_proto,
                  ParseCompileOptions(options_proto),
                  options_.extra_compiler_flags,
                  Processor(),
                  TargetAttribute(target_),
                  IdentityOfThisPlugin() + "/" +
                      options_.framework_passes_identity + "/" +
                      IdentityOf(options_.compiler_library_path)};
  for (const std::string& pass : options_.skipped_passes) {
    request.libraries += " without " + pass;
  }
  std::vector<std::string>& flags = request.flags;
  flags.insert(flags.end(), request.options.compiler_flags.begin(),
               request.options.compiler_flags.end());
  if (NameATarget(flags)) {
    request.cpu.clear();
    request.device_targets.clear();
  }
  // The user's flags come last, so that they win.
  const auto defaults = DefaultCompilerFlags(target_);
  flags.insert(flags.begin(), defaults.begin(), defaults.end());
  return request;
}

std::shared_ptr<const Program> Compiler::Compile(
    std::string_view source, std::string_view options_proto) {
  Stopwatch watch;
  TraceSpan span(TraceKind::kCompile, "Compile");
  try {
    const Request request = MakeRequest(source, options_proto);
    auto program = CompileOrFind(request, watch);
    if (span.on()) span.set_name(TraceName(program, &program->name));
    program->source = source;
    program->compile_options_proto = options_proto;
    program->compile_options = request.options;
    return program;
  } catch (const Error& error) {
    log_.Error("compiling failed: " + error.message());
    throw;
  }
}

// The program that is stored under `key`, or null.
std::shared_ptr<Program> Compiler::Find(const Request& request,
                                        const std::string& key) {
  // A user who wants artifacts wants those of a compilation.
  if (!options_.save_artifacts_dir.empty()) return nullptr;
  TraceSpan span(TraceKind::kCompile, "CacheMiss");
  const auto stored = cache_.Find(key);
  if (!stored) return nullptr;
  span.set_what("CacheHit");
  try {
    return DeserializeProgram(*stored, &request.options_proto);
  } catch (const Error& error) {
    log_.Info("cache: " + error.message());
    return nullptr;
  }
}

std::shared_ptr<Program> Compiler::CompileOrFind(const Request& request,
                                                 Stopwatch& watch) {
  const std::string key = request.Key(request.source);
  if (auto found = Find(request, key)) {
    watch.Lap("read");
    log_.Info("cache hit for " + found->name + " in " + watch.ToString());
    return found;
  }
  CheckBytecode(request.source);
  const PlainProgram prepared = RunFrameworkPasses(
      request.source, request.options.num_replicas,
      request.options.num_partitions, options_.framework_passes);
  return CompilePlain(request, prepared, key, watch);
}

std::shared_ptr<Program> Compiler::CompilePlain(const Request& request,
                                                const PlainProgram& prepared,
                                                const std::string& key,
                                                Stopwatch& watch) {
  const std::string unpacked = UnpackBoolConstants(prepared.program);
  const std::string& plain = unpacked.empty() ? prepared.program : unpacked;
  watch.Lap("prepare");
  auto program = std::make_shared<Program>();
  program->cpu = request.cpu;
  program->device_count = request.options.device_count();
  const Artifacts artifacts(options_.save_artifacts_dir, key);
  artifacts.Save("received.mlir", request.source);
  PassContext passes;
  passes.device_count = program->device_count;
  passes.skipped = options_.skipped_passes;
  if (artifacts.enabled()) {
    passes.saved = options_.saved_passes;
    passes.save = [&](const std::string& name, std::string_view text) {
      artifacts.Save(name.c_str(), text);
    };
  }

  // A session whose compilation failed is dropped with whatever state it is in.
  auto session = TakeSession(request.flags);
  watch.Lap("session");
  {
    Invocation invocation(*session, passes);
    invocation.Parse(plain);
    invocation.SetTarget(request.device_targets);
    watch.Lap("parse");
    std::string rewritten;
    Signature signature =
        invocation.Rewrite(&program->cost_analysis, &rewritten, &program->name);
    artifacts.Save("rewritten.mlir", rewritten);
    watch.Lap("rewrite");
    program->inputs = std::move(signature.inputs);
    program->outputs = std::move(signature.outputs);
    program->donatable = std::move(signature.donatable);
    program->foreign_calls = std::move(signature.foreign_calls);
    program->output_memories = std::move(signature.output_memories);
    if (program->device_count > 1) {
      program->shown = prepared.shown;
      program->argument_inputs = std::move(signature.argument_inputs);
      program->result_outputs = std::move(signature.result_outputs);
      CheckDeviceMaps(*program);
      log_.Info(program->name + " for " +
                std::to_string(program->device_count) +
                " devices is one program: what works on whole arrays is "
                "computed once and its pieces are handed out");
    }
    // The text has no source locations: a program that only moved is found too.
    program->fingerprint = request.Key(SerializeProgram(*program) + rewritten);
    const bool portable = Portable(program->foreign_calls);
    if (auto found = portable ? Find(request, program->fingerprint) : nullptr) {
      cache_.Link(program->fingerprint, key);
      watch.Lap("read");
      log_.Info("cache hit for " + found->name + " in " + watch.ToString());
      program = std::move(found);
    } else {
      passes.donatable = program->donatable;
      program->vmfb = invocation.Compile(&program->cost);
      artifacts.Save("module.vmfb", program->vmfb);
      watch.Lap("compile");
      if (portable) {
        cache_.Store(program->fingerprint, SerializeProgram(*program));
        cache_.Link(program->fingerprint, key);
      }
      watch.Lap("store");
      log_.Info("compiled " + program->name + " in " + watch.ToString());
    }
  }
  if (!session->tuned()) GiveBack(std::move(session));
  return program;
}

}  // namespace iree_pjrt

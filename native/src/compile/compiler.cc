// SPDX-License-Identifier: Apache-2.0
#include "compile/compiler.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <utility>
#include <vector>

#include "base/fingerprint.h"
#include "base/scratch_file.h"
#include "base/status.h"
#include "bytecode/bool_constants.h"
#include "bytecode/bytecode_check.h"
#include "compile/compiler_flags.h"
#include "ffi/registry.h"
#include "program/framework_passes.h"
#include "rewrite/pipeline.h"
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

// Counts itself among those that there are.
class Counted {
 public:
  explicit Counted(std::atomic<int>& count)
      : count_(count), before_(count_.fetch_add(1)) {}
  ~Counted() { count_.fetch_sub(1); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  bool first() const { return before_ == 0; }

 private:
  std::atomic<int>& count_;
  const int before_;
};

// While it is being worked on, the plugin changes without a new version.
std::string IdentityOfThisPlugin() {
  Dl_info about;
  if (!dladdr(reinterpret_cast<const void*>(&IdentityOf), &about)) return "";
  return IdentityOf(about.dli_fname);
}

}  // namespace

Compiler::Compiler(const ClientOptions& options, Target target)
    : options_(options),
      target_(std::move(target)),
      log_(options.log_level),
      here_(options_),
      helpers_(options_) {
  CheckPassNames("IREE_PJRT_SKIP_PASSES", options.skipped_passes);
  std::vector<std::string> saved = options.saved_passes;
  std::erase(saved, kAllPasses);
  std::erase(saved, kChangingPasses);
  CheckPassNames("IREE_PJRT_SAVE_PASSES", saved);
}

std::string Compiler::identity() const {
  std::vector<std::string_view> parts{Processor(), target_.name};
  parts.insert(parts.end(), options_.extra_compiler_flags.begin(),
               options_.extra_compiler_flags.end());
  return Fingerprint(parts);
}

CompileTask Compiler::MakeTask(std::string_view source,
                               std::string_view options_proto) const {
  const CompileOptions options = ParseCompileOptions(options_proto);
  CompileTask task;
  task.options_proto = options_proto;
  task.replicas = options.num_replicas;
  task.partitions = options.num_partitions;
  task.cpu = Processor();
  task.device_targets = TargetAttribute(target_);
  task.libraries = IdentityOfThisPlugin() + "/" +
                   options_.framework_passes_identity + "/" +
                   IdentityOf(options_.compiler_library_path);
  for (const std::string& pass : options_.skipped_passes) {
    task.libraries += " without " + pass;
  }
  // The user's flags come last, so that they win.
  task.flags = options_.extra_compiler_flags;
  task.flags.insert(task.flags.end(), options.compiler_flags.begin(),
                    options.compiler_flags.end());
  if (NameATarget(task.flags)) {
    task.cpu.clear();
    task.device_targets.clear();
  }
  const auto defaults = DefaultCompilerFlags(target_);
  task.flags.insert(task.flags.begin(), defaults.begin(), defaults.end());
  task.handlers = HandlerRegistry::Get().Names();
  task.scratch_folder = ScratchFolder();
  task.traced = CurrentRecording() != 0;
  task.key = task.Key(source);
  return task;
}

std::shared_ptr<const Program> Compiler::Compile(
    std::string_view source, std::string_view options_proto) {
  Stopwatch watch;
  TraceSpan span(TraceKind::kCompile, "Compile");
  try {
    auto program =
        CompileOrFind(MakeTask(source, options_proto), source, watch);
    if (span.on()) span.set_name(TraceName(program, &program->name));
    program->source = source;
    program->compile_options_proto = options_proto;
    program->compile_options = ParseCompileOptions(options_proto);
    return program;
  } catch (const Error& error) {
    log_.Error("compiling failed: " + error.message());
    throw;
  }
}

std::shared_ptr<Program> Compiler::CompileOrFind(CompileTask task,
                                                 std::string_view source,
                                                 Stopwatch& watch) {
  Claim claim;
  if (auto found = here_.FindOrClaim(task.key, task.options_proto, &claim)) {
    watch.Lap(claim.waited() ? "wait" : "read");
    log_.Info("cache hit for " + found->name + " in " + watch.ToString());
    return found;
  }
  CheckBytecode(source);
  PlainProgram plain = RunFrameworkPasses(
      source, task.replicas, task.partitions, options_.framework_passes);
  task.program = UnpackBoolConstants(plain.program);
  if (task.program.empty()) task.program = std::move(plain.program);
  if (task.replicas * task.partitions > 1) task.shown = std::move(plain.shown);
  if (!options_.save_artifacts_dir.empty()) task.received = source;
  watch.Lap("prepare");
  const CompileResult result = Compile(std::move(task));
  watch.Add(result.steps);
  const Program& program = *result.program;
  if (program.device_count > 1) {
    log_.Info(program.name + " for " + std::to_string(program.device_count) +
              " devices is one program: what works on whole arrays is computed "
              "once and its pieces are handed out");
  }
  log_.Info((result.found ? "cache hit for " : "compiled ") + program.name +
            " in " + watch.ToString());
  return result.program;
}

CompileResult Compiler::Compile(CompileTask task) {
  const Counted counted(compiling_);
  task.alone = counted.first();
  if (!options_.compiles_in_process) {
    if (auto result = helpers_.Compile(task)) {
      for (TraceEvent& event : result->events) {
        Record(CurrentRecording(), std::move(event));
      }
      return *std::move(result);
    }
  }
  return here_.Compile(task);
}

}  // namespace iree_pjrt

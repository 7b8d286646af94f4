// SPDX-License-Identifier: Apache-2.0
#include "compile/compile_task.h"

#include <mutex>
#include <set>

#include "base/fingerprint.h"
#include "base/platform.h"
#include "base/wire.h"

namespace iree_pjrt {
namespace {

namespace task_field {
constexpr uint64_t kProgram = 1;
constexpr uint64_t kReceived = 2;
constexpr uint64_t kShown = 3;
constexpr uint64_t kOptions = 4;
constexpr uint64_t kKey = 5;
constexpr uint64_t kReplicas = 6;
constexpr uint64_t kPartitions = 7;
constexpr uint64_t kFlag = 8;
constexpr uint64_t kCpu = 9;
constexpr uint64_t kDeviceTargets = 10;
constexpr uint64_t kLibraries = 11;
constexpr uint64_t kHandler = 12;
constexpr uint64_t kTraced = 13;
constexpr uint64_t kScratchFolder = 14;
constexpr uint64_t kAlone = 15;
}  // namespace task_field

namespace result_field {
constexpr uint64_t kProgram = 1;
constexpr uint64_t kFound = 2;
constexpr uint64_t kSteps = 3;
constexpr uint64_t kEvent = 4;
constexpr uint64_t kKind = 1;
constexpr uint64_t kWhat = 2;
constexpr uint64_t kName = 3;
constexpr uint64_t kBegin = 4;
constexpr uint64_t kEnd = 5;
}  // namespace result_field

namespace option_field {
constexpr uint64_t kLibrary = 1;
constexpr uint64_t kArtifacts = 2;
constexpr uint64_t kSavedPass = 3;
constexpr uint64_t kSkippedPass = 4;
constexpr uint64_t kCacheDir = 5;
constexpr uint64_t kCacheBytes = 6;
constexpr uint64_t kLogLevel = 7;
}  // namespace option_field

void WriteAll(WireWriter& writer, uint64_t field,
              const std::vector<std::string>& texts) {
  for (const std::string& text : texts) writer.Bytes(field, text);
}

// A copy of the text that stays, as events need one for what they are.
const char* Kept(std::string_view text) {
  static std::mutex mutex;
  static auto& kept = *new std::set<std::string, std::less<>>();
  std::lock_guard<std::mutex> lock(mutex);
  return kept.emplace(text).first->c_str();
}

std::string SerializeEvent(const TraceEvent& event) {
  WireWriter writer;
  writer.Number(result_field::kKind, static_cast<int64_t>(event.kind));
  if (event.what) writer.Bytes(result_field::kWhat, event.what);
  if (event.name) writer.Bytes(result_field::kName, *event.name);
  writer.Number(result_field::kBegin, event.begin);
  writer.Number(result_field::kEnd, event.end);
  return writer.Take();
}

TraceEvent ParseEvent(std::string_view bytes) {
  TraceEvent event{TraceKind::kCompile, nullptr, nullptr, 0, 0};
  for (WireReader r(bytes); r.Next();) {
    switch (r.field()) {
      case result_field::kKind:
        event.kind = static_cast<TraceKind>(r.number());
        break;
      case result_field::kWhat:
        event.what = Kept(r.bytes());
        break;
      case result_field::kName:
        event.name = std::make_shared<const std::string>(r.bytes());
        break;
      case result_field::kBegin:
        event.begin = r.number();
        break;
      case result_field::kEnd:
        event.end = r.number();
        break;
      default:
        break;
    }
  }
  return event;
}

}  // namespace

std::string CompileTask::Key(std::string_view text) const {
  const std::string devices =
      std::to_string(replicas) + "x" + std::to_string(partitions);
  std::vector<std::string_view> parts{kPlatformVersion, libraries, cpu,
                                      device_targets,   devices,   text};
  parts.insert(parts.end(), flags.begin(), flags.end());
  return Fingerprint(parts);
}

std::string SerializeTask(const CompileTask& task) {
  WireWriter writer;
  writer.Bytes(task_field::kProgram, task.program);
  writer.Bytes(task_field::kReceived, task.received);
  writer.Bytes(task_field::kShown, task.shown);
  writer.Bytes(task_field::kOptions, task.options_proto);
  writer.Bytes(task_field::kKey, task.key);
  writer.Number(task_field::kReplicas, task.replicas);
  writer.Number(task_field::kPartitions, task.partitions);
  WriteAll(writer, task_field::kFlag, task.flags);
  writer.Bytes(task_field::kCpu, task.cpu);
  writer.Bytes(task_field::kDeviceTargets, task.device_targets);
  writer.Bytes(task_field::kLibraries, task.libraries);
  WriteAll(writer, task_field::kHandler, task.handlers);
  writer.Number(task_field::kTraced, task.traced);
  writer.Bytes(task_field::kScratchFolder, task.scratch_folder);
  writer.Number(task_field::kAlone, task.alone);
  return writer.Take();
}

CompileTask ParseTask(std::string_view bytes) {
  CompileTask task;
  for (WireReader r(bytes); r.Next();) {
    switch (r.field()) {
      case task_field::kProgram:
        task.program = r.bytes();
        break;
      case task_field::kReceived:
        task.received = r.bytes();
        break;
      case task_field::kShown:
        task.shown = r.bytes();
        break;
      case task_field::kOptions:
        task.options_proto = r.bytes();
        break;
      case task_field::kKey:
        task.key = r.bytes();
        break;
      case task_field::kReplicas:
        task.replicas = r.number();
        break;
      case task_field::kPartitions:
        task.partitions = r.number();
        break;
      case task_field::kFlag:
        task.flags.emplace_back(r.bytes());
        break;
      case task_field::kCpu:
        task.cpu = r.bytes();
        break;
      case task_field::kDeviceTargets:
        task.device_targets = r.bytes();
        break;
      case task_field::kLibraries:
        task.libraries = r.bytes();
        break;
      case task_field::kHandler:
        task.handlers.emplace_back(r.bytes());
        break;
      case task_field::kTraced:
        task.traced = r.number() != 0;
        break;
      case task_field::kScratchFolder:
        task.scratch_folder = r.bytes();
        break;
      case task_field::kAlone:
        task.alone = r.number() != 0;
        break;
      default:
        break;
    }
  }
  return task;
}

std::string SerializeResult(const CompileResult& result) {
  WireWriter writer;
  writer.Bytes(result_field::kProgram, SerializeProgram(*result.program));
  writer.Number(result_field::kFound, result.found);
  writer.Bytes(result_field::kSteps, result.steps);
  for (const TraceEvent& event : result.events) {
    writer.Bytes(result_field::kEvent, SerializeEvent(event));
  }
  return writer.Take();
}

CompileResult ParseResult(std::string_view bytes,
                          std::string_view options_proto) {
  CompileResult result;
  for (WireReader r(bytes); r.Next();) {
    switch (r.field()) {
      case result_field::kProgram:
        result.program = DeserializeProgram(r.bytes(), &options_proto);
        break;
      case result_field::kFound:
        result.found = r.number() != 0;
        break;
      case result_field::kSteps:
        result.steps = r.bytes();
        break;
      case result_field::kEvent:
        result.events.push_back(ParseEvent(r.bytes()));
        break;
      default:
        break;
    }
  }
  return result;
}

std::string SerializeCompilerOptions(const ClientOptions& options) {
  WireWriter writer;
  writer.Bytes(option_field::kLibrary, options.compiler_library_path);
  writer.Bytes(option_field::kArtifacts, options.save_artifacts_dir);
  WriteAll(writer, option_field::kSavedPass, options.saved_passes);
  WriteAll(writer, option_field::kSkippedPass, options.skipped_passes);
  writer.Bytes(option_field::kCacheDir, options.cache_dir);
  writer.Number(option_field::kCacheBytes,
                static_cast<int64_t>(options.cache_bytes));
  writer.Number(option_field::kLogLevel,
                static_cast<int64_t>(options.log_level));
  return writer.Take();
}

ClientOptions ParseCompilerOptions(std::string_view bytes) {
  ClientOptions options;
  for (WireReader r(bytes); r.Next();) {
    switch (r.field()) {
      case option_field::kLibrary:
        options.compiler_library_path = r.bytes();
        break;
      case option_field::kArtifacts:
        options.save_artifacts_dir = r.bytes();
        break;
      case option_field::kSavedPass:
        options.saved_passes.emplace_back(r.bytes());
        break;
      case option_field::kSkippedPass:
        options.skipped_passes.emplace_back(r.bytes());
        break;
      case option_field::kCacheDir:
        options.cache_dir = r.bytes();
        break;
      case option_field::kCacheBytes:
        options.cache_bytes = static_cast<uint64_t>(r.number());
        break;
      case option_field::kLogLevel:
        options.log_level = static_cast<LogLevel>(r.number());
        break;
      default:
        break;
    }
  }
  return options;
}

}  // namespace iree_pjrt

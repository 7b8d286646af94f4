// SPDX-License-Identifier: Apache-2.0
// One program to compile, with all that the result depends on: what another
// process needs to compile it. Values.
#ifndef IREE_PJRT_COMPILE_COMPILE_TASK_H_
#define IREE_PJRT_COMPILE_COMPILE_TASK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "program/options.h"
#include "program/program.h"
#include "trace/trace.h"

namespace iree_pjrt {

struct CompileTask {
  // MLIR that libIREECompiler can read.
  std::string program;
  // As the framework sent it; only where artifacts are saved.
  std::string received;
  // For the framework, if the program is for several devices.
  std::string shown;
  // The serialized CompileOptionsProto.
  std::string options_proto;
  // Of the cache, for what the framework sent.
  std::string key;
  int64_t replicas = 1;
  int64_t partitions = 1;
  std::vector<std::string> flags;
  // The processor that the code is for; empty if the flags name one.
  std::string cpu;
  // The targets that are written into the module, where flags cannot say them.
  std::string device_targets;
  // Tells these libraries and the framework's passes from others.
  std::string libraries;
  // Custom calls that the process which runs the program has handlers for.
  std::vector<std::string> handlers;
  // For temporary files.
  std::string scratch_folder;
  // Whether somebody wants to know what takes how long.
  bool traced = false;
  // Whether no other program is being compiled: it may have all cores.
  bool alone = false;

  // The key of the result of compiling `text`, which stands for all that is not
  // in the flags.
  std::string Key(std::string_view text) const;
};

struct CompileResult {
  std::shared_ptr<Program> program;
  // It was in the cache.
  bool found = false;
  // What took how long: "parse 0.4 ms, compile 11.9 ms".
  std::string steps = {};
  // Of another process; of this one they are recorded already.
  std::vector<TraceEvent> events = {};
};

std::string SerializeTask(const CompileTask& task);
CompileTask ParseTask(std::string_view bytes);

std::string SerializeResult(const CompileResult& result);
// `options_proto`: of the task.
CompileResult ParseResult(std::string_view bytes,
                          std::string_view options_proto);

// What of a client's options compiling depends on.
std::string SerializeCompilerOptions(const ClientOptions& options);
ClientOptions ParseCompilerOptions(std::string_view bytes);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_COMPILE_TASK_H_

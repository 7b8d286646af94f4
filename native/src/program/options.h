// SPDX-License-Identifier: Apache-2.0
// What a client was asked to be: the create options of PJRT_Client_Create and
// the environment, read once and checked into one struct. Immutable after.
#ifndef IREE_PJRT_PROGRAM_OPTIONS_H_
#define IREE_PJRT_PROGRAM_OPTIONS_H_

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "device_options.h"
#include "program/framework_passes.h"
#include "trace/zone.h"
#include "xla/pjrt/c/pjrt_c_api.h"

namespace iree_pjrt {

struct ClientOptions {
  // libIREECompiler.so; empty if neither option nor environment names one.
  std::string compiler_library_path;
  // Null if the framework registered none.
  iree_pjrt_framework_passes_fn framework_passes = nullptr;
  // While this stays the same, the callback makes the same of a program.
  std::string framework_passes_identity;
  // Flags added after ours, so that they win.
  std::vector<std::string> extra_compiler_flags;
  // Where each program is written; empty for nowhere.
  std::string save_artifacts_dir;
  // Our passes whose program is written there, too, before and after.
  std::vector<std::string> saved_passes;
  // Our passes that are left out, to see what they are good for.
  std::vector<std::string> skipped_passes;
  // Threads that share a large dispatch; 0: one for each core that the process
  // may use.
  size_t thread_count = 0;
  // Where compiled programs are kept, and how much of them; empty or 0:
  // nowhere.
  std::string cache_dir;
  uint64_t cache_bytes = uint64_t{1} << 30;
  // Whether programs are compiled in this process, not in helper processes that
  // may end without it. Tracy is sent the zones of one process.
  bool compiles_in_process = Zone::kSent;
  // Seconds that a helper may take for a program; 0: as long as it likes.
  int64_t compile_timeout_s = 0;
  // The options that only this family of devices knows.
  DeviceOptions device;
  // Errors reach the caller anyway.
  LogLevel log_level = LogLevel::kOff;
};

// Throws INVALID_ARGUMENT for an unknown key or a wrong type.
ClientOptions ParseClientOptions(const PJRT_NamedValue* values, size_t count,
                                 const GetEnv& getenv = &std::getenv);

// Splits like a shell does: blanks, single and double quotes, backslashes.
// Throws INVALID_ARGUMENT for a quote left open.
std::vector<std::string> SplitFlags(std::string_view text);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_PROGRAM_OPTIONS_H_

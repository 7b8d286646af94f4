// SPDX-License-Identifier: Apache-2.0
// What a client was asked to be: the create options of PJRT_Client_Create and
// the environment, read once and checked into one struct. Immutable after.
#ifndef IREE_PJRT_OPTIONS_H_
#define IREE_PJRT_OPTIONS_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partition.h"
#include "xla/pjrt/c/pjrt_c_api.h"

namespace iree_pjrt {

enum class LogLevel { kOff, kError, kInfo, kDebug };

struct ClientOptions {
  // libIREECompiler.so; empty if neither option nor environment names one.
  std::string compiler_library_path;
  // Null if the framework registered none.
  iree_pjrt_partition_fn partition_callback = nullptr;
  // Flags added after ours, so that they win.
  std::vector<std::string> extra_compiler_flags;
  // Where each program is written; empty for nowhere.
  std::string save_artifacts_dir;
  // Threads that a large program is spread over; 0: one for each core that the
  // process may use.
  size_t worker_count = 0;
  LogLevel log_level = LogLevel::kError;
};

// Reads a variable of the environment; null if unset.
using GetEnv = std::function<const char*(const char* name)>;

// Throws INVALID_ARGUMENT for an unknown key or a wrong type.
ClientOptions ParseClientOptions(const PJRT_NamedValue* values, size_t count,
                                 const GetEnv& getenv);

// Splits like a shell does: blanks, single and double quotes, backslashes.
// Throws INVALID_ARGUMENT for a quote left open.
std::vector<std::string> SplitFlags(std::string_view text);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_OPTIONS_H_

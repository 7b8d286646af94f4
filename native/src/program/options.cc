// SPDX-License-Identifier: Apache-2.0
#include "program/options.h"

#include <charconv>
#include <cstdint>

#include "base/named_value.h"
#include "base/status.h"
#include "base/struct_reader.h"

namespace iree_pjrt {
namespace {

constexpr char kCompilerLibraryPath[] = "compiler_library_path";
constexpr char kFrameworkPasses[] = "framework_passes";
constexpr char kFrameworkPassesIdentity[] = "framework_passes_identity";
constexpr char kCacheDir[] = "cache_dir";
constexpr char kCacheSize[] = "cache_size";

void ParseOption(const PJRT_NamedValue& value, ClientOptions& options) {
  const std::string name(value.name, value.name_size);
  if (name == kCompilerLibraryPath) {
    options.compiler_library_path = StringValue(name, value);
  } else if (name == kFrameworkPasses) {
    options.framework_passes = reinterpret_cast<iree_pjrt_framework_passes_fn>(
        static_cast<uintptr_t>(IntValue(name, value)));
  } else if (name == kFrameworkPassesIdentity) {
    options.framework_passes_identity = StringValue(name, value);
  } else if (name == kCacheDir) {
    options.cache_dir = StringValue(name, value);
  } else if (name == kCacheSize) {
    const int64_t bytes = IntValue(name, value);
    if (bytes < 0)
      ThrowInvalidArgument("client option 'cache_size' is below 0");
    options.cache_bytes = static_cast<uint64_t>(bytes);
  } else if (!ParseDeviceOption(name, value, options.device)) {
    ThrowInvalidArgument("unknown client option '" + name + "'; allowed are '" +
                         kCompilerLibraryPath + "', '" +
                         kFrameworkPassesIdentity + "', '" + kCacheDir +
                         "' (strings), '" + kFrameworkPasses + "', '" +
                         kCacheSize + "' (integers)" + kDeviceOptionNames);
  }
}

// As the XDG base directory specification has it; empty without a home.
std::string DefaultCacheDir(const GetEnv& getenv) {
  const char* cache = getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/') return std::string(cache) + "/iree-pjrt";
  const char* home = getenv("HOME");
  if (home && *home == '/') return std::string(home) + "/.cache/iree-pjrt";
  return "";
}

void ReadCacheVariables(const GetEnv& getenv, ClientOptions& options) {
  const char* size = getenv("IREE_PJRT_CACHE_SIZE");
  if (size && *size) {
    options.cache_bytes = ParseByteCount("IREE_PJRT_CACHE_SIZE", size);
  }
  const char* dir = getenv("IREE_PJRT_CACHE_DIR");
  options.cache_dir = dir && *dir ? dir : DefaultCacheDir(getenv);
}

// What the variable says, which is above 0.
template <typename Number>
Number ParseCount(const std::string& variable, std::string_view text) {
  Number count = 0;
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), count);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() ||
      count <= 0) {
    ThrowInvalidArgument(variable + " is '" + std::string(text) +
                         "'; it must be a positive number");
  }
  return count;
}

bool ParseSwitch(const std::string& variable, std::string_view text) {
  if (text == "1") return true;
  if (text == "0") return false;
  ThrowInvalidArgument(variable + " is '" + std::string(text) +
                       "'; it must be 0 or 1");
}

// How and where programs are compiled.
void ReadCompileVariables(const GetEnv& getenv, ClientOptions& options) {
  constexpr char kInProcess[] = "IREE_PJRT_COMPILE_IN_PROCESS";
  constexpr char kTimeout[] = "IREE_PJRT_COMPILE_TIMEOUT";
  const char* in_process = getenv(kInProcess);
  if (in_process && *in_process) {
    options.compiles_in_process = ParseSwitch(kInProcess, in_process);
  }
  const char* timeout = getenv(kTimeout);
  if (!timeout || !*timeout) return;
  options.compile_timeout_s = ParseCount<int64_t>(kTimeout, timeout);
  if (options.compiles_in_process) {
    ThrowInvalidArgument(std::string(kTimeout) +
                         " needs a process that can be ended: set " +
                         kInProcess + " to 0");
  }
}

LogLevel ParseLogLevel(std::string_view text) {
  if (text == "off") return LogLevel::kOff;
  if (text == "error") return LogLevel::kError;
  if (text == "info") return LogLevel::kInfo;
  if (text == "debug") return LogLevel::kDebug;
  ThrowInvalidArgument("IREE_PJRT_LOG_LEVEL is '" + std::string(text) +
                       "'; allowed are off, error, info, debug");
}

// One word of the flags, quotes resolved; `pos` ends behind it.
std::string NextWord(std::string_view text, size_t& pos) {
  std::string word;
  char quote = 0;
  for (; pos < text.size(); ++pos) {
    const char c = text[pos];
    if (c == '\\' && quote != '\'' && pos + 1 < text.size()) {
      word += text[++pos];
    } else if (quote) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      break;
    } else {
      word += c;
    }
  }
  if (quote) {
    ThrowInvalidArgument(std::string("compiler flags: the quote ") + quote +
                         " is not closed");
  }
  return word;
}

}  // namespace

std::vector<std::string> SplitFlags(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n";
  std::vector<std::string> words;
  size_t pos = text.find_first_not_of(kBlanks);
  while (pos != std::string_view::npos) {
    words.push_back(NextWord(text, pos));
    pos = text.find_first_not_of(kBlanks, pos);
  }
  return words;
}

ClientOptions ParseClientOptions(const PJRT_NamedValue* values, size_t count,
                                 const GetEnv& getenv) {
  if (count > 0 && !values) ThrowInvalidArgument("create_options is null");
  ClientOptions options;
  // What the framework passes wins.
  ReadCacheVariables(getenv, options);
  ReadDeviceVariables(getenv, options.device);
  for (size_t i = 0; i < count; ++i) {
    ParseOption(ReadStruct(&values[i]), options);
  }
  if (options.compiler_library_path.empty()) {
    if (const char* path = getenv("IREE_PJRT_COMPILER_LIB_PATH")) {
      options.compiler_library_path = path;
    }
  }
  if (const char* flags = getenv("IREE_PJRT_IREE_COMPILER_OPTIONS")) {
    options.extra_compiler_flags = SplitFlags(flags);
  }
  if (const char* dir = getenv("IREE_PJRT_SAVE_ARTIFACTS")) {
    options.save_artifacts_dir = dir;
  }
  if (const char* passes = getenv("IREE_PJRT_SAVE_PASSES")) {
    options.saved_passes = SplitFlags(passes);
  }
  if (!options.saved_passes.empty() && options.save_artifacts_dir.empty()) {
    ThrowInvalidArgument(
        "IREE_PJRT_SAVE_PASSES is set, but not where the programs are to be "
        "saved: set IREE_PJRT_SAVE_ARTIFACTS to a folder");
  }
  if (const char* passes = getenv("IREE_PJRT_SKIP_PASSES")) {
    options.skipped_passes = SplitFlags(passes);
  }
  const char* threads = getenv("IREE_PJRT_NUM_THREADS");
  if (threads && *threads) {
    options.thread_count = ParseCount<size_t>("IREE_PJRT_NUM_THREADS", threads);
  }
  ReadCompileVariables(getenv, options);
  const char* level = getenv("IREE_PJRT_LOG_LEVEL");
  if (level && *level) options.log_level = ParseLogLevel(level);
  return options;
}

}  // namespace iree_pjrt

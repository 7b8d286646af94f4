// SPDX-License-Identifier: Apache-2.0
// Lines on stderr for whoever wants to know what the plugin does, up to a level
// (IREE_PJRT_LOG_LEVEL): "iree-pjrt I 12:34:56.789 1234 text". Thread-safe: a
// line is one write. A value without state but the level; copied freely.
#ifndef IREE_PJRT_BASE_LOG_H_
#define IREE_PJRT_BASE_LOG_H_

#include <string_view>

namespace iree_pjrt {

enum class LogLevel { kOff, kError, kInfo, kDebug };

class Log {
 public:
  explicit Log(LogLevel level) : level_(level) {}

  // For callers whose text costs something to make.
  bool enabled(LogLevel level) const { return level <= level_; }

  // Error: something went wrong. Info: what is done, with its time. Debug:
  // details.
  void Error(std::string_view text) const {
    Write(LogLevel::kError, 'E', text);
  }
  void Info(std::string_view text) const { Write(LogLevel::kInfo, 'I', text); }
  void Debug(std::string_view text) const {
    Write(LogLevel::kDebug, 'D', text);
  }

 private:
  // Line breaks in the text become " | ".
  void Write(LogLevel level, char letter, std::string_view text) const;

  LogLevel level_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_BASE_LOG_H_

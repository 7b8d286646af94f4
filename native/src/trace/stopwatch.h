// SPDX-License-Identifier: Apache-2.0
// Times of the steps of a compilation, for the log and for traces. One thread.
#ifndef IREE_PJRT_TRACE_STOPWATCH_H_
#define IREE_PJRT_TRACE_STOPWATCH_H_

#include <cstdint>
#include <cstdio>
#include <string>

#include "trace/trace.h"

namespace iree_pjrt {

class Stopwatch {
 public:
  // Ends a step, whose name is static.
  void Lap(const char* step) {
    const int64_t now = TraceClock();
    if (!steps_.empty()) steps_ += ", ";
    steps_ += std::string(step) + " " + Milliseconds(now - lap_);
    if (recording_) {
      Record(recording_, {TraceKind::kCompile, step, nullptr, lap_, now});
    }
    lap_ = now;
  }

  // Steps that another one counted.
  void Add(const std::string& steps) {
    steps_ += (steps_.empty() ? "" : ", ") + steps;
    lap_ = TraceClock();
  }

  // "parse 0.4 ms, compile 11.9 ms"
  const std::string& steps() const { return steps_; }

  // "12.3 ms (parse 0.4 ms, compile 11.9 ms)"
  std::string ToString() const {
    return Milliseconds(TraceClock() - begin_) + " (" + steps_ + ")";
  }

 private:
  static std::string Milliseconds(int64_t nanoseconds) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.1f ms",
                  static_cast<double>(nanoseconds) / 1e6);
    return text;
  }

  const uint32_t recording_ = CurrentRecording();
  const int64_t begin_ = TraceClock();
  int64_t lap_ = begin_;
  std::string steps_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_TRACE_STOPWATCH_H_

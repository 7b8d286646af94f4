// SPDX-License-Identifier: Apache-2.0
// Times of the steps of something, for the log. One thread.
#ifndef IREE_PJRT_STOPWATCH_H_
#define IREE_PJRT_STOPWATCH_H_

#include <chrono>
#include <cstdio>
#include <string>

namespace iree_pjrt {

class Stopwatch {
 public:
  // Ends a step.
  void Lap(const char* step) {
    const Clock::time_point now = Clock::now();
    if (!steps_.empty()) steps_ += ", ";
    steps_ += std::string(step) + " " + Milliseconds(now - lap_);
    lap_ = now;
  }

  // "12.3 ms (parse 0.4 ms, compile 11.9 ms)"
  std::string ToString() const {
    return Milliseconds(Clock::now() - begin_) + " (" + steps_ + ")";
  }

 private:
  using Clock = std::chrono::steady_clock;

  static std::string Milliseconds(Clock::duration duration) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.1f ms",
                  std::chrono::duration<double, std::milli>(duration).count());
    return text;
  }

  const Clock::time_point begin_ = Clock::now();
  Clock::time_point lap_ = begin_;
  std::string steps_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_STOPWATCH_H_

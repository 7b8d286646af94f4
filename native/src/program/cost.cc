// SPDX-License-Identifier: Apache-2.0
#include "program/cost.h"

namespace iree_pjrt {
namespace {

constexpr double kBriefBelow = 100;  // microseconds

}  // namespace

// The run time of an unbounded loop, or of a handler, is not known: until it
// has been measured, it does not count as brief.
Pace::Pace(const Cost& cost)
    : microseconds_(static_cast<float>(cost.bounded ? cost.microseconds
                                                    : 2 * kBriefBelow)) {}

bool Pace::Brief() const {
  return microseconds_.load(std::memory_order_relaxed) < kBriefBelow;
}

void Pace::Record(std::chrono::nanoseconds took) {
  // A faster launch counts at once: only slowness can come from other work of
  // the machine. Concurrent updates may lose one of them.
  constexpr float kWeight = 0.125F;
  const float now = static_cast<float>(took.count()) * 1e-3F;
  const float mean = microseconds_.load(std::memory_order_relaxed);
  microseconds_.store(now < mean ? now : mean + kWeight * (now - mean),
                      std::memory_order_relaxed);
}

}  // namespace iree_pjrt

// SPDX-License-Identifier: Apache-2.0
// Runs inputs in a process of their own, so that a crash is seen and known by
// its input and its place. The caller has one thread and has not opened the
// plugin: processes are forked.
#ifndef IREE_PJRT_FUZZ_CHILD_H_
#define IREE_PJRT_FUZZ_CHILD_H_

#include <cstdint>
#include <functional>
#include <string>

namespace iree_pjrt_fuzz {

enum class Fate { kFine, kCrash, kHang };

struct Batch {
  Fate fate = Fate::kFine;
  // The input that ended the child, else the one after the last.
  uint64_t number = 0;
  // For a crash: the signal or exit code, and the innermost frames as
  // "library+offset".
  std::string what;
  std::string where;
  // Inputs that the plugin took.
  uint64_t accepted = 0;
};

// Called once in the child; returns a function that feeds the plugin the input
// of a number, and returns whether the plugin took it.
using Start = std::function<std::function<bool(uint64_t)>()>;

Batch RunBatch(const Start& start, uint64_t first, uint64_t count,
               double seconds_per_input);

}  // namespace iree_pjrt_fuzz

#endif  // IREE_PJRT_FUZZ_CHILD_H_

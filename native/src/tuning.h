// SPDX-License-Identifier: Apache-2.0
// What a program is likely to cost, and what follows from it: flags for its
// compilation, worker threads or none, and whether a launch runs on the thread
// that asks for it.
#ifndef IREE_PJRT_TUNING_H_
#define IREE_PJRT_TUNING_H_

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "rewrite/ir.h"

namespace iree_pjrt {

// A guess for one core, right within a factor of a few. A plain value.
struct Cost {
  double microseconds = 0;
  // Multiply-adds of the largest contraction that is worth packing; 0 for none.
  double contraction = 0;
  // False if a loop may run any number of times.
  bool bounded = true;
};

// Of `main`, on the module after IREE's input phase (linalg on tensors).
Cost EstimateCost(const Ir& ir);

// Flags for the passes that follow that phase; each family of devices has its
// own (target.h).
std::vector<std::string> TuningFlags(const Cost& cost);

// True if handing the work to other threads takes less than they save.
bool WorthWorkers(const Cost& cost);

// Whether launches of one program are so short that queueing them costs more
// than running them at once. Starts from the guess and follows what launches
// really took. Any thread may call any method.
class Pace {
 public:
  explicit Pace(const Cost& cost);

  bool Brief() const;
  void Record(std::chrono::nanoseconds took);

 private:
  std::atomic<float> microseconds_;
};

}  // namespace iree_pjrt

#endif  // IREE_PJRT_TUNING_H_

// SPDX-License-Identifier: Apache-2.0
// What a program costs, in terms that need no compiler: a guess of its time,
// how to launch it because of that, and operation counts for the framework.
#ifndef IREE_PJRT_PROGRAM_COST_H_
#define IREE_PJRT_PROGRAM_COST_H_

#include <atomic>
#include <chrono>

namespace iree_pjrt {

// A guess for one core, right within a factor of a few. A plain value.
struct Cost {
  double microseconds = 0;
  // Multiply-adds of the largest matrix product; 0 for none.
  double product = 0;
  // The same of integers, and of products that use each element of their
  // largest array several times: not by a vector, or a few rows.
  double integer_product = 0;
  double reused_product = 0;
  // Multiply-adds of the largest contraction that uses each of its elements
  // often.
  double contraction = 0;
  // False if a loop may run any number of times, or a handler is called.
  bool bounded = true;
};

// What PJRT_Executable_GetCostAnalysis reports; compile/cost_analysis.h counts.
struct CostAnalysis {
  double flops = 0;
  double transcendentals = 0;
  double bytes_accessed = 0;
};

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

#endif  // IREE_PJRT_PROGRAM_COST_H_

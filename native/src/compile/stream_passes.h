// SPDX-License-Identifier: Apache-2.0
// The stream phase of IREE, pass by pass. It differs from IREE's own list
// in three ways: our passes of the phase `stream` run before each element of
// these lists, one of IREE's is left out, and one may fail.
#ifndef IREE_PJRT_COMPILE_STREAM_PASSES_H_
#define IREE_PJRT_COMPILE_STREAM_PASSES_H_

#include <string>
#include <vector>

namespace iree_pjrt {

struct StreamPasses {
  std::string pipeline;  // in MLIR's syntax
  // It is only an optimization: if it fails, the program is still right.
  bool may_give_up = false;
};

// From dispatches to operations on memory. It ends where
// our passes of the phase `scheduling` run.
//
// Where a program writes into what depends on no input (a constant, an iota),
// IREE computes it once for each writer, and then merges equal computations
// (CSE) as if nobody wrote: two sorts that start from one iota get one memory,
// and both results are wrong. Once copies are decided there is no CSE here.
const std::vector<StreamPasses>& PassesUntilScheduling();

// Of a loop that will be one dispatch, a module of one function on tensors:
// one operation for what goes over the same elements.
const StreamPasses& PassesInLoops();

// Decides the order of execution, memory and commands, and optimizes them. The
// analysis that finds superfluous waits gives up on deeply nested loops.
const std::vector<StreamPasses>& PassesFromScheduling();

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_STREAM_PASSES_H_

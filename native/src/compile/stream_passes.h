// SPDX-License-Identifier: Apache-2.0
// The stream phase of IREE, pass by pass. It differs from IREE's own list
// in four ways: our passes of the phase `stream` run before each element of
// these lists, one of IREE's is left out, one may fail, and programs that are
// a straight line get a shorter list.
#ifndef IREE_PJRT_COMPILE_STREAM_PASSES_H_
#define IREE_PJRT_COMPILE_STREAM_PASSES_H_

#include <string>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

struct StreamPasses {
  std::string pipeline;  // in MLIR's syntax
  // It is only an optimization: if it fails, the program is still right.
  bool may_give_up = false;
};

// Whether a program of dispatches has neither globals nor control flow: the
// passes that are about these find nothing in it, but half of them gather the
// patterns of all dialects to say so.
bool IsStraightLine(const Ir& ir);

// From dispatches to operations on memory. It ends where
// our passes of the phase `scheduling` run.
//
// Where a program writes into what depends on no input (a constant, an iota),
// IREE computes it once for each writer, and then merges equal computations
// (CSE) as if nobody wrote: two sorts that start from one iota get one memory,
// and both results are wrong. Once copies are decided there is no CSE here.
std::vector<StreamPasses> PassesUntilScheduling(bool straight_line);

// Decides the order of execution, memory and commands, and optimizes them. The
// analysis that finds superfluous waits gives up on deeply nested loops.
std::vector<StreamPasses> PassesFromScheduling(bool straight_line);

// Of a loop that will be one dispatch, a module of one function on tensors:
// one operation for what goes over the same elements.
StreamPasses PassesInLoops();

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_STREAM_PASSES_H_

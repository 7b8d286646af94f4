// SPDX-License-Identifier: Apache-2.0
// The passes of IREE that we run ourselves, for most of its phases: they are
// made once, and in contexts with few dialects. Those of its HAL phase need the
// targets of IREE's session.
#ifndef IREE_PJRT_COMPILE_PASS_LISTS_H_
#define IREE_PJRT_COMPILE_PASS_LISTS_H_

#include <string>
#include <vector>

#include "mlir/ir.h"

namespace iree_pjrt {

struct PassList {
  std::string pipeline;  // in MLIR's syntax
  // It is only an optimization: if it fails, the program is still right.
  bool may_give_up = false;
};

// From linalg on tensors to dispatches: IREE's own pipelines with the options
// that our flags (compile/compiler_flags.h) give them. The program has its
// device (compile/assigned_device.h).
PassList PassesToDispatches();

// Whether a program of dispatches has neither control flow nor globals but its
// device: the passes that are about these find nothing in it, but half of them
// gather the patterns of all dialects to say so.
bool IsStraightLine(const Ir& ir);

// From dispatches to operations on memory. It ends where our passes of the
// phase `scheduling` run. These lists and the next differ from IREE's own in
// four ways: our passes of the phase `stream` run before each element, one of
// IREE's is left out, one may fail, and straight lines get shorter ones.
//
// Where a program writes into what depends on no input (a constant, an iota),
// IREE computes it once for each writer, and then merges equal computations
// (CSE) as if nobody wrote: two sorts that start from one iota get one memory,
// and both results are wrong. Once copies are decided there is no CSE here.
std::vector<PassList> PassesUntilScheduling(bool straight_line);

// Decides the order of execution, memory and commands, and optimizes them. The
// analysis that finds superfluous waits gives up on deeply nested loops.
std::vector<PassList> PassesFromScheduling(bool straight_line);

// From calls of the runtime to IREE's virtual machine.
PassList PassesToVm();

// Of a loop that will be one dispatch, a module of one function on tensors:
// one operation for what goes over the same elements.
PassList PassesInLoops();

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_PASS_LISTS_H_

// SPDX-License-Identifier: Apache-2.0
// IREE's stream phase, pass by pass, as its version 3.11 has it but for two
// mistakes, which need a step of ours between two passes and one pass less.
#ifndef IREE_PJRT_STREAM_PASSES_H_
#define IREE_PJRT_STREAM_PASSES_H_

#include <string>

namespace iree_pjrt {

// From dispatches to what is run when. It ends where rewrite/loop_results.cc is
// needed.
//
// Where a program writes into what depends on no input (a constant, an iota),
// IREE computes it once for each writer, and then merges equal computations
// (CSE) as if nobody wrote: two sorts that start from one iota get one memory,
// and both results are wrong. Once copies are decided there is no CSE here.
const std::string& PassesUntilAllocation();

// Memory, commands, and optimizations of them.
const std::string& PassesFromAllocation();

}  // namespace iree_pjrt

#endif  // IREE_PJRT_STREAM_PASSES_H_

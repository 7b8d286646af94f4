// SPDX-License-Identifier: Apache-2.0
// IREE's stream phase, pass by pass, as its version 3.11 has it but for three
// mistakes, which need steps of ours between passes and one pass less. Before
// each element of these lists comes what rewrite/loop_results.cc does: it
// begins with a pass that analyses affinities.
#ifndef IREE_PJRT_STREAM_PASSES_H_
#define IREE_PJRT_STREAM_PASSES_H_

#include <string>
#include <vector>

namespace iree_pjrt {

// From dispatches to operations on memory. It ends where
// rewrite/captured_values.cc is needed.
//
// Where a program writes into what depends on no input (a constant, an iota),
// IREE computes it once for each writer, and then merges equal computations
// (CSE) as if nobody wrote: two sorts that start from one iota get one memory,
// and both results are wrong. Once copies are decided there is no CSE here.
const std::vector<std::string>& PassesUntilScheduling();

// What is run when; memory, commands, and optimizations of them.
const std::vector<std::string>& PassesFromScheduling();

}  // namespace iree_pjrt

#endif  // IREE_PJRT_STREAM_PASSES_H_

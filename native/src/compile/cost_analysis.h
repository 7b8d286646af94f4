// SPDX-License-Identifier: Apache-2.0
// What PJRT_Executable_GetCostAnalysis reports: an estimate from the program as
// the framework sent it, before any fusion. Plain functions, no state.
//
// A multiply-add is two operations; an element of exp, sin and the like is one
// transcendental and no operation. The body of a loop counts once, as the
// number of trips is not known. A conditional counts as its costliest branch.
// Bytes accessed are those of every operation's operands and results, but for
// operations that move nothing.
#ifndef IREE_PJRT_COMPILE_COST_ANALYSIS_H_
#define IREE_PJRT_COMPILE_COST_ANALYSIS_H_

#include "mlir/ir.h"
#include "program/cost.h"

namespace iree_pjrt {

// The cost of `main`, in either form of StableHLO.
CostAnalysis AnalyzeCost(const Ir& ir);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_COST_ANALYSIS_H_

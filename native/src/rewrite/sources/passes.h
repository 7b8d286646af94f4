// SPDX-License-Identifier: Apache-2.0
// Dispatches that are ready to be compiled: nothing is fused any more, and
// nothing decided yet.
#ifndef IREE_PJRT_REWRITE_SOURCES_PASSES_H_
#define IREE_PJRT_REWRITE_SOURCES_PASSES_H_

#include "mlir/ir.h"

namespace iree_pjrt {

// Reductions whose neutral element IREE does not know are such as it knows one
// for, of numbers that are turned before and back after.
void TurnReductions(const Ir& ir);

// Elementwise loops that divide their index: one over rows, one along them.
void SeparateRows(const Ir& ir);

// Copies of parts of arrays: along as many dimensions at once as they have
// whole.
void JoinCopiedDimensions(const Ir& ir);

// Copies with steps between the elements are loops over them.
void LoopOverSteps(const Ir& ir);

// Submissions of few dispatches are recorded at each launch.
void SubmitBriefly(const Ir& ir);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_SOURCES_PASSES_H_

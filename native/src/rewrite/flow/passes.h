// SPDX-License-Identifier: Apache-2.0
// After IREE's flow phase: tensors have become dispatches, whose code is in
// executables, and what is left of the program says which is run on what.
#ifndef IREE_PJRT_REWRITE_FLOW_PASSES_H_
#define IREE_PJRT_REWRITE_FLOW_PASSES_H_

#include "mlir/ir.h"

namespace iree_pjrt {

// Results of dispatches without operands stay apart.
void GuardLoneDispatches(const Ir& ir);

// What loops and conditionals hand out is not written into while it is to be
// read elsewhere.
void KeepSharedResults(const Ir& ir);

// What is computed, and what is written in place, is not behind a barrier.
void DropBarriers(const Ir& ir);

// Of several updates of one array, each begins with an array of its own.
void GuardSharedTargets(const Ir& ir);

// Reductions whose terms are all one number are not vectorized.
void GuardConstantTerms(const Ir& ir);

// Dispatches that go over the same rows are one.
void MergeRowDispatches(const Ir& ir);

// Reductions add negative terms, and subtract none.
void AddNegativeTerms(const Ir& ir);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_FLOW_PASSES_H_

// SPDX-License-Identifier: Apache-2.0
// Loops of small bodies as one dispatch: IREE gives its queue a few dispatches
// for each turn of a loop, which takes microseconds each.
#ifndef IREE_PJRT_REWRITE_LOOPS_PASSES_H_
#define IREE_PJRT_REWRITE_LOOPS_PASSES_H_

#include <functional>

#include "mlir/ir.h"

namespace iree_pjrt {

// Moves each outermost loop that is small enough, and has only operations that
// are known here, into a dispatch on buffers. `simplify` fuses what is in a
// module of one function; a loop on which it fails stays. On the module after
// IREE's input phase.
void DispatchLoops(const Ir& ir,
                   const std::function<bool(MlirOperation module)>& simplify);

// Moves each scatter into a dispatch on buffers, which leaves out updates that
// do not fit into the array. Comes after DispatchLoops, which does the same in
// loops. Throws UNIMPLEMENTED for a scatter that is not in StableHLO's form.
void DispatchScatters(const Ir& ir);

// Gives those dispatches the buffers of their operands and results. On the
// module whose executables have no code yet.
void BindLoops(const Ir& ir);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_PASSES_H_

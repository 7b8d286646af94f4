// SPDX-License-Identifier: Apache-2.0
// What a program is likely to cost, and flags for its compilation that follow
// from it.
#ifndef IREE_PJRT_COMPILE_TUNING_H_
#define IREE_PJRT_COMPILE_TUNING_H_

#include <string>
#include <vector>

#include "mlir/ir.h"
#include "program/cost.h"

namespace iree_pjrt {

// The cost of `main`, on the module after IREE's input phase (linalg on
// tensors).
Cost EstimateCost(const Ir& ir);

// Flags for the passes that follow that phase; each family of devices has its
// own (runtime/target.h).
std::vector<std::string> TuningFlags(const Cost& cost);

// Every flag that a program may be tuned with.
std::vector<std::string> AllTuningFlags();

}  // namespace iree_pjrt

#endif  // IREE_PJRT_COMPILE_TUNING_H_

// SPDX-License-Identifier: Apache-2.0
// What it takes to compute an element of an array again, where IREE fuses what
// computes it into what reads it.
#ifndef IREE_PJRT_REWRITE_LINALG_WORK_H_
#define IREE_PJRT_REWRITE_LINALG_WORK_H_

#include "mlir/ir.h"

namespace iree_pjrt {

// In additions, for one element; 0 for what no elementwise operation computes.
// Stops counting at `most`.
int WorkFor(const Ir& ir, MlirValue array, int most);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LINALG_WORK_H_

// SPDX-License-Identifier: Apache-2.0
// The pass to copy. It is not in the table, and changes no program's results.
#ifndef IREE_PJRT_REWRITE_NULL_NULL_PASS_H_
#define IREE_PJRT_REWRITE_NULL_NULL_PASS_H_

#include "mlir/ir.h"

namespace iree_pjrt {

// What holds for a program after the pass, and did not before: no value is
// converted to the type that it has.
void NullPass(const Ir& ir);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_NULL_NULL_PASS_H_

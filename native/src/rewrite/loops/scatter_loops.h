// SPDX-License-Identifier: Apache-2.0
// Scatters as loops over single elements: IREE's own way to them folds what is
// on memory into what is not.
#ifndef IREE_PJRT_REWRITE_LOOPS_SCATTER_LOOPS_H_
#define IREE_PJRT_REWRITE_LOOPS_SCATTER_LOOPS_H_

#include "rewrite/loops/buffers.h"

namespace iree_pjrt {

// Does what `iree_linalg_ext.scatter` does, right before it, with what is in
// memory; what was in its region is moved.
void MakeScatterLoops(const Ir& ir, const Buffers& buffers,
                      MlirOperation scatter, const View& updates,
                      const View& indices, const View& target);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_SCATTER_LOOPS_H_

// SPDX-License-Identifier: Apache-2.0
// A function on tensors becomes one on memory, in which each tensor has memory
// of its own: aliases come from where they are looked for, never from a guess.
// The old contents of memory are given up only where every use of them lies
// before.
#ifndef IREE_PJRT_REWRITE_LOOPS_ON_BUFFERS_H_
#define IREE_PJRT_REWRITE_LOOPS_ON_BUFFERS_H_

#include "mlir/ir.h"

namespace iree_pjrt {

// `function`: a `func.func` of one block, tensors and scalars in, tensors out.
// It gets the arguments of a dispatch: its own, then its results. Throws
// LoopRefused with the function in pieces.
void PutOnBuffers(const Ir& ir, MlirOperation function);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_ON_BUFFERS_H_

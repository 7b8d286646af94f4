// SPDX-License-Identifier: Apache-2.0
// Arrays of bits, which are bytes between dispatches.
#ifndef IREE_PJRT_REWRITE_LOOPS_BITS_H_
#define IREE_PJRT_REWRITE_LOOPS_BITS_H_

#include "mlir/ir.h"

namespace iree_pjrt {

// Whether it is an array of bits, of a known shape.
bool IsOfBits(const Ir& ir, MlirValue value);

// Its type, or that of bytes for bits.
MlirType InBytes(const Ir& ir, MlirValue value);

// Other arrays are returned as they are.
MlirValue BytesOfBits(const Ir& ir, MlirOperation before, MlirValue array);
// `bytes` as the type wants them: bits, or what they are.
MlirValue BitsOfBytes(const Ir& ir, MlirOperation before, MlirValue bytes,
                      MlirType type);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_BITS_H_

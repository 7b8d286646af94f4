// SPDX-License-Identifier: Apache-2.0
// Sine, cosine and tangent of a float of at most 24 bits, in float64: right to
// its last bit, whatever its size. IREE 3.11's own are the further off the
// larger the angle is, and infinite in the end.
#ifndef IREE_PJRT_REWRITE_LINALG_TURNS_H_
#define IREE_PJRT_REWRITE_LINALG_TURNS_H_

#include "mlir/scalar_builder.h"

namespace iree_pjrt {

enum class Turn { kSine, kCosine, kTangent };

// `b` builds float64; `x` is an angle in radians.
MlirValue MakeTurn(const ScalarBuilder& b, Turn turn, MlirValue x);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LINALG_TURNS_H_

// SPDX-License-Identifier: Apache-2.0
// Sine, cosine and tangent in float64 of a float with at most 24 bits: the
// result is right to the float's last bit for every angle. The results of
// IREE 3.11 get worse as angles grow, and are infinite for the largest.
#ifndef IREE_PJRT_REWRITE_LINALG_TURNS_H_
#define IREE_PJRT_REWRITE_LINALG_TURNS_H_

#include "mlir/float64_builder.h"

namespace iree_pjrt {

enum class Turn { kSine, kCosine, kTangent };

// `x` is an angle in radians.
MlirValue MakeTurn(const Float64Builder& b, Turn turn, MlirValue x);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LINALG_TURNS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef IREE_PJRT_REWRITE_STABLEHLO_VECTORS_H_
#define IREE_PJRT_REWRITE_STABLEHLO_VECTORS_H_

#include <cstdint>

namespace iree_pjrt {

// The elements in vectors of every type divide this.
inline constexpr int64_t kFillsVectors = 64;

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_STABLEHLO_VECTORS_H_

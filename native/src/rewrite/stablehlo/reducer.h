// SPDX-License-Identifier: Apache-2.0
// What a `reduce` or `reduce_window` of one array combines its elements by.
#ifndef IREE_PJRT_REWRITE_STABLEHLO_REDUCER_H_
#define IREE_PJRT_REWRITE_STABLEHLO_REDUCER_H_

#include <string_view>

#include "mlir/ir.h"

namespace iree_pjrt {

// `add`, `maximum`: the operation, without its dialect, if the body computes
// just that of its two arguments; empty otherwise.
std::string_view ReducerOf(const Ir& ir, MlirOperation reduce);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_STABLEHLO_REDUCER_H_

// SPDX-License-Identifier: Apache-2.0
// The type of an array as the framework sees it, read from its text.
#ifndef IREE_PJRT_MLIR_TENSOR_TYPE_H_
#define IREE_PJRT_MLIR_TENSOR_TYPE_H_

#include <string_view>

#include "base/shape.h"

namespace iree_pjrt {

// A printed tensor type of either dialect: `tensor<2x3xf32>`,
// `!vhlo.tensor_v1<2x3x!vhlo.f32_v1>`.
Shape ParseTensorType(std::string_view text);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_TENSOR_TYPE_H_

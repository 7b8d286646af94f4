// SPDX-License-Identifier: Apache-2.0
// Tensors that are parts of other tensors, or have other dimensions.
#ifndef IREE_PJRT_REWRITE_LOOPS_VIEWS_H_
#define IREE_PJRT_REWRITE_LOOPS_VIEWS_H_

#include <optional>

#include "rewrite/loops/buffers.h"

namespace iree_pjrt {

// The part of `array` that `tensor.extract_slice` takes or
// `tensor.insert_slice` writes, of the dimensions `shape`. Throws LoopRefused
// for sizes that are not constant.
View PartOf(const Ir& ir, const Buffers& buffers, const View& array,
            MlirOperation slice, const Extents& shape);

// The array as `tensor.collapse_shape` or `tensor.expand_shape` has it; nothing
// if it does not lie in memory like that.
std::optional<View> Reshaped(const Ir& ir, const View& array,
                             MlirOperation reshape);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_LOOPS_VIEWS_H_

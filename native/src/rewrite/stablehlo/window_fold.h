// SPDX-License-Identifier: Apache-2.0
// What a window sees at each of its places, combined into one: by operations on
// whole arrays, one for each element of the window. They vectorize, and IREE
// fuses them.
#ifndef IREE_PJRT_REWRITE_STABLEHLO_WINDOW_FOLD_H_
#define IREE_PJRT_REWRITE_STABLEHLO_WINDOW_FOLD_H_

#include <functional>
#include <vector>

#include "mlir/stablehlo_builder.h"
#include "mlir/window.h"

namespace iree_pjrt {

// Several that belong together, such as values and their places.
using Arrays = std::vector<MlirValue>;
// Of what comes first and what comes next, in the order of the window; all of
// one shape.
using Combine = std::function<Arrays(const Arrays&, const Arrays&)>;

// Whether the window has so many elements that parts of it are combined first,
// one dimension after the other: the order of the elements stays, `Combine` has
// to be associative. Otherwise they are combined from the first to the last.
bool IsFoldedInParts(const Window& window);

// The arrays, `fills` (scalars) between and around their elements as the window
// says.
Arrays Padded(const StablehloBuilder& builder, const Arrays& arrays,
              const Arrays& fills, const Window& window);

// Of padded arrays. All but the first may be of size 1 along a dimension: the
// same for the whole of it.
Arrays FoldWindows(const StablehloBuilder& builder, const Arrays& padded,
                   const Window& window, const Combine& combine);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_REWRITE_STABLEHLO_WINDOW_FOLD_H_

// SPDX-License-Identifier: Apache-2.0
// The window that slides over an array in `reduce_window` and
// `select_and_scatter`: what the attributes of either operation say.
#ifndef IREE_PJRT_MLIR_WINDOW_H_
#define IREE_PJRT_MLIR_WINDOW_H_

#include <optional>

#include "mlir/ir.h"
#include "mlir/stablehlo_builder.h"

namespace iree_pjrt {

// Each list has a number for each dimension of the array.
struct Window {
  Dims sizes;
  Dims strides;
  Dims dilations;       // from an element of the window to the next
  Dims base_dilations;  // from an element of the array to the next
  Dims low;             // padding, negative where elements are left out
  Dims high;
};

// A window of one element, which goes over all.
Window TrivialWindow(size_t rank);

Window ReadWindow(const Ir& ir, MlirOperation op);
// Of a convolution, along the dimensions of space; `sizes`: those of its
// kernel.
Window ReadConvolutionWindow(const Ir& ir, MlirOperation op, const Dims& sizes);
// Gives the operation the window, for an array of as many dimensions.
void WriteWindow(const Ir& ir, MlirOperation op, const Window& window);

// How often a window finds a place along the dimension, of `size` elements with
// their padding.
int64_t Places(const Window& window, size_t dimension, int64_t size);

// Where a window makes a cumulative reduction of an array of this shape, of
// more than one element: the dimension along which it is as wide as the array,
// and sees but padding and the elements up to its place (`reverse`: from its
// place on).
struct Cumulative {
  size_t dimension;
  bool reverse;
};
std::optional<Cumulative> CumulativeOf(const Window& window, const Dims& shape);
Window CumulativeWindow(const Dims& shape, const Cumulative& cumulative);

}  // namespace iree_pjrt

#endif  // IREE_PJRT_MLIR_WINDOW_H_

// SPDX-License-Identifier: Apache-2.0
// Sums over windows that see one element each, all others being zeros between
// the elements: the gradient of a pooling of windows side by side. IREE (3.11,
// 3.13) writes the zeros, and reads each place of the window. The pass repeats
// the elements, which is what these sums are. (Windows that lie over each
// other, or over an edge, stay: there IREE is faster than XLA:CPU.)
#include <algorithm>
#include <utility>

#include "base/shape.h"
#include "mlir/attributes.h"
#include "mlir/stablehlo_names.h"
#include "mlir/window.h"
#include "rewrite/stablehlo/padding.h"
#include "rewrite/stablehlo/passes.h"
#include "rewrite/stablehlo/reducer.h"

namespace iree_pjrt {
namespace {

// An array, and a window over it that has what lies between and around its
// elements, which is `fill`.
struct Windowed {
  MlirValue array;
  MlirValue fill;
  Window window;
};

bool AreAll(const Dims& numbers, int64_t number) {
  return std::ranges::all_of(numbers, [&](int64_t n) { return n == number; });
}

// With a `pad` before the window, if it has no padding of its own.
Windowed Look(const Ir& ir, MlirOperation op) {
  Windowed seen{ir.Operands(op)[0], ir.Operands(op)[1], ReadWindow(ir, op)};
  Window& window = seen.window;
  const MlirOperation pad = ir.Definition(seen.array);
  const bool looks_through = pad.ptr && StablehloName(ir.Name(pad)) == "pad" &&
                             AreAll(window.base_dilations, 1) &&
                             AreAll(window.low, 0) && AreAll(window.high, 0);
  if (!looks_through) return seen;
  Padding padding = ReadPadding(ir, pad);
  for (int64_t& number : padding.interior) ++number;
  window.low = std::move(padding.low);
  window.high = std::move(padding.high);
  window.base_dilations = std::move(padding.interior);
  seen.array = ir.Operands(pad)[0];
  seen.fill = ir.Operands(pad)[1];
  return seen;
}

// Also as JAX sends it, a constant that is broadcast to a scalar.
bool IsZero(const Ir& ir, MlirValue scalar) {
  const MlirOperation made = ir.Definition(scalar);
  if (made.ptr && StablehloName(ir.Name(made)) == "broadcast_in_dim") {
    return IsZero(ir, ir.Operands(made)[0]);
  }
  const auto type = ArrayTypeOf(ir, scalar);
  // ConstantBits goes up to 8 bytes.
  if (!type || type->Element().starts_with("complex")) return false;
  const Shape shape = ReadShape(ir, ir.api.mlirValueGetType(scalar));
  return ConstantBits(ir, scalar, shape.byte_size()) == 0;
}

// Whether each window sees one element, and the first and last window that
// see an element are the first and the last of all.
bool SeesOneElement(const Window& window) {
  Dims edges = window.sizes;
  for (int64_t& number : edges) --number;
  return !AreAll(window.sizes, 1) && AreAll(window.strides, 1) &&
         AreAll(window.dilations, 1) && window.sizes == window.base_dilations &&
         window.low == edges && window.high == edges;
}

// Each element so often in a row, along each dimension.
MlirValue Repeated(const StablehloBuilder& builder, MlirValue array,
                   const Dims& times) {
  Dims shape;
  Dims along;
  Dims repeated = builder.ShapeOf(array);
  for (size_t d = 0; d < times.size(); ++d) {
    along.push_back(static_cast<int64_t>(shape.size()));
    shape.push_back(repeated[d]);
    if (times[d] > 1) shape.push_back(times[d]);
    repeated[d] *= times[d];
  }
  return builder.Reshape(builder.Broadcast(array, shape, along), repeated);
}

void Repeat(const Ir& ir, MlirOperation op) {
  const StablehloBuilder builder(ir, op);
  if (ir.Results(op).size() != 1 || ReducerOf(ir, op) != "add" ||
      HasNoElements(builder.ShapeOf(ir.Results(op)[0]))) {
    return;
  }
  const auto [array, fill, window] = Look(ir, op);
  if (!SeesOneElement(window) || !IsZero(ir, fill) ||
      !IsZero(ir, ir.Operands(op)[1])) {
    return;
  }
  // As in any sum that begins with 0, -0.0 becomes 0.0.
  const MlirValue sums = builder.Apply("add", {array, builder.Zeros(array)});
  ir.Replace(op, {Repeated(builder, sums, window.sizes)});
}

}  // namespace

void RepeatWindowedElements(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) == "reduce_window") Repeat(ir, op);
  }
}

}  // namespace iree_pjrt

// SPDX-License-Identifier: Apache-2.0
// Windows that have one place along a dimension, and do not see the end of the
// array there: a pooling of 3 by 3 with steps of 2, of an image of 4 by 4. IREE
// (3.11, 3.13) drops the dimension of the result, and with it the size of the
// window: it goes to the end of the array, and beyond that of the filter. The
// pass cuts off what no window sees.
#include <algorithm>
#include <optional>

#include "mlir/convolution.h"
#include "mlir/stablehlo_names.h"
#include "mlir/window.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// What is seen of a dimension.
struct Seen {
  int64_t elements;
  int64_t high;  // padding
};

// `span`: of the window, with its dilation. Nothing if it sees all, or no
// element.
std::optional<Seen> SeenOf(int64_t size, int64_t low, int64_t high,
                           int64_t base_dilation, int64_t span) {
  const int64_t places = low + (size - 1) * base_dilation + 1 + high;
  const int64_t needed = span - low;  // from the first element on
  if (places <= span || needed < 1) return std::nullopt;
  const int64_t elements = std::min(size, (needed - 1) / base_dilation + 1);
  return Seen{elements, needed - ((elements - 1) * base_dilation + 1)};
}

void Cut(const Ir& ir, MlirOperation op, Window window, const Dims& dimensions,
         const Dims& places, intptr_t arrays) {
  const StablehloBuilder builder(ir, op);
  Dims end = builder.ShapeOf(ir.Operands(op).at(0));
  bool cuts = false;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    int64_t& size = end.at(static_cast<size_t>(dimensions[i]));
    const int64_t span = (window.sizes[i] - 1) * window.dilations[i] + 1;
    const auto seen = SeenOf(size, window.low[i], window.high[i],
                             window.base_dilations[i], span);
    if (places[i] != 1 || size == 0 || !seen) continue;
    size = seen->elements;
    window.high[i] = seen->high;
    cuts = true;
  }
  if (!cuts) return;
  for (intptr_t i = 0; i < arrays; ++i) {
    ir.api.mlirOperationSetOperand(
        op, i,
        builder.Slice(ir.api.mlirOperationGetOperand(op, i),
                      Dims(end.size(), 0), end));
  }
  ir.SetAttribute(op, "padding", PairsLike(ir, op, window.low, window.high));
}

void CutReduction(const Ir& ir, MlirOperation op) {
  const Dims places = StablehloBuilder(ir, op).ShapeOf(ir.Results(op).at(0));
  Cut(ir, op, ReadWindow(ir, op), UpTo(places.size()), places,
      ir.api.mlirOperationGetNumOperands(op) / 2);
}

void CutConvolution(const Ir& ir, MlirOperation op) {
  const StablehloBuilder builder(ir, op);
  const Dims result = builder.ShapeOf(ir.Results(op).at(0));
  const size_t rank = result.size();
  const ConvolutionDims dims = ReadConvolution(ir, op, rank);
  const Dims sizes =
      NumbersAt(builder.ShapeOf(ir.Operands(op).at(1)),
                Dims(dims.kernel.begin(), dims.kernel.end() - 2));
  Cut(ir, op, ReadConvolutionWindow(ir, op, sizes),
      Dims(dims.input.begin() + 1, dims.input.end() - 1),
      NumbersAt(result, Dims(dims.output.begin() + 1, dims.output.end() - 1)),
      1);
}

}  // namespace

void CutUnusedEnds(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    const std::string_view name = StablehloName(ir.Name(op));
    if (name == "reduce_window") CutReduction(ir, op);
    if (name == "convolution") CutConvolution(ir, op);
  }
}

}  // namespace iree_pjrt

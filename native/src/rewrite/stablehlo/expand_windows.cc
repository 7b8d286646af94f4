// SPDX-License-Identifier: Apache-2.0
// reduce_window of several arrays at once, such as values and their indices:
// IREE (3.11 and 3.13) puts a part of them on the stack that grows with the
// array, and refuses it from some 100,000 elements on. Where the body is more
// than one operation, as in derivatives of max pooling, its code is scalar. The
// pass combines the elements of a window by operations on whole arrays.
#include <algorithm>
#include <array>

#include "mlir/stablehlo_names.h"
#include "mlir/window.h"
#include "rewrite/stablehlo/passes.h"
#include "rewrite/stablehlo/reducer.h"
#include "rewrite/stablehlo/window_fold.h"

namespace iree_pjrt {
namespace {

constexpr std::array<std::string_view, 7> kVectorized = {
    "add", "and", "maximum", "minimum", "multiply", "or", "xor"};

// Whether IREE makes vector code of the body.
bool IsVectorized(const Ir& ir, MlirOperation op) {
  return std::ranges::find(kVectorized, ReducerOf(ir, op)) != kVectorized.end();
}

bool IsConcerned(const Ir& ir, MlirOperation op, const Window& window) {
  const StablehloBuilder builder(ir, op);
  const std::vector<MlirValue> results = ir.Results(op);
  if (HasNoElements(builder.ShapeOf(results[0]))) return false;
  if (results.size() > 1) return true;
  const Dims from = builder.ShapeOf(ir.Operands(op)[0]);
  return !IsVectorized(ir, op) && !CumulativeOf(window, from);
}

Arrays Expanded(const Ir& ir, MlirOperation op, const Window& window) {
  const StablehloBuilder builder(ir, op);
  const std::vector<MlirValue> operands = ir.Operands(op);
  const auto count = static_cast<std::ptrdiff_t>(operands.size() / 2);
  const Arrays arrays(operands.begin(), operands.begin() + count);
  const Arrays fills(operands.begin() + count, operands.end());
  const auto combine = [&](const Arrays& a, const Arrays& b) {
    Arrays both = a;
    both.insert(both.end(), b.begin(), b.end());
    Arrays combined;
    for (intptr_t i = 0; i < count; ++i) {
      combined.push_back(builder.Map(op, 0, i, both));
    }
    return combined;
  };
  Arrays initial;
  for (const MlirValue fill : fills) {
    initial.push_back(builder.Broadcast(
        fill, builder.ShapeOf(ir.api.mlirOperationGetResult(op, 0)), {}));
  }
  const Arrays padded = Padded(builder, arrays, fills, window);
  return combine(initial, FoldWindows(builder, padded, window, combine));
}

}  // namespace

void ExpandWindows(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "reduce_window") continue;
    const Window window = ReadWindow(ir, op);
    if (IsConcerned(ir, op, window)) ir.Replace(op, Expanded(ir, op, window));
  }
}

}  // namespace iree_pjrt

// SPDX-License-Identifier: Apache-2.0
// Padding by a negative number, which takes elements away: gradients of pad.
// IREE (3.13) writes the array in between, which is larger than either.
#include <algorithm>
#include <string>

#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/padding.h"
#include "rewrite/stablehlo/passes.h"

namespace iree_pjrt {
namespace {

// Slices the dimensions that are not padded between their elements; their
// padding is what is left. False if nothing of one would be left.
bool SliceFirst(const StablehloBuilder& builder, Padding& padding,
                MlirValue& array) {
  Dims begin;
  Dims end = builder.ShapeOf(array);
  for (size_t d = 0; d < end.size(); ++d) {
    auto& low = padding.low.at(d);
    auto& high = padding.high.at(d);
    begin.push_back(0);
    if (padding.interior.at(d) != 0) continue;
    begin[d] = std::max<int64_t>(-low, 0);
    end[d] -= std::max<int64_t>(-high, 0);
    if (begin[d] >= end[d]) return false;
    low = std::max<int64_t>(low, 0);
    high = std::max<int64_t>(high, 0);
  }
  array = builder.Slice(array, begin, end);
  return true;
}

// Pads, then slices the other dimensions.
MlirValue PadAndSlice(const StablehloBuilder& builder, MlirValue array,
                      MlirValue fill, const Padding& padding) {
  Padding added = padding;
  for (Dims* dims : {&added.low, &added.high}) {
    for (int64_t& number : *dims) number = std::max<int64_t>(number, 0);
  }
  const MlirValue padded =
      builder.Pad(array, fill, added.low, added.high, added.interior);
  Dims begin;
  Dims end = builder.ShapeOf(padded);
  for (size_t d = 0; d < end.size(); ++d) {
    begin.push_back(added.low.at(d) - padding.low.at(d));
    end[d] -= added.high.at(d) - padding.high.at(d);
  }
  return builder.Slice(padded, begin, end);
}

bool IsNegative(int64_t number) { return number < 0; }

}  // namespace

void SliceNegativePads(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "pad") continue;
    Padding padding = ReadPadding(ir, op);
    if (std::ranges::none_of(padding.low, IsNegative) &&
        std::ranges::none_of(padding.high, IsNegative)) {
      continue;
    }
    const StablehloBuilder builder(ir, op);
    MlirValue array = ir.Operands(op).at(0);
    if (!SliceFirst(builder, padding, array)) continue;
    ir.Replace(op,
               {PadAndSlice(builder, array, ir.Operands(op).at(1), padding)});
  }
}

}  // namespace iree_pjrt

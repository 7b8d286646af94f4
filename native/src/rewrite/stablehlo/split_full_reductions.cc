// SPDX-License-Identifier: Apache-2.0
// Reductions of a large array to one value. IREE 3.11 computes them on one
// core. The pass reduces equal parts side by side, and then their results.
// StableHLO leaves the order of a reduction to the implementation, and its
// initial value changes nothing however often it is taken (`reduce`).
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "mlir/array_type.h"
#include "mlir/stablehlo_builder.h"
#include "mlir/stablehlo_names.h"
#include "rewrite/stablehlo/passes.h"
#include "rewrite/stablehlo/vectors.h"

namespace iree_pjrt {
namespace {

// More than any machine's cores need; 128 was as fast as any number beyond 32.
constexpr int64_t kParts = 128;
constexpr int64_t kFewestParts = 32;
constexpr int64_t kMostParts = 512;
// Below, the second reduction costs more than the first one gains.
constexpr int64_t kLeast = 1 << 16;

void SetDimensions(const Ir& ir, MlirOperation reduce, size_t first,
                   size_t end) {
  Dims dimensions(end - first);
  std::iota(dimensions.begin(), dimensions.end(), static_cast<int64_t>(first));
  ir.SetAttribute(reduce, "dimensions", IntegersLike(ir, reduce, dimensions));
}

// Splits the reduction in two: one of all but the first `kept` dimensions, and
// one of those.
void Split(const Ir& ir, MlirOperation reduce, const ArrayType& array,
           size_t kept) {
  const MlirOperation first = ir.CloneBefore(reduce, reduce);
  const MlirValue partial = ir.api.mlirOperationGetResult(first, 0);
  const auto end = array.shape.begin() + static_cast<std::ptrdiff_t>(kept);
  ir.api.mlirValueSetType(
      partial, ir.ParseType(array.Reshaped({array.shape.begin(), end})));
  SetDimensions(ir, first, kept, array.shape.size());
  ir.api.mlirOperationSetOperand(reduce, 0, partial);
  SetDimensions(ir, reduce, 0, kept);
}

// How many dimensions in front make enough parts, none of them too small; 0 if
// none do.
size_t KeptOf(const ArrayType& array, int64_t size) {
  int64_t parts = 1;
  for (size_t i = 0; i < array.shape.size(); ++i) {
    parts *= array.shape[i];
    if (parts >= kParts) return size / parts >= kParts ? i + 1 : 0;
  }
  return 0;
}

// How many equal parts an array of this size has, each of whole vectors where
// it can be; 1 for none.
int64_t PartsOf(int64_t size) {
  int64_t best = 1;
  for (int64_t parts = kFewestParts; parts <= kMostParts; ++parts) {
    if (size % (parts * kFillsVectors) != 0) continue;
    if (std::abs(parts - kParts) < std::abs(best - kParts)) best = parts;
  }
  return best > 1 ? best : std::gcd(size, kParts);
}

// Gives the operand a first dimension of `parts`. IREE then fuses less of what
// comes before the operand.
ArrayType Reshape(const Ir& ir, MlirOperation reduce, const ArrayType& array,
                  int64_t size, int64_t parts) {
  const ArrayType flat{array.before, {parts, size / parts}, array.after};
  const MlirOperation reshape =
      ir.CreateBefore(reduce, StablehloNameLike(ir.Name(reduce), "reshape"),
                      {ir.api.mlirOperationGetOperand(reduce, 0)},
                      {ir.ParseType(flat.Reshaped(flat.shape))}, {});
  ir.api.mlirOperationSetOperand(reduce, 0,
                                 ir.api.mlirOperationGetResult(reshape, 0));
  return flat;
}

}  // namespace

void SplitFullReductions(const Ir& ir) {
  for (const MlirOperation op : ir.AllOperations()) {
    if (StablehloName(ir.Name(op)) != "reduce" ||
        ir.api.mlirOperationGetNumOperands(op) != 2) {
      continue;
    }
    const auto from = ArrayTypeOf(ir, ir.api.mlirOperationGetOperand(op, 0));
    const auto to = ArrayTypeOf(ir, ir.api.mlirOperationGetResult(op, 0));
    if (!from || !to || !to->shape.empty()) continue;
    const int64_t size = std::accumulate(from->shape.begin(), from->shape.end(),
                                         int64_t{1}, std::multiplies<>());
    if (size < kLeast) continue;
    const size_t kept = KeptOf(*from, size);
    const int64_t parts = PartsOf(size);
    if (kept > 0) {
      Split(ir, op, *from, kept);
    } else if (parts > 1) {
      Split(ir, op, Reshape(ir, op, *from, size, parts), 1);
    }
  }
}

}  // namespace iree_pjrt

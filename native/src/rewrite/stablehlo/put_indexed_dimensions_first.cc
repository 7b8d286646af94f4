// SPDX-License-Identifier: Apache-2.0
// IREE 3.11 crashes on some scatters whose windows do not come last in arrays
// and updates. JAX sends them for a scatter in `vmap`. The pass transposes
// them.

#include "rewrite/stablehlo/passes.h"
#include "rewrite/stablehlo/scatter.h"

namespace iree_pjrt {
namespace {

// An order of dimensions: `first`, then the others as they were.
Dims Order(const Dims& first, size_t rank) {
  Dims order = first;
  std::vector<bool> taken(rank);
  for (const int64_t d : first) taken.at(static_cast<size_t>(d)) = true;
  for (size_t d = 0; d < rank; ++d) {
    if (!taken[d]) order.push_back(static_cast<int64_t>(d));
  }
  return order;
}

void PutFirst(Scatter scatter) {
  const StablehloBuilder& builder = scatter.builder;
  DimensionNumbers& numbers = scatter.numbers;
  const size_t rank = builder.ShapeOf(scatter.arrays.at(0)).size();
  const size_t update_rank = builder.ShapeOf(scatter.updates.at(0)).size();
  const Dims order = Order(numbers.indexed, rank);
  const Dims update_order = Order(scatter.BatchDimensions(), update_rank);
  if (order == UpTo(rank) && update_order == UpTo(update_rank)) return;
  for (MlirValue& array : scatter.arrays) {
    array = builder.Transpose(array, order);
  }
  for (MlirValue& update : scatter.updates) {
    update = builder.Transpose(update, update_order);
  }
  numbers.indexed = UpTo(numbers.indexed.size());
  numbers.inserted = numbers.indexed;
  const Dims last = UpTo(update_rank);
  numbers.window.assign(
      last.end() - static_cast<std::ptrdiff_t>(numbers.window.size()),
      last.end());
  scatter.Write([&](const StablehloBuilder& after, MlirValue result) {
    return after.Transpose(result, Inverse(order));
  });
}

}  // namespace

void PutIndexedDimensionsFirst(const Ir& ir) {
  for (const MlirOperation op : ScattersIn(ir)) PutFirst(Scatter(ir, op));
}

}  // namespace iree_pjrt

// SPDX-License-Identifier: Apache-2.0
// Scatters at indices of several components that the program puts together:
// x.at[i, j].add(y). IREE (3.13) copies each component to its place beside the
// others, in a dispatch of its own. The pass makes one number of them, the
// place in the array without these dimensions; one that no array has if a
// component is out of bounds.
#include <limits>

#include "rewrite/stablehlo/flat_places.h"
#include "rewrite/stablehlo/passes.h"
#include "rewrite/stablehlo/scatter.h"

namespace iree_pjrt {
namespace {

void Flatten(Scatter scatter) {
  const StablehloBuilder& builder = scatter.builder;
  const DimensionNumbers numbers = scatter.numbers;
  const Dims shape = builder.ShapeOf(scatter.arrays.at(0));
  const FlatPlaces flat(scatter.ir, builder, numbers, shape);
  if (!flat.Exist() || HasNoElements(builder.ShapeOf(scatter.indices)) ||
      !ArePutTogether(scatter.ir, scatter.indices, numbers.vector)) {
    return;
  }
  const FlatPlaces::Places places = flat.Of(scatter.indices);
  const Dims batch = builder.ShapeOf(places.nearest);
  const MlirValue nowhere =
      builder.Splat(batch, builder.ElementOf(places.nearest),
                    std::numeric_limits<int32_t>::min());
  Dims one = batch;
  one.push_back(1);
  scatter.numbers = flat.Numbers();
  scatter.SetPlainIndices(builder.Reshape(
      builder.Select(places.fit, places.nearest, nowhere), one));
  for (MlirValue& array : scatter.arrays) {
    array = builder.Reshape(array, flat.Flat(shape));
  }
  scatter.Write([&](const StablehloBuilder& after, MlirValue result) {
    return after.Reshape(result, shape);
  });
}

}  // namespace

void FlattenScatters(const Ir& ir) {
  for (const MlirOperation op : ScattersIn(ir)) Flatten(Scatter(ir, op));
}

}  // namespace iree_pjrt

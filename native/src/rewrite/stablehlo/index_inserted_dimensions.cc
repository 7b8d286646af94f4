// SPDX-License-Identifier: Apache-2.0
// IREE 3.11 refuses scatters without an index, with IR that may crash it. JAX
// sends them for `x.at[:].set`. If windows leave a dimension out and nothing
// indexes it, its size is 1, and the pass gives it the index 0. If a scatter
// writes an array as a whole, the pass puts such a dimension in front.
#include "rewrite/stablehlo/passes.h"
#include "rewrite/stablehlo/scatter.h"

namespace iree_pjrt {
namespace {

// The dimensions of the array that windows leave out and nothing indexes.
Dims NotIndexed(const DimensionNumbers& numbers) {
  Dims found;
  for (const int64_t d : numbers.inserted) {
    if (!IsIn(numbers.indexed, d)) found.push_back(d);
  }
  return found;
}

void AddZeros(Scatter& scatter, const Dims& dimensions) {
  const StablehloBuilder& builder = scatter.builder;
  const MlirValue plain = scatter.PlainIndices();
  Dims shape = builder.ShapeOf(plain);
  const bool none = shape.back() == 0;
  const auto last = static_cast<int64_t>(shape.size()) - 1;
  shape.back() = static_cast<int64_t>(dimensions.size());
  const MlirValue zeros = builder.Splat(shape, builder.ElementOf(plain), 0);
  scatter.SetPlainIndices(none ? zeros
                               : builder.Concatenate({plain, zeros}, last));
  scatter.numbers.indexed.insert(scatter.numbers.indexed.end(),
                                 dimensions.begin(), dimensions.end());
}

void PutOneInFront(Scatter& scatter) {
  Dims shape = scatter.builder.ShapeOf(scatter.arrays.at(0));
  shape.insert(shape.begin(), 1);
  for (MlirValue& array : scatter.arrays) {
    array = scatter.builder.Reshape(array, shape);
  }
  scatter.numbers.inserted = {0};
}

}  // namespace

void IndexInsertedDimensions(const Ir& ir) {
  for (const MlirOperation op : ScattersIn(ir)) {
    Scatter scatter(ir, op);
    const Dims dimensions = NotIndexed(scatter.numbers);
    if (!dimensions.empty()) {
      AddZeros(scatter, dimensions);
      scatter.Write();
    } else if (scatter.numbers.indexed.empty()) {
      const Dims whole = scatter.builder.ShapeOf(scatter.arrays.at(0));
      PutOneInFront(scatter);
      AddZeros(scatter, {0});
      scatter.Write([&](const StablehloBuilder& after, MlirValue result) {
        return after.Reshape(result, whole);
      });
    }
  }
}

}  // namespace iree_pjrt
